"""A distribution is paid once, drawn in any way, and holds what it states."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.charts.distribution.chart import TYPICAL
from sfumato.charts.distribution.rounds import ROOT, measure_line
from sfumato.exact import Exact
from sfumato.figure import Bars, Curve, LetterValues, Points, Violins
from sfumato.mechanisms.meter import simulated
from sfumato.mechanisms.survey import IntervalSurvey, survey_intervals
from sfumato.postprocess.cumulated import make_intervals
from sfumato.privacy.budget import Cost
from sfumato.releases.distribution import DistributionRelease
from sfumato.releases.distribution.density import Density, Kernel, estimate_density
from sfumato.releases.distribution.line import LEVEL
from sfumato.testing import ample_meter, seeded

BOUNDS = (0.0, 12.0)


def draw(rows: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).gamma(2.0, 1.0, rows).clip(*BOUNDS)


def release(
    values: np.ndarray, seed: int = 0, budget: sf.Budget | float = 1.0, **asked: object
) -> DistributionRelease:
    with seeded(seed):
        asked = {"bounds": BOUNDS, **asked}
        return sf.distribution(pa.table({"x": values}), x="x", budget=budget, **asked)  # type: ignore[arg-type]


def share_below(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    return np.searchsorted(np.sort(values), places) / len(values)


def holds(found: DistributionRelease, values: np.ndarray) -> bool:
    line = found.lines[0]
    # Both ends are bounds, to which values are clipped.
    truth = np.append(share_below(values, line.places[:-1]), 1.0)
    return bool(((truth >= line.band.low) & (truth <= line.band.high)).all())


@pytest.mark.parametrize("budget", [1.0, sf.Budget(1, 1e-6)])
def test_bands_hold_the_whole_curve_as_often_as_they_say(budget: sf.Budget | float) -> None:
    tries = 80
    kept = sum(
        holds(release(draw(1500, seed), seed, budget), draw(1500, seed)) for seed in range(tries)
    )
    # of true coverages from 0.93 to 0.97, fewer than one in 10⁴ give less or more
    assert 0.83 <= kept / tries <= 1.0


def test_narrower_bands_are_noticed() -> None:
    """The broken twin: a band for each value by itself does not hold the whole curve."""
    kept = 0
    for seed in range(60):
        values = draw(1500, seed)
        line = release(values, seed).lines[0]
        truth = np.append(share_below(values, line.places[:-1]), 1.0)
        kept += bool(((truth >= line.intervals.low) & (truth <= line.intervals.high)).all())
    assert kept / 60 < 0.85


def test_the_error_is_as_planned() -> None:
    domain = sf.Domain(x=BOUNDS)
    for budget in (sf.Budget(1.0), sf.Budget(0.1), sf.Budget(1, 1e-6)):
        plan = sf.Distribution("x").plan(domain, sf.PrivacyUnit.rows(), budget)
        errors: list[float] = []
        for seed in range(16):
            values = draw(TYPICAL, seed)
            line = release(values, seed, budget).lines[0]
            grid = np.linspace(*BOUNDS, 4097)
            fitted = np.interp(grid, line.places, line.masses)
            errors.append(abs(fitted - TYPICAL * share_below(values, grid)).max())
        assert 0.7 < plan.expected_error / np.mean(errors) < 1.4


def test_all_of_the_price_is_spent_on_every_value_and_no_more() -> None:
    cells = np.bincount(np.random.default_rng(0).integers(0, 900, 5000), minlength=1024)
    for family in ("laplace", "gaussian"):
        with simulated(np.random.default_rng(1)), ample_meter() as meter:
            exact = Exact(1, 1, 1.0, _values=cells)
            (line,) = survey_intervals(meter, exact, 1024, Fraction(1), family)
            told = measure_line(line, Fraction(1), 1024, 1.0)
        spent = line.cost.epsilon if family == "laplace" else line.cost.rho
        assert spent is not None
        assert Fraction(999, 1000) < spent <= 1
        if family == "laplace":
            assert abs(told[0].scale * ROOT - 1) < 1e-3
        assert [int(each.first[0]) for each in told] == [0] * len(told)


@pytest.mark.parametrize("cells", [1, 2, 3, 5, 70])
@pytest.mark.parametrize("rows", [0, 1, 40, 3000])
def test_lines_of_few_cells_and_of_few_rows_are_measured(cells: int, rows: int) -> None:
    exact = Exact(1, 1, 1.0, _values=np.eye(1, cells, dtype=np.int64)[0] * rows)
    with simulated(np.random.default_rng(2)), ample_meter() as meter:
        (line,) = survey_intervals(meter, exact, cells, Fraction(1))
        told = measure_line(line, Fraction(1), cells, 1.0)
    assert all(each.end[-1] == cells for each in told)
    assert 2 <= len(told) <= 8


def test_every_value_has_a_share_of_its_own_where_there_are_fewer_than_intervals() -> None:
    ages = np.random.default_rng(0).binomial(120, 0.4, 100_000)
    line = release(ages, bounds=(0, 120), step=1).lines[0]
    assert list(line.cuts) == list(range(122))
    truth = share_below(ages, line.places)
    assert abs(line.shares - truth).max() * 100_000 < 60
    assert len(release(ages[:500], bounds=(0, 120), step=1).lines[0].cuts) < 122


@pytest.mark.parametrize(("rows", "apart", "rounds"), [(200, 1, 2), (20_000, 100, 4)])
def test_an_answer_that_decided_where_to_cut_last_is_not_told(
    rows: int, apart: int, rounds: int
) -> None:
    """What is known of an interval because its noise was large is not known at all."""
    cells = np.random.default_rng(3).integers(0, 4096, rows) // apart * apart
    exact = Exact(1, 1, 1.0, _values=np.bincount(cells, minlength=4096)[None])
    with simulated(np.random.default_rng(2)), ample_meter() as meter:
        (line,) = survey_intervals(meter, exact, 4096, Fraction(1))
        told = measure_line(line, Fraction(1), 4096, 1.0)
    assert told[0] is line.asked[0]
    assert told[-1] is line.asked[-1]
    assert not any(each is line.asked[-2] for each in told)
    assert len(told) == rounds


def test_which_intervals_are_asked_for_follows_from_noisy_masses_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the same answers, two tables are asked the same questions."""
    original = IntervalSurvey.ask

    def answer(self: IntervalSurvey, first, end, price):
        asked = original(self, first, end, price)
        steps = 1000 * (asked.end - asked.first) // 4096 + len(self.asked)
        self._asked[-1] = replace(asked, steps=steps)
        return self._asked[-1]

    monkeypatch.setattr(IntervalSurvey, "ask", answer)
    heard: list[list[list[int]]] = []
    for cells in (np.zeros(4096, dtype=np.int64), np.arange(4096)):
        with ample_meter() as meter:
            (line,) = survey_intervals(meter, Exact(1, 1, 1.0, _values=cells), 4096, Fraction(1))
            measure_line(line, Fraction(1), 4096, 1.0)
        heard.append([[*each.first.tolist(), *each.end.tolist()] for each in line.asked])
    assert heard[0] == heard[1]


