"""Exact amounts of privacy: fractions inside, directed rounding at the edges."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from sys import float_info

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
