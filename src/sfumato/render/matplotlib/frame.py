"""Everything around a chart, kept in its place at every size: panels, keys, title and caption."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.cm import ScalarMappable
from matplotlib.gridspec import SubplotSpec
from matplotlib.layout_engine import PlaceHolderLayoutEngine, TightLayoutEngine
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox, ScaledTranslation, TransformedBbox

from sfumato.figure import Figure, Heat, Regions
from sfumato.render import theme
from sfumato.render.matplotlib.axis import TICK_STEPS, CategoryTicks, NumberTicks, TickFitter
from sfumato.render.matplotlib.lettering import (
    LITERAL,
    FittedText,
    Sizes,
    choose_tones,
    convert_points,
    find_page,
    inches,
    make_tick_measure,
)
from sfumato.render.plane import find_ratio, ticks
from sfumato.render.scale import (
    Coloured,
    Limits,
    colour_title,
    list_places,
    list_shares,
    tell_labels_apart,
)
from sfumato.render.text import format_number, shorten, width

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_KEY_GAP = 5.0
_OUTSIDE = 25.0
_INDENT = 3.0
_STRIP_WIDTH = 170.0
_STRIP_HEIGHT = 7.0
_STRIP_FOOT = 14.0
_STRIP_HEAD = 20.0


def _order_by_rows(count: int, columns: int) -> list[int]:
    """Order entries so that Matplotlib, which fills columns first, shows them row by row."""
    return [place for column in range(columns) for place in range(column, count, columns)]


def list_handles(panels: Sequence[Axes]) -> list[tuple[Any, str]]:
    """Return what stands for each named series, which panels that share a legend have alike."""
    found = [list(zip(*ax.get_legend_handles_labels(), strict=True)) for ax in panels]
    return max(found, key=len)


class Key:
    """Space above the chart that titles make way for, with the legend or the colour strip in it."""

    def __init__(self, host: Axes) -> None:
        self.host = host
        self.space = Inset(host)
        self.space.axes.set_axis_off()
        self.legend: Legend | None = None
        self.strip: Inset | None = None
        self.ticks: TickFitter | None = None
        self.words: FittedText | None = None

    def add_legend(self, title: str, panels: Sequence[Axes]) -> None:
        """List every named series of the panels once, in as many columns as fit."""
        handles, labels = zip(*list_handles(panels), strict=True)
        whole = 72 * find_page(self.host).bbox.width / find_page(self.host).dpi
        room = min(72 * inches(self.host)[0] + _OUTSIDE, whole - 2 * _KEY_GAP)
        widest = Sizes.choose().tick * (max(map(width, labels)) + 3.1)
        columns = min(len(labels), max(1, int(room / widest)))
        order = _order_by_rows(len(labels), columns)
        self.legend = self.host.legend(
            [handles[place] for place in order],
            [labels[place] for place in order],
            title=shorten(title, 60) or None,
            loc="lower left",
            ncols=columns,
            frameon=False,
            alignment="left",
            borderpad=0,
            borderaxespad=0,
            handlelength=1.1,
            handletextpad=0.5,
            columnspacing=1.4,
            fontsize=Sizes.choose().tick,
            title_fontsize=Sizes.choose().tick,
        )
        tone = choose_tones(self.host)
        self.legend.get_title().set(color=tone.soft_ink, **LITERAL)
        for text in self.legend.get_texts():
            text.set(color=tone.ink, **LITERAL)

    def add_strip(self, colours: ScalarMappable, mark: Coloured, limits: Limits) -> None:
        """Draw the colour scale, with a beam as long as the noise is wide."""
        self.strip = Inset(self.host)
        ax, ink = self.strip.axes, choose_tones(self.host).ink
        bar = find_page(self.host).colorbar(
            colours, cax=ax, orientation="horizontal", format=NumberTicks()
        )
        bar.outline.set_visible(False)
        ax.grid(visible=False)
        if isinstance(mark, Heat):
            places = ticks(limits[1])
            bar.set_ticks(places, labels=list(map(format_number, places)))
        else:
            bar.locator = MaxNLocator(nbins="auto", steps=TICK_STEPS)
        self.ticks = TickFitter(ax, math.inf)
        ax.tick_params(labelsize=theme.TICK_SIZE - 0.5, labelcolor=ink, length=2, pad=1.5)
        head = 1 + 9 / _STRIP_HEIGHT
        style: dict[str, Any] = {"fontsize": theme.TICK_SIZE, "color": ink, **LITERAL}
        style["linespacing"] = theme.LINE_HEIGHT
        words = ax.text(0, head, colour_title(mark), transform=ax.transAxes, va="bottom", **style)
        self.words = FittedText(words, most_lines=3)
        if mark.coverage and not isinstance(mark, Regions):
            _draw_beam(ax, min(mark.noise, limits[1]), ink)

    def remove(self) -> None:
        """Take the key away, before another one is drawn."""
        for inset in (self.space, self.strip):
            if inset is not None:
                inset.axes.remove()

    def place(
        self, left: float, right: float, bottom: float, renderer: RendererBase
    ) -> Bbox | None:
        """Put the key between places given in pixels, and return the space it takes."""
        bottom += _KEY_GAP * convert_points(renderer, 1)
        if self.strip is not None and self.words is not None:
            self.words.fit(right - left, renderer)
            return self._place_strip(self.strip, self.words, (left, right), bottom, renderer)
        if self.legend is not None and self.host.get_legend() is self.legend:
            return self._place_legend(self.legend, left, bottom, renderer)
        self.space.axes.set_visible(False)
        return None

    def _place_strip(
        self,
        strip: Inset,
        words: FittedText,
        sides: tuple[float, float],
        bottom: float,
        renderer: RendererBase,
    ) -> Bbox:
        point, (left, right) = convert_points(renderer, 1), sides
        across = min(_STRIP_WIDTH * point, right - left)
        up = _STRIP_HEIGHT * point
        low = bottom + _STRIP_FOOT * point
        strip.place(Bbox.from_bounds(left, low, across, up))
        if self.ticks is not None:
            self.ticks.fit(renderer)
        # The first number stands below the left end, and some of it beyond.
        beyond = max(_INDENT, _measure_beyond(strip.axes, across / point, renderer))
        strip.place(Bbox.from_bounds(left + beyond * point, low, across, up))
        scale = find_page(self.host).dpi_scale_trans
        words.artist.set_transform(strip.axes.transAxes + ScaledTranslation(-beyond / 72, 0, scale))
        more = words.shown.count("\n") * theme.TICK_SIZE * theme.LINE_HEIGHT
        whole = (_STRIP_FOOT + _STRIP_HEIGHT + _STRIP_HEAD + more) * point
        return self.space.place(Bbox.from_bounds(left, bottom, across, whole))

    def _place_legend(
        self, legend: Legend, left: float, bottom: float, renderer: RendererBase
    ) -> Bbox:
        corner = self.host.transAxes.inverted().transform((left, bottom))
        legend.set_bbox_to_anchor(tuple(corner), self.host.transAxes)
        size = legend.get_window_extent(renderer)
        return self.space.place(Bbox.from_bounds(left, bottom, size.width, size.height))


def _measure_beyond(ax: Axes, across: float, renderer: RendererBase) -> float:
    """Return how far the first number of a strip reaches beyond its left end, in points."""
    low, high = ax.get_xlim()
    places = [float(tick) for tick in ax.get_xticks() if low <= tick <= high]
    if not places:
        return 0.0
    label = ax.xaxis.get_major_formatter().format_ticks(places)[0]
    wide = make_tick_measure(ax.xaxis, renderer)(label)
    return wide / 2 - across * (places[0] - low) / (high - low)


def _draw_beam(strip: Axes, length: float, ink: str) -> None:
    """Draw how wide the noise is above the colours."""
    strip.plot(
        [0, length],
        [1 + 4.5 / _STRIP_HEIGHT] * 2,
        transform=strip.get_xaxis_transform(),
        color=ink,
        linewidth=0.9,
        marker="|",
        markersize=5,
        clip_on=False,
        label="_noise",
    )


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
        to_figure = self.host.transAxes - find_page(self.host).transSubfigure
        return TransformedBbox(self.bounds, to_figure).frozen()

    def place(self, box: Bbox) -> Bbox:
        """Move to a box given in pixels."""
        self.bounds = box.transformed(self.host.transAxes.inverted())
        self.axes.apply_aspect(self(self.axes, None))
        return box


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_PANEL_GAP = 10.0
_LABEL_GAP = 3.0
_AROUND = 0.9
_NARROWEST = 64.0
_SHAPE = 1.3


class PanelGrid:
    """The Axes of a figure's panels: the host itself for one, children of it for more."""

    def __init__(self, host: Axes, figure: Figure) -> None:
        self.host = host
        self.insets: list[Inset] = []
        self.below: FittedText | None = None
        self.beside: FittedText | None = None
        count = max(1, len(figure.panels))
        self.ratio = find_ratio(figure.panels[0]) if count > 1 else None
        asked = len(figure.grid[1]) if figure.grid else figure.columns
        self.columns = asked or _columns(count, host, self.ratio)
        self.places = list_places(figure, self.columns)
        self.tall, self.wide = list_shares(figure, self.columns)
        if count > 1:
            host.set_axis_off()
            self.insets = [Inset(host) for _ in range(count)]
        self.title_room = 0.0  # pixels
        self.axes = [inset.axes for inset in self.insets] or [host]

    @property
    def overhang(self) -> float:
        """How far tick labels may reach beyond a panel, in points, before panels move apart."""
        return _PANEL_GAP / 2 if self.insets else math.inf

    def title_width(self) -> float:
        """Return how wide the title of a panel may be, in pixels."""
        return self.title_room

    def share_labels(self, figure: Figure) -> None:
        """Say once what all panels say: ticks at the left and below, one label for each axis."""
        if not self.insets:
            return
        told = tell_labels_apart(figure, self.places)
        for ax, panel, (x, y) in zip(self.axes, figure.panels, told, strict=True):
            ax.tick_params(axis="x", labelbottom=x, **({} if panel.x.labelled else {"length": 0}))
            ax.tick_params(axis="y", labelleft=y, **({} if panel.y.labelled else {"length": 0}))
            if figure.grid is not None:
                ax.set_xlabel(ax.get_xlabel() if x else "")
                ax.set_ylabel(ax.get_ylabel() if y else "")
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
        across, down = self._gaps(renderer)
        box = self.host.bbox
        widths = np.array(self.wide) * (box.width - across * (len(self.wide) - 1))
        heights = np.array(self.tall) * (box.height - down * (len(self.tall) - 1))
        self.title_room = float(widths.min())
        if self.ratio is not None:
            # Panels that keep their shape stand near each other, but leave room for their titles.
            whole, width = self.title_room, min(self.title_room, heights.min() / self.ratio)
            widths[:], heights[:] = width, width * self.ratio
            self.title_room = max(width, min(whole, convert_points(renderer, _NARROWEST)))
            across += self.title_room - width
        lefts = box.x0 + np.cumsum(widths + across) - widths - across
        bottoms = box.y1 - np.cumsum(heights + down) + down
        for (row, column), inset in zip(self.places, self.insets, strict=True):
            size = max(widths[column], 1), max(heights[row], 1)
            inset.place(Bbox.from_bounds(lefts[column], bottoms[row], *size))

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

    def _shared(self, words: str, **style: Any) -> FittedText:
        soft_ink = choose_tones(self.host).soft_ink
        type_: dict[str, Any] = {"fontsize": Sizes.choose().label, "color": soft_ink, **LITERAL}
        words = shorten(words, theme.LONGEST_LABEL)
        text = self.host.text(0, 0, words, transform=self.host.transAxes, **type_, **style)
        return FittedText(text, most_lines=2)

    def _place_labels(self, taken: Bbox, renderer: RendererBase) -> list[Bbox]:
        gap = convert_points(renderer, _LABEL_GAP)
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
        last_row, last_column = len(self.tall) - 1, len(self.wide) - 1
        for (row, column), ax in zip(self.places, self.axes, strict=True):
            inner = ax.get_window_extent(renderer)
            outer = ax.get_tightbbox(renderer) or inner
            level = _measure_x_axis(ax, renderer) or inner
            above = max(above, outer.y1 - inner.y1)
            if column:
                ticks = ax.yaxis.get_tightbbox(renderer) or inner
                beside = max(beside, inner.x0 - ticks.x0)
                left = max(left, inner.x0 - level.x0)
            if column < last_column:
                right = max(right, level.x1 - inner.x1)
            if row < last_row:
                below = max(below, inner.y0 - outer.y0)
        gap = convert_points(renderer, _PANEL_GAP)
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