def test_one_measurement_answers_every_way_to_draw() -> None:
    session = sf.Session(pa.table({"x": draw(2000)}), domain={"x": BOUNDS}, budget=3)
    first = session.distribution(x="x", budget=1)
    spent = session.ledger.spent
    drawn = session.ecdfplot(x="x", budget=1)
    assert session.ledger.spent == spent
    assert drawn.measured == first.measured
    assert drawn.view == "ecdf"


def test_groups_are_charged_once() -> None:
    values, groups = draw(3000), np.array(["a", "b", "c"])[np.arange(3000) % 3]
    with seeded(1):
        found = sf.distribution(
            pa.table({"x": values, "g": groups}),
            x="x",
            hue="g",
            hue_order=["a", "b", "c", "d"],
            bounds=BOUNDS,
            budget=1.0,
        )
    assert found.cost == Cost.laplace(Fraction(1), 1)
    assert found.reliable == (True, True, True, False)
    assert all(abs(size - 1000) < 100 for size in found.sizes[:3])


@pytest.mark.parametrize("unit", [sf.PrivacyUnit.rows(), sf.PrivacyUnit.users("who")])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_budget_that_is_planned_pays_for_every_round(unit: sf.PrivacyUnit, delta: float) -> None:
    table = pa.table({"x": draw(50), "who": np.arange(50)})
    refused = []
    for exponent in range(4, 19):
        budget = sf.Budget(10.0**-exponent, delta)
        try:
            sf.Distribution("x").plan(sf.Domain(x=BOUNDS), unit, budget)
        except sf.SfumatoError:
            refused.append(exponent)
            continue
        with seeded(1):
            sf.distribution(table, x="x", bounds=BOUNDS, unit=unit, budget=budget)
    assert refused or delta  # which alone buys noise


