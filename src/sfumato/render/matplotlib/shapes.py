"""Curves, summaries, violins, nested boxes, matrices and regions on Axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection, PolyCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.text import Text

from sfumato.figure import (
    Curve,
    Estimates,
    LetterValues,
    Matrix,
    Orient,
    Panel,
    Regions,
    Summaries,
    Violins,
)
from sfumato.render import theme
from sfumato.render.boxes import TOO_FEW
from sfumato.render.description import print_cell
from sfumato.render.matplotlib.axis import convert_positions
from sfumato.render.matplotlib.lettering import LITERAL, choose_tones, convert_points
from sfumato.render.shapes import (
    BAND_OPACITY,
    MUTED,
    MUTED_FILL,
    VIOLIN_OPACITY,
    find_floor,
    find_middles,
    find_value_axis,
    has_band,
    letter_colour,
    list_lobes,
    list_matrix_cells,
    list_nests,
    list_runs,
    list_strands,
    nest_colour,
    region_colour,
    signed_colour,
)
from sfumato.render.text import shorten

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


@dataclass(frozen=True)
class SlotWords:
    """Short texts in slots of a panel: smaller where there is little room, or not there at all."""

    ax: Axes
    texts: tuple[Text, ...] = ()
    slot: tuple[float, float] = (1.0, 1.0)
    wide: float = field(default=0.0)

    def fit(self, renderer: RendererBase) -> None:
        """Choose the largest size of type at which every text stays in its slot.

        Where no size does, only the first line of each is written.
        """
        if not self.texts:
            return
        (x0, y0), (x1, y1) = self.ax.transData.transform([(0, 0), self.slot])
        room = abs(x1 - x0), abs(y1 - y0)
        if not self._choose_size(renderer, room):
            for text in self.texts:
                text.set_text(text.get_text().split("\n")[0])
            shown = self._choose_size(renderer, room)
            for text in self.texts:
                text.set_visible(shown)

    def _choose_size(self, renderer: RendererBase, room: tuple[float, float]) -> bool:
        """Set the largest size of type that fits, and tell whether any does."""
        point = convert_points(renderer, 1)
        sizes = [
            size for size in (theme.TICK_SIZE, 7.5, 6.5, 5.5) if point * size * 0.9 <= min(room)
        ]
        return any(self._is_fitting(renderer, size, room) for size in sizes)

    def _is_fitting(self, renderer: RendererBase, size: float, room: tuple[float, float]) -> bool:
        for text in self.texts:
            text.set(fontsize=size, visible=True)
            box = text.get_window_extent(renderer)
            if box.width > room[0] or box.height > room[1]:
                return False
        return True


def draw_curve(
    ax: Axes, panel: Panel, curve: Curve, index: int, colours: Sequence[str] = ()
) -> SlotWords:
    """Draw one series; `index` is its place in the legend and decides its colour."""
    along, up = find_value_axis((panel.x, panel.y), curve.orient)
    own = theme.series_colour(index, colours)
    name = shorten(curve.series, theme.LONGEST_SERIES)
    ax.plot([], [], color=own, linewidth=theme.OUTLINE_WIDTH, label=name or "_curve")
    base = find_floor(up) if up.log else 0.0
    fill = cast(Any, ax.fill_between if curve.orient == "v" else ax.fill_betweenx)
    for strand in list_strands(curve, find_floor(up)):
        x, colour = convert_positions(along, strand.x), MUTED if strand.muted else own
        if curve.filled:
            fill(x, strand.y, base, color=colour, alpha=theme.FILL_OPACITY, linewidth=0, zorder=2)
        if has_band(curve):
            style = {"color": colour, "alpha": BAND_OPACITY, "linewidth": 0, "zorder": 2}
            fill(x, strand.low, strand.high, label="_band", **style)
        corners = (x, strand.y) if curve.orient == "v" else (strand.y, x)
        ax.plot(*corners, color=colour, linewidth=theme.OUTLINE_WIDTH, label="_line", zorder=3)
    if curve.points or len(curve.y.value) == 1:
        _draw_dots(ax, panel, curve, own)
    return SlotWords(ax)


def _draw_dots(ax: Axes, panel: Panel, curve: Curve, own: str) -> None:
    along, _ = find_value_axis((panel.x, panel.y), curve.orient)
    x = convert_positions(along, find_middles(curve))
    colours = [MUTED if muted else own for muted in curve.muted]
    corners = (x, curve.y.value) if curve.orient == "v" else (curve.y.value, x)
    size = 16.0 if len(x) <= 60 else 5.0
    ax.scatter(*corners, s=size, c=colours, linewidths=0, label="_points", zorder=4)


def draw_summaries(
    ax: Axes, panel: Panel, mark: Summaries, index: int, colours: Sequence[str] = ()
) -> SlotWords:
    """Draw one series; `index` is its place in the legend and decides its colour."""
    own = theme.series_colour(index, colours)
    shown = [place for place, reliable in enumerate(mark.reliable) if reliable]
    fill = theme.bar_colour(index, colours, choose_tones(ax).paper)
    name = shorten(mark.series, theme.LONGEST_SERIES) or "_summaries"
    if mark.width:
        _draw_summary_bars(ax, panel, mark, shown, fill)
        ax.add_collection(PolyCollection([], facecolors=[fill], label=name), autolim=False)
    else:
        _draw_summary_points(ax, panel, mark, shown, own)
        ax.plot([], [], color=own, marker="o", markersize=5, label=name)
    _draw_error_bars(ax, panel, mark, shown, choose_tones(ax).ink if mark.width else own)
    few = [mark.position[i] for i in range(len(mark.position)) if i not in shown]
    return write_too_few(ax, panel, few, mark.width or 0.8, mark.orient)


def _draw_summary_bars(
    ax: Axes, panel: Panel, mark: Summaries, shown: list[int], fill: str
) -> None:
    along, up = find_value_axis((panel.x, panel.y), mark.orient)
    base = find_floor(up) if up.log else 0.0
    draw = cast(Any, ax.bar if mark.orient == "v" else ax.barh)
    half = mark.width / 2
    for place in shown:
        at = mark.position[place]
        left, right = convert_positions(along, (at - half, at + half))
        height = max(mark.value.value[place], find_floor(up)) - base
        colour = MUTED_FILL if mark.muted[place] else fill
        draw([left], [height], [right - left], base, align="edge", color=colour, zorder=2)
    if not up.log and any(mark.value.value[place] < 0 for place in shown):
        line = cast(Any, ax.axhline if mark.orient == "v" else ax.axvline)
        line(0, color=choose_tones(ax).ink, linewidth=0.8, zorder=3, label="_zero")


def _draw_summary_points(
    ax: Axes, panel: Panel, mark: Summaries, shown: list[int], own: str
) -> None:
    along, up = find_value_axis((panel.x, panel.y), mark.orient)
    places = convert_positions(along, tuple(mark.position[i] for i in shown))
    values = convert_positions(up, tuple(mark.value.value[i] for i in shown))
    corners = (places, values) if mark.orient == "v" else (values, places)
    for start, stop in list_runs(shown) if mark.joined else ():
        line = (each[start:stop] for each in corners)
        ax.plot(*line, color=own, linewidth=1.2, label="_joined", zorder=3)
    tones = [MUTED if mark.muted[i] else own for i in shown]
    ax.scatter(*corners, s=26, c=tones, linewidths=0, label="_points", zorder=4)


def _draw_error_bars(
    ax: Axes, panel: Panel, mark: Summaries, shown: list[int], colour: str
) -> None:
    if not mark.coverage:
        return
    along, up = find_value_axis((panel.x, panel.y), mark.orient)
    floor = find_floor(up)
    lines = cast(Any, ax.vlines if mark.orient == "v" else ax.hlines)
    lines(
        convert_positions(along, tuple(mark.position[i] for i in shown)),
        convert_positions(up, tuple(max(mark.value.low[i], floor) for i in shown)),
        convert_positions(up, tuple(max(mark.value.high[i], floor) for i in shown)),
        colors=[colour if mark.width or not mark.muted[i] else MUTED for i in shown],
        linewidth=1.8,
        label="_intervals",
        zorder=4,
    )


def write_too_few(
    ax: Axes, panel: Panel, places: Sequence[float], width: float, orient: Orient
) -> SlotWords:
    """Write where nothing can be said that there are too few."""
    upright, along = orient == "v", panel.x if orient == "v" else panel.y
    across = ax.get_xaxis_transform() if upright else ax.get_yaxis_transform()
    texts = [
        ax.text(
            *((place, 0.03) if upright else (0.03, place)),
            TOO_FEW,
            transform=across,
            rotation=90 if upright else 0,
            ha="center" if upright else "left",
            va="bottom" if upright else "center",
            color=choose_tones(ax).soft_ink,
            clip_on=True,
            zorder=5,
            **LITERAL,
        )
        for place in convert_positions(along, tuple(places))
    ]
    for text in texts:
        text.set_in_layout(False)
    if along.kind != "category":
        return SlotWords(ax)
    ends = ax.get_ylim() if upright else ax.get_xlim()
    slot = (width, abs(ends[1] - ends[0])) if upright else (abs(ends[1] - ends[0]), width)
    return SlotWords(ax, tuple(texts), slot)


def draw_violins(
    ax: Axes, panel: Panel, mark: Violins, index: int, colours: Sequence[str] = ()
) -> SlotWords:
    """Draw one series; `index` is its place in the legend and decides its colour."""
    own = theme.series_colour(index, colours)
    _, up = find_value_axis((panel.x, panel.y), mark.orient)
    lobes = list_lobes(mark)
    shapes = [
        [_turn((at, convert_positions(up, (value,))[0]), mark.orient) for at, value in lobe.corners]
        for lobe in lobes
    ]
    fills = [MUTED_FILL if lobe.muted else own for lobe in lobes]
    style: dict[str, Any] = {"facecolors": fills, "alpha": VIOLIN_OPACITY, "zorder": 2}
    ax.add_collection(PolyCollection(shapes, linewidths=0, label="_violins", **style), False)
    name = shorten(mark.series, theme.LONGEST_SERIES) or "_violin"
    handle = PolyCollection([], facecolors=[own], alpha=VIOLIN_OPACITY, label=name)
    ax.add_collection(handle, autolim=False)
    if mark.q1 is not None and mark.q3 is not None:
        _draw_quartiles(ax, mark, convert_estimates(panel, mark, mark.q1, mark.q3))
    if mark.median is not None:
        _draw_medians(ax, panel, mark, mark.median)
    few = [at for at, sure in zip(mark.position, mark.reliable, strict=True) if not sure]
    return write_too_few(ax, panel, few, mark.width, mark.orient)


def convert_estimates(
    panel: Panel, mark: Violins | LetterValues, *each: Estimates
) -> list[tuple[float, ...]]:
    """Return the values of estimates in Matplotlib's unit, on the axis of values."""
    _, up = find_value_axis((panel.x, panel.y), mark.orient)
    return [convert_positions(up, estimates.value) for estimates in each]


