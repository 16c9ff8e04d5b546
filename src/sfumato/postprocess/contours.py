"""The smallest region that holds a share of a density, and the contour around it."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Path = tuple[tuple[float, float], ...]
"""Corners ``(column, row)`` of a closed line, the last joined to the first."""

_RIM = 1e-9  # of a cell, beyond the grid: there every density has ended


def find_densest_cells(mass: Array, share: float) -> Mask:
    """Return the fewest cells that together hold a share of the mass; none where there is none.

    Examples
    --------
    >>> find_densest_cells(np.array([[4.0, 1.0, 3.0, 2.0]]), 0.7)
    array([[ True, False,  True, False]])
    """
    order = np.argsort(-mass, axis=None, kind="stable")
    held = np.cumsum(mass.ravel()[order])
    mask = np.zeros(mass.size, dtype=bool)
    if held[-1] > 0:
        mask[order[: 1 + np.searchsorted(held, share * held[-1])]] = True
    return mask.reshape(mass.shape)


def trace_contour(mass: Array, mask: Mask) -> tuple[Path, ...]:
    """Return the lines where a density crosses from a region to what lies beyond.

    The density is that of the cells in their middles and linear between them; at the end of the
    grid lines follow its edge. The region lies on the left of its lines, so those around holes run
    the other way.

    Parameters
    ----------
    mass
        What each cell holds: within the region no less than anywhere beyond.

    Examples
    --------
    >>> (path,) = trace_contour(np.array([[0.0, 4.0, 4.0]]), np.array([[False, True, True]]))
    >>> min(column for column, _ in path), max(column for column, _ in path)
    (1.0, 3.0)
    """
    from contourpy import LineType, contour_generator

    level = float(mass[mask].min(initial=np.inf) + mass[~mask].max(initial=0.0)) / 2
    if not mask.any():
        return ()
    rows, columns = mass.shape
    # Each edge has the density of the cells along it, and just beyond there is none.
    field = np.pad(np.pad(mass, 1, mode="edge"), 1)
    generator = contour_generator(
        _list_middles(columns), _list_middles(rows), field, line_type=LineType.Separate
    )
    lines = cast(list[Array], generator.lines(level))
    paths = (_list_corners(np.clip(line, 0.0, (columns, rows))) for line in lines)
    return tuple(path for path in paths if path)  # a line around a tie may be but a point


def _list_corners(line: Array) -> Path:
    """Return a line whose last corner is its first again, each corner once."""
    kept = line[1:][np.diff(line, axis=0).any(axis=1)]
    return tuple((float(column), float(row)) for column, row in kept)


def _list_middles(cells: int) -> Array:
    """Return the middles of cells, with the edges of the grid and what lies just beyond."""
    return np.array([-_RIM, 0.0, *(np.arange(cells) + 0.5), cells, cells + _RIM])
