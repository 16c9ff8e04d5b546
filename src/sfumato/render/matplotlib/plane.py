"""Densities, groups, synthetic points, and points with intervals."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import PowerNorm
from matplotlib.image import imread
from matplotlib.lines import Line2D

from sfumato.errors import ReleaseError
from sfumato.figure import Clouds, Contour, Dots, Heat, Panel, Points
from sfumato.render import theme
from sfumato.render.boxes import TOO_FEW
from sfumato.render.matplotlib.axis import convert_positions
from sfumato.render.matplotlib.lettering import LITERAL, choose_tones, convert_points
from sfumato.render.plane import (
    EXPONENT,
    OPACITY,
    colour_density,
    dashes,
    dot_colour,
    dot_size,
    find_ratio,
    line_colour,
    line_width,
    mix_colours,
    place_beside,
    synthetic_dot_size,
    thickness,
)
from sfumato.render.scale import Limits
from sfumato.render.text import shorten

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_MOST_VECTOR_LEAVES = 5_000


def draw_heat(
    ax: Axes, panel: Panel, heat: Heat, limits: Limits, ramp: Sequence[str] = ()
) -> ScalarMappable:
    """Draw the density, and return its colour scale."""
    x, y = convert_positions(panel.x, heat.x), convert_positions(panel.y, heat.y)
    place: dict[str, Any] = {"extent": (*x, *y), "aspect": "auto", "origin": "lower"}
    if heat.background:
        picture = _decode_picture(heat.background)
        # A picture's first row is its top, whichever way the axis runs.
        shown = picture if panel.y.reversed else picture[::-1]
        ax.imshow(shown, alpha=theme.BACKGROUND_OPACITY, zorder=0.5, label="_background", **place)
    shown = colour_density(heat, limits[1], night=choose_tones(ax).night, chosen=ramp)
    ax.imshow(shown, interpolation="bilinear", zorder=1, label="_heat", **place)
    _draw_leaves(ax, panel, heat)
    _draw_map(ax, panel, heat)
    if heat.ratio is not None:
        ax.set_aspect(heat.ratio * (x[1] - x[0]) / (y[1] - y[0]), adjustable="box")
        ax.set_anchor("NW")
    return ScalarMappable(PowerNorm(EXPONENT, *limits), choose_tones(ax).scale(ramp))


def _draw_leaves(ax: Axes, panel: Panel, heat: Heat) -> None:
    sides = [
        [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1]), (x[0], y[0])]
        for leaf in heat.leaves
        for x in [convert_positions(panel.x, (leaf.left, leaf.right))]
        for y in [convert_positions(panel.y, (leaf.low, leaf.high))]
    ]
    lines = LineCollection(
        sides,
        colors=choose_tones(ax).soft_ink,
        alpha=theme.LEAF_OPACITY,
        linewidths=theme.LEAF_WIDTH,
        rasterized=len(sides) > _MOST_VECTOR_LEAVES,
        label="_leaves",
        zorder=2,
    )
    ax.add_collection(lines, autolim=False)


def _draw_map(ax: Axes, panel: Panel, heat: Heat) -> None:
    """Draw the lines of a map, on a little paper that keeps them apart from dark places."""
    tone = choose_tones(ax)
    lines = [
        list(zip(convert_positions(panel.x, x), convert_positions(panel.y, y), strict=True))
        for line in heat.lines
        for x, y in [zip(*line, strict=True)]
    ]
    for colour, width in ((tone.paper, 3 * theme.MAP_WIDTH), (tone.ink, theme.MAP_WIDTH)):
        if lines:
            drawn = LineCollection(
                lines,
                colors=colour,
                alpha=theme.MAP_OPACITY if colour == tone.ink else 0.4,
                linewidths=width,
                joinstyle="round",
                label="_map",
                zorder=2.5,
            )
            ax.add_collection(drawn, autolim=False)


def _decode_picture(address: str) -> Any:
    kind, _, content = address.partition(";base64,")
    with suppress(Exception):  # a damaged picture can fail in as many ways as it has parts
        return imread(BytesIO(b64decode(content)), format=kind.removeprefix("data:image/"))
    raise ReleaseError(
        "The background picture is damaged, or too large.",
        "The map would have no background.",
        "Save the picture again, or give it as an array.",
    )


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_KEY_OPACITY = 0.5


def draw_clouds(
    ax: Axes, panel: Panel, clouds: Clouds, places: list[int], chosen: Sequence[str] = ()
) -> None:
    """Draw the densities of all groups, each in the colour of its place in the legend."""
    x, y = convert_positions(panel.x, clouds.x), convert_positions(panel.y, clouds.y)
    colours = [theme.series_colour(place, chosen) for place in places]
    if clouds.value:
        ax.imshow(
            mix_colours(clouds, colours),
            extent=(x[0], x[1], y[0], y[1]),
            aspect="auto",
            origin="lower",
            interpolation="bilinear",
            zorder=1,
            label="_clouds",
        )
    ratio = find_ratio(panel)
    if ratio is not None:
        ax.set_aspect(ratio * (x[1] - x[0]) / (y[1] - y[0]), adjustable="box")
        ax.set_anchor("NW")
    for place, name in zip(places, clouds.series, strict=True):
        _add_legend_entry(ax, place, name, chosen)


def draw_outline(
    ax: Axes, panel: Panel, outline: Contour, index: int, colours: Sequence[str] = ()
) -> None:
    """Draw the border of a region; `index` is the place of its group in the legend."""
    lines = [
        list(zip(convert_positions(panel.x, x), convert_positions(panel.y, y), strict=True))
        for path in outline.paths
        for x, y in [zip(*path, path[0], strict=True)]
    ]
    collection = LineCollection(
        lines,
        colors=line_colour(index, colours, choose_tones(ax).ink),
        linewidths=line_width(outline.share),
        linestyles=_choose_line_style(index),
        joinstyle="round",
        label="_outline",
        zorder=2,
    )
    ax.add_collection(collection, autolim=False)


def _choose_line_style(index: int) -> Any:
    pattern = dashes(index)
    return [(0, pattern)] if pattern else "solid"


def _add_legend_entry(ax: Axes, index: int, name: str, colours: Sequence[str]) -> None:
    """Give the legend something to show a group by: there is no artist for one alone."""
    (patch,) = ax.fill(
        [],
        [],
        facecolor=(theme.series_colour(index, colours), _KEY_OPACITY),
        edgecolor=line_colour(index, colours, choose_tones(ax).ink),
        linewidth=1.2,
        label=shorten(name, theme.LONGEST_SERIES) or "_cloud",
    )
    pattern = dashes(index)
    if pattern:
        patch.set_linestyle((0, tuple(part / 2 for part in pattern)))


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_MOST_VECTOR_DOTS = 5_000


def draw_dots(ax: Axes, panel: Panel, dots: Dots, index: int, colours: Sequence[str] = ()) -> None:
    """Draw points; `index` is the place of their group in the legend, if they have one."""
    count = sum(len(mark.x) for mark in panel.marks if isinstance(mark, Dots))
    ax.plot(
        convert_positions(panel.x, dots.x),
        convert_positions(panel.y, dots.y),
        linestyle="none",
        marker="o",
        markersize=synthetic_dot_size(count),
        markerfacecolor=dot_colour(index, colours, choose_tones(ax).ink)
        if dots.series
        else choose_tones(ax).ink,
        markeredgewidth=0.0,
        alpha=OPACITY,
        rasterized=len(dots.x) > _MOST_VECTOR_DOTS,
        label="_dots",
        zorder=3,
        scalex=False,
        scaley=False,
    )
    if dots.series and not any(isinstance(mark, Clouds) for mark in panel.marks):
        _add_legend_entry(ax, index, dots.series, colours)


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


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
        point = abs(high - low) / (ax.bbox.height / convert_points(renderer, 1))
        y = place_beside(self.panel, self.mark, point)
        self.line.set_ydata(y)
        thick = thickness(self.panel, point)
        self.intervals.set_linewidth(thick)
        self.line.set_markersize(dot_size(thick))
        ends = [convert_positions(self.panel.x, end) for end in (self.mark.x.low, self.mark.x.high)]
        self.intervals.set_segments(
            [[(left, at), (right, at)] for left, right, at in zip(*ends, y, strict=True)]
        )


def draw_points(
    ax: Axes, panel: Panel, mark: Points, index: int, colours: Sequence[str] = ()
) -> Strip:
    """Draw one series; `index` is its place in the legend and decides its colour."""
    colour = theme.series_colour(index, colours)
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
        convert_positions(panel.x, mark.x.value),
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
    tone, across = choose_tones(ax), ax.get_yaxis_transform()
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
