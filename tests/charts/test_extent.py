"""Private bounds: always an answer, wide enough for a box and its whiskers, and not much wider."""

from __future__ import annotations

from collections import Counter
from datetime import date
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from charts.spending import fills, own_rule, part_spent
from sfumato.charts import values as extent
from sfumato.charts.allocation import Allocation
from sfumato.charts.boxplot.chart import Boxplot
from sfumato.charts.quantiles import Quantiles
from sfumato.charts.values import MARGIN, BoundsSearch
from sfumato.domain import Bounds, Domain
from sfumato.engines.cells import edges_cells
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.engine import Schema
from sfumato.errors import BudgetError, DomainError, SourceError
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.threshold import extremes
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import LIMIT, private
from sfumato.testing import ample_meter, metered, seeded

ROWS = PrivacyUnit.rows()
UNITS = [ROWS, PrivacyUnit.users("person", max_rows=2), PrivacyUnit.users("person")]
SHAPES = {
    "normal": lambda g, n: g.normal(size=n),
    "lognormal": lambda g, n: g.lognormal(size=n),
    "prices": lambda g, n: np.round(g.lognormal(4.7, 0.7, n)),
    "tiny": lambda g, n: g.normal(0, 1e-3, n),
    "large": lambda g, n: g.normal(1e9, 1e9, n),
    "far from zero": lambda g, n: g.normal(-74, 1, n),
    "mostly zeros": lambda g, n: np.where(g.random(n) < 0.6, 0, g.exponential(20, n)),
}


class Column:
    """An engine of one column of rows, without the time that a table takes."""

    def __init__(self, values):
        self.values = values

    def counts(self, keys, unit):
        (key,) = keys
        cells = np.bincount(edges_cells(self.values, key), minlength=key.cells)
        return Exact(1, 1, 1.0, cells.astype(np.int64))


def planned(unit=ROWS, budget=1.0, **request):
    request = {"share": 0.1} | request
    return BoundsSearch.plan("y", unit, private(**request), Allocation.of(Budget.of(budget)))


@pytest.mark.parametrize("size", [1000, 100_000])
@pytest.mark.parametrize("shape", SHAPES)
def test_box_and_whiskers_lie_within_the_bounds_and_fill_part_of_them(shape, size):
    """With a tenth of ε = 1."""
    generator, search = np.random.default_rng(8), planned()
    inside, widths = [], []
    with seeded(8):
        for _ in range(40):
            values = SHAPES[shape](generator, size)
            bounds = search.run(Column(values), ample_meter().__enter__()).bounds
            first, third = np.quantile(values, [0.25, 0.75])
            fences = first - 1.5 * (third - first), third + 1.5 * (third - first)
            whiskers = values[(values >= fences[0]) & (values <= fences[1])]
            inside.append(bounds.lower <= whiskers.min() and whiskers.max() <= bounds.upper)
            widths.append(bounds.width / (third - first))
    assert np.mean(inside) > 0.95
    assert np.median(widths) < 80


@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_bounds_are_found_for_every_unit(unit):
    generator = np.random.default_rng(1)
    values = generator.normal(50, 10, 4000)
    table = pa.table({"y": values, "person": generator.integers(0, 2000, 4000)})
    with ample_meter() as meter:
        found = planned(unit).run(DuckEngine(table), meter)
    assert Bounds(-LIMIT, LIMIT) != found.bounds
    assert found.bounds.lower < 30 < 70 < found.bounds.upper < 2**20


@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("budget", [Budget(0.3), Budget(0.3, 1e-6)], ids=str)
def test_a_search_spends_its_share_and_no_more(unit, budget):
    search = planned(unit, budget, share=0.2)
    if budget.pure:
        assert search.cost == Cost.pure(Fraction(6, 100))
    else:
        assert (
            Fraction("0.2") - Fraction(1, 10**8)
            < part_spent(search.cost, budget)
            <= Fraction("0.2")
        )
    table = pa.table({"y": [1.0, 2.0], "person": [1, 2]})
    with Meter(search.cost, order=own_rule(Budget(1, 1e-6)).order) as meter:
        search.run(DuckEngine(table), meter)
    spent = meter.spent
    assert spent.within(search.cost)
    assert spent.epsilon > search.cost.epsilon * (1 - Fraction(1, 2**50))


