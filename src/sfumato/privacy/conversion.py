"""Between ρ (zero-concentrated privacy) and (ε, δ), never rounding in the user's favour.

For every α > 1, ρ-zCDP implies (ε, δ)-DP with

    ln δ = (α − 1)(αρ − ε) − ln(α − 1) + α ln(1 − 1/α)

(Canonne, Kamath and Steinke 2020, Prop. 12). Each α gives a valid statement, so a good α is looked
for in floating point and the statement for it is evaluated in 50-digit decimals, whose `ln` is
correctly rounded; a margin of 10⁻³⁰ then covers every rounding on the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache

from sfumato.privacy.amount import float_above, float_below

_MARGIN = Fraction(1, 10**30)
_PRECISE = Context(prec=50)


@cache
def rho_within(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest ρ we can prove to imply (ε, δ)-DP; none without a δ.

    Examples
    --------
    >>> round(float(rho_within(Fraction(1), Fraction(1, 10**6))), 4)
    0.0244
    """
    if delta <= 0:
        return Fraction(0)
    log_delta = _log(delta)
    alpha = _least(lambda a: -(float(epsilon) + _rough_slack(a, float(log_delta))) / a)
    rho = (epsilon + _slack(alpha, log_delta)) / Fraction(alpha)
    return Fraction(float_below(max(Fraction(0), rho)))


@cache
def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """Return the smallest ε we can prove for ρ-zCDP at this δ."""
    if rho == 0:
        return Fraction(0)
    log_delta = _log(delta)
    alpha = _least(lambda a: float(rho) * a - _rough_slack(a, float(log_delta)))
    epsilon = Fraction(alpha) * rho - _slack(alpha, log_delta)
    return Fraction(float_above(max(Fraction(0), epsilon)))


def _slack(alpha: float, log_delta: Decimal) -> Fraction:
    """Return at most (ln δ + ln(α − 1) − α ln(1 − 1/α)) / (α − 1)."""
    with localcontext(_PRECISE):
        a = Decimal(alpha)
        value = (log_delta + (a - 1).ln() - a * ((a - 1) / a).ln()) / (a - 1)
        return Fraction(value) - _MARGIN * (1 + abs(Fraction(value)))


def _rough_slack(alpha: float, log_delta: float) -> float:
    return (log_delta + math.log(alpha - 1) - alpha * math.log1p(-1 / alpha)) / (alpha - 1)


def _log(delta: Fraction) -> Decimal:
    with localcontext(_PRECISE):
        return (Decimal(delta.numerator) / Decimal(delta.denominator)).ln()


def _least(objective: Callable[[float], float]) -> float:
    """Return an α > 1 near the least of `objective`, by refining a grid in ln(α − 1)."""
    low, high = math.log(1e-6), math.log(1e12)
    best = 0.0
    for _ in range(8):
        step = (high - low) / 40
        points = [low + step * i for i in range(41)]
        best = min(points, key=lambda point: objective(1 + math.exp(point)))
        low, high = best - step, best + step
    return 1 + math.exp(best)
