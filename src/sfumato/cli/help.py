"""Help screens, shown without loading the parser or any chart.

What every command takes is written down in `screens.json`, made by tools/generate.py from the
commands themselves; a test makes it again and compares.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TypedDict

HELP = ("--help", "-h")
_WIDEST = 100  # a longer line is hard to read
_ROOM = 30  # for what is typed; what is longer has a line of its own


class Screen(TypedDict):
    """What one command says of itself: panels are titles, with what is typed and what it means."""

    usage: str
    summary: str
    panels: dict[str, list[list[str]]]
    example: str


def find_help(words: Sequence[str]) -> str | None:
    """Return the help that a command line asks for, or None where it asks for something else."""
    place = Path(__file__).with_name("screens.json")
    screens: dict[str, Screen] = json.loads(place.read_text(encoding="utf-8"))
    path = _find_path(words, screens)
    typed = words[: words.index("--")] if "--" in words else words
    asked = any(word in HELP for word in typed)
    bare = "Commands" in screens[path]["panels"] and len(words) == len(path.split())
    return "\n".join(_write(screens[path])) if asked or bare else None


def _find_path(words: Sequence[str], screens: dict[str, Screen]) -> str:
    """Return the longest run of first words that is a command."""
    path = ""
    for word in words:
        longer = f"{path} {word}".strip()
        if longer not in screens:
            break
        path = longer
    return path


def _write(screen: Screen) -> Iterator[str]:
    width = min(_WIDEST, get_terminal_size().columns)
    yield f"Usage: {screen['usage']}"
    yield ""
    yield from wrap(screen["summary"], width)
    longest = max(len(typed) for rows in screen["panels"].values() for typed, _ in rows)
    indent = min(_ROOM, longest + 4)
    for title, rows in screen["panels"].items():
        yield ""
        yield embolden(title)
        for typed, meaning in rows:
            yield from _write_row(typed, meaning, indent, width)
    yield ""
    yield screen["example"]


def _write_row(typed: str, meaning: str, indent: int, width: int) -> Iterator[str]:
    """Put the meaning beside what is typed, or below it where that is long."""
    lines = wrap(meaning, width - indent, break_on_hyphens=False)
    first = f"  {typed}"
    if lines and len(first) < indent - 1:
        first = f"{first:<{indent}}{lines.pop(0)}"
    yield first
    yield from (f"{'':<{indent}}{line}" for line in lines)


def embolden(title: str) -> str:
    """Return a title in bold letters, where stdout is a terminal that takes them."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return title if plain or not sys.stdout.isatty() else f"\033[1m{title}\033[0m"
