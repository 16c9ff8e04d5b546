"""Boxplots with soft edges, and the numbers beyond their whiskers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.text import Text

from sfumato.figure import Axis, Boxes, Panel
from sfumato.render import boxes as geometry
from sfumato.render import theme
from sfumato.render.boxes import (
    GAP,
    ROOM,
    TOO_FEW,
    BoxPart,
    Fineness,
    Side,
    TextSetting,
    list_counts,
    measure_along,
    move_inside,
    place_between,
    set_counts,
    set_too_few,
    spacing,
    spans,
)
from sfumato.render.logarithmic import find_value
from sfumato.render.logarithmic import measure_along as scale_value
from sfumato.render.matplotlib.axis import convert_positions
from sfumato.render.matplotlib.lettering import (
    LITERAL,
    choose_tones,
    convert_points,
    get_text_size,
    make_text_measure,
)
from sfumato.render.scale import value_limits
from sfumato.render.text import Measure, shorten

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


class MatplotlibBoxLabels:
    """The words upon the boxes of one panel, set for the size the Axes have."""

    def __init__(self, ax: Axes, panel: Panel) -> None:
        marks = [mark for mark in panel.marks if isinstance(mark, Boxes)]
        self.ax = ax
        self.upright = all(boxes.orient == "v" for boxes in marks)
        self.axis = panel.y if self.upright else panel.x
        self.spacing = spacing(panel)
        self.numbers = [count for boxes in marks for count in list_counts(boxes)]
        self.spans = [span for boxes in marks for span in spans(boxes)]
        self.counts = [self._write("_count") for _ in self.numbers]
        self.too_few = [self._write("_too_few") for _ in self.spans]

    def fit(self, renderer: RendererBase) -> None:
        """Choose how to write, and where."""
        if self.counts:
            self._fit_counts(renderer)
        if self.too_few:
            self._fit_too_few(renderer)

    def _fit_counts(self, renderer: RendererBase) -> None:
        across, along = self._rooms(renderer)
        wide = self._ruler(self.counts[0], renderer)
        setting = set_counts(
            self.numbers, across=across, beyond=ROOM * along, upright=self.upright, measure=wide
        )
        _apply_setting(self.counts, setting)
        if not setting.texts:
            return
        low, high = self._ends()
        point = (high - low) / along
        for text, words, count in zip(self.counts, setting.texts, self.numbers, strict=True):
            extent = GAP + measure_along(words, setting, upright=self.upright, measure=wide)
            (anchor,) = self._along(count.anchor)
            anchor = move_inside(anchor, extent * point, (low, high), count.side)
            away = GAP * point * (1 if count.side == "above" else -1)
            place = find_value(self.axis, anchor + away)
            text.set(**self._placed(count.position, place, count.side, setting.angle))

    def _fit_too_few(self, renderer: RendererBase) -> None:
        across, along = self._rooms(renderer)
        wide = self._ruler(self.too_few[0], renderer)
        setting = set_too_few(
            len(self.spans), across=across, along=along, upright=self.upright, measure=wide
        )
        _apply_setting(self.too_few, setting)
        low, high = self._ends()
        taken = measure_along(TOO_FEW, setting, upright=self.upright, measure=wide) + 2 * GAP
        for text, span in zip(self.too_few, self.spans, strict=True):
            start, end = self._along(span.low, span.high)
            middle = place_between((start, end), taken * (high - low) / along, (low, high))
            middle = find_value(self.axis, middle)
            place = (span.left + span.right) / 2
            text.set_position((place, middle) if self.upright else (middle, place))

    def _write(self, label: str) -> Text:
        tone = choose_tones(self.ax)
        style: dict[str, Any] = {"fontsize": theme.CAPTION_SIZE, "color": tone.soft_ink, **LITERAL}
        text = self.ax.text(0, 0, "", ha="center", va="center", zorder=5, clip_on=True, **style)
        paper = {"facecolor": tone.paper, "alpha": 0.7, "linewidth": 0, "pad": 0.6}
        text.set(label=label, bbox=paper)
        text.set_in_layout(False)
        return text

    def _ruler(self, text: Text, renderer: RendererBase) -> Measure:
        wide, scale = (
            make_text_measure(text, renderer),
            get_text_size(text) * convert_points(renderer, 1),
        )
        return lambda words: wide(words) / scale

    def _ends(self) -> tuple[float, float]:
        """Return the ends of the axis of values, in a unit of which equal parts look equal."""
        low, high = sorted(self.ax.get_ylim() if self.upright else self.ax.get_xlim())
        return scale_value(self.axis, low), scale_value(self.axis, high)

    def _along(self, *values: float) -> tuple[float, ...]:
        least = self.ax.get_ylim()[0] if self.upright else self.ax.get_xlim()[0]
        shown = convert_positions(self.axis, values)
        return tuple(
            scale_value(self.axis, max(value, least) if self.axis.log else value) for value in shown
        )

    def _rooms(self, renderer: RendererBase) -> tuple[float, float]:
        """Return the room between two boxes, and the length of the axis of values, in points."""
        point = convert_points(renderer, 1)
        width, height = self.ax.bbox.width / point, self.ax.bbox.height / point
        low, high = self.ax.get_xlim() if self.upright else self.ax.get_ylim()
        across = self.spacing / abs(high - low)
        return (width * across, height) if self.upright else (height * across, width)

    def _placed(self, place: float, value: float, side: Side, angle: int) -> dict[str, Any]:
        above = side == "above"
        if not self.upright:
            return {"position": (value, place), "ha": "left" if above else "right", "va": "center"}
        # A turned text is aligned as it lies, so its width runs along the values.
        return {
            "position": (place, value),
            "ha": "center",
            "va": "bottom" if above else "top",
            "rotation": angle,
        }


def _apply_setting(texts: Sequence[Text], setting: TextSetting) -> None:
    shown = setting.texts or ("",) * len(texts)
    for text, words in zip(texts, shown, strict=True):
        text.set(text=words, fontsize=setting.size, rotation=setting.angle)


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


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
        thick, thin = theme.box_lines(pixels / convert_points(renderer, 1))
        self.thick.set_linewidth(thick)
        for lines in self.thin:
            lines.set_linewidth(thin)


def draw_boxes(
    ax: Axes, panel: Panel, boxes: Boxes, index: int, colours: Sequence[str] = ()
) -> BoxLines:
    """Draw one series; `index` is its place in the legend and decides its colour."""
    brush = MatplotlibBrush(ax, panel.y if boxes.orient == "v" else panel.x, boxes.orient == "v")
    colour = theme.series_colour(index, colours)
    label = shorten(boxes.series, theme.LONGEST_SERIES) or "_boxes"
    tone = choose_tones(ax)
    ink = theme.box_ink(index, colours, tone.ink)
    limits = value_limits(panel, boxes)
    fineness = Fineness.of(panel, boxes)
    brush.fill(geometry.outlines(boxes), "_paper", tone.paper)
    brush.fill(geometry.shade_whisker_ends(boxes, fineness), "_soft_ends", colour)
    brush.fill(geometry.shade_boxes(boxes, fineness), "_soft_boxes", colour)
    brush.fill(geometry.shade_medians(boxes, fineness), "_soft_medians", ink)
    brush.fill([], label, theme.box_colour(index, colours, tone.paper))
    thin = (
        brush.frame(geometry.outlines(boxes), "_outlines", color=ink),
        brush.line(geometry.whiskers(boxes), "_whiskers", color=ink),
        brush.line(geometry.caps(boxes), "_caps", color=ink),
        brush.line(geometry.span_sides(boxes, limits), "_too_few", color=colour, linestyle=_DASHES),
    )
    return BoxLines(brush.line(geometry.medians(boxes), "_medians", color=ink), thin, boxes)


@dataclass(frozen=True)
class MatplotlibBrush:
    """Draws parts of boxes, whichever way they lie."""

    ax: Axes
    axis: Axis
    upright: bool

    def fill(self, parts: Sequence[BoxPart], label: str, colour: str) -> None:
        """Fill rectangles, each as opaque as it says."""
        shapes = [self._corners(part) for part in parts]
        colours = [to_rgba(colour, part.opacity) for part in parts] or [to_rgba(colour)]
        filled = PolyCollection(shapes, facecolors=colours, label=label, linewidths=0, zorder=2)
        self.ax.add_collection(filled, autolim=False)

    def frame(self, parts: Sequence[BoxPart], label: str, **style: Any) -> LineCollection:
        """Draw the four sides of rectangles."""
        closed = [[*corners, corners[0]] for corners in map(self._corners, parts)]
        return self._lines(closed, label, style)

    def line(self, parts: Sequence[BoxPart], label: str, **style: Any) -> LineCollection:
        """Draw lines from one corner to the other."""
        return self._lines([self._corners(part)[::2] for part in parts], label, style)

    def _lines(
        self, lines: Sequence[Sequence[Point]], label: str, style: dict[str, Any]
    ) -> LineCollection:
        drawn = LineCollection(lines, label=label, zorder=3, capstyle="butt", **style)
        self.ax.add_collection(drawn, autolim=False)
        return drawn

    def _corners(self, part: BoxPart) -> list[Point]:
        low, high = convert_positions(self.axis, (part.low, part.high))
        corners = [(part.left, low), (part.left, high), (part.right, high), (part.right, low)]
        return corners if self.upright else [(value, place) for place, value in corners]
