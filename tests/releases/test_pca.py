import json
import math
import re
from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from releases.analysed import analysed, cloud, exact_sums, lattice, noisy_sums, released, whole
from sfumato.domain import Bounds
from sfumato.errors import ReleaseError
from sfumato.lattice import REACH, Lattice
from sfumato.postprocess.principal import find_components
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.releases import document
from sfumato.releases.pca import PcaRelease

BODY = ("heart rate", "systolic pressure", "lactate")


def sample(rows=4000, columns=5, *, drawn=3, **changes) -> PcaRelease:
    generator = np.random.default_rng(drawn)
    return analysed(cloud(generator, rows, columns), generator, **changes)


SAMPLES = {
    "five columns": sample(),
    "two columns": sample(columns=2),
    "three columns": sample(columns=3, names=BODY),
    "a hundred columns": sample(columns=100, kept=100),
    "people": sample(shared=True),
    "one component": sample(kept=1),
    "no rows": sample(rows=0),
    "few rows": sample(rows=12, columns=20),
    "nothing but noise": sample(rows=300, columns=20, noise=2000.0),
    "hardly any noise": sample(
        noise=1e-5,
        guarantee=Guarantee(1e11, 1e-5, PrivacyUnit.rows()),
        cost=Cost.gaussian(Fraction(2 * 10**10)),
    ),
    "simulated": sample(private=False),
    "scales of one's own": sample(scaled="given"),
    "private scales": sample(scaled="private"),
}


@pytest.mark.parametrize("made", SAMPLES.values(), ids=SAMPLES)
def test_what_is_loaded_equals_what_was_saved_to_the_bit(made, tmp_path):
    path = made.save(tmp_path / "release.json")
    loaded = sf.load(path)
    assert loaded == made and hash(loaded) == hash(made)
    assert loaded.to_dict() == made.to_dict()
    assert loaded.records() == made.records()


def test_releases_with_other_numbers_differ():
    made = sample()
    assert made == sample()
    assert made != replace(made, kept=2)
    assert made != replace(made, scaled="given")
    assert made != replace(made, spread=replace(made.spread, scale=1.0))
    assert made != "a release"


@pytest.mark.parametrize("made", SAMPLES.values(), ids=SAMPLES)
def test_every_number_is_finite_and_lies_in_its_interval(made):
    numbers = {
        "size": np.array(made.size),
        "total_variance": np.array(made.total_variance),
        "explained_variance": made.explained_variance,
        "explained_variance_ratio": made.explained_variance_ratio,
        "components": made.components,
    }
    assert numbers.keys() == made.uncertainty.keys()
    for name, values in numbers.items():
        sure = made.uncertainty[name]
        # Noise may take a variance below zero, and its true value is not there.
        inside = np.maximum(values.ravel(), 0) if "variance" in name else values.ravel()
        ends = np.array([sure.low, inside, sure.high])
        assert np.isfinite(ends).all() and (np.diff(ends, axis=0) >= -1e-12).all(), name
        assert sure.coverage == 0.95
    assert all(math.isfinite(place) for place in made.mean.values())


def test_components_are_directions_as_rows():
    made = sample(columns=20, kept=7)
    assert made.components.shape == (7, 20)
    assert made.components @ made.components.T == pytest.approx(np.eye(7), abs=1e-4)
    assert np.linalg.norm(made.components, axis=1) == pytest.approx(1, abs=1e-12)
    assert made.columns == lattice(20).columns
    assert len(made.explained_variance) == len(made.distinct) == len(made.reliable) == 7
    assert len(made.variances) == 20


def test_without_noise_the_numbers_are_those_of_a_plain_analysis():
    generator = np.random.default_rng(2)
    table = cloud(generator, 3000, 6)
    made = analysed(table, generator, noise=1e-6)
    # Rows beyond twice a radius that most rows keep to are few: their cutting hardly shows.
    values, vectors = np.linalg.eigh(np.cov(table.T / 8))
    assert made.explained_variance == pytest.approx(values[::-1], rel=0.05)
    assert made.total_variance == pytest.approx(values.sum(), rel=0.02)
    assert made.explained_variance_ratio == pytest.approx(values[::-1] / values.sum(), rel=0.05)
    assert np.abs((made.components @ vectors)[:, ::-1].diagonal()).min() > 0.99
    assert list(made.mean) == list(made.columns)
    assert list(made.mean.values()) == pytest.approx(table.mean(axis=0), abs=0.1)
    assert made.size == pytest.approx(3000)


