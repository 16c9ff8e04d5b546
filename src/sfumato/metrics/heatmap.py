"""How alike two heatmaps are, by three measures that compare them cell by cell.

They are customary where predictions of gaze are compared (Bylinskii et al. 2019). All take maps of
equal shape, scale each to a total of 1, and do not see how far apart two cells lie; the distance
that does is `sfumato.metrics.plane.emd`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Map = NDArray[np.float64]

TINY = float(np.finfo(np.float64).eps)
"""What `divergence` adds to shares and ratios, so that an empty cell costs much but not all."""


def similarity(h: ArrayLike, g: ArrayLike) -> float:
    """Return the mass that two maps share: 1 for equal maps, 0 for disjoint ones.

    Examples
    --------
    >>> similarity([[1, 1], [0, 0]], [[0, 3], [3, 0]])
    0.5
    """
    first, second = shares(h, g)
    return float(np.minimum(first, second).sum())


def pearson(h: ArrayLike, g: ArrayLike) -> float:
    """Return the correlation of two maps; a map that is the same everywhere has none, and gives 0.

    Examples
    --------
    >>> pearson([[4, 1], [1, 1]], [[1, 1], [1, 4]])
    -0.333...
    >>> pearson([[4, 1], [1, 1]], [[1, 1], [1, 1]])
    0.0
    """
    maps = shares(h, g)
    first, second = (each - each.mean() for each in maps)
    # A constant map keeps the rounding of its mean, which is no correlation.
    if any(float(np.ptp(each)) <= 4 * TINY * float(each.max()) for each in maps):
        return 0.0
    return float((first * second).sum() / np.sqrt((first**2).sum() * (second**2).sum()))


def divergence(h: ArrayLike, g: ArrayLike) -> float:
    """Return the Kullback–Leibler divergence of a map `g` from the true map `h`, in nats.

    This is the form customary in saliency work, the sum of ``h * log(e + h / (g + e))`` with the
    machine epsilon e (2.2e-16): finite where `g` is empty and `h` is not, where it costs about
    ``h * (36 + log(h))``.

    Examples
    --------
    >>> divergence([[3, 1]], [[1, 1]])
    0.130...
    >>> divergence([[1, 0]], [[1, 1]]) == divergence([[2, 0]], [[5, 5]])
    True
    """
    true, other = shares(h, g)
    return float((true * np.log(TINY + true / (other + TINY))).sum())


def shares(h: ArrayLike, g: ArrayLike) -> tuple[Map, Map]:
    """Return two maps scaled to a total of 1, or refuse what is no pair of maps.

    Examples
    --------
    >>> shares([[1, 3]], [[2, 2]])
    (array([[0.25, 0.75]]), array([[0.5, 0.5]]))
    """
    first, second = np.asarray(h, dtype=np.float64), np.asarray(g, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 2:
        raise ValueError(
            f"The maps have the shapes {first.shape} and {second.shape}. They are compared cell by "
            "cell, rows by columns. Ask both for the same resolution."
        )
    return _normalise(first), _normalise(second)


def _normalise(mass: Map) -> Map:
    total = float(mass.sum())
    if not (np.isfinite(total) and total > 0 and float(mass.min()) >= 0):
        raise ValueError(
            "A map has masses that are negative, not finite, or all zero. Such a map has no shares "
            "to compare. Clip it at 0, or compare the uniform map in its place."
        )
    return mass / total
