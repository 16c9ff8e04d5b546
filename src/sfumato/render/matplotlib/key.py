"""What explains colours, above the chart: a legend of series or a strip of the colour scale."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.cm import ScalarMappable
from matplotlib.legend import Legend
from matplotlib.transforms import Bbox, ScaledTranslation

from sfumato.figure import Heat
from sfumato.render import theme
from sfumato.render.matplotlib.axis import Numbers
from sfumato.render.matplotlib.lettering import LITERAL, Fitted, inches, page, points, tones
from sfumato.render.matplotlib.panels import Inset
from sfumato.render.plane import ticks
from sfumato.render.scale import Coloured, Limits, colour_title
from sfumato.render.text import number, shorten, width

_GAP = 5.0
_OUTSIDE = 25.0
_INDENT = 3.0
_STRIP_WIDTH = 170.0
_STRIP_HEIGHT = 7.0
_STRIP_FOOT = 14.0
_STRIP_HEAD = 20.0


def _by_rows(count: int, columns: int) -> list[int]:
    """Order entries so that Matplotlib, which fills columns first, shows them row by row."""
    return [place for column in range(columns) for place in range(column, count, columns)]


class Key:
    """Space above the chart that titles make way for, with the legend or the colour strip in it."""

    def __init__(self, host: Axes) -> None:
        self.host = host
        self.space = Inset(host)
        self.space.axes.set_axis_off()
        self.legend: Legend | None = None
        self.strip: Inset | None = None
        self.words: Fitted | None = None

    def add_legend(self, title: str) -> None:
        """List every named series of the host, in as many columns as fit."""
        handles, labels = self.host.get_legend_handles_labels()
        whole = 72 * page(self.host).bbox.width / page(self.host).dpi
        room = min(72 * inches(self.host)[0] + _OUTSIDE, whole - 2 * _GAP)
        widest = theme.TICK_SIZE * (max(map(width, labels)) + 3.1)
        columns = min(len(labels), max(1, int(room / widest)))
        order = _by_rows(len(labels), columns)
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
            fontsize=theme.TICK_SIZE,
            title_fontsize=theme.TICK_SIZE,
        )
        tone = tones(self.host)
        self.legend.get_title().set(color=tone.soft_ink, **LITERAL)
        for text in self.legend.get_texts():
            text.set(color=tone.ink, **LITERAL)

    def add_strip(self, colours: ScalarMappable, mark: Coloured, limits: Limits) -> None:
        """Draw the colour scale, with a beam as long as the noise is wide."""
        self.strip = Inset(self.host)
        ax, ink = self.strip.axes, tones(self.host).ink
        bar = page(self.host).colorbar(colours, cax=ax, orientation="horizontal", format=Numbers())
        bar.outline.set_visible(False)
        if isinstance(mark, Heat):
            places = ticks(limits[1])
            bar.set_ticks(places, labels=list(map(number, places)))
        ax.tick_params(labelsize=theme.TICK_SIZE - 0.5, labelcolor=ink, length=2, pad=1.5)
        head = 1 + 9 / _STRIP_HEIGHT
        style: dict[str, Any] = {"fontsize": theme.TICK_SIZE, "color": ink, **LITERAL}
        style["linespacing"] = theme.LINE_HEIGHT
        flush = ax.transAxes + ScaledTranslation(-_INDENT / 72, 0, page(self.host).dpi_scale_trans)
        words = ax.text(0, head, colour_title(mark), transform=flush, va="bottom", **style)
        self.words = Fitted(words, most_lines=3)
        if mark.coverage:
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
        bottom += _GAP * points(renderer, 1)
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
        words: Fitted,
        sides: tuple[float, float],
        bottom: float,
        renderer: RendererBase,
    ) -> Bbox:
        point, (left, right) = points(renderer, 1), sides
        across = min(_STRIP_WIDTH * point, right - left)
        up = _STRIP_HEIGHT * point
        # The first number stands below the left end, half of it beyond.
        inner = left + _INDENT * point
        strip.place(Bbox.from_bounds(inner, bottom + _STRIP_FOOT * point, across, up))
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
