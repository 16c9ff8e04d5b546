"""Exact integer sums over cells, which merge in any order, and the counts made of them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Generic, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.engines.cells import find_cells, find_marginal_cells, list_columns
from sfumato.engines.columns import Integers, mask_negative, pack_numbers, unpack_numbers
from sfumato.engines.sources.source import Columns
from sfumato.grid import MOST_CELLS, Labels, shape
from sfumato.lattice import Question
from sfumato.privacy.guarantee import PrivacyUnit

CAP = 2**62 - 1
"""Where sums stop growing."""

Whole = Sequence[int] | Integers
"""Sums: in a list where they may need more than 64 bits."""

Entries = tuple[Integers, Whole]
"""The numbers of sums, and the sums."""

MOST_EACH = 2**30
"""The most that one row may add."""

_FEW = 2**16
_MOST_ROWS = 2**31  # which add less than 2⁶² to a sum of at most `CAP`, so that nothing overflows


class CellSums(ABC):
    """Sums of integers from 0 to `MOST_EACH`, one per cell.

    A sum is the smaller of its true value and `CAP`. Taking that minimum early or late gives the
    same number, so parts may be merged in any order; and it never moves two sums further apart,
    so sensitivities hold while 64 bits cannot overflow.
    """

    @abstractmethod
    def weigh(self, cells: Integers, amounts: Integers | int) -> None:
        """Add an amount to the cell of each row; the cell -1 is nowhere."""

    @abstractmethod
    def runs(self) -> list[tuple[Integers, Integers]]:
        """Return rising cells and their sums, which are not zero, in parts to be added up."""


class Tally(CellSums):
    """Sums of which each cell has one.

    Parameters
    ----------
    most_each
        The most that one row may add to a cell, where that is not `MOST_EACH`.
    """

    def __init__(self, cells: int, *, most_each: int = MOST_EACH) -> None:
        # One place more than there are cells: index -1, counted nowhere, is the last.
        self._sums: Integers = np.zeros(cells + 1, dtype=np.int64)
        self._rows = 0
        self._most_rows = _MOST_ROWS * MOST_EACH // most_each

    def count(self, cells: Integers) -> None:
        """Add 1 to the cell of each row; far fewer than 2⁶² rows can ever be read."""
        np.add.at(self._sums, cells, 1)

    def weigh(self, cells: Integers, amounts: Integers | int) -> None:
        """Add an amount of at most `most_each` to the cell of each row; -1 is nowhere."""
        self._rows += cells.size
        if self._rows > self._most_rows:
            self._rows = cells.size
            np.minimum(self._sums, CAP, out=self._sums)
        np.add.at(self._sums, cells, amounts)

    def add(self, cells: Integers, amounts: Integers) -> None:
        """Add an amount to each of several different cells."""
        self._sums[cells] = add_saturating(self._sums[cells], amounts)

    def merge(self, other: Tally) -> None:
        """Add all sums of another tally."""
        for start in range(0, self._sums.size, _FEW):  # memory is used again, and not got anew
            some = slice(start, start + _FEW)
            self._sums[some] = add_saturating(self._sums[some], other._sums[some])

    def total(self) -> Integers:
        """Return the sum of each cell."""
        return np.minimum(self._sums[:-1], CAP)

    def runs(self) -> list[tuple[Integers, Integers]]:
        """Return the cells whose sums are not zero, rising, and their sums."""
        sums = self.total()
        cells = np.flatnonzero(sums)
        return [(cells, sums[cells])]


def convert_to_integers(sums: pa.ChunkedArray) -> Whole:
    """Return decimals without a fraction as whole numbers.

    Examples
    --------
    >>> convert_to_integers(pa.chunked_array([[1, 2]]).cast(pa.decimal128(38, 0)))
    array([1, 2])
    """
    ends: list[int | None] = [*pc.min_max(sums).as_py().values()]
    if all(end is None or -CAP <= end <= CAP for end in ends):
        return np.asarray(sums.cast(pa.int64()))
    return [int(each) for each in sums.to_pylist()]


def cap_integers(amounts: Whole) -> Integers:
    """Return numbers of any size, none above `CAP`, as 64-bit integers.

    Examples
    --------
    >>> cap_integers([5, 2**90]) == [5, CAP]
    array([ True,  True])
    """
    if isinstance(amounts, np.ndarray):
        return np.minimum(amounts, CAP)
    return np.array([min(amount, CAP) for amount in amounts], dtype=np.int64)


def add_saturating(one: Integers, other: Integers) -> Integers:
    """Return ``min(one + other, CAP)`` without ever overflowing.

    Examples
    --------
    >>> add_saturating(np.array([1, CAP]), np.array([2, CAP])) == [3, CAP]
    array([ True,  True])
    """
    one = np.minimum(one, CAP)
    return one + np.minimum(other, CAP - one)


class Totals:
    """Sums of whole numbers from 0 to 2³⁰, one to each value that occurs; none is NULL.

    A sum is the smaller of its true value and `CAP`.
    """

    def __init__(self) -> None:
        self._values: pa.Array | None = None
        self._sums: Integers = np.zeros(0, dtype=np.int64)
        self._waiting: list[tuple[pa.Array, Integers]] = []
        self._rows = 0

    def add(self, values: pa.Array, amounts: Integers | int) -> None:
        """Add an amount to the sum of each value."""
        self._waiting.append((values, np.broadcast_to(np.int64(amounts), len(values))))
        self._rows += len(values)
        # As many as there are already, so that each is looked at again only now and then.
        if self._rows > max(_FEW, self._sums.size):
            self._merge()

    def take(self, found: pa.RecordBatch) -> None:
        """Add the `amount` of each `cell`."""
        self.add(found.column("cell"), found.column("amount").to_numpy())

    def merge(self, other: Totals) -> None:
        """Add all sums of another."""
        values, sums = other.all()
        self._merge()
        if len(values):
            self._waiting = [(values, sums)]  # of which each is `CAP` at most, and comes once
            self._merge()

    def all(self) -> tuple[pa.Array, Integers]:
        """Return all values, once each, and their sums."""
        self._merge()
        nothing = pa.array([], pa.large_binary())
        return nothing if self._values is None else self._values, self._sums

    def size(self) -> int:
        """Return how many bytes values and sums take, once each."""
        values, sums = self.all()
        return values.nbytes + sums.nbytes

    def _merge(self) -> None:
        if not self._waiting:
            return
        values, amounts = zip(*self._waiting, strict=True)
        known = [] if self._values is None else [self._values]
        # What was there before comes first, and so keeps its place.
        coded = pa.concat_arrays([*known, *values]).dictionary_encode()
        sums = np.zeros(len(coded.dictionary), dtype=np.int64)
        sums[: self._sums.size] = self._sums
        np.add.at(sums, coded.indices.to_numpy()[self._sums.size :], np.concatenate(amounts))
        self._values, self._sums = coded.dictionary, np.minimum(sums, CAP)
        self._waiting, self._rows = [], 0


T = TypeVar("T")


class Addition(ABC, Generic[T]):
    """Public facts that tell how rows become whole numbers, and how these are added.

    An engine makes `zeros` for each part of a table and adds blocks of rows to them; the `entries`
    of all parts together, summed by their numbers, are the answer. All sums are exact, so that it
    depends on no order, no partition and no engine. The object itself is all that has to travel
    to the rows.

    Privacy
    -------
    A row adds what follows from that row and public facts alone.
    """

    @property
    @abstractmethod
    def columns(self) -> Columns:
        """The columns that are needed."""

    @abstractmethod
    def zeros(self) -> T:
        """Return sums of no rows."""

    @abstractmethod
    def add(self, sums: T, block: pa.RecordBatch) -> None:
        """Add rows that weigh one each."""

    @abstractmethod
    def entries(self, sums: T) -> Entries:
        """Return numbered sums, of which those that are zero may be left out."""


class Summation(Addition[T]):
    """An addition whose rows may also weigh what their person lets them."""

    @property
    @abstractmethod
    def most(self) -> int:
        """How many parts may be held in memory side by side."""

    @abstractmethod
    def weight(self, unit: PrivacyUnit) -> int:
        """Return how much all rows of one unit may weigh together."""

    @abstractmethod
    def place(self, block: pa.RecordBatch) -> pa.Array:
        """Return what `weigh` needs to know of each row, as one value; NULL is nowhere."""

    @abstractmethod
    def weigh(self, sums: T, found: pa.RecordBatch) -> None:
        """Add rows, given as a `cell` that `place` returned and the `amount` that each weighs."""

    @abstractmethod
    def merge(self, sums: T, other: T) -> None:
        """Add the sums of other rows to `sums`."""

    @abstractmethod
    def restore_tally(self, entries: Entries) -> T:
        """Return the sums that entries stand for, each number being given at most once."""


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
        return Columns(list_columns(self.keys), repetitive=groups)

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
        sums.count(find_cells(block, self.keys))

    def place(self, block: pa.RecordBatch) -> pa.Array:
        """Return the flat cell of each row."""
        return mask_negative(find_cells(block, self.keys))

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

    def restore_tally(self, entries: Entries) -> Tally:
        """Return a tally with these cells."""
        sums = self.zeros()
        sums.add(entries[0], cap_integers(entries[1]))
        return sums

    @property
    def _size(self) -> int:
        return math.prod(shape(self.keys))


@dataclass(frozen=True)
class Marginals(Summation[Sequence[Tally]]):
    """What `Counts` would be for each of several lists of keys, in one pass.

    Not for ``max_rows``: which rows of a person count is decided for each list by its own cells.

    Privacy
    -------
    One unit adds at most ``unit.weight`` to the counts of each list. A row that is nowhere is left
    out of the counts of that list alone, and takes its share of a person's weight there.
    """

    tables: tuple[tuple[Question, ...], ...]

    @property
    def columns(self) -> Columns:
        """The columns of all keys, of which categories repeat."""
        keys = [*chain.from_iterable(self.tables)]
        groups = [key.column for key in keys if isinstance(key, Labels)]
        return Columns(list_columns(keys), repetitive=groups)

    @property
    def most(self) -> int:
        """As many as `MOST_SUMS` has room for."""
        return MOST_SUMS // max(1, sum(self._sizes))

    def weight(self, unit: PrivacyUnit) -> int:
        """Return the unit's own weight."""
        return unit.weight

    def zeros(self) -> Sequence[Tally]:
        """Return a tally for each list."""
        return [Tally(size) for size in self._sizes]

    def add(self, sums: Sequence[Tally], block: pa.RecordBatch) -> None:
        """Count rows in every list."""
        for cells, tally in zip(find_marginal_cells(block, self.tables), sums, strict=True):
            tally.count(cells)

    def place(self, block: pa.RecordBatch) -> pa.Array:
        """Return the cells of each row in all lists."""
        return pack_numbers(np.array(find_marginal_cells(block, self.tables), dtype=np.float64))

    def weigh(self, sums: Sequence[Tally], found: pa.RecordBatch) -> None:
        """Add what rows weigh to their cells in every list."""
        amounts = found.column("amount").to_numpy()
        lines = unpack_numbers(found.column("cell"), len(self.tables))
        for line, tally in zip(lines, sums, strict=True):
            tally.weigh(line.astype(np.int64), amounts)

    def merge(self, sums: Sequence[Tally], other: Sequence[Tally]) -> None:
        """Add list by list."""
        for tally, more in zip(sums, other, strict=True):
            tally.merge(more)

    def entries(self, sums: Sequence[Tally]) -> Entries:
        """Return the occupied cells, those of each list after all of the lists before it."""
        runs = [run for tally in sums for run in tally.runs()]
        where = [start + found for start, (found, _) in zip(self._starts, runs, strict=True)]
        return np.concatenate(where), np.concatenate([amounts for _, amounts in runs])

    def restore_tally(self, entries: Entries) -> Sequence[Tally]:
        """Return tallies with these cells."""
        where, amounts = entries[0], cap_integers(entries[1])
        sums = self.zeros()
        for size, start, tally in zip(self._sizes, self._starts, sums, strict=True):
            here = (where >= start) & (where < start + size)
            tally.add(where[here] - start, amounts[here])
        return sums

    @property
    def _sizes(self) -> list[int]:
        return [math.prod(shape(keys)) for keys in self.tables]

    @property
    def _starts(self) -> list[int]:
        return [0, *accumulate(self._sizes[:-1])]


def divide_marginals(
    tables: Sequence[Sequence[Question]],
) -> list[tuple[tuple[Question, ...], ...]]:
    """Divide lists of keys among passes, of which each has as many cells as one list may have.

    Examples
    --------
    >>> from sfumato.domain import Bounds
    >>> from sfumato.grid import Grid
    >>> wide, slim = [Grid("x", Bounds(0, 1), MOST_CELLS)], [Grid("y", Bounds(0, 1), 2)]
    >>> [len(each) for each in divide_marginals([slim, slim, wide, slim])]
    [2, 1, 1]
    """
    passes: list[tuple[tuple[Question, ...], ...]] = []
    room = 0
    for keys in tables:
        size = math.prod(shape(keys))
        if not passes or size > room:
            passes.append(())
            room = MOST_CELLS
        passes[-1] += (tuple(keys),)
        room -= size
    return passes
