"""Quantiles on their own: what they cost, where they lie, and what is promised of them."""

import re
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from charts.spending import fills, part_spent
from sfumato.charts.chart import find_budget
from sfumato.charts.quantiles import MOST_QUANTILES, Quantiles
from sfumato.domain import Bounds, Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import BudgetError, DomainError
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.joint import MOST_LEVELS
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import private
from sfumato.releases.quantiles import METHODS
from sfumato.testing import measure_planned, metered, seeded

ROWS = PrivacyUnit.rows()
UNITS = [ROWS, PrivacyUnit.users("person", max_rows=5), PrivacyUnit.users("person")]
DOMAIN = Domain(wait=(0, 240), pay=(0, 10), ward=["A", "B", "C"])
TENTHS = tuple(tenth / 10 for tenth in range(1, 10))


def _table(rows=4000):
    generator = np.random.default_rng(5)
    day = datetime(2026, 1, 1)
    return pa.table(
        {
            "wait": generator.uniform(0, 200, rows),
            "ward": generator.choice(["A", "B", "C"], rows),
            "person": generator.integers(0, rows // 2, rows),
            "seen": [day + timedelta(hours=hours) for hours in generator.uniform(0, 96, rows)],
        }
    )


TABLE = _table()


def measured(chart, budget=20.0, unit=ROWS, table=TABLE, domain=DOMAIN):
    plan = chart.plan(domain, unit, Budget(budget, weak=True))
    with seeded(3):
        return measure_planned(chart, DuckEngine(table), plan)


@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_levels(method, unit):
    levels = (0.1, 0.4, 0.9)
    release = measured(Quantiles("wait", levels, method=method), unit=unit)
    assert release.quantiles[0] == pytest.approx([20, 80, 180], abs=6)
    assert release.levels == levels and release.method == method


@pytest.mark.parametrize("levels", [TENTHS, 0.5, np.float32(0.5), np.array(TENTHS), [0.01, 0.99]])
def test_levels_are_one_number_or_a_list(levels):
    release = measured(Quantiles("wait", levels))
    assert release.quantiles[0] == pytest.approx(200 * np.atleast_1d(levels), abs=6)


def test_the_number_of_levels_decides_how_they_are_chosen():
    few, many = TENTHS[:MOST_LEVELS], TENTHS[: MOST_LEVELS + 1]
    assert Quantiles("wait", few).chosen_method == "joint"
    assert Quantiles("wait", many).chosen_method == "approx"


@pytest.mark.parametrize("method", METHODS)
def test_groups_come_in_the_order_asked_for_and_are_charged_once(method):
    chart = Quantiles("wait", 0.5, hue="ward", hue_order=["C", "A"], method=method)
    plan = chart.plan(DOMAIN, ROWS, Budget(0.7))
    assert plan.cost.epsilon == Fraction(7, 10)
    release = measure_planned(chart, DuckEngine(TABLE), plan)
    assert release.private and release.cost == plan.cost
    assert [record["ward"] for record in release.records()] == ["C", "A"]
    assert plan.label == "quantiles of wait by ward"


@pytest.mark.parametrize("method", METHODS)
def test_a_delta_buys_a_choice_priced_by_the_range_of_its_losses(method):
    budget = Budget(0.5, 1e-6)
    plan = Quantiles("wait", method=method).plan(DOMAIN, ROWS, budget)
    assert fills(plan.cost, budget)
    one, times = (Cost.pure, 3) if method == "unbounded" else (Cost.exponential, 1)
    chosen = sum([one(plan.chooser.epsilon)] * times, Cost.nothing())
    assert chosen + plan.counting.cost == plan.cost
    assert float(part_spent(chosen, budget)) == pytest.approx(0.77, abs=1e-3)
    release = measure_planned(Quantiles("wait", method=method), DuckEngine(TABLE), plan)
    assert release.guarantee.delta == 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_whole_numbers_have_whole_quantiles(method):
    table = pa.table({"wait": np.random.default_rng(1).poisson(30, 2000).astype(float)})
    release = measured(Quantiles("wait", step=1, method=method), table=table)
    assert release.quantiles[0].tolist() == pytest.approx([26, 30, 34], abs=1)
    assert (release.quantiles % 1 == 0).all() and release.step == 1


def test_dates_have_quantiles_too():
    domain = Domain(seen=(date(2026, 1, 1), date(2026, 1, 5)))
    (record,) = measured(Quantiles("seen", 0.5), domain=domain).records()
    assert abs(record["quantile"] - datetime(2026, 1, 3, tzinfo=UTC)) < timedelta(hours=3)


@pytest.mark.parametrize("method", METHODS)
def test_bounds_and_groups_that_nobody_declared_are_searched_for(method):
    chart = Quantiles(
        "wait",
        hue="ward",
        hue_order=private(share=0.2, delta=1e-6),
        bounds=private(share=0.1),
        method=method,
    )
    plan = chart.plan(Domain(), ROWS, Budget(3))
    assert plan.cost.epsilon == 3 and plan.cost.delta == Fraction(1, 10**6)
    with seeded(3):
        release = measure_planned(chart, DuckEngine(TABLE), plan)
    assert release.found == ("ward", "wait")
    assert release.by.categories.values == ("A", "B", "C")
    assert release.quantiles[:, 1] == pytest.approx([100] * 3, abs=12)


@pytest.mark.parametrize("method", METHODS)
def test_a_search_that_finds_no_group_is_an_answer(method):
    chart = Quantiles("wait", hue="ward", hue_order=private(delta=1e-9), method=method)
    release = measured(chart, 1.0, table=TABLE.slice(0, 3))
    assert release.quantiles.shape == (0, 3) and release.records() == []
    assert release.figure() is not None


@pytest.mark.parametrize("method", METHODS)
def test_where_rows_are_replaced_their_number_is_public(method):
    rows = TABLE.num_rows
    chart = Quantiles("wait", method=method, neighbours="replace", n=rows)
    release = measured(chart)
    assert release.quantiles[0] == pytest.approx([50, 100, 150], abs=6)
    assert release.guarantee.size == rows
    assert release.guarantee.neighbours == f"replace one row of {rows}"
    assert "their number is public" in str(release.guarantee)
    assert "their number is public" in release.caption()


@pytest.mark.parametrize("method", METHODS)
def test_a_number_of_rows_that_is_not_the_tables_changes_no_error(method):
    for number in (1, 3, 10**6):
        release = measured(Quantiles("wait", method=method, neighbours="replace", n=number), 1.0)
        assert all(0 <= cell < release.value.cells for cell in release.cells)


MISTAKES = [
    (lambda: Quantiles("wait", []), "rising"),
    (lambda: Quantiles("wait", 0), "rising"),
    (lambda: Quantiles("wait", 1), "rising"),
    (lambda: Quantiles("wait", 1.5), "rising"),
    (lambda: Quantiles("wait", -0.5), "rising"),
    (lambda: Quantiles("wait", float("nan")), "rising"),
    (lambda: Quantiles("wait", [0.5, 0.5]), "rising"),
    (lambda: Quantiles("wait", [0.9, 0.1]), "rising"),
    (lambda: Quantiles("wait", [0.1, float("nan"), 0.9]), "rising"),
    (lambda: Quantiles("wait", "0.5"), "rising"),
    (lambda: Quantiles("wait", ["low", 0.5]), "rising"),
    (lambda: Quantiles("wait", None), "rising"),
    (lambda: Quantiles("wait", {0.5}), "rising"),
    (lambda: Quantiles("wait", [[0.5]]), "rising"),
    (lambda: Quantiles("wait", True), "rising"),
    (lambda: Quantiles("wait", np.linspace(0.0001, 0.9999, MOST_QUANTILES + 1)), "1000 levels"),
    (lambda: Quantiles("wait", TENTHS, method="joint"), "too many"),
    (lambda: Quantiles("wait", TENTHS, method="jointexp"), "too many"),
    (lambda: Quantiles("wait", method="smooth"), "is not known"),
    (lambda: Quantiles("wait", hue="wait"), "another column"),
    (lambda: Quantiles("wait", hue_order=["A"]), "another column"),
    (lambda: Quantiles("wait", hue_order=private(delta=1e-6)), "another column"),
    (lambda: Quantiles("wait", hue="job"), "public categories"),
    (lambda: Quantiles("wait", hue="ward", hue_order=["Z"]), "not a declared category"),
    (lambda: Quantiles("ward"), "'ward' needs public bounds"),
    (lambda: Quantiles("height"), "'height' needs public bounds"),
    (lambda: Quantiles("wait", bounds=(0, 1)), "private search, and nothing else"),
    (lambda: Quantiles("wait", step=0), "above 0"),
    (lambda: Quantiles("wait", step=1e-9), "larger step"),
    (lambda: Quantiles("wait", hue="ward", step=1e-5), "larger step"),
    (lambda: Quantiles("wait", neighbours="bounded"), "is not known"),
    (lambda: Quantiles("wait", neighbours="replace"), "belong together"),
    (lambda: Quantiles("wait", n=4000), "belong together"),
    (lambda: Quantiles("wait", neighbours="replace", n=4000, hue="ward"), "without groups"),
    (lambda: Quantiles("wait", neighbours="replace", n=9, bounds=private()), "without groups"),
    (lambda: Quantiles("wait", neighbours="replace", n=2**40), "at most"),
    (lambda: Quantiles("wait", neighbours="replace", n=0), "from 1 up"),
    (lambda: Quantiles("wait", neighbours="replace", n=2.5), "from 1 up"),
    (lambda: Quantiles("wait", neighbours="replace", n="many"), "from 1 up"),
]  # fmt: skip


@pytest.mark.parametrize(("chart", "why"), MISTAKES)
def test_what_makes_no_sense_is_refused_by_the_plan(chart, why):
    with pytest.raises(DomainError, match=why) as refusal:
        chart().plan(DOMAIN, ROWS, Budget(1))
    assert len(re.findall(r"[.:](?:\s|$)", str(refusal.value))) >= 3


@pytest.mark.parametrize("unit", UNITS[1:], ids=str)
def test_a_public_number_of_rows_is_refused_where_people_are_protected(unit):
    with pytest.raises(DomainError, match="protect rows"):
        Quantiles("wait", neighbours="replace", n=9).plan(DOMAIN, unit, Budget(1))


@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_a_price_is_refused_by_the_plan_or_can_be_measured_with(method, unit):
    """Nothing is refused after the charge, not even where a level has a long denominator."""
    chart = Quantiles("wait", [1e-9, 0.123456789, 1 / 3, 1 - 1e-9], hue="ward", method=method)
    grid, refused = Grid("wait", Bounds(0, 240), 64), 0
    exact = Exact(unit.weight, unit.weight**2, unit.step, np.ones((3, 64), dtype=np.int64))
    for epsilon in (1.0, 1e-2, 1e-3, 1e-4, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 1e-17):
        for budget in (Budget(epsilon), Budget(epsilon, 1e-9)):
            try:
                plan = chart.plan(DOMAIN, unit, budget)
            except BudgetError:
                refused += 1
                continue
            with seeded(1):
                assert metered(plan.chooser.choose, exact, grid).cost.within(plan.cost)
    assert 0 < refused < 20


def test_many_groups_and_levels_of_people_who_share_their_weight_are_refused_at_once():
    levels, groups = np.arange(1, 1000) / 1000, [*map(str, range(1000))]
    chart = Quantiles("wait", levels, hue="ward")
    with pytest.raises(BudgetError, match="rounding"):
        chart.plan(Domain(wait=(0, 240), ward=groups), UNITS[2], Budget(1))
    assert chart.plan(Domain(wait=(0, 240), ward=groups), ROWS, Budget(1)).cost.epsilon == 1


@pytest.mark.parametrize("method", METHODS)
def test_the_expected_error_falls_with_the_price_and_can_be_asked_for(method):
    chart = Quantiles("wait", method=method)
    errors = [chart.plan(DOMAIN, ROWS, Budget(e)).expected_error for e in (0.1, 0.5, 1, 4)]
    assert errors == sorted(errors, reverse=True)
    budget = find_budget(chart, DOMAIN, ROWS, error=5)
    assert chart.plan(DOMAIN, ROWS, budget).expected_error <= 5
    assert chart.plan(DOMAIN, ROWS, Budget(budget.epsilon * 0.998)).expected_error > 5


CELLS, GROUPS = 2**12, 200


def worst_error(chart, unit, **size):
    counts = np.random.default_rng(2).poisson(6, CELLS).astype(np.int64)
    # Walks err by more where their rungs lie further apart than noise reaches.
    budget = Budget(0.14 * min(unit.weight, 5) if chart.method == "unbounded" else 0.65)
    plan = chart.plan(Domain(y=(0, 1)), unit, budget)
    rows = np.tile(counts * round(1 / unit.step), (1 if size else GROUPS, 1))
    exact = Exact(unit.weight, unit.weight**2, unit.step, rows)
    grid = Grid("y", Bounds(0, 1), CELLS)
    with seeded(8):
        draws = [
            metered(plan.chooser.choose, exact, grid).values for _ in range(GROUPS if size else 1)
        ]
    cells = np.concatenate(draws)
    ranks = np.cumsum(counts)[cells] - counts[cells] / 2
    errors = np.abs(ranks - counts.sum() * np.array(chart.levels)).mean(axis=0)
    return plan.expected_error, errors.max()


@pytest.mark.parametrize("unit", UNITS[:2], ids=str)
@pytest.mark.parametrize(
    "levels",
    [(0.5,), (0.25, 0.5, 0.75), pytest.param((0.1, 0.2, 0.5, 0.9), marks=pytest.mark.slow)],
    ids=str,
)
@pytest.mark.parametrize("method", METHODS)
def test_the_expected_error_is_about_that_of_the_worst_level(method, levels, unit):
    expected, observed = worst_error(Quantiles("y", levels, method=method), unit)
    assert 0.7 < expected / observed < 1.45


@pytest.mark.parametrize("method", METHODS)
def test_the_expected_error_is_about_right_where_rows_are_replaced(method):
    rows = int(np.random.default_rng(2).poisson(6, CELLS).sum())
    chart = Quantiles("y", method=method, neighbours="replace", n=rows)
    expected, observed = worst_error(chart, ROWS, size=rows)
    assert 0.7 < expected / observed < 1.45


def test_the_table_is_asked_once():
    asked = Counter()

    class Counting(DuckEngine):
        def counts(self, keys, unit):
            asked["counts"] += 1
            return super().counts(keys, unit)

    chart = Quantiles("wait", TENTHS, hue="ward")
    measure_planned(chart, Counting(TABLE), chart.plan(DOMAIN, ROWS, Budget(1)))
    assert asked == {"counts": 1}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "values", [[], [5.0], [None] * 9, [float("nan")] * 9, [float("inf")] * 9, [7.0] * 900], ids=str
)
def test_odd_tables_have_quantiles_within_the_bounds(values, method):
    table = pa.table({"wait": pa.array(values, pa.float64())})
    release = measured(Quantiles("wait", method=method), 1.0, table=table)
    told = release.quantiles[~np.isnan(release.quantiles)]
    assert release.quantiles.shape == (1, 3)
    assert len(told) == (3 if len(values) == 900 else 0)
    assert (np.diff(told) >= 0).all() and (told >= 0).all() and (told <= 240).all()


def test_quantiles_of_moved_and_stretched_data_are_moved_and_stretched():
    values = np.round(np.array(TABLE["wait"]) * 8) / 8
    one, two = (
        measured(Quantiles("wait", TENTHS), 1.0, table=pa.table({"wait": data}), domain=domain)
        for data, domain in (
            (values, Domain(wait=(0, 240))),
            (3 * values + 40, Domain(wait=(40, 760))),
        )
    )
    assert two.quantiles == pytest.approx(3 * one.quantiles + 40, rel=1e-12)
    assert two.low == pytest.approx(3 * np.array(one.low) + 40, rel=1e-12)
    assert one.cells == two.cells


def test_a_plan_reads_like_a_price_tag():
    text = str(Quantiles("wait").plan(DOMAIN, ROWS, Budget(0.5)))
    for part in ("quantiles of wait", "ε = 0.5", "joint", "about 5.19 ranks", "smallest group"):
        assert part in text
