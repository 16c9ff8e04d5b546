"""Rows to cells of a map, and what each weighs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import Integers, numbers, numbers_and_gaps
from sfumato.engines.kernel import grid_cells
from sfumato.grid import Grid
from sfumato.plane import Outside, Plane, Weight, interleave


def places(plane: Plane) -> Callable[[pa.RecordBatch], Integers]:
    """Return a function from rows to the Morton codes of their cells, or -1 for nowhere.

    Privacy
    -------
    A row's cell depends on that row and public facts alone.
    """
    columns, rows = np.arange(plane.x.cells), np.arange(plane.y.cells)
    # A code is that of its column or that of its row, bit by bit. All bits are set in the last
    # entry, which -1 looks up: whatever it is joined with, the answer is -1 again.
    across = np.append(interleave(columns, np.zeros_like(columns)), -1)
    along = np.append(interleave(np.zeros_like(rows), rows), -1)

    def place(batch: pa.RecordBatch) -> Integers:
        x, y = (_along(batch.column(g.column), g, plane.outside) for g in (plane.x, plane.y))
        return np.bitwise_or(across[x], along[y])

    return place


def steps(column: pa.Array, weight: Weight) -> Integers:
    """Return what each row weighs, in integer steps from 0 to ``weight.whole``.

    What is no number weighs nothing, and what lies beyond the bounds is moved to the nearer one.
    """
    with np.errstate(invalid="ignore"):  # a signalling NaN would warn of itself
        inside = np.clip(numbers(column), 0.0, weight.most)
        inside *= weight.steps  # a power of two, so the product is exact
    inside[np.isnan(inside)] = 0.0
    return inside.astype(np.int64)


def _along(column: pa.Array, grid: Grid, outside: Outside) -> Integers:
    values, gaps = numbers_and_gaps(column)
    found = grid_cells(values, grid)
    found[gaps] = -1
    if outside == "drop":
        found[(values < grid.bounds.lower) | (values > grid.bounds.upper)] = -1
    return found
