"""Text that is drawn as it is spelled, its colours, and how wide it will be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from matplotlib import rcParams, rcParamsDefault
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgba
from matplotlib.figure import Figure, SubFigure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text

from sfumato.errors import ReleaseError
from sfumato.render import theme
from sfumato.render.text import ELLIPSIS, Measure, cut_to_width, wrap

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


def find_page(ax: Axes) -> Figure | SubFigure:
    """Return the figure or subfigure that `ax` was made in."""
    figure = ax.get_figure(root=False)
    if figure is None:
        raise ReleaseError(
            "These Axes belong to no figure any more.",
            "Nothing was charged: drawing is free.",
            "Make new ones: fig, ax = plt.subplots().",
        )
    return figure


def inches(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of `ax`."""
    box = ax.get_window_extent()
    dpi = find_page(ax).dpi
    return box.width / dpi, box.height / dpi


SLACK = 0.04


class SteadyLength:
    """A length that counts as changed only when it has moved by more than a hair.

    A layout engine measures, moves the sides a little and draws. Text that is set anew for every
    such move may need more room than was measured; so it is set with some slack, and kept.
    """

    def __init__(self, slack: float = SLACK) -> None:
        self.slack = slack
        self.length = 0.0

    def moved(self, length: float) -> bool:
        """Tell whether `length` is a new one, and remember it if so."""
        if self.length * (1 - self.slack) <= length <= self.length * (1 + 2 * self.slack):
            return False
        self.length = length
        return True


@dataclass(frozen=True)
class Tones:
    """Paper, ink, lighter ink, and the lightest for lines behind everything."""

    paper: str
    ink: str
    soft_ink: str
    grid: str
    night: bool = False

    def scale(self, chosen: Sequence[str] = ()) -> LinearSegmentedColormap:
        """Return the colours of numbers; of our own, little is hardly seen on this paper."""
        ramp = theme.choose_ramp(chosen, night=self.night)
        return LinearSegmentedColormap.from_list("sfumato", list(ramp))

    @property
    def watermark(self) -> str:
        """The colour of a warning across the paper."""
        return theme.mix(theme.WATERMARK, "#ffffff", 0.45) if self.night else theme.WATERMARK


DAY = Tones(theme.PAPER, theme.INK, theme.SOFT_INK, theme.GRID)


def choose_tones(ax: Axes) -> Tones:
    """Return the tones for the paper `ax` lies on: our own by day, light ones on dark paper.

    Those of the user's style are taken where they can be read on it.
    """
    surfaces = [to_rgba(surface.get_facecolor()) for surface in (find_page(ax), ax)]
    opaque = [to_hex(surface) for surface in surfaces if surface[3] > 0.5]
    page, ground = (opaque[0], opaque[-1]) if opaque else (theme.PAPER, theme.PAPER)
    red, green, blue = (part / 255 for part in theme.channels(page))
    dark = 0.21 * red + 0.72 * green + 0.07 * blue < 0.4
    plain = _make_night_tones(page) if dark else DAY
    return Tones(
        paper=ground if dark or ground != page else plain.paper,
        ink=_choose_ink("text.color", plain.ink, (page, ground)),
        soft_ink=_choose_ink("axes.labelcolor", plain.soft_ink, (page, ground)),
        grid=_choose_grid(plain, ground),
        night=dark,
    )


def _make_night_tones(paper: str) -> Tones:
    ink, soft_ink, grid = (theme.mix(paper, "#ffffff", share) for share in (0.92, 0.7, 0.2))
    return Tones(paper, ink, soft_ink, grid, night=True)


def _choose_ink(name: str, ours: str, papers: Sequence[str]) -> str:
    """Return the colour of the user's style, if it is one and can be read on all of the paper."""
    chosen, usual = (cast(Any, each)[name] for each in (rcParams, rcParamsDefault))
    theirs = to_hex(chosen)
    readable = all(theme.contrast(theirs, paper) >= _READABLE for paper in papers)
    return theirs if chosen != usual and readable else ours