@pytest.mark.parametrize("bounds", [(0, 100), sf.private()], ids=["declared", "searched"])
def test_more_groups_than_an_answer_has_room_for_are_refused_before_the_charge(bounds) -> None:
    many = [f"group {number}" for number in range(700)]
    table = pa.table({"x": [1.0] * 50} | {name: ["group 1"] * 50 for name in "ghi"})
    session = sf.Session(table, domain=sf.Domain(dict.fromkeys("ghi", many)), budget=10)
    with pytest.raises(sf.DomainError, match="343000000 cells"):
        session.distribution(x="x", hue="g", by="h", col="i", bounds=bounds, budget=1)
    assert not session.ledger.entries


def test_groups_that_are_too_small_are_not_drawn() -> None:
    (panel,) = release(draw(5), budget=0.1).figure().panels
    assert [type(mark) for mark in panel.marks] == [Points]
    (panel,) = release(draw(5000)).figure().panels
    (curve,) = panel.marks
    assert isinstance(curve, Curve)
    assert curve.simultaneous
    assert list(curve.x) == sorted(set(curve.x))


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_intervals_of_quantiles_hold_them_at_least_as_often_as_they_say(level: float) -> None:
    kept = 0
    for seed in range(30):
        values = draw(2000, seed)
        (found,) = release(values, seed).quantiles([level])[0]
        truth = np.sort(values)[int(np.ceil(level * 2000)) - 1]
        kept += found.low <= truth <= found.high
    assert kept / 30 >= 0.8


def test_quantiles_of_whole_numbers_are_whole_numbers() -> None:
    ages = np.random.default_rng(0).integers(0, 90, 4000)
    found = release(ages, bounds=range(91))
    (median,) = found.quantiles([0.5])[0]
    assert median.value == int(median.value)
    assert (median.low, median.high) == (int(median.low), int(median.high))
    assert median.low <= np.median(ages) <= median.high


FIVES = np.tile(np.arange(1, 6), 2000)


def test_the_share_at_or_below_a_whole_number_is_told_at_that_number() -> None:
    found = release(FIVES, bounds=(0, 10), step=1)
    told = {round(each["x"], 6): each for each in found.records()}
    for value in range(1, 6):
        share = told[value]["share"]
        assert abs(share - value / 5) < 0.005
        assert told[value]["low"] <= share <= told[value]["high"]
    assert all(value == int(value) for value in told)
    assert max(told) == 10


def test_shares_of_whole_numbers_are_drawn_as_stairs_that_jump_at_them() -> None:
    found = release(FIVES, bounds=(0, 10), step=1)
    (curve,) = found.figure(view="ecdf").panels[0].marks
    assert isinstance(curve, Curve)
    assert curve.steps
    assert len(curve.x) == len(curve.y.value) + 1
    ends = list(curve.x)
    for value in range(1, 6):
        place = min(range(len(ends)), key=lambda at: abs(ends[at] - value))
        assert abs(ends[place] - value) < 1e-9
        assert abs(curve.y.value[place] - value / 5) < 0.005
        assert abs(curve.y.value[place - 1] - (value - 1) / 5) < 0.005


@pytest.mark.parametrize("step", [1, 0.1, 7])
def test_bands_of_stairs_hold_all_steps(step: float) -> None:
    kept = 0
    for seed in range(40):
        values = np.random.default_rng(seed).binomial(30, 0.3, 800) * step
        found = release(values, seed, bounds=(0, 30 * step), step=step)
        (curve,) = found.figure(view="ecdf").panels[0].marks
        middles = (np.array(curve.x[1:]) + curve.x[:-1]) / 2
        truth = np.searchsorted(np.sort(values), middles, "right") / 800
        kept += bool(((truth >= curve.y.low) & (truth <= curve.y.high)).all())
    assert kept >= 33  # one in 10⁴ of 0.93


