"""Colours of densities and groups, and where points stand, for every renderer alike."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import (
    Arrows,
    Clouds,
    Contour,
    Dots,
    Heat,
    Mark,
    Matrix,
    Panel,
    Points,
    Regions,
)
from sfumato.render import theme

Colours = NDArray[np.uint8]
"""Red, green, blue and opacity of every point, row by row from the top."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def encode_png(colours: Colours) -> bytes:
    """Return the content of a PNG file; the same colours give the same bytes.

    Examples
    --------
    >>> encode_png(np.zeros((2, 3, 4), dtype=np.uint8))[1:4]
    b'PNG'
    """
    from PIL import Image

    content = BytesIO()
    Image.fromarray(colours).save(content, "PNG", compress_level=9)
    return content.getvalue()


def make_data_address(content: bytes) -> str:
    """Return a data address of a PNG or JPEG file.

    Examples
    --------
    >>> make_data_address(encode_png(np.zeros((2, 3, 4), dtype=np.uint8)))[:27]
    'data:image/png;base64,iVBOR'
    """
    kind = "png" if content.startswith(_SIGNATURE) else "jpeg"
    return f"data:image/{kind};base64,{b64encode(content).decode()}"


Array = NDArray[np.float64]

EXPONENT = 0.5
"""Colours follow the square root of a density: where few are is seen beside where many are."""

_APART = 0.17  # of the colour scale, between two numbers beside it
_CLEAR = 0.15  # of the colour scale: below, a density laid over a picture is not seen
_FULL = 0.6  # of the colour scale: above, it is as opaque as it gets


@dataclass(frozen=True)
class SampledCell:
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
    places: tuple[SampledCell, ...]

    def ends(self, heat: Heat, place: SampledCell) -> tuple[float, float, float, float]:
        """Return the left, right, low and high end of a place."""
        across = (heat.x[1] - heat.x[0]) / self.columns
        up = (heat.y[1] - heat.y[0]) / self.rows
        left, low = heat.x[0] + place.column * across, heat.y[0] + place.row * up
        return left, left + across, low, low + up


def sample_density(heat: Heat, most: int) -> Sample:
    """Return a density at evenly spaced places, at most so many a side."""
    rows, columns = len(heat.value), len(heat.value[0])
    across, up = min(most, columns), min(most, rows)
    return Sample(across, up, tuple(_sample_cells(heat, across, up)))


def find_muted(heat: Heat) -> NDArray[np.bool_]:
    """Return where noise alone could have made what is seen."""
    return np.array(heat.muted, dtype=bool)


def colour_density(
    heat: Heat, top: float, *, night: bool = False, chosen: Sequence[str] = ()
) -> Colours:
    """Return the picture of a density, row by row from the lowest y.

    Parameters
    ----------
    top
        The density that has the last colour of the scale.
    night
        Whether the paper is dark, so that much is light and little is dark.
    chosen
        The colours of the scale, from few to many; our own if there are none.
    """
    level = np.clip(np.array(heat.value) / top, 0, 1) ** EXPONENT
    seen = theme.ramp(level, night=night, chosen=chosen)
    doubtful = find_muted(heat)
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


def find_ratio(panel: Panel) -> float | None:
    """Return how tall a panel is for its width, if a mark in it decides."""
    if panel.ratio is not None:
        return panel.ratio or None
    ratios = (_find_mark_ratio(panel, mark) for mark in panel.marks)
    return next((ratio for ratio in ratios if ratio is not None), None)


def _find_mark_ratio(panel: Panel, mark: Mark) -> float | None:
    match mark:
        case Heat():
            return mark.ratio
        case Matrix():
            return len(mark.value) / max(1, len(mark.value[0])) if mark.value else None
        case Regions():
            return _find_map_ratio(panel, mark)
        case Clouds() | Contour() | Dots() | Arrows():
            # Scores along two directions have one unit, so distances can be compared.
            x, y = panel.x.limits, panel.y.limits
            return (y[1] - y[0]) / (x[1] - x[0]) if x and y else None
        case _:
            return None


def _find_map_ratio(panel: Panel, regions: Regions) -> float | None:
    """Return how tall a map is for its width, where its units have a shape."""
    corners = [corner for rings in regions.paths for ring in rings for corner in ring]
    if regions.ratio is None or not corners:
        return None
    x = panel.x.limits or (min(x for x, _ in corners), max(x for x, _ in corners))
    y = panel.y.limits or (min(y for _, y in corners), max(y for _, y in corners))
    return regions.ratio * (y[1] - y[0]) / (x[1] - x[0]) if x[1] > x[0] else None


def _sample_cells(heat: Heat, across: int, up: int) -> Iterator[SampledCell]:
    rows, columns = len(heat.value), len(heat.value[0])
    for row in range(up):
        r = (2 * row + 1) * rows // (2 * up)
        for column in range(across):
            c = (2 * column + 1) * columns // (2 * across)
            yield SampledCell(column, row, heat.value[r][c], heat.low[r][c], heat.high[r][c])


