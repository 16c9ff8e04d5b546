"""Words and numbers as they are printed: cleaned, cut, wrapped, with thin separators."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

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
        for word in _pieces(clean(paragraph), width, measure):
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


def number(value: float) -> str:
    """Print a number in full if it is whole, else to four digits.

    Examples
    --------
    >>> number(1234.0), number(12.3456), number(0.00012)
    ('1234', '12.35', '0.00012')
    """
    value = value or 0.0  # no minus before zero
    if value and not 1e-6 <= abs(value) < 1e15:
        return f"{value:.3g}".replace("-", MINUS)
    digits = 0 if value == round(value) else max(0, 3 - math.floor(math.log10(abs(value))))
    printed = f"{value:.{digits}f}"
    printed = printed.rstrip("0").rstrip(".") if "." in printed else printed
    return _separated(printed, abs(value) >= 10_000)


def numbers(values: Sequence[float]) -> list[str]:
    """Print the ticks of one axis alike: the same decimals, separators on all or on none.

    Four digits stay together, so that a year looks like one.

    Examples
    --------
    >>> numbers([0, 0.5, 1.0]), numbers([1990, 2000])
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
    return [_separated(f"{value:.{digits}f}", largest >= 10_000) for value in rounded]


def moment(microseconds: float) -> str:
    """Print a moment in UTC, without the hour at midnight.

    Examples
    --------
    >>> moment(0), moment(3.6e9)
    ('1970-01-01', '1970-01-01 01:00')
    """
    # The margin of an axis may reach beyond what a calendar holds.
    microseconds = min(max(microseconds, _FIRST), _LAST)
    when = _EPOCH + timedelta(microseconds=microseconds)
    if microseconds % _DAY == 0:
        return when.strftime("%Y-%m-%d")
    return when.strftime("%Y-%m-%d %H:%M" if microseconds % 60_000_000 == 0 else "%Y-%m-%d %X")


def _separated(printed: str, separate: bool) -> str:
    if not separate:
        return printed.replace("-", MINUS)
    whole, point, rest = printed.partition(".")
    return f"{int(whole):,}".replace(",", THIN_SPACE).replace("-", MINUS) + point + rest


def _pieces(text: str, width: float, measure: Measure) -> list[str]:
    pieces: list[str] = []
    for word in text.split(" "):
        rest = word
        while rest:
            fitting = _fitting(rest, width, measure)
            pieces.append(rest[:fitting])
            rest = rest[fitting:]
    return pieces


def _fitting(word: str, width: float, measure: Measure) -> int:
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
