"""Where to clip a column, by noisy counts of it: so that noise and bias together are small."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_CLEAR = 3.0
"""Deviations of the noise above which a bin, or all from it outwards, holds something."""

_SURE = 6.0
"""Deviations above which a bin holds something beyond doubt, however many bins there are."""

_DOUBT = 0.25
"""How many more are asked for with each bin beyond these, of which any could look full."""

_ENOUGH = 4.2
"""Deviations that are always enough: one of twenty searches sees so much in some empty bin."""

_NEAR = 4
"""How many bins beyond the last one that clearly holds something tell how much noise hides."""

_HIDDEN = 0.7
"""Deviations of the noise on these that are taken to hide something."""

_FADING = 0.5
"""How much less is expected in each bin beyond the last that clearly holds something."""


@dataclass(frozen=True)
class Clip:
    """Two ends that values are clipped to, and what is estimated to lie beyond each.

    Parameters
    ----------
    low, high
        The places of the ends among the edges of the bins.
    """

    low: int
    high: int


def choose_clip(edges: Array, counts: Array, *, deviation: float, worth: float) -> Clip:
    """Choose the ends among the edges of bins.

    A wider range makes the noise on a mean wider in proportion; a narrower one moves the mean. The
    two ends do not depend on each other, nor on the number of units.

    Parameters
    ----------
    counts
        How many units lie in each bin, with noise.
    deviation
        The standard deviation of that noise.
    worth
        How many units, a unit of the column beyond the end, are as bad as an end that lies a
        unit of the column further out: the mean absolute noise in units, times the groups.

    Examples
    --------
    >>> edges = np.array([0.0, 1, 2, 4, 8, 16, 1000])
    >>> counts = np.array([300.0, 400, 200, 90, 3, -4])
    >>> choose_clip(edges, counts, deviation=3.0, worth=2.0)
    Clip(low=0, high=4)
    """
    edges = edges / np.abs(edges).max()  # of any size: costs stay far below the end of floats
    high = _choose_end(edges, counts, deviation, worth)
    low = len(edges) - 1 - _choose_end(-edges[::-1], counts[::-1], deviation, worth)
    return Clip(min(low, high - 1), high) if low >= high else Clip(low, high)


def _choose_end(edges: Array, counts: Array, deviation: float, worth: float) -> int:
    """Return the place of the upper end."""
    likely = estimate_outwards(counts, deviation)
    middles = (edges[:-1] + edges[1:]) / 2
    beyond = np.maximum(middles[:, np.newaxis] - edges, 0.0)
    # A bin that the end cuts is not cut: ends are edges.
    costs = worth * (edges - edges[0]) + likely @ beyond
    return max(1, int(np.argmin(costs)))


def estimate_outwards(counts: Array, deviation: float) -> Array:
    """Return what bins are likely to hold, from the inside outwards.

    Up to the last bin that clearly holds something, that is their noisy count, and 0 where it is
    negative. Beyond it as much is expected as noise could hide, fading outwards.

    Examples
    --------
    >>> estimate_outwards(np.array([90.0, -3, 50, 7, -2]), 10.0).round()
    array([90.,  0., 50., 10.,  5.])
    """
    outer = np.cumsum(counts[::-1])[::-1]
    spread = deviation * np.sqrt(np.arange(len(counts), 0, -1))
    sure = np.flatnonzero(counts >= min(_SURE * deviation, float(counts.max())))[-1]
    away = np.maximum(np.arange(len(counts)) - sure, 0)
    wanted = np.minimum(_CLEAR + _DOUBT * away, _ENOUGH)
    clear = (counts > wanted * deviation) | (outer > wanted * spread)
    last = int(np.flatnonzero(clear)[-1]) if clear.any() else len(counts) - 1
    found = np.maximum(counts, 0.0)
    near = counts[last + 1 : last + 1 + _NEAR]
    hidden = max(float(near.sum()), 0.0) + _HIDDEN * deviation * math.sqrt(len(near))
    fading = _FADING ** np.arange(1, len(counts) - last, dtype=np.float64)
    found[last + 1 :] = hidden * fading / max(float(fading.sum()), _FADING)
    return found