def _turn(corner: tuple[float, float], orient: Orient) -> tuple[float, float]:
    return corner if orient == "v" else (corner[1], corner[0])


def _draw_quartiles(ax: Axes, mark: Violins, ends: list[tuple[float, ...]]) -> None:
    lines = cast(Any, ax.vlines if mark.orient == "v" else ax.hlines)
    shown = [i for i, sure in enumerate(mark.reliable) if sure]
    low, high = ([end[i] for i in shown] for end in ends)
    style: dict[str, Any] = {"linewidth": 4.0, "label": "_quartiles", "zorder": 3}
    lines([mark.position[i] for i in shown], low, high, colors=choose_tones(ax).ink, **style)


def _draw_medians(ax: Axes, panel: Panel, mark: Violins | LetterValues, median: Estimates) -> None:
    shown = [i for i, sure in enumerate(mark.reliable) if sure]
    (values,) = convert_estimates(panel, mark, median)
    dots = [_turn((mark.position[i], values[i]), mark.orient) for i in shown]
    tones = choose_tones(ax)
    style: dict[str, Any] = {"c": tones.paper, "edgecolors": tones.ink, "linewidths": 0.8}
    if dots:
        ax.scatter(*zip(*dots, strict=True), s=18, zorder=4, label="_medians", **style)


