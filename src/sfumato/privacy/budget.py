"""`Budget`: how much privacy may be spent; between ρ and (ε, δ), never rounding in its favour."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache

from sfumato.errors import BudgetError
from sfumato.privacy.cost import exactly, float_above, float_below, show

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


LARGEST_EPSILON = 1e12
"""Far beyond any promise; larger numbers would overflow when the promise is restated."""

WEAK_EPSILON = 10.0
"""A larger ε protects little, and is granted only to whoever says so."""

WEAK_DELTA = 1e-3
"""So does a δ that is not below this."""


@dataclass(frozen=True)
class Budget:
    """An upper limit on privacy loss: pure ε, or ε with a small probability δ.

    Parameters
    ----------
    epsilon
        The largest privacy loss.
    delta
        The probability with which ε may be exceeded. There is no default but none at all.
    reserve
        The part of δ kept for thresholds (`sfumato.private`); the rest pays for the tight
        conversion of Gaussian noise. Half of δ unless you say otherwise.
    weak
        Allow a guarantee that protects little: an ε above 10, or a δ of 0.001 or more. Every
        figure then says so.

    Examples
    --------
    >>> Budget(epsilon=1)
    Budget(epsilon=1.0)
    >>> Budget(epsilon=2, delta=1e-6).pure
    False
    >>> Budget(epsilon=100)
    Traceback (most recent call last):
    ...
    sfumato.errors.BudgetError: Budget(epsilon=100.0) protects little: ε = 100 is above 10. ...
    """

    epsilon: float
    delta: float = 0.0
    reserve: float | None = None
    weak: bool = field(default=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _number(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", _number(self.delta, "delta"))
        if self.reserve is not None:
            object.__setattr__(self, "reserve", _number(self.reserve, "reserve"))
        if not 0 < self.epsilon <= LARGEST_EPSILON:
            raise BudgetError(
                f"Budget(epsilon={self.epsilon:g}) must be a finite number above 0. It bounds what "
                "anyone can learn about one person. Write Budget(epsilon=1)."
            )
        if not 0 <= self.delta < 1:
            raise BudgetError(
                f"Budget(delta={self.delta:g}) must be at least 0 and below 1. It is the chance "
                "that the promise fails; keep it far below one over the number of people. Write "
                "Budget(epsilon=1, delta=1e-6)."
            )
        if self.reserve is not None and not 0 <= self.reserve <= self.delta:
            raise BudgetError(
                f"Budget(reserve={self.reserve:g}) must lie between 0 and delta. It is the part of "
                "δ kept for thresholds. Leave it out, or write a smaller one."
            )
        object.__setattr__(self, "weak", self.weak is True)
        if not self.weak and (why := weakness(self.epsilon, self.delta)):
            raise BudgetError(
                f"{self!r} protects little: {why}. Whoever sees the chart could become nearly sure "
                "of what one person's rows say. Spend less, or write that you mean it: "
                f"{replace(self, weak=True)!r}."
            )

    def __repr__(self) -> str:
        parts = [f"epsilon={self.epsilon!r}"]
        parts += [f"delta={self.delta!r}"] if self.delta else []
        parts += [] if self.reserve is None else [f"reserve={self.reserve!r}"]
        parts += ["weak=True"] if self.weak else []
        return f"Budget({', '.join(parts)})"

    @classmethod
    def of(cls, spelling: Budget | float) -> Budget:
        """Read a budget from a bare number, which is pure ε."""
        return spelling if isinstance(spelling, Budget) else cls(_number(spelling, "epsilon"))

    @property
    def pure(self) -> bool:
        """Whether no failure probability is allowed."""
        return self.delta == 0

    @property
    def threshold_delta(self) -> Fraction:
        """The part of δ that thresholds may spend."""
        return exactly(self.delta) / 2 if self.reserve is None else exactly(self.reserve)

    @property
    def rho(self) -> Fraction:
        """The zero-concentrated privacy this budget buys; none where δ is zero."""
        return rho_within(exactly(self.epsilon), exactly(self.delta) - self.threshold_delta)


def weakness(epsilon: float, delta: float) -> str:
    """Say why a guarantee protects little, or nothing where it does not.

    Examples
    --------
    >>> weakness(100.0, 0.5)
    'ε = 100 is above 10, δ = 0.5 is not below 0.001'
    """
    high = f"ε = {show(exactly(epsilon), up=True)} is above {WEAK_EPSILON:g}"
    likely = f"δ = {show(exactly(delta), up=True)} is not below {WEAK_DELTA:g}"
    return ", ".join([high] * (epsilon > WEAK_EPSILON) + [likely] * (delta >= WEAK_DELTA))


def _number(value: object, name: str) -> float:
    try:
        return float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, OverflowError):
        pass
    raise BudgetError(
        f"{name} must be a number. Privacy is spent in exact amounts. Write Budget(epsilon=1)."
    )
