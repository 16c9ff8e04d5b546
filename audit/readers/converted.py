"""The conversion from what was spent to ε, once more and on its own, to judge promises by."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

_SLACK = 1 + 1e-6
"""The least is searched for on a grid here, and in decimals by the library."""

Losses = Sequence[dict[str, Any]]
"""What a document says of its losses."""


def epsilon_at_least(rho: float, delta: float, losses: Losses = ()) -> float:
    """Return the ε that a cost implies at δ, by Prop. 12 of Canonne, Kamath and Steinke (2020)."""
    if rho <= 0:
        return 0.0
    if delta <= 0:
        return math.inf
    rest = rho - sum(map(_rho, losses))

    def epsilon(point: float) -> float:
        alpha = 1 + math.exp(point)
        told = math.log(delta) + math.log(alpha - 1) - alpha * math.log1p(-1 / alpha)
        known = sum(_diverge(alpha, loss) for loss in losses)
        return known + alpha * rest - told / (alpha - 1)

    return _least(epsilon, -14.0, 28.0)


def _least(objective: Callable[[float], float], low: float, high: float) -> float:
    best = 0.0
    for _ in range(6):
        points = [low + (high - low) * step / 60 for step in range(61)]
        best = min(points, key=objective)
        low, high = best - (high - low) / 60, best + (high - low) / 60
    return objective(best)


def _rho(loss: dict[str, Any]) -> float:
    share = 2 if loss["family"] == "laplace" else 8
    return loss["times"] * float(Fraction(loss["epsilon"])) ** 2 / share


def _diverge(alpha: float, loss: dict[str, Any]) -> float:
    """Return how far noise diverges at an order, by sums over lattices and pairs of outcomes."""
    epsilon, laplace = float(Fraction(loss["epsilon"])), loss["family"] == "laplace"
    most = min(epsilon, alpha * epsilon**2 / (2 if laplace else 8))
    if epsilon < 1e-5 or alpha * epsilon > 300:  # floats would lose all digits
        return loss["times"] * most
    found = (
        _diverge_laplace(alpha, epsilon, epsilon / loss["steps"])
        if laplace
        else _diverge_range(alpha, epsilon)
    )
    return loss["times"] * min(most, found)


def _diverge_laplace(alpha: float, epsilon: float, step: float) -> float:
    """Sum three geometric series: left of both centres, between them, and right of both."""
    step = max(step, 1e-9)
    q = math.exp(-step)
    larger = math.expm1(-2 * alpha * step) / ((1 + q) * math.expm1(-(2 * alpha - 1) * step))
    smaller = (1 - larger) * math.exp(-(2 * alpha - 1) * epsilon)
    return epsilon + math.log(larger + smaller) / (alpha - 1)


def _diverge_range(alpha: float, epsilon: float) -> float:
    """Search for the worst pair of laws on two outcomes, whose log-ratios are `epsilon` apart."""

    def divergence(top: float) -> float:
        likely = -math.expm1(top - epsilon) / (math.exp(top) - math.exp(top - epsilon))
        ratios = likely * math.exp(alpha * top) + (1 - likely) * math.exp(alpha * (top - epsilon))
        return math.log(ratios) / (alpha - 1)

    low, high = 0.0, epsilon
    for _ in range(50):
        third = (high - low) / 3
        if divergence(low + third) < divergence(high - third):
            low += third
        else:
            high -= third
    return divergence((low + high) / 2)


def keeps(
    epsilon: Fraction,
    delta: Fraction,
    spent: tuple[Fraction | None, Fraction, Fraction],
    reserve: Fraction | None = None,
    losses: Losses = (),
) -> bool:
    """Tell whether what was spent (ε, ρ, δ of thresholds) keeps a promise of (ε, δ)."""
    pure, rho, thresholds = spent
    kept = thresholds if reserve is None else reserve
    if thresholds > min(kept, delta):
        return False
    if pure is not None and pure <= epsilon:
        return True
    needed = epsilon_at_least(float(rho), float(delta - kept), losses)
    return needed <= float(epsilon) * _SLACK
