"""Points with the intervals around them, and the line through them."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from sfumato.figure import Panel, Points
from sfumato.render import theme
from sfumato.render.matplotlib.axis import positions
from sfumato.render.matplotlib.lettering import points
from sfumato.render.points import beside, dot_size, thickness
from sfumato.render.text import shorten


@dataclass(frozen=True)
class Strip:
    """One series of points: what lies at each of them side by side with other series."""

    line: Line2D
    intervals: LineCollection
    panel: Panel
    mark: Points

    def fit(self, renderer: RendererBase) -> None:
        """Move the series beside the others, by no more than there is room for."""
        ax = self.line.axes
        if ax is None:
            return
        low, high = ax.get_ylim()
        point = abs(high - low) / (ax.bbox.height / points(renderer, 1))
        y = beside(self.panel, self.mark, point)
        self.line.set_ydata(y)
        thick = thickness(self.panel, point)
        self.intervals.set_linewidth(thick)
        self.line.set_markersize(dot_size(thick))
        ends = [positions(self.panel.x, end) for end in (self.mark.x.low, self.mark.x.high)]
        self.intervals.set_segments(
            [[(left, at), (right, at)] for left, right, at in zip(*ends, y, strict=True)]
        )


def draw_points(ax: Axes, panel: Panel, mark: Points, index: int) -> Strip:
    """Draw one series; `index` is its place in the legend and decides its colour."""
    colour = theme.series_colour(index)
    soft = LineCollection(
        [],
        colors=colour,
        alpha=theme.INTERVAL_OPACITY,
        capstyle="butt",
        label="_intervals",
        zorder=2,
    )
    ax.add_collection(soft, autolim=False)
    (line,) = ax.plot(
        positions(panel.x, mark.x.value),
        mark.y,
        color=colour,
        linewidth=1.0 if mark.joined else 0.0,
        marker="o",
        markeredgewidth=0.0,
        label=shorten(mark.series, theme.LONGEST_SERIES) or "_points",
        zorder=3,
    )
    return Strip(line, soft, panel, mark)
