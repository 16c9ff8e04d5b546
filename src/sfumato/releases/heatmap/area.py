"""`Area`: what a density is told per, a public choice that the bounds alone decide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Bounds
from sfumato.errors import abbreviate
from sfumato.grid import Grid
from sfumato.render.text import format_number

Array = NDArray[np.float64]
Aspect = Literal["map", "equal", "free"]

DEGREE = 111.32
"""Kilometres in a degree of latitude, and in one of longitude at the equator."""

_NARROWEST = 1e-9  # degrees, a tenth of a millimetre
_SHARE = 10  # of a side, about, is told as a round number
_DURATIONS = (
    (1e6, "second"),
    (60e6, "minute"),
    (3600e6, "hour"),
    (86_400e6, "day"),
    (7 * 86_400e6, "week"),
    (365.25 * 86_400e6, "year"),
)


@dataclass(frozen=True)
class Area:
    """A square kilometre, or a rectangle of round sides.

    Parameters
    ----------
    words
        What one area is, as it stands after "people per".
    sides
        Its width and height in the units of the data; None for a square kilometre.
    """

    words: str
    sides: tuple[float, float] | None = None

    @classmethod
    def of(cls, x: Grid, y: Grid, aspect: Aspect) -> Area:
        """Choose the area for a window.

        Examples
        --------
        >>> Area.of(Grid("x", Bounds(0, 640), 64), Grid("y", Bounds(0, 480), 48), "equal").words
        '50 × 50 of x × y'
        """
        # Areas of cells that are too narrow to be seen on a map are no floats in km².
        narrowest = min(each.bounds.width / each.cells for each in (x, y))
        if aspect == "map" and narrowest >= _NARROWEST:
            return cls("km²")
        bounds = (x.bounds, y.bounds)
        if aspect == "equal":
            bounds = (min(bounds, key=lambda each: each.width),) * 2
        (across, level), (up, upright) = (_round(each) for each in bounds)
        return cls(
            f"{level} × {upright} of {abbreviate(x.column)} × {abbreviate(y.column)}", (across, up)
        )

    def count(self, left: Array, right: Array, low: Array, high: Array) -> Array:
        """Return how many such areas rectangles hold.

        On a map that is exact on the sphere, so degrees count for less near the poles.
        """
        if self.sides is not None:
            across, up = self.sides
            # One side after the other: a product of two tiny or two huge ones is no float.
            return (right - left) / across * ((high - low) / up)
        south, north = (np.sin(np.radians(np.clip(end, -90, 90))) for end in (low, high))
        return (right - left) * DEGREE**2 * np.degrees(north - south)

    def measure(self, rings: Sequence[Sequence[tuple[float, float]]]) -> float:
        """Return how many such areas lie within a ring and outside its holes.

        On a map its corners are joined by lines that are straight where areas are as they are on
        the sphere; for regions of a country or less these are those on any map.

        Examples
        --------
        >>> ring = ((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0), (0.0, 0.0))
        >>> Area("", (2.0, 3.0)).measure((ring,))
        2.0
        """
        around, *holes = (abs(self._sweep(np.array(ring))) for ring in rings)
        return around - sum(holes)

    def _sweep(self, ring: Array) -> float:
        x, y = ring.T
        if self.sides is None:
            x, y = x * DEGREE, np.degrees(np.sin(np.radians(np.clip(y, -90, 90)))) * DEGREE
        else:
            x, y = x / self.sides[0], y / self.sides[1]
        x, y = x - x[0], y - y[0]  # what is far from zero would be rounded away
        return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2


def on_earth(x: Grid, y: Grid) -> bool:
    """Tell whether bounds can be degrees of longitude and latitude."""
    degrees = not (x.bounds.time or y.bounds.time)
    far = max(abs(x.bounds.lower), abs(x.bounds.upper)) <= 360
    return degrees and far and max(abs(y.bounds.lower), abs(y.bounds.upper)) <= 90


def ratio(x: Bounds, y: Bounds, aspect: Aspect) -> float | None:
    """Return how tall a window is drawn for its width; None where any shape will do."""
    match aspect:
        case "map":
            middle = math.radians(max(-85.0, min(85.0, (y.lower + y.upper) / 2)))
            return y.width / (x.width * math.cos(middle))
        case "equal":
            return y.width / x.width
        case "free":
            return None


def _round(bounds: Bounds) -> tuple[float, str]:
    """Return a round length within the bounds, and how it is written."""
    length = bounds.width / _SHARE
    if not bounds.time:
        rounded = _rounded(length)
        return rounded, format_number(rounded)
    size, name = max((pair for pair in _DURATIONS if pair[0] <= length), default=_DURATIONS[0])
    count = _rounded(max(1.0, length / size))
    return count * size, f"{format_number(count)} {name}{'s' if count > 1 else ''}"


def _rounded(length: float) -> float:
    """Return the largest of 1, 2 and 5 with any zeros that is not above 1.25 times a length."""
    most = 1.25 * length * (1 + 1e-9)  # 0.9 - 0.5 is a little less than 0.4
    power = 10.0 ** math.floor(math.log10(most))
    return max(float(f"{step * power:.1g}") for step in (1, 2, 5) if step * power <= most)
