"""Where a participant's points lie: cells of the window, and the squares above them."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import DomainError
from sfumato.grid import Grid
from sfumato.plane import Codes, Outside, Plane, interleave

__all__ = ["Codes", "codes_within", "located", "numbers", "sides_within"]

Numbers = NDArray[np.float64]


def codes_within(plane: Plane, level: int) -> Codes:
    """Return the codes, rising, of the squares of a level that meet the window.

    Examples
    --------
    >>> from sfumato.domain import Bounds
    >>> wide = Plane(Grid("x", Bounds(0, 1), 4), Grid("y", Bounds(0, 1), 2))
    >>> codes_within(wide, 1), codes_within(wide, 2)
    (array([0, 1]), array([0, 1, 2, 3, 4, 5, 6, 7]))
    """
    width, height = sides_within(plane, level)
    places = np.arange(width * height, dtype=np.int64)
    return np.sort(interleave(places % width, places // width))


def sides_within(plane: Plane, level: int) -> tuple[int, int]:
    """Return how many columns and rows of squares of a level meet the window."""
    span = 2 ** (plane.levels - level)
    return -(-plane.x.cells // span), -(-plane.y.cells // span)


def located(plane: Plane, points: Numbers) -> Codes:
    """Return the cells of the points that lie in the window.

    NaN lies nowhere. Other points outside are left out or moved to the border, as the plane says.
    """
    column, inside = _index(plane.x, points[:, 0], plane.outside)
    row, within = _index(plane.y, points[:, 1], plane.outside)
    chosen = inside & within
    return interleave(column[chosen], row[chosen])


def _index(axis: Grid, values: Numbers, outside: Outside) -> tuple[Codes, NDArray[np.bool_]]:
    lower, upper = axis.edges[0], axis.edges[-1]
    known = ~np.isnan(values)
    inside = known if outside == "edge" else known & (lower <= values) & (values <= upper)
    kept = np.clip(np.where(known, values, lower), lower, upper)
    index = np.searchsorted(axis.edges, kept, side="right") - 1
    return np.minimum(index, axis.cells - 1).astype(np.int64), inside


def numbers(values: ArrayLike, shape: tuple[int | None, ...], spelling: str) -> Numbers:
    """Return an array of numbers in the given shape, or say how it is spelled."""
    array = None
    # The message of such an error may quote a value.
    with suppress(TypeError, ValueError, OverflowError):
        array = np.asarray(values, dtype=np.float64)
    if array is not None and array.size == 0 and shape[0] is None:
        array = array.reshape(0, *(size or 0 for size in shape[1:]))
    if array is None or array.ndim != len(shape) or not _fits(array.shape, shape):
        raise DomainError(
            f"What a participant holds is {spelling}. Anything else has no place among the public "
            "cells, and would have to be guessed. Pass numbers in that shape."
        )
    return array


def _fits(found: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return all(size is None or size == have for have, size in zip(found, wanted, strict=True))
