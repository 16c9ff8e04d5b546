"""Where noise alone could have made what a noisy histogram shows."""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEVEL = 0.95
"""How probably an empty table leaves all places in doubt."""

_SIDES = (1, 3, 5)  # cells of the squares around a place that are added up


def compute_significance(noisy: Array, scale: float) -> Array:
    """Tell how far each place stands out, alone or with those around it: above 1 if it does.

    The counts in squares of 1, 9 and 25 cells around a place are added up. Gaussian noise of
    scale σ on each of k cells takes their sum beyond t with a probability of at most
    exp(-t² / 2kσ²), discrete noise as well as continuous. What reaches further than that explains,
    for all squares of all groups together, is there.

    Parameters
    ----------
    noisy
        Noisy counts ``[group, row, column]``, unbiased.
    scale
        Of the Gaussian noise on each.

    Examples
    --------
    >>> compute_significance(np.array([[[0.0, 3.0, 90.0, 0.0, 0.0, 0.0]]]), scale=4.0).round(1)
    array([[[3.9, 3.9, 6.6, 3.8, 3.3, 0. ]]])
    """
    reach = _reach(noisy.size, scale)
    heard = [
        _sum_surroundings(noisy, side)
        / (reach * np.sqrt(_sum_surroundings(np.ones_like(noisy), side)))
        for side in _SIDES
    ]
    return np.max(heard, axis=0)


def estimate_least_visible(side: int, groups: int, scale: float, deviations: float) -> float:
    """Return how many units a group needs to stand out in a picture, more likely than not.

    Its units are taken to be normal around the middle of the picture; closer ones need be fewer.

    Parameters
    ----------
    side
        How many cells the picture has along either axis.
    groups
        How many groups have such a picture.
    scale
        Of the Gaussian noise on each cell.
    deviations
        How many standard deviations of the group the picture is wide.

    Examples
    --------
    >>> round(estimate_least_visible(side=8, groups=2, scale=4.0, deviations=7.0))
    77
    """
    reach, cell = _reach(side**2 * groups, scale), deviations / side
    held = [math.erf(width * cell / math.sqrt(8)) ** 2 for width in _SIDES]
    return min(reach * width / share for width, share in zip(_SIDES, held, strict=True))


def _reach(cells: int, scale: float) -> float:
    """Return how far noise takes one cell, if not even one of all squares is to exceed it."""
    return scale * math.sqrt(2 * math.log(len(_SIDES) * max(cells, 1) / (1 - LEVEL)))


def _sum_surroundings(counts: Array, side: int) -> Array:
    """Add up the squares around every place, as far as there are cells."""
    half = side // 2
    wide = np.pad(counts, ((0, 0), (half, half), (half, half)))
    return sliding_window_view(wide, (side, side), axis=(1, 2)).sum(axis=(-2, -1))
