"""Means with their confidence, and ratios of means of the same samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

QUANTILE = 1.96
"""Of the standard normal distribution: 95 % lie within it on both sides."""


@dataclass(frozen=True)
class Estimate:
    """A number with the ends of its 95 % confidence interval."""

    value: float
    low: float
    high: float

    @property
    def radius(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        return f"{digits(self.value, 3)} ± {digits(self.radius, 1)}"


def mean(errors: Floats) -> Estimate:
    """Return the mean of independent repeats."""
    centre = float(errors.mean())
    radius = QUANTILE * float(errors.std(ddof=1)) / math.sqrt(len(errors))
    return Estimate(centre, centre - radius, centre + radius)


def ratio(ours: Floats, theirs: Floats) -> Estimate:
    """Return the ratio of two means over the same samples.

    The interval is by the delta method: to first order the ratio r errs by the mean of
    ``(ours - r * theirs) / mean(theirs)``, in which what the two share cancels. A ratio of two
    zeros is NaN.
    """
    bottom = float(theirs.mean())
    if bottom == 0:
        value = math.nan if ours.mean() == 0 else math.inf
        return Estimate(value, value, value)
    value = float(ours.mean()) / bottom
    spread = float((ours - value * theirs).std(ddof=1)) / bottom
    radius = QUANTILE * spread / math.sqrt(len(ours))
    return Estimate(value, value - radius, value + radius)


def digits(number: float, count: int) -> str:
    """Return a number with so many digits, never as a power of ten.

    >>> digits(0.0123, 2), digits(20.4, 1)
    ('0.012', '20')
    """
    return np.format_float_positional(number, count, unique=False, fractional=False, trim="-")
