"""Random lists of charts, as their noise is priced: drawn once, then put to every accountant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.privacy.budget import Budget, Cost, Loss

BUDGETS = (
    Budget(1, 1e-6),
    Budget(2, 1e-6),
    Budget(4, 1e-7),
    Budget(0.5, 1e-8),
    Budget(10, 1e-5),
)
STEPS = (1, 2, 3, 8, 20, 2**30)
MOST = 50


@dataclass(frozen=True)
class Sizes:
    """How large the charts of a mix are, log-uniformly.

    Parameters
    ----------
    largest
        The largest ε of a pure chart, as a part of the budget's.
    fewest
        How many of the largest Gaussian charts would fill the budget.
    spread
        The largest over the smallest, of either.
    """

    largest: float
    fewest: float
    spread: float

    def __str__(self) -> str:
        return f"ε of 1/{self.spread / self.largest:g} to 1/{1 / self.largest:g} of the budget's"


WIDE = Sizes(largest=0.5, fewest=5, spread=100)
NARROW = Sizes(largest=0.1, fewest=20, spread=10)


def draw_mix(generator: np.random.Generator, budget: Budget, sizes: Sizes = WIDE) -> list[Cost]:
    """Return 1 to 50 charts, each with Laplace, Gaussian or exponential noise."""
    return [_draw_chart(generator, budget, sizes) for _ in range(generator.integers(1, MOST + 1))]


def _draw_chart(generator: np.random.Generator, budget: Budget, sizes: Sizes) -> Cost:
    kind, size = generator.integers(3), sizes.spread ** generator.uniform(-1, 0)
    epsilon = _shorten(budget.epsilon * sizes.largest * size)
    if kind == 0:
        return Cost.laplace(epsilon, int(generator.choice(STEPS)))
    if kind == 1:
        return Cost.exponential(epsilon)
    return Cost.gaussian(_shorten(float(budget.rho) / sizes.fewest * size))


def _shorten(amount: float) -> Fraction:
    return Fraction(f"{amount:.3g}")


def only_loss(cost: Cost) -> Loss | None:
    """Return what one chart of a mix loses; None for Gaussian noise."""
    return cost.losses[0] if cost.losses else None


def sigma(cost: Cost) -> float:
    """Return the scale of Gaussian noise for a sensitivity of 1."""
    return 1 / math.sqrt(2 * float(cost.rho))
