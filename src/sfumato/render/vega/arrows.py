"""Arrows with bars as long as their tips are unsure, and a name beyond each, as layers."""

from __future__ import annotations

import math

from sfumato.figure import Arrows
from sfumato.render import theme
from sfumato.render.arrow_names import GAP, find_readable, list_bar_points, place_names
from sfumato.render.description import describe_arrows, sort_by_length
from sfumato.render.scale import x_limits, y_limits
from sfumato.render.text import cut_to_width, shorten, width
from sfumato.render.vega.axis import Canvas, Spec, convert_to_pixels

# The tip is the middle of the shape, and so stands where the arrow ends whichever way it turns.
_HEAD = "M0,0L0.85,2L-0.85,2Z"
_HEAD_LENGTH = 6.0
_LINE = 1.1
_BAR = 2.0
_HALO = 1.5
_WIDEST = 0.45

Corner = tuple[float, float]


def arrow_layers(canvas: Canvas, arrows: Arrows) -> list[tuple[int, Spec]]:
    """Return the arrows, layer by layer, each with its depth."""
    return ArrowDrawing(canvas, arrows).layers() if arrows.label else []


class ArrowDrawing:
    """The arrows of one mark, whose places are known on the axes and on paper, in points."""

    def __init__(self, canvas: Canvas, arrows: Arrows) -> None:
        self.canvas = canvas
        self.arrows = arrows
        self.x = x_limits(canvas.panel)
        self.y = y_limits(canvas.panel, canvas.figure)
        self.size = 0.75 * canvas.width, 0.75 * canvas.height
        self.tips = list(zip(arrows.x.value, arrows.y.value, strict=True))

    def layers(self) -> list[tuple[int, Spec]]:
        """Return bars, lines, heads and names, from the lowest to the highest."""
        halo = {"stroke": theme.PAPER, "strokeOpacity": 0.8}
        around = convert_to_pixels(_LINE + _HALO)
        lines = self._lines()
        return [
            *([(2, self._bars())] if self.arrows.coverage else []),
            (2, self._rules(lines, {**halo, "strokeWidth": around})),
            (2, self._rules(lines, {"stroke": theme.INK, "strokeWidth": convert_to_pixels(_LINE)})),
            (4, self._heads()),
            *((4, layer) for layer in self._names()),
        ]

    def _bars(self) -> Spec:
        x, y = self.arrows.x, self.arrows.y
        rows = [
            *(_rule(a, up, b, up) for a, b, up in zip(x.low, x.high, y.value, strict=True)),
            *(_rule(at, a, at, b) for a, b, at in zip(y.low, y.high, x.value, strict=True)),
        ]
        look = {"stroke": theme.INK, "strokeOpacity": theme.INTERVAL_OPACITY}
        return self._rules(rows, {**look, "strokeWidth": convert_to_pixels(_BAR)})

    def _lines(self) -> list[Spec]:
        """Return lines that end within the heads, so that these have sharp tips."""
        start, rows = self._paper(self.arrows.origin), list[Spec]()
        for tip in self.tips:
            length = math.dist(start, self._paper(tip))
            kept = max(0.0, 1 - 0.7 * _HEAD_LENGTH / length) if length else 0.0
            x, y = self.arrows.origin
            rows.append(_rule(x, y, x + kept * (tip[0] - x), y + kept * (tip[1] - y)))
        return rows

    def _heads(self) -> Spec:
        said = describe_arrows(self.canvas.figure, self.canvas.panel, self.arrows)
        pairs = zip(sort_by_length(self.arrows), said, strict=True)
        words = {place: str(reading) for (place, _), reading in pairs}
        rows = [
            {"x": tip[0], "y": tip[1], "turn": self._turn(tip), "words": words[place]}
            for place, tip in enumerate(self.tips)
        ]
        # A shape reaches from -1 to 1, which is as long as the root of the size.
        size = round(convert_to_pixels(_HEAD_LENGTH) ** 2, 2)
        look: Spec = {"shape": _HEAD, "fill": theme.INK, "strokeWidth": 0, "opacity": 1}
        said_too: Spec = {"description": {"field": "words"}, "tooltip": {"field": "words"}}
        turned: Spec = {"angle": {"field": "turn", "type": "quantitative", "scale": None}}
        return {
            "data": {"values": rows},
            "mark": {"type": "point", "size": size, **look, **self.canvas.cut},
            "encoding": {**self.canvas.positions("x", "y"), **turned, **said_too},
        }

    def _names(self) -> list[Spec]:
        """Write twice: first the paper around the letters, which keeps clouds away from them."""
        rows = self._placed()
        look: Spec = {"align": "center", "baseline": "middle", "aria": False, **self.canvas.cut}
        look["fontSize"] = convert_to_pixels(theme.TICK_SIZE)
        halo: Spec = {"stroke": theme.PAPER, "strokeWidth": 3, "strokeOpacity": 0.85}
        encoding: Spec = {
            **self.canvas.positions("x", "y"),
            "text": {"field": "text", "type": "nominal"},
        }
        return [
            {
                "data": {"values": rows},
                "mark": {"type": "text", **look, **paint},
                "encoding": encoding,
            }
            for paint in (halo, {"color": theme.INK})
        ]

    def _placed(self) -> list[Spec]:
        room = _WIDEST * self.size[0] / theme.TICK_SIZE
        names = [shorten(name, theme.LONGEST_SERIES) for name in self.arrows.label]
        names = [cut_to_width(name, room, width) for name in names]
        line = theme.TICK_SIZE * theme.LINE_HEIGHT
        sizes = [(theme.TICK_SIZE * width(name), line) for name in names]
        middles = place_names(
            self._paper(self.arrows.origin),
            [self._paper(tip) for tip in self.tips],
            sizes,
            (GAP, GAP, self.size[0] - GAP, self.size[1] - GAP),
            GAP,
            away=[self._paper(point) for point in list_bar_points(self.arrows)],
        )
        seen = find_readable(middles, sizes, (0.0, 0.0, *self.size))
        places = zip(names, map(self._value, middles), seen, strict=True)
        return [{"x": x, "y": y, "text": name} for name, (x, y), clear in places if clear]

    def _rules(self, rows: list[Spec], look: Spec) -> Spec:
        ends: Spec = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
        return {
            "data": {"values": rows},
            "mark": {"type": "rule", "aria": False, **look, **self.canvas.cut},
            "encoding": self.canvas.positions("x", "y", **ends),
        }

    def _turn(self, tip: Corner) -> float:
        """Return which way an arrow points on paper, in degrees clockwise from upwards."""
        start, end = self._paper(self.arrows.origin), self._paper(tip)
        return round(math.degrees(math.atan2(end[0] - start[0], end[1] - start[1])) % 360, 2)

    def _paper(self, corner: Corner) -> Corner:
        across = (corner[0] - self.x[0]) / (self.x[1] - self.x[0])
        up = (corner[1] - self.y[0]) / (self.y[1] - self.y[0])
        return across * self.size[0], up * self.size[1]

    def _value(self, corner: Corner) -> Corner:
        across, up = corner[0] / self.size[0], corner[1] / self.size[1]
        x, y = self.x, self.y
        return x[0] + across * (x[1] - x[0]), y[0] + up * (y[1] - y[0])


def _rule(x: float, y: float, x2: float, y2: float) -> Spec:
    return {"x": x, "y": y, "x2": x2, "y2": y2}