def _measure_x_axis(ax: Axes, renderer: RendererBase) -> Bbox | None:
    """Return what the x axis takes; names keep to their places, or hang below those beside them."""
    axis = ax.xaxis
    return (
        None
        if isinstance(axis.get_major_formatter(), CategoryTicks)
        else axis.get_tightbbox(renderer)
    )


def _axis_boxes(ax: Axes, renderer: RendererBase) -> list[Bbox | None]:
    if not ax.axison:
        return []
    return [ax.xaxis.get_tightbbox(renderer), ax.yaxis.get_tightbbox(renderer)]


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_PAD = 4.0
_SMALLEST_SHARE = 0.15


def find_slot(ax: Axes, renderer: RendererBase) -> Bbox:
    """Return the pixels up to the figure's edge, or half-way to the Axes next to `ax`."""
    figure = find_page(ax)
    mine = ax.get_position(original=True).transformed(figure.transSubfigure)
    pad = convert_points(renderer, _PAD)
    x0, y0, x1, y1 = figure.bbox.padded(-pad).extents
    for other in figure.axes:
        theirs = other.get_position(original=True).transformed(figure.transSubfigure)
        if theirs.x0 < mine.x1 and mine.x0 < theirs.x1:
            y0, y1 = _limit_between(y0, y1, (mine.y0, mine.y1), (theirs.y0, theirs.y1), pad / 2)
        elif theirs.y0 < mine.y1 and mine.y0 < theirs.y1:
            x0, x1 = _limit_between(x0, x1, (mine.x0, mine.x1), (theirs.x0, theirs.x1), pad / 2)
    return Bbox.from_extents(x0, y0, x1, y1)


