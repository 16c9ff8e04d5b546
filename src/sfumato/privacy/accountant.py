"""Whether a charge fits a budget, and why not. The argument stands in `accountant.md`."""

from __future__ import annotations

from fractions import Fraction

from sfumato.errors import BudgetError
from sfumato.privacy.budget import Budget, Cost, format_amount, to_fraction


def admits(budget: Budget, spent: Cost, cost: Cost) -> bool:
    """Tell whether `cost` may be charged after `spent`.

    Either every charge has an ε and they sum to at most the budget's, or all ρ sum to at most
    what (ε, δ) converts to. Thresholds share the reserve of δ on both sides.

    Privacy
    -------
    All mechanisms admitted in this way are together (ε, δ)-DP, also when each is chosen, and
    priced, after looking at the answers of those before it.
    """
    total = spent + cost
    if total.delta > budget.threshold_delta:
        return False
    by_epsilon = total.epsilon is not None and total.epsilon <= to_fraction(budget.epsilon)
    return by_epsilon or total.rho <= budget.rho


def compute_remaining(budget: Budget, spent: Cost) -> Cost:
    """Return what is left in each currency; None for an ε that Gaussian charges have closed."""
    epsilon = None
    if spent.epsilon is not None:
        epsilon = max(Fraction(0), to_fraction(budget.epsilon) - spent.epsilon)
    return Cost(
        epsilon,
        max(Fraction(0), budget.rho - spent.rho),
        max(Fraction(0), budget.threshold_delta - spent.delta),
    )


_LIMIT = "Charts together must not reveal more than was promised."
_ADVICE = "Ask for less, or draw a saved release again: drawing is free."


def make_refusal(label: str, budget: Budget, spent: Cost, cost: Cost) -> BudgetError:
    """Return the error for a `cost` that `admits` refused, in the currency nearest to fitting."""
    total = spent + cost
    if total.delta > budget.threshold_delta:
        return _explain_reserve(label, budget, spent, cost)
    fits: list[tuple[Fraction, str]] = []
    if cost.epsilon is not None and spent.epsilon is not None:
        limit = to_fraction(budget.epsilon)
        words = _explain_overspending(label, "ε", cost.epsilon, spent.epsilon, limit)
        fits.append(((spent.epsilon + cost.epsilon) / limit, words))
    if budget.rho > 0:
        words = _explain_overspending(label, "ρ", cost.rho, spent.rho, budget.rho)
        fits.append((total.rho / budget.rho, words))
    if not fits:
        return _explain_missing_delta(label, budget)
    return BudgetError(min(fits)[1], _LIMIT, _ADVICE)


def _explain_overspending(
    label: str, currency: str, cost: Fraction, spent: Fraction, limit: Fraction
) -> str:
    return (
        f"{label} costs {currency} = {format_amount(cost, up=True)}, but "
        f"{format_amount(spent, up=True)} of {format_amount(limit, up=False)} is spent."
    )


def _explain_reserve(label: str, budget: Budget, spent: Cost, cost: Cost) -> BudgetError:
    price, kept = (
        format_amount(cost.delta, up=True),
        format_amount(budget.threshold_delta, up=False),
    )
    if budget.threshold_delta == 0:
        return BudgetError(
            (f"{label} costs δ = {price} for its threshold, but ", budget.spelled, " keeps none."),
            "A threshold fails with some small probability.",
            "Declare the categories, or begin a ledger whose budget has a delta.",
        )
    return BudgetError(
        f"{label} costs δ = {price}, but {format_amount(spent.delta, up=True)} of the {kept} kept "
        "for thresholds is spent.",
        _LIMIT,
        _ADVICE,
    )


def _explain_missing_delta(label: str, budget: Budget) -> BudgetError:
    return BudgetError(
        (f"{label} uses Gaussian noise, which needs δ, but ", budget.spelled, " has none for it."),
        "The promise of Gaussian noise fails with some small probability.",
        "Ask for Laplace noise, or begin a ledger whose budget has a delta.",
    )
