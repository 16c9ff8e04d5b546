"""Integers in two halves of 31 bits: sums of up to 2³² of them never leave 64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HALF = 31
MASK = 2**HALF - 1


def halves(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ``high`` and ``low`` with ``values == high * 2**31 + low``.

    Examples
    --------
    >>> high, low = halves(np.array([2**40 + 5]))
    >>> high, low
    (array([512]), array([5]))
    """
    return values >> HALF, values & MASK
