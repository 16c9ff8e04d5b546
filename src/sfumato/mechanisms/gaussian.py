"""Discrete Gaussian noise: zero-concentrated privacy. The argument stands in `gaussian.md`."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BudgetError, Spending
from sfumato.exact import Exact
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.noise import add_noise, check_scale
from sfumato.privacy.budget import Cost, float_above


def gaussian(meter: Meter, exact: Exact, *, scale: float) -> NDArray[np.int64]:
    """Add discrete Gaussian noise of the given scale σ, in integer steps.

    Privacy
    -------
    ρ-zCDP with ρ = ``exact.l2_squared / (2 scale²)``, for the privacy unit that `exact` was
    counted under, over all cells together. There is no pure ε.

    Examples
    --------
    >>> counts = Exact(l1=1, l2_squared=1, step=1.0, _values=np.array([3, 5]))
    >>> with Meter(Cost.gaussian(Fraction(1))) as meter:
    ...     noisy = gaussian(meter, counts, scale=2.0)
    >>> meter.spent
    Cost(ρ = 0.125)
    """
    check_scale(scale)
    receipt = meter.pay(Cost.gaussian(Fraction(exact.l2_squared) / (2 * Fraction(scale) ** 2)))
    return add_noise(receipt, exact.reveal(), "gaussian", scale)


def gaussian_scale(l2_squared: int, rho: Fraction) -> float:
    """Return the smallest float whose Gaussian noise costs at most `rho`.

    Examples
    --------
    >>> gaussian_scale(1, Fraction(1, 8))
    2.0
    """
    if rho <= 0:
        raise BudgetError(
            "Gaussian noise needs a ρ above 0, and so a δ.",
            "With none to spend nothing can be shown.",
            ("Write ", Spending(1, 1e-6), "."),
        )
    variance = Fraction(l2_squared) / (2 * rho)
    bound = _root_bound(variance)
    check_scale(bound)
    scale = float_above(bound)
    while Fraction(below := math.nextafter(scale, 0)) ** 2 >= variance:
        scale = below
    return scale


def _root_bound(square: Fraction) -> Fraction:
    """Return at least the root of `square`, to 64 bits: more than a float can tell apart."""
    magnitude = square.numerator.bit_length() - square.denominator.bit_length()
    shift = max(0, 64 - magnitude // 2)
    return Fraction(math.isqrt(math.floor(square * 4**shift)) + 1, 2**shift)
