"""What part of its budget a plan spends, by the rule of a ledger that holds nothing else."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import Budget, Cost, plain_above


def own_rule(budget: Budget, thresholds: Fraction = Fraction(0)) -> PrivacyFilter:
    """Return the filter of a budget of which thresholds take just this δ."""
    return PrivacyFilter.of(replace(budget, reserve=plain_above(thresholds)))


def part_spent(cost: Cost, budget: Budget) -> Fraction:
    """Return the divergence of a cost at the order of its budget, over the most that may be."""
    rule = own_rule(budget, cost.delta)
    return rule.price(cost) / rule.limit


def fills(cost: Cost, budget: Budget) -> bool:
    """Tell whether a cost spends a budget with a δ: no more, and less only by rounding."""
    return 1 - Fraction(1, 10**8) < part_spent(cost, budget) <= 1
