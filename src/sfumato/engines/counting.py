"""Counts in every combination of public cells, or of several columns each for itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import nullable, packed, unpacked
from sfumato.engines.kernel import cells, columns_of
from sfumato.engines.sources.source import Columns
from sfumato.engines.sums import Entries, Summation, Tally, capped
from sfumato.grid import Grid, Labels, shape
from sfumato.lattice import Question
from sfumato.privacy.unit import PrivacyUnit

MOST_SUMS = 2**26
"""How many sums all threads together may hold: half a gibibyte."""


@dataclass(frozen=True)
class Counts(Summation[Tally]):
    """How much all units together count in each flat cell of several keys, in integer steps.

    Privacy
    -------
    One unit adds at most ``unit.weight`` over all cells together.
    """

    keys: tuple[Question, ...]

    @property
    def columns(self) -> Columns:
        """The columns of all keys, of which categories repeat."""
        groups = [key.column for key in self.keys if isinstance(key, Labels)]
        return Columns(columns_of(self.keys), repetitive=groups)

    @property
    def most(self) -> int:
        """As many as `MOST_SUMS` has room for."""
        return MOST_SUMS // max(1, self._size)

    def weight(self, unit: PrivacyUnit) -> int:
        """Return the unit's own weight."""
        return unit.weight

    def zeros(self) -> Tally:
        """Return a tally of all cells."""
        return Tally(self._size)

    def add(self, sums: Tally, block: pa.RecordBatch) -> None:
        """Count rows."""
        sums.count(cells(block, self.keys))

    def place(self, block: pa.RecordBatch) -> pa.Array:
        """Return the flat cell of each row."""
        return nullable(cells(block, self.keys))

    def weigh(self, sums: Tally, found: pa.RecordBatch) -> None:
        """Add what rows weigh to their cells."""
        sums.weigh(found.column("cell").to_numpy(), found.column("amount").to_numpy())

    def merge(self, sums: Tally, other: Tally) -> None:
        """Add cell by cell."""
        sums.merge(other)

    def entries(self, sums: Tally) -> Entries:
        """Return the occupied cells."""
        (run,) = sums.runs()
        return run

    def restored(self, entries: Entries) -> Tally:
        """Return a tally with these cells."""
        sums = self.zeros()
        sums.add(entries[0], capped(entries[1]))
        return sums

    @property
    def _size(self) -> int:
        return math.prod(shape(self.keys))


@dataclass(frozen=True)
class Marginals(Summation[Sequence[Tally]]):
    """What `Counts` would be for each key alone, in one pass.

    Not for ``max_rows``: which rows of a person count is decided for each column by its own cells.

    Privacy
    -------
    One unit adds at most ``unit.weight`` to the counts of each column. A value that is nowhere is
    left out of its own column alone, and takes its share of a person's weight there.
    """

    keys: tuple[Grid, ...]

    @property
    def columns(self) -> Columns:
        """The column of each key."""
        return Columns(columns_of(self.keys))

    @property
    def most(self) -> int:
        """As many as `MOST_SUMS` has room for."""
        return MOST_SUMS // max(1, sum(key.cells for key in self.keys))

    def weight(self, unit: PrivacyUnit) -> int:
        """Return the unit's own weight."""
        return unit.weight

    def zeros(self) -> Sequence[Tally]:
        """Return a tally for each key."""
        return [Tally(key.cells) for key in self.keys]

    def add(self, sums: Sequence[Tally], block: pa.RecordBatch) -> None:
        """Count rows in every column."""
        for key, tally in zip(self.keys, sums, strict=True):
            tally.count(cells(block, [key]))

    def place(self, block: pa.RecordBatch) -> pa.Array:
        """Return the cells of each row in all columns."""
        return packed(np.array([cells(block, [key]) for key in self.keys], dtype=np.float64))

    def weigh(self, sums: Sequence[Tally], found: pa.RecordBatch) -> None:
        """Add what rows weigh to their cells in every column."""
        amounts = found.column("amount").to_numpy()
        lines = unpacked(found.column("cell"), len(self.keys))
        for line, tally in zip(lines, sums, strict=True):
            tally.weigh(line.astype(np.int64), amounts)

    def merge(self, sums: Sequence[Tally], other: Sequence[Tally]) -> None:
        """Add column by column."""
        for tally, more in zip(sums, other, strict=True):
            tally.merge(more)

    def entries(self, sums: Sequence[Tally]) -> Entries:
        """Return the occupied cells, those of each column after all of the columns before it."""
        runs = [run for tally in sums for run in tally.runs()]
        where = [start + found for start, (found, _) in zip(self._starts, runs, strict=True)]
        return np.concatenate(where), np.concatenate([amounts for _, amounts in runs])

    def restored(self, entries: Entries) -> Sequence[Tally]:
        """Return tallies with these cells."""
        where, amounts = entries[0], capped(entries[1])
        sums = self.zeros()
        for key, start, tally in zip(self.keys, self._starts, sums, strict=True):
            here = (where >= start) & (where < start + key.cells)
            tally.add(where[here] - start, amounts[here])
        return sums

    @property
    def _starts(self) -> list[int]:
        return [0, *accumulate(key.cells for key in self.keys[:-1])]