def test_a_band_is_level_over_values_between_which_nothing_was_counted() -> None:
    line = release(draw(300).round(2), step=0.01).lines[0]
    wide = int(np.argmax(np.diff(line.cuts)))
    inside = np.arange(line.cuts[wide] + 1, line.cuts[wide + 1])
    _, band = line.tell_cuts(inside)
    assert set(band.low) == {line.band.low[wide]}
    assert set(band.high) == {line.band.high[wide + 1]}


def test_many_values_are_told_at_themselves_and_drawn_as_a_line() -> None:
    found = release(np.full(5000, 3.0), step=0.001)
    (curve,) = found.figure(view="ecdf").panels[0].marks
    assert isinstance(curve, Curve)
    for record in found.records():
        assert abs(record["x"] * 1000 - round(record["x"] * 1000)) < 1e-6
        assert abs(record["share"] - (record["x"] > 2.9995)) < 0.02


def test_columns_know_their_step_by_their_type_as_those_of_other_charts_do() -> None:
    whole = pa.table({"x": FIVES})
    days = pa.table({"x": pa.array([date(2026, 1, 1) + timedelta(int(i)) for i in FIVES])})
    year = ("2026-01-01", "2026-12-31")
    for table, bounds in ((whole, (0, 10)), (days, year), (whole.to_pandas(), (0, 10))):
        with seeded(1):
            charts = (sf.ecdfplot, sf.distribution, sf.kdeplot, sf.quantiles)
            steps = {chart(table, x="x", bounds=bounds, budget=1.0).step for chart in charts}
            steps |= {
                chart(table, y="x", bounds=bounds, budget=1.0).step
                for chart in (sf.violinplot, sf.boxenplot)
            }
        # What pandas infers from values tells nothing.
        assert steps == {1.0 if table is whole else 86_400e6 if table is days else None}


def test_shares_at_dates_are_told_at_midnight() -> None:
    days = pa.array([date(2026, 1, 1) + timedelta(int(i)) for i in FIVES])
    with seeded(1):
        found = sf.ecdfplot(
            pa.table({"x": days}), x="x", bounds=("2026-01-01", "2026-02-01"), budget=1.0
        )
    told = {each["x"]: each["share"] for each in found.records()}
    for day in range(1, 6):
        shown = next(at for at in told if at.date() == date(2026, 1, 1 + day))
        assert (shown.hour, shown.minute) == (0, 0)
        assert abs(told[shown] - day / 5) < 0.01


@pytest.mark.parametrize(
    ("edges", "counts"),
    [
        ([0, 3, 5], [4000, 6000]),
        ([0, 2.5, 5], [4000, 6000]),
        ([2, 3, 4], [2000, 4000]),
        ([-4, 1, 99], [0, 10_000]),
    ],
)
def test_bins_of_whole_numbers_hold_their_left_edge_and_the_last_one_both(
    edges: list[float], counts: list[int]
) -> None:
    bins = release(FIVES, bounds=(0, 10), step=1).histogram(edges)[0]
    assert [each.left for each in bins] == edges[:-1]
    for each, count in zip(bins, counts, strict=True):
        assert abs(each.count - count) < 40
        assert each.low <= count <= each.high


def test_a_number_of_bins_cuts_between_values() -> None:
    found = release(FIVES, bounds=(0, 10), step=1)
    assert [each.left for each in found.histogram(11)[0]] == [i - 0.5 for i in range(11)]
    for bins in (*found.histogram(4), *found.histogram(3)):
        assert all((each.left + 0.5) % 1 == 0 for each in bins)
    (bars,) = found.figure(view="histogram").panels[0].marks
    assert isinstance(bars, Bars)
    assert all((left + 0.5) % 1 == 0 for left in bars.left)
    assert found.figure(view="histogram").panels[0].x.step == 1


def test_the_last_bin_holds_the_value_at_its_end() -> None:
    values = np.append(draw(2000).clip(0, 5), np.full(500, 6.0))
    *_, last = release(values, bounds=(0, 12)).histogram([0, 5, 6])[0]
    assert last.low <= 500 <= last.high
    assert last.high > 400


