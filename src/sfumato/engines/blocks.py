"""A table as a stream of blocks, and how far it is read."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import closing

import pyarrow as pa

from sfumato.engines.decoding import texts_fit
from sfumato.engines.engine import ColumnKind
from sfumato.engines.kernel import BLOCK
from sfumato.engines.parallel import Report
from sfumato.engines.sources.source import Columns, Source

PATIENCE = 1.0
"""How many seconds pass before progress is told."""

LARGEST = 2**26
"""How many bytes the texts of one column of a block may fill, unless one text alone fills more."""

_SIMPLEST: tuple[ColumnKind, ...] = (
    *("flag", "number", "time", "text", "bytes", "nothing", "other"),
)
_STEPS = 20


def blocks(source: Source, columns: Columns, report: Report) -> Generator[pa.RecordBatch]:
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
                yield from _cut(batch.slice(start, BLOCK))
    report(1.0)


def _cut(block: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Halve a block until its texts, each written out, fill no more than `LARGEST` bytes."""
    half = block.num_rows // 2
    if half and not all(texts_fit(column, LARGEST) for column in block.columns):
        yield from _cut(block.slice(0, half))
        yield from _cut(block.slice(half))
    else:
        yield block


def now_and_then(progress: Report | None) -> Report:
    """Return a report that speaks after a second, in steps of a twentieth.

    The number of rows is private. A fraction told after every batch would tell it; told this way
    it says no more than the time that has passed.
    """
    begun, told = time.monotonic(), 0

    def report(fraction: float) -> None:
        nonlocal told
        step = int(_STEPS * fraction)
        if progress is not None and step > told and time.monotonic() - begun > PATIENCE:
            told = step
            progress(step / _STEPS)

    return report
