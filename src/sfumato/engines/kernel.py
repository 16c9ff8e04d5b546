"""The kernel every engine shares: one batch of rows to cells of public keys."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import Floats, Integers, numbers_and_gaps, positions
from sfumato.engines.scores import scores
from sfumato.grid import Edges, Grid, Key, Labels
from sfumato.lattice import Distance, Projection, Question

BLOCK = 2**15
"""How many rows to work on at once: few enough for the caches, and for memory to be reused."""

_COARSE = 2.0**44


def columns_of(keys: Sequence[Question]) -> list[str]:
    """Return the columns that questions are about."""
    names = ([key.column] if isinstance(key, Key) else key.lattice.columns for key in keys)
    return list(chain.from_iterable(names))


def cells(batch: pa.RecordBatch, keys: Sequence[Question]) -> Integers:
    """Return the flat cell of each row, or -1 where it is counted nowhere.

    The first key varies slowest. Without keys there is one cell, which holds every row.

    Privacy
    -------
    A row's cell depends on that row and public facts alone.
    """
    if not keys:
        return np.zeros(batch.num_rows, dtype=np.int64)
    flat, *others = _along(batch, keys)
    for key, here in zip(keys[1:], others, strict=True):
        nowhere = (flat < 0) | (here < 0)
        flat = np.where(nowhere, -1, flat * key.cells + here)
    return flat


def _along(batch: pa.RecordBatch, keys: Sequence[Question]) -> Iterator[Integers]:
    scored = iter(scores(batch, [key for key in keys if not isinstance(key, Key)]))
    for key in keys:
        if isinstance(key, Projection):
            yield grid_cells(next(scored), key.grid)
        elif isinstance(key, Distance):
            yield edges_cells(next(scored), key.ladder)
        elif isinstance(key, Labels):
            yield positions(batch.column(key.column), key.categories)
        else:
            values, gaps = numbers_and_gaps(batch.column(key.column))
            found = grid_cells(values, key) if isinstance(key, Grid) else edges_cells(values, key)
            found[gaps] = -1
            yield found


def grid_cells(values: Floats, grid: Grid) -> Integers:
    """Return ``i`` where ``edges[i] <= value < edges[i + 1]`` to the bit, or -1 for NaN.

    Let u = 2⁻⁵³ and K = max|bound| · cells / width. The scaled value below is within 6u(K + cells)
    cells of its exact position, and each edge within 3u(K + cells) of its own. Together this is
    far below ½ while K ≤ 2⁴⁴, so the nearest edge is the lower or the upper end of the true cell,
    and one comparison with it tells which. Finer grids are searched.
    """
    lower, upper = grid.bounds.lower, grid.bounds.upper
    # The last cell holds its upper edge, as it holds the number just below.
    inside = np.clip(values, lower, math.nextafter(upper, lower))
    with np.errstate(over="ignore", invalid="ignore"):  # NaN becomes any integer, until the end
        scale = np.float64(grid.cells) / grid.bounds.width
        if scale * max(abs(lower), abs(upper)) <= _COARSE:
            position = inside * scale
            position += 0.5 - lower * scale
            found = position.astype(np.int64)
            found -= inside < grid.edges.take(found, mode="clip", out=position)
        else:
            found = np.searchsorted(grid.edges, inside, side="right") - 1
    found[np.isnan(values)] = -1
    return found


def edges_cells(values: Floats, key: Edges) -> Integers:
    """Return the cell between public edges of each value, or -1 beyond them and for NaN."""
    inside = np.clip(values, key.bounds.lower, key.bounds.upper)
    found = np.searchsorted(key.edges, inside, side="right") - 1
    np.minimum(found, key.cells - 1, out=found)  # the last cell holds its upper edge
    found[(inside > key.edges[-1]) | np.isnan(values)] = -1
    return found
