"""Counts in every combination of public cells."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pyarrow as pa

from sfumato.engines.columns import nullable
from sfumato.engines.kernel import cells, columns_of
from sfumato.engines.sources.source import Columns
from sfumato.engines.summing import Summation
from sfumato.engines.tally import Entries, Tally, capped
from sfumato.grid import Labels, shape
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
