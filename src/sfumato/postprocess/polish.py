"""Move private quartiles to where the noisy counts between them say they belong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Contrasts of four gaps that do not see their sum: the number of units stays unknown.
_CONTRASTS = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]], dtype=np.float64)
_RANKS = np.array([[2, 0, 0], [1, 1, 1], [1, 1, -1]], dtype=np.float64)[[1, 0, 2]] / 4


def rank_surplus(gaps: Array, variances: Array, epsilon: float) -> Array:
    """Return how many ranks too high each of three quartiles probably lies.

    The balanced mechanism makes the three contrasts of its gaps independent of sign and order,
    with variance ``80 / (3 ε²)`` each (see `RankError`). The counts see the same contrasts through
    noise. This is the best linear estimate from both.

    Parameters
    ----------
    gaps
        Noisy counts below the first quartile, between neighbours, and above the third.
    variances
        Of the noise on each.
    epsilon
        What the quartiles cost.

    Examples
    --------
    >>> rank_surplus(np.array([30.0, 20, 20, 30]), np.full(4, 1e-9), epsilon=1.0).round(3)
    array([ 5.,  0., -5.])
    """
    prior = 80 / (3 * epsilon**2)
    noise = (_CONTRASTS * variances) @ _CONTRASTS.T
    weight = np.linalg.solve(prior * np.eye(3) + noise, _CONTRASTS @ gaps)
    return _RANKS @ (prior * weight)


def walk(distances: Array, counts: Array, atom: float, ranks: float) -> float:
    """Return how far one must go outward from the centre of a cell to pass so many ranks.

    Parameters
    ----------
    distances
        From the centre to its own edge, and on to the far edge of each bin beyond.
    counts
        Noisy counts of those bins.
    atom
        The units known to share the cell: half of them must be passed to leave it.
    ranks
        How many to pass.

    Examples
    --------
    >>> bins = np.array([0.5, 10.0, 20.0]), np.array([20.0, 40.0])
    >>> walk(*bins, atom=0.0, ranks=30.0), walk(*bins, atom=70.0, ranks=30.0)
    (12.5, 0.0)
    """
    if ranks <= atom / 2:
        return 0.0
    passed = np.maximum.accumulate(np.append(atom / 2, atom / 2 + np.cumsum(counts)))
    return float(np.interp(ranks, passed, np.append(0.0, distances[1:])))
