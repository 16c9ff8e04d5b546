"""Small multiples: the space of one Axes divided among several."""

from __future__ import annotations

import math
from typing import Any, cast

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text
from matplotlib.transforms import Bbox, TransformedBbox

from sfumato.figure import Figure
from sfumato.render import theme
from sfumato.render.matplotlib.axis import Names
from sfumato.render.matplotlib.lettering import LITERAL, Fitted, inches, page, points, tones
from sfumato.render.plane import ratio_of
from sfumato.render.text import shorten

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


class Inset:
    """A child of `host`; its place is kept in fractions of the host, so that it moves with it."""

    def __init__(self, host: Axes) -> None:
        self.host = host
        self.bounds = Bbox.unit()
        self.axes = host.inset_axes((0, 0, 1, 1))
        self.axes.set_axes_locator(cast(Any, self))

    def __call__(self, ax: Axes, renderer: RendererBase | None) -> Bbox:  # noqa: ARG002
        """Return where the child stands, in fractions of the figure."""
        to_figure = self.host.transAxes - page(self.host).transSubfigure
        return TransformedBbox(self.bounds, to_figure).frozen()

    def place(self, box: Bbox) -> Bbox:
        """Move to a box given in pixels."""
        self.bounds = box.transformed(self.host.transAxes.inverted())
        self.axes.apply_aspect(self(self.axes, None))
        return box


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_GAP = 10.0
_LABEL_GAP = 3.0
_AROUND = 0.9
_NARROWEST = 64.0
_SHAPE = 1.3