@pytest.mark.parametrize("within", [None, (0, 1e6), (-5, -4), (1e9, 1.01e9)], ids=str)
@pytest.mark.parametrize(
    "values",
    [[], [0.0] * 900, [7.0] * 900, [3.0], [np.nan] * 900, [np.inf, -np.inf] * 900, [1e300] * 900,
     [5e-324, -5e-324] * 900, [-0.0] * 900],
    ids=str,
)  # fmt: skip
def test_every_table_has_an_answer_that_a_grid_can_divide(values, within):
    search = planned(within=within)
    engine = Column(np.array(values, dtype=np.float64))
    engine.values = engine.values[~np.isnan(engine.values)]
    with seeded(4), ample_meter() as meter:
        for _ in range(5):
            bounds = search.run(engine, meter).bounds
            assert search.key.bounds.lower <= bounds.lower < bounds.upper
            assert bounds.upper <= search.key.bounds.upper
            assert Grid("y", bounds, 2**20).cells == 2**20


@pytest.mark.parametrize("within", [None, (0, 1e6), (-3, 1e100), (1e-100, 1e100), (1, 1.000001)])
def test_no_pair_of_ends_is_too_narrow_or_too_wide_for_a_grid(within):
    search = planned(within=within)
    for lower in range(0, search.key.cells, 3):
        for upper in {lower, lower + 1, search.key.cells - 1} & set(range(search.key.cells)):
            assert Grid("y", search.widen(lower, upper), 2**20).cells == 2**20


def test_the_fences_of_any_box_within_what_was_found_are_within_the_bounds():
    search = planned(within=(-1e6, 1e6))
    edges = search.key.values
    for lower, upper in [(3, 5), (0, 1), (7, 7), (40, search.key.cells - 2)]:
        first, third = edges[lower], edges[upper + 1]
        bounds = search.widen(lower, upper)
        assert bounds.lower == max(first - MARGIN * (third - first), -1e6)
        assert bounds.upper == min(third + MARGIN * (third - first), 1e6)


def test_where_nothing_is_found_nothing_is_cut_off():
    for search, values in ((planned(), np.zeros(0)), (planned(within=(0, 9)), np.full(3, 5.0))):
        nothing = search.run(Column(values), ample_meter().__enter__())
        assert nothing.bounds == search.key.bounds
        assert not nothing.found and nothing.cut == (False, False)


def test_a_search_tells_where_its_own_bounds_and_not_the_public_limits_cut():
    values = np.random.default_rng(1).normal(size=999)
    with seeded(1), ample_meter() as meter:
        inside = planned(within=(-1e6, 1e6)).run(Column(values), meter)
        from_zero = planned(within=(0, 1e6)).run(Column(np.linspace(0, 5, 999)), meter)
    assert inside.found and inside.cut == (True, True)
    assert from_zero.found and from_zero.cut == (False, True)


@pytest.mark.parametrize("epsilon", [0.25, 1.0])
def test_a_search_holds_the_quartiles_from_as_many_rows_as_its_plan_states(epsilon):
    search = planned(budget=epsilon, share=None)
    enough, third = (_held(search, part * search.succeeds_from) for part in (1.0, 0.33))
    assert enough > 0.95
    assert third < 0.7


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_a_search_takes_what_it_needs_to_succeed_wherever_quartiles_can_be_shown(unit, epsilon):
    plan = Quantiles("y", bounds=private()).plan(Domain(), unit, Budget(epsilon))
    assert plan.values.bounds.succeeds_from < plan.smallest_group
    least = Quantiles("y", bounds=private(share=0.1)).plan(Domain(), unit, Budget(epsilon))
    assert least.values.bounds.succeeds_from > 1.5 * least.smallest_group


@pytest.mark.parametrize("budget", [Budget(1, 1e-5), Budget(0.3, 1e-5), Budget(5, 1e-5)], ids=str)
def test_searches_for_bounds_and_groups_leave_the_rest_and_no_more(budget):
    groups = private(delta=5e-6)
    for chart in (
        Quantiles("y", hue="g", hue_order=groups, bounds=private()),
        Boxplot(y="y", x="g", order=groups, bounds=private()),
    ):
        cost = chart.plan(Domain(), ROWS, budget).cost
        assert fills(cost, budget)
        assert cost.delta <= Fraction("1e-5")


