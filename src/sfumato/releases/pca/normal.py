"""Intervals of numbers with Gaussian noise."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Interval
from sfumato.releases.uncertainty import LEVEL

Array = NDArray[np.float64]

_LOPSIDED = 2.0  # one side of an interval over the other, where both ends are told


def reach(numbers: int = 1) -> float:
    """Return how many standard deviations hold so many numbers together, with 95 % probability.

    Whatever the numbers have to do with each other: each misses with its part of 5 %.

    Examples
    --------
    >>> round(reach(), 2), round(reach(10), 2)
    (1.96, 2.81)
    """
    return NormalDist().inv_cdf(1 - (1 - LEVEL) / (2 * numbers))


def intervals(
    values: Array,
    deviations: Array,
    *,
    limits: tuple[float, float] = (-math.inf, math.inf),
    numbers: int = 1,
) -> Interval:
    """Return intervals around values, in their order.

    Parameters
    ----------
    deviations
        The standard deviation of the noise on each value.
    limits
        What the true values lie between: an interval that goes on beyond holds no more of them.
    numbers
        How many intervals hold their true values together.
    """
    wide = reach(numbers) * deviations
    low, high = (np.clip(ends, *limits).ravel() for ends in (values - wide, values + wide))
    return Interval(tuple(low.tolist()), tuple(high.tolist()), LEVEL)


def percents(share: float, low: float, high: float) -> str:
    """Print a share in percent with its interval, in as many digits as that leaves.

    Examples
    --------
    >>> percents(0.3824, 0.364, 0.401), percents(0.3824, 0.379, 0.386)
    ('38 ± 2 %', '38.2 ± 0.4 %')
    >>> percents(0.2, 0.15, 0.43), percents(1.0, 0.0, 1.0)
    ('15 to 43 %', 'unknown share')
    """
    if high - low >= 1:
        return "unknown share"
    sides = sorted((high - share, share - low))
    digits = 0 if sides[1] > 0.009 else 1 if sides[1] > 0.0009 else 2
    # Rounded outwards, as a shorter interval would cover less than it states.
    least, most, wide = (
        math.ceil(100 * end * 10**digits - 1e-9) / 10**digits for end in (-low, high, sides[1])
    )
    if _LOPSIDED * sides[0] < sides[1] and 0 < share < 1:
        return f"{0.0 - least:.{digits}f} to {most:.{digits}f} %"
    return f"{100 * share:.{digits}f} ± {wide:.{digits}f} %"
