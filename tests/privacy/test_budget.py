from fractions import Fraction

import pytest

from sfumato.errors import BudgetError
from sfumato.privacy.budget import Budget


def test_a_bare_number_is_pure_epsilon():
    assert Budget.of(0.5) == Budget(epsilon=0.5)
    assert Budget.of(1).pure
    budget = Budget(1, 1e-6)
    assert Budget.of(budget) is budget


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), 10**400, "much", None])
def test_epsilon_is_a_finite_number_above_zero(epsilon):
    with pytest.raises(BudgetError, match=r"Write Budget\(epsilon=1\)\.$"):
        Budget(epsilon=epsilon)


@pytest.mark.parametrize("delta", [-1e-9, 1, 2.0, float("nan"), float("inf")])
def test_delta_is_at_least_zero_and_below_one(delta):
    with pytest.raises(BudgetError, match=r"Write Budget\(epsilon=1, delta=1e-6\)\.$"):
        Budget(epsilon=1, delta=delta)


@pytest.mark.parametrize("reserve", [-1e-9, 2e-6, float("nan"), "half"])
def test_the_reserve_is_a_part_of_delta(reserve):
    with pytest.raises(BudgetError, match="reserve"):
        Budget(epsilon=1, delta=1e-6, reserve=reserve)


def test_a_pure_budget_has_nothing_but_epsilon():
    budget = Budget(1)
    assert (budget.rho, budget.threshold_delta) == (0, 0)


def test_half_of_delta_is_kept_for_thresholds_unless_said_otherwise():
    assert Budget(1, 1e-6).threshold_delta == Fraction(1, 2 * 10**6)
    assert Budget(1, 1e-6, reserve=1e-7).threshold_delta == Fraction(1, 10**7)


def test_delta_pays_for_thresholds_or_for_gaussian_noise_but_not_for_both():
    all_kept = Budget(1, 1e-6, reserve=1e-6)
    none_kept = Budget(1, 1e-6, reserve=0)
    assert all_kept.rho == 0
    assert 0 < Budget(1, 1e-6).rho < none_kept.rho


@pytest.mark.parametrize(
    "budget",
    [Budget(1), Budget(0.1, 1e-6), Budget(2, 1e-6, reserve=0), Budget(1e-9, 0.5, weak=True)],
)
def test_a_budget_can_be_typed_as_it_is_shown(budget):
    assert eval(repr(budget)) == budget


def test_a_budget_does_not_change():
    with pytest.raises(AttributeError):
        Budget(1).epsilon = 2  # pyright: ignore


@pytest.mark.parametrize(
    "numbers", [(10.000001, 0.0), (100, 1e-9), (1, 0.001), (1, 0.5), (1e12, 0.999)]
)
def test_a_budget_that_protects_little_is_granted_only_to_whoever_says_so(numbers):
    with pytest.raises(BudgetError, match=r"protects little: .* write that you mean it: Budget\("):
        Budget(*numbers)
    for word in ("yes", 1, None):
        with pytest.raises(BudgetError, match="protects little"):
            Budget(*numbers, weak=word)
    assert eval(repr(Budget(*numbers, weak=True))) == Budget(*numbers, weak=True)


def test_a_bare_number_above_ten_is_refused():
    with pytest.raises(BudgetError, match="ε = 100 is above 10"):
        Budget.of(100)


def test_what_may_be_granted_without_a_word_ends_at_ten_and_below_a_thousandth():
    assert Budget(10, 0.000999).epsilon == 10


def test_budgets_are_equal_whoever_allowed_them():
    assert Budget(1, weak=True) == Budget(1)
    assert hash(Budget(1, weak=True)) == hash(Budget(1))
