"""How a warning is written across a chart: as large as the space allows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.render.text import Measure, clean
from sfumato.render.theme import LINE_HEIGHT

_FILLED = 0.92
_STEEPEST = math.radians(28)


@dataclass(frozen=True)
class Stamp:
    """A text of one or two lines, turned by `angle` degrees, of a `size` in the box's unit."""

    lines: tuple[str, ...]
    angle: float
    size: float


def stamp(words: str, *, width: float, height: float, measure: Measure) -> Stamp:
    """Fill a box from corner to corner.

    Parameters
    ----------
    measure
        The width of a text at size 1, in the unit of the box.
    """
    words = clean(words)
    angle = min(math.atan2(height, width), _STEEPEST)
    choices = [(words,), _halves(words)]
    sized = [Stamp(lines, math.degrees(angle), 0.0) for lines in choices]
    return max(
        (Stamp(s.lines, s.angle, _size(s.lines, angle, width, height, measure)) for s in sized),
        key=lambda choice: choice.size,
    )


def _halves(words: str) -> tuple[str, ...]:
    """Break at the space nearest the middle."""
    spaces = [place for place, letter in enumerate(words) if letter == " "]
    if not spaces:
        return (words,)
    middle = min(spaces, key=lambda place: abs(place - len(words) / 2))
    return words[:middle], words[middle + 1 :]


def _size(
    lines: tuple[str, ...], angle: float, width: float, height: float, measure: Measure
) -> float:
    length = max(map(measure, lines))
    thickness = LINE_HEIGHT * len(lines)
    sine, cosine = math.sin(angle), math.cos(angle)
    wide = width / (length * cosine + thickness * sine)
    high = height / (length * sine + thickness * cosine)
    return _FILLED * min(wide, high)
