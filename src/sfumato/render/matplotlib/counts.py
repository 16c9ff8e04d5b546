"""Words upon boxplots: how many outliers there are, and where there are too few people to say."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text

from sfumato.figure import Boxes, Panel
from sfumato.render import theme
from sfumato.render.boxes import spacing, spans
from sfumato.render.counts import (
    GAP,
    ROOM,
    TOO_FEW,
    Setting,
    Side,
    between,
    counts,
    inside,
    length_along,
    set_counts,
    set_too_few,
)
from sfumato.render.matplotlib.axis import positions
from sfumato.render.matplotlib.lettering import LITERAL, measure, points, size_of
from sfumato.render.matplotlib.tones import tones
from sfumato.render.text import Measure


class BoxWords:
    """The words upon the boxes of one panel, set for the size the Axes have."""

    def __init__(self, ax: Axes, panel: Panel) -> None:
        marks = [mark for mark in panel.marks if isinstance(mark, Boxes)]
        self.ax = ax
        self.upright = all(boxes.orient == "v" for boxes in marks)
        self.axis = panel.y if self.upright else panel.x
        self.spacing = spacing(panel)
        self.numbers = [count for boxes in marks for count in counts(boxes)]
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
        _apply(self.counts, setting)
        if not setting.texts:
            return
        low, high = sorted(self._limits())
        point = (high - low) / along
        for text, words, count in zip(self.counts, setting.texts, self.numbers, strict=True):
            extent = GAP + length_along(words, setting, upright=self.upright, measure=wide)
            (anchor,) = positions(self.axis, (count.anchor,))
            anchor = inside(anchor, extent * point, (low, high), count.side)
            away = GAP * point * (1 if count.side == "above" else -1)
            text.set(**self._placed(count.position, anchor + away, count.side, setting.angle))

    def _fit_too_few(self, renderer: RendererBase) -> None:
        across, along = self._rooms(renderer)
        wide = self._ruler(self.too_few[0], renderer)
        setting = set_too_few(
            len(self.spans), across=across, along=along, upright=self.upright, measure=wide
        )
        _apply(self.too_few, setting)
        low, high = sorted(self._limits())
        taken = length_along(TOO_FEW, setting, upright=self.upright, measure=wide) + 2 * GAP
        for text, span in zip(self.too_few, self.spans, strict=True):
            start, end = positions(self.axis, (span.low, span.high))
            middle = between((start, end), taken * (high - low) / along, (low, high))
            place = (span.left + span.right) / 2
            text.set_position((place, middle) if self.upright else (middle, place))

    def _write(self, label: str) -> Text:
        tone = tones(self.ax)
        style: dict[str, Any] = {"fontsize": theme.CAPTION_SIZE, "color": tone.soft_ink, **LITERAL}
        text = self.ax.text(0, 0, "", ha="center", va="center", zorder=5, clip_on=True, **style)
        paper = {"facecolor": tone.paper, "alpha": 0.7, "linewidth": 0, "pad": 0.6}
        text.set(label=label, bbox=paper)
        text.set_in_layout(False)
        return text

    def _ruler(self, text: Text, renderer: RendererBase) -> Measure:
        wide, scale = measure(text, renderer), size_of(text) * points(renderer, 1)
        return lambda words: wide(words) / scale

    def _limits(self) -> tuple[float, float]:
        return self.ax.get_ylim() if self.upright else self.ax.get_xlim()

    def _rooms(self, renderer: RendererBase) -> tuple[float, float]:
        """Return the room between two boxes, and the length of the axis of values, in points."""
        point = points(renderer, 1)
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


def _apply(texts: Sequence[Text], setting: Setting) -> None:
    shown = setting.texts or ("",) * len(texts)
    for text, words in zip(texts, shown, strict=True):
        text.set(text=words, fontsize=setting.size, rotation=setting.angle)
