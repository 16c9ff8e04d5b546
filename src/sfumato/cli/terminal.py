"""How the command line speaks: plain sentences on stderr, tables on stdout."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.errors import brief, printable

if TYPE_CHECKING:
    from rich.console import Console

# The library's errors say what to type in Python; here it is typed in a shell.
_SHELL_WORDS: tuple[tuple[str, str], ...] = (
    (r"Ledger\.create\(.*?\), or: ", ""),
    (r"Domain\((.+?)=\(lower, upper\)\)", r"--bounds \1=LOWER,UPPER"),
    (r"Domain\((\w+)=\((\d+), (\d+)\)\)", r"--bounds \1=\2,\3"),
    (r"Domain\((.+?)=\(date\(.*?\), date\(.*?\)\)\)", r"--bounds \1=2026-01-01,2027-01-01"),
    (r"Domain\(.+?=\['A', 'B'\]\)", "--order A,B or --hue-order A,B"),
    (r"bounds=\{'(.*?)': \(lower, upper\), '(.*?)': \(lower, upper\)\}",
     r"--bounds \1=LOWER,UPPER --bounds \2=LOWER,UPPER"),
    (r"Bounds\(lower, upper\)|Write \(lower, upper\)", "--bounds LOWER,UPPER"),
    (r"bounds=sf\.private\(\)", "--bounds private"),
    (r"(?:sf\.)?private\(share=([\w.+-]+)\)", r"a share of \1"),
    (r"(?:order=)?sf\.private\(share=(\S+), delta=(\S+)\)", r"--order private:\2:\1"),
    (r"(?:order=)?(?:sf\.)?private\(delta=(\S+)\)", r"--order private:\1"),
    (r"(?:unit=)?(?:sf\.)?PrivacyUnit\.users\('(.*?)', max_rows=(\d+)\)", r"--unit \1:\2"),
    (r"(?:unit=)?(?:sf\.)?PrivacyUnit\.users\('(.*?)'\)", r"--unit \1"),
    (r"(?:sf\.)?Budget\((.+?), weak=True\)", r"Budget(\1) --weak"),
    (r"(?:sf\.)?Budget\(epsilon=(\S+), delta=(\S+)\)", r"--epsilon \1 --delta \2"),
    (r"(?:sf\.)?Budget\((epsilon|delta)=(\S+)\)", r"--\1 \2"),
    (r"plan\(chart, budget=(\S+)\)", r"--epsilon \1"),
    (r"plan\(chart, error=(\S+)\)", r"--error \1"),
    (r"bins=\[([\d., ]+)\]", r"--bins \1"),
    (r"bins=(-?\d+)", r"--bins \1"),
    (r"resolution=(\d+), or \((\d+), (\d+)\)", r"--resolution \1, or \2,\3"),
    (r"\b(stat|method|orient|decoder|outside|origin|aspect|x|y|hue)=['\"](\w+)['\"]", r"--\1 \2"),
    (r"\bthreads=(\S+)", r"--threads \1"),
    (r"\bmemory_limit='(.*?)'", r"--memory-limit \1"),
    (r"\b(decimal|thousands)='(.)'", r"--\1 '\2'"),
    (r"\b(decimal|thousands)=(?!\w)", r"--\1"),
    (r"\b(step|whis|top|resolution)=([\w.+-]*\w)", r"--\1 \2"),
    (r"\bq=\[([\d.]+), ([\d.]+), ([\d.]+)\]", r"--q \1,\2,\3"),
)  # fmt: skip


_ENDLESS = 10_000
_LONGEST_CELL = 300  # letters; numbers are shorter


def in_shell_words(problem: str) -> str:
    """Return an error's text with what to type spelled for a shell.

    Examples
    --------
    >>> in_shell_words("Declare them: Domain(wait=(lower, upper)).")
    'Declare them: --bounds wait=LOWER,UPPER.'
    """
    for python, shell in _SHELL_WORDS:
        problem = re.sub(python, shell, problem)
    return problem


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
