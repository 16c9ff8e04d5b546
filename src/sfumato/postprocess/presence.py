"""Whether noisy counts have anybody in them: a test of sums, small and large, at a joint level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.density import Leaves

Array = NDArray[np.float64]

LEVEL = 0.95
"""How probably not one of several empty groups is taken for one with people in it."""

MANY = 1e9
"""Laplace noises whose sum is normal to all digits that matter."""

_LEAST, _MOST = 0.5, 1000.0
"""Standard deviations below which nothing is worth computing, and beyond which nothing is left."""


def compute_tail(reach: Array, terms: Array) -> Array:
    """Return how probably a sum of equal Laplace noises lies so many standard deviations above 0.

    The saddlepoint approximation of Lugannani and Rice (1980), which is up to 5 % too large and
    nowhere too small. Sums of unequal noises count as sums of so many equal ones that their
    kurtosis is the same.

    Parameters
    ----------
    reach
        Standard deviations; below a half the answer is a half.
    terms
        How many noises there are: 1 for a Laplace law, `MANY` for a normal one.

    Examples
    --------
    >>> compute_tail(np.array([2.0, 2.0]), np.array([1.0, MANY])).round(3)
    array([0.03 , 0.023])
    """
    from scipy.special import ndtr  # slow to load

    x = np.clip(reach, _LEAST, _MOST)
    slope = 2 * x / (1 + np.sqrt(1 + 2 * x**2 / terms))
    inside = slope**2 / (2 * terms)
    root = np.sqrt(2 * (slope * x + terms * np.log1p(-inside)))
    curved = slope * np.sqrt(1 + inside) / (1 - inside)
    normal = np.exp(-(root**2) / 2) / math.sqrt(2 * math.pi)
    tail = ndtr(-root) + normal * (1 / curved - 1 / root)
    return np.where(reach < _LEAST, 0.5, np.clip(tail, 0.0, 0.5))


@dataclass(frozen=True, eq=False)
class AddedCounts:
    """Noisy sums of counts that are alike in size.

    Parameters
    ----------
    value
        What was measured, in any unit.
    deviation
        The standard deviation of the noise on each, in the same unit.
    terms
        How many Laplace noises each adds up.
    """

    value: Array
    deviation: Array
    terms: Array

    @property
    def doubt(self) -> float:
        """How probably noise alone makes one of them as large: at most so, by Bonferroni."""
        if not self.value.size:
            return 1.0
        tail = compute_tail(self.value / self.deviation, self.terms)
        return min(1.0, float(tail.min()) * tail.size)


def compute_doubt(whole: AddedCounts, parts: Sequence[AddedCounts]) -> float:
    """Return how probably noise alone makes the whole or one of its parts stand out as far.

    Half of the error is spent on the whole, the other half is shared by the parts of each size.
    """
    if not parts:
        return whole.doubt
    return min(1.0, 2 * whole.doubt, *(2 * len(parts) * each.doubt for each in parts))


def find_present(doubts: Sequence[float]) -> tuple[bool, ...]:
    """Tell which groups have people in them; with `LEVEL`, none is told of that has none.

    Examples
    --------
    >>> find_present([0.04, 0.001])
    (False, True)
    """
    return tuple(doubt * len(doubts) < 1 - LEVEL for doubt in doubts)


def doubt_squares(leaves: Leaves, noisy: Array, scale: Array) -> float:
    """Return how probably noise alone makes what was measured of a map without anybody.

    All squares of a quadtree that measured ones fill are added up: the whole map, its quarters, and
    so on.

    Parameters
    ----------
    noisy
        The integers that were measured of each leaf.
    scale
        The scale of the Laplace noise on each.
    """
    if not len(noisy):
        return 1.0
    widest = 1 << (max(leaves.shape) - 1).bit_length()
    least = int(leaves.span.min())
    spans = [widest >> halved for halved in range((widest // least).bit_length())]
    whole, *parts = (_add_squares(leaves, noisy, scale, span) for span in spans)
    return compute_doubt(whole, parts)


def _add_squares(leaves: Leaves, noisy: Array, scale: Array, span: int) -> AddedCounts:
    """Add up the leaves that fill squares of one size.

    Discrete noise reaches an integer more rarely than its continuous law reaches half a step below.
    """
    fits = leaves.span <= span
    place = leaves.column[fits] // span * max(leaves.shape) + leaves.row[fits] // span
    _, square = np.unique(place, return_inverse=True)
    value, second, fourth = (
        np.bincount(square, each[fits]).astype(np.float64) for each in (noisy, scale**2, scale**4)
    )
    return AddedCounts(value - 0.5, np.sqrt(2 * second), second**2 / fourth)
