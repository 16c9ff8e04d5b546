"""Words upon boxplots: how many outliers there are, and where there are too few people to say."""

from __future__ import annotations

from sfumato.figure import Boxes
from sfumato.render import theme
from sfumato.render.boxes import spacing, spans
from sfumato.render.counts import (
    GAP,
    ROOM,
    TOO_FEW,
    Side,
    between,
    counts,
    inside,
    length_along,
    set_counts,
    set_too_few,
)
from sfumato.render.scale import value_limits
from sfumato.render.text import width
from sfumato.render.vega.axis import Spec, places
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.settings import pixels

_HALO = 3
_SIDES: tuple[Side, Side] = ("below", "above")


def word_layers(canvas: Canvas) -> list[tuple[int, Spec]]:
    """Return all that is written upon the boxes of one panel, each layer with its depth."""
    marks = [mark for mark in canvas.panel.marks if isinstance(mark, Boxes)]
    if not marks:
        return []
    words = BoxWords(canvas, marks)
    return [*words.counts(), *words.too_few()]


class BoxWords:
    """The words upon the boxes of one panel."""

    def __init__(self, canvas: Canvas, marks: list[Boxes]) -> None:
        panel = canvas.panel
        self.canvas = canvas
        self.marks = marks
        self.upright = marks[0].orient == "v"
        self.axis, names = (panel.y, panel.x) if self.upright else (panel.x, panel.y)
        self.limits = value_limits(panel, marks[0])
        level, upright = 0.75 * canvas.width, 0.75 * canvas.height
        crosswise, self.along = (level, upright) if self.upright else (upright, level)
        self.across = crosswise * spacing(panel) / max(1, len(names.categories))

    def counts(self) -> list[tuple[int, Spec]]:
        """Write the counts of outliers beyond the whiskers."""
        numbers = [count for boxes in self.marks for count in counts(boxes)]
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
            extent = GAP + length_along(text, setting, upright=self.upright, measure=width)
            anchor = inside(count.anchor, extent * point, self.limits, count.side)
            rows[count.side].append(self._row(count.position, anchor, text))
        looks = {side: self._beyond(side, setting.angle) for side in _SIDES}
        size: Spec = {"angle": -setting.angle % 360, "fontSize": pixels(setting.size)}
        return [
            layer for side in _SIDES for layer in self._layers(rows[side], {**looks[side], **size})
        ]

    def too_few(self) -> list[tuple[int, Spec]]:
        """Write across the groups for which no box is drawn."""
        shown = [span for boxes in self.marks for span in spans(boxes)]
        setting = set_too_few(
            len(shown), across=self.across, along=self.along, upright=self.upright, measure=width
        )
        taken = length_along(TOO_FEW, setting, upright=self.upright, measure=width) + 2 * GAP
        extent = taken * (self.limits[1] - self.limits[0]) / self.along
        rows: list[Spec] = []
        for span, text in zip(shown, setting.texts, strict=False):
            middle = between((span.low, span.high), extent, self.limits)
            rows.append(self._row((span.left + span.right) / 2, middle, text))
        look: Spec = {"align": "center", "baseline": "middle", "angle": -setting.angle % 360}
        return self._layers(rows, {**look, "fontSize": pixels(setting.size)})

    def _row(self, position: float, value: float, text: str) -> Spec:
        (value,) = places(self.axis, (value,))
        x, y = (position, value) if self.upright else (value, position)
        return {"x": x, "y": y, "text": text}

    def _beyond(self, side: Side, angle: int) -> Spec:
        """Return how text is aligned that begins where a whisker ends."""
        away = pixels(GAP) if side == "above" else -pixels(GAP)
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
