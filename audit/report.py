"""What an attack reports: tables, one line for the end, and whether the library stood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Size = Literal["fast", "full"]
"""How long an attack may take: seconds, as in the tests, or as long as its figures need."""


@dataclass(frozen=True)
class Table:
    """Figures under headings, in order of their rows."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.headings, *self.rows, strict=True)]
        lines = [self.headings, tuple("─" * width for width in widths), *self.rows]
        return "\n".join([self.title, *(_aligned(line, widths) for line in lines)])

    def markdown(self) -> str:
        """Return the table as it stands on a page, without its title."""
        lines = [self.headings, ("---",) * len(self.headings), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


@dataclass(frozen=True)
class Outcome:
    """What came of one attack."""

    summary: str
    tables: tuple[Table, ...]
    passed: bool


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
    return "  ".join(padded).rstrip()
