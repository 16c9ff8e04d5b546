"""How the command line speaks, prints numbers and writes files: what was paid for is never lost."""

from __future__ import annotations

import json
import math
import os
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, time
from itertools import pairwise
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

from sfumato.cli.help import embolden
from sfumato.errors import LONGEST_LABEL, ReleaseError, abbreviate, make_printable

if TYPE_CHECKING:
    from sfumato.releases.release import Release

_LONGEST_CELL = 300  # letters; numbers are shorter


def say(sentence: str) -> None:
    """Print a sentence on stderr: wrapped on a terminal, on one line elsewhere."""
    text = make_printable(sentence)
    if sys.stderr.isatty():
        text = fill(text, room(), break_long_words=False, break_on_hyphens=False)
    with suppress(OSError):  # nobody listens, which is no reason to stop
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def show(text: str) -> None:
    """Print a text on stdout, line by line and otherwise as it is."""
    print_text("\n".join(map(make_printable, text.split("\n"))))


def show_table(title: str, columns: Mapping[str, Sequence[str]], words: int) -> None:
    """Print a table on stdout; the first columns are words, the others numbers.

    Lines are as long as they must be: a number is never cut to fit.
    """
    aligned = [
        _align([name, *cells], left=place < words or not name)
        for place, (name, cells) in enumerate(columns.items())
    ]
    lines = ["  ".join(cells).rstrip() for cells in zip(*aligned, strict=True)]
    heading = [embolden(_cell(title))] if title else []
    print_text("\n".join([*heading, *lines]))


def _align(cells: Sequence[str], *, left: bool) -> list[str]:
    """Return the cells of a column, each as wide as the widest."""
    shown = [_cell(cell) for cell in cells]
    widths = [_measure(cell) for cell in shown]
    spaces = [" " * (max(widths) - width) for width in widths]
    return [
        cell + space if left else space + cell for cell, space in zip(shown, spaces, strict=True)
    ]


def _measure(cell: str) -> int:
    """Return how many columns of a terminal a text takes: some letters take two, or none."""
    if cell.isascii():
        return len(cell)
    drawn = [letter for letter in cell if not unicodedata.combining(letter)]
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in drawn)


def _cell(text: str) -> str:
    return abbreviate(make_printable(text), _LONGEST_CELL)


class ClosedPipeError(Exception):
    """Whoever read stdout, `head` perhaps, has seen enough. An `OSError` would be Typer's."""


def print_text(text: str) -> None:
    """Print a text on stdout as it is."""
    closed = False
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()
        closed = True
    if closed:
        raise ClosedPipeError


