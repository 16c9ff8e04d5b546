"""A release as a table of numbers with their intervals, and small bars to see their shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sfumato.cli.terminal import room, show, show_table
from sfumato.errors import brief, printable
from sfumato.privacy.store import LONGEST_LABEL

if TYPE_CHECKING:
    from sfumato.releases.release import Release

TOO_FEW = "too few to say"
Records = Sequence[dict[str, Any]]

_LONGEST_BAR = 32
_EIGHTHS = " ▏▎▍▌▋▊▉"
_NUMBERS = ("quantile", "low", "high")
_INTERVALS = {"low": ("high", "95 % interval"), "low_all": ("high_all", "all together")}


def show_numbers(release: Release) -> None:
    """Print what was released: where, how many, and between which ends the truth lies."""
    title = brief(printable(release.label[:1].upper() + release.label[1:]), LONGEST_LABEL)
    records = release.records()
    if getattr(release, "coverage", None) == 0:
        records = [_without_intervals(record) for record in records]
    told = [True] * len(records)
    if release.kind == "quantiles":  # whose own columns are never called so
        told = [record.pop("reliable") for record in records]
        records = _filled(records, told)
    records = _known(records)
    if records and "clear" in records[0] and "median_low" in records[0]:
        columns = _stacked(records)
        show_table(title, columns, len(columns) - 2)
    elif records:
        columns, words = _table(records)
        show_table(title, _with_doubt(columns, told), words)
    else:
        show(f"{title}: no category is held by enough people to be shown.")
    for doubt in getattr(release, "doubts", ()):
        show(f"\n{doubt}")
    promise = "Privacy" if release.private else "NOT PRIVATE, simulated noise"
    show(f"\n{promise}: {release.guarantee}.")


def _filled(records: Records, told: Sequence[bool]) -> Records:
    """Put in numbers or dates that can be printed where none is told."""
    nothing = dict.fromkeys(_NUMBERS, 0.0)
    known = next((record for record, sure in zip(records, told, strict=True) if sure), nothing)
    filling = {name: known[name] for name in _NUMBERS if name in known}
    return [
        record if sure else record | filling for record, sure in zip(records, told, strict=True)
    ]


def _with_doubt(columns: dict[str, list[str]], told: Sequence[bool]) -> dict[str, list[str]]:
    """Say where there are too few, in place of a number and its interval."""
    words = {"quantile": TOO_FEW, "95 % interval": "", "": ""}
    return {
        name: [
            cell if sure or name not in words else words[name]
            for cell, sure in zip(cells, told, strict=True)
        ]
        for name, cells in columns.items()
    }


def _without_intervals(record: dict[str, Any]) -> dict[str, Any]:
    """Leave out the ends of intervals, where a method knows none."""
    return {name: record[name] for name in record if name.split("_")[-1] not in ("low", "high")}


def _known(records: Records) -> Records:
    """Leave out numbers that no record has: not every method counts what it draws."""
    names = [name for name in (records[0] if records else ()) if records[0][name] is not None]
    return [{name: record[name] for name in names} for record in records]


def _stacked(records: Records) -> dict[str, list[str]]:
    """Put numbers that each have an interval below each other: side by side they have no room."""
    numbers = [name[:-4] for name in records[0] if name.endswith("_low")]
    ends = [f"{name}_{end}" for name in numbers for end in ("low", "high")]
    groups = [name for name in records[0] if name not in {*numbers, *ends, "size", "clear"}]
    columns: dict[str, list[str]] = {name: [] for name in (*groups, "", "value", "95 % interval")}
    for record in records:
        for name in numbers if record["clear"] else ["too few to say"]:
            row = [str(record[group]) for group in groups]
            shown = (
                [record[f"{name}{end}"] for end in ("", "_low", "_high")] if name in record else []
            )
            value, *interval = _printed(shown) if shown else ["", "", ""]
            row += [name.replace("_", " "), value, " – ".join(filter(None, interval))]
            for column, cell in zip(columns.values(), row, strict=True):
                column.append(cell)
    return columns


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
            columns[title] = [
                low if end == "left" and low == high else f"{low} – {high}" for low, high in halves
            ]
        elif not (end in ("right", "all") or name == "high"):
            columns[name] = _printed(values)
        words += end == "left" or isinstance(values[0], str | bool)
    if "low" in names:
        _add_bars(columns, [record[names[names.index("low") - 1]] for record in records])
    return columns, words


def _add_bars(columns: dict[str, list[str]], values: Sequence[Any]) -> None:
    """Draw each value as a bar, where it is a number and the line has room for one."""
    widths = [max(map(len, (name, *cells))) for name, cells in columns.items()]
    length = min(_LONGEST_BAR, room() - sum(widths) - 2 * len(widths))
    if length >= 8 and all(isinstance(value, int | float) for value in values):
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
