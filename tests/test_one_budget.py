"""A session's budget pays for one chart of it, or for k charts of a k-th, whatever the chart."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any, cast

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.catalogue import CITY, Request, citizens, request, requests
from sfumato.charts.chart import Chart, Plan
from sfumato.charts.heatmap.redrawn import RedrawnHeatmap
from sfumato.errors import BudgetError
from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.share import Share, allot, grant
from sfumato.private_search import Private
from sfumato.releases import document

REQUESTS = requests(CITY)
DELTA = Budget(1, 1e-6)
OTHER = Budget(3, 1e-5, reserve=2e-6)
NEARLY = Fraction(1, 10**8)
ALMOST = Fraction(1, 200)
"""What searches for a window may leave: counts on a fine lattice cost less than the ε they get."""


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return citizens(100)


def opened(asked: Request, table: pa.Table, budget: Budget) -> sf.Session:
    return sf.Session(table, unit=asked.unit, domain=CITY.domain, budget=budget, size=asked.size)


def thresholds(chart: Chart[Any, Any]) -> list[str]:
    """The options by which a chart searches for categories, which takes a δ."""
    values = {field.name: getattr(chart, field.name) for field in fields(cast(Any, chart))}
    return [name for name, each in values.items() if isinstance(each, Private) and each.delta]


def budgets(asked: Request) -> list[Budget]:
    """What a request is paid for with: pure where it can be, and always with a δ."""
    pure = [] if asked.gaussian or thresholds(asked.chart) else [Budget(1)]
    return [*pure, DELTA, OTHER]


def cases(everyday: Callable[[Request, Budget], bool]) -> list[Any]:
    """Every request with each of its budgets; those that are not everyday's are slow."""
    return [
        pytest.param(
            asked,
            budget,
            id=f"{asked.name} {budget!r}",
            marks=[] if asked.typical or everyday(asked, budget) else [pytest.mark.slow],
        )
        for asked in REQUESTS
        for budget in budgets(asked)
    ]


def charge(session: sf.Session, chart: Chart[Any, Any], budget: Budget | Share | float) -> Plan:
    """Plan a chart and pay for it, without looking at the table."""
    plan = session.plan(chart, budget=budget)
    assert "affordable" in plan.standing
    session.ledger.charge(plan.label, plan.cost)
    return plan


def unspent(session: sf.Session) -> Fraction:
    """The part that is left of the ledger, in the currency that it has least of."""
    rule, left = session.ledger.rule, session.ledger.remaining
    parts = [] if left.epsilon is None else [left.epsilon / rule.epsilon]
    return min(parts + ([left.amount / rule.limit] if rule.limit else []))


def most_left(asked: Request) -> Fraction:
    """What may be left of a ledger whose budget was spent on a chart."""
    chart = asked.chart
    drawn = isinstance(chart, sf.Heatmap | RedrawnHeatmap)
    return ALMOST if drawn and chart.bounds is not None else NEARLY


def is_refused_more(session: sf.Session, chart: Chart[Any, Any], share: Share) -> bool:
    """Tell whether a share more is refused, unless all was pure: then ε may be left by itself."""
    plan = session.plan(chart, budget=share)
    spent = session.ledger.spent
    if spent.epsilon is not None and plan.cost.epsilon is not None:
        return spent.epsilon + plan.cost.epsilon <= session.ledger.rule.epsilon or (
            "refused" in plan.standing
        )
    with pytest.raises(BudgetError, match="is spent"):
        session.ledger.charge("one more", plan.cost)
    return "refused" in plan.standing


@pytest.mark.parametrize(("asked", "budget"), cases(lambda _, budget: budget is DELTA))
def test_a_session_of_a_budget_pays_for_one_chart_of_it_and_nothing_is_left(
    asked: Request, budget: Budget, table: pa.Table
) -> None:
    session = opened(asked, table, budget)
    plan = charge(session, asked.chart, budget)
    assert plan.guarantee.epsilon == budget.epsilon
    assert plan.guarantee.delta == budget.delta
    assert unspent(session) < most_left(asked)
    assert is_refused_more(session, asked.chart, session.budget / 50)


def within_share(chart: Chart[Any, Any], share: Share) -> Chart[Any, Any]:
    """The chart, whose searches take no more δ than a share has for them."""
    asked = thresholds(chart)
    if not asked:
        return chart
    delta = float(share.delta / len(asked)) * (1 - 1e-9)
    smaller = {name: replace(getattr(chart, name), delta=delta) for name in asked}
    return replace(cast(Any, chart), **smaller)


@pytest.mark.parametrize("parts", [3, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 7))])
@pytest.mark.parametrize(("asked", "budget"), cases(lambda *_: False))
def test_equal_shares_fit_and_leave_nothing(
    asked: Request, budget: Budget, parts: int, table: pa.Table
) -> None:
    session = opened(asked, table, budget)
    share = session.remaining / parts
    chart = within_share(asked.chart, share)
    for _ in range(parts):
        charge(session, chart, share)
    assert unspent(session) < most_left(asked)
    assert is_refused_more(session, chart, share)


