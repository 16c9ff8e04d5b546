"""How many cells a picture has and how far it is smoothed, as users spell them."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import cast

from sfumato.errors import ReleaseError
from sfumato.grid import Grid

Length = float | timedelta
Resolution = int | tuple[int, int]
"""Cells along both sides, or columns and rows."""

Smooth = Length | tuple[Length, Length]
"""A standard deviation in the units of the data, or one for x and one for y."""

MOST = 4096
"""Cells along a side of a picture."""


def cells_of(resolution: Resolution | None, x: Grid, y: Grid) -> tuple[int, int]:
    """Return columns and rows."""
    asked = (x.cells, y.cells) if resolution is None else _pair(resolution)
    columns, rows = asked if len(asked) == 2 else (0, 0)
    if _counted(columns) and _counted(rows):
        return cast(int, columns), cast(int, rows)
    raise ReleaseError(
        f"An array has from 1 to {MOST} cells along a side.",
        "The release itself holds every square there is, and any part of it can be had.",
        "Write to_array(resolution=512).",
    )


def lengths_of(smooth: Smooth, x: Grid, y: Grid) -> tuple[float, float]:
    """Return the standard deviations along x and y, in the units of the data."""
    pair = _pair(smooth)
    lengths = tuple(
        each / timedelta(microseconds=1) if isinstance(each, timedelta) else each for each in pair
    )
    if len(lengths) == 2 and all(map(_length, lengths)):
        # Filters wider than the window all even it out; the cap keeps numbers finite.
        across, up = (float(cast(float, length)) for length in lengths)
        return min(across, 100 * x.bounds.width), min(up, 100 * y.bounds.width)
    raise ReleaseError(
        "smooth must be a number not below zero, or a pair of them for x and y.",
        "It is the width of a filter in the units of the data.",
        "Write smooth=0.01, or smooth=0 for no filter.",
    )


def widths_of(smooth: Smooth, x: Grid, y: Grid, cells: tuple[int, int]) -> tuple[float, float]:
    """Return the standard deviations along x and y, in cells."""
    across, up = lengths_of(smooth, x, y)
    return across / x.bounds.width * cells[0], up / y.bounds.width * cells[1]


def _pair(spelling: object) -> tuple[object, ...]:
    if isinstance(spelling, tuple | list):
        return tuple(cast(list[object], spelling))
    return spelling, spelling


def _counted(cells: object) -> bool:
    return isinstance(cells, int) and not isinstance(cells, bool) and 1 <= cells <= MOST


def _length(length: object) -> bool:
    if not isinstance(length, int | float) or isinstance(length, bool):
        return False
    return math.isfinite(length) and length >= 0
