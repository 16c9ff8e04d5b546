"""What a boxplot asks, what it costs, and how wrong it says it will be."""

import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from charts.spending import fills, part_spent
from sfumato.charts.boxplot.chart import Boxplot
from sfumato.charts.chart import find_budget
from sfumato.domain import Bounds, Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import BudgetError, DomainError, OverspentError, SfumatoError
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import private
from sfumato.releases.boxplot import METHODS, NUMBERS
from sfumato.testing import measure_planned, metered, seeded

ROWS = PrivacyUnit.rows()
UNITS = [ROWS, PrivacyUnit.users("person", max_rows=5), PrivacyUnit.users("person")]
DOMAIN = Domain(wait=(0, 240), pay=(0, 10), ward=["A", "B", "C"], sex=["f", "m"])
MEDIANS = {"A": 40, "B": 100, "C": 160}


def _table(rows=3000):
    generator = np.random.default_rng(5)
    ward = generator.choice(list(MEDIANS), rows)
    centre = np.array([MEDIANS[name] for name in ward])
    day = datetime(2026, 1, 1)
    return pa.table(
        {
            "wait": centre + generator.uniform(-20, 20, rows),
            "ward": ward,
            "sex": generator.choice(["f", "m"], rows),
            "person": generator.integers(0, rows // 3, rows),
            "seen": [day + timedelta(hours=hours) for hours in generator.uniform(0, 96, rows)],
        }
    )


TABLE = _table()


def measured(chart, budget=50.0, unit=ROWS, table=TABLE, domain=DOMAIN):
    plan = chart.plan(domain, unit, Budget(budget, weak=True))
    with seeded(9):
        return measure_planned(chart, DuckEngine(table), plan)


def test_every_group_has_its_own_box():
    release = measured(Boxplot(x="ward", y="wait"))
    assert [box.median for box in release.boxes] == pytest.approx([40, 100, 160], abs=3)
    for box, median in zip(release.boxes, MEDIANS.values(), strict=True):
        places = [box.lower_whisker, box.q1, box.median, box.q3, box.upper_whisker]
        assert places == pytest.approx([median + part for part in (-20, -10, 0, 10, 20)], abs=4)
        assert (box.outliers_below, box.outliers_above) == (0, 0)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_quartiles(method):
    boxes = measured(Boxplot("ward", "wait", method=method)).boxes
    found = np.array([[box.q1, box.median, box.q3] for box in boxes])
    middle = np.array(list(MEDIANS.values()))
    assert np.abs(found - np.column_stack([middle - 10, middle, middle + 10])).max() < 4


@pytest.mark.parametrize(
    ("chart", "orient", "value", "label"),
    [
        (Boxplot(x="ward", y="wait"), "v", "wait", "boxplot of wait by ward"),
        (Boxplot(x="wait", y="ward"), "h", "wait", "boxplot of wait by ward"),
        (Boxplot(y="wait"), "v", "wait", "boxplot of wait"),
        (Boxplot(x="wait"), "h", "wait", "boxplot of wait"),
        (Boxplot(y="wait", hue="sex"), "v", "wait", "boxplot of wait by sex"),
        (Boxplot("ward", "wait", "sex"), "v", "wait", "boxplot of wait by ward and sex"),
        (Boxplot("wait", "ward", orient="h"), "h", "wait", "boxplot of wait by ward"),
        (Boxplot("ward", "pay", bounds=private()), "v", "pay", "boxplot of pay by ward"),
        (Boxplot("pay", "ward", bounds=private()), "h", "pay", "boxplot of pay by ward"),
        (Boxplot("height", "ward", bounds=private()), "h", "height", "boxplot of height by ward"),
    ],
    ids=lambda value: value.label if isinstance(value, Boxplot) else None,
)  # fmt: skip
def test_declarations_tell_which_column_has_the_values(chart, orient, value, label):
    plan = chart.plan(DOMAIN, ROWS, Budget(1))
    assert (plan.orient, plan.values.column, plan.label) == (orient, value, label)


def test_boxes_come_in_the_order_asked_for_each_with_its_hues():
    release = measured(Boxplot("ward", "wait", "sex", order=["C", "A"], hue_order=["m", "f"]))
    groups = [(record["ward"], record["sex"]) for record in release.records()]
    assert groups == [("C", "m"), ("C", "f"), ("A", "m"), ("A", "f")]
    assert [box.median for box in release.boxes] == pytest.approx([160, 160, 40, 40], abs=4)
    true = Counter(zip(TABLE["ward"].to_pylist(), TABLE["sex"].to_pylist(), strict=True))
    sizes = [summary.size for summary in release.summaries]
    assert sizes == pytest.approx([true[group] for group in groups], abs=20)


def test_a_record_has_the_seven_numbers_and_their_intervals():
    (record,) = measured(Boxplot(y="wait")).records()
    assert [name for name in record if name in NUMBERS] == list(NUMBERS)
    for name in NUMBERS:
        assert record[f"{name}_low"] <= record[name] <= record[f"{name}_high"]


@pytest.mark.parametrize("method", METHODS)
def test_whiskers_reach_as_far_as_asked(method):
    values = np.concatenate([np.linspace(90, 110, 4000), np.linspace(20, 60, 100)])
    table = pa.table({"wait": values})
    boxes = [
        measured(Boxplot(y="wait", whis=whis, method=method), table=table).boxes[0]
        for whis in (0, 1, 1.5, 100)
    ]
    reach = [box.lower_whisker for box in boxes]
    fences = [
        box.q1 - whis * (box.q3 - box.q1) for box, whis in zip(boxes, (0, 1, 1.5), strict=False)
    ]
    assert reach[0] == pytest.approx(fences[0], abs=1)
    assert reach[3] < 32
    assert boxes[3].outliers_below == 0
    if method in ("fence", "jointexp"):  # the others may call the outliers the end of a tail
        assert reach[1:3] == pytest.approx(fences[1:3], abs=1)
        assert [box.outliers_below for box in boxes[:3]] == pytest.approx([1025, 100, 100], abs=20)


@pytest.mark.parametrize("method", METHODS)
def test_quartiles_of_whole_numbers_are_whole(method):
    table = pa.table({"wait": np.random.default_rng(1).poisson(30, 2000).astype(float)})
    release = measured(Boxplot(y="wait", step=1, method=method), 3.0, table=table)
    quartiles = [release.boxes[0].q1, release.boxes[0].median, release.boxes[0].q3]
    assert quartiles == [round(value) for value in quartiles]
    assert release.step == 1 and release.value.bounds == Bounds(-0.5, 240.5)


def test_dates_have_boxes_too():
    domain = Domain(seen=(date(2026, 1, 1), date(2026, 1, 5)))
    (record,) = measured(Boxplot(y="seen"), domain=domain).records()
    middle = datetime(2026, 1, 3, tzinfo=UTC)
    assert abs(record["median"] - middle) < timedelta(hours=4)
    assert record["q3"] - record["q1"] > timedelta(hours=40)
    assert isinstance(record["outliers_above"], float)


@pytest.mark.parametrize("method", METHODS)
def test_people_who_share_their_weight_count_once(method):
    release = measured(Boxplot(y="wait", method=method), 20.0, UNITS[2])
    people = len(set(TABLE["person"].to_pylist()))
    assert release.summaries[0].size == pytest.approx(people, abs=30)
    assert release.unit_step == 2**-30


@pytest.mark.parametrize("method", METHODS)
def test_people_with_many_rows_count_some_of_them(method):
    unit = PrivacyUnit.users("person", max_rows=2)
    release = measured(Boxplot(y="wait", method=method), 20.0, unit)
    rows = sum(min(2, count) for count in Counter(TABLE["person"].to_pylist()).values())
    assert release.summaries[0].size == pytest.approx(rows, abs=60)


@pytest.mark.parametrize("method", METHODS)
def test_bounds_that_nobody_declared_are_searched_for(method):
    chart = Boxplot("ward", "wait", bounds=private(share=0.2), method=method)
    plan = chart.plan(Domain(ward=["A", "B", "C"]), ROWS, Budget(2))
    with seeded(1):
        release = measure_planned(chart, DuckEngine(TABLE), plan)
    assert plan.cost.epsilon == 2 and plan.values.cost.epsilon == Fraction(4, 10)
    assert release.found == ("wait",)
    assert release.value.bounds.lower < 20 < 180 < release.value.bounds.upper < 3000
    assert [box.median for box in release.boxes] == pytest.approx([40, 100, 160], abs=15)


def test_found_bounds_keep_the_step_where_they_have_room_for_it():
    table = pa.table({"wait": np.random.default_rng(1).poisson(30, 2000).astype(float)})
    release = measured(Boxplot(y="wait", bounds=private(), step=1), table=table)
    assert release.step == 1 and release.boxes[0].median == 30
    wide = measured(Boxplot(y="wait", bounds=private(), step=1e-9), table=table)
    assert wide.step is None and wide.boxes[0].median == pytest.approx(30, abs=1.01)


@pytest.mark.parametrize("method", METHODS)
def test_groups_that_nobody_declared_are_searched_for(method):
    chart = Boxplot("ward", "wait", order=private(share=0.3, delta=1e-6), method=method)
    plan = chart.plan(Domain(wait=(0, 240)), ROWS, Budget(1))
    release = measure_planned(chart, DuckEngine(TABLE), plan)
    assert release.x.categories.values == ("A", "B", "C") and release.found == ("ward",)
    assert plan.cost.epsilon == 1 and plan.cost.delta == Fraction(1, 10**6)
    assert plan.guarantee.delta == 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_a_search_that_finds_no_group_is_an_answer(method):
    chart = Boxplot("ward", "wait", "sex", order=private(delta=1e-9), method=method)
    few = TABLE.slice(0, 3)
    release = measured(chart, 1.0, table=few)
    assert release.summaries == () and release.records() == []
    assert release.figure() is not None and release.caption()


@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_what_is_spent_is_what_was_planned_whatever_the_groups(method, unit):
    chart = Boxplot("ward", "wait", "sex", method=method)
    plan = chart.plan(DOMAIN, unit, Budget(0.8))
    assert plan.cost.epsilon == Fraction(8, 10)
    assert plan.cost == Boxplot(y="wait", method=method).plan(DOMAIN, unit, Budget(0.8)).cost
    release = measure_planned(chart, DuckEngine(TABLE), plan)
    assert release.cost == plan.cost and release.private


@pytest.mark.parametrize("method", METHODS)
def test_a_delta_buys_gaussian_counts_and_exponential_choices_priced_as_such(method):
    budget = Budget(0.8, 1e-6)
    plan = Boxplot(y="wait", method=method).plan(DOMAIN, ROWS, budget)
    assert plan.cost.epsilon is None and plan.cost.delta == 0
    assert fills(plan.cost, budget)
    assert {plan.method.size.kind, plan.method.counts.kind} == {"gaussian"}
    if method == "fence":
        chosen = part_spent(Cost.exponential(plan.method.epsilon), budget)
        assert 0.6999 < chosen <= 0.7
    release = measure_planned(Boxplot(y="wait", method=method), DuckEngine(TABLE), plan)
    assert release.guarantee.delta == 1e-6


def test_charging_a_choice_like_any_other_pure_mechanism_would_be_noticed():
    """The twin: priced as anything with that ε, the same quartiles would not fit."""
    budget = Budget(0.8, 1e-6)
    plan = Boxplot(y="wait").plan(DOMAIN, ROWS, budget)
    counts = Cost.gaussian(plan.cost.unexplained)
    assert fills(counts + Cost.exponential(plan.method.epsilon), budget)
    assert part_spent(counts + Cost.pure(plan.method.epsilon), budget) > 1.2


class Careless(DuckEngine):
    """An engine that forgets how much one unit can move its answer."""

    def counts(self, keys, unit):
        exact = super().counts(keys, unit)
        return Exact(2, 4, exact.step, exact.reveal())


@pytest.mark.parametrize("method", METHODS)
def test_a_release_that_spent_more_than_was_charged_is_withheld(method):
    chart = Boxplot(y="wait", method=method)
    with pytest.raises(OverspentError):
        measure_planned(chart, Careless(TABLE), chart.plan(DOMAIN, ROWS, Budget(1)))


MISTAKES = [
    (Boxplot, "needs x or y"),
    (lambda: Boxplot(hue="sex"), "needs x or y"),
    (lambda: Boxplot("wait", "wait"), "different columns"),
    (lambda: Boxplot("ward", "wait", "ward"), "different columns"),
    (lambda: Boxplot(y="wait", method="violin"), "is not known"),
    (lambda: Boxplot(y="wait", method=None), "is not known"),
    (lambda: Boxplot(y="wait", orient="x"), "is not known"),
    (lambda: Boxplot(y="wait", whis=-0.1), "from 0 up"),
    (lambda: Boxplot(y="wait", whis=float("nan")), "from 0 up"),
    (lambda: Boxplot(y="wait", whis=float("inf")), "from 0 up"),
    (lambda: Boxplot(y="wait", whis=(5, 95)), "from 0 up"),
    (lambda: Boxplot(y="wait", whis="1.5"), "from 0 up"),
    (lambda: Boxplot(y="wait", buffer="much"), "from 0 up"),
    (lambda: Boxplot(y="wait", buffer=-1), "from 0 up"),
    (lambda: Boxplot(y="wait", step=0), "above 0"),
    (lambda: Boxplot(y="wait", step=-1), "above 0"),
    (lambda: Boxplot(y="wait", step=float("nan")), "above 0"),
    (lambda: Boxplot(y="wait", step="1"), "above 0"),
    (lambda: Boxplot(y="wait", step=1e-9), "larger step"),
    (lambda: Boxplot(y="wait", step=5e-324), "larger step"),
    (lambda: Boxplot("ward", "wait", step=1e-5), "larger step"),
    (lambda: Boxplot(y="seen", step=1), "dates have theirs from their type"),
    (lambda: Boxplot(y="wait", order=["A"]), "no such column"),
    (lambda: Boxplot(y="wait", hue="sex", order=["A"]), "no such column"),
    (lambda: Boxplot(y="wait", hue_order=["f"]), "no such column"),
    (lambda: Boxplot(y="wait", bounds=(0, 1)), "private search, and nothing else"),
    (lambda: Boxplot("pay", "wait"), "as numbers"),
    (lambda: Boxplot("ward", "sex"), "'sex' needs public bounds"),
    (lambda: Boxplot("ward", "height"), "'height' needs public bounds"),
    (lambda: Boxplot("height", "ward"), "'height' needs public bounds"),
    (lambda: Boxplot("job", "wait"), "'job' needs public categories"),
    (lambda: Boxplot(y="wait", hue="job"), "'job' needs public categories"),
    (lambda: Boxplot("ward", "wait", orient="h"), "'ward' needs public bounds"),
    (lambda: Boxplot("ward", "wait", order=["A", "Z"]), "not a declared category"),
    (lambda: Boxplot("ward", "wait", order="AB"), "at least one value"),
    (lambda: Boxplot("ward", "wait", order=["A", "A"]), "each value once"),
    (lambda: Boxplot("many", "wait", "more"), "cells are more"),
    (lambda: Boxplot("ward", "wait", order=private()), "needs a δ"),
    (lambda: Boxplot(y="wait", bounds=private(delta=1e-6)), "takes no δ"),
    (lambda: Boxplot("ward", "wait", order=private(share=0.6, delta=1e-6),
                     bounds=private(share=0.4)), "all of the chart's budget"),
]  # fmt: skip
ODD = Domain(
    {**DOMAIN.columns, "seen": (date(2026, 1, 1), date(2026, 1, 5))},
    many=[*range(5000)],
    more=[*range(5000)],
)


@pytest.mark.parametrize(("chart", "why"), MISTAKES)
def test_what_makes_no_sense_is_refused_by_the_plan(chart, why):
    with pytest.raises(DomainError, match=why) as refusal:
        chart().plan(ODD, ROWS, Budget(1))
    assert len(re.findall(r"[.:](?:\s|$)", str(refusal.value))) >= 3


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_a_price_is_refused_by_the_plan_or_can_be_measured_with(method, unit):
    """Nothing is refused after the charge."""
    chart, refused = Boxplot("ward", "wait", "sex", method=method), 0
    grid = Grid("wait", Bounds(0, 240), 64)
    exact = Exact(unit.weight, unit.weight**2, unit.step, np.ones((6, 64), dtype=np.int64))
    for epsilon in (1e-2, 1e-4, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 1e-17):
        for budget in (Budget(epsilon), Budget(epsilon, 1e-9)):
            try:
                plan = chart.plan(DOMAIN, unit, budget)
            except BudgetError:
                refused += 1
                continue
            with seeded(1):
                assert metered(plan.method.boxes, exact, grid, 1.5).cost.within(plan.cost)
    assert refused


@pytest.mark.parametrize("method", METHODS)
def test_a_search_for_groups_is_refused_where_one_person_could_open_many(method):
    chart = Boxplot("ward", "wait", order=private(delta=1e-6), method=method)
    with pytest.raises(DomainError, match="max_rows"):
        chart.plan(DOMAIN, UNITS[2], Budget(1))


@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("method", METHODS)
def test_the_expected_error_falls_with_the_price_and_can_be_asked_for(method, delta, unit):
    chart = Boxplot("ward", "wait", method=method)
    plans = [chart.plan(DOMAIN, unit, Budget(epsilon, delta)) for epsilon in (0.1, 0.5, 1, 4)]
    for error in ("median_error", "quartile_error", "count_error"):
        errors = [getattr(plan.method, error) for plan in plans]
        assert errors == sorted(errors, reverse=True) and errors[-1] > 0
    budget = find_budget(chart, DOMAIN, unit, error=7, delta=delta)
    less = Budget(budget.epsilon * 0.998, delta, weak=True)
    assert chart.plan(DOMAIN, unit, budget).expected_error <= 7
    assert chart.plan(DOMAIN, unit, less).expected_error > 7


def test_a_wanted_error_beyond_what_rounding_allows_has_a_price_too():
    groups = Domain(wait=(0, 240), ward=[*map(str, range(1000))])
    budget = find_budget(Boxplot("ward", "wait"), groups, UNITS[2], error=1e9)
    assert Boxplot("ward", "wait").plan(groups, UNITS[2], budget).expected_error < 1e9


CELLS, GROUPS = 2**12, 250


@cache
def rank_errors(method, unit, epsilon=0.5):
    """The plan, and the mean distances in ranks of the released quartiles of dense data."""
    counts = np.random.default_rng(2).poisson(6, CELLS).astype(np.int64)
    steps = round(1 / unit.step)
    rows = np.tile(counts * steps, (GROUPS, 1))
    exact = Exact(unit.weight, unit.weight**2, unit.step, rows)
    plan = Boxplot(y="y", method=method).plan(Domain(y=(0, 1)), unit, Budget(epsilon))
    with seeded(8):
        boxed = metered(plan.method.boxes, exact, Grid("y", Bounds(0, 1), CELLS), 1.5).values
    cells = np.array([group.cells for group in boxed.measured])
    cells = cells if cells.shape[1] == 3 else cells[:, 1:4]
    ranks = np.cumsum(counts)[cells] - counts[cells] / 2
    first, median, third = np.abs(ranks - counts.sum() * np.array([0.25, 0.5, 0.75])).mean(axis=0)
    return plan.method, median, (first + third) / 2


@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("method", ["fence", "dpboxplot"])
def test_the_expected_errors_are_the_observed_ones(method, unit):
    plan, median, quartile = rank_errors(method, unit)
    assert 0.8 < plan.median_error / median < 1.25
    assert 0.8 < plan.quartile_error / quartile < 1.25


@pytest.mark.parametrize("method", ["jointexp", "approx", "single", "unbounded"])
def test_what_to_expect_of_the_other_methods_is_about_right(method):
    plan, median, quartile = rank_errors(method, ROWS)
    assert 0.7 < plan.median_error / median < 1.4
    assert 0.7 < plan.quartile_error / quartile < 1.4


def test_forgetting_that_one_person_has_many_rows_would_be_noticed():
    """The twin: what is expected of rows is not what happens to people with five of them."""
    forgetful = Boxplot(y="y").plan(Domain(y=(0, 1)), ROWS, Budget(0.5)).method
    _, median, _ = rank_errors("fence", UNITS[1])
    assert not 0.8 < forgetful.median_error / median < 1.25


def test_the_expected_error_in_values_is_about_the_observed_one():
    values = np.random.default_rng(3).normal(100, 20, 4000)
    engine = DuckEngine(pa.table({"wait": values}))
    chart = Boxplot(y="wait")
    plan = chart.plan(DOMAIN, ROWS, Budget(0.5))
    exact = engine.counts([plan.values.grid(Bounds(0, 240), 1)], ROWS).reshape_by_group()
    repeated = Exact(1, 1, 1.0, np.repeat(exact.reveal(), 30, axis=0))
    with seeded(4):
        boxes = metered(
            plan.method.boxes, repeated, plan.values.grid(Bounds(0, 240), 1), 1.5
        ).values.measured
    width = 240 / 2**20
    found = (np.array([group.cells for group in boxes]) + 0.5) * width
    observed = np.abs(found - np.quantile(values, [0.25, 0.5, 0.75])).mean(axis=0)
    median, quartile = plan.in_values(size=4000, spread=20)
    assert 0.6 < median / observed[1] < 1.6
    assert 0.6 < quartile / observed[[0, 2]].mean() < 1.6


@pytest.mark.parametrize("guess", [(0, 1), (1, 0), (-1, 1), (float("nan"), 1), ("many", 1)])
def test_a_guess_of_size_and_spread_is_two_numbers(guess):
    plan = Boxplot(y="wait").plan(DOMAIN, ROWS, Budget(1))
    with pytest.raises(SfumatoError, match="above 0"):
        plan.in_values(size=guess[0], spread=guess[1])


def test_a_plan_reads_like_a_price_tag():
    chart = Boxplot("ward", "wait", order=private(delta=1e-6))
    text = str(chart.plan(Domain(wait=(0, 240)), ROWS, Budget(0.5)))
    for part in ("boxplot of wait by ward", "ε = 0.5", "δ = 1e-06", "fence", "ranks (median)"):
        assert part in text


def test_the_table_is_asked_once_for_a_thousand_groups():
    asked = Counter()

    class Counting(DuckEngine):
        def counts(self, keys, unit):
            asked["counts"] += 1
            return super().counts(keys, unit)

    generator = np.random.default_rng(6)
    names = [f"{number:03}" for number in range(1000)]
    values, wards = generator.uniform(0, 240, 9000), generator.choice(names, 9000)
    table = pa.table({"wait": values, "ward": wards})
    chart = Boxplot("ward", "wait", method="unbounded")
    plan = chart.plan(Domain(wait=(0, 240), ward=names), ROWS, Budget(1))
    with seeded(1):
        release = measure_planned(chart, Counting(table), plan)
    assert asked == {"counts": 1}
    assert len(release.boxes) == 1000
    assert release.value.cells == 2**14  # a thousand times as many fit into one answer


def covered(method):
    """How often the intervals of quartiles hold them, where one person may have five rows."""
    unit, cells = UNITS[1], 2**16
    values = np.random.default_rng(0).normal(0.5, 0.08, 20_000)
    counts = np.bincount((values * cells).astype(int), minlength=cells)
    exact = Exact(unit.weight, unit.weight**2, unit.step, np.tile(counts, (100, 1)))
    with seeded(3):
        summaries = metered(
            method.boxes, exact, Grid("y", Bounds(0, 1), cells), 1.5
        ).values.summaries
    truth = zip(("q1", "median", "q3"), np.quantile(values, [0.25, 0.5, 0.75]), strict=True)
    return np.mean(
        [
            getattr(summary.low, name) <= value <= getattr(summary.high, name)
            for name, value in truth
            for summary in summaries
        ]
    )


def test_intervals_know_that_one_person_may_have_many_rows():
    plan = Boxplot(y="y").plan(Domain(y=(0, 1)), UNITS[1], Budget(0.5)).method
    assert 0.92 <= covered(plan) <= 0.99


def test_intervals_that_forget_it_would_be_noticed():
    """The twin: as if one person were one row."""
    plan = Boxplot(y="y").plan(Domain(y=(0, 1)), UNITS[1], Budget(0.5)).method
    assert covered(replace(plan, most=1.0)) < 0.8