class PanelGrid:
    """The Axes of a figure's panels: the host itself for one, children of it for more."""

    def __init__(self, host: Axes, figure: Figure) -> None:
        self.host = host
        self.insets: list[Inset] = []
        self.below: Fitted | None = None
        self.beside: Fitted | None = None
        count = max(1, len(figure.panels))
        self.ratio = ratio_of(figure.panels[0]) if count > 1 else None
        self.columns = _columns(count, host, self.ratio)
        if count > 1:
            host.set_axis_off()
            self.insets = [Inset(host) for _ in range(count)]
        self.title_room = 0.0  # pixels
        self.axes = [inset.axes for inset in self.insets] or [host]

    @property
    def overhang(self) -> float:
        """How far tick labels may reach beyond a panel, in points, before panels move apart."""
        return _GAP / 2 if self.insets else math.inf

    def title_width(self) -> float:
        """Return how wide the title of a panel may be, in pixels."""
        return self.title_room

    def share_labels(self, figure: Figure) -> None:
        """Say once what all panels say: ticks at the left and below, one label for each axis."""
        if not self.insets:
            return
        for place, (ax, panel) in enumerate(zip(self.axes, figure.panels, strict=True)):
            below = place + self.columns
            if below < len(self.axes) and figure.panels[below].x == panel.x:
                ax.tick_params(axis="x", labelbottom=False)
            if place % self.columns and figure.panels[place - 1].y == panel.y:
                ax.tick_params(axis="y", labelleft=False)
        if len({panel.x for panel in figure.panels}) == 1:
            self.below = self._shared(figure.panels[0].x.label, ha="center", va="top")
            for ax in self.axes:
                ax.set_xlabel("")
        if len({panel.y for panel in figure.panels}) == 1:
            words = figure.panels[0].y.label
            self.beside = self._shared(words, ha="right", va="center", rotation=90)
            for ax in self.axes:
                ax.set_ylabel("")

    def arrange(self, renderer: RendererBase) -> None:
        """Divide the host's space, with gaps as wide as what stands between the panels."""
        if not self.insets:
            return
        rows = math.ceil(len(self.insets) / self.columns)
        across, down = self._gaps(renderer)
        box = self.host.bbox
        width = (box.width - across * (self.columns - 1)) / self.columns
        height = (box.height - down * (rows - 1)) / rows
        self.title_room = width
        if self.ratio is not None:
            # Panels that keep their shape stand near each other, but leave room for their titles.
            whole, width = width, min(width, height / self.ratio)
            height = width * self.ratio
            self.title_room = max(width, min(whole, points(renderer, _NARROWEST)))
            across += self.title_room - width
        for place, inset in enumerate(self.insets):
            row, column = divmod(place, self.columns)
            left = box.x0 + column * (width + across)
            bottom = box.y1 - height - row * (height + down)
            inset.place(Bbox.from_bounds(left, bottom, max(width, 1), max(height, 1)))

    def extent(self, renderer: RendererBase) -> Bbox:
        """Return all that the panels take, in pixels, with their ticks, labels and titles."""
        if not self.insets:
            boxes = [self.host.bbox, *_axis_boxes(self.host, renderer)]
            return Bbox.union([box for box in boxes if box is not None])
        boxes = [ax.get_tightbbox(renderer) for ax in self.axes]
        taken = Bbox.union([box for box in boxes if box is not None])
        return Bbox.union([taken, *self._place_labels(taken, renderer)])

    def left(self, renderer: RendererBase) -> float:
        """Return the left end of the y axis and its labels, where titles and captions begin."""
        boxes = [ax.yaxis.get_tightbbox(renderer) for ax in self.axes]
        if self.beside is not None:
            boxes.append(self.beside.artist.get_window_extent(renderer))
        return min([self.host.bbox.x0, *(box.x0 for box in boxes if box is not None)])

    def _shared(self, words: str, **style: Any) -> Fitted:
        soft_ink = tones(self.host).soft_ink
        type_: dict[str, Any] = {"fontsize": theme.LABEL_SIZE, "color": soft_ink, **LITERAL}
        words = shorten(words, theme.LONGEST_LABEL)
        text = self.host.text(0, 0, words, transform=self.host.transAxes, **type_, **style)
        return Fitted(text, most_lines=2)

    def _place_labels(self, taken: Bbox, renderer: RendererBase) -> list[Bbox]:
        gap = points(renderer, _LABEL_GAP)
        box = Bbox.union([ax.get_window_extent(renderer) for ax in self.axes])
        placed: list[Bbox] = []
        if self.below is not None:
            self.below.fit(box.width, renderer)
            placed.append(self._put(self.below.artist, (box.x0 + box.x1) / 2, taken.y0 - gap))
        if self.beside is not None:
            self.beside.fit(box.height, renderer)
            left = min(self.host.bbox.x0, taken.x0) - gap
            placed.append(self._put(self.beside.artist, left, (box.y0 + box.y1) / 2))
        return placed

    def _put(self, text: Text, x: float, y: float) -> Bbox:
        across, up = self.host.transAxes.inverted().transform((x, y))
        text.set_position((across, up))
        return text.get_window_extent()

    def _gaps(self, renderer: RendererBase) -> tuple[float, float]:
        """Return the space between columns and between rows, in pixels."""
        beside = above = below = right = left = 0.0
        for place, ax in enumerate(self.axes):
            inner = ax.get_window_extent(renderer)
            outer = ax.get_tightbbox(renderer) or inner
            level = _level_numbers(ax, renderer) or inner
            above = max(above, outer.y1 - inner.y1)
            if place % self.columns:
                ticks = ax.yaxis.get_tightbbox(renderer) or inner
                beside = max(beside, inner.x0 - ticks.x0)
                left = max(left, inner.x0 - level.x0)
            if (place + 1) % self.columns:
                right = max(right, level.x1 - inner.x1)
            if place + self.columns < len(self.axes):
                below = max(below, inner.y0 - outer.y0)
        gap = points(renderer, _GAP)
        return max(beside, left + right) + gap, above + below + gap


def _columns(count: int, host: Axes, ratio: float | None) -> int:
    """Choose the number of columns that makes panels largest, and leaves few places empty."""
    width, whole = inches(host)
    # What keeps its shape cannot make up in width for what the words around it take.
    around, between, shape = (_AROUND, 0.4, _SHAPE) if ratio is None else (1.6, 0.5, 1 / ratio)
    height = max(0.3, whole - around)

    def score(columns: int) -> float:
        rows = math.ceil(count / columns)
        across = (width - 0.2 * (columns - 1)) / columns / shape
        down = (height - between * (rows - 1)) / rows
        return min(across, down) * math.sqrt(count / (rows * columns))

    return max(range(1, count + 1), key=score)


def _level_numbers(ax: Axes, renderer: RendererBase) -> Bbox | None:
    """Return what the x axis takes; names keep to their places, or hang below those beside them."""
    axis = ax.xaxis
    return None if isinstance(axis.get_major_formatter(), Names) else axis.get_tightbbox(renderer)


def _axis_boxes(ax: Axes, renderer: RendererBase) -> list[Bbox | None]:
    if not ax.axison:
        return []
    return [ax.xaxis.get_tightbbox(renderer), ax.yaxis.get_tightbbox(renderer)]
