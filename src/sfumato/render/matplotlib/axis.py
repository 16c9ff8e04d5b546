"""Axes dressed for print: light grid, no box, plain numbers, dates in UTC."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.dates import date2num  # pyright: ignore[reportUnknownVariableType]
from matplotlib.text import Text

from sfumato.figure import Axis, Figure, Panel
from sfumato.render import theme
from sfumato.render.matplotlib.lettering import LITERAL, Fitted, points
from sfumato.render.matplotlib.ticks import set_ticks
from sfumato.render.matplotlib.tones import tones
from sfumato.render.scale import Limits, ruled, x_limits, y_limits
from sfumato.render.text import shorten

_SHORTEST_SIDE = 42.0


def dress(ax: Axes, panel: Panel, figure: Figure, *, keep_x: bool, keep_y: bool) -> None:
    """Set limits, ticks, labels and grid of one panel.

    Where another release is in view on an axis, that is kept in view.
    """
    x = positions(panel.x, x_limits(panel))
    y = positions(panel.y, y_limits(panel, figure))
    ax.set_xlim(*_union(x, ax.get_xlim() if keep_x else x))
    ax.set_ylim(*_union(y, ax.get_ylim() if keep_y else y))
    ax.xaxis.set_inverted(panel.x.reversed)
    ax.yaxis.set_inverted(panel.y.reversed)
    set_ticks(ax.xaxis, panel.x)
    set_ticks(ax.yaxis, panel.y)
    soft_ink = tones(ax).soft_ink
    style: dict[str, Any] = {"fontsize": theme.LABEL_SIZE, "color": soft_ink, **LITERAL}
    ax.set_xlabel(shorten(panel.x.label, theme.LONGEST_LABEL), **style)
    ax.set_ylabel(shorten(panel.y.label, theme.LONGEST_LABEL), **style)
    _set_lines(ax, panel)


class AxisLabels:
    """The labels of both axes, and the title of a panel, kept within the sides they belong to."""

    def __init__(self, ax: Axes, title: Text | None, room: Callable[[], float]) -> None:
        self.ax = ax
        self.room = room
        self.title = Fitted(title, most_lines=3) if title else None
        self.level = Fitted(ax.xaxis.get_label(), most_lines=2)
        self.upright = Fitted(ax.yaxis.get_label(), most_lines=2)

    def fit(self, renderer: RendererBase) -> None:
        """Break the labels into lines for the size the Axes have now."""
        least = points(renderer, _SHORTEST_SIDE)
        self.level.fit(max(least, self.ax.bbox.width), renderer)
        self.upright.fit(max(least, self.ax.bbox.height), renderer)
        if self.title is not None:
            self.title.fit(self.room(), renderer)


def positions(axis: Axis, values: Sequence[float]) -> tuple[float, ...]:
    """Return where values stand on an axis: dates in Matplotlib's own days, numbers as they are."""
    if axis.kind != "time":
        return tuple(values)
    moments = np.rint(values).astype(np.int64).astype("datetime64[us]")
    days = np.asarray(date2num(moments), dtype=np.float64)  # pyright: ignore[reportUnknownArgumentType]
    return tuple(float(day) for day in days)


def _set_lines(ax: Axes, panel: Panel) -> None:
    ink, soft_ink = tones(ax).ink, tones(ax).soft_ink
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set(color=ink, linewidth=0.8)
    ax.tick_params(labelsize=theme.TICK_SIZE, labelcolor=ink, color=ink, width=0.6)
    ax.tick_params(axis="x", length=0 if panel.x.kind == "category" else 3)
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_offset_text().set(fontsize=theme.CAPTION_SIZE, color=soft_ink)
    ax.set_axisbelow(True)
    ax.grid(visible=False)
    lines = ruled(panel)
    ticks = lines in (None, "x") and panel.y.kind != "category"
    ax.tick_params(axis="y", length=3 if ticks else 0)
    if lines:
        ax.grid(visible=True, axis=lines, color=tones(ax).grid, linewidth=0.7)


def _union(wanted: Sequence[float], shown: Sequence[float]) -> Limits:
    return min(*wanted, *shown), max(*wanted, *shown)
