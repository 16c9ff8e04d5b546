"""Counts in every combination of public cells."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import Integers, nullable
from sfumato.engines.kernel import cells, columns_of
from sfumato.engines.reading import Reading
from sfumato.engines.sources.source import Columns
from sfumato.engines.tally import Tally
from sfumato.grid import Labels, shape
from sfumato.lattice import Question
from sfumato.privacy.unit import PrivacyUnit

MOST_SUMS = 2**26
"""How many sums all threads together may hold: half a gibibyte."""


def counted(reading: Reading, keys: Sequence[Question], unit: PrivacyUnit) -> Integers:
    """Return how much all units together count in each flat cell, in integer steps.

    Privacy
    -------
    One unit adds at most ``unit.weight`` over all cells together.
    """
    groups = [key.column for key in keys if isinstance(key, Labels)]
    columns = Columns(columns_of(keys), repetitive=groups)
    size = math.prod(shape(keys))
    if unit.column is None:
        return _of_rows(reading, keys, columns, size).total()
    found = reading.by_cells(columns, unit, lambda block: nullable(cells(block, keys)))
    tally = Tally(size)
    tally.add(np.asarray(found.column("cell")), np.asarray(found.column("amount")))
    return tally.total()


def _of_rows(reading: Reading, keys: Sequence[Question], columns: Columns, size: int) -> Tally:
    def add(tally: Tally, block: pa.RecordBatch) -> None:
        tally.count(cells(block, keys))

    most = MOST_SUMS // max(1, size)
    first, *others = reading.by_rows(columns, lambda: Tally(size), add, most=most)
    for tally in others:
        first.merge(tally)
    return first