def _silence_stdout() -> None:
    """Let nothing be written any more: what is left in the buffer would be an error at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def room() -> int:
    """Return how many columns a line has."""
    return get_terminal_size().columns


TOO_FEW = "too few data"
Records = Sequence[dict[str, Any]]

_LONGEST_BAR = 32
_EIGHTHS = " ▏▎▍▌▋▊▉"
_INTERVALS = {"low": ("high", "95 % interval"), "low_all": ("high_all", "joint interval")}


def show_numbers(release: Release) -> None:
    """Print what was released: where, how many, and between which ends the truth lies."""
    from sfumato.releases import wording

    records = release.records()
    if getattr(release, "coverage", None) == 0:
        records = [_without_intervals(record) for record in records]
    told = [True] * len(records)
    numbers = _list_doubtful(release)
    if numbers:
        told = [record.pop("reliable") for record in records]
        records = _filled(records, told, numbers)
    _show_records(release, _known(records), told, numbers)
    for doubt in getattr(release, "doubts", ()):
        show(f"\n{doubt}")
    private = "Privacy" if release.private else "NOT PRIVATE, simulated noise"
    show("\n" + " ".join([f"{private}: {release.guarantee}.", *wording.selected(release)]))


def _list_doubtful(release: Release) -> tuple[str, ...]:
    """Return what is not told where there are too few, first the number and then its ends."""
    estimator = getattr(release, "estimator", "")
    number = {"quantiles": "quantile", "means": estimator, "regional_means": estimator}
    name = number.get(release.kind)  # whose own columns are never called so
    return (name, "low", "high") if name else ()


def _show_records(
    release: Release, records: Records, told: Sequence[bool], numbers: tuple[str, ...]
) -> None:
    title = abbreviate(
        make_printable(release.heading[:1].upper() + release.heading[1:]), LONGEST_LABEL
    )
    measure = next((name for name in _MEASURES if records and name in records[0]), "")
    if not records:
        show(f"{title}: no category has enough people to be shown.")
    elif len(records) > _MOST_CELLS and measure and _is_plane(records[0]):
        _summarise(title, records, measure)
    elif release.kind == "boxplot" and "median_low" in records[0]:
        columns = _stacked(records)
        show_table(title, columns, len(columns) - 2)
    else:
        columns, words = _table(records)
        show_table(title, _with_doubt(columns, told, numbers), words)


_MOST_CELLS = 100  # of a plane that are printed one by one
_FULLEST = 10
_MEASURES = ("mass", "count", "density", "proportion")


def _is_plane(record: dict[str, Any]) -> bool:
    return sum(name.endswith("_left") for name in record) > 1


def _summarise(title: str, records: Records, measure: str) -> None:
    """Print the largest cells of a plane, without intervals, which hold for cells chosen before."""
    fullest = sorted(records, key=lambda record: record[measure], reverse=True)[:_FULLEST]
    ends = {"low", "high", "low_all", "high_all"}
    shown = [{name: each[name] for name in each if name not in ends} for each in fullest]
    columns, words = _table(shown)
    show_table(f"{title}: the {_FULLEST} largest of {len(records):,} cells", columns, words)
    total = sum(record[measure] for record in records)
    if measure != "density":
        show(f"\nSum of {measure} over all cells: {total:,.6g}.")
    show("All cells with intervals: -o cells.csv")


def _filled(records: Records, told: Sequence[bool], numbers: tuple[str, ...]) -> Records:
    """Put in numbers or dates that can be printed where none is told."""
    nothing = dict.fromkeys(numbers, 0.0)
    known = next((record for record, sure in zip(records, told, strict=True) if sure), nothing)
    filling = {name: known[name] for name in numbers if name in known}
    return [
        record if sure else record | filling for record, sure in zip(records, told, strict=True)
    ]


def _with_doubt(
    columns: dict[str, list[str]], told: Sequence[bool], numbers: tuple[str, ...]
) -> dict[str, list[str]]:
    """Say where there are too few, in place of a number and its interval."""
    words = {**dict.fromkeys(numbers[:1], TOO_FEW), "95 % interval": "", "": ""}
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
    groups = [name for name in records[0] if name not in {*numbers, *ends, "size", "reliable"}]
    columns: dict[str, list[str]] = {name: [] for name in (*groups, "", "value", "95 % interval")}
    for record in records:
        for name in numbers if record["reliable"] else ["too few data"]:
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


FORMS = (".json", ".csv", ".svg", ".png", ".pdf", ".html", ".vl.json")


def check_outputs(paths: Sequence[Path], endings: Sequence[str] = ()) -> None:
    """Refuse what cannot be written, before anything is paid for.

    `endings` are those that only some kinds of releases can write.
    """
    forms = (*FORMS, *endings)
    for path in paths:
        if path.suffix.lower() not in forms:
            raise ReleaseError(
                f"The format of {path.name!r} is not known.",
                "A chart must not be paid for and then lost.",
                f"Use one of these endings: {' '.join(forms)}.",
            )
        if path.is_dir() or not os.access(path.absolute().parent, os.W_OK | os.X_OK):
            raise ReleaseError(
                f"Cannot write {str(path)!r}: it is a folder, or its folder is missing or "
                "protected.",
                "A chart must not be paid for and then lost.",
                "Name another file.",
            )


def publish(release: Release, paths: Sequence[Path], *, source: Path | None = None) -> None:
    """Write a release in every form asked for, or print its numbers.

    `source` is the file it was loaded from, if it was.
    """
    try:
        if paths:
            _write_files(release, paths, source)
        else:
            _print_numbers(release, source)
    except KeyboardInterrupt:
        pass
    else:
        return
    say(f"Interrupted. The release is not lost: {source or _kept(release)} holds it.")
    raise KeyboardInterrupt


def _write_files(release: Release, paths: Sequence[Path], source: Path | None) -> None:
    # JSON needs no drawing and can be drawn again, so it is written first.
    first = sorted(paths, key=lambda path: not _is_whole(path))
    outcome = {path: _saved(release, path) for path in first}
    written = [path for path, problem in outcome.items() if problem is None]
    if written:
        say(f"Wrote {', '.join(map(str, written))}.")
    failed = [f"{path}{problem}" for path, problem in outcome.items() if problem is not None]
    if failed:
        whole = [path for path in written if _is_whole(path)]
        raise _not_lost(
            f"Cannot write {', '.join(failed)}.", release, source or next(iter(whole), None)
        )


def _is_whole(path: Path) -> bool:
    """Tell whether a file holds the release itself, from which all others can be made."""
    return path.suffix.lower() == ".json" and not path.name.lower().endswith(".vl.json")


def _saved(release: Release, path: Path) -> str | None:
    """Write one form of a release; return what is wrong, or None."""
    try:
        release.save(path)
    except ReleaseError as error:
        told = str(error.what)
        return "" if told.startswith("Cannot write") else f" ({told.rstrip('.')})"
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001  (a panic of compiled code is no Exception)
        return f" ({type(error).__name__})"
    return None


def _print_numbers(release: Release, source: Path | None) -> None:
    problem = ""
    try:
        show_numbers(release)
    except ClosedPipeError:
        # What was paid for is kept all the same.
        if source is None:
            say(f"Not all numbers were read. The release is in {_kept(release)}.")
        return
    except OSError:
        _silence_stdout()
    except Exception as error:  # noqa: BLE001 - a bug in printing must not lose what was paid for
        problem = f" ({type(error).__name__})"
    else:
        return
    raise _not_lost(f"Cannot print the numbers{problem}.", release, source)


def _not_lost(problem: str, release: Release, place: Path | None) -> ReleaseError:
    """Return an error that says where the release is, and put it there first."""
    place = place or _kept(release)
    return ReleaseError(
        f"{problem}",
        f"The release itself is not lost: {place} holds it.",
        f"Draw it from there, which is free: sfumato draw {place} -o chart.svg",
    )


def _kept(release: Release) -> Path:
    """Save a release in this folder or, failing that, in the one for passing files."""
    import secrets
    import tempfile

    name = f"sfumato-{secrets.token_hex(4)}.json"
    for folder in (Path(), Path(tempfile.gettempdir())):
        if _saved(release, folder / name) is None:
            return folder / name
    # Spelled by their numbers, all letters survive what `show` does to those that are not printed.
    show(json.dumps(release.to_dict()).replace("\x7f", "\\u007f"))
    return Path("the text above")