def test_shares_are_of_the_variance_of_all_columns():
    made = sample(noise=1e-6)
    assert made.explained_variance_ratio.sum() == pytest.approx(1)
    few = replace(made, kept=2)
    assert few.explained_variance_ratio.sum() < 0.95
    assert few.total_variance == made.total_variance
    assert (few.explained_variance_ratio == made.explained_variance_ratio[:2]).all()


def test_a_mean_of_dates_is_a_date():
    days = Bounds.of((date(2020, 1, 1), date(2030, 1, 1)))
    made = sample(columns=2)
    dated = Lattice(("day", "age"), (days, Bounds(0, 100)), (days.width / 2, 50.0))
    mean = replace(made, lattice=dated).mean
    assert mean["day"].year in range(2020, 2031)
    assert isinstance(mean["age"], float)
    assert document.read(replace(made, lattice=dated).to_dict()).mean == mean


def test_a_mean_that_noise_took_out_of_its_range_is_moved_back():
    made = sample(columns=2)
    days = Bounds.of((date(2020, 1, 1), date(9999, 12, 30)))
    wide = Lattice(("day", "age"), (days, Bounds(0, 100)), (days.width / 2, 1.0))
    far = (REACH, -REACH)
    moved = replace(made, lattice=wide, spread=replace(made.spread, origin=far))
    assert moved.mean["day"].year == 9999
    assert moved.mean["age"] == 0.0


def test_both_counts_together_are_less_noisy_than_either():
    made = sample()
    (low,), (high,) = made.uncertainty["size"].low, made.uncertainty["size"].high
    alone = [sums.sums(made.lattice).noise_count for sums in (made.directions, made.spread)]
    assert (high - low) / 2 == pytest.approx(1.96 * min(alone) / math.sqrt(2), rel=1e-3)


def coverage(intervals, truth):
    """The share of true values that their intervals hold, by kind."""
    return {
        name: np.mean([
            (np.array(each[name].low) <= true.ravel()) & (true.ravel() <= np.array(each[name].high))
            for each in intervals
        ])
        for name, true in truth.items()
    }  # fmt: skip


def simulated(made: PcaRelease, table, draws=400, *, dishonest=1.0):
    """Intervals of many releases of one table along the same directions, and what is true.

    A `dishonest` scale states another noise than there is.
    """
    generator = np.random.default_rng(11)
    asked = made.spread.asked(made.lattice)
    exact = released(asked, exact_sums(asked, table), 1.0).sums(made.lattice)
    mean = exact.first / exact.count
    covariance = exact.second / exact.count - np.outer(mean, mean)
    along = np.einsum("kd,de,ke->k", made.components, covariance, made.components)
    total = np.trace(covariance)
    truth = {
        "explained_variance": along,
        "explained_variance_ratio": along / total,
        "total_variance": np.array(total),
    }
    scale = made.spread.scale
    drawn = (noisy_sums(asked, table, scale, generator) for _ in range(draws))
    releases = [replace(made, spread=replace(each, scale=scale * dishonest)) for each in drawn]
    return [each.uncertainty for each in releases], truth


@pytest.mark.parametrize(("columns", "noise"), [(3, 2.0), (3, 20.0), (20, 20.0)])
def test_intervals_of_variances_hold_what_is_true_as_often_as_they_state(columns, noise):
    generator = np.random.default_rng(4)
    table = cloud(generator, 2000, columns)
    made = analysed(table, generator, noise=noise)
    for name, held in coverage(*simulated(made, table)).items():
        assert 0.92 <= held <= 0.98, name


