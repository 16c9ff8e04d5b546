"""Accountants that admit charts one by one: our ledger, other orders, and the tightest known."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from budgets.mixes import only_loss, sigma
from sfumato.errors import BudgetError
from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import Budget, Conversion, Cost, convert, implies, to_fraction
from sfumato.privacy.currency import Renyi
from sfumato.privacy.ledger import Ledger


class Accountant(ABC):
    """Someone who keeps a budget."""

    @abstractmethod
    def charge(self, cost: Cost) -> bool:
        """Admit a chart, or refuse it and stay as before."""


def count_prefix(accountant: Accountant, mix: Sequence[Cost]) -> int:
    """Return how many charts are admitted until the first refusal."""
    for number, cost in enumerate(mix):
        if not accountant.charge(cost):
            return number
    return len(mix)


def count_all(accountant: Accountant, mix: Sequence[Cost]) -> int:
    """Return how many charts are admitted where those that do not fit are skipped."""
    return sum(accountant.charge(cost) for cost in mix)


class Ours(Accountant):
    """A ledger, charged as a session does."""

    def __init__(self, budget: Budget) -> None:
        self.ledger = Ledger.memory(budget=budget)

    def charge(self, cost: Cost) -> bool:
        try:
            self.ledger.charge("chart", cost)
        except BudgetError:
            return False
        return True


class ByRule(Accountant):
    """A rule of our form: pure ε, or divergences at its order, or ρ."""

    def __init__(self, rule: PrivacyFilter) -> None:
        self.rule, self.spent = rule, Cost.nothing()

    def charge(self, cost: Cost) -> bool:
        if not self.rule.admits(self.spent, cost):
            return False
        self.spent += cost
        return True


def list_orders(budget: Budget, delta: Fraction) -> list[PrivacyFilter]:
    """Return rules at many orders, for which a divergence implies the budget's ε at this δ."""
    best = convert(to_fraction(budget.epsilon), delta)
    assert best is not None
    found = []
    for power in range(-12, 13):
        order = 1 + (best.order - 1) * Fraction(f"{1.12**power:.4g}")
        limit = _largest_limit(order, to_fraction(budget.epsilon), delta)
        if limit > 0:
            found.append(PrivacyFilter(budget, Renyi(order), limit))
    return found


@cache
def _largest_limit(order: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    low, high = Fraction(0), epsilon * 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if implies(order, middle, epsilon, delta) else (low, middle)
    return Conversion(order, low).limit


PLD_IS_MISSING = (
    "dp-accounting is not installed, so nothing is compared with a PLD accountant: "
    "pip install sfumato[accounting]"
)


def has_pld() -> bool:
    """Tell whether Google's accountant is here."""
    try:
        import dp_accounting.pld  # noqa: F401
    except ImportError:
        return False
    return True


@dataclass
class Tightest(Accountant):
    """Google's accountant of whole privacy loss distributions, for a list that is fixed beforehand.

    It spends all of δ on noise, and may be wrong for charts that are chosen by looking.

    Parameters
    ----------
    order
        Exponential mechanisms enter as the pair of laws on two outcomes that is worst at this
        order. No single pair is worst for all orders, so that this admits at least as many as any
        proof could.
    """

    budget: Budget
    order: Fraction
    loss: Any = None

    def charge(self, cost: Cost) -> bool:
        new = _distribute(cost, self.order, self.budget.epsilon / 2000)
        together = new if self.loss is None else self.loss.compose(new)
        if together.get_delta_for_epsilon(self.budget.epsilon) > self.budget.delta:
            return False
        self.loss = together
        return True


@cache
def _distribute(cost: Cost, order: Fraction, interval: float) -> Any:
    """Return the privacy loss distribution of one chart."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    loss = only_loss(cost)
    if loss is None:
        return pld.from_gaussian_mechanism(sigma(cost), value_discretization_interval=interval)
    epsilon = float(loss.epsilon)
    if loss.family == "laplace" and loss.steps > 1000:
        return pld.from_laplace_mechanism(1 / epsilon, value_discretization_interval=interval)
    if loss.family == "laplace":
        outcomes = laplace_outcomes(epsilon, loss.steps)
    else:
        outcomes = choice_outcomes(epsilon, float(order))
    upper, lower = (
        {i: math.log(x) for i, x in enumerate(side)} for side in zip(*outcomes, strict=True)
    )
    return pld.from_two_probability_mass_functions(
        lower, upper, value_discretization_interval=interval
    )


def laplace_outcomes(epsilon: float, steps: int) -> list[tuple[float, float]]:
    """Return both laws of shifted noise; beyond the centres nothing more is told, or lost."""
    decay = math.exp(-epsilon / steps)
    norm, end = (1 + decay) / (1 - decay), 1 / (1 - decay)
    far = decay**steps * end
    inner = [(decay**place, decay ** (steps - place)) for place in range(1, steps)]
    return [(x / norm, y / norm) for x, y in [(end, far), (far, end), *inner]]


def choice_outcomes(epsilon: float, order: float) -> list[tuple[float, float]]:
    """Return the two laws of range ε that diverge most at an order."""
    shrunk = math.exp(-order * epsilon)
    top = math.log((order - 1) * (1 - shrunk) / (order * (math.exp(-epsilon) - shrunk)))
    second = (math.exp(-top) - math.exp(-epsilon)) / (1 - math.exp(-epsilon))
    first = second * math.exp(top)
    return [(first, second), (1 - first, 1 - second)]