def shrink_to_fit(ax: Axes, taken: Bbox, free: Bbox) -> Bbox:
    """Pull in the sides of `ax` so that all it takes lies in what is free.

    Parameters
    ----------
    taken
        What the Axes take with everything around them, where they stand now, in pixels.
    """
    figure = find_page(ax)
    now = ax.get_position(original=False).transformed(figure.transSubfigure)
    wanted = ax.get_position(original=True).transformed(figure.transSubfigure)
    x0 = max(wanted.x0, free.x0 + now.x0 - taken.x0)
    y0 = max(wanted.y0, free.y0 + now.y0 - taken.y0)
    x1 = min(wanted.x1, free.x1 + now.x1 - taken.x1)
    y1 = min(wanted.y1, free.y1 + now.y1 - taken.y1)
    x1 = max(x1, x0 + _SMALLEST_SHARE * wanted.width)
    y1 = max(y1, y0 + _SMALLEST_SHARE * wanted.height)
    return Bbox.from_extents(x0, y0, x1, y1).transformed(figure.transSubfigure.inverted())


def _limit_between(
    low: float,
    high: float,
    mine: tuple[float, float],
    theirs: tuple[float, float],
    pad: float,
) -> tuple[float, float]:
    if theirs[1] <= mine[0]:
        return max(low, (theirs[1] + mine[0]) / 2 + pad), high
    if theirs[0] >= mine[1]:
        return low, min(high, (theirs[0] + mine[1]) / 2 - pad)
    return low, high


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_GAP = 6.0
_MOST_TITLE, _PER_TITLE_LINE = 4, 70.0  # lines, and points of height for each
_MOST_CAPTION = 0.3  # of the height there is: above, a shorter caption is taken, if there is one
_ROUNDS = 6

