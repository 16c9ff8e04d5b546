"""`Cost`: what a mechanism spends, in every currency it has a price in; exact amounts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from sys import float_info

from sfumato.errors import BudgetError

_LARGEST = Fraction(float_info.max)


def exactly(amount: float) -> Fraction:
    """Return the number a person means by a float: 0.1 is one tenth.

    Ten charts at ε = 0.1 then fit a budget of 1, as everyone expects. Noise scales are computed
    from the fraction and rounded up, so nothing is lost by reading it this way.

    Examples
    --------
    >>> exactly(0.1) * 10
    Fraction(1, 1)
    """
    return Fraction(repr(float(amount)))


def float_above(amount: Fraction) -> float:
    """Return the smallest float that is at least `amount`, which may be infinity."""
    if amount > _LARGEST:
        return math.inf
    nearest = float(amount)
    return nearest if Fraction(nearest) >= amount else math.nextafter(nearest, math.inf)


def float_below(amount: Fraction) -> float:
    """Return the largest float that is at most `amount`."""
    return -float_above(-amount)


def plain_above(amount: Fraction) -> float:
    """Return the smallest float that means at least `amount` when it is read by `exactly`.

    Examples
    --------
    >>> plain_above(Fraction(1, 10**7))
    1e-07
    """
    if amount > _LARGEST:
        return math.inf
    nearest = float(amount)
    return nearest if exactly(nearest) >= amount else math.nextafter(nearest, math.inf)


def show(amount: Fraction, *, up: bool, digits: int = 4) -> str:
    """Write `amount` in a few digits, rounded up (what is spent) or down (what is left).

    Examples
    --------
    >>> show(Fraction(1, 3), up=True), show(Fraction(1, 3), up=False)
    ('0.3334', '0.3333')
    """
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    short = context.divide(Decimal(amount.numerator), Decimal(amount.denominator))
    return f"{float(short):.{digits}g}"


@dataclass(frozen=True)
class Cost:
    """The price of a release; prices add up.

    Parameters
    ----------
    epsilon
        Pure ε, or None for a mechanism without one (Gaussian noise).
    rho
        Zero-concentrated privacy.
    delta
        The probability that a threshold fails, over and above what ε and ρ say.

    Examples
    --------
    >>> Cost.pure(Fraction(1, 2))
    Cost(ε = 0.5, ρ = 0.125)
    """

    epsilon: Fraction | None
    rho: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        epsilon = Fraction(0) if self.epsilon is None else self.epsilon
        if not all(map(_fits, (epsilon, self.rho, self.delta))):
            raise BudgetError(
                "A cost is made of fractions of at least 0. A negative one would refund what was "
                "spent, and a rounded one would not add up. Write Cost.pure(Fraction(1, 10))."
            )

    def __repr__(self) -> str:
        return f"Cost({self})"

    def __str__(self) -> str:
        parts = [] if self.epsilon is None else [f"ε = {show(self.epsilon, up=True)}"]
        parts += [f"ρ = {show(self.rho, up=True)}"]
        parts += [f"δ = {show(self.delta, up=True)}"] if self.delta else []
        return ", ".join(parts)

    @classmethod
    def nothing(cls) -> Cost:
        """Cost nothing at all."""
        return cls(Fraction(0), Fraction(0))

    @classmethod
    def pure(cls, epsilon: Fraction, *, delta: Fraction = Fraction(0)) -> Cost:
        """Price any ε-DP mechanism: ρ = ε²/2 (Bun and Steinke 2016, Prop. 1.4)."""
        return cls(epsilon, epsilon**2 / 2, delta)

    @classmethod
    def exponential(cls, epsilon: Fraction) -> Cost:
        """Price a true exponential mechanism: ρ = ε²/8 (Cesar and Rogers 2021, Lemma 3.2)."""
        return cls(epsilon, epsilon**2 / 8)

    @classmethod
    def gaussian(cls, rho: Fraction) -> Cost:
        """Price Gaussian noise, which has no pure ε."""
        return cls(None, rho)

    def __add__(self, other: Cost) -> Cost:
        whole = None
        if self.epsilon is not None and other.epsilon is not None:
            whole = self.epsilon + other.epsilon
        return Cost(whole, self.rho + other.rho, self.delta + other.delta)

    def within(self, other: Cost) -> bool:
        """Tell whether this cost is at most `other` in every currency."""
        cheap = other.epsilon is None or (
            self.epsilon is not None and self.epsilon <= other.epsilon
        )
        return cheap and self.rho <= other.rho and self.delta <= other.delta


def _fits(amount: object) -> bool:
    return isinstance(amount, Fraction) and amount >= 0
