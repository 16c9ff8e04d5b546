"""Laws of growth, fitted to measured sizes and costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return p of the law c · n^p that is nearest in logarithms, by least squares.

    Examples
    --------
    >>> round(exponent([1, 10, 100], [3, 30, 300]), 6)
    1.0
    """
    slope, _ = np.polyfit(np.log(sizes), np.log(costs), 1)
    return float(slope)


def last_exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the exponent between the two largest sizes, where what is fixed weighs least."""
    return exponent(sizes[-2:], costs[-2:])


def each_more(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return what one more costs, between the two largest sizes: what is fixed cancels out.

    Where there is but one size, or noise makes more of it cheaper, it is what each costs there
    with all that is fixed: no less than the truth.

    Examples
    --------
    >>> each_more([1, 10, 100], [7, 25, 205]), each_more([10, 100], [60, 50])
    (2.0, 0.5)
    """
    (few, many), (less, more) = (0, *sizes)[-2:], (0, *costs)[-2:]
    return (more - less) / (many - few) if more > less else more / many