@pytest.mark.parametrize(("level", "truth"), [(0.2, 1), (0.21, 2), (0.59, 3), (0.99, 5)])
def test_quantiles_of_ties_are_the_values_themselves(level: float, truth: int) -> None:
    found = release(FIVES, bounds=(0, 10), step=1, budget=5.0)
    (told,) = found.quantiles([level])[0]
    assert told.low <= truth <= told.high
    assert abs(told.value - truth) <= (1 if level == 0.2 else 0)


def test_bins_of_any_edges_hold_what_lies_there() -> None:
    ages = np.random.default_rng(0).integers(0, 90, 4000)
    bins = release(ages, bounds=range(91)).histogram([0, 18, 65, 90])[0]
    truth = np.histogram(ages, [0, 18, 65, 91])[0]
    for each, count in zip(bins, truth, strict=True):
        assert each.low <= count <= each.high
        assert abs(each.count - count) < 60


def test_tables_with_heavy_atoms_are_told_apart_at_them() -> None:
    generator = np.random.default_rng(0)
    values = np.where(generator.random(5000) < 0.6, 0.0, draw(5000))
    line = release(values).lines[0]
    assert abs(line.shares[1] - 0.6) < 0.02
    assert line.places[1] < 1e-4


def test_many_values_that_hold_much_each_are_told_apart() -> None:
    values = 5.0 * np.random.default_rng(2).poisson(5, 100_000)
    wrong = []
    for seed in range(5):
        line = release(values, seed, bounds=(0, 100)).lines[0]
        edges = np.linspace(0, 100, 4097)
        truth = np.searchsorted(np.sort(values), edges)
        wrong.append(np.abs(np.interp(edges, line.places, line.masses) - truth).max())
    assert np.mean(wrong) < 100  # of values that hold up to 17,000 rows; nearly 1,000 without


def test_a_release_is_read_as_it_was_saved(tmp_path) -> None:
    found = release(draw(2000))
    again = sf.load(found.save(tmp_path / "x.json"))
    assert again == found
    assert again.to_dict() == found.to_dict()
    assert again.figure() == found.figure()


@pytest.mark.parametrize(
    "change",
    [
        lambda rounds: rounds[1:],
        lambda rounds: (rounds[0], replace(rounds[1], starts=(0,))),
        lambda rounds: (rounds[0], replace(rounds[1], starts=rounds[1].starts[::-1])),
    ],
)
def test_what_is_no_measurement_of_a_line_is_refused(change) -> None:
    found = release(draw(2000))
    (group,) = found.measured
    with pytest.raises((ValueError, sf.ReleaseError)):
        _ = replace(found, measured=(replace(group, rounds=change(group.rounds)),)).lines[0].shares


def test_densities_hold_all_there_is_and_stay_within_their_bounds() -> None:
    found = release(draw(5000))
    density = estimate_density(found.lines[0], BOUNDS)
    assert abs(np.trapezoid(density.value, density.at) - 1) < 0.01
    assert (density.value >= 0).all()
    truth = density.at * np.exp(-density.at)
    inner = density.at > 0.5  # a reflected curve is level at its bound, and this one is not
    assert abs(density.value - truth)[inner].max() < 0.05
    assert density.muted[-1]
    assert not density.muted[30]


def smooth_rows(values: np.ndarray, density: Density, bounds: tuple[float, float]) -> np.ndarray:
    """Return what a density is of: the same kernel on the rows themselves."""
    low, high = bounds
    total = np.zeros(density.at.shape)
    for at in (density.at, 2 * low - density.at, 2 * high - density.at):
        apart = (values.clip(low, high) - at[:, None]) / density.width
        total += np.exp(-0.5 * apart**2).sum(axis=1)
    return total / (len(values) * density.width * np.sqrt(2 * np.pi))


@pytest.mark.parametrize("name", ["normal", "uniform", "ties"])
def test_bands_of_densities_hold_the_smoothed_rows_as_often_as_they_say(name: str) -> None:
    """Also where bounds are far too wide, and wherever in an interval rows lie."""
    bounds, limits = {
        "normal": ((0.0, 1000.0), (0.0, 100.0)),
        "uniform": ((0.0, 100.0), (0.0, 1.3)),
        "ties": ((0.0, 120.0), (0.0, 60.0)),
    }[name]
    held: list[float] = []
    for seed in range(12):
        generator = np.random.default_rng(seed)
        values = {
            "normal": generator.normal(50, 10, 2000),
            "uniform": generator.random(2000),
            "ties": 5 * np.round(generator.gamma(2, 2, 2000)),
        }[name]
        line = release(values, seed, bounds=bounds).lines[0]
        density = estimate_density(line, limits)
        truth = smooth_rows(values, density, bounds)
        within = (density.band.low <= truth + 1e-12) & (truth <= density.band.high + 1e-12)
        held.append(float(within.mean()))
    assert np.mean(held) >= 0.93