Fitting = Callable[[RendererBase], None]
"""Something that is drawn differently at different sizes."""


class AxesFrame:
    """The locator of an Axes that holds a release.

    Matplotlib asks an Axes' locator where it stands whenever it is drawn or measured, and layout
    engines measure. So this is the one moment at which the size is known: the caption is wrapped
    to it, category labels are set for it and, where no layout engine makes room for them, the
    Axes give way.
    """

    def __init__(
        self,
        host: Axes,
        *,
        grid: PanelGrid,
        key: Key | None,
        title: FittedText,
        footers: Sequence[FittedText],
        fittings: Sequence[Fitting],
    ) -> None:
        self.host = host
        self.grid = grid
        self.key = key
        self.title = title
        self.footers = tuple(footers)
        self.fittings = tuple(fittings)
        self.box = host.get_position(original=True)
        self.taken = 0.0  # pixels of height
        self.sizes = Sizes.choose()
        self.needed: Bbox | None = None

    def __call__(self, ax: Axes, renderer: RendererBase | None) -> Bbox:
        """Return where `ax` stands, in fractions of its figure."""
        if renderer is None:
            return ax.get_position(original=False)
        if self.cleared:
            return ax.get_position(original=True)
        # What there is no room for is left out rather than cut: files and releases name the chart.
        for shown in (True, False):
            self.title.artist.set_visible(shown)
            self._settle(renderer)
            if self._has_room(renderer):
                break
        return self.box

    def _settle(self, renderer: RendererBase) -> None:
        """Let the Axes give way until nothing moves any more."""
        for _ in range(_ROUNDS):
            before, self.box = self.box, self._align(renderer)
            # Usually the box of the last drawing, and then this is the first round.
            if np.allclose(before.extents, self.box.extents, atol=1e-4):
                return
        self._arrange(self.box, renderer)

    def _has_room(self, renderer: RendererBase) -> bool:
        free = find_slot(self.host, renderer).height + convert_points(renderer, 2)
        return not _is_unmanaged(self.host) or self.taken <= free

    def measure(self, renderer: RendererBase) -> Bbox:
        """Return the largest box that leaves room for all that stands around it."""
        taken = self._arrange(self.box, renderer)
        self.taken = taken.height
        self.needed = self.host.get_position(original=True)
        if _is_unmanaged(self.host):
            self.needed = shrink_to_fit(self.host, taken, find_slot(self.host, renderer))
        return self.needed

    def _align(self, renderer: RendererBase) -> Bbox:
        """Return the box that releases in one column, and in one row, all have room for."""
        mine = self.measure(renderer)
        if not _is_unmanaged(self.host) and self.host.get_aspect() != "auto":
            return mine  # what keeps its shape is placed by the layout engine alone
        peers = [frame for ax in find_page(self.host).axes if (frame := find_frame(ax))]
        boxes = [(frame.host, frame.needed or frame.measure(renderer)) for frame in peers]
        level = [box for host, box in boxes if _share_slot(self.host, host, "x")] or [mine]
        upright = [box for host, box in boxes if _share_slot(self.host, host, "y")] or [mine]
        x0, x1 = max(box.x0 for box in level), min(box.x1 for box in level)
        y0, y1 = max(box.y0 for box in upright), min(box.y1 for box in upright)
        return Bbox.from_extents(x0, y0, x1, y1) if x0 < x1 and y0 < y1 else mine

    def get_subplotspec(self) -> SubplotSpec | None:
        """Return the host's place among subplots, which ``tight_layout`` asks a locator for."""
        return self.host.get_subplotspec()

    @property
    def cleared(self) -> bool:
        """Whether ``ax.clear()`` has taken away all that this frame holds."""
        return self.title.artist not in self.host.get_children()

    @property
    def remaining(self) -> list[FittedText]:
        """The notes and captions that nobody has removed."""
        return [footer for footer in self.footers if footer.artist.axes is self.host]

    def _arrange(self, box: Bbox, renderer: RendererBase) -> Bbox:
        """Put everything in its place around `box`, and return the pixels it takes in all."""
        self.host.apply_aspect(box)
        self.grid.arrange(renderer)
        for fit in self.fittings:
            fit(renderer)
        chart = self.grid.extent(renderer)
        left = self.grid.left(renderer)
        # A chart that keeps its shape may be narrower than the space it was given.
        right = box.transformed(find_page(self.host).transSubfigure).x1
        if self.host.get_aspect() != "auto" and _is_unmanaged(self.host):
            right = max(right, find_slot(self.host, renderer).x1)
        parts = [chart]
        top = chart.y1
        if self.key is not None and self.key.words is not None:
            self.key.words.most_lines = min(3, self._count_lines(renderer))
        if self.key is not None and (space := self.key.place(left, right, top, renderer)):
            parts.append(space)
            top = space.y1
        parts.append(self._place_title(left, right, top, renderer))
        parts.append(self._place_footers(left, right, chart.y0, renderer))
        return Bbox.union(parts)

    def _place_title(self, left: float, right: float, top: float, renderer: RendererBase) -> Bbox:
        """Wrap our title, unless the user has set one; Matplotlib itself keeps it above the key."""
        theirs, ours = self.host.title, self.title.artist
        if theirs.get_text() and ours.get_text() == self.title.shown:
            ours.set_text("")
        self.title.most_lines = self._count_lines(renderer)
        self.title.fit(right - left, renderer)
        x, y = self.host.transAxes.inverted().transform((left, top))
        ours.set_x(x)
        if self.grid.insets:
            # Matplotlib would not keep it above the titles of panels.
            ours.set_y(y)
        if not ours.get_visible():
            return Bbox.from_bounds(left, top, 1, 0)
        height = max(title.get_window_extent(renderer).height for title in (theirs, ours))
        return Bbox.from_bounds(left, top, 1, height + convert_points(renderer, theme.TITLE_PAD))

    def _count_lines(self, renderer: RendererBase) -> int:
        """Return how many lines may stand above the chart: one where it is hardly seen itself."""
        height = find_slot(self.host, renderer).height / convert_points(renderer, 1)
        return max(1, min(_MOST_TITLE, int(height / _PER_TITLE_LINE)))

    def _place_footers(
        self, left: float, right: float, bottom: float, renderer: RendererBase
    ) -> Bbox:
        room = right - left
        lowest = bottom
        narrow = room < convert_points(renderer, theme.NARROW)
        size = min(theme.NARROW_CAPTION_SIZE, self.sizes.caption) if narrow else self.sizes.caption
        line = convert_points(renderer, size * theme.LINE_HEIGHT)
        most = max(2, _MOST_CAPTION * find_slot(self.host, renderer).height / line)
        for footer in self.remaining:
            lowest -= convert_points(renderer, _GAP)
            artist = footer.artist
            artist.set_fontsize(size)
            footer.fit(room, renderer, most=most)
            x, y = self.host.transAxes.inverted().transform((left, lowest))
            artist.set_position((x, y))
            lowest = artist.get_window_extent(renderer).y0
        return Bbox([[left, lowest], [left + 1, bottom]])