@pytest.mark.parametrize("name", ["histplot", "boxplot-fence", "heatmap", "pca", "scoreplot-haar"])
def test_halves_of_what_is_left_can_be_taken_again_and_again(name: str, table: pa.Table) -> None:
    asked = request(name, CITY)
    session = opened(asked, table, DELTA)
    for _ in range(8):
        charge(session, asked.chart, session.remaining / 2)
    charge(session, asked.chart, session.remaining)
    assert unspent(session) < NEARLY


MIXED = ["histplot", "histplot-order", "boxplot-lying", "heatmap-smooth", "pca-scale", "scoreplot"]


@pytest.mark.parametrize("budget", [DELTA, Budget(0.5, 1e-8), Budget(4, 1e-7)], ids=repr)
def test_charts_of_all_kinds_share_one_budget(budget: Budget, table: pa.Table) -> None:
    """The session in which a histogram once left no room for components."""
    session = sf.Session(table, domain=CITY.domain, budget=budget)
    share = session.remaining / len(MIXED)
    for name in MIXED:
        charge(session, request(name, CITY).chart, share)
    assert unspent(session) < NEARLY


def test_components_fit_after_a_histogram_and_a_histogram_after_components(
    table: pa.Table,
) -> None:
    pca, histogram = request("pca-scale", CITY).chart, request("histplot", CITY).chart
    first = sf.Session(table, domain=CITY.domain, budget=DELTA)
    charge(first, histogram, 0.25)
    charge(first, pca, Budget(0.7, 1e-6))
    second = sf.Session(table, domain=CITY.domain, budget=DELTA)
    charge(second, pca, Budget(0.7, 1e-6))
    charge(second, histogram, 0.25)
    assert first.ledger.rule.price(first.ledger.spent) == second.ledger.rule.price(
        second.ledger.spent
    )


MEASURED = [
    "histplot-order", "histplot-search-hue", "boxplot-within", "quantiles-median", "heatmap-smooth",
    "pca-few", "scoreplot-haar", "scoreplot-sparse", "scoreplot-given",
]  # fmt: skip


def read_again(release: sf.releases.release.Release) -> None:
    again = document.read(json.loads(json.dumps(release.to_dict())))
    assert again == release


def test_a_share_is_not_spent_by_a_chart_that_stands_alone(table: pa.Table) -> None:
    share = Share.whole(PrivacyFilter.of(DELTA))
    with pytest.raises(BudgetError, match="in its own session"):
        sf.histplot(table, x="age", bounds=(0, 100), budget=cast(Any, share))


@pytest.mark.parametrize("name", MEASURED)
def test_what_a_share_paid_for_is_measured_and_its_promise_is_believed(
    name: str, table: pa.Table
) -> None:
    asked = request(name, CITY)
    session = opened(asked, table, Budget(4, 1e-6))
    third = session.remaining / 3
    chart = within_share(asked.chart, third)
    with sf.testing.seeded(5):
        read_again(session.release(chart, budget=third))
        read_again(session.release(chart, budget=Budget(1, 1e-7)) if not thresholds(chart)
                   else session.release(chart, budget=third))  # fmt: skip
        read_again(
            session.release(within_share(chart, session.remaining), budget=session.remaining)
        )
    assert unspent(session) < NEARLY


def test_a_score_plot_in_released_components_is_paid_from_the_same_budget(table: pa.Table) -> None:
    asked = request("scoreplot-given", CITY)
    session = opened(asked, table, Budget(4, 1e-6))
    assert asked.components is not None
    with sf.testing.seeded(5):
        components = session.release(asked.components, budget=session.remaining / 2)
        drawn = asked.drawn_in(components)
        read_again(session.release(drawn.chart, budget=session.remaining))
    assert unspent(session) < NEARLY


def test_a_release_that_says_it_cost_less_than_its_share_is_not_believed(table: pa.Table) -> None:
    session = sf.Session(table, domain=CITY.domain, budget=DELTA)
    with sf.testing.seeded(5):
        release = session.release(request("histplot", CITY).chart, budget=session.remaining / 2)
    better = replace(release.guarantee, epsilon=release.guarantee.epsilon * 0.8)
    with pytest.raises(sf.SfumatoError):
        read_again(replace(release, guarantee=better))


# --- Shares, whatever was spent before ---------------------------------------------------------

epsilons = st.floats(-4, 0.5).map(lambda power: Fraction(f"{10**power:.4g}"))
losses = st.one_of(
    epsilons.map(Cost.pure),
    epsilons.map(Cost.exponential),
    st.builds(Cost.laplace, epsilons, st.integers(1, 2**30)),
    epsilons.map(lambda epsilon: Cost.gaussian(epsilon**2 / 20)),
)
totals = st.one_of(
    st.builds(Budget, st.floats(0.01, 10), st.just(0.0)),
    st.builds(Budget, st.floats(0.01, 10), st.floats(-10, -4).map(lambda power: 10**power)),
    st.builds(lambda e, d, part: Budget(e, d, reserve=d * part),
              st.floats(0.05, 10), st.floats(1e-9, 1e-4), st.floats(0, 1)),
)  # fmt: skip


