"""How close a score plot is to the exact one: its cells, its distances, its directions, its groups.

Principal directions are known up to sign, and two of nearly equal variance up to a turn of their
plane. Pictures are therefore compared after `alignment`: a private picture is turned and mirrored,
never stretched, so that its directions come as close to the exact ones as they can.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.metrics.plane import CellWindow, Cloud, Floats

ANGLES = 16
"""Along how many directions, evenly over half a turn, two clouds are compared."""


def alignment(directions: ArrayLike, exact: ArrayLike) -> Floats:
    """Return the 2 × 2 matrix that turns scores on `directions` to those on the exact ones.

    It is the orthogonal matrix Q for which Q @ directions is nearest to `exact` (Schönemann 1966);
    rows are directions.

    Examples
    --------
    >>> alignment([[0, 1, 0], [-1, 0, 0]], [[1, 0, 0], [0, 1, 0]])
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    both = np.asarray(exact, dtype=np.float64) @ np.asarray(directions, dtype=np.float64).T
    left, _, right = np.linalg.svd(both)
    return left @ right + 0.0


def total_variation(density: ArrayLike, exact: ArrayLike) -> float:
    """Return half the sum of absolute differences of two densities on one grid, each scaled to 1.

    Examples
    --------
    >>> total_variation([[1, 1], [0, 0]], [[0, 3], [3, 0]])
    0.5
    """
    first, second = (np.asarray(each, dtype=np.float64) for each in (density, exact))
    if first.shape != second.shape or not (first.sum() > 0 and second.sum() > 0):
        raise ValueError(
            "Two densities must have the same cells, and mass. They are compared cell by cell. "
            "Count both in one window."
        )
    return float(np.abs(first / first.sum() - second / second.sum()).sum() / 2)


def sliced_wasserstein(cloud: Cloud, exact: Cloud, angles: int = ANGLES) -> float:
    """Return the mean over directions of the earth mover's distance between two projected clouds.

    It is in the units of the plane. The directions are fixed, so the same clouds always have the
    same distance.

    Examples
    --------
    >>> moved = Cloud([[3, 0], [3, 1]])
    >>> round(sliced_wasserstein(moved, Cloud([[0, 0], [0, 1]])) / 3, 2)  # 2 / π
    0.64
    """
    turns = (np.arange(angles) + 0.5) * np.pi / angles
    weights = np.concatenate([cloud.weights, -exact.weights])
    x, y = np.concatenate([cloud.points, exact.points]).T
    distances = [_wasserstein(np.cos(turn) * x + np.sin(turn) * y, weights) for turn in turns]
    return float(np.mean(distances))


def _wasserstein(places: Floats, weights: Floats) -> float:
    """Return the area between two distribution functions, of which one has weights below 0."""
    order = np.argsort(places)
    gaps = np.diff(places[order])
    return float((np.abs(np.cumsum(weights[order])[:-1]) * gaps).sum())


def captured_variance(directions: ArrayLike, covariance: ArrayLike) -> float:
    """Return the variance along directions, as a share of the most that as many can have.

    Examples
    --------
    >>> round(captured_variance([[1, 0, 0], [0, 0, 1]], np.diag([6, 2, 1])), 3)
    0.875
    """
    rows = np.asarray(directions, dtype=np.float64)
    spread = np.asarray(covariance, dtype=np.float64)
    most = np.linalg.eigvalsh(spread)[::-1][: len(rows)].sum()
    return float(np.trace(rows @ spread @ rows.T) / most)


def group_accuracy(
    masses: ArrayLike,
    window: CellWindow,
    points: ArrayLike,
    groups: ArrayLike,
    *,
    nearest: bool = True,
) -> float:
    """Return how many points lie in a cell where their own group has the largest mass.

    Parameters
    ----------
    masses
        Groups × rows × columns, in units that can be compared between groups.
    points, groups
        The true points, in the coordinates of `window`, and the number of each one's group.
    nearest
        Whether a cell without any mass is read as the nearest cell that has some, as white in a
        picture belongs to the colour beside it. Otherwise it tells no group, and is wrong.

    Examples
    --------
    >>> maps = [[[5, 0], [0, 0]], [[1, 2], [0, 0]]]  # of two groups; the upper row is empty
    >>> places, whose = [[0.5, 0.5], [0.5, 1.5]], [0, 0]
    >>> window = CellWindow((0, 2), (0, 2), 2)
    >>> group_accuracy(maps, window, places, whose)
    1.0
    >>> group_accuracy(maps, window, places, whose, nearest=False)
    0.5
    """
    stacked = np.asarray(masses, dtype=np.float64)
    told = stacked.argmax(axis=0).ravel()
    empty = stacked.max(axis=0) <= 0
    if nearest:
        told = told[_find_nearest_filled(empty)]
    else:
        told[empty.ravel()] = -1
    cells = window.cell(np.asarray(points, dtype=np.float64))
    return float((told[cells] == np.asarray(groups)).mean())


def _find_nearest_filled(empty: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for every cell the number of the nearest that is not empty: itself where it is not."""
    numbers = np.arange(empty.size)
    filled = numbers[~empty.ravel()]
    if not len(filled):
        return numbers
    places = np.column_stack(np.divmod(numbers, empty.shape[1]))
    apart = ((places[:, None, :] - places[filled][None, :, :]) ** 2).sum(axis=2)
    return filled[apart.argmin(axis=1)]
