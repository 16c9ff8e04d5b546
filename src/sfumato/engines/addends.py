"""Sums of a column by groups: how rows are split between two ends, and how the steps are added.

The argument stands in `addends.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sfumato.addend import HEAVIEST, Addend, Member, addend_weight
from sfumato.engines.cells import STRIP, find_cells, list_columns
from sfumato.engines.columns import Floats, Integers, find_positions, mask_negative
from sfumato.engines.sources.source import Columns
from sfumato.engines.sums import MOST_SUMS, Entries, Summation, Tally, cap_integers
from sfumato.engines.times import read_values
from sfumato.grid import Labels, shape
from sfumato.lattice import Question
from sfumato.privacy.guarantee import PrivacyUnit

_ROWS = 2**15  # at once: few enough for the caches
_ONE = 2**37  # counts a row beside its steps, of which all rows at once have at most 2³⁶
_DENSE = 2**10  # sums that are cheap to write out for each strip


def split_rows(block: pa.RecordBatch, addend: Addend | Member, cells: Integers) -> Floats:
    """Return how many of its whole steps each row gives to the upper end; -1 is nowhere.

    Privacy
    -------
    What a row gives depends on that row and public facts alone, from 0 to ``addend.steps``: every
    operation is correctly rounded, and keeps the order of values.
    """
    column = block.column(addend.column)
    if isinstance(addend, Member):
        found = find_positions(column, addend.labels.categories)
        return np.where(found < 0, -1.0, (found == addend.level) * float(addend.steps))
    values, gaps = read_values(column, addend.bounds[0])
    lower = np.array([bounds.lower for bounds in addend.bounds])
    upper = np.array([bounds.upper for bounds in addend.bounds])
    which = cells.clip(min=0) if len(addend.bounds) > 1 else np.zeros(1, dtype=np.int64)
    low, high = lower[which], upper[which]
    with np.errstate(invalid="ignore"):  # a signalling NaN would warn of itself
        along = np.clip(values, low, high)
        along -= low
        along /= high - low
        along *= addend.steps
        np.rint(along, out=along)
    nowhere = gaps | np.isnan(along)
    if nowhere.any():
        along[nowhere] = -1.0
    return along


@dataclass(frozen=True)
class GroupSums(Summation[Tally]):
    """How many steps all rows of each flat cell give to the lower and to the upper end.

    Privacy
    -------
    A row that is somewhere adds ``addend.steps`` to the two sums of its cell together, times its
    weight; one unit's rows weigh at most ``addend_weight(unit)``. Which rows of a person count,
    where not all do, is decided over their cells and their steps: rows that agree in both are
    interchangeable.
    """

    keys: tuple[Question, ...]
    addend: Addend | Member

    @property
    def columns(self) -> Columns:
        """The columns of all keys, of which categories repeat, and the one that is added up."""
        groups = [key.column for key in self.keys if isinstance(key, Labels)]
        return Columns([*list_columns(self.keys), self.addend.column], repetitive=groups)

    @property
    def most(self) -> int:
        """As many as `MOST_SUMS` has room for."""
        return MOST_SUMS // max(1, 2 * self._size)

    def weight(self, unit: PrivacyUnit) -> int:
        """Return a weight that leaves room for the steps."""
        return addend_weight(unit)

    def zeros(self) -> Tally:
        """Return two sums for each cell."""
        return Tally(2 * self._size, most_each=HEAVIEST)

    def add(self, sums: Tally, block: pa.RecordBatch) -> None:
        """Add rows, strip by strip."""
        for start in range(0, block.num_rows, _ROWS):
            self._add_rows(sums, block.slice(start, _ROWS))

    def place(self, block: pa.RecordBatch) -> pa.Array:
        """Return the cell and the steps of each row, as one number."""
        return mask_negative(self._find(block))

    def weigh(self, sums: Tally, found: pa.RecordBatch) -> None:
        """Add what rows weigh, strip by strip."""
        places, amounts = found.column("cell").to_numpy(), found.column("amount").to_numpy()
        for start in range(0, places.size, STRIP):
            some = slice(start, start + STRIP)
            self._add_found(sums, places[some], amounts[some])

    def merge(self, sums: Tally, other: Tally) -> None:
        """Add sum by sum."""
        sums.merge(other)

    def entries(self, sums: Tally) -> Entries:
        """Return the sums that are not zero."""
        (run,) = sums.runs()
        return run

    def restore_tally(self, entries: Entries) -> Tally:
        """Return the sums that these numbers stand for."""
        sums = self.zeros()
        sums.add(entries[0], cap_integers(entries[1]))
        return sums

    def _find(self, block: pa.RecordBatch) -> Integers:
        cells = find_cells(block, self.keys)
        steps = split_rows(block, self.addend, cells).astype(np.int64)
        # Below 2⁴⁵: 2²⁴ cells of 2²¹ steps and one.
        flat = cells * (self.addend.steps + 1) + steps
        return np.where((cells < 0) | (steps < 0), -1, flat)

    def _add_rows(self, sums: Tally, rows: pa.RecordBatch) -> None:
        """Add rows that weigh 1: one float sums their steps and counts them, both below 2⁵³."""
        if self._size > _DENSE:
            return self._add_found(sums, self._find(rows), 1)
        cells = find_cells(rows, self.keys)
        steps = split_rows(rows, self.addend, cells)
        if min(cells.min(initial=0), steps.min(initial=0)) < 0:
            somewhere = (cells >= 0) & (steps >= 0)
            cells, steps = cells[somewhere], steps[somewhere]
        steps += _ONE
        both = np.bincount(cells, steps, self._size).astype(np.int64)
        counts, above = np.divmod(both, _ONE)
        places = np.arange(2 * self._size)
        ends = np.column_stack([counts * self.addend.steps - above, above])
        return sums.add(places, ends.ravel())

    def _add_found(self, sums: Tally, found: Integers, weights: Integers | int) -> None:
        cells, above = np.divmod(found, self.addend.steps + 1)
        cells[found < 0], above[found < 0] = -1, 0
        nowhere = cells < 0
        below = (self.addend.steps - above) * weights
        sums.weigh(np.where(nowhere, -1, 2 * cells), below)
        sums.weigh(np.where(nowhere, -1, 2 * cells + 1), above * weights)

    @property
    def _size(self) -> int:
        return math.prod(shape(self.keys))
