"""The space an Axes may fill where no layout engine shares it out."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.transforms import Bbox

from sfumato.render.matplotlib.lettering import points
from sfumato.render.matplotlib.page import page

_PAD = 4.0
_SMALLEST_SHARE = 0.15


def slot(ax: Axes, renderer: RendererBase) -> Bbox:
    """Return the pixels up to the figure's edge, or half-way to the Axes next to `ax`."""
    figure = page(ax)
    mine = ax.get_position(original=True).transformed(figure.transSubfigure)
    pad = points(renderer, _PAD)
    x0, y0, x1, y1 = figure.bbox.padded(-pad).extents
    for other in figure.axes:
        theirs = other.get_position(original=True).transformed(figure.transSubfigure)
        if theirs.x0 < mine.x1 and mine.x0 < theirs.x1:
            y0, y1 = _between(y0, y1, (mine.y0, mine.y1), (theirs.y0, theirs.y1), pad / 2)
        elif theirs.y0 < mine.y1 and mine.y0 < theirs.y1:
            x0, x1 = _between(x0, x1, (mine.x0, mine.x1), (theirs.x0, theirs.x1), pad / 2)
    return Bbox.from_extents(x0, y0, x1, y1)


def give_way(ax: Axes, taken: Bbox, free: Bbox) -> Bbox:
    """Pull in the sides of `ax` so that all it takes lies in what is free.

    Parameters
    ----------
    taken
        What the Axes take with everything around them, where they stand now, in pixels.
    """
    figure = page(ax)
    now = ax.get_position(original=False).transformed(figure.transSubfigure)
    wanted = ax.get_position(original=True).transformed(figure.transSubfigure)
    x0 = max(wanted.x0, free.x0 + now.x0 - taken.x0)
    y0 = max(wanted.y0, free.y0 + now.y0 - taken.y0)
    x1 = min(wanted.x1, free.x1 + now.x1 - taken.x1)
    y1 = min(wanted.y1, free.y1 + now.y1 - taken.y1)
    x1 = max(x1, x0 + _SMALLEST_SHARE * wanted.width)
    y1 = max(y1, y0 + _SMALLEST_SHARE * wanted.height)
    return Bbox.from_extents(x0, y0, x1, y1).transformed(figure.transSubfigure.inverted())


def _between(
    low: float,
    high: float,
    mine: tuple[float, float],
    theirs: tuple[float, float],
    pad: float,
) -> tuple[float, float]:
    if theirs[1] <= mine[0]:
        return max(low, (theirs[1] + mine[0]) / 2 + pad), high
    if theirs[0] >= mine[1]:
        return low, min(high, (theirs[0] + mine[1]) / 2 - pad)
    return low, high