def test_intervals_for_less_noise_than_there_is_would_be_noticed():
    generator = np.random.default_rng(4)
    table = cloud(generator, 2000, 3)
    made = analysed(table, generator, noise=20.0)
    for name, held in coverage(*simulated(made, table, dishonest=0.8)).items():
        assert held < 0.92, name


def test_all_shares_lie_in_the_wider_intervals_together():
    generator = np.random.default_rng(4)
    table = cloud(generator, 2000, 8)
    made = analysed(table, generator, noise=15.0)
    _, truth = simulated(made, table, 1)
    asked, share = made.spread.asked(made.lattice), truth["explained_variance_ratio"]
    held = 0
    for _ in range(300):
        drawn = noisy_sums(asked, table, made.spread.scale, generator)
        sure = replace(made, spread=drawn).share_intervals(together=True)
        held += bool(((np.array(sure.low) <= share) & (share <= np.array(sure.high))).all())
    assert held / 300 >= 0.92


def turned_by_noise(columns, decay, noise, *, dishonest=1.0):
    """How often intervals of loadings hold what is true, component by component."""
    generator = np.random.default_rng(6)
    table = cloud(generator, 3000, columns, decay=decay)
    made = analysed(table, generator, noise=noise)
    asked, scale = made.directions.asked(made.lattice), made.directions.scale
    exact = released(asked, exact_sums(asked, table), 1.0).sums(made.lattice)
    truth = find_components(exact).directions
    intervals = []
    for _ in range(200):
        drawn = noisy_sums(asked, table, scale, generator)
        drawn = replace(drawn, scale=scale * dishonest)
        found = find_components(drawn.sums(made.lattice)).directions
        found *= np.sign((found * truth).sum(axis=1, keepdims=True))
        intervals.append(replace(made, directions=drawn, vectors=whole(found)).uncertainty)
    return made, coverage(intervals, {"components": truth[: made.kept]})["components"]


@pytest.mark.parametrize(("columns", "decay"), [(3, 0.6), (8, 0.7)])
def test_intervals_of_loadings_hold_what_is_true_as_often_as_they_state(columns, decay):
    made, held = turned_by_noise(columns, decay, 0.5)
    assert all(made.reliable)
    assert 0.93 <= held <= 0.97
    made, held = turned_by_noise(columns, 0.97, 50.0)
    assert not all(made.reliable)
    assert held >= 0.93


def test_intervals_of_loadings_for_less_noise_than_there_is_would_be_noticed():
    assert turned_by_noise(8, 0.7, 0.5, dishonest=0.8)[1] < 0.93


def test_directions_made_of_noise_say_nothing_about_loadings():
    made = SAMPLES["nothing but noise"]
    assert not any(made.reliable)
    sure = made.uncertainty["components"]
    assert np.median(np.array(sure.high) - np.array(sure.low)) > 0.9


def test_a_component_is_clear_where_both_gaps_beside_it_are():
    made = sample(columns=4, noise=1e-6)
    assert made.reliable == (True,) * 4
    grid, turned = made.lattice, np.eye(4)
    asked = made.directions.asked(grid)

    def along(*variances):
        matrix = np.diag([asked.constant**2, *variances]) * 10**6
        return replace(made, directions=released(asked, matrix, 1e6), vectors=whole(turned))

    assert along(900, 400, 400, 100).reliable == (True, False, False, True)
    assert along(900, 900, 400, 100).reliable == (False, False, True, True)
    assert along(900, 400, 100, 100).reliable == (True, True, False, False)
    assert replace(along(900, 400, 100, 100), kept=3).reliable == (True, True, False)
    assert along(400, 400, 400, 400).reliable == (False,) * 4


def test_records_hold_one_loading_each_with_the_variance_of_its_component():
    made = sample(kept=2)
    records = made.records()
    assert len(records) == 2 * 5
    assert [(each["component"], each["column"]) for each in records[4:6]] == [(1, "c5"), (2, "c1")]
    for each in records:
        place = each["component"] - 1, made.columns.index(each["column"])
        assert each["loading"] == made.components[place]
        assert each["low"] <= each["loading"] <= each["high"]
        assert each["explained_variance"] == made.explained_variance[place[0]]
        ratio = made.uncertainty["explained_variance_ratio"]
        assert each["explained_variance_ratio_low"] == ratio.low[place[0]]
        assert each["explained_variance_ratio_high"] == ratio.high[place[0]]
    frame = made.to_frame()
    assert frame.shape == (10, 11) and list(frame.columns) == list(records[0])


