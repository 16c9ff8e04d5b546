"""How the names of categories are set below an axis: level, wrapped, slanted or upright."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.render.text import ELLIPSIS, Measure, shorten, wrap
from sfumato.render.theme import LINE_HEIGHT, TICK_SIZE

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
        lines = [_level(name, 0.94 * slot * TICK_SIZE / size, measure) for name in names]
        if all(lines):
            return LabelSetting(tuple(lines), 0, size)
    if slot >= 1.2 * TICK_SIZE * LINE_HEIGHT:
        return LabelSetting(tuple(fitted(n, 1.4 * room, measure) for n in names), 45, TICK_SIZE)
    return _upright(names, slot, room, measure)


def set_beside(names: Sequence[str], *, slot: float, room: float, measure: Measure) -> LabelSetting:
    """Set names one above the other beside an axis, each within its `slot` of height."""
    names = [shorten(name, LONGEST) for name in names]
    size = min(TICK_SIZE, max(SMALLEST_SIZE, slot / 1.04))
    most = max(1, int(slot / (size * LINE_HEIGHT)))
    wide = room * TICK_SIZE / size
    wrapped = [wrap(name, wide, measure) for name in names]
    kept = [
        "\n".join(lines) if len(lines) <= most else fitted(name, wide, measure)
        for name, lines in zip(names, wrapped, strict=True)
    ]
    return LabelSetting(_thinned(kept, size, slot), 0, size)


def fitted(name: str, width: float, measure: Measure) -> str:
    """Cut a name until it is no wider than `width`."""
    limit = len(name)
    while limit > 2 and measure(shorten(name, limit)) > width:
        limit -= 1
    return shorten(name, limit)


def _level(name: str, width: float, measure: Measure) -> str:
    """Wrap between words, cutting monstrous ones; return nothing if an ordinary one is too wide."""
    words = [
        word if len(word) <= _LONGEST_WORD else fitted(word, width, measure)
        for word in name.split()
    ]
    if any(measure(word) > width for word in words):
        return ""
    lines = wrap(" ".join(words), width, measure)
    if len(lines) > _MOST_LINES:
        lines = [
            *lines[: _MOST_LINES - 1],
            fitted(lines[_MOST_LINES - 1] + ELLIPSIS, width, measure),
        ]
    return "\n".join(lines) or " "


def _upright(names: Sequence[str], slot: float, room: float, measure: Measure) -> LabelSetting:
    size = min(TICK_SIZE, max(SMALLEST_SIZE, slot / 1.04))
    cut = [fitted(name, room * TICK_SIZE / size, measure) for name in names]
    return LabelSetting(_thinned(cut, size, slot), 90, size)


def _thinned(texts: Sequence[str], size: float, slot: float) -> tuple[str, ...]:
    """Keep every second, third, … name where a slot is smaller than a letter."""
    every = -(-int(size * 100) // max(1, int(slot * 100)))
    return tuple(text if place % every == 0 else "" for place, text in enumerate(texts))
