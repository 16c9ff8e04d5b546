"""The rule of `accountant.md`, played against by the worst analyst a small menu allows."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import Budget, Cost, convert, epsilon_of, rho_within, to_fraction
from sfumato.privacy.renyi import diverge_range
from sfumato.privacy.share import Share, find_pure

Outcomes = tuple[tuple[float, float], ...]
"""The probability of each outcome under the one table and under its neighbour."""

Menu = list[tuple[Cost, Outcomes]]
Spend = Callable[[object, Cost], object]
"""The state after a charge, or None where it is refused."""


def response(epsilon: Fraction, delta: Fraction = Fraction(0)) -> tuple[Cost, Outcomes]:
    """Randomised response that betrays the table with probability δ."""
    truth = 1 / (1 + math.exp(-float(epsilon)))
    good = 1 - float(delta)
    outcomes = [(good * truth, good * (1 - truth)), (good * (1 - truth), good * truth)]
    betrayals = [(float(delta), 0.0), (0.0, float(delta))] if delta else []
    return Cost.pure(epsilon, delta=delta), (*betrayals, *outcomes)


def gaussian(rho: Fraction) -> tuple[Cost, Outcomes]:
    """Gaussian noise, of which one is told in which of seven intervals the answer lies."""
    scale = math.sqrt(1 / (2 * float(rho)))
    cuts = [0.5 + scale * step for step in (-2, -1, 0, 1, 2, 3)]

    def weights(mean: float) -> list[float]:
        below = [0.0, *(math.erfc((mean - cut) / scale / math.sqrt(2)) / 2 for cut in cuts), 1.0]
        return [high - low for low, high in pairwise(below)]

    return Cost.gaussian(rho), tuple(zip(weights(1), weights(0), strict=True))


def laplace(epsilon: Fraction, steps: int) -> tuple[Cost, Outcomes]:
    """Discrete Laplace noise, of which one is told where between the two centres it lies."""
    inner, decay = range(1, steps), math.exp(-float(epsilon) / steps)
    end, norm = 1 / (1 - decay), (1 + decay) / (1 - decay)
    outcomes = [(decay**place / norm, decay ** (steps - place) / norm) for place in inner]
    ends = [(end / norm, decay**steps * end / norm), (decay**steps * end / norm, end / norm)]
    return Cost.laplace(epsilon, steps), (*ends, *outcomes)


def choice(epsilon: Fraction, tilt: float) -> tuple[Cost, Outcomes]:
    """Two answers whose log-ratios are `tilt` times ε and that less ε."""
    top, span = math.exp(tilt * float(epsilon)), math.exp(float(epsilon))
    first = (span - top) / (span - 1)
    outcomes = ((first, first / top), (1 - first, (1 - first) * span / top))
    return Cost.exponential(epsilon), outcomes


def menu(budget: Budget) -> Menu:
    """Whole and half portions in every currency, and what all of δ would buy."""
    rule = PrivacyFilter.of(budget)
    epsilon, kept = rule.epsilon, rule.reserve
    dishes = [response(epsilon), response(epsilon / 2), response(epsilon / 4)]
    if kept:
        dishes += [response(Fraction(0), kept), response(epsilon / 2, kept / 2)]
    if rule.limit == 0:
        return dishes
    rho, whole = budget.rho, rho_within(epsilon, to_fraction(budget.delta))
    affordable = rule.currency.choice(rule.limit)
    dishes += [response(rule.currency.pure(part)) for part in (rule.limit, rule.limit / 2)]
    dishes += [choice(affordable, tilt) for tilt in (0.4, 0.6)] + [laplace(epsilon / 2, 2)]
    return dishes + [gaussian(each) for each in {rho, rho / 2, whole}]


def worst(epsilon: float, dishes: Menu, spend: Spend, start: object, steps: int = 5) -> float:
    """The largest P(S) − e^ε Q(S) any adaptive analyst can reach, by looking at all of them.

    An analyst is a tree: after each answer it orders what the rule still admits. What matters of
    the past is the state of the rule and the ratio P/Q of the answers so far.
    """
    known: dict[tuple[float, object, int], float] = {}

    def gain(ratio: float, state: object, left: int) -> float:
        stop = max(0.0, ratio - math.exp(epsilon))
        if left == 0 or ratio == 0:
            return stop
        key = (round(math.log(ratio), 9), state, left)
        if key not in known:
            orders = ((spend(state, cost), outcomes) for cost, outcomes in dishes)
            known[key] = max(
                [
                    stop,
                    *(course(ratio, after, outcomes, left) for after, outcomes in orders if after),
                ]
            )
        return known[key]

    def course(ratio: float, state: object, outcomes: Outcomes, left: int) -> float:
        # Where the neighbour cannot give an answer, all of its probability is gained.
        sure = sum(ratio * p for p, q in outcomes if q == 0)
        return sure + sum(q * gain(ratio * p / q, state, left - 1) for p, q in outcomes if q)

    return gain(1.0, start, steps)


def by(budget: Budget, rule: Callable[[Budget, Cost, Cost], bool]) -> Spend:
    """Spend from one sum, as the ledger does."""
    return lambda spent, cost: spent + cost if rule(budget, spent, cost) else None


def admits(budget: Budget, spent: Cost, cost: Cost) -> bool:
    """The rule of a new ledger."""
    return PrivacyFilter.of(budget).admits(spent, cost)


def admitted_before(budget: Budget, spent: Cost, cost: Cost) -> bool:
    """The rule of ledgers that count ρ."""
    return PrivacyFilter.concentrated(budget).admits(spent, cost)


BUDGETS = [
    Budget(1, 0.1, weak=True),
    Budget(1, 0.1, reserve=0.09, weak=True),
    Budget(1, 0.1, reserve=0, weak=True),
    Budget(1, 0.1, reserve=0.1, weak=True),
    Budget(0.5, 1e-3, weak=True),
    Budget(2, 1e-3, reserve=9e-4, weak=True),
    Budget(1, 1e-6),
    Budget(1),
]


@pytest.mark.parametrize("rule", [admits, admitted_before])
@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_no_adaptive_analyst_gets_beyond_epsilon_and_delta(budget, rule):
    excess = worst(budget.epsilon, menu(budget), by(budget, rule), Cost.nothing())
    assert excess <= budget.delta + 1e-12


@pytest.mark.parametrize("budget", [budget for budget in BUDGETS if budget.rho], ids=repr)
def test_the_two_regions_together_gain_no_more_than_one_alone_and_the_reserve(budget):
    """The union of the regions costs nothing: a sharper test than δ, free of the conversion."""
    dishes, rule = menu(budget), PrivacyFilter.of(budget)
    together = worst(budget.epsilon, dishes, by(budget, admits), Cost.nothing())
    alone = by(budget, lambda _, spent, cost: rule.price(spent + cost) <= rule.limit)
    sure = [dish for dish in dishes if dish[0].delta == 0]
    most = worst(budget.epsilon, sure, alone, Cost.nothing()) + float(rule.reserve)
    assert together <= most + 1e-12


def test_an_analyst_may_end_one_branch_on_either_side():
    budget = Budget(1, 0.1, weak=True)
    first = response(Fraction(1, 4))[0]
    assert admits(budget, Cost.nothing(), first)
    rule = PrivacyFilter.of(budget)
    by_epsilon = Cost.pure(Fraction(3, 4))
    by_rho = Cost.gaussian(rule.currency.rho(rule.limit - rule.price(first)))
    assert admits(budget, first, by_epsilon)
    assert admits(budget, first, by_rho)
    assert not admits(budget, first + by_epsilon, by_rho)
    assert not admits(budget, first + by_rho, by_epsilon)


Price = Callable[[PrivacyFilter, Cost], Fraction]


def follow(budget: Budget, total: Cost, price: Price, limit: Fraction) -> bool:
    """The rule, with the price and the limit of another."""
    rule = PrivacyFilter.of(budget)
    by_epsilon = total.epsilon is not None and total.epsilon <= rule.epsilon
    return total.delta <= rule.reserve and (by_epsilon or price(rule, total) <= limit)


def all_of_delta_twice(budget: Budget, spent: Cost, cost: Cost) -> bool:
    best = convert(to_fraction(budget.epsilon), to_fraction(budget.delta))
    assert best is not None
    return follow(budget, spent + cost, lambda _, total: total.diverge(best.order), best.limit)


def no_reserve_by_epsilon(budget: Budget, spent: Cost, cost: Cost) -> bool:
    total, rule = spent + cost, PrivacyFilter.of(budget)
    by_epsilon = total.epsilon is not None and total.epsilon <= rule.epsilon
    return by_epsilon or (total.delta <= rule.reserve and rule.price(total) <= rule.limit)


def everything_has_a_range(budget: Budget, spent: Cost, cost: Cost) -> bool:
    """Price pure noise as if it were an exponential mechanism."""

    def price(rule: PrivacyFilter, total: Cost) -> Fraction:
        assert rule.order is not None
        ranges = (loss.times * diverge_range(rule.order, loss.epsilon) for loss in total.losses)
        return sum(ranges, rule.order * total.unexplained)

    return follow(budget, spent + cost, price, PrivacyFilter.of(budget).limit)


def another_order(budget: Budget, spent: Cost, cost: Cost) -> bool:
    """Add up divergences at half the order that the limit is for."""

    def price(rule: PrivacyFilter, total: Cost) -> Fraction:
        assert rule.order is not None
        return total.diverge((1 + rule.order) / 2)

    return follow(budget, spent + cost, price, PrivacyFilter.of(budget).limit)


@pytest.mark.parametrize("broken", [all_of_delta_twice, no_reserve_by_epsilon, another_order])
@pytest.mark.parametrize(
    "budget", [Budget(1, 0.1, reserve=0.09, weak=True), Budget(2, 1e-3, reserve=9e-4, weak=True)]
)
def test_a_rule_that_spends_too_much_is_caught(budget, broken):
    excess = worst(budget.epsilon, menu(budget), by(budget, broken), Cost.nothing(), steps=4)
    assert excess > budget.delta * 1.02


def test_a_rule_that_prices_all_noise_as_choices_is_caught():
    budget = Budget(2, 1e-3, reserve=9e-4, weak=True)
    excess = worst(2.0, menu(budget), by(budget, everything_has_a_range), Cost.nothing())
    assert excess > budget.delta * 1.02


def test_a_rule_with_two_purses_is_caught():
    budget = Budget(1, 0.1, weak=True)

    rule = PrivacyFilter.of(budget)

    def spend(purses, cost):
        by_epsilon, by_divergence = purses
        if cost.epsilon is not None and by_epsilon + cost.epsilon <= rule.epsilon:
            return by_epsilon + cost.epsilon, by_divergence
        if by_divergence + rule.price(cost) <= rule.limit:
            return by_epsilon, by_divergence + rule.price(cost)
        return None

    without_thresholds = [dish for dish in menu(budget) if dish[0].delta == 0]
    assert worst(1.0, without_thresholds, spend, (Fraction(0), Fraction(0))) > budget.delta * 1.1


def test_ten_tenths_fit_a_budget_of_one_and_the_eleventh_does_not():
    tenth = Cost.pure(to_fraction(0.1))
    for budget in (Budget(1), Budget(1, 1e-6)):
        spent = Cost.nothing()
        for _ in range(10):
            assert admits(budget, spent, tenth)
            spent += tenth
        assert not admits(budget, spent, tenth)
        assert not admits(budget, spent, Cost.pure(to_fraction(1e-300)))


def test_many_small_charts_are_cheaper_together():
    budget, small = Budget(1, 1e-6), Cost.pure(Fraction(1, 100))
    spent, charts = Cost.nothing(), 0
    while admits(budget, spent, small):
        spent, charts = spent + small, charts + 1
    assert charts > 300
    rule = PrivacyFilter.of(budget)
    assert rule.price(spent) <= rule.limit < rule.price(spent + small)


TABLE = [
    (Budget(1, 1e-6), 23.3, 1, 0.25, 0.0, 0.75),
    (Budget(1, 1e-6), 23.3, 10, 0.05, 0.66, 0.72),
    (Budget(2, 1e-6), 13.0, 1, 0.25, 1.55, 1.79),
]


@pytest.mark.parametrize(("budget", "order", "charts", "epsilon", "before", "then"), TABLE)
def test_a_gaussian_chart_still_fits_after_pure_ones(budget, order, charts, epsilon, before, then):
    """The figures of the change from ρ to one order."""
    spent = sum([Cost.pure(to_fraction(epsilon))] * charts, Cost.nothing())
    new, old = PrivacyFilter.of(budget), PrivacyFilter.concentrated(budget)
    assert new.order is not None
    assert round(float(new.order), 1) == order
    left = [Share.remaining(rule, spent) for rule in (old, new)]
    found = [float(epsilon_of(each.rho, new.converted_delta)) for each in left]
    assert [round(each, 2) for each in found] == [before, then]


def test_more_small_pure_charts_fit_than_by_rho():
    budget, tenth = Budget(4, 1e-7), Cost.pure(Fraction(1, 10))
    old, new = PrivacyFilter.concentrated(budget), PrivacyFilter.of(budget)
    assert [int(rule.limit / rule.price(tenth)) for rule in (old, new)] == [51, 56]


def test_a_pure_budget_refuses_gaussian_noise_and_thresholds():
    assert not admits(Budget(1), Cost.nothing(), Cost.gaussian(Fraction(1, 10**9)))
    threshold = Cost.pure(Fraction(1, 10), delta=Fraction(1, 10**9))
    assert not admits(Budget(1), Cost.nothing(), threshold)


def test_thresholds_may_be_charged_by_epsilon_but_never_beyond_the_reserve():
    budget = Budget(1, 1e-6)
    threshold = Cost.pure(Fraction(1, 2), delta=budget.threshold_delta / 2)
    assert admits(budget, threshold, threshold)
    assert not admits(
        budget, threshold + threshold, Cost(Fraction(0), Fraction(0), Fraction(1, 10**30))
    )


amounts = st.fractions(min_value=0, max_value=2)
costs = st.builds(Cost, st.none() | amounts, amounts, st.just(Fraction(0)))


@given(costs, costs, costs)
def test_what_does_not_fit_now_never_fits_later(spent, more, cost):
    budget = Budget(1, 0.1, weak=True)
    if admits(budget, spent + more, cost):
        assert admits(budget, spent, cost)
        assert admits(budget, spent, more)


@given(costs)
def test_what_remains_can_be_spent_in_each_currency_by_itself(spent):
    rule = PrivacyFilter.of(Budget(1, 0.1, weak=True))
    if not rule.admits(Cost.nothing(), spent):
        return
    left = Share.remaining(rule, spent)
    if left.epsilon:
        assert rule.admits(spent, Cost.pure(left.epsilon))
    if rule.price(spent) <= rule.limit:
        assert rule.admits(spent, Cost.gaussian(left.rho))
    assert (left.epsilon is None) == (spent.epsilon is None)


@given(costs)
def test_the_most_pure_epsilon_that_is_left_fits_and_hardly_more_does(spent):
    rule = PrivacyFilter.of(Budget(1, 0.1, weak=True))
    if rule.admits(Cost.nothing(), spent):
        most = find_pure(rule, spent)
        assert rule.admits(spent, Cost.pure(most))
        more = most * (1 + Fraction(1, 10**8)) + Fraction(1, 10**8)
        assert not rule.admits(spent, Cost.pure(more))


def tight_epsilon(charges: list[Cost], delta: float) -> float:
    """The ε that Google's accountant proves for Laplace and Gaussian charges together."""
    accounting = pytest.importorskip("dp_accounting")
    pld = pytest.importorskip("dp_accounting.pld")
    accountant = pld.PLDAccountant()
    for cost in charges:
        if cost.epsilon is None:
            event = accounting.GaussianDpEvent(math.sqrt(1 / (2 * float(cost.rho))))
        else:
            event = accounting.LaplaceDpEvent(1 / float(cost.epsilon))
        accountant.compose(event)
    return accountant.get_epsilon(delta)


def series(budget: Budget, factor: Fraction = Fraction(1)) -> list[Cost]:
    """Laplace and Gaussian charges that fill a ledger, or `factor` times it."""
    rule = PrivacyFilter.of(budget)
    laplace = [Cost.pure(rule.epsilon / 20)] * 10
    rest = factor * rule.limit - sum(rule.price(cost) for cost in laplace)
    return laplace + [Cost.gaussian(rule.currency.rho(rest / 4))] * 4


@pytest.mark.parametrize("budget", [Budget(1, 1e-6), Budget(3, 1e-5, reserve=0)], ids=repr)
def test_an_independent_accountant_agrees_that_a_filled_ledger_keeps_its_promise(budget):
    charges = series(budget)
    spent = sum(charges[:-1], Cost.nothing())
    assert admits(budget, spent, charges[-1])
    assert not admits(budget, spent + charges[-1], Cost.gaussian(Fraction(1, 10**9)))
    assert tight_epsilon(charges, budget.delta) <= budget.epsilon


def test_an_independent_accountant_notices_a_ledger_that_lets_too_much_through():
    budget = Budget(1, 1e-6)
    assert tight_epsilon(series(budget, Fraction(2)), budget.delta) > budget.epsilon
