"""Bars with error bars, and cells shown by colour; what noise could have made is struck through."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any, cast

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import LineCollection, PolyCollection, QuadMesh
from matplotlib.transforms import ScaledTranslation

from sfumato.figure import Bars, Cells, Orient, Panel
from sfumato.render import theme
from sfumato.render.logarithmic import find_base, lift_bars, measure_along
from sfumato.render.matplotlib.axis import convert_positions
from sfumato.render.matplotlib.lettering import choose_tones, convert_points, find_page
from sfumato.render.scale import Limits, count_error_bars, list_strokes, place_error_bars
from sfumato.render.text import shorten

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


@dataclass(frozen=True)
class Whiskers:
    """The error bars of one series, and the usual width of its bars on the axis they stand on."""

    pointwise: LineCollection | None
    simultaneous: LineCollection
    width: float
    orient: Orient

    def fit(self, renderer: RendererBase) -> None:
        """Draw thinner lines on narrower bars."""
        ax = self.simultaneous.axes
        if ax is None:
            return
        upright = self.orient == "v"
        low, high = ax.get_xlim() if upright else ax.get_ylim()
        if (ax.get_xscale() if upright else ax.get_yscale()) == "log":
            low, high = math.log10(low), math.log10(high)
        pixels = (ax.bbox.width if upright else ax.bbox.height) * self.width / abs(high - low)
        thick, thin = theme.whisker_widths(pixels / convert_points(renderer, 1))
        if self.pointwise is not None:
            self.pointwise.set_linewidth(thick)
        self.simultaneous.set_linewidth(thin)


def draw_bars(
    ax: Axes, panel: Panel, bars: Bars, index: int, colours: Sequence[str] = ()
) -> Whiskers:
    """Draw one series; `index` is its place in the legend and decides its colour."""
    own = theme.series_colour(index, colours)
    along = panel.x if bars.orient == "v" else panel.y
    left, right = convert_positions(along, bars.left), convert_positions(along, bars.right)
    ends = list(zip(left, right, strict=True))
    base = find_base(panel, bars)
    centre = convert_positions(along, place_error_bars(panel, bars))
    bars = lift_bars(bars, base)
    label = shorten(bars.series, theme.LONGEST_SERIES) or "_bars"
    if bars.outline:
        _draw_outline(ax, bars, (*left, *right[-1:]), own, label=label, base=base)
    else:
        fill = theme.bar_colour(index, colours, choose_tones(ax).paper)
        _draw_boxes(ax, bars, ends, fill, label=label, base=base)
    _mark_clipped(ax, bars, centre, own, base)
    colour = own if bars.outline else choose_tones(ax).ink
    alone, together = bars.pointwise, bars.simultaneous
    lines = cast(Any, ax.vlines if bars.orient == "v" else ax.hlines)
    style: dict[str, Any] = {"colors": colour, "zorder": 4}
    measure = partial(measure_along, along)
    return Whiskers(
        lines(centre, alone.low, alone.high, label="_pointwise", **style) if alone else None,
        lines(centre, together.low, together.high, label="_simultaneous", **style),
        width=_usual_width([(measure(a), measure(b)) for a, b in ends])
        / count_error_bars(panel, bars),
        orient=bars.orient,
    )


def _draw_boxes(
    ax: Axes, bars: Bars, ends: list[tuple[float, float]], colour: str, *, label: str, base: float
) -> None:
    if not ends:  # a legend would not know the colour of bars that are not there
        ax.add_collection(PolyCollection([], facecolors=[colour], label=label), autolim=False)
        return
    edge = 0.6 if len(ends) <= 60 else 0.0
    draw = cast(Any, ax.bar if bars.orient == "v" else ax.barh)
    draw(
        [left for left, _ in ends],
        [height - base for height in bars.height],
        [right - left for left, right in ends],
        base,
        align="edge",
        color=colour,
        edgecolor=choose_tones(ax).paper,
        linewidth=edge,
        label=label,
        zorder=2,
    )


def _draw_outline(
    ax: Axes, bars: Bars, edges: tuple[float, ...], colour: str, *, label: str, base: float
) -> None:
    style: dict[str, Any] = {"baseline": base, "color": colour}
    ax.stairs(bars.height, edges, fill=True, alpha=theme.FILL_OPACITY, zorder=2, **style)
    ax.stairs(bars.height, edges, linewidth=theme.OUTLINE_WIDTH, label=label, zorder=3, **style)


def _usual_width(ends: list[tuple[float, float]]) -> float:
    # Not of the narrowest bar, which may hold the last value alone.
    return median(high - low for low, high in ends) if ends else 1.0


def _mark_clipped(
    ax: Axes, bars: Bars, centre: tuple[float, ...], colour: str, base: float
) -> None:
    places = [x for x, clipped in zip(centre, bars.clipped, strict=True) if clipped]
    if not places:
        return
    upright, zeros = bars.orient == "v", [base] * len(places)
    off = (0, 3.5 / 72) if upright else (3.5 / 72, 0)
    raised = ScaledTranslation(*off, find_page(ax).dpi_scale_trans)
    ax.plot(
        places if upright else zeros,
        zeros if upright else places,
        linestyle="none",
        marker="v" if upright else "<",
        markersize=4.5,
        markerfacecolor=choose_tones(ax).paper,
        markeredgecolor=colour,
        markeredgewidth=0.9,
        label="_clipped",
        transform=ax.transData + raised,
        zorder=5,
    )


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_MOST_VECTOR_CELLS = 20_000


def draw_cells(
    ax: Axes, panel: Panel, cells: Cells, limits: Limits, ramp: Sequence[str] = ()
) -> QuadMesh:
    """Draw the grid and strike through its muted cells."""
    x, y = convert_positions(panel.x, cells.x_edges), convert_positions(panel.y, cells.y_edges)
    count = (len(x) - 1) * (len(y) - 1)
    mesh = ax.pcolormesh(
        x,
        y,
        cells.value,
        cmap=choose_tones(ax).scale(ramp),
        vmin=limits[0],
        vmax=limits[1],
        rasterized=count > _MOST_VECTOR_CELLS,
        zorder=1,
    )
    lines = [[(x[c], y[r]), (x[c + 1], y[r + 1])] for r, c in list_strokes(cells)]
    hatch = LineCollection(
        lines,
        colors=theme.MUTED_STROKE,
        linewidths=theme.stroke_width(count),
        label="_muted",
        zorder=2,
    )
    ax.add_collection(hatch, autolim=False)
    return mesh
