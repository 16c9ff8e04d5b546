"""What an engine needs of a table: names and kinds of columns, and a stream of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

import pyarrow as pa

from sfumato.engines.columns import texts_fit
from sfumato.engines.table import BLOCK, ColumnKind, Report
from sfumato.errors import SourceError

Batches = Generator[tuple[pa.RecordBatch, float]]
"""Batches of rows, each with the fraction of the table that is read when it comes."""


LARGEST = 2**26
"""How many bytes the texts of one column of a block may fill, unless one text alone fills more."""

_SIMPLEST: tuple[ColumnKind, ...] = (
    *("flag", "number", "time", "clock", "duration", "text", "bytes", "nothing", "other"),
)


@dataclass(frozen=True)
class Columns:
    """The columns a question needs; `repetitive` ones are expected to hold few different texts."""

    names: Sequence[str]
    repetitive: Sequence[str] = ()

    def beside(self, columns: Sequence[str]) -> Columns:
        """Return these columns and some more, if there are any."""
        return Columns([*self.names, *columns], self.repetitive)


class Source(ABC):
    """A table that can be read as often as needed; `kinds` is known without reading a row.

    Privacy
    -------
    Rows that are read together are those read alone, whatever blocks they are cut into, and no row
    decides whether reading fails. A library that looks at a block must not be trusted to treat
    each row by itself: ``tests/engines/sources/test_together.py`` holds every source to it.
    """

    kinds: dict[str, ColumnKind]
    folded: frozenset[str] = frozenset()
    """Columns with texts that the table itself takes for equal though their bytes differ."""
    spacings: Mapping[str, float] = MappingProxyType({})
    """How far apart values lie, of the columns whose type fixes it."""
    zones: Mapping[str, str] = MappingProxyType({})
    """The zones that types of columns name."""
    untyped: frozenset[str] = frozenset()
    """Columns of text that have no type: what is declared decides how they are read."""
    inferred: frozenset[str] = frozenset()
    """Columns of numbers whose type was chosen by their values."""
    derived: frozenset[str] = frozenset()
    """Columns that are computed from others."""

    @abstractmethod
    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns, under their names, in one pass."""

    def split(self, parts: int) -> Sequence[Source]:
        """Return at most `parts` sources that hold each row once, to be read side by side."""
        del parts
        return [self]


def cut_evenly(count: int, parts: int) -> list[slice]:
    """Cut `count` things into at most `parts` runs of nearly equal length, and at least one.

    Examples
    --------
    >>> cut_evenly(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    ends = [count * part // parts for part in range(parts + 1)]
    cut = [slice(start, stop) for start, stop in pairwise(ends) if start < stop]
    return cut or [slice(0, 0)]


def cut_rows(rows: int, parts: int) -> list[slice]:
    """Cut rows into at most `parts` runs, none of which is too short to be worth a thread."""
    return cut_evenly(rows, min(parts, 1 + rows // (8 * BLOCK)))


def check_names(names: Sequence[object]) -> None:
    """Refuse a table whose columns cannot be told apart by name."""
    if not names:
        raise SourceError(
            "The table has no columns.",
            "There is nothing to draw.",
            "Check that it is the table you meant.",
        )
    texts = [name for name in names if isinstance(name, str)]
    if len(texts) < len(names):
        raise SourceError(
            "The table has column names that are not text.",
            "A chart names its columns, and a ledger remembers them.",
            "Rename them: frame.columns = [...].",
        )
    if len(set(texts)) < len(texts):
        twice = next(name for name in texts if texts.count(name) > 1)
        raise SourceError(
            f"The table has more than one column {twice!r}.",
            "Which one is charted, and so what is protected, would be ambiguous.",
            "Give each column its own name.",
        )


def read_blocks(source: Source, columns: Columns, report: Report) -> Generator[pa.RecordBatch]:
    """Yield the rows of a source, no more than `BLOCK` at a time; to be closed.

    Rows with long texts come in smaller blocks. How rows are cut into blocks depends on the data,
    and shows in nothing: no row is read otherwise because of another one in its block.
    """
    simplest = min(source.kinds, key=lambda name: _SIMPLEST.index(source.kinds[name]))
    names = list(dict.fromkeys(columns.names)) or [simplest]  # which tells how many rows
    # Closed at once, also after an interruption: a stream left open blocks its connection.
    with closing(source.batches(Columns(names, columns.repetitive))) as batches:
        for batch, done in batches:
            report(done)
            for start in range(0, batch.num_rows, BLOCK):
                yield from _cut_block(batch.slice(start, BLOCK))
    report(1.0)


def _cut_block(block: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Halve a block until its texts, each written out, fill no more than `LARGEST` bytes."""
    half = block.num_rows // 2
    if half and not all(texts_fit(column, LARGEST) for column in block.columns):
        yield from _cut_block(block.slice(0, half))
        yield from _cut_block(block.slice(half))
    else:
        yield block
