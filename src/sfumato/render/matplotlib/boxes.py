"""Boxplots with soft edges, and the numbers beyond their whiskers."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba

from sfumato.figure import Axis, Boxes, Panel
from sfumato.render import boxes as geometry
from sfumato.render import theme
from sfumato.render.boxes import Fineness, Part
from sfumato.render.matplotlib.axis import positions
from sfumato.render.matplotlib.lettering import points
from sfumato.render.matplotlib.tones import tones
from sfumato.render.scale import value_limits
from sfumato.render.text import shorten

_DASHES = (0, (4, 3))
Point = tuple[float, float]


@dataclass(frozen=True)
class BoxLines:
    """The lines of one series, which grow thinner with the boxes."""

    thick: LineCollection
    thin: tuple[LineCollection, ...]
    boxes: Boxes

    def fit(self, renderer: RendererBase) -> None:
        """Choose the width of lines for the size the Axes have now."""
        ax = self.thick.axes
        if ax is None:
            return
        upright = self.boxes.orient == "v"
        low, high = ax.get_xlim() if upright else ax.get_ylim()
        length = ax.bbox.width if upright else ax.bbox.height
        pixels = length * self.boxes.width / abs(high - low)
        thick, thin = theme.box_lines(pixels / points(renderer, 1))
        self.thick.set_linewidth(thick)
        for lines in self.thin:
            lines.set_linewidth(thin)


def draw_boxes(ax: Axes, panel: Panel, boxes: Boxes, index: int) -> BoxLines:
    """Draw one series; `index` is its place in the legend and decides its colour."""
    brush = Brush(ax, panel.y if boxes.orient == "v" else panel.x, boxes.orient == "v")
    colour = theme.series_colour(index)
    label = shorten(boxes.series, theme.LONGEST_SERIES) or "_boxes"
    tone = tones(ax)
    ink = theme.box_ink(index, tone.ink)
    limits = value_limits(panel, boxes)
    fineness = Fineness.of(panel, boxes)
    brush.fill(geometry.outlines(boxes), "_paper", tone.paper)
    brush.fill(geometry.soft_ends(boxes, fineness), "_soft_ends", colour)
    brush.fill(geometry.soft_boxes(boxes, fineness), "_soft_boxes", colour)
    brush.fill(geometry.soft_medians(boxes, fineness), "_soft_medians", ink)
    brush.fill([], label, theme.box_colour(index, tone.paper))
    thin = (
        brush.frame(geometry.outlines(boxes), "_outlines", color=ink),
        brush.line(geometry.whiskers(boxes), "_whiskers", color=ink),
        brush.line(geometry.caps(boxes), "_caps", color=ink),
        brush.line(geometry.span_sides(boxes, limits), "_too_few", color=colour, linestyle=_DASHES),
    )
    return BoxLines(brush.line(geometry.medians(boxes), "_medians", color=ink), thin, boxes)


@dataclass(frozen=True)
class Brush:
    """Draws parts of boxes, whichever way they lie."""

    ax: Axes
    axis: Axis
    upright: bool

    def fill(self, parts: Sequence[Part], label: str, colour: str) -> None:
        """Fill rectangles, each as opaque as it says."""
        shapes = [self._corners(part) for part in parts]
        colours = [to_rgba(colour, part.opacity) for part in parts] or [to_rgba(colour)]
        filled = PolyCollection(shapes, facecolors=colours, label=label, linewidths=0, zorder=2)
        self.ax.add_collection(filled, autolim=False)

    def frame(self, parts: Sequence[Part], label: str, **style: Any) -> LineCollection:
        """Draw the four sides of rectangles."""
        closed = [[*corners, corners[0]] for corners in map(self._corners, parts)]
        return self._lines(closed, label, style)

    def line(self, parts: Sequence[Part], label: str, **style: Any) -> LineCollection:
        """Draw lines from one corner to the other."""
        return self._lines([self._corners(part)[::2] for part in parts], label, style)

    def _lines(
        self, lines: Sequence[Sequence[Point]], label: str, style: dict[str, Any]
    ) -> LineCollection:
        drawn = LineCollection(lines, label=label, zorder=3, capstyle="butt", **style)
        self.ax.add_collection(drawn, autolim=False)
        return drawn

    def _corners(self, part: Part) -> list[Point]:
        low, high = positions(self.axis, (part.low, part.high))
        corners = [(part.left, low), (part.left, high), (part.right, high), (part.right, low)]
        return corners if self.upright else [(value, place) for place, value in corners]
