"""Synthetic points."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from matplotlib.axes import Axes

from sfumato.figure import Dots, Panel
from sfumato.render.dots import OPACITY, dot_colour, dot_size
from sfumato.render.matplotlib.axis import positions
from sfumato.render.matplotlib.tones import tones

_MOST_VECTOR_DOTS = 5_000


def draw_dots(ax: Axes, panel: Panel, dots: Dots, index: int) -> None:
    """Draw points; `index` is the place of their group in the legend, if they have one."""
    count = sum(len(mark.x) for mark in panel.marks if isinstance(mark, Dots))
    ax.plot(
        positions(panel.x, dots.x),
        positions(panel.y, dots.y),
        linestyle="none",
        marker="o",
        markersize=dot_size(count),
        markerfacecolor=dot_colour(index, tones(ax).ink) if dots.series else tones(ax).ink,
        markeredgewidth=0.0,
        alpha=OPACITY,
        rasterized=len(dots.x) > _MOST_VECTOR_DOTS,
        label="_dots",
        zorder=3,
        scalex=False,
        scaley=False,
    )
