"""What is typed in a shell: bounds, bins, orders, units and levels as texts."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from readers.reader import BreachError, Mutate, Reader
from readers.watching import watched
from sfumato.cli import spelling
from sfumato.domain import Bounds, Domain
from sfumato.errors import SfumatoError

_PIECES = (
    ",", "=", ":", ":", "-", ".", '"', "\n", "private", "private:", "nan", "inf", "1e999", "²", "٣",
    "2026-01-01", "9999-12-31", "0001-01-01T00:00+23:59", "1" * 5000, "\0", "\ud800", "true", " ",
    "..", "1..12",
)  # fmt: skip


class WordReader(Reader):
    """Reads one argument, or several on lines of their own, in every way there is."""

    longest = 12_000
    modules = ("cli/spelling.py",)

    def examine(self, data: bytes) -> None:
        """Read words as each option would."""
        lines = data.decode("utf-8", "surrogateescape").split("\n")
        for read in _readers(lines):
            try:
                with watched():
                    found = read()
                    Domain({"wait": found} if isinstance(found, Bounds) else None)
                    repr(found)
            except SfumatoError as error:
                self.done["refused"] += 1
                if error.__context__ is not None:
                    raise BreachError("an error carries another") from error
            else:
                self.done["accepted"] += 1

    def mutate(self, data: bytes, size: int, seed: int, plainly: Mutate) -> bytes:
        """Put in a piece that some option knows, or anything."""
        dice = Random(seed)
        if dice.random() < 0.5:
            return plainly(data, size)
        place = dice.randrange(len(data) + 1)
        piece = dice.choice(_PIECES).encode("utf-8", "surrogatepass")
        return (data[:place] + piece + data[place + dice.choice((0, 0, 1, 3)) :])[:size]


def _readers(lines: list[str]) -> tuple[Callable[[], object], ...]:
    one = lines[0]
    return (
        lambda: spelling.read_bounds(lines),
        lambda: spelling.read_bounds_or_search(lines),
        lambda: spelling.read_levels(one),
        lambda: spelling.read_bins(lines),
        lambda: spelling.read_resolution(one),
        lambda: spelling.read_order(one, "--order"),
        lambda: spelling.read_columns(one),
        lambda: spelling.read_scale(lines),
        lambda: spelling.read_split(one),
        lambda: spelling.read_unit(one),
    )
