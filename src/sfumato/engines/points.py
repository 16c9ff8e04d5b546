"""Rows to points of a lattice, a few at a time."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import Floats, numbers_and_gaps
from sfumato.lattice import Lattice

STRIP = 2**13
"""How many rows to work on at once: their columns fit in the caches, and NumPy is fastest here."""


def strips(
    block: pa.RecordBatch, lattice: Lattice, room: Floats | None = None
) -> Generator[Floats]:
    """Yield the points of a block, one line for each column; NaN makes a row be nowhere.

    They are put into `room`, or into an array of their own, which is used again: whoever asks may
    write into it, and must be done with it before asking for the next.

    Privacy
    -------
    A row's point depends on that row and public facts alone: every step is one correctly rounded
    operation, with the same result wherever in a table the row stands.
    """
    columns = [numbers_and_gaps(block.column(name)) for name in lattice.columns]
    gappy = [(line, gaps) for line, (_, gaps) in enumerate(columns) if gaps.any()]
    room = np.empty((len(columns), STRIP)) if room is None else room
    for start in range(0, block.num_rows, room.shape[1]):
        some = slice(start, start + room.shape[1])
        points = room[:, : block.num_rows - start]
        _place([values[some] for values, _ in columns], lattice, points)
        for line, gaps in gappy:
            points[line, gaps[some]] = np.nan
        yield points


def _place(columns: list[Floats], lattice: Lattice, points: Floats) -> None:
    lowest, highest = lattice.corners
    with np.errstate(over="ignore", invalid="ignore"):  # a signalling NaN would warn of itself
        for values, middle, line in zip(columns, lattice.middles, points, strict=True):
            np.subtract(values, middle, out=line)
        points *= lattice.factors[:, np.newaxis]
        np.rint(points, out=points)
        # All steps keep the order of values, so their bounds may as well be met at the end.
        np.clip(points, lowest[:, np.newaxis], highest[:, np.newaxis], out=points)
