"""Arrows from a point, how sure we are of their tips, and their names."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import LineCollection
from matplotlib.patches import FancyArrowPatch
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

from sfumato.figure import Arrows, Panel
from sfumato.render import theme
from sfumato.render.arrow_names import GAP, find_readable, list_bar_points, place_names
from sfumato.render.matplotlib.axis import convert_positions
from sfumato.render.matplotlib.lettering import (
    LITERAL,
    SteadyLength,
    choose_tones,
    convert_points,
    make_text_measure,
)
from sfumato.render.text import ELLIPSIS, cut_to_width, shorten

Point = tuple[float, float]

_WIDEST = 0.45  # of the panel's width, for a name


@dataclass(frozen=True)
class ArrowNames:
    """The names of arrows, which find their places when the size is known."""

    ax: Axes
    texts: tuple[Text, ...]
    names: tuple[str, ...]
    origin: Point
    tips: tuple[Point, ...]
    bars: tuple[Point, ...]
    room: SteadyLength = field(default_factory=SteadyLength)

    def fit(self, renderer: RendererBase) -> None:
        """Put each name near its tip, within the panel and apart from the others."""
        box = self.ax.bbox
        if self.room.moved(box.width):
            for text, name in zip(self.texts, self.names, strict=True):
                text.set_text(
                    cut_to_width(name, _WIDEST * box.width, make_text_measure(text, renderer))
                )
        sizes = [text.get_window_extent(renderer) for text in self.texts]
        (origin,), tips, bars = (
            self._on_paper(places) for places in ((self.origin,), self.tips, self.bars)
        )
        gap = convert_points(renderer, GAP)
        frame = (box.x0 + gap, box.y0 + gap, box.x1 - gap, box.y1 - gap)
        wanted = [(size.width, size.height) for size in sizes]
        middles = place_names(origin, tips, wanted, frame, gap, away=bars)
        back = self.ax.transData.inverted()
        clear = find_readable(middles, wanted, (box.x0, box.y0, box.x1, box.y1))
        for text, middle, seen in zip(self.texts, middles, clear, strict=True):
            text.set_position(tuple(back.transform(middle)))
            text.set_visible(seen and not _is_cut_short(text.get_text()))

    def _on_paper(self, places: Sequence[Point]) -> list[Point]:
        return [(float(x), float(y)) for x, y in map(self.ax.transData.transform, places)]


def draw_arrows(ax: Axes, panel: Panel, arrows: Arrows) -> ArrowNames:
    """Draw arrows over everything else, with bars as long as their tips are unsure."""
    tone = choose_tones(ax)
    x, left, right = (
        convert_positions(panel.x, ends) for ends in (arrows.x.value, arrows.x.low, arrows.x.high)
    )
    y, low, high = (
        convert_positions(panel.y, ends) for ends in (arrows.y.value, arrows.y.low, arrows.y.high)
    )
    across = [[(a, at), (b, at)] for a, b, at in zip(left, right, y, strict=True)]
    up = [[(at, a), (at, b)] for a, b, at in zip(low, high, x, strict=True)]
    bars = LineCollection(
        [*across, *up],
        colors=tone.ink,
        alpha=theme.INTERVAL_OPACITY,
        linewidths=2.0,
        capstyle="butt",
        label="_bands",
        zorder=4,
    )
    if arrows.coverage:
        ax.add_collection(bars, autolim=False)
    tips = tuple(zip(x, y, strict=True))
    for tip in tips:
        _draw_shaft(ax, arrows.origin, tip)
    names = tuple(shorten(name, theme.LONGEST_SERIES) for name in arrows.label)
    texts = tuple(_write_name(ax, name) for name in names)
    return ArrowNames(ax, texts, names, arrows.origin, tips, list_bar_points(arrows))


def _is_cut_short(name: str) -> bool:
    """Tell whether a name was cut to a single letter, which says nothing."""
    return name.endswith(ELLIPSIS) and len(name) <= 2


def _draw_shaft(ax: Axes, origin: Point, tip: Point) -> None:
    tone = choose_tones(ax)
    shaft = FancyArrowPatch(
        origin,
        tip,
        arrowstyle="-|>,head_length=4.5,head_width=2",
        mutation_scale=1.0,
        shrinkA=0,
        shrinkB=0,
        linewidth=1.1,
        color=tone.ink,
        label="_arrow",
        zorder=5,
    )
    shaft.set_path_effects([withStroke(linewidth=2.6, foreground=tone.paper, alpha=0.8)])
    ax.add_patch(shaft)


def _write_name(ax: Axes, name: str) -> Text:
    tone = choose_tones(ax)
    text = ax.text(
        0,
        0,
        name,
        ha="center",
        va="center",
        fontsize=theme.TICK_SIZE,
        color=tone.ink,
        label="_arrow_name",
        zorder=6,
        **LITERAL,
    )
    text.set_path_effects([withStroke(linewidth=2.4, foreground=tone.paper, alpha=0.85)])
    text.set_in_layout(False)
    return text
