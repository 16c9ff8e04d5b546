"""Pair plots: every pair from one charge, in bins that nobody read from the data."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.charts.pairplot.bins import make_bins
from sfumato.charts.pairplot.chart import Pairplot
from sfumato.domain import LAST_MOMENT, Bounds
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import DomainError
from sfumato.figure import Clouds, Curve, Heat
from sfumato.grid import Edges, Grid
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.pairs import MOST_BINS, choose_levels, place_edges
from sfumato.releases.pairplot import PairplotRelease
from sfumato.releases.uncertainty import LEVEL
from sfumato.render.matplotlib import render_picture
from sfumato.render.scale import list_series
from sfumato.render.vega import build_vega
from sfumato.testing import measure_planned, seeded

ROWS, USERS = sf.PrivacyUnit.rows(), sf.PrivacyUnit.users("who")
COLUMNS = ["a", "b", "c"]
DOMAIN = sf.Domain(a=(0, 1), b=(0, 100), c=(-5, 5), g=["x", "y"])
BUDGET = sf.Budget(1)


def make_table(rows: int = 3000) -> pa.Table:
    generator = np.random.default_rng(5)
    group = generator.choice(["x", "y"], rows, p=[0.7, 0.3])
    a = generator.normal(np.where(group == "x", 0.4, 0.6), 0.1)
    b, c = 50 * a + generator.exponential(10, rows), generator.normal(size=rows)
    missing = generator.random(rows) < 0.1
    return pa.table(
        {
            "a": a,
            "b": pa.array(b, mask=missing),
            "c": np.where(generator.random(rows) < 0.05, np.nan, c),
            "g": group,
            "who": generator.integers(0, 900, rows),
        }
    )


def measure(chart: Pairplot, seed=3, rows=3000, unit=ROWS, budget=BUDGET):
    plan = chart.plan(DOMAIN, unit, budget)
    with seeded(seed):
        return measure_planned(chart, DuckEngine(make_table(rows)), plan)


@pytest.mark.parametrize("unit", [ROWS, USERS])
@pytest.mark.parametrize("budget", [BUDGET, sf.Budget(1, 1e-6)])
@pytest.mark.parametrize("hue", [None, "g"])
def test_all_answers_are_paid_from_one_charge(unit, budget, hue) -> None:
    chart = Pairplot(COLUMNS, hue=hue)
    plan = chart.plan(DOMAIN, unit, budget)
    with Meter(plan.cost, plan.label) as meter:
        chart.measure(DuckEngine(make_table(300)), plan, meter)
    assert meter.spent.within(plan.cost)
    assert float(meter.spent.rho) == pytest.approx(float(plan.cost.rho), rel=1e-9)
    if budget.pure:
        assert plan.cost.epsilon == Fraction(1)


def test_groups_cost_nothing_and_pairs_share() -> None:
    plans = [
        chart.plan(DOMAIN, ROWS, BUDGET)
        for chart in (Pairplot(COLUMNS), Pairplot(COLUMNS, hue="g"))
    ]
    assert plans[0].cost == plans[1].cost
    two = Pairplot(COLUMNS[:2]).plan(DOMAIN, ROWS, BUDGET)
    assert plans[0].noise.scale == pytest.approx(3 * two.noise.scale)


@pytest.mark.parametrize("unit", [ROWS, USERS])
def test_one_unit_moves_every_answer_by_its_weight_at_most(unit) -> None:
    generator = np.random.default_rng(6)
    keys = [
        Edges("a", Bounds(0, 1), (0, 0.3, 1)),
        Grid("b", Bounds(0, 100), 3),
        Grid("c", Bounds(-5, 5), 1),
    ]
    for _ in range(15):
        size = 1 if unit is ROWS else int(generator.integers(1, 6))
        rows = [
            {
                "a": a,
                "b": None if b < 0.2 else 100 * b,
                "c": float("nan") if c < 0.2 else c,
                "who": who,
            }
            for who, (a, b, c) in enumerate(generator.random((5 + size, 3)))
        ]
        for row in rows[5:]:
            row["who"] = 99
        before, after = (
            DuckEngine(pa.Table.from_pylist(each)).counts(keys, unit).reveal()
            for each in (rows[:5], rows)
        )
        assert (after >= before).all()
        assert (after - before).sum() <= unit.weight


def test_rows_that_lack_a_value_are_in_no_pair_and_no_distribution() -> None:
    release = measure(Pairplot(COLUMNS), budget=sf.Budget(500, weak=True))
    table = make_table().to_pandas()
    whole = len(table.dropna())
    assert release.estimates[0].total == pytest.approx(whole, abs=5)
    for counts in release.counts.values():
        assert counts.sum() == pytest.approx(whole, abs=60)


@pytest.mark.parametrize("hue", [None, "g"])
def test_intervals_of_distributions_hold_the_binned_counts(hue) -> None:
    table = make_table().to_pandas().dropna()
    held = []
    for seed in range(40):
        release = measure(Pairplot(COLUMNS, hue=hue), seed)
        for column, key in zip(COLUMNS, release.axes, strict=True):
            bounds = DOMAIN.bounds(column)
            told = release.distribution(column)
            for number, group in enumerate(release.groups):
                rows = table[table["g"] == group] if group else table
                truth, _ = np.histogram(rows[column].clip(bounds.lower, bounds.upper), key.edges)
                mine = told[number * key.cells : (number + 1) * key.cells]
                held += [
                    row["low"] <= count <= row["high"]
                    for row, count in zip(mine, truth, strict=True)
                ]
    assert 0.93 <= np.mean(held) <= 0.97


def test_the_plan_expects_the_error_that_is_seen() -> None:
    plan = Pairplot(COLUMNS).plan(DOMAIN, ROWS, BUDGET)
    errors = [abs(step) for seed in range(8) for step in measure(Pairplot(COLUMNS), seed, 0).steps]
    assert 0.8 <= plan.expected_error / np.mean(errors) <= 1.25


def test_loose_bounds_cost_little_detail() -> None:
    loose = sf.Domain(a=(-4, 6), b=(-500, 600), c=(-50, 50))
    with seeded(3):
        chart = Pairplot(COLUMNS)
        release = measure_planned(chart, DuckEngine(make_table()), chart.plan(loose, ROWS, BUDGET))
    edges = np.array(release.axes[0].values)
    assert np.count_nonzero((edges > 0) & (edges < 1)) >= 6
    ends = release.figure().panels[0].x.limits
    assert ends is not None
    assert ends[1] - ends[0] < 5


def test_panels_stand_below_the_diagonal_and_share_axes() -> None:
    figure = measure(Pairplot(COLUMNS)).figure()
    places = [panel.place for panel in figure.panels]
    assert places == [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]
    kinds = [type(panel.marks[0]) for panel in figure.panels]
    assert kinds == [Curve, Heat, Curve, Heat, Heat, Curve]
    assert len({panel.x for panel in figure.panels if panel.place[1] == 0}) == 1
    assert not any(panel.y.labelled for panel in figure.panels if panel.place[0] == panel.place[1])
    assert max(max(map(max, panel.marks[0].value)) for panel in figure.panels[1:2]) == 1


def test_groups_are_laid_over_each_other() -> None:
    figure = measure(Pairplot(COLUMNS, hue="g")).figure()
    assert isinstance(figure.panels[1].marks[0], Clouds)
    assert [mark.series for mark in figure.panels[0].marks] == ["x", "y"]
    assert figure.legend == "g"


@pytest.mark.parametrize("columns", [2, 6])
@pytest.mark.parametrize("hue", [None, "g"])
def test_it_is_drawn_in_both_ways_and_survives_a_file(columns, hue, tmp_path) -> None:
    table = make_table(400)
    names = [f"column {number}" for number in range(columns)]
    for name in names:
        table = table.append_column(name, table["a"])
    with seeded(2):
        release = sf.pairplot(
            table, columns=names, hue=hue, hue_order=["x", "y"] if hue else None,
            bounds=dict.fromkeys(names, (0, 1)), budget=1,
        )  # fmt: skip
    release.save(tmp_path / "pairs.json")
    again = sf.load(tmp_path / "pairs.json")
    assert again == release
    assert again.figure() == release.figure()
    assert render_picture(release.figure(), "svg")
    (titled,) = build_vega(release.figure())["vconcat"]
    assert len(titled["vconcat"][-1]["concat"]) == columns**2


def test_nothing_is_grey() -> None:
    release = measure(Pairplot(COLUMNS), rows=0)
    heats = [
        mark for panel in release.figure().panels for mark in panel.marks if isinstance(mark, Heat)
    ]
    assert np.mean([heat.muted for heat in heats]) > 0.8


def measure_without(seed: int, rows: int, hue: str | None = "g"):
    """Return pairs of groups of which one is empty, or all are."""
    chart = Pairplot(COLUMNS, hue=hue)
    plan = chart.plan(DOMAIN | {"g": ["x", "y", "empty"]}, ROWS, BUDGET)
    with seeded(seed):
        return measure_planned(chart, DuckEngine(make_table(rows)), plan)


def list_coloured(release: PairplotRelease) -> set[str]:
    """Return the groups of which anything is coloured, on the diagonal or below it."""
    found: set[str] = set()
    for mark in (mark for panel in release.figure().panels for mark in panel.marks):
        if isinstance(mark, Curve) and not np.all(mark.muted):
            found.add(mark.series)
        elif isinstance(mark, Heat) and not np.all(mark.muted):
            found.add("")
        elif isinstance(mark, Clouds):
            pairs = zip(mark.series, mark.value, strict=True)
            found |= {name for name, each in pairs if np.any(each)}
    return found


RARE = 0.05 + 4.9 * (0.05 * 0.95 / 100) ** 0.5
"""More of 100 releases show an empty group at most once in 10⁶ runs, if 5 % may."""


@pytest.mark.parametrize(("rows", "hue"), [(0, None), (0, "g"), (3000, "g")])
def test_empty_groups_are_coloured_no_more_often_than_stated(rows, hue) -> None:
    people = {"x", "y"} if rows else set[str]()
    shown = [list_coloured(measure_without(seed, rows, hue)) for seed in range(100)]
    assert all(people <= each for each in shown)
    assert np.mean([bool(each - people) for each in shown]) <= RARE


def test_a_rule_for_each_place_alone_would_colour_empty_groups(monkeypatch) -> None:
    releases = [measure_without(seed, 3000) for seed in range(20)]
    monkeypatch.setattr(PairplotRelease, "present", (True,) * 3)
    assert np.mean(["empty" in list_coloured(each) for each in releases]) > RARE


def test_an_empty_group_is_named_and_keeps_its_colour() -> None:
    release = measure_without(3, 3000)
    figure = release.figure()
    assert release.present == (True, True, False)
    assert figure.notes[0] == "Too few rows to show: empty."
    assert list_series(figure) == ["x", "y", "empty"]
    assert render_picture(figure, "svg") and build_vega(figure)


def test_dates_and_whole_numbers_have_bins_between_values() -> None:
    day = [date(2026, 1, 1) + timedelta(days=number % 300) for number in range(500)]
    table = pa.table({"day": day, "rooms": [number % 4 for number in range(500)]})
    with seeded(4):
        release = sf.pairplot(
            table, columns=["day", "rooms"], bounds={"day": (date(2026, 1, 1), date(2027, 1, 1)),
            "rooms": range(4)}, budget=5,
        )  # fmt: skip
    assert release.axes[1].values == (-0.5, 0.5, 1.5, 2.5, 3.5)
    assert all(edge % 86_400_000_000 == 0 for edge in release.axes[0].values)
    assert release.figure().panels[0].x.kind == "time"
    assert (
        make_bins("n", Bounds(0, 9, step=1), [0] * 5, choose_levels(100, 0.1), 4).values[0] == -0.5
    )


def test_records_tell_every_cell_and_sum_up() -> None:
    release = measure(Pairplot(COLUMNS, hue="g"))
    records = release.records()
    assert len(records) == len(release.steps)
    assert {record["g"] for record in records} == {"x", "y"}
    mine = [
        row["count"] for row in records if row["g"] == "x" and (row["x"], row["y"]) == ("a", "b")
    ]
    assert sum(mine) == pytest.approx(release.estimates[0].total)


@pytest.mark.parametrize("hue", [None, "g"])
def test_the_same_columns_in_another_order_are_free_and_hold_the_same_numbers(hue) -> None:
    session = sf.Session(make_table(400), domain=DOMAIN, budget=sf.Budget(3))
    first = session.pairplot(columns=["a", "b", "c"], hue=hue, budget=1)
    spent = session.ledger.spent
    other = session.pairplot(columns=["c", "a", "b"], hue=hue, budget=1)
    assert session.ledger.spent == spent
    assert other.columns == ("c", "a", "b")
    assert np.array_equal(other.counts[0, 2], first.counts[1, 2].swapaxes(1, 2))
    assert np.array_equal(other.counts[1, 2], first.counts[0, 1])
    told = [[row["count"] for row in each.distribution("c")] for each in (other, first)]
    assert told[0] == pytest.approx(told[1])
    assert session.pairplot(columns=["a", "b", "c"], hue=hue, budget=1) == first
    assert [panel.x.label for panel in other.figure().panels[-3:]] == ["c", "a", "b"]


def test_other_columns_or_groups_are_charged() -> None:
    session = sf.Session(make_table(400), domain=DOMAIN, budget=sf.Budget(4))
    session.pairplot(columns=["a", "b"], budget=1)
    for asked in ({"columns": ["a", "c"]}, {"columns": ["b", "a"], "hue": "g"}):
        spent = session.ledger.spent
        session.pairplot(**asked, budget=1)
        assert session.ledger.spent != spent


@pytest.mark.parametrize("hue", [None, "g"])
def test_no_number_lies_outside_its_own_interval(hue) -> None:
    for seed in range(4):
        release = measure(Pairplot(COLUMNS, hue=hue), seed, 400)
        told = [
            *release.records(),
            *(row for name in COLUMNS for row in release.distribution(name)),
        ]
        assert all(row["low"] <= row["count"] <= row["high"] for row in told)
        curves = [mark for panel in release.figure().panels for mark in panel.marks
                  if isinstance(mark, Curve)]  # fmt: skip
        for curve in curves:
            y = curve.y
            assert all(a <= b <= c for a, b, c in zip(y.low, y.value, y.high, strict=True))


def test_some_estimates_lie_outside_the_interval_of_one_measurement() -> None:
    release = measure(Pairplot(COLUMNS), 1, 400)
    (told,), reach = release.estimates, release.noise.radius(LEVEL)
    apart = [np.abs(told.pairs[pair] - told.seen[pair]).ravel() > reach for pair in release.pairs]
    assert 0 < np.mean(np.concatenate(apart)) < 0.1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"columns": ["a"]}, "2 to 8"),
        ({"columns": ["a", "a"]}, "different"),
        ({"columns": list("abcdefghi")}, "2 to 8"),
        ({"columns": ["a", "g"], "hue": "g"}, "without that of hue"),
        ({"columns": COLUMNS, "hue_order": ["x"]}, "needs a hue"),
    ],
)
def test_what_makes_no_pair_plot_is_refused(asked, said) -> None:
    with pytest.raises(DomainError, match=said):
        Pairplot(**asked)


def test_more_groups_than_an_answer_has_room_for_are_refused_before_the_charge() -> None:
    domain = DOMAIN | {"g": [str(each) for each in range(12_000)]}
    session = sf.Session(make_table(100_000), domain=domain, budget=sf.Budget(5))
    with pytest.raises(DomainError, match="too many to show"):
        session.pairplot(columns=COLUMNS, hue="g", budget=5)
    assert not session.ledger.entries


def find_largest_jump(ages: np.ndarray, edges: list[float] | tuple[float, ...]) -> float:
    """Return by how much the densities of two neighbouring bins differ at most, as a ratio."""
    inner = [edge for edge in edges if 22 < edge < 68]
    dense = (np.histogram(ages, inner)[0] + 1) / np.diff(inner)
    return float(np.exp(np.abs(np.diff(np.log(dense))).max()))


@pytest.mark.parametrize("bins", [24, 36, 48])
def test_whole_numbers_have_no_peaks_made_by_where_bins_lie(bins) -> None:
    ages = np.rint(np.random.default_rng(9).normal(45, 20, 400_000))
    ages = ages[(ages >= 0) & (ages <= 104)]
    levels = choose_levels(1e5, 0.05)
    quantiles = [
        float(value) + 0.013 for value in np.quantile(ages, np.array(levels, dtype=np.float64))
    ]
    found = make_bins("age", Bounds(0, 104), quantiles, levels, bins).values
    assert all((edge - 0.5).is_integer() for edge in found)
    assert find_largest_jump(ages, found) < 1.3
    old = place_edges((0, 104), quantiles, levels, bins)
    assert find_largest_jump(ages, old) > 1.4


@pytest.mark.parametrize(
    "bounds", [Bounds(0, 1), Bounds(-4, 4), Bounds(0.5, 90), Bounds(0, 90, duration="days")]
)
def test_bins_are_left_alone_where_values_are_finer_or_bounds_are_not_whole(bounds) -> None:
    levels = choose_levels(1e5, 0.05)
    quantiles = [bounds.lower + bounds.width * part for part in (0.2, 0.3, 0.4, 0.5, 0.6)]
    placed = place_edges((bounds.lower, bounds.upper), quantiles, levels, 32)
    assert make_bins("a", bounds, quantiles, levels, 32).values == tuple(placed)


WIDE = (
    Bounds(0, 1),
    Bounds(-8e307, 8e307),
    Bounds(2.0**53, 2.0**53 + 2**17),
    Bounds(0, 30, step=1),
    Bounds(0, 120),
    Bounds(-(2**43), 2**43 + 3),
    Bounds(LAST_MOMENT - 1e7, LAST_MOMENT, step=1e6, time=True),
)


@pytest.mark.parametrize("bounds", WIDE, ids=repr)
def test_whatever_is_found_has_edges_that_rise_and_no_more_than_there_is_room_for(bounds) -> None:
    chance = np.random.default_rng(2)
    for _ in range(300):
        near = chance.integers(0, 4096) + chance.integers(-3, 4, 5)
        cells = np.sort(np.clip(near, 0, 4095) if chance.random() < 0.5 else chance.choice(4096, 5))
        found = (bounds.lower + (cells + 0.5) * (bounds.width / 4096)).tolist()
        levels = choose_levels(10.0 ** chance.integers(0, 9), 0.1)
        edges = make_bins("a", bounds, found, levels, int(chance.integers(4, 49)))
        assert 1 <= edges.cells <= MOST_BINS
        assert edges.values[0] <= bounds.lower < bounds.upper <= edges.values[-1]


def test_categories_and_limits_on_rows_are_refused_before_the_charge() -> None:
    session = sf.Session(make_table(50), domain=DOMAIN, budget=sf.Budget(1))
    with pytest.raises(DomainError, match="has categories"):
        session.pairplot(columns=["a", "g"], budget=1)
    assert session.ledger.remaining.epsilon == 1
    with pytest.raises(DomainError, match="total weight of 1"):
        Pairplot(COLUMNS).plan(DOMAIN, sf.PrivacyUnit.users("who", max_rows=3), BUDGET)


def test_a_search_that_finds_no_group_is_drawn_and_says_so() -> None:
    hue = Pairplot(COLUMNS, hue="g", hue_order=sf.private(delta=1e-7))
    release = measure(hue, rows=3, budget=sf.Budget(0.5, 1e-6))
    assert release.groups == ()
    figure = release.figure()
    assert figure.panels == ()
    assert figure.notes
    assert release.records() == []
