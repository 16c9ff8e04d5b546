"""The smallest region that holds a share of a density, and the line around it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Path = tuple[tuple[float, float], ...]
"""Corners ``(column, row)`` of a closed line, the last joined to the first."""

_Corner = tuple[int, int]
_Side = tuple[_Corner, int]  # where it begins, and its direction
_AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1))  # each is a left turn from the one before


def densest(mass: Array, share: float) -> Mask:
    """Return the fewest cells that together hold a share of the mass; none where there is none.

    Examples
    --------
    >>> densest(np.array([[4.0, 1.0, 3.0, 2.0]]), 0.7)
    array([[ True, False,  True, False]])
    """
    order = np.argsort(-mass, axis=None, kind="stable")
    held = np.cumsum(mass.ravel()[order])
    mask = np.zeros(mass.size, dtype=bool)
    if held[-1] > 0:
        mask[order[: 1 + np.searchsorted(held, share * held[-1])]] = True
    return mask.reshape(mass.shape)


def border(mask: Mask) -> tuple[Path, ...]:
    """Return the lines between the cells of a region and those beyond, as corners of cells.

    The region lies on the left of its lines, so those around holes run the other way. Cells that
    meet in a corner alone have lines of their own.

    Examples
    --------
    >>> border(np.array([[True, True]]))
    (((0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)),)
    """
    return tuple(
        _bends([(float(x), float(y)) for (x, y), _ in walk]) for walk in _walks(_sides(mask))
    )


def contour(mass: Array, mask: Mask) -> tuple[Path, ...]:
    """Return the lines of `border`, moved to where a smooth density would cross its level.

    Each side of a cell between inside and beyond becomes one corner, between the middles of both
    cells and the nearer to that whose mass is nearer to the level. At the end of the grid lines
    stay where they are.

    Parameters
    ----------
    mass
        What each cell holds: within the region no less than anywhere beyond.

    Examples
    --------
    >>> contour(np.array([[0.0, 4.0, 3.0]]), np.array([[False, True, True]]))
    (((1.5, 0.0), (2.5, 0.0), (3.0, 0.5), (2.5, 1.0), (1.5, 1.0), (0.875, 0.5)),)
    """
    level = float(mass[mask].min(initial=np.inf) + mass[~mask].max(initial=0.0)) / 2
    return tuple(
        _bends([_crossing(mass, level, corner, direction) for corner, direction in walk])
        for walk in _walks(_sides(mask))
    )


def _crossing(mass: Array, level: float, corner: _Corner, direction: int) -> tuple[float, float]:
    """Return where the line crosses from the cell left of a side to the one on its right."""
    (column, row), (across, up) = corner, _AHEAD[direction]
    x, y = column + across / 2, row + up / 2
    inside = int(y + across / 2), int(x - up / 2)
    beyond = int(np.floor(y - across / 2)), int(np.floor(x + up / 2))
    rows, columns = mass.shape
    if not (0 <= beyond[0] < rows and 0 <= beyond[1] < columns):
        return x, y
    high, low = float(mass[inside]), float(mass[beyond])
    away = (high - level) / (high - low) - 0.5 if high > low else 0.0
    return x + away * up, y - away * across


def _sides(mask: Mask) -> dict[_Corner, list[int]]:
    """Return the directions in which the border leaves each corner on it."""
    inside = np.pad(mask, 1)
    around = {
        0: (inside[:-2, 1:-1], (0, 0)),
        1: (inside[1:-1, 2:], (1, 0)),
        2: (inside[2:, 1:-1], (1, 1)),
        3: (inside[1:-1, :-2], (0, 1)),
    }
    leaving: dict[_Corner, list[int]] = {}
    for direction, (beyond, (across, up)) in around.items():
        for row, column in np.argwhere(mask & ~beyond).tolist():
            leaving.setdefault((column + across, row + up), []).append(direction)
    return leaving


def _walks(leaving: dict[_Corner, list[int]]) -> Iterator[list[_Side]]:
    """Follow each line around once, and take what was followed away."""
    while leaving:
        start = place = min(leaving)
        direction = leaving[start][0]
        walk: list[_Side] = []
        while not walk or place != start:
            if walk:
                # To the left is around the same cell, where two of them meet in this corner.
                left = (direction + 1) % 4
                direction = left if left in leaving[place] else leaving[place][0]
            walk.append((place, direction))
            leaving[place].remove(direction)
            if not leaving[place]:
                del leaving[place]
            across, up = _AHEAD[direction]
            place = (place[0] + across, place[1] + up)
        yield walk


def _bends(corners: list[tuple[float, float]]) -> Path:
    """Leave out corners on a straight line between their neighbours."""
    before, after = [corners[-1], *corners[:-1]], [*corners[1:], corners[0]]
    return tuple(
        (x, y)
        for (a, b), (x, y), (u, v) in zip(before, corners, after, strict=True)
        if (x - a) * (v - y) != (y - b) * (u - x)
    )
