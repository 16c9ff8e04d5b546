"""The moments of a table: sums of outer products over rows, or over what people count."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import Integers
from sfumato.engines.gram import MOST_WEIGHT, Gram
from sfumato.engines.packing import packed, unpacked
from sfumato.engines.points import STRIP, strips
from sfumato.engines.reading import Reading
from sfumato.engines.sources.source import Columns
from sfumato.lattice import Moments, moment_weight
from sfumato.privacy.unit import PrivacyUnit

_MOST_PARTS = 2**6


def sums_of_products(reading: Reading, moments: Moments, unit: PrivacyUnit) -> Integers:
    """Return the sums of outer products of all rows that are somewhere.

    Privacy
    -------
    One unit weighs at most ``moment_weight(unit)`` rows of the greatest length. Which rows of a
    person count, where not all do, is decided over their points of the lattice: rows with the
    same point are interchangeable, and the choice is the same for every origin and radius.
    """
    return _of_rows(reading, moments) if unit.column is None else _of_people(reading, moments, unit)


def _of_rows(reading: Reading, moments: Moments) -> Integers:
    def add(sums: Gram, block: pa.RecordBatch) -> None:
        for points in strips(block, moments.lattice, sums.room):
            sums.add(points.shape[1])

    columns = Columns(moments.lattice.columns)
    first, *others = reading.by_rows(columns, lambda: Gram(moments), add, most=_MOST_PARTS)
    for sums in others:
        first.merge(sums)
    return first.total()


def _of_people(reading: Reading, moments: Moments, unit: PrivacyUnit) -> Integers:
    sums, weight = Gram(moments), moment_weight(unit)
    most = min(STRIP, MOST_WEIGHT // weight)

    def place(block: pa.RecordBatch) -> pa.Array:
        found = [points.copy() for points in strips(block, moments.lattice)]
        return packed(np.concatenate(found, axis=1))

    def take(found: pa.RecordBatch) -> None:
        points = unpacked(found.column("cell"), len(moments.lattice.columns))
        weights = found.column("amount").to_numpy()
        for start in range(0, found.num_rows, most):
            some = points[:, start : start + most]
            sums.room[:, : some.shape[1]] = some
            sums.add(some.shape[1], weights[start : start + most])

    columns = Columns(moments.lattice.columns)
    reading.by_people(columns, unit, place, weight, take)
    return sums.total()