def spent_ledger(total: Budget, costs: list[Cost]) -> Ledger:
    """A ledger that has paid for all of these costs that fit."""
    ledger = Ledger.memory(budget=total)
    for cost in costs:
        if ledger.rule.admits(ledger.spent, cost):
            ledger.charge("chart", cost)
    return ledger


def take(share: Share, kind: str) -> Cost:
    """What a chart with noise of one kind is charged that has all of a share."""
    amount, currency = allot(share.grant())
    if kind == "gaussian" and currency.rho(amount):
        return Cost.gaussian(currency.rho(amount))
    if kind == "choice":
        return Cost.exponential(currency.choice(amount))
    return Cost.pure(currency.pure(amount))


kinds = st.lists(st.sampled_from(["gaussian", "pure", "choice"]), min_size=1, max_size=40)


@settings(max_examples=60)
@given(totals, st.lists(losses, max_size=6), kinds)
def test_k_equal_shares_of_any_ledger_fit(
    total: Budget, costs: list[Cost], kinds: list[str]
) -> None:
    ledger = spent_ledger(total, costs)
    if str(ledger.remaining) == "nothing":
        return
    share = ledger.remaining / len(kinds)
    for kind in kinds:
        ledger.charge("chart", take(share, kind))


@settings(max_examples=60)
@given(totals, st.lists(losses, max_size=6), st.lists(st.floats(0.01, 1), min_size=1, max_size=9))
def test_unequal_shares_that_sum_to_one_fit(
    total: Budget, costs: list[Cost], weights: list[float]
) -> None:
    ledger = spent_ledger(total, costs)
    left, exact = ledger.remaining, [Fraction(weight) for weight in weights]
    if str(left) == "nothing":
        return
    for weight in exact:
        ledger.charge("chart", take(left * (weight / sum(exact)), "pure"))


@settings(max_examples=60)
@given(totals, st.integers(2, 40))
def test_one_more_than_k_shares_of_gaussian_noise_do_not_fit(total: Budget, parts: int) -> None:
    ledger = Ledger.memory(budget=total)
    share = ledger.remaining / parts
    for _ in range(parts):
        ledger.charge("chart", take(share, "gaussian"))
    with pytest.raises(BudgetError):
        ledger.charge("chart", take(share, "gaussian"))


def test_a_share_by_epsilon_alone_would_not_fit() -> None:
    """A quarter of ε in place of a quarter of what is counted: what a wrong share would give."""
    rule = PrivacyFilter.of(DELTA)
    tempting = grant(rule, Budget(0.4788, 1e-6))  # what a quarter says that it is
    quarter = (Share.whole(rule) / 4).grant()
    assert allot(quarter)[0] <= allot(tempting)[0]
    larger = Cost.gaussian(allot(grant(rule, Budget(0.49, 1e-6)))[0] / cast(Any, rule).order)
    assert not rule.admits(larger + larger + larger, larger)


@given(totals, totals)
def test_a_share_of_another_ledger_is_refused(one: Budget, other: Budget) -> None:
    first, second = PrivacyFilter.of(one), PrivacyFilter.of(other)
    if first == second:
        return
    with pytest.raises(BudgetError, match="share of another ledger"):
        grant(second, Share.whole(first) / 2)


def test_a_share_is_divided_by_numbers_above_zero_alone() -> None:
    share = Share.whole(PrivacyFilter.of(DELTA))
    for wrong in (0, -1, float("nan"), float("inf"), "2", None):
        with pytest.raises(BudgetError, match="above 0"):
            share / cast(Any, wrong)
    assert (share / 4) * 4 == share == 0.25 * share * 4


# --- What could still be had -------------------------------------------------------------------


def next_up(epsilon: float) -> float:
    """The next ε that is typed with four digits."""
    digits, power = f"{epsilon:.3e}".split("e")
    return float(f"{round(float(digits) * 1000) + 1}e{int(power) - 3}")


@settings(max_examples=25)
@given(
    st.sampled_from([Budget(1), DELTA, Budget(0.5, 1e-8), Budget(4, 1e-7, reserve=1e-8)]),
    st.lists(losses, max_size=5),
    st.sampled_from(["histplot-bins", "boxplot-lying", "pca-scale", "quantiles-single"]),
    st.booleans(),
)
def test_the_largest_that_is_named_is_admitted_and_a_step_more_is_not(
    total: Budget, costs: list[Cost], name: str, pure: bool
) -> None:
    chart = request(name, CITY).chart
    session = sf.Session(TABLE, domain=CITY.domain, ledger=spent_ledger(total, costs))
    asked = Budget(total.epsilon) if pure else total
    if name == "pca-scale" and asked.pure:
        return
    largest = session.find_largest(chart, asked)
    if largest is None:
        return
    assert largest.epsilon <= asked.epsilon and largest.delta == asked.delta
    more = replace(largest, epsilon=next_up(largest.epsilon))
    if more.epsilon <= asked.epsilon:
        with pytest.raises(BudgetError, match="is spent"):
            session.release(chart, budget=more)
    charge(session, chart, largest)


TABLE = citizens(20)
