"""One released value in words, and the words that all kinds of marks use."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.figure import Axis, Estimates, Figure, Panel, percent
from sfumato.render.counts import TOO_FEW
from sfumato.render.text import shorten
from sfumato.render.words.places import at

LONGEST = 300
"""How many letters of a name or a value are told."""


@dataclass(frozen=True)
class Reading:
    """One released value in words: the names of what it is about, and what it says."""

    place: tuple[tuple[str, str], ...]
    value: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        place = ", ".join(f"{name} {words}".strip() for name, words in self.place)
        value = "; ".join(f"{name} {words}".strip() for name, words in self.value)
        return f"{place}: {value}"


def panel_of(figure: Figure, panel: Panel) -> list[tuple[str, str]]:
    """Return the group that a panel shows, if panels are groups."""
    return [(figure.legend, panel.title)] if panel.title else []


def sure(coverage: float) -> str:
    """Return how often an interval covers the truth, in brackets."""
    return f" ({percent(coverage)})" if coverage else ""


def estimate(
    axis: Axis, estimates: Estimates, place: int, coverage: float, clear: bool = True
) -> str:
    """Print a number with its interval in brackets, if it has one."""
    value, low, high = (
        at(axis, numbers[place]) for numbers in (estimates.value, estimates.low, estimates.high)
    )
    interval = f" ({low} to {high})" if coverage else ""
    return (value if clear else TOO_FEW) + interval


def cleaned(pairs: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return names and words without what cannot be printed, of bounded length."""
    return tuple((shorten(name, LONGEST), shorten(words, LONGEST)) for name, words in pairs)
