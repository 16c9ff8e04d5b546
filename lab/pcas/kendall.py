"""The spherical Kendall matrix: the mean outer product of the unit differences of all pairs."""

from __future__ import annotations

import numpy as np

from pcas.sets import Floats

BLOCK = 2**22
"""How many pairs are held at a time."""


def kendall(rows: Floats) -> Floats:
    """Return it for centred rows; pairs of equal rows count as 0.

    With weights w of one over the squared distance, the sum over ordered pairs of
    w (a - b)(a - b)' is twice the sum of w a a' less that of w a b', so that pairs need no outer
    product of their own. Rows that occur more than once are held once.
    """
    places, times = np.unique(rows, axis=0, return_counts=True)
    squares = (places**2).sum(axis=1)
    # Below this the squared distance of two rows is rounding.
    tiny = 1e-13 * float(squares.max(initial=0.0))
    total = np.zeros((rows.shape[1],) * 2)
    step = max(1, BLOCK // len(places))
    for start in range(0, len(places), step):
        some = places[start : start + step]
        apart = squares[start : start + step, None] + squares[None, :] - 2 * some @ places.T
        weights = np.divide(times[None, :], apart, out=np.zeros_like(apart), where=apart > tiny)
        weights *= times[start : start + step, None]
        total += (some * weights.sum(axis=1)[:, None]).T @ some - some.T @ (weights @ places)
    return (total + total.T) / (len(rows) * (len(rows) - 1))
