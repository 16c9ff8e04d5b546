"""A distribution is paid once, drawn in any way, and holds what it states."""

from __future__ import annotations

from dataclasses import replace
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
from sfumato.privacy.budget import Cost
from sfumato.releases.distribution import DistributionRelease
from sfumato.releases.distribution.density import estimate_density
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
    for budget in (sf.Budget(1.0), sf.Budget(0.1)):
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
