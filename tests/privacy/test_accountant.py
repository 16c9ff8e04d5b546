"""The rule of `accountant.md`, played against by the worst analyst a small menu allows."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.privacy.accountant import admits, compute_remaining
from sfumato.privacy.budget import Budget, Cost, rho_within, to_fraction

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


def menu(budget: Budget) -> Menu:
    """Whole and half portions of ε, of ρ and of the reserve, and the ρ that all of δ would buy."""
    epsilon, kept = to_fraction(budget.epsilon), budget.threshold_delta
    dishes = [response(epsilon), response(epsilon / 2), response(epsilon / 4)]
    if kept:
        dishes += [response(Fraction(0), kept), response(epsilon / 2, kept / 2)]
    whole = rho_within(epsilon, to_fraction(budget.delta))
    return dishes + [gaussian(rho) for rho in {budget.rho, budget.rho / 2, whole} if rho]


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


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
def test_no_adaptive_analyst_gets_beyond_epsilon_and_delta(budget):
    excess = worst(budget.epsilon, menu(budget), by(budget, admits), Cost.nothing())
    assert excess <= budget.delta + 1e-12


@pytest.mark.parametrize("budget", [budget for budget in BUDGETS if budget.rho], ids=repr)
def test_the_two_regions_together_gain_no_more_than_rho_alone_and_the_reserve(budget):
    """The union of the regions costs nothing: a sharper test than δ, free of the conversion."""
    dishes, kept = menu(budget), budget.threshold_delta
    together = worst(budget.epsilon, dishes, by(budget, admits), Cost.nothing())
    alone = by(budget, lambda limit, spent, cost: (spent + cost).rho <= limit.rho)
    pure_rho = [dish for dish in dishes if dish[0].delta == 0]
    assert together <= worst(budget.epsilon, pure_rho, alone, Cost.nothing()) + float(kept) + 1e-12


def test_an_analyst_may_end_one_branch_on_either_side():
    budget = Budget(1, 0.1, weak=True)
    first = response(Fraction(1, 4))[0]
    assert admits(budget, Cost.nothing(), first)
    by_epsilon, by_rho = Cost.pure(Fraction(3, 4)), Cost.gaussian(budget.rho - first.rho)
    assert admits(budget, first, by_epsilon)
    assert admits(budget, first, by_rho)
    assert not admits(budget, first + by_epsilon, by_rho)
    assert not admits(budget, first + by_rho, by_epsilon)


def all_of_delta_twice(budget: Budget, spent: Cost, cost: Cost) -> bool:
    total, epsilon = spent + cost, to_fraction(budget.epsilon)
    by_epsilon = total.epsilon is not None and total.epsilon <= epsilon
    by_rho = total.rho <= rho_within(epsilon, to_fraction(budget.delta))
    return total.delta <= budget.threshold_delta and (by_epsilon or by_rho)


def no_reserve_by_epsilon(budget: Budget, spent: Cost, cost: Cost) -> bool:
    total = spent + cost
    by_epsilon = total.epsilon is not None and total.epsilon <= to_fraction(budget.epsilon)
    return by_epsilon or (total.delta <= budget.threshold_delta and total.rho <= budget.rho)


@pytest.mark.parametrize("broken", [all_of_delta_twice, no_reserve_by_epsilon])
@pytest.mark.parametrize(
    "budget", [Budget(1, 0.1, reserve=0.09, weak=True), Budget(2, 1e-3, reserve=9e-4, weak=True)]
)
def test_a_rule_that_spends_delta_twice_is_caught(budget, broken):
    excess = worst(budget.epsilon, menu(budget), by(budget, broken), Cost.nothing())
    assert excess > budget.delta * 1.02


def test_a_rule_with_two_purses_is_caught():
    budget = Budget(1, 0.1, weak=True)

    def spend(purses, cost):
        by_epsilon, by_rho = purses
        if cost.epsilon is not None and by_epsilon + cost.epsilon <= to_fraction(budget.epsilon):
            return by_epsilon + cost.epsilon, by_rho
        if by_rho + cost.rho <= budget.rho:
            return by_epsilon, by_rho + cost.rho
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


def test_many_small_charts_are_cheaper_by_rho():
    budget, small = Budget(1, 1e-6), Cost.pure(Fraction(1, 100))
    spent, charts = Cost.nothing(), 0
    while admits(budget, spent, small):
        spent, charts = spent + small, charts + 1
    assert charts > 300
    assert spent.rho <= budget.rho


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
    budget = Budget(1, 0.1, weak=True)
    if not admits(budget, Cost.nothing(), spent):
        return
    left = compute_remaining(budget, spent)
    if left.epsilon:
        assert admits(budget, spent, Cost.pure(left.epsilon))
    if spent.rho <= budget.rho:
        assert admits(budget, spent, Cost.gaussian(left.rho))
    assert (left.epsilon is None) == (spent.epsilon is None)


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
    """Laplace and Gaussian charges that fill the ρ of a budget, or `factor` times it."""
    laplace = [Cost.pure(to_fraction(budget.epsilon) / 20)] * 10
    rest = factor * budget.rho - sum(cost.rho for cost in laplace)
    return laplace + [Cost.gaussian(rest / 4)] * 4


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