def draw_letter_values(
    ax: Axes, panel: Panel, mark: LetterValues, index: int, colours: Sequence[str] = ()
) -> SlotWords:
    """Draw one series; `index` is its place in the legend and decides its colour."""
    own, tones = theme.series_colour(index, colours), choose_tones(ax)
    _, up = find_value_axis((panel.x, panel.y), mark.orient)
    for nest in list_nests(mark):
        low, high = convert_positions(up, (nest.low, nest.high))
        corner = _turn((nest.left, low), mark.orient)
        wide, tall = _turn((nest.right - nest.left, high - low), mark.orient)
        fill = nest_colour(own, nest.depth, tones.paper)
        style: dict[str, Any] = {"facecolor": fill, "edgecolor": tones.paper, "linewidth": 0.6}
        ax.add_patch(Rectangle(corner, wide, tall, label="_nest", zorder=2, **style))
    name = shorten(mark.series, theme.LONGEST_SERIES) or "_letters"
    ax.add_collection(PolyCollection([], facecolors=[nest_colour(own, 0)], label=name), False)
    lines = cast(Any, ax.hlines if mark.orient == "v" else ax.vlines)
    (values,) = convert_estimates(panel, mark, mark.median)
    half = mark.width / 2
    for place in [i for i, sure in enumerate(mark.reliable) if sure]:
        at = mark.position[place]
        style = {"colors": tones.ink, "linewidth": 1.6, "label": "_median", "zorder": 4}
        lines(values[place], at - half, at + half, **style)
    few = [at for at, sure in zip(mark.position, mark.reliable, strict=True) if not sure]
    return write_too_few(ax, panel, few, mark.width, mark.orient)


