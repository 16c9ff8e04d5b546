"""The moments of a table: sums of outer products over rows, or over what people count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sfumato.engines.gram import Gram
from sfumato.engines.packing import packed, unpacked
from sfumato.engines.points import STRIP, strips
from sfumato.engines.sources.source import Columns
from sfumato.engines.summing import Summation
from sfumato.engines.tally import Entries
from sfumato.lattice import Moments, moment_weight
from sfumato.privacy.unit import PrivacyUnit

_MOST_PARTS = 2**6


@dataclass(frozen=True)
class Products(Summation[Gram]):
    """The sums of outer products of all rows that are somewhere.

    Privacy
    -------
    One unit weighs at most ``moment_weight(unit)`` rows of the greatest length. Which rows of a
    person count, where not all do, is decided over their points of the lattice: rows with the
    same point are interchangeable, and the choice is the same for every origin and radius.
    """

    moments: Moments

    @property
    def columns(self) -> Columns:
        """The columns of the lattice."""
        return Columns(self.moments.lattice.columns)

    @property
    def most(self) -> int:
        """More than there are threads, usually."""
        return _MOST_PARTS

    def weight(self, unit: PrivacyUnit) -> int:
        """Return a weight that leaves room for the products."""
        return moment_weight(unit)

    def zeros(self) -> Gram:
        """Return the products of no rows."""
        return Gram(self.moments)

    def add(self, sums: Gram, block: pa.RecordBatch) -> None:
        """Add the products of rows, strip by strip."""
        for points in strips(block, self.moments.lattice, sums.room):
            sums.add(points.shape[1])

    def place(self, block: pa.RecordBatch) -> pa.Array:
        """Return the points of rows."""
        found = [points.copy() for points in strips(block, self.moments.lattice)]
        lines = len(self.moments.lattice.columns)
        return packed(np.concatenate([np.empty((lines, 0)), *found], axis=1))

    def weigh(self, sums: Gram, found: pa.RecordBatch) -> None:
        """Add the products of points, strip by strip.

        No row weighs more than 2²⁰, the largest `max_rows`: a strip weighs at most `MOST_WEIGHT`.
        """
        points = unpacked(found.column("cell"), len(self.moments.lattice.columns))
        weights = found.column("amount").to_numpy()
        for start in range(0, found.num_rows, STRIP):
            some = points[:, start : start + STRIP]
            sums.room[:, : some.shape[1]] = some
            sums.add(some.shape[1], weights[start : start + STRIP])

    def merge(self, sums: Gram, other: Gram) -> None:
        """Add all products."""
        sums.merge(other)

    def entries(self, sums: Gram) -> Entries:
        """Return all products, and how many rows there are."""
        whole = sums.whole()
        return np.arange(len(whole)), whole

    def restored(self, entries: Entries) -> Gram:
        """Return the products that these numbers stand for."""
        sums = self.zeros()
        sums.add_whole(dict(zip(entries[0].tolist(), map(int, entries[1]), strict=True)))
        return sums