def test_an_axis_is_labelled_by_the_share_of_variance_and_how_sure_it_is():
    assert re.fullmatch(r"PC1 \(\d\d ± \d % of variance\)", sample(noise=5.0).axis_label(1))
    precise = sample(noise=0.01)
    assert re.fullmatch(r"PC2 \(\d\d\.\d\d? ± 0\.\d+ % of variance\)", precise.axis_label(2))
    assert SAMPLES["one component"].axis_label(3).startswith("PC3 (")
    assert SAMPLES["nothing but noise"].axis_label(1) == "PC1 (unknown share of variance)"


def broken(**changes):
    plain = json.loads(json.dumps(sample(columns=3).to_dict()))
    for path, value in changes.items():
        *parents, name = path.split("__")
        part = plain
        for parent in parents:
            part = part[int(parent) if isinstance(part, list) else parent]
        part[int(name) if isinstance(part, list) else name] = value
    return plain


ACROSS = [[REACH, 0, 0], [0, REACH, 0], [0, 0, REACH]]
MALFORMED = {
    "a direction too few": {"values__vectors": ACROSS[:2]},
    "a direction too many": {"values__vectors": [*ACROSS, ACROSS[0]]},
    "a direction too short": {"values__vectors__0": [REACH, 0]},
    "a direction of another length": {"values__vectors": [[REACH - 9, 0, 0], *ACROSS[1:]]},
    "the same direction twice": {"values__vectors": [ACROSS[0], *ACROSS[:2]]},
    "directions that are not at right angles": {
        "values__vectors": [[REACH, 0, 0], [-9, REACH, 0], [0, 0, REACH]]
    },
    "a direction of no integers": {"values__vectors": [[float(REACH), 0, 0], *ACROSS[1:]]},
    "a direction without end": {"values__vectors": [[10**400, 0, 0], *ACROSS[1:]]},
    "a matrix too small": {"values__spread__matrix": [1] * 9},
    "no integers": {"values__directions__matrix": [0.5] * 10},
    "other columns": {"values__spread__origin": [0, 0]},
    "an origin outside": {"values__spread__origin": [2**21, 0, 0]},
    "no radius": {"values__directions__radius": 0.0},
    "a radius that is no number": {"values__spread__radius": math.nan},
    "no noise": {"values__spread__scale": 0.0},
    "noise without end": {"values__directions__scale": math.inf},
    "no constant": {"values__directions__constant": 0},
    "a step of users for rows": {"values__spread__step": 2.0**-14},
    "a column twice": {"parameters__columns__0__column": "c2"},
    "a column of no name": {"parameters__columns__0__column": 1},
    "a column too few": {"parameters__columns": []},
    "no range": {"parameters__columns__1__upper": -8.0},
    "a range in words": {"parameters__columns__1__upper": "8"},
    "a range of time that is none": {"parameters__columns__1__time": 1},
    "no scale": {"parameters__columns__2__scale": 0.0},
    "a scale without end": {"parameters__columns__2__scale": math.inf},
    "no component": {"parameters__kept": 0},
    "more components than columns": {"parameters__kept": 4},
    "half a component": {"parameters__kept": 1.5},
    "unknown scales": {"parameters__scaled": "magic"},
}


@pytest.mark.parametrize("changes", MALFORMED.values(), ids=MALFORMED)
def test_what_was_changed_by_hand_is_refused(changes):
    document.read(broken())
    with pytest.raises(ReleaseError, match="not a release, or it was changed by hand"):
        document.read(broken(**changes))


def test_directions_that_were_rounded_are_read():
    document.read(broken(values__vectors=ACROSS))
    for drawn in range(3):
        turned = np.linalg.qr(np.random.default_rng(drawn).normal(size=(100, 100)))[0]
        replace(SAMPLES["a hundred columns"], vectors=whole(turned))
