"""Everything around a chart, kept in its place at every size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.gridspec import SubplotSpec
from matplotlib.layout_engine import PlaceHolderLayoutEngine, TightLayoutEngine
from matplotlib.transforms import Bbox

from sfumato.render import theme
from sfumato.render.matplotlib.key import Key
from sfumato.render.matplotlib.lettering import Fitted, page, points
from sfumato.render.matplotlib.panels import PanelGrid

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


_PAD = 4.0
_SMALLEST_SHARE = 0.15


def slot(ax: Axes, renderer: RendererBase) -> Bbox:
    """Return the pixels up to the figure's edge, or half-way to the Axes next to `ax`."""
    figure = page(ax)
    mine = ax.get_position(original=True).transformed(figure.transSubfigure)
    pad = points(renderer, _PAD)
    x0, y0, x1, y1 = figure.bbox.padded(-pad).extents
    for other in figure.axes:
        theirs = other.get_position(original=True).transformed(figure.transSubfigure)
        if theirs.x0 < mine.x1 and mine.x0 < theirs.x1:
            y0, y1 = _between(y0, y1, (mine.y0, mine.y1), (theirs.y0, theirs.y1), pad / 2)
        elif theirs.y0 < mine.y1 and mine.y0 < theirs.y1:
            x0, x1 = _between(x0, x1, (mine.x0, mine.x1), (theirs.x0, theirs.x1), pad / 2)
    return Bbox.from_extents(x0, y0, x1, y1)


def give_way(ax: Axes, taken: Bbox, free: Bbox) -> Bbox:
    """Pull in the sides of `ax` so that all it takes lies in what is free.

    Parameters
    ----------
    taken
        What the Axes take with everything around them, where they stand now, in pixels.
    """
    figure = page(ax)
    now = ax.get_position(original=False).transformed(figure.transSubfigure)
    wanted = ax.get_position(original=True).transformed(figure.transSubfigure)
    x0 = max(wanted.x0, free.x0 + now.x0 - taken.x0)
    y0 = max(wanted.y0, free.y0 + now.y0 - taken.y0)
    x1 = min(wanted.x1, free.x1 + now.x1 - taken.x1)
    y1 = min(wanted.y1, free.y1 + now.y1 - taken.y1)
    x1 = max(x1, x0 + _SMALLEST_SHARE * wanted.width)
    y1 = max(y1, y0 + _SMALLEST_SHARE * wanted.height)
    return Bbox.from_extents(x0, y0, x1, y1).transformed(figure.transSubfigure.inverted())


def _between(
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
_ROUNDS = 6

Fitting = Callable[[RendererBase], None]
"""Something that is drawn differently at different sizes."""


class Frame:
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
        title: Fitted,
        footers: Sequence[Fitted],
        fittings: Sequence[Fitting],
    ) -> None:
        self.host = host
        self.grid = grid
        self.key = key
        self.title = title
        self.footers = tuple(footers)
        self.fittings = tuple(fittings)
        self.box = host.get_position(original=True)

    def __call__(self, ax: Axes, renderer: RendererBase | None) -> Bbox:
        """Return where `ax` stands, in fractions of its figure."""
        if renderer is None:
            return ax.get_position(original=False)
        if self.cleared:
            return ax.get_position(original=True)
        if not _unmanaged(ax):
            self.box = ax.get_position(original=True)
            self._arrange(self.box, renderer)
            return self.box
        free = slot(ax, renderer)
        for _ in range(_ROUNDS):
            before, self.box = self.box, give_way(ax, self._arrange(self.box, renderer), free)
            # Usually the box of the last drawing, and then this is the first round.
            if np.allclose(before.extents, self.box.extents, atol=1e-4):
                return self.box
        self._arrange(self.box, renderer)
        return self.box

    def get_subplotspec(self) -> SubplotSpec | None:
        """Return the host's place among subplots, which ``tight_layout`` asks a locator for."""
        return self.host.get_subplotspec()

    @property
    def cleared(self) -> bool:
        """Whether ``ax.clear()`` has taken away all that this frame holds."""
        return self.title.artist not in self.host.get_children()

    @property
    def remaining(self) -> list[Fitted]:
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
        right = box.transformed(page(self.host).transSubfigure).x1
        parts = [chart]
        top = chart.y1
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
        self.title.fit(right - left, renderer)
        x, y = self.host.transAxes.inverted().transform((left, top))
        ours.set_x(x)
        if self.grid.insets:
            # Matplotlib would not keep it above the titles of panels.
            ours.set_y(y)
        height = max(title.get_window_extent(renderer).height for title in (theirs, ours))
        return Bbox.from_bounds(left, top, 1, height + points(renderer, theme.TITLE_PAD))

    def _place_footers(
        self, left: float, right: float, bottom: float, renderer: RendererBase
    ) -> Bbox:
        room = right - left
        lowest = bottom
        narrow = room < points(renderer, theme.NARROW)
        for footer in self.remaining:
            lowest -= points(renderer, _GAP)
            artist = footer.artist
            artist.set_fontsize(theme.NARROW_CAPTION_SIZE if narrow else theme.CAPTION_SIZE)
            footer.fit(room, renderer)
            x, y = self.host.transAxes.inverted().transform((left, lowest))
            artist.set_position((x, y))
            lowest = artist.get_window_extent(renderer).y0
        return Bbox([[left, lowest], [left + 1, bottom]])


def frame_of(ax: Axes) -> Frame | None:
    """Return the frame of an Axes that holds a release, unless it was cleared since."""
    locator = cast(object, ax.get_axes_locator())
    return locator if isinstance(locator, Frame) and not locator.cleared else None


def _unmanaged(ax: Axes) -> bool:
    figure = ax.get_figure(root=True)
    engine = figure.get_layout_engine() if figure else None
    if isinstance(engine, TightLayoutEngine):
        # It measures once: what keeps its shape leaves other margins after being moved.
        return ax.get_aspect() != "auto"
    return engine is None or isinstance(engine, PlaceHolderLayoutEngine)
