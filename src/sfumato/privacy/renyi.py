"""Rényi divergences of the mechanisms at one order, rounded up. Derived in `renyi.md`."""

from __future__ import annotations

from collections.abc import Callable
from decimal import (
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from fractions import Fraction
from functools import lru_cache, partial

TRAPS = [InvalidOperation, DivisionByZero, Overflow]
"""What must not happen unnoticed, whatever a program says about decimals in general."""

_PRECISE = Context(prec=90, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999, traps=TRAPS)
_MARGIN = Fraction(1, 10**45)
_COARSEST = Fraction(1, 10**15)  # finer steps cost less, by a part in 10³⁰ at most
_TINY = Fraction(1, 10**12)  # below that ε²/2 is as good, and loses no digits
_FAR = 50_000  # beyond that the divergence is ε itself, and e^ε would not fit a decimal
_KEPT = 10**40  # amounts are kept in multiples of one over this


@lru_cache(maxsize=4096)
def diverge_laplace(order: Fraction, epsilon: Fraction, steps: int) -> Fraction:
    """Return at least the divergence of discrete Laplace noise from itself, shifted.

    Parameters
    ----------
    epsilon
        The whole shift over the scale of the noise.
    steps
        The shift in steps of the lattice. One step is randomised response: the worst of all
        mechanisms that are pure ε.

    Examples
    --------
    >>> quarter = Fraction(1, 4)
    >>> one, many = (diverge_laplace(Fraction(20), quarter, steps) for steps in (1, 2**30))
    >>> round(float(one), 4), round(float(many), 4)
    (0.2197, 0.2149)
    """
    bound = min(epsilon, order * epsilon**2 / 2)
    if epsilon < _TINY or order * epsilon > _FAR:
        return bound
    with localcontext(_PRECISE):
        a, e = _decimal(order), _decimal(epsilon)
        step = _decimal(max(epsilon / steps, _COARSEST))
        grown, shrunk = ((a - 1) * e).exp(), (-a * e).exp()
        # The weight of the larger ratio, ½(1 + tanh(t/2) / tanh((α − ½)t)), at the step t.
        weight = (1 + _tanh(step / 2) / _tanh((a - Decimal("0.5")) * step)) / 2
        value = (weight * grown + (1 - weight) * shrunk).ln() / (a - 1)
    return min(bound, _round_up(value))


@lru_cache(maxsize=4096)
def diverge_range(order: Fraction, epsilon: Fraction) -> Fraction:
    """Return at least the divergence of any two laws whose log-ratios span at most ε.

    An exponential mechanism has such a range (Durfee and Rogers 2019).

    Examples
    --------
    >>> round(float(diverge_range(Fraction(20), Fraction(1, 4))), 4)
    0.122
    """
    bound = min(epsilon, order * epsilon**2 / 8)
    if epsilon < _TINY or order * epsilon > _FAR:
        return bound
    with localcontext(_PRECISE):
        a, e = _decimal(order), _decimal(epsilon)
        spread, shrunk = e.exp(), ((1 - a) * e).exp()
        whole = spread - shrunk
        worst = (a - 1) * whole / (a * (1 - shrunk))
        value = worst.ln() + (whole / (a * (spread - 1))).ln() / (a - 1)
    return min(bound, _round_up(value))


@lru_cache(maxsize=4096)
def afford_pure(order: Fraction, amount: Fraction) -> Fraction:
    """Return an ε, almost the largest, whose worst mechanism diverges by at most `amount`.

    Examples
    --------
    >>> round(float(afford_pure(Fraction(20), Fraction(1, 5))), 4)
    0.2308
    """
    return _find_largest(partial(diverge_laplace, order, steps=1), amount)


@lru_cache(maxsize=4096)
def afford_range(order: Fraction, amount: Fraction) -> Fraction:
    """Return an ε, almost the largest, whose exponential mechanism diverges by at most `amount`."""
    return _find_largest(partial(diverge_range, order), amount)


def _find_largest(diverge: Callable[..., Fraction], amount: Fraction) -> Fraction:
    """Return a float within a part in 10⁹ of the largest ε that `diverge` allows."""
    if amount <= 0:
        return Fraction(0)
    low = amount  # nothing diverges by more than its ε
    while diverge(epsilon=2 * low) <= amount:
        low *= 2
    width = low
    while width * 10**9 > low:
        width /= 2
        if diverge(epsilon=low + width) <= amount:
            low += width
    grain = Fraction(2) ** (low.numerator.bit_length() - low.denominator.bit_length() - 50)
    return low // grain * grain  # which a float can hold


def _tanh(x: Decimal) -> Decimal:
    decayed = (-2 * x).exp()
    return (1 - decayed) / (1 + decayed)


def _decimal(amount: Fraction) -> Decimal:
    return Decimal(amount.numerator) / Decimal(amount.denominator)


def _round_up(value: Decimal) -> Fraction:
    exact = Fraction(value)
    above = exact + _MARGIN * (1 + abs(exact))
    return Fraction(-(-above * _KEPT // 1), _KEPT)