def find_frame(ax: Axes) -> AxesFrame | None:
    """Return the frame of an Axes that holds a release, unless it was cleared since."""
    locator = cast(object, ax.get_axes_locator())
    return locator if isinstance(locator, AxesFrame) and not locator.cleared else None


def _share_slot(one: Axes, other: Axes, side: Literal["x", "y"]) -> bool:
    """Tell whether two Axes stand in one column, or in one row."""
    spec, beside = one.get_subplotspec(), other.get_subplotspec()
    if spec is not None and beside is not None:
        spans = [each.colspan if side == "x" else each.rowspan for each in (spec, beside)]
        return spec.get_gridspec() is beside.get_gridspec() and spans[0] == spans[1]
    boxes = (ax.get_position(original=True) for ax in (one, other))
    ends = [box.intervalx if side == "x" else box.intervaly for box in boxes]
    return bool(np.allclose(ends[0], ends[1], atol=1e-6))


def _is_unmanaged(ax: Axes) -> bool:
    figure = ax.get_figure(root=True)
    engine = figure.get_layout_engine() if figure else None
    if isinstance(engine, TightLayoutEngine):
        # It measures once: what keeps its shape leaves other margins after being moved.
        return ax.get_aspect() != "auto"
    return engine is None or isinstance(engine, PlaceHolderLayoutEngine)
