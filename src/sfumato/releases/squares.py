"""The leaves of a map: where they lie in the window, and as columns of plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.grid import Grid
from sfumato.plane import MOST_LEVELS, interleave
from sfumato.postprocess.density import Leaves
from sfumato.releases import strict

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def write(leaves: Leaves) -> dict[str, Any]:
    """Return leaves as plain JSON values, a list for each of their numbers."""
    return {
        "shape": [int(side) for side in leaves.shape],
        "column": leaves.column.tolist(),
        "row": leaves.row.tolist(),
        "span": leaves.span.tolist(),
        "mass": [float(mass) for mass in leaves.mass],
    }


def read(plain: Mapping[str, Any]) -> Leaves:
    """Rebuild leaves from what `write` returned."""
    columns, rows = map(strict.integer, plain["shape"])
    column, row, span = (_integers(plain[name]) for name in ("column", "row", "span"))
    mass = np.array([strict.number(mass) for mass in plain["mass"]], dtype=np.float64)
    return Leaves((columns, rows), column, row, span, mass)


def check(leaves: Leaves) -> None:
    """Refuse leaves that are no squares of a quadtree, overlap or hold less than nothing."""
    columns, rows = leaves.shape
    column, row, span = leaves.column, leaves.row, leaves.span
    if not len(column) == len(row) == len(span) == len(leaves.mass):
        raise ValueError("A leaf has one column, one row, one span and one mass.")
    if not (1 <= columns <= 2**MOST_LEVELS and 1 <= rows <= 2**MOST_LEVELS):
        raise ValueError("A map has between 1 and 2^20 cells along a side.")
    if not (np.isfinite(leaves.mass) & (leaves.mass >= 0)).all():
        raise ValueError("Masses are finite, and not below zero.")
    inside = (column >= 0) & (row >= 0) & (column + span <= columns) & (row + span <= rows)
    dyadic = (span >= 1) & (span & (span - 1) == 0) & ((column | row) & (span - 1) == 0)
    if not ((span <= max(columns, rows)) & inside & dyadic).all():
        raise ValueError("A leaf is a square of a quadtree, inside the window.")
    # In Morton order a square of a quadtree is a range of codes.
    first = interleave(column, row)
    order = np.argsort(first)
    first, size = first[order], span[order] ** 2
    if (first[:-1] + size[:-1] > first[1:]).any():
        raise ValueError("Leaves do not overlap.")


def ends(leaves: Leaves, x: Grid, y: Grid) -> tuple[Array, Array, Array, Array]:
    """Return the left, right, low and high ends of leaves, in the units of the data."""
    left, right = _side(leaves.column, leaves.span, x, leaves.shape[0])
    low, high = _side(leaves.row, leaves.span, y, leaves.shape[1])
    return left, right, low, high


def _side(first: Indices, span: Indices, grid: Grid, cells: int) -> tuple[Array, Array]:
    bounds = grid.bounds
    low, high = (
        index.astype(np.float64) * bounds.width / cells + bounds.lower
        for index in (first, first + span)
    )
    return low, np.where(first + span == cells, bounds.upper, high)


def _integers(plain: Sequence[object]) -> Indices:
    return np.array([strict.integer(value) for value in plain], dtype=np.int64)
