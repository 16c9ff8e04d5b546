from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from charts.spending import fills
from sfumato.charts.chart import find_budget
from sfumato.charts.histogram import Histogram
from sfumato.domain import Bounds, Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import BudgetError, DomainError, OverspentError
from sfumato.exact import Exact
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import private
from sfumato.testing import measure_planned, seeded

ROWS = PrivacyUnit.rows()
DOMAIN = Domain(age=(0, 100), pay=(0, 10), ward=["A", "B", "C"], sex=["f", "m"])
TABLE = pa.table(
    {
        "age": [5.0, 15.0, 15.0, 99.0, None, 250.0],
        "pay": [1.0, 2.0, 3.0, 9.9, 5.0, 5.0],
        "ward": ["A", "A", "B", "Z", "B", None],
        "sex": ["f", "m", "f", "m", "f", "m"],
        "person": ["u", "u", "v", "w", "w", "x"],
    }
)


def measured(chart: Histogram, budget=10_000.0, unit=ROWS):
    """A budget so large that the noise is zero."""
    plan = chart.plan(DOMAIN, unit, Budget(budget, weak=True))
    return measure_planned(chart, DuckEngine(TABLE), plan)


def test_counts_are_those_of_the_table():
    assert measured(Histogram("age", bins=10)).counts.tolist() == [1, 2, 0, 0, 0, 0, 0, 0, 0, 2]


def test_edges_beyond_which_nothing_is_counted():
    release = measured(Histogram("age", bins=[0, 10, 20]))
    assert release.counts.tolist() == [1, 2]


def test_categories_are_counted_in_the_order_asked_for():
    assert measured(Histogram("ward", order=["C", "A"])).counts.tolist() == [0, 2]


def test_hue_comes_first_and_shares_the_charge():
    chart = Histogram("ward", hue="sex")
    assert measured(chart).counts.tolist() == [[1, 2, 0], [1, 0, 0]]
    assert chart.plan(DOMAIN, ROWS, Budget(1)).cost.epsilon == 1


def test_two_dimensions_with_a_pair_of_bins():
    release = measured(Histogram("age", "pay", bins=(2, [0, 5, 10])))
    assert release.counts.tolist() == [[3, 0], [0, 2]]


def test_a_person_counts_once_whatever_the_number_of_rows():
    release = measured(Histogram("ward"), unit=PrivacyUnit.users("person"))
    assert release.counts == pytest.approx([1, 1.5, 0], abs=0.01)


def test_a_person_counts_at_most_max_rows_times():
    release = measured(Histogram("ward"), unit=PrivacyUnit.users("person", max_rows=1))
    assert release.counts.tolist() == [1, 2, 0]


def test_a_bare_number_buys_laplace_and_a_delta_buys_gaussian_noise():
    pure = Histogram("age").plan(DOMAIN, ROWS, Budget(1))
    approximate = Histogram("age").plan(DOMAIN, ROWS, Budget(1, 1e-6))
    assert (pure.noise.kind, approximate.noise.kind) == ("laplace", "gaussian")
    assert approximate.cost.epsilon is None and approximate.guarantee.delta == 1e-6


def test_found_categories_are_those_many_people_hold():
    many = pa.table({"job": ["baker"] * 500 + ["miller"] * 400 + ["spy"]})
    chart = Histogram("job", order=private(share=0.5, delta=1e-6))
    plan = chart.plan(Domain(), ROWS, Budget(1))
    release = measure_planned(chart, DuckEngine(many), plan)
    assert release.x.categories.values == ("baker", "miller")
    assert release.found == ("job",)
    assert plan.cost.epsilon == 1 and plan.cost.delta == Fraction(1, 10**6)


def test_a_search_that_finds_nothing_is_an_answer():
    few = pa.table({"job": ["spy", "poet"]})
    chart = Histogram("job", order=private(delta=1e-9))
    release = measure_planned(chart, DuckEngine(few), chart.plan(Domain(), ROWS, Budget(1)))
    assert release.counts.size == 0
    assert "enough people" in release.figure().notes[0]


