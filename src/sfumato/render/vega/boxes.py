"""Boxplots with soft edges as layers, and the numbers beyond their whiskers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.figure import Boxes
from sfumato.render import boxes as geometry
from sfumato.render import theme
from sfumato.render.boxes import (
    GAP,
    ROOM,
    TOO_FEW,
    BoxPart,
    Fineness,
    Side,
    list_counts,
    measure_along,
    move_inside,
    place_between,
    set_counts,
    set_too_few,
    spacing,
    spans,
)
from sfumato.render.description import describe_boxes
from sfumato.render.logarithmic import find_value
from sfumato.render.logarithmic import measure_along as scale_value
from sfumato.render.scale import Limits, list_series, value_limits
from sfumato.render.text import width
from sfumato.render.vega.axis import Canvas, Spec, convert_positions, convert_to_pixels, tooltip
from sfumato.render.vega.key import colour_channel

_HALO = 3
_SIDES: tuple[Side, Side] = ("below", "above")


def word_layers(canvas: Canvas) -> list[tuple[int, Spec]]:
    """Return all that is written upon the boxes of one panel, each layer with its depth."""
    marks = [mark for mark in canvas.panel.marks if isinstance(mark, Boxes)]
    if not marks:
        return []
    words = VegaBoxLabels(canvas, marks)
    return [*words.counts(), *words.too_few()]


class VegaBoxLabels:
    """The words upon the boxes of one panel."""

    def __init__(self, canvas: Canvas, marks: list[Boxes]) -> None:
        panel = canvas.panel
        self.canvas = canvas
        self.marks = marks
        self.upright = marks[0].orient == "v"
        self.axis, names = (panel.y, panel.x) if self.upright else (panel.x, panel.y)
        low, high = value_limits(panel, marks[0])
        self.limits = scale_value(self.axis, low), scale_value(self.axis, high)
        self.least = low
        level, upright = 0.75 * canvas.width, 0.75 * canvas.height
        crosswise, self.along = (level, upright) if self.upright else (upright, level)
        self.across = crosswise * spacing(panel) / max(1, len(names.categories))

    def counts(self) -> list[tuple[int, Spec]]:
        """Write the counts of outliers beyond the whiskers."""
        numbers = [count for boxes in self.marks for count in list_counts(boxes)]
        setting = set_counts(
            numbers,
            across=self.across,
            beyond=ROOM * self.along,
            upright=self.upright,
            measure=width,
        )
        point = (self.limits[1] - self.limits[0]) / self.along
        rows: dict[Side, list[Spec]] = {"below": [], "above": []}
        for count, text in zip(numbers, setting.texts, strict=False):
            extent = GAP + measure_along(text, setting, upright=self.upright, measure=width)
            anchor = move_inside(self._along(count.anchor), extent * point, self.limits, count.side)
            rows[count.side].append(self._row(count.position, anchor, text))
        looks = {side: self._beyond(side, setting.angle) for side in _SIDES}
        size: Spec = {"angle": -setting.angle % 360, "fontSize": convert_to_pixels(setting.size)}
        return [
            layer for side in _SIDES for layer in self._layers(rows[side], {**looks[side], **size})
        ]

    def too_few(self) -> list[tuple[int, Spec]]:
        """Write across the groups for which no box is drawn."""
        shown = [span for boxes in self.marks for span in spans(boxes)]
        setting = set_too_few(
            len(shown), across=self.across, along=self.along, upright=self.upright, measure=width
        )
        taken = measure_along(TOO_FEW, setting, upright=self.upright, measure=width) + 2 * GAP
        extent = taken * (self.limits[1] - self.limits[0]) / self.along
        rows: list[Spec] = []
        for span, text in zip(shown, setting.texts, strict=False):
            middle = place_between(
                (self._along(span.low), self._along(span.high)), extent, self.limits
            )
            rows.append(self._row((span.left + span.right) / 2, middle, text))
        look: Spec = {"align": "center", "baseline": "middle", "angle": -setting.angle % 360}
        return self._layers(rows, {**look, "fontSize": convert_to_pixels(setting.size)})

    def _along(self, value: float) -> float:
        return scale_value(self.axis, max(value, self.least) if self.axis.log else value)

    def _row(self, position: float, value: float, text: str) -> Spec:
        (value,) = convert_positions(self.axis, (find_value(self.axis, value),))
        x, y = (position, value) if self.upright else (value, position)
        return {"x": x, "y": y, "text": text}

    def _beyond(self, side: Side, angle: int) -> Spec:
        """Return how text is aligned that begins where a whisker ends."""
        away = convert_to_pixels(GAP) if side == "above" else -convert_to_pixels(GAP)
        if self.upright and not angle:
            return {
                "align": "center",
                "baseline": "bottom" if side == "above" else "top",
                "dy": -away,
            }
        # Offsets turn with the text.
        return {"align": "left" if side == "above" else "right", "baseline": "middle", "dx": away}

    def _layers(self, rows: list[Spec], look: Spec) -> list[tuple[int, Spec]]:
        """Write twice: first the paper around the letters, which keeps lines away from them."""
        halo: Spec = {"stroke": theme.PAPER, "strokeWidth": _HALO, "strokeOpacity": 0.8}
        encoding: Spec = {
            **self.canvas.positions("x", "y"),
            "text": {"field": "text", "type": "nominal"},
        }
        return [
            (
                2,
                {
                    "data": {"values": rows},
                    "mark": {"type": "text", "aria": False, **look, **paint},
                    "encoding": encoding,
                },
            )
            for paint in (halo, {"color": theme.SOFT_INK})
            if rows
        ]


_DASHES = [5, 4]


def box_layers(canvas: Canvas, boxes: Boxes) -> list[tuple[int, Spec]]:
    """Return one series, layer by layer, each with its depth: shades lie below all lines."""
    index = list_series(canvas.figure).index(boxes.series) if boxes.series else 0
    colour = theme.series_colour(index, canvas.colours)
    ink = theme.box_ink(index, canvas.colours)
    limits = value_limits(canvas.panel, boxes)
    fineness = Fineness.of(canvas.panel, boxes)
    thick, thin = map(convert_to_pixels, theme.box_lines(_width(canvas, boxes)))
    brush = VegaBrush(canvas, boxes, limits)
    layers = [
        (0, brush.shade(geometry.outlines(boxes), theme.PAPER)),
        (0, brush.shade(geometry.shade_whisker_ends(boxes, fineness), colour)),
        (0, brush.shade(geometry.shade_boxes(boxes, fineness), colour)),
        (0, brush.shade(geometry.shade_medians(boxes, fineness), ink)),
        (1, brush.frame(geometry.outlines(boxes), ink, thin)),
        (1, brush.line(geometry.whiskers(boxes), ink, thin)),
        (1, brush.line(geometry.caps(boxes), ink, thin)),
        (1, brush.line(geometry.medians(boxes), ink, thick)),
        (3, brush.touch(geometry.reaches(boxes), index)),
    ]
    if not all(boxes.reliable):
        sides = geometry.span_sides(boxes, limits)
        layers.append((1, brush.line(sides, colour, thin, strokeDash=_DASHES)))
    return layers


class VegaBrush:
    """Turns parts of boxes into layers, whichever way they lie."""

    def __init__(self, canvas: Canvas, boxes: Boxes, limits: Limits) -> None:
        self.canvas = canvas
        self.boxes = boxes
        self.limits = limits
        self.upright = boxes.orient == "v"
        self.axis = canvas.panel.y if self.upright else canvas.panel.x

    def shade(self, parts: Sequence[BoxPart], colour: str) -> Spec:
        """Fill rectangles, each as opaque as it says."""
        rows = [self._rounded(part) for part in parts]
        opacity: Spec = {"field": "opacity", "type": "quantitative", "scale": None}
        return {
            "data": {"values": rows},
            "mark": {"type": "rect", "fill": colour, "aria": False},
            "encoding": {**self._ends(), "fillOpacity": opacity},
        }

    def frame(self, parts: Sequence[BoxPart], colour: str, width: float) -> Spec:
        """Draw the four sides of rectangles."""
        return self._layer("rect", parts, {"fill": None, **_stroke(colour, width)})

    def line(self, parts: Sequence[BoxPart], colour: str, width: float, **look: list[int]) -> Spec:
        """Draw lines from one end to the other."""
        return self._layer("rule", parts, {**_stroke(colour, width), **look})

    def touch(self, parts: Sequence[BoxPart], index: int) -> Spec:
        """Cover each group by an unseen rectangle that says all its numbers when pointed at."""
        readings = list(describe_boxes(self.canvas.figure, self.canvas.panel, self.boxes))
        rows: list[Spec] = []
        for part, reading in zip(parts, readings, strict=True):
            told = enumerate((*reading.place, *reading.value))
            fields = {f"said{place}": words for place, (_, words) in told}
            rows.append({**self._row(part), "words": str(reading), "series": index, **fields})
        named = (*readings[0].place, *readings[0].value) if readings else ()
        said = tooltip((name, f"said{place}") for place, (name, _) in enumerate(named))
        encoding: Spec = {**self._ends(), "description": {"field": "words"}, "tooltip": said}
        if self.boxes.series:
            encoding["color"] = colour_channel(self.canvas, theme.box_colour)
        mark = {"type": "rect", "opacity": 0}
        return {"data": {"values": rows}, "mark": mark, "encoding": encoding}

    def _layer(self, kind: str, parts: Sequence[BoxPart], look: Spec) -> Spec:
        rows = [self._row(part) for part in parts]
        mark = {"type": kind, **look}
        return {"data": {"values": rows}, "mark": mark, "encoding": self._ends()}

    def _row(self, part: BoxPart) -> Spec:
        low, high = convert_positions(self.axis, (part.low, part.high))
        return {"left": part.left, "right": part.right, "low": low, "high": high}

    def _rounded(self, part: BoxPart) -> Spec:
        """Describe one of many rectangles as finely as it can be seen."""
        low, high = convert_positions(self.axis, self.limits)
        digits = 4 - math.floor(math.log10(high - low))
        row = self._row(part)
        if self.axis.log:
            digits = 5 - math.floor(math.log10(low))
        ends = {end: round(row[end], digits) for end in ("low", "high")}
        sides = {side: round(row[side], 4) for side in ("left", "right")}
        return {**sides, **ends, "opacity": round(part.opacity, 3)}

    def _ends(self) -> Spec:
        level, upright = ("left", "right"), ("low", "high")
        if not self.upright:
            level, upright = upright, level
        ends = {"x2": {"field": level[1]}, "y2": {"field": upright[1]}}
        return self.canvas.positions(level[0], upright[0], **ends)


def _stroke(colour: str, width: float) -> Spec:
    return {"stroke": colour, "strokeWidth": width, "aria": False}


def _width(canvas: Canvas, boxes: Boxes) -> float:
    """Return the width of one box, in points."""
    upright = boxes.orient == "v"
    axis, length = (canvas.panel.x, canvas.width) if upright else (canvas.panel.y, canvas.height)
    return 0.75 * length * boxes.width / max(1, len(axis.categories))
