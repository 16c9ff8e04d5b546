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
from sfumato.render.counts import TOO_FEW
from sfumato.render.matplotlib.axis import positions
from sfumato.render.matplotlib.lettering import LITERAL, points
from sfumato.render.matplotlib.tones import tones
from sfumato.render.points import beside, dot_size, thickness
from sfumato.render.text import shorten

_DASHES = (0, (4, 3))


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
    for place in mark.too_few:
        _draw_too_few(ax, place)
    return Strip(line, soft, panel, mark)


def _draw_too_few(ax: Axes, place: float) -> None:
    """Write across the panel that nothing can be said, on a dashed line."""
    tone, across = tones(ax), ax.get_yaxis_transform()
    ax.plot(
        [0, 1],
        [place, place],
        transform=across,
        color=tone.soft_ink,
        linestyle=_DASHES,
        linewidth=0.8,
        scalex=False,
        label="_too_few",
    )
    text = ax.text(
        0.5,
        place,
        TOO_FEW,
        transform=across,
        ha="center",
        va="center",
        fontsize=theme.CAPTION_SIZE,
        color=tone.soft_ink,
        bbox={"facecolor": tone.paper, "linewidth": 0, "pad": 2.0},
        zorder=5,
        clip_on=True,
        **LITERAL,
    )
    text.set_in_layout(False)