def draw_matrix(ax: Axes, mark: Matrix) -> SlotWords:
    """Draw a square for each number, with the number in it where there is room."""
    boxes: list[Rectangle] = []
    fills: list[str] = []
    texts: list[Text] = []
    for row, column, value, muted in list_matrix_cells(mark):
        fill = signed_colour(value, muted)
        boxes.append(Rectangle((column - 0.5, row - 0.5), 1, 1))
        fills.append(fill)
        style: dict[str, Any] = {"color": letter_colour(fill), "clip_on": True, **LITERAL}
        words = "\n".join(print_cell(mark, row, column))
        texts.append(ax.text(column, row, words, ha="center", va="center", zorder=4, **style))
    paper = choose_tones(ax).paper
    cells = PatchCollection(boxes, facecolors=fills, edgecolors=paper, linewidths=1.0, zorder=1)
    cells.set_label("_matrix")
    ax.add_collection(cells, autolim=False)
    for text in texts:
        text.set_in_layout(False)
    return SlotWords(ax, tuple(texts), (0.92, 0.92))


def draw_regions(
    ax: Axes, mark: Regions, limits: tuple[float, float], ramp: Sequence[str] = ()
) -> ScalarMappable:
    """Fill each region with its colour; hatch those that noise alone could have made."""
    tones = choose_tones(ax)
    for rings, value, muted in zip(mark.paths, mark.value.value, mark.muted, strict=True):
        fill = MUTED_FILL if muted else region_colour(value, limits, ramp)
        patch = PathPatch(_make_path(rings), facecolor=fill, edgecolor=tones.paper, linewidth=0.6)
        patch.set(zorder=1, label="_region")
        ax.add_patch(patch)
    colours = LinearSegmentedColormap.from_list("regions", list(theme.choose_ramp(ramp)))
    return ScalarMappable(Normalize(*limits), colours)


def _make_path(rings: Sequence[Sequence[tuple[float, float]]]) -> Path:
    """Return a compound path whose holes run the other way than what they lie in."""
    parts = [_turn_ring(np.array(ring), rings, place) for place, ring in enumerate(rings)]
    corners = [np.vstack([part, part[:1]]) for part in parts]
    codes = [[Path.MOVETO, *[Path.LINETO] * (len(c) - 2), Path.CLOSEPOLY] for c in corners]
    return Path(np.vstack(corners), np.concatenate(codes))


def _turn_ring(
    ring: np.ndarray[Any, Any], rings: Sequence[Sequence[tuple[float, float]]], place: int
) -> np.ndarray[Any, Any]:
    inside = sum(
        Path(other).contains_point(ring[0]) for at, other in enumerate(rings) if at != place
    )
    x, y = ring[:, 0], ring[:, 1]
    area = float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
    return ring if (area > 0) == (inside % 2 == 0) else ring[::-1]