_DENSEST = 0.62  # opacity of a group where it is densest
_FOREMOST = 2.0  # how clearly a mixture shows the group that is densest in it
_DASHED = (4.0, 1.6)  # of the line's width: lines and gaps, of all but the first groups


def mix_colours(clouds: Clouds, colours: Sequence[str]) -> Colours:
    """Return the picture of all groups together, row by row from the lowest y.

    Where groups meet, their colours mix as light does, the denser group's first; and the more
    there is of any, the less the paper shows through.

    Parameters
    ----------
    colours
        One for each group, such as ``"#0072b2"``.

    Examples
    --------
    >>> halves = Clouds((0, 2), (0, 1), ("a", "b"), (((1.0, 0.0),), ((0.0, 0.25),)))
    >>> mix_colours(halves, ["#ff0000", "#0000ff"]).tolist()
    [[[255, 0, 0, 158], [0, 0, 255, 79]]]
    """
    value = np.clip(np.array(clouds.value, dtype=np.float64), 0, 1)
    opacity = _DENSEST * np.sqrt(value)
    weight = value**_FOREMOST
    light = np.array([theme.channels(colour) for colour in colours], dtype=np.float64) ** 2
    mixed = np.tensordot(weight, light, axes=(0, 0))
    total = weight.sum(axis=0)[..., np.newaxis]
    seen = np.sqrt(np.divide(mixed, total, out=np.zeros_like(mixed), where=total > 0))
    covered = 1 - np.prod(1 - opacity, axis=0)
    return np.rint(np.dstack([seen, 255 * covered])).astype(np.uint8)


def line_width(share: float) -> float:
    """Return the width, in points, of the line around a share of a group: the core's is wider.

    Examples
    --------
    >>> line_width(0.5) > line_width(0.9)
    True
    """
    return 1.7 - share


def line_colour(index: int, chosen: Sequence[str] = (), ink: str = theme.INK) -> str:
    """Return the colour of the lines around a group, by its place in the legend.

    Dashed lines are nearer to ink than their groups: some of those are too pale for broken ones.

    Examples
    --------
    >>> line_colour(0), line_colour(7)
    ('#0072b2', '#6553a5')
    """
    return theme.mix(theme.series_colour(index, chosen), ink, 0.4 if dashes(index) else 0.0)


def dashes(index: int) -> tuple[float, ...]:
    """Return lines and gaps, in widths of the line, for the place of a group in the legend.

    The first groups have solid lines, and none here. Those after them have dashed ones, so that
    many groups can be told apart by more than their colours.

    Examples
    --------
    >>> dashes(0), dashes(7)
    ((), (4.0, 1.6))
    """
    return _DASHED if index >= theme.SOLID else ()


OPACITY = 0.6


def dot_colour(index: int, chosen: Sequence[str] = (), ink: str = theme.INK) -> str:
    """Return the colour of a group's points, by its place in the legend."""
    return theme.mix(theme.series_colour(index, chosen), ink, 0.35)


def synthetic_dot_size(count: int) -> float:
    """Return the diameter of points, in printer's points: many are drawn smaller.

    Examples
    --------
    >>> synthetic_dot_size(300), synthetic_dot_size(100_000)
    (2.5, 1.0)
    """
    return round(min(2.5, max(1.0, 2.5 * (600 / max(count, 1)) ** 0.25)), 2)


THICKEST = 6.0
_FILLED = 0.7


def count_series(panel: Panel) -> int:
    """Count the series of a panel."""
    return len(_list_series(panel))


def thickness(panel: Panel, point: float) -> float:
    """Return how thick an interval is drawn, in points, so that those of all series have room.

    Parameters
    ----------
    point
        What one point of the paper is worth on the y axis.
    """
    count = max(1, count_series(panel))
    places = sorted({place for mark in _list_series(panel) for place in mark.y})
    apart = min((b - a for a, b in pairwise(places)), default=1.0)
    # A curve is drawn where it lies: its series together are hardly thicker than one alone.
    curves = any(mark.joined for mark in _list_series(panel))
    thickest = THICKEST / count**0.8 if curves else THICKEST
    return max(0.8, min(thickest, _FILLED * apart / point / count))


def dot_size(thick: float) -> float:
    """Return the diameter of a point, in points, on an interval of this thickness."""
    return max(2.0, min(5.0, thick + 1))


def place_beside(panel: Panel, mark: Points, point: float) -> tuple[float, ...]:
    """Return the places of one series on the y axis, a little apart from those of the others.

    Points without intervals do not hide each other, and stand where they belong.
    """
    if not mark.coverage:
        return mark.y
    shift = _list_series(panel).index(mark) - (count_series(panel) - 1) / 2
    # The first series lies highest, as it stands first in the legend.
    return tuple(place - shift * 1.15 * thickness(panel, point) * point for place in mark.y)


def _list_series(panel: Panel) -> list[Points]:
    return [mark for mark in panel.marks if isinstance(mark, Points)]
