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


def evidence(noisy: Array, scale: float) -> Array:
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
    >>> evidence(np.array([[[0.0, 3.0, 90.0, 0.0, 0.0, 0.0]]]), scale=4.0).round(1)
    array([[[3.9, 3.9, 6.6, 3.8, 3.3, 0. ]]])
    """
    squares = len(_SIDES) * max(noisy.size, 1)
    reach = scale * math.sqrt(2 * math.log(squares / (1 - LEVEL)))
    heard = [
        _around(noisy, side) / (reach * np.sqrt(_around(np.ones_like(noisy), side)))
        for side in _SIDES
    ]
    return np.max(heard, axis=0)


def _around(counts: Array, side: int) -> Array:
    """Add up the squares around every place, as far as there are cells."""
    half = side // 2
    wide = np.pad(counts, ((0, 0), (half, half), (half, half)))
    return sliding_window_view(wide, (side, side), axis=(1, 2)).sum(axis=(-2, -1))