def test_noise_is_taken_for_data_in_one_of_a_thousand_searches():
    assert _early(planned()) <= 40


def test_a_search_that_stops_sooner_would_take_noise_for_data(monkeypatch):
    """The twin: were one early stop in ten allowed, the count above would notice."""
    monkeypatch.setattr(extent, "_EARLY", 0.1)
    assert _early(planned()) > 400


@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_about_as_many_as_planned_lie_beyond_what_was_found(unit):
    """People with one row each, evenly spread; before the widening."""
    search = planned(unit)
    values = np.exp(np.linspace(-8, 8, 3000))
    table = pa.table({"y": values, "person": np.arange(3000)})
    exact = DuckEngine(table).counts([search.key], unit)
    with seeded(6):
        upper = [
            metered(
                extremes,
                exact,
                ladder=np.arange(search.key.cells),
                least=search.least,
                epsilon=search.epsilon,
            ).values[0, 1]
            for _ in range(30)
        ]
    beyond = np.mean([(values >= search.key.values[cell]).sum() for cell in upper])
    assert 0.8 < beyond / search.beyond < 1.6


def test_the_answer_lies_on_public_marks():
    search = planned(within=(-100, 100))
    public = {search.widen(a, b) for b in range(search.key.cells) for a in range(b + 1)}
    with seeded(1):
        for seed in range(20):
            values = np.random.default_rng(seed).normal(3, 4, 800)
            assert search.run(Column(values), ample_meter().__enter__()).bounds in public


def test_simulated_bounds_are_not_private():
    with seeded(1), ample_meter() as meter:
        planned().run(Column(np.zeros(9)), meter)
    assert not meter.private


def test_the_table_is_asked_once():
    asked = Counter()

    class Counting(DuckEngine):
        def counts(self, keys, unit):
            asked["counts"] += 1
            return super().counts(keys, unit)

    planned().run(Counting(pa.table({"y": [1.0]})), ample_meter().__enter__())
    assert asked == {"counts": 1}


def test_dates_are_refused_with_what_to_type():
    table = pa.table({"y": [date(2026, 1, 1)]})
    with pytest.raises(SourceError, match=r"sf\.private\(within=\(date"):
        planned().check(DuckEngine(table).schema())


@pytest.mark.parametrize(("kind", "why"), [("bytes", "does not hold"), (None, "no column")])
def test_a_table_that_cannot_answer_is_refused(kind, why):
    schema = Schema({"y": kind} if kind else {"x": "number"})
    with pytest.raises(SourceError, match=why):
        planned().check(schema)


@pytest.mark.parametrize("kind", ["number", "text", "flag"])
def test_whatever_reads_as_numbers_is_accepted(kind):
    assert planned().check(Schema({"y": kind}, untyped=frozenset("y"))) is None


def test_text_is_refused_where_a_type_says_that_it_is_meant():
    with pytest.raises(SourceError, match="by its type"):
        planned().check(Schema({"y": "text"}))


def test_a_delta_has_no_use_for_bounds():
    with pytest.raises(DomainError, match="takes no δ"):
        planned(delta=1e-6)


def test_a_share_too_small_for_any_noise_is_refused_by_the_plan():
    with pytest.raises(BudgetError):
        planned(budget=1e-16, share=0.01)


def _held(search, rows):
    """How often the quartiles lie within the bounds of so many rows."""
    generator, held = np.random.default_rng(4), []
    with seeded(4):
        for _ in range(60):
            values = generator.lognormal(3, 1, round(rows))
            bounds = search.run(Column(values), ample_meter().__enter__()).bounds
            first, third = np.quantile(values, [0.25, 0.75])
            held.append(bounds.lower < first and third < bounds.upper < LIMIT)
    return np.mean(held)


def _early(search):
    """How many of 20 000 searches among nothing take noise for data."""
    nothing = Exact(1, 1, 1.0, np.zeros((20_000, search.key.cells), dtype=np.int64))
    rungs = np.arange(search.key.cells)
    with seeded(2):
        chosen = metered(
            extremes, nothing, ladder=rungs, least=search.least, epsilon=search.epsilon
        )
    return int((chosen.values[:, 1] > 0).sum())
