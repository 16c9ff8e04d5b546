"""A release as a table of numbers with their intervals, and small bars to see their shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sfumato.cli.terminal import room, show, show_table

if TYPE_CHECKING:
    from sfumato.releases.release import Release

Records = Sequence[dict[str, Any]]

_LONGEST_BAR = 32
_EIGHTHS = " ▏▎▍▌▋▊▉"
_INTERVALS = {"low": ("high", "95 % interval"), "low_all": ("high_all", "all together")}


def show_numbers(release: Release) -> None:
    """Print what was released: where, how many, and between which ends the truth lies."""
    title = release.label[:1].upper() + release.label[1:]
    records = release.records()
    if records:
        show_table(title, *_table(records))
    else:
        show(f"{title}: no category is held by enough people to be shown.")
    promise = "Privacy" if release.private else "NOT PRIVATE, simulated noise"
    show(f"\n{promise}: {release.guarantee}.")


def _table(records: Records) -> tuple[dict[str, list[str]], int]:
    """Return the columns to print, and how many of them are words."""
    names = list(records[0])
    columns: dict[str, list[str]] = {}
    words = 0
    for name in names:
        values = [record[name] for record in records]
        base, _, end = name.rpartition("_")
        partner, title = (
            (f"{base}_right", base) if end == "left" else _INTERVALS.get(name, ("", ""))
        )
        if partner in names:
            others = [record[partner] for record in records]
            printed = (_edges if end == "left" else _printed)([*values, *others])
            halves = zip(printed[: len(values)], printed[len(values) :], strict=True)
            columns[title] = [f"{low} – {high}" for low, high in halves]
        elif not (end in ("right", "all") or name == "high"):
            columns[name] = _printed(values)
        words += end == "left" or isinstance(values[0], str | bool)
    if "low" in names:
        _add_bars(columns, [record[names[names.index("low") - 1]] for record in records])
    return columns, words


def _add_bars(columns: dict[str, list[str]], values: Sequence[float]) -> None:
    """Draw each value as a bar, where the line has room for one."""
    widths = [max(map(len, (name, *cells))) for name, cells in columns.items()]
    length = min(_LONGEST_BAR, room() - sum(widths) - 2 * len(widths))
    if length >= 8:
        largest = max(*values, 1e-300)
        columns[""] = [_bar(length * max(value, 0) / largest) for value in values]


def _bar(length: float) -> str:
    eighths = round(length * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def _printed(values: Sequence[Any]) -> list[str]:
    """Print the values of one column alike."""
    match values[0]:
        case datetime():
            midnight = all(value.time() == time() for value in values)
            return [
                f"{value:%Y-%m-%d}" if midnight else f"{value:%Y-%m-%d %H:%M}" for value in values
            ]
        case bool() | str():
            return [str(value) for value in values]
        case _:
            digits = _digits(values)
            return [f"{value:,.{digits}f}" for value in values]


def _digits(values: Sequence[float]) -> int:
    """Return how many decimals show four digits of the largest value, or none if all are whole."""
    largest = max(map(abs, values))
    if largest == 0 or all(value == round(value) for value in values):
        return 0
    return min(12, max(0, 3 - math.floor(math.log10(largest))))


def _edges(values: Sequence[Any]) -> list[str]:
    """Print the ends of bins, with decimals enough to tell neighbours apart."""
    if isinstance(values[0], datetime):
        return _printed(values)
    ends = sorted(set(values))
    step = min(high - low for low, high in pairwise(ends))
    digits = max(_digits(ends), min(12, 1 - math.floor(math.log10(step))) if step < 1 else 0)
    return [f"{value:,.{digits}f}" for value in values]
