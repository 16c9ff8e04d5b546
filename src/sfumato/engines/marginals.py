"""Counts of several columns, each for itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import Integers
from sfumato.engines.counting import MOST_SUMS, counted
from sfumato.engines.kernel import cells, columns_of
from sfumato.engines.packing import packed, unpacked
from sfumato.engines.reading import Reading
from sfumato.engines.sources.source import Columns
from sfumato.engines.tally import Tally
from sfumato.grid import Grid
from sfumato.privacy.unit import PrivacyUnit


def counted_by_column(
    reading: Reading, keys: Sequence[Grid], unit: PrivacyUnit
) -> tuple[Integers, ...]:
    """Return what `counts` would return for each key alone.

    Privacy
    -------
    One unit adds at most ``unit.weight`` to the counts of each column. A value that is nowhere is
    left out of its own column alone, and takes its share of a person's weight there.
    """
    if unit.max_rows is not None:
        # Which rows of a person count is decided for each column by the cells of that column.
        return tuple(counted(reading, [key], unit) for key in keys)
    tallies = _of_people(reading, keys, unit) if unit.shared else _of_rows(reading, keys)
    return tuple(tally.total() for tally in tallies)


def _of_rows(reading: Reading, keys: Sequence[Grid]) -> list[Tally]:
    def add(tallies: list[Tally], block: pa.RecordBatch) -> None:
        for key, tally in zip(keys, tallies, strict=True):
            tally.count(cells(block, [key]))

    most = MOST_SUMS // max(1, sum(key.cells for key in keys))
    columns = Columns(columns_of(keys))
    first, *others = reading.by_rows(columns, lambda: _zeros(keys), add, most=most)
    for tallies in others:
        for tally, other in zip(first, tallies, strict=True):
            tally.merge(other)
    return first


def _of_people(reading: Reading, keys: Sequence[Grid], unit: PrivacyUnit) -> list[Tally]:
    tallies = _zeros(keys)

    def place(block: pa.RecordBatch) -> pa.Array:
        return packed(np.array([cells(block, [key]) for key in keys], dtype=np.float64))

    def take(found: pa.RecordBatch) -> None:
        amounts = found.column("amount").to_numpy()
        lines = unpacked(found.column("cell"), len(keys))
        for line, tally in zip(lines, tallies, strict=True):
            tally.weigh(line.astype(np.int64), amounts)

    reading.by_people(Columns(columns_of(keys)), unit, place, unit.weight, take)
    return tallies


def _zeros(keys: Sequence[Grid]) -> list[Tally]:
    return [Tally(key.cells) for key in keys]
