"""Boxplots with soft edges as layers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.figure import Boxes
from sfumato.render import boxes as geometry
from sfumato.render import theme
from sfumato.render.boxes import Fineness, Part
from sfumato.render.scale import Limits, series, value_limits
from sfumato.render.vega.axis import Spec, places
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.legend import colour_channel
from sfumato.render.vega.settings import pixels
from sfumato.render.vega.tooltip import tooltip
from sfumato.render.words.summaries import box_readings

_DASHES = [5, 4]


def box_layers(canvas: Canvas, boxes: Boxes) -> list[tuple[int, Spec]]:
    """Return one series, layer by layer, each with its depth: shades lie below all lines."""
    index = series(canvas.figure).index(boxes.series) if boxes.series else 0
    colour, ink = theme.series_colour(index), theme.box_ink(index)
    limits = value_limits(canvas.panel, boxes)
    fineness = Fineness.of(canvas.panel, boxes)
    thick, thin = map(pixels, theme.box_lines(_width(canvas, boxes)))
    brush = Brush(canvas, boxes, limits)
    layers = [
        (0, brush.shade(geometry.outlines(boxes), theme.PAPER)),
        (0, brush.shade(geometry.soft_ends(boxes, fineness), colour)),
        (0, brush.shade(geometry.soft_boxes(boxes, fineness), colour)),
        (0, brush.shade(geometry.soft_medians(boxes, fineness), ink)),
        (1, brush.frame(geometry.outlines(boxes), ink, thin)),
        (1, brush.line(geometry.whiskers(boxes), ink, thin)),
        (1, brush.line(geometry.caps(boxes), ink, thin)),
        (1, brush.line(geometry.medians(boxes), ink, thick)),
        (3, brush.touch(geometry.reaches(boxes), index)),
    ]
    if not all(boxes.clear):
        sides = geometry.span_sides(boxes, limits)
        layers.append((1, brush.line(sides, colour, thin, strokeDash=_DASHES)))
    return layers


class Brush:
    """Turns parts of boxes into layers, whichever way they lie."""

    def __init__(self, canvas: Canvas, boxes: Boxes, limits: Limits) -> None:
        self.canvas = canvas
        self.boxes = boxes
        self.limits = limits
        self.upright = boxes.orient == "v"
        self.axis = canvas.panel.y if self.upright else canvas.panel.x

    def shade(self, parts: Sequence[Part], colour: str) -> Spec:
        """Fill rectangles, each as opaque as it says."""
        rows = [self._rounded(part) for part in parts]
        opacity: Spec = {"field": "opacity", "type": "quantitative", "scale": None}
        return {
            "data": {"values": rows},
            "mark": {"type": "rect", "fill": colour, "aria": False},
            "encoding": {**self._ends(), "fillOpacity": opacity},
        }

    def frame(self, parts: Sequence[Part], colour: str, width: float) -> Spec:
        """Draw the four sides of rectangles."""
        return self._layer("rect", parts, {"fill": None, **_stroke(colour, width)})

    def line(self, parts: Sequence[Part], colour: str, width: float, **look: list[int]) -> Spec:
        """Draw lines from one end to the other."""
        return self._layer("rule", parts, {**_stroke(colour, width), **look})

    def touch(self, parts: Sequence[Part], index: int) -> Spec:
        """Cover each group by an unseen rectangle that says all its numbers when pointed at."""
        readings = list(box_readings(self.canvas.figure, self.canvas.panel, self.boxes))
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

    def _layer(self, kind: str, parts: Sequence[Part], look: Spec) -> Spec:
        rows = [self._row(part) for part in parts]
        mark = {"type": kind, **look}
        return {"data": {"values": rows}, "mark": mark, "encoding": self._ends()}

    def _row(self, part: Part) -> Spec:
        low, high = places(self.axis, (part.low, part.high))
        return {"left": part.left, "right": part.right, "low": low, "high": high}

    def _rounded(self, part: Part) -> Spec:
        """Describe one of many rectangles as finely as it can be seen."""
        low, high = places(self.axis, self.limits)
        digits = 4 - math.floor(math.log10(high - low))
        row = self._row(part)
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