def test_evenly_spread_mass_alone_would_not_be_held() -> None:
    """The broken twin: where in their intervals rows lie is not known."""
    held: list[float] = []
    for seed in range(6):
        values = np.random.default_rng(seed).choice(np.linspace(3.3, 97.1, 20), 10_000)
        line = release(values, seed, bounds=(0.0, 1e6)).lines[0]
        density = estimate_density(line, (0.0, 100.0))
        spread = Kernel(line, density.width).spread(density.at)
        even = make_intervals(spread @ line.parts, spread @ line.part_errors, LEVEL)
        truth = smooth_rows(values, density, (0.0, 1e6))
        held.append(float(((even.low <= truth) & (truth <= even.high)).mean()))
    assert np.mean(held) < 0.9


def test_densities_are_grey_where_there_is_nothing() -> None:
    coloured = 0.0
    for seed in range(5):
        values = np.random.default_rng(seed).normal(50, 10, 10_000)
        line = release(values, seed, bounds=(0.0, 1000.0)).lines[0]
        density = estimate_density(line, (0.0, 120.0))
        empty = (density.at < values.min() - 5) | (density.at > values.max() + 5)
        coloured += float((~density.muted & empty).mean())
    assert coloured == 0


def test_whole_numbers_are_smoothed_into_one_curve() -> None:
    ages = np.random.default_rng(0).integers(20, 60, 50_000)
    density = estimate_density(release(ages, bounds=(0, 90), step=1).lines[0], (25.0, 55.0))
    assert density.value.max() < 1.2 * density.value.min()


def test_densities_of_dates_are_told_by_units_of_the_calendar() -> None:
    start = datetime(2026, 3, 1)
    hours = np.random.default_rng(0).normal(12, 3, 3000).clip(0, 24)
    for length, bounds, unit in (
        (1, ("2026-03-01", "2026-03-02"), "hour"),
        (24, ("2026-03-01", "2026-05-01"), "day"),
        (24 * 365, ("2026-03-01", "2056-03-01"), "year"),
    ):
        table = pa.table({"x": [start + timedelta(hours=float(h) * length) for h in hours]})
        with seeded(1):
            found = sf.kdeplot(table, x="x", bounds=bounds, budget=1.0)
        (panel,) = found.figure().panels
        assert panel.y.label == f"density per {unit}"
        (curve,) = panel.marks
        assert isinstance(curve, Curve)
        assert abs(max(curve.y.value) - 0.133) < 0.02


@pytest.mark.parametrize("view", ["violin", "kde"])
def test_violins_end_within_the_axis_unless_bounds_end_them(view: str) -> None:
    values = np.random.default_rng(0).choice([40.0, 50.0, 55.0], 5000)
    found = release(values, bounds=(0.0, 1000.0), budget=2.0)
    (panel,) = found.figure(view=view).panels
    (mark,) = panel.marks
    if isinstance(mark, Violins):
        density = mark.density[0]
    else:
        assert isinstance(mark, Curve)
        density = mark.y.value
    assert max(density[0], density[-1]) < 0.01 * max(density)


def test_nested_boxes_are_drawn_of_ties() -> None:
    values = np.where(np.random.default_rng(0).random(5000) < 0.6, 0.0, draw(5000))
    (mark,) = release(values).figure(view="boxen").panels[0].marks
    assert isinstance(mark, LetterValues)
    assert mark.depth[0] >= 3


def test_how_far_apart_values_are_told_is_said_where_it_can_be_seen() -> None:
    domain = sf.Domain(x=(-1e6, 1e6))
    plan = sf.Distribution("x").plan(domain, sf.PrivacyUnit.rows(), sf.Budget(1))
    assert ("values told apart", "from 1.9 on") in plan.lines()
    assert "told apart from 1.9 on" in release(draw(5000), bounds=(-1e6, 1e6)).caption()
    assert "told apart" not in release(draw(5000)).caption()
    assert "told apart" not in release(FIVES, bounds=(0, 10), step=1).caption()


