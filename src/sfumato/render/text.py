"""Words and numbers as they are printed: cleaned, cut, wrapped; names below an axis."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from sfumato.render.theme import LINE_HEIGHT, TICK_SIZE
from sfumato.zones import find_zone

THIN_SPACE = "\u202f"
MINUS = "\u2212"
ELLIPSIS = "…"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# "95 %" and "ε = 1" stay on one line.
_TIED = re.compile(r"(?<=\d) (?=%)|(?<=\w) (?==)|(?<==) (?=\d)")
_NO_BREAK = "\u00a0"
_DAY = 86_400_000_000
_ENDS = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
_FIRST, _LAST = (_DAY * (end - _EPOCH).days for end in _ENDS)
_NARROW = frozenset("fijlrtI.,:;'|!()[]/\\ \u202f\u00a0")
_NO_LETTERS = "".join(chr(plane * 2**16 + end) for plane in range(17) for end in (0xFFFE, 0xFFFF))
# Control characters, halves of letters, ends of lines, marks that turn the direction of writing.
_UNPRINTABLE = re.compile(
    rf"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069{_NO_LETTERS}]"
)

Measure = Callable[[str], float]
"""The width of a text, in whatever unit the caller counts in."""


def clean(text: str) -> str:
    r"""Replace what cannot be printed, or is no XML, by spaces.

    Examples
    --------
    >>> clean("a\tb\x00c")
    'a b c'
    """
    return text if text.isprintable() else _UNPRINTABLE.sub(" ", text)


def shorten(text: str, limit: int) -> str:
    """Cut a long text and say so by an ellipsis.

    Examples
    --------
    >>> shorten("Staten Island", 8)
    'Staten…'
    """
    if len(text) <= limit:
        return clean(text)
    return clean(text[: limit - 1]).rstrip() + ELLIPSIS


def wrap(text: str, width: float, measure: Measure) -> list[str]:
    """Break a text into lines no wider than `width`; a word that is wider is broken too.

    Examples
    --------
    >>> wrap("one two three", 7, len)
    ['one two', 'three']
    """
    lines: list[str] = []
    for paragraph in _TIED.sub(_NO_BREAK, text).split("\n"):
        line, length = "", 0.0
        for word in _cut_into_pieces(clean(paragraph), width, measure):
            more = measure(f" {word}")
            if line and length + more > width:
                lines.append(line)
                line, length = word, measure(word)
            else:
                line, length = (f"{line} {word}", length + more) if line else (word, measure(word))
        lines.append(line)
    return lines


def width(text: str) -> float:
    """Estimate how wide a text is, in multiples of its size, where no font can be asked."""
    return sum(map(_letter_width, text))


def format_number(value: float) -> str:
    """Print a number in full if it is whole, else to four digits.

    Examples
    --------
    >>> format_number(1234.0), format_number(12.3456), format_number(0.00012)
    ('1234', '12.35', '0.00012')
    """
    value = value or 0.0  # no minus before zero
    if value and not 1e-6 <= abs(value) < 1e15:
        return f"{value:.3g}".replace("-", MINUS)
    digits = 0 if value == round(value) else max(0, 3 - math.floor(math.log10(abs(value))))
    printed = f"{value:.{digits}f}"
    printed = printed.rstrip("0").rstrip(".") if "." in printed else printed
    return _separate_thousands(printed, abs(value) >= 10_000)


def format_numbers(values: Sequence[float]) -> list[str]:
    """Print the ticks of one axis alike: the same decimals, separators on all or on none.

    Four digits stay together, so that a year looks like one.

    Examples
    --------
    >>> format_numbers([0, 0.5, 1.0]), format_numbers([1990, 2000])
    (['0.0', '0.5', '1.0'], ['1990', '2000'])
    """
    largest = max((abs(value) for value in values), default=0.0)
    steps = [b - a for a, b in pairwise(values) if b > a]
    step = min(steps, default=largest or 1.0)
    if largest >= 1e12 or step < 1e-6:
        return [f"{value:.6g}".replace("-", MINUS) for value in values]
    digits = next(
        (d for d in range(7) if all(abs(round(v, d) - v) < step / 1000 for v in values)), 6
    )
    rounded = [round(value, digits) + 0.0 for value in values]  # no minus before zero
    return [_separate_thousands(f"{value:.{digits}f}", largest >= 10_000) for value in rounded]


def format_moment(microseconds: float, zone: str | None = None) -> str:
    """Print a moment in UTC or on the clocks of a zone, without the hour at midnight.

    Examples
    --------
    >>> format_moment(0), format_moment(3.6e9)
    ('1970-01-01', '1970-01-01 01:00')
    >>> format_moment(18e9, "America/New_York")
    '1970-01-01'
    """
    if zone:
        microseconds = float(find_zone(zone).to_clock(microseconds))
    # The margin of an axis may reach beyond what a calendar holds.
    microseconds = min(max(microseconds, _FIRST), _LAST)
    when = _EPOCH + timedelta(microseconds=microseconds)
    if microseconds % _DAY == 0:
        return when.strftime("%Y-%m-%d")
    return when.strftime("%Y-%m-%d %H:%M" if microseconds % 60_000_000 == 0 else "%Y-%m-%d %X")


def _separate_thousands(printed: str, separate: bool) -> str:
    if not separate:
        return printed.replace("-", MINUS)
    whole, point, rest = printed.partition(".")
    return f"{int(whole):,}".replace(",", THIN_SPACE).replace("-", MINUS) + point + rest


def _cut_into_pieces(text: str, width: float, measure: Measure) -> list[str]:
    pieces: list[str] = []
    for word in text.split(" "):
        rest = word
        while rest:
            fitting = _count_fitting(rest, width, measure)
            pieces.append(rest[:fitting])
            rest = rest[fitting:]
    return pieces


def _count_fitting(word: str, width: float, measure: Measure) -> int:
    """Return how many letters of a word fit, and at least 1; a name can have thousands."""
    most = 1
    while most < len(word) and measure(word[:most]) <= width:
        most *= 2
    sizes = range(1, min(most, len(word)) + 1)
    return max(1, bisect_right(sizes, width, key=lambda size: measure(word[:size])))


def _letter_width(letter: str) -> float:
    if letter in _NARROW:
        return 0.38
    if unicodedata.east_asian_width(letter) in ("W", "F"):
        return 1.05
    return 0.75 if letter.isupper() or letter in "mw%@—–" else 0.6


LONGEST = 60
SMALLEST_SIZE = 5.0
_LONGEST_WORD = 16
_MOST_LINES = 4


@dataclass(frozen=True)
class LabelSetting:
    """Category labels ready to be drawn.

    Parameters
    ----------
    texts
        One label for each category, lines separated by newlines; empty where there is no room
        for every one.
    angle
        0, 45 or 90 degrees.
    size
        In points.
    """

    texts: tuple[str, ...]
    angle: int
    size: float


def set_below(names: Sequence[str], *, slot: float, room: float, measure: Measure) -> LabelSetting:
    """Set names side by side below an axis.

    Parameters
    ----------
    slot
        The width of one category, in points.
    room
        How far down the labels may reach, in points.
    measure
        The width of a text at the usual size of ticks, in points.
    """
    names = [shorten(name, LONGEST) for name in names]
    for size in (TICK_SIZE, 0.88 * TICK_SIZE):
        lines = [_wrap_level(name, 0.94 * slot * TICK_SIZE / size, measure) for name in names]
        if all(lines):
            return LabelSetting(tuple(lines), 0, size)
    if slot >= 1.2 * TICK_SIZE * LINE_HEIGHT:
        return LabelSetting(
            tuple(cut_to_width(n, 1.4 * room, measure) for n in names), 45, TICK_SIZE
        )
    return _set_upright(names, slot, room, measure)


def set_beside(names: Sequence[str], *, slot: float, room: float, measure: Measure) -> LabelSetting:
    """Set names one above the other beside an axis, each within its `slot` of height."""
    names = [shorten(name, LONGEST) for name in names]
    size = min(TICK_SIZE, max(SMALLEST_SIZE, slot / 1.04))
    most = max(1, int(slot / (size * LINE_HEIGHT)))
    wide = room * TICK_SIZE / size
    wrapped = [wrap(name, wide, measure) for name in names]
    kept = [
        "\n".join(lines) if len(lines) <= most else cut_to_width(name, wide, measure)
        for name, lines in zip(names, wrapped, strict=True)
    ]
    return LabelSetting(_thin_out(kept, size, slot), 0, size)


def cut_to_width(name: str, width: float, measure: Measure) -> str:
    """Cut a name until it is no wider than `width`."""
    limit = len(name)
    while limit > 2 and measure(shorten(name, limit)) > width:
        limit -= 1
    return shorten(name, limit)


def _wrap_level(name: str, width: float, measure: Measure) -> str:
    """Wrap between words, cutting monstrous ones; return nothing if an ordinary one is too wide."""
    words = [
        word if len(word) <= _LONGEST_WORD else cut_to_width(word, width, measure)
        for word in name.split()
    ]
    if any(measure(word) > width for word in words):
        return ""
    lines = wrap(" ".join(words), width, measure)
    if len(lines) > _MOST_LINES:
        lines = [
            *lines[: _MOST_LINES - 1],
            cut_to_width(lines[_MOST_LINES - 1] + ELLIPSIS, width, measure),
        ]
    return "\n".join(lines) or " "


def _set_upright(names: Sequence[str], slot: float, room: float, measure: Measure) -> LabelSetting:
    size = min(TICK_SIZE, max(SMALLEST_SIZE, slot / 1.04))
    cut = [cut_to_width(name, room * TICK_SIZE / size, measure) for name in names]
    return LabelSetting(_thin_out(cut, size, slot), 90, size)


def _thin_out(texts: Sequence[str], size: float, slot: float) -> tuple[str, ...]:
    """Keep every second, third, … name where a slot is smaller than a letter."""
    every = -(-int(size * 100) // max(1, int(slot * 100)))
    return tuple(text if place % every == 0 else "" for place, text in enumerate(texts))


_FILLED = 0.92
_STEEPEST = math.radians(28)


@dataclass(frozen=True)
class Stamp:
    """A text of one or two lines, turned by `angle` degrees, of a `size` in the box's unit."""

    lines: tuple[str, ...]
    angle: float
    size: float


def fit_stamp(words: str, *, width: float, height: float, measure: Measure) -> Stamp:
    """Fill a box from corner to corner.

    Parameters
    ----------
    measure
        The width of a text at size 1, in the unit of the box.
    """
    words = clean(words)
    angle = min(math.atan2(height, width), _STEEPEST)
    choices = [(words,), _halve_words(words)]
    sized = [Stamp(lines, math.degrees(angle), 0.0) for lines in choices]
    return max(
        (Stamp(s.lines, s.angle, _size(s.lines, angle, width, height, measure)) for s in sized),
        key=lambda choice: choice.size,
    )


def _halve_words(words: str) -> tuple[str, ...]:
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
