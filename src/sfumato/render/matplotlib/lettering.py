"""Text that is drawn as it is spelled, and how wide it will be."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text

from sfumato.render import theme
from sfumato.render.labels import fitted
from sfumato.render.matplotlib.steady import SLACK, Steady
from sfumato.render.text import ELLIPSIS, Measure, wrap

LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}
"""A dollar in a column's name is a dollar."""


class Fitted:
    """A text whose lines are broken anew for every width, until someone else changes it."""

    def __init__(self, artist: Text, *, most_lines: int | None = None) -> None:
        self.artist = artist
        self.words = self.shown = artist.get_text()
        self.most_lines = most_lines
        self.room = Steady()

    def fit(self, room: float, renderer: RendererBase) -> None:
        """Break the words into lines no wider than `room` pixels, and cut what is too much.

        Lines are a little shorter than they could be, and kept while they fit.
        """
        if self.artist.get_text() != self.shown or not self.room.moved(room):
            return
        room *= 1 - SLACK
        wide = measure(self.artist, renderer)
        lines = wrap(self.words, room, wide)
        if self.most_lines is not None and len(lines) > self.most_lines:
            last = fitted(lines[self.most_lines - 1] + ELLIPSIS, room, wide)
            lines = [*lines[: self.most_lines - 1], last]
        self.shown = "\n".join(lines)
        self.artist.set_text(self.shown)


def points(renderer: RendererBase, value: float) -> float:
    """Convert points to the renderer's pixels."""
    return float(renderer.points_to_pixels(value))  # pyright: ignore[reportArgumentType]


def size_of(text: Text) -> float:
    """Return the size of a text in points."""
    return float(text.get_fontsize())


def measure(text: Text, renderer: RendererBase) -> Measure:
    """Return the width, in pixels, that any string would have in the type of `text`."""
    properties = text.get_fontproperties()

    def width(string: str) -> float:
        return renderer.get_text_width_height_descent(string, properties, False)[0]

    return width


def ruler(axis: Axis, renderer: RendererBase) -> Measure:
    """Measure ticks in points, at their usual size, in the type of the axis label."""
    label = axis.get_label()
    scale = theme.TICK_SIZE / size_of(label) / points(renderer, 1)
    wide = measure(label, renderer)
    return lambda text: wide(text) * scale
