"""Several whole numbers of a row as one value, which rows can be grouped by and carried with."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.engines.columns import Floats

Numbers = NDArray[np.int32]
"""Whole numbers, one line for each of those that rows have."""


def packed(lines: Floats) -> pa.Array:
    """Return the numbers of each row as bytes, or NULL where one of them is NaN.

    Examples
    --------
    >>> two = packed(np.array([[1.0, 2.0], [3.0, np.nan]]))
    >>> two.null_count, unpacked(two.drop_null(), 2).tolist()
    (1, [[1], [3]])
    """
    known = ~np.isnan(lines).any(axis=0)
    rows = np.where(known, lines, 0.0).T.astype(np.int32, order="C")
    buffers = [pa.py_buffer(np.packbits(known, bitorder="little")), pa.py_buffer(rows)]
    return pa.Array.from_buffers(pa.binary(rows.itemsize * len(lines)), len(rows), buffers)


def unpacked(column: pa.Array, lines: int) -> Numbers:
    """Return the numbers of each row, of which each has as many as there are lines."""
    width = np.dtype(np.int32).itemsize * lines
    stored = column.cast(pa.binary(width))
    octets = stored.buffers()[1]
    if octets is None:
        return np.empty((lines, 0), dtype=np.int32)
    rows = np.frombuffer(octets, np.int32).reshape(-1, lines)
    return rows[stored.offset : stored.offset + len(stored)].T
