"""The window of a map: how many cells it has, and how it is drawn."""

from __future__ import annotations

import math
from typing import cast

from sfumato.domain import listed
from sfumato.errors import DomainError
from sfumato.grid import Grid
from sfumato.phrases import Setting
from sfumato.plane import MOST_LEVELS
from sfumato.releases.heatmap import Origin
from sfumato.releases.heatmap.area import Aspect, on_earth

Resolution = int | tuple[int, int]

_LONGITUDES = {"lon", "long", "lng", "longitude"}
_LATITUDES = {"lat", "latitude"}
_SQUARE = 4.0  # one scale for both axes makes a picture up to so many times as wide as high


def read_resolution(spelling: object) -> tuple[int, int]:
    """Read the number of cells along x and y from one number or a pair.

    Examples
    --------
    >>> read_resolution(256), read_resolution((320, 240))
    ((256, 256), (320, 240))
    """
    sides = listed(spelling) or (spelling, spelling)
    whole = [isinstance(side, int) and not isinstance(side, bool) for side in sides]
    if len(sides) == 2 and all(whole):
        pair = cast(tuple[int, int], sides)
        if all(1 <= side <= 2**MOST_LEVELS for side in pair):
            return pair
    raise DomainError(
        (
            Setting("resolution", spelling),
            f" must be a whole number of cells a side up to 2^{MOST_LEVELS}, or a pair of them.",
        ),
        "It must be known without looking.",
        ("Write ", Setting("resolution", 256), ", or ", Setting("resolution", (320, 240)), "."),
    )


def aspect_of(x: Grid, y: Grid, origin: Origin) -> Aspect:
    """Tell from the columns' names and bounds how to draw a window."""
    if x.column.lower() in _LONGITUDES and y.column.lower() in _LATITUDES and on_earth(x, y):
        return "map"
    alike = 1 / _SQUARE <= x.bounds.width / y.bounds.width <= _SQUARE
    timed = x.bounds.time or y.bounds.time
    return "equal" if origin == "upper" and alike and not timed else "free"


def side(size: float, epsilon: float) -> float:
    """Return the side of a square that holds as many people as its noise can be told from.

    As a part of the window's, for people who are everywhere alike.
    """
    return min(1.0, 1 / math.sqrt(max(size * epsilon, 1.0)))
