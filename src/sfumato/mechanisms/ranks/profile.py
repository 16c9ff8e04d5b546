"""`Profile`: one group's counts along the value grid, read as ranks. See `../joint.md`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import Exact
from sfumato.mechanisms.ranks.halves import HALF, MASK, halves

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

POSITIONS = 2**40
"""How many positions one cell has: a count is spread evenly over them."""

MOST_UNITS = 2**36
"""How many privacy units one cell holds at most, so that neighbouring positions differ by 1/16."""


@dataclass(frozen=True, eq=False)
class Profile:
    """The occupied cells of one group.

    Parameters
    ----------
    start, stop
        The cells a quantile may lie in: from `start` up to, and without, `stop`.
    unit
        How many integer steps one privacy unit may add.
    where, counts
        The occupied cells, rising, and the steps counted in each.
    """

    start: int
    stop: int
    unit: int
    where: Integers
    counts: Integers

    @cached_property
    def _sums(self) -> tuple[Integers, Integers]:
        """The steps before each occupied cell, and all of them, in two halves of 31 bits.

        Halves add up without leaving 64 bits, whatever the counts.
        """
        high, low = halves(self.counts)
        zero = np.zeros(1, dtype=np.int64)
        return np.concatenate([zero, high.cumsum()]), np.concatenate([zero, low.cumsum()])

    def before(self, index: int) -> int:
        """Return the steps before an occupied cell; beyond the last, all steps."""
        high, low = self._sums
        return (int(high[index]) << HALF) + int(low[index])

    @property
    def size(self) -> int:
        """The steps of the whole group."""
        return self.before(self.counts.size)

    @cached_property
    def heights(self) -> Floats:
        """The units in each occupied cell."""
        return self.counts / self.unit

    def beyond(self, target: Fraction) -> Floats:
        """Return by how many units the ranks where cells begin lie above a target, in steps.

        The difference is taken in integers, so it is exact where it is small.
        """
        high, low = self._sums
        whole = int(target)
        upper = (high - (whole >> HALF)) * float(1 << HALF)
        return (upper + (low - (whole & MASK)) - float(target - whole)) / self.unit

    def rank(self, index: int, position: int) -> Fraction:
        """Return the steps below a position of an occupied cell: half of its own count as well."""
        share = Fraction(2 * position + 1, 2 * POSITIONS)
        return self.before(index) + int(self.counts[index]) * share

    def filled(self, size: int) -> Profile:
        """Return the profile with what it lacks of `size` steps in its last cell."""
        last, missing = self.stop - 1, size - self.size
        if missing <= 0:
            return self
        others = self.where < last
        held = int(self.counts[~others].sum()) + missing
        return self._part(
            self.start,
            self.stop,
            [self.where[others], np.array([last])],
            [self.counts[others], np.array([held])],
        )

    def cut(self, cell: int, position: int) -> tuple[Profile, Profile]:
        """Return what lies to the left and to the right of a position, sharing its cell.

        The steps of the shared cell are divided without remainder: what one side gains by a unit,
        the other does not.
        """
        index = int(np.searchsorted(self.where, cell))
        left, right = slice(0, index), slice(index, None)
        shared = np.zeros(0, dtype=np.int64)
        if index < self.where.size and self.where[index] == cell:
            right = slice(index + 1, None)
            shared = np.array([int(self.counts[index]) * position // POSITIONS], dtype=np.int64)
        cells = self.where[index : index + shared.size]
        rest = self.counts[index : index + shared.size] - shared
        return (
            self._part(
                self.start, cell + 1, [self.where[left], cells], [self.counts[left], shared]
            ),
            self._part(cell, self.stop, [cells, self.where[right]], [rest, self.counts[right]]),
        )

    def _part(
        self, start: int, stop: int, where: list[Integers], counts: list[Integers]
    ) -> Profile:
        cells, steps = np.concatenate(where), np.concatenate(counts)
        return Profile(start, stop, self.unit, cells[steps > 0], steps[steps > 0])


def profiles(exact: Exact) -> list[Profile]:
    """Return a profile for each row of an answer of shape (groups, cells).

    Privacy
    -------
    Nothing here is private. A cell that holds more than 2³⁶ units counts as that many, which
    moves no count further than the data did.
    """
    unit, rows = exact.l1, exact.reveal()
    most = min(unit * MOST_UNITS, int(np.iinfo(np.int64).max))
    found: list[Profile] = []
    for row in rows:
        where = np.flatnonzero(row)
        found.append(Profile(0, row.size, unit, where, np.minimum(row[where], most)))
    return found
