"""What an independent reader finds in a ledger, and what it has to say about it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

Row = tuple[int, str, str, str | None, str, str]


@dataclass(frozen=True)
class Found:
    """What stands in a ledger's file: nothing but a problem, if SQLite cannot read it."""

    terms: tuple[tuple[str, str], ...] = ()
    entries: tuple[Row, ...] = ()
    content: str = ""
    problem: str = ""

    @property
    def labels(self) -> Counter[str]:
        return Counter(row[2] for row in self.entries)

    @property
    def overspent(self) -> bool:
        """Whether the ε of all entries is more than the budget, by the reader's own sum."""
        return self.whole and self._left < 0

    @property
    def full(self) -> bool:
        """Whether the ε of all entries is the whole budget."""
        return self.whole and self._left == 0

    @property
    def _left(self) -> Fraction:
        spent = sum((Fraction(row[3] or 0) for row in self.entries), Fraction(0))
        return Fraction(dict(self.terms)["epsilon"]) - spent

    @property
    def whole(self) -> bool:
        """Whether every entry is complete and has the number it should have."""
        return all(
            row[0] == number and row[1] and row[2] and all(map(_is_amount, row[3:]))
            for number, row in enumerate(self.entries, 1)
        )

    def goes_on_from(self, before: Found) -> bool:
        """Tell whether nothing was done since but adding entries at the end."""
        kept = self.entries[: len(before.entries)]
        return (self.terms, kept) == (before.terms, before.entries)


def _is_amount(text: str | None) -> bool:
    try:
        return text is None or Fraction(text) >= 0
    except (ValueError, ZeroDivisionError):
        return False


class Witness:
    """Asks a fresh process of plain SQLite what stands in a ledger."""

    def __init__(self, reader: subprocess.Popen[str]) -> None:
        self._reader = reader

    def read(self, path: Path) -> Found:
        """Return what is found at `path`."""
        assert self._reader.stdin is not None
        assert self._reader.stdout is not None
        print(path, file=self._reader.stdin, flush=True)
        told = json.loads(self._reader.stdout.readline())
        if told.get("pages") != "ok":
            return Found(problem=told.get("problem") or told["pages"])
        terms = tuple((name, value) for name, value in told["terms"])
        entries = tuple((n, t, label, e, r, d) for n, t, label, e, r, d in told["entries"])
        return Found(terms, entries, told["content"])


@contextmanager
def summoned() -> Generator[Witness]:
    """Start the reader, which imports nothing of ours, and end it."""
    program = Path(__file__).with_name("reading.py")
    reader = subprocess.Popen(
        [sys.executable, "-I", "-S", str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with reader:
        yield Witness(reader)
        assert reader.stdin is not None
        reader.stdin.close()