def test_less_budget_makes_a_smoother_density() -> None:
    sharp, dull = (
        np.mean(
            [estimate_density(release(draw(1000), s, b).lines[0], BOUNDS).width for s in range(5)]
        )
        for b in (10.0, 0.2)
    )
    assert dull > sharp


def test_two_peaks_are_not_smoothed_into_one() -> None:
    generator = np.random.default_rng(0)
    values = np.where(generator.random(5000) < 0.5, 3.0, 9.0) + generator.normal(0, 0.4, 5000)
    density = estimate_density(release(values).lines[0], BOUNDS)
    middle = density.value[(density.at > 5.5) & (density.at < 6.5)]
    assert middle.max() < 0.1 * density.value.max()


@pytest.mark.parametrize(
    ("view", "mark"),
    [
        ("ecdf", Curve),
        ("kde", Curve),
        ("violin", Violins),
        ("boxen", LetterValues),
        ("histogram", Bars),
    ],
)
def test_every_view_is_drawn_of_groups_large_and_small(view: str, mark: type) -> None:
    values, groups = draw(3010), np.array(["a"] * 3000 + ["b"] * 10)
    with seeded(1):
        found = sf.distribution(
            pa.table({"x": values, "g": groups}),
            x="x", hue="g", hue_order=["a", "b"], bounds=BOUNDS, budget=1.0,
        )  # fmt: skip
    assert found.reliable == (True, False)
    (panel,) = found.figure(view=view).panels
    assert isinstance(panel.marks[0], mark)
    assert "$schema" in found.to_vega(view=view)
    assert "too few" in found.caption(view=view) or view == "histogram"


def test_nested_boxes_go_deeper_where_more_can_be_told() -> None:
    depths = [
        release(draw(rows)).figure(view="boxen").panels[0].marks[0].depth[0]
        for rows in (300, 3000, 100_000)
    ]
    assert depths == sorted(set(depths))


def test_violins_and_nested_boxes_refuse_what_has_no_values() -> None:
    for chart in (sf.Violinplot, sf.Boxenplot):
        with pytest.raises(sf.DomainError, match="y is missing"):
            chart(x="ward")
        with pytest.raises(sf.DomainError, match="needs an x"):
            chart(y="wait", order=["A"])


def grouped(rows: int = 8000) -> tuple[pa.Table, np.ndarray]:
    """Return a table of two columns of groups, and the median of each pair of them."""
    generator = np.random.default_rng(0)
    outer, inner = (generator.integers(0, 2, rows) for _ in range(2))
    values = generator.normal(2 + 4 * outer + 2 * inner, 0.3)
    names = np.array(["a", "b"])[outer], np.array(["u", "v"])[inner]
    return pa.table({"x": values, "g": names[0], "h": names[1]}), np.array([2.0, 4.0, 6.0, 8.0])


GROUPS = {"order": ["a", "b"], "hue_order": ["u", "v"]}


@pytest.mark.parametrize("plot", [sf.violinplot, sf.boxenplot])
def test_groups_of_groups_stand_side_by_side(plot) -> None:
    table, medians = grouped()
    with seeded(1):
        found = plot(table, x="g", y="x", hue="h", **GROUPS, bounds=BOUNDS, budget=1.0)
    assert found.cost == Cost.laplace(Fraction(1), 1)
    told = [group[0].value for group in found.quantiles([0.5])]
    assert np.abs(told - medians).max() < 0.1
    figure = found.figure()
    (panel,) = figure.panels
    assert (panel.x.label, panel.x.categories, figure.legend) == ("g", ("a", "b"), "h")
    assert [mark.series for mark in panel.marks] == ["u", "v"]
    for first, mark in enumerate(panel.marks):
        assert isinstance(mark, Violins | LetterValues)
        assert mark.median is not None
        assert mark.median.value == tuple(told[first::2])
    left, right = panel.marks
    assert left.position[0] + left.width / 2 < right.position[0] - right.width / 2
    assert "$schema" in found.to_vega()


