"""A part of a budget: what it costs, and what noise or choice it buys."""

from fractions import Fraction

import numpy as np
import pytest

from charts.spending import own_rule
from sfumato.charts.allocation import Allocation, add_noise
from sfumato.errors import BudgetError
from sfumato.exact import Exact
from sfumato.privacy.budget import Budget, Cost
from sfumato.testing import metered

SHARES = [Fraction(1), Fraction(1, 3), Fraction(29, 100), Fraction(1, 10**9)]
BUDGETS = [Budget(0.7), Budget(0.7, 1e-6), Budget(3.0, 1e-9)]


def test_a_pure_budget_is_spent_in_epsilon():
    part = Allocation.of(Budget(0.7)).part(Fraction(1, 7))
    assert part.epsilon == part.choice == Fraction(1, 10)
    for weight in (1, 20):
        assert part.cost(weight) == Cost.laplace(Fraction(1, 10), weight)


@pytest.mark.parametrize("share", SHARES, ids=str)
@pytest.mark.parametrize("budget", BUDGETS[1:], ids=str)
def test_under_a_delta_every_mechanism_diverges_by_the_same(budget, share):
    part, rule = Allocation.of(budget).part(share), own_rule(budget)
    assert part.amount == share * rule.limit
    nearly = part.amount * (1 - Fraction(1, 10**8))
    assert nearly < rule.price(Cost.pure(part.epsilon)) <= part.amount
    assert nearly < rule.price(Cost.exponential(part.choice)) <= part.amount
    for weight in (1, 20):
        assert part.cost(weight) == Cost.gaussian(part.rho)
        assert rule.price(part.cost(weight)) == part.amount


@pytest.mark.parametrize("share", SHARES, ids=str)
@pytest.mark.parametrize("budget", BUDGETS[1:], ids=str)
def test_a_choice_at_the_price_of_other_pure_mechanisms_would_be_noticed(budget, share):
    """The twin: ranges and randomised response are told apart, and are as four to one if small."""
    part, rule = Allocation.of(budget).part(share), own_rule(budget)
    assert rule.price(Cost.pure(part.choice)) > 1.05 * part.amount
    if share < Fraction(1, 100):
        assert part.choice == pytest.approx(2 * part.epsilon, rel=1e-3)


@pytest.mark.parametrize("weight", [1, 20, 2**30])
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_noise_of_the_planned_law_costs_what_was_planned(budget, weight):
    part = Allocation.of(budget).part(Fraction(1, 3))
    exact = Exact(weight, weight**2, 1.0, np.array([3, 5]))
    cost, order = part.cost(weight), Fraction(20)
    assert metered(add_noise, exact, part.law(weight)).cost.within(cost, order)
    careless = Exact(weight + 1, (weight + 1) ** 2, 1.0, np.array([3, 5]))
    assert not metered(add_noise, careless, part.law(weight)).cost.within(cost, order)


def test_parts_add_up_to_the_whole():
    whole = Allocation.of(BUDGETS[1])
    parts = [whole.part(share) for share in (Fraction(1, 100), Fraction(7, 10), Fraction(29, 100))]
    assert sum((part.amount for part in parts), Fraction(0)) == whole.amount


def test_thresholds_that_take_all_of_delta_are_refused():
    with pytest.raises(BudgetError, match="all of the chart's δ"):
        Allocation.of(Budget(1, 1e-6), Fraction(1, 10**6))
