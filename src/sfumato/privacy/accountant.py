"""Whether a charge fits a budget. The argument stands in `accountant.md`."""

from __future__ import annotations

from fractions import Fraction

from sfumato.privacy.amount import exactly
from sfumato.privacy.budget import Budget
from sfumato.privacy.cost import Cost


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
    by_epsilon = total.epsilon is not None and total.epsilon <= exactly(budget.epsilon)
    return by_epsilon or total.rho <= budget.rho


def remaining(budget: Budget, spent: Cost) -> Cost:
    """Return what is left in each currency; None for an ε that Gaussian charges have closed."""
    epsilon = None
    if spent.epsilon is not None:
        epsilon = max(Fraction(0), exactly(budget.epsilon) - spent.epsilon)
    return Cost(
        epsilon,
        max(Fraction(0), budget.rho - spent.rho),
        max(Fraction(0), budget.threshold_delta - spent.delta),
    )