def test_searches_and_counts_spend_the_budget_and_no_more():
    chart = Histogram("ward", hue="sex", order=private(delta=1e-7), hue_order=private(delta=1e-7))
    for budget in (Budget(0.3), Budget(0.3, 1e-6)):
        plan = chart.plan(Domain(), ROWS, budget)
        assert plan.cost.delta == Fraction(2, 10**7)
        if budget.pure:
            assert plan.cost.epsilon == Fraction(3, 10)
        else:
            assert fills(plan.cost, budget)
        measure_planned(chart, DuckEngine(TABLE), plan)


class Repeating(DuckEngine):
    """An engine that counts once and repeats itself, for simulations."""

    answer = None

    def counts(self, keys, unit):
        self.answer = self.answer or super().counts(keys, unit)
        return self.answer


class Careless:
    """An engine that forgets how much one unit can move its answer."""

    def counts(self, keys, unit):
        return Exact(l1=2, l2_squared=4, step=1.0, _values=np.zeros(20, dtype=np.int64))


def test_a_release_that_spent_more_than_was_charged_is_withheld():
    chart = Histogram("age")
    with pytest.raises(OverspentError):
        measure_planned(chart, Careless(), chart.plan(DOMAIN, ROWS, Budget(1)))


@pytest.mark.parametrize(
    ("chart", "why"),
    [
        (lambda: Histogram("age", stat="mean"), "stat"),
        (lambda: Histogram("age", "age"), "different columns"),
        (lambda: Histogram("age", hue_order=["f"]), "needs a hue"),
        (lambda: Histogram("height"), "no public declaration"),
        (lambda: Histogram("age", hue="pay"), "public categories"),
        (lambda: Histogram("ward", order=["A", "Q"]), "not a declared category"),
        (lambda: Histogram("age", order=["A"]), "public categories"),
        (lambda: Histogram("age", bins=0), "from 1 to"),
        (lambda: Histogram("age", bins=2.5), "whole number"),
        (lambda: Histogram("age", bins=True), "whole number"),
        (lambda: Histogram("age", bins="auto"), "whole number"),
        (lambda: Histogram("age", bins=[3, 2, 1]), "rising"),
        (lambda: Histogram("age", bins=[200, 300]), "outside its bounds"),
        (lambda: Histogram("age", "pay", bins=[1, 2, 3]), "one entry per axis"),
        (lambda: Histogram("age", "pay", bins=5000), "cells are more"),
        (lambda: Histogram("ward", stat="density"), "no width"),
        (lambda: Histogram("age", "ward", stat="density"), "no width"),
        (lambda: Histogram("ward", bins=7), "no bins"),
        (lambda: Histogram("ward", order=private()), "needs a δ"),
        (lambda: Histogram("ward", order=private(delta=1e-6, within=(0, 1))), "Limits are for"),
        (lambda: Histogram("ward", order=private(share=0.5, delta=1e-6), hue="sex",
                           hue_order=private(share=0.5, delta=1e-6)), "all of the chart's budget"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_by_the_plan(chart, why):
    with pytest.raises(DomainError, match=why):
        chart().plan(DOMAIN, ROWS, Budget(1))


def test_a_search_is_refused_where_one_person_could_open_many_categories():
    chart = Histogram("ward", order=private(delta=1e-6))
    with pytest.raises(DomainError, match="max_rows"):
        chart.plan(DOMAIN, PrivacyUnit.users("person"), Budget(1))


@pytest.mark.parametrize(
    ("budget", "unit"),
    [
        (Budget(0.4), ROWS),
        (Budget(2.0), PrivacyUnit.users("person", max_rows=3)),
        (Budget(0.8), PrivacyUnit.users("person")),
        (Budget(0.5, 1e-6), ROWS),
    ],
    ids=str,
)
def test_the_expected_error_is_the_observed_one(budget, unit):
    chart = Histogram("age", bins=4000)
    plan = chart.plan(DOMAIN, unit, budget)
    truth = measured(chart, 1e9, unit).counts
    with seeded(3):
        observed = np.abs(measure_planned(chart, DuckEngine(TABLE), plan).counts - truth).mean()
    assert 0.93 < plan.expected_error / observed < 1.07


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("error", [0.2, 3, 400])
def test_the_smallest_budget_for_a_wanted_error(error, delta):
    chart = Histogram("age")
    budget = find_budget(chart, DOMAIN, ROWS, error=error, delta=delta)
    less = Budget(budget.epsilon * 0.998, delta, weak=True)
    assert chart.plan(DOMAIN, ROWS, budget).expected_error <= error
    assert chart.plan(DOMAIN, ROWS, less).expected_error > error


@pytest.mark.parametrize("error", [0.0, -1.0, float("nan")])
def test_no_budget_reaches_an_error_of_nothing(error):
    with pytest.raises(BudgetError, match="above 0"):
        find_budget(Histogram("age"), DOMAIN, ROWS, error=error)


@pytest.mark.parametrize(
    ("budget", "unit", "stat"),
    [
        (Budget(0.5), ROWS, "count"),
        (Budget(1.0), PrivacyUnit.users("person"), "count"),
        (Budget(0.5, 1e-6), ROWS, "count"),
        (Budget(0.3), ROWS, "proportion"),
    ],
    ids=str,
)
def test_intervals_cover_what_they_state(budget, unit, stat):
    domain = Domain(age=(0, 100))
    generator = np.random.default_rng(11)
    ages = generator.gamma(4, 12, 4000)
    table = pa.table({"age": ages, "person": generator.integers(0, 1500, 4000)})
    chart = Histogram("age", bins=8, stat=stat)
    engine = Repeating(table)
    exact = measure_planned(chart, engine, chart.plan(domain, unit, Budget(1e9, weak=True))).numbers
    plan, held, together = chart.plan(domain, unit, budget), [], []
    with seeded(5):
        for _ in range(2000):
            sure = measure_planned(chart, engine, plan).uncertainty
            low, high = np.array(sure.pointwise.low), np.array(sure.pointwise.high)
            held.append((low <= exact + 1e-9) & (exact <= high + 1e-9))
            low, high = np.array(sure.simultaneous.low), np.array(sure.simultaneous.high)
            together.append(np.all((low <= exact + 1e-9) & (exact <= high + 1e-9)))
    assert 0.93 <= np.mean(held) <= 0.97
    assert abs(np.mean(held) - sure.pointwise.coverage) < 0.02
    assert np.mean(together) >= sure.simultaneous.coverage - 0.02


def test_a_plan_reads_like_a_price_tag():
    text = str(Histogram("age", bins=5).plan(DOMAIN, ROWS, Budget(0.5)))
    for part in ("histogram of age", "ε = 0.5", "laplace, scale 2", "1.919", "± 6"):
        assert part in text


def test_the_table_is_asked_once_per_release():
    asked = Counter()

    class Counting(DuckEngine):
        def counts(self, keys, unit):
            asked["counts"] += 1
            return super().counts(keys, unit)

    chart = Histogram("ward", hue="sex")
    measure_planned(chart, Counting(TABLE), chart.plan(DOMAIN, ROWS, Budget(1)))
    assert asked == {"counts": 1}


def test_bounds_of_the_domain_decide_what_edges_can_see():
    chart = Histogram("age", bins=[0, 50, 300])
    plan = chart.plan(Domain(age=Bounds(0, 300)), ROWS, Budget(10_000, weak=True))
    assert measure_planned(chart, DuckEngine(TABLE), plan).counts.tolist() == [3, 2]
