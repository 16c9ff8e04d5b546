"""Integer sums over cells, which merge in any order to the same result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.engines.columns import Integers

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


class Sums(ABC):
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


class Tally(Sums):
    """Sums of which each cell has one."""

    def __init__(self, cells: int) -> None:
        # One place more than there are cells: index -1, counted nowhere, is the last.
        self._sums: Integers = np.zeros(cells + 1, dtype=np.int64)
        self._rows = 0

    def count(self, cells: Integers) -> None:
        """Add 1 to the cell of each row; far fewer than 2⁶² rows can ever be read."""
        np.add.at(self._sums, cells, 1)

    def weigh(self, cells: Integers, amounts: Integers | int) -> None:
        """Add an amount of at most `MOST_EACH` to the cell of each row; -1 is nowhere."""
        self._rows += cells.size
        if self._rows > _MOST_ROWS:
            self._rows = cells.size
            np.minimum(self._sums, CAP, out=self._sums)
        np.add.at(self._sums, cells, amounts)

    def add(self, cells: Integers, amounts: Integers) -> None:
        """Add an amount to each of several different cells."""
        self._sums[cells] = saturated(self._sums[cells], amounts)

    def merge(self, other: Tally) -> None:
        """Add all sums of another tally."""
        for start in range(0, self._sums.size, _FEW):  # memory is used again, and not got anew
            some = slice(start, start + _FEW)
            self._sums[some] = saturated(self._sums[some], other._sums[some])

    def total(self) -> Integers:
        """Return the sum of each cell."""
        return np.minimum(self._sums[:-1], CAP)

    def runs(self) -> list[tuple[Integers, Integers]]:
        """Return the cells whose sums are not zero, rising, and their sums."""
        sums = self.total()
        cells = np.flatnonzero(sums)
        return [(cells, sums[cells])]


def whole(sums: pa.ChunkedArray) -> Whole:
    """Return decimals without a fraction as whole numbers.

    Examples
    --------
    >>> whole(pa.chunked_array([[1, 2]]).cast(pa.decimal128(38, 0)))
    array([1, 2])
    """
    ends: list[int | None] = [*pc.min_max(sums).as_py().values()]
    if all(end is None or -CAP <= end <= CAP for end in ends):
        return np.asarray(sums.cast(pa.int64()))
    return [int(each) for each in sums.to_pylist()]


def capped(amounts: Whole) -> Integers:
    """Return numbers of any size, none above `CAP`, as 64-bit integers.

    Examples
    --------
    >>> capped([5, 2**90]) == [5, CAP]
    array([ True,  True])
    """
    if isinstance(amounts, np.ndarray):
        return np.minimum(amounts, CAP)
    return np.array([min(amount, CAP) for amount in amounts], dtype=np.int64)


def saturated(one: Integers, other: Integers) -> Integers:
    """Return ``min(one + other, CAP)`` without ever overflowing.

    Examples
    --------
    >>> saturated(np.array([1, CAP]), np.array([2, CAP])) == [3, CAP]
    array([ True,  True])
    """
    one = np.minimum(one, CAP)
    return one + np.minimum(other, CAP - one)
