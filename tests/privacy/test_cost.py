from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetError
from sfumato.privacy.budget import Cost

HALF = Fraction(1, 2)

amounts = st.fractions(min_value=0, max_value=100)
costs = st.builds(Cost, st.none() | amounts, amounts, amounts)


def test_each_kind_of_mechanism_has_its_price():
    assert (Cost.pure(HALF).epsilon, Cost.pure(HALF).rho) == (HALF, Fraction(1, 8))
    assert Cost.pure(HALF) == Cost.laplace(HALF, 1)
    choice = Cost.exponential(HALF)
    assert (choice.epsilon, choice.rho) == (HALF, Fraction(1, 32))
    assert Cost.gaussian(HALF) == Cost(None, HALF)
    assert Cost.pure(HALF, delta=Fraction(1, 9)).delta == Fraction(1, 9)


@given(costs, costs)
def test_prices_add_up_in_every_currency(one, other):
    both = one + other
    assert both.rho == one.rho + other.rho
    assert both.delta == one.delta + other.delta
    assert (both.epsilon is None) == (one.epsilon is None or other.epsilon is None)
    assert one.within(both)


ORDERS = [Fraction(3, 2), Fraction(20), Fraction(10**6)]
losses = st.sampled_from(
    [Cost.pure(HALF), Cost.laplace(HALF, 7), Cost.exponential(HALF), Cost.gaussian(HALF)]
)


@given(st.lists(losses, max_size=6), st.sampled_from(ORDERS))
def test_divergences_add_up_exactly(parts, order):
    whole = sum(parts, Cost.nothing())
    assert whole.diverge(order) == sum(part.diverge(order) for part in parts)
    assert whole.diverge(order) <= order * whole.rho
    assert sum(reversed(parts), Cost.nothing()) == whole


def test_losses_that_come_to_more_than_the_cost_are_refused():
    (loss,) = Cost.pure(HALF).losses
    for cost in ((HALF, Fraction(1, 9)), (Fraction(1, 3), Fraction(1, 8))):
        with pytest.raises(BudgetError, match="come to more"):
            Cost(*cost, Fraction(0), (loss,))


@given(costs)
def test_nothing_changes_nothing(cost):
    assert cost + Cost.nothing() == cost


def test_gaussian_noise_never_regains_an_epsilon():
    assert (Cost.gaussian(HALF) + Cost.pure(HALF)).epsilon is None


@pytest.mark.parametrize(
    ("cost", "fits"),
    [
        (Cost(HALF, HALF, HALF), True),
        (Cost(1 + HALF, HALF, HALF), False),
        (Cost(HALF, 1 + HALF, HALF), False),
        (Cost(HALF, HALF, 1 + HALF), False),
        (Cost(None, HALF, HALF), False),
    ],
)
def test_a_cost_is_within_another_only_in_every_currency(cost, fits):
    one = Fraction(1)
    assert cost.within(Cost(one, one, one)) is fits


def test_a_plan_without_epsilon_promises_none():
    assert Cost.pure(HALF).within(Cost.gaussian(HALF))


@pytest.mark.parametrize(
    "amounts",
    [
        (Fraction(-1), Fraction(1), Fraction(1)),
        (Fraction(1), Fraction(-1), Fraction(1)),
        (None, Fraction(1), Fraction(-1)),
        (0.1, Fraction(1), Fraction(0)),
        (Fraction(1), 1, Fraction(0)),
        (Fraction(1), float("nan"), Fraction(0)),
    ],
)
def test_a_cost_that_refunds_or_rounds_is_refused(amounts):
    with pytest.raises(BudgetError, match="at least 0"):
        Cost(*amounts)


def test_a_cost_is_shown_rounded_up():
    assert (
        str(Cost.pure(Fraction(1, 3), delta=Fraction(1, 3)))
        == "ε = 0.3334, ρ = 0.05556, δ = 0.3334"
    )
    assert repr(Cost.gaussian(HALF)) == "Cost(ρ = 0.5)"