def _choose_grid(plain: Tones, ground: str) -> str:
    theirs = to_hex(rcParams["grid.color"])
    if rcParams["axes.grid"] and theme.contrast(theirs, ground) > _SEEN:
        return theirs
    return plain.grid if ground == plain.paper else theme.mix(ground, plain.ink, 0.15)


_READABLE, _SEEN = 4.5, 1.1  # ratios of contrast, for text and for lines behind everything
_USUAL = {"axes.titlesize": 12.0, "axes.labelsize": 10.0, "xtick.labelsize": 10.0}
_LEAST, _MOST = 0.6, 2.0


@dataclass(frozen=True)
class Sizes:
    """Sizes of type in points: ours, as much larger as the user's style is than Matplotlib's."""

    title: float
    label: float
    tick: float
    caption: float

    @classmethod
    def choose(cls) -> Sizes:
        """Return the sizes of the style that is in force."""
        title, label, tick = map(_compare_size, _USUAL)
        whole = min(_MOST, max(_LEAST, float(rcParams["font.size"]) / 10))
        # A caption has many words: it grows with the rest, but less.
        return cls(
            title=theme.TITLE_SIZE * title,
            label=theme.LABEL_SIZE * label,
            tick=theme.TICK_SIZE * tick,
            caption=theme.CAPTION_SIZE * math.sqrt(whole),
        )


def _compare_size(name: str) -> float:
    points = FontProperties(size=cast(Any, rcParams)[name]).get_size_in_points()
    return min(_MOST, max(_LEAST, points / _USUAL[name]))


# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false


LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}
"""A dollar in a column's name is a dollar."""


class FittedText:
    """A text whose lines are broken anew for every width, until someone else changes it."""

    def __init__(
        self, artist: Text, *, most_lines: int | None = None, shorter: Sequence[str] = ()
    ) -> None:
        self.artist = artist
        self.words = self.shown = artist.get_text()
        self.most_lines = most_lines
        self.choices = (self.words, *shorter)
        self.room = SteadyLength()

    def fit(self, room: float, renderer: RendererBase, *, most: float = math.inf) -> None:
        """Break the words into lines no wider than `room` pixels, and cut what is too much.

        Lines are a little shorter than they could be, and kept while they fit. Of several choices
        the first is taken that has no more than `most` lines.
        """
        if self.artist.get_text() != self.shown or not self.room.moved(room):
            return
        room *= 1 - SLACK
        wide = make_text_measure(self.artist, renderer)
        lines = next(
            (lines for words in self.choices if len(lines := wrap(words, room, wide)) <= most),
            wrap(self.choices[-1], room, wide),
        )
        if self.most_lines is not None and len(lines) > self.most_lines:
            last = cut_to_width(lines[self.most_lines - 1] + ELLIPSIS, room, wide)
            lines = [*lines[: self.most_lines - 1], last]
        self.shown = "\n".join(lines)
        self.artist.set_text(self.shown)


def convert_points(renderer: RendererBase, value: float) -> float:
    """Convert points to the renderer's pixels."""
    return float(renderer.points_to_pixels(value))  # pyright: ignore[reportArgumentType]


def get_text_size(text: Text) -> float:
    """Return the size of a text in points."""
    return float(text.get_fontsize())


def make_text_measure(text: Text, renderer: RendererBase) -> Measure:
    """Return the width, in pixels, that any string would have in the type of `text`."""
    properties = text.get_fontproperties()

    def width(string: str) -> float:
        return renderer.get_text_width_height_descent(string, properties, False)[0]

    return width


def make_tick_measure(axis: Axis, renderer: RendererBase) -> Measure:
    """Measure ticks in points, at their usual size, in the type of the axis label."""
    label = axis.get_label()
    scale = theme.TICK_SIZE / get_text_size(label) / convert_points(renderer, 1)
    wide = make_text_measure(label, renderer)
    return lambda text: wide(text) * scale
