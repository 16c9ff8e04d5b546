"""Groups laid over each other by colour, and the lines around them."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from sfumato.figure import Clouds, Outline, Panel
from sfumato.render import theme
from sfumato.render.clouds import dashes, line_colour, line_width, pixels
from sfumato.render.heat import ratio_of
from sfumato.render.matplotlib.axis import positions
from sfumato.render.matplotlib.tones import tones
from sfumato.render.text import shorten

_KEY_OPACITY = 0.5


def draw_clouds(ax: Axes, panel: Panel, clouds: Clouds, places: list[int]) -> None:
    """Draw the densities of all groups, each in the colour of its place in the legend."""
    x, y = positions(panel.x, clouds.x), positions(panel.y, clouds.y)
    colours = [theme.series_colour(place) for place in places]
    if clouds.value:
        ax.imshow(
            pixels(clouds, colours),
            extent=(x[0], x[1], y[0], y[1]),
            aspect="auto",
            origin="lower",
            interpolation="bilinear",
            zorder=1,
            label="_clouds",
        )
    ratio = ratio_of(panel)
    if ratio is not None:
        ax.set_aspect(ratio * (x[1] - x[0]) / (y[1] - y[0]), adjustable="box")
        ax.set_anchor("NW")
    for place, name in zip(places, clouds.series, strict=True):
        _name(ax, place, name)


def draw_outline(ax: Axes, panel: Panel, outline: Outline, index: int) -> None:
    """Draw the border of a region; `index` is the place of its group in the legend."""
    lines = [
        list(zip(positions(panel.x, x), positions(panel.y, y), strict=True))
        for path in outline.paths
        for x, y in [zip(*path, path[0], strict=True)]
    ]
    collection = LineCollection(
        lines,
        colors=line_colour(index, tones(ax).ink),
        linewidths=line_width(outline.share),
        linestyles=_style(index),
        joinstyle="round",
        label="_outline",
        zorder=2,
    )
    ax.add_collection(collection, autolim=False)


def _style(index: int) -> Any:
    pattern = dashes(index)
    return [(0, pattern)] if pattern else "solid"


def _name(ax: Axes, index: int, name: str) -> None:
    """Give the legend something to show a group by: there is no artist for one alone."""
    (patch,) = ax.fill(
        [],
        [],
        facecolor=(theme.series_colour(index), _KEY_OPACITY),
        edgecolor=line_colour(index, tones(ax).ink),
        linewidth=1.2,
        label=shorten(name, theme.LONGEST_SERIES) or "_cloud",
    )
    pattern = dashes(index)
    if pattern:
        patch.set_linestyle((0, tuple(part / 2 for part in pattern)))
