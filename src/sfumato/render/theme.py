"""Type, colours and sizes: what makes a Matplotlib and a Vega-Lite picture look alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PAPER = "#ffffff"
INK = "#1f1f1f"
SOFT_INK = "#5a5a5a"
GRID = "#e3e3e0"
WATERMARK = "#b3261e"
WATERMARK_OPACITY = 0.3
MUTED_STROKE = "#a9a9a3"

FONTS = ("DejaVu Sans", "Verdana", "Helvetica", "Arial", "sans-serif")
TITLE_SIZE = 11.0
TITLE_PAD = 8.0
LABEL_SIZE = 9.0
TICK_SIZE = 8.5
CAPTION_SIZE = 7.5
NARROW = 270.0
NARROW_CAPTION_SIZE = 6.8
LINE_HEIGHT = 1.25
LONGEST_LABEL = 80
LONGEST_SERIES = 40

BAR_LIGHTENING = 0.35
FILL_OPACITY = 0.12
OUTLINE_WIDTH = 1.6
BOX_OPACITY = 0.5
MEDIAN_OPACITY = 0.35
END_OPACITY = 0.35
INTERVAL_OPACITY = 0.35
HEAT_OPACITY = 0.9
BACKGROUND_OPACITY = 0.5
LEAF_OPACITY = 0.3
LEAF_WIDTH = 0.4
MAP_WIDTH = 0.6
MAP_OPACITY = 0.75

# Okabe and Ito's colours for all kinds of colour vision, without the yellow that paper swallows;
# then as many more, which a search in OKLab keeps apart from these in every kind of colour vision.
_FIRST = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d")
_SECOND = ("#9376ff", "#9d1d00", "#00d8c4", "#89624e", "#b13189", "#9db189", "#4e3bba")
_SERIES = _FIRST + _SECOND
SOLID = len(_FIRST)
"""How many series have solid lines; those after them have dashed ones, where lines cross."""

# Equal steps along a curve in OKLab from paper to night: lightness falls all the way, so the order
# of two cells is seen in any colour vision and in print without colour.
RAMP = (
    "#f6f4e6",
    "#dde6cb",
    "#bcdab9",
    "#96ceb1",
    "#73bfad",
    "#55aea9",
    "#399ca6",
    "#2788a0",
    "#257595",
    "#276188",
    "#274e77",
    "#243c64",
    "#1f2b51",
)


def choose_ramp(chosen: Sequence[str], *, night: bool = False) -> Sequence[str]:
    """Return the colours of a scale from few to many: those that were chosen, or our own.

    By night our own are turned round, so that little is dark on dark paper.
    """
    return chosen or (RAMP[::-1] if night else RAMP)


def ramp(level: Array, *, night: bool = False, chosen: Sequence[str] = ()) -> Array:
    """Return the red, green and blue (0 to 255) of levels between 0 and 1."""
    colours = choose_ramp(chosen, night=night)
    places = np.linspace(0, 1, len(colours))
    curves = zip(*map(channels, colours), strict=True)
    return np.stack([np.interp(level, places, curve) for curve in curves], axis=-1)


def greyed(colour: Array) -> Array:
    """Return greys as light as colours are."""
    light = colour @ np.array([0.2126, 0.7152, 0.0722])
    return np.repeat(light[..., np.newaxis], 3, axis=-1)


def series_colour(index: int, chosen: Sequence[str] = ()) -> str:
    """Return the colour of a series; past the last colour they begin again, paler.

    Parameters
    ----------
    chosen
        The colours to take; our own if there are none.

    Examples
    --------
    >>> series_colour(0), series_colour(7), series_colour(14)
    ('#0072b2', '#9376ff', '#73b1d5')
    """
    colours = chosen or _SERIES
    rounds, place = divmod(index, len(colours))
    return mix(colours[place], PAPER, 1 - 0.55 ** min(rounds, 2))


def bar_colour(index: int, chosen: Sequence[str] = (), paper: str = PAPER) -> str:
    """Return the fill of a series' bars: light enough for an error bar to be seen on it."""
    return mix(series_colour(index, chosen), paper, BAR_LIGHTENING)


def box_colour(index: int, chosen: Sequence[str] = (), paper: str = PAPER) -> str:
    """Return the colour of a box where we are sure of it."""
    return mix(series_colour(index, chosen), paper, 1 - BOX_OPACITY)


def box_ink(index: int, chosen: Sequence[str] = (), ink: str = INK) -> str:
    """Return the colour of a box's lines: its own, mixed with ink."""
    return mix(series_colour(index, chosen), ink, 0.55)


def box_lines(width: float) -> tuple[float, float]:
    """Return the line widths of the median and of all other lines of a box of this width.

    All widths are in points.
    """
    return min(2.2, max(1.0, 0.12 * width)), min(1.0, max(0.5, 0.06 * width))


def mix(colour: str, other: str, share: float) -> str:
    """Blend `share` of `other` into `colour`.

    Examples
    --------
    >>> mix("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(channels(colour), channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def contrast(one: str, other: str) -> float:
    """Return how well two colours are told apart, from 1 to 21, as WCAG defines it.

    Examples
    --------
    >>> contrast("#000000", "#ffffff"), contrast("#777777", "#777777")
    (21.0, 1.0)
    """
    low, high = sorted(map(_luminance, (one, other)))
    return round((high + 0.05) / (low + 0.05), 3)


def _luminance(colour: str) -> float:
    parts = [part / 255 for part in channels(colour)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def whisker_widths(slot: float) -> tuple[float, float]:
    """Return the line widths of pointwise and simultaneous intervals.

    Parameters
    ----------
    slot
        The room that most bars have; all widths are in points.
    """
    thick = min(3.0, max(0.8, 0.3 * slot))
    return thick, max(0.5, thick * 0.3)


def stroke_width(cells: int) -> float:
    """Return the line width, in points, of the stroke through a muted cell."""
    return min(0.8, max(0.25, 30 / max(cells, 1) ** 0.5 * 0.5))


def channels(colour: str) -> tuple[int, int, int]:
    """Return the red, green and blue of a colour, from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
