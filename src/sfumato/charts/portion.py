"""`Portion`: a part of a chart's budget, and the noise it buys."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BudgetError
from sfumato.exact import Exact
from sfumato.mechanisms.gaussian import gaussian, gaussian_scale
from sfumato.mechanisms.laplace import laplace, laplace_scale
from sfumato.mechanisms.meter import Meter
from sfumato.phrases import PrivateSearch
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Budget, Cost, exactly, float_below, plain_above


@dataclass(frozen=True)
class Portion:
    """An amount of pure ε or, where the budget has a δ, of ρ."""

    amount: Fraction
    pure: bool

    @classmethod
    def of(cls, budget: Budget, thresholds: Fraction = Fraction(0)) -> Portion:
        """Return all of a chart's budget, less the δ that its thresholds take."""
        if budget.pure:
            return cls(exactly(budget.epsilon), pure=True)
        if thresholds >= exactly(budget.delta):
            raise BudgetError(
                "The private search for categories takes all of the chart's δ.",
                "Gaussian noise needs some of it too.",
                ("Ask for a smaller one: ", PrivateSearch(delta=1e-7), "."),
            )
        spending = replace(budget, reserve=plain_above(thresholds))
        return cls(spending.rho, pure=False)

    def part(self, share: Fraction) -> Portion:
        """Return a share of this portion."""
        return Portion(self.amount * share, self.pure)

    @property
    def epsilon(self) -> Fraction:
        """What a mechanism with pure privacy may spend: ε, or the ε whose ε²/2 is ρ."""
        return self.amount if self.pure else _root(2 * self.amount)

    @property
    def choice(self) -> Fraction:
        """What an exponential mechanism may spend: ε, or the ε whose ε²/8 is ρ."""
        return self.amount if self.pure else _root(8 * self.amount)

    @property
    def cost(self) -> Cost:
        """What the ledger is charged when noise spends this portion."""
        return Cost.pure(self.amount) if self.pure else Cost.gaussian(self.amount)

    def law(self, weight: int) -> NoiseLaw:
        """Return the noise to add to sums that one unit can move by `weight` steps."""
        if self.pure:
            return NoiseLaw("laplace", laplace_scale(weight, self.amount))
        return NoiseLaw("gaussian", gaussian_scale(weight**2, self.amount))


def _root(square: Fraction) -> Fraction:
    """Return a float whose square is at most `square`, and almost as much."""
    root = Fraction(float_below(Fraction(math.sqrt(square))))
    while root**2 > square:
        root = Fraction(math.nextafter(float(root), 0.0))
    return root


def add_noise(meter: Meter, exact: Exact, law: NoiseLaw) -> NDArray[np.int64]:
    """Add noise of the planned law.

    Privacy
    -------
    As `sfumato.mechanisms.laplace` and `sfumato.mechanisms.gaussian` state.
    """
    if law.kind == "laplace":
        return laplace(meter, exact, scale=law.scale)
    return gaussian(meter, exact, scale=law.scale)
