"""How the command line speaks: plain sentences on stderr, tables on stdout."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.errors import brief, printable

if TYPE_CHECKING:
    from rich.console import Console

_ENDLESS = 10_000
_LONGEST_CELL = 300  # letters; numbers are shorter


def say(sentence: str) -> None:
    """Print a sentence on stderr: wrapped on a terminal, on one line elsewhere."""
    from rich.text import Text

    console = _console(stderr=True)
    console.print(Text(printable(sentence)), soft_wrap=not console.is_terminal)


def show(text: str) -> None:
    """Print a text on stdout, line by line and otherwise as it is."""
    _write("\n".join(map(printable, text.split("\n"))))


def show_table(title: str, columns: Mapping[str, Sequence[str]], words: int) -> None:
    """Print a table on stdout; the first columns are words, the others numbers.

    Lines are as long as they must be: a number is never cut to fit.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(_cell(title), style="bold"), title_justify="left", box=None, pad_edge=False
    )
    for place, name in enumerate(columns):
        justify = "left" if place < words or not name else "right"
        table.add_column(Text(_cell(name)), justify=justify, no_wrap=True)
    for row in zip(*columns.values(), strict=True):
        table.add_row(*(Text(_cell(cell)) for cell in row))
    console = _console(stderr=False)
    console.width = _ENDLESS
    console.width = console.measure(table).maximum
    with console.capture() as printed:  # rich itself would end the process on a closed pipe
        console.print(table, soft_wrap=True)
    _write(printed.get().rstrip("\n"))  # where rich sets the title in bold, by control characters


def _cell(text: str) -> str:
    return brief(printable(text), _LONGEST_CELL)


def _write(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def room() -> int:
    """Return how many columns a line of stdout has."""
    return _console(stderr=False).width


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    settings: dict[str, Any] = {"stderr": stderr, "highlight": False, "markup": False}
    return Console(**settings, emoji=False)