def test_groups_of_groups_are_named_by_both_in_a_legend_and_in_records(tmp_path) -> None:
    table, _ = grouped(3000)
    with seeded(1):
        found = sf.distribution(
            table, x="x", by="g", by_order=["a", "b"], hue="h", hue_order=["u", "v"],
            bounds=BOUNDS, budget=1.0,
        )  # fmt: skip
    figure = found.figure(view="ecdf")
    assert figure.legend == "g and h"
    assert [mark.series for mark in figure.panels[0].marks] == ["a, u", "a, v", "b, u", "b, v"]
    seen = {(each["g"], each["h"]) for each in found.records()}
    assert seen == {("a", "u"), ("a", "v"), ("b", "u"), ("b", "v")}
    for view in ("kde", "violin", "boxen", "histogram"):
        assert found.figure(view=view).panels
    assert sf.load(found.save(tmp_path / "x.json")) == found


def test_violins_by_one_column_answer_the_same_as_curves_by_it() -> None:
    table, _ = grouped(3000)
    domain = {"x": BOUNDS, "g": ["a", "b"], "h": ["u", "v"]}
    session = sf.Session(table, domain=domain, budget=3)
    session.ecdfplot(x="x", hue="g", budget=1)
    session.violinplot(x="g", y="x", budget=1)
    session.boxenplot(y="x", hue="g", budget=1)
    assert session.ledger.spent.epsilon == 1
    session.violinplot(x="g", y="x", hue="h", budget=1)
    session.boxenplot(x="g", y="x", hue="h", budget=1)
    session.distribution(x="x", by="g", hue="h", budget=1)
    assert session.ledger.spent.epsilon == 2


@pytest.mark.parametrize(
    "asked", [{"by": "g"}, {"hue": "g", "by": "g"}, {"hue": "g", "by": "x"},
              {"hue": "g", "by_order": ["a"]}, {"hue": "g", "by": "h", "col": "h"}]
)  # fmt: skip
def test_groups_of_groups_need_two_columns_of_their_own(asked: dict[str, object]) -> None:
    with pytest.raises(sf.DomainError, match="by"):
        sf.Distribution("x", **asked)  # type: ignore[arg-type]
    with pytest.raises(sf.DomainError, match="needs a hue"):
        sf.Violinplot(x="g", y="x", hue_order=["u"])


def test_groups_of_groups_may_be_searched_for() -> None:
    table, _ = grouped()
    domain, search = {"x": BOUNDS, "g": ["a", "b"]}, sf.private(delta=1e-6)
    with seeded(1):
        session = sf.Session(table, domain=domain, budget=sf.Budget(3, 1e-5))
        found = session.violinplot(x="g", y="x", hue="h", hue_order=search, budget=1.0)
    assert found.found == ("h",)
    assert found.hue is not None
    assert found.hue.categories.values == ("u", "v")


def test_people_count_once_however_many_rows_they_have() -> None:
    values = np.repeat(draw(1000), 5)
    table = pa.table({"x": values, "who": np.repeat(np.arange(1000), 5)})
    with seeded(1):
        found = sf.distribution(table, x="x", unit="who", bounds=BOUNDS, budget=1.0)
    assert abs(found.sizes[0] - 1000) < 60
    assert found.unit_step == 2.0**-30
    assert holds(found, values)


@pytest.mark.parametrize("rows", [300, 4000])
def test_an_axis_ends_with_the_values_however_wide_bounds_are(rows: int) -> None:
    near = 0
    for seed in range(10):
        values = np.random.default_rng(seed).lognormal(5, 1, rows)
        found = release(values, seed, bounds=(0, 1e6))
        _, high = found.figure(view="boxen").panels[0].y.limits or (0.0, 1e6)
        assert np.quantile(values, 0.75) < high
        near += high < 4 * values.max()
    assert near >= 8


def test_what_lies_beyond_the_axis_is_said() -> None:
    values = np.append(draw(2000), np.random.default_rng(1).uniform(0, 1e6, 60))
    figure = release(values, bounds=(0, 1e6), budget=0.3).figure(view="ecdf")
    limits = figure.panels[0].x.limits
    assert limits is not None
    beyond = float((values > limits[1]).mean())
    assert (beyond > 0.01) == any(note.startswith("Beyond the axis") for note in figure.notes)
    whole = release(values, budget=3.0).figure(view="ecdf")
    assert not any(note.startswith("Beyond the axis") for note in whole.notes)
