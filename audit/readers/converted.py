"""The conversion from ρ to ε, once more and on its own, to judge promises by."""

from __future__ import annotations

import math
from fractions import Fraction

_SLACK = 1 + 1e-6
"""The least is searched for on a grid here, and in decimals by the library."""


def epsilon_at_least(rho: float, delta: float) -> float:
    """Return the ε that ρ-zCDP implies at δ, by Prop. 12 of Canonne, Kamath and Steinke (2020)."""
    if rho <= 0:
        return 0.0
    if delta <= 0:
        return math.inf
    low, high = -14.0, 28.0
    best = 0.0
    for _ in range(6):
        points = [low + (high - low) * step / 60 for step in range(61)]
        best = min(points, key=lambda point: _epsilon(1 + math.exp(point), rho, delta))
        low, high = best - (high - low) / 60, best + (high - low) / 60
    return _epsilon(1 + math.exp(best), rho, delta)


def _epsilon(alpha: float, rho: float, delta: float) -> float:
    told = math.log(delta) + math.log(alpha - 1) - alpha * math.log1p(-1 / alpha)
    return alpha * rho - told / (alpha - 1)


def keeps(
    epsilon: Fraction,
    delta: Fraction,
    spent: tuple[Fraction | None, Fraction, Fraction],
    reserve: Fraction | None = None,
) -> bool:
    """Tell whether what was spent (ε, ρ, δ of thresholds) keeps a promise of (ε, δ)."""
    pure, rho, thresholds = spent
    kept = thresholds if reserve is None else reserve
    if thresholds > min(kept, delta):
        return False
    if pure is not None and pure <= epsilon:
        return True
    return epsilon_at_least(float(rho), float(delta - kept)) <= float(epsilon) * _SLACK
