"""The colours of a density, and what can be read off it, for every renderer alike.

Colour is for what the noise cannot have made. Elsewhere the density is drawn in grey, so that a
reader sees the estimate and does not take it for a finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Arrows, Clouds, Dots, Heat, Mark, Outline, Panel
from sfumato.render import theme
from sfumato.render.png import Colours

Array = NDArray[np.float64]

EXPONENT = 0.5
"""Colours follow the square root of a density: where few are is seen beside where many are."""

_APART = 0.17  # of the colour scale, between two numbers beside it
_CLEAR = 0.15  # of the colour scale: below, a density laid over a picture is not seen
_FULL = 0.6  # of the colour scale: above, it is as opaque as it gets


@dataclass(frozen=True)
class Place:
    """A rectangle of the window, and the density in its middle."""

    column: int
    row: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Sample:
    """So many columns and rows of places as can be pointed at or listed."""

    columns: int
    rows: int
    places: tuple[Place, ...]

    def ends(self, heat: Heat, place: Place) -> tuple[float, float, float, float]:
        """Return the left, right, low and high end of a place."""
        across = (heat.x[1] - heat.x[0]) / self.columns
        up = (heat.y[1] - heat.y[0]) / self.rows
        left, low = heat.x[0] + place.column * across, heat.y[0] + place.row * up
        return left, left + across, low, low + up


def sample(heat: Heat, most: int) -> Sample:
    """Return a density at evenly spaced places, at most so many a side."""
    rows, columns = len(heat.value), len(heat.value[0])
    across, up = min(most, columns), min(most, rows)
    return Sample(across, up, tuple(_places(heat, across, up)))


def muted(heat: Heat) -> NDArray[np.bool_]:
    """Return where noise alone could have made what is seen."""
    return np.array(heat.muted, dtype=bool)


def colours(heat: Heat, top: float, *, night: bool = False) -> Colours:
    """Return the picture of a density, row by row from the lowest y.

    Parameters
    ----------
    top
        The density that has the last colour of the scale.
    night
        Whether the paper is dark, so that much is light and little is dark.
    """
    level = np.clip(np.array(heat.value) / top, 0, 1) ** EXPONENT
    seen = theme.ramp(level, night=night)
    doubtful = muted(heat)
    opacity = np.ones_like(level)
    if heat.background:
        opacity = theme.HEAT_OPACITY * np.clip((level - _CLEAR) / (_FULL - _CLEAR), 0, 1)
        opacity[doubtful] = 0
    else:
        seen[doubtful] = theme.greyed(seen[doubtful])
    return np.rint(np.dstack([seen, 255 * opacity])).astype(np.uint8)


def ticks(top: float) -> list[float]:
    """Return round densities to write beside the colour scale, as many as stand apart.

    Examples
    --------
    >>> ticks(260.0)
    [0.0, 10.0, 50.0, 100.0, 200.0]
    """
    power = math.floor(math.log10(top))
    chosen: list[float] = []
    for exponent in range(power, power - 3, -1):
        for step in (5, 2, 1):
            tick = float(f"{step}e{exponent}")
            place = (tick / top) ** EXPONENT
            room = (chosen[-1] / top) ** EXPONENT if chosen else 2.0
            if place <= 1 and place >= _APART and room - place >= _APART:
                chosen.append(tick)
    return [0.0, *reversed(chosen)]


def ratio_of(panel: Panel) -> float | None:
    """Return how tall a panel is for its width, if a mark in it decides."""
    ratios = (_ratio(panel, mark) for mark in panel.marks)
    return next((ratio for ratio in ratios if ratio is not None), None)


def _ratio(panel: Panel, mark: Mark) -> float | None:
    match mark:
        case Heat():
            return mark.ratio
        case Clouds() | Outline() | Dots() | Arrows():
            # Scores along two directions have one unit, so distances can be compared.
            x, y = panel.x.limits, panel.y.limits
            return (y[1] - y[0]) / (x[1] - x[0]) if x and y else None
        case _:
            return None


def _places(heat: Heat, across: int, up: int) -> Iterator[Place]:
    rows, columns = len(heat.value), len(heat.value[0])
    for row in range(up):
        r = (2 * row + 1) * rows // (2 * up)
        for column in range(across):
            c = (2 * column + 1) * columns // (2 * across)
            yield Place(column, row, heat.value[r][c], heat.low[r][c], heat.high[r][c])
