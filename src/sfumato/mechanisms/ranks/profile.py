"""`RankProfile`: one group's counts along the value grid, read as ranks. See `../joint.md`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import Exact

HALF = 31
MASK = 2**HALF - 1


def split_halves(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ``high`` and ``low`` with ``values == high * 2**31 + low``.

    Examples
    --------
    >>> high, low = split_halves(np.array([2**40 + 5]))
    >>> high, low
    (array([512]), array([5]))
    """
    return values >> HALF, values & MASK


Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

POSITIONS = 2**40
"""How many positions one cell has: a count is spread evenly over them."""

MOST_UNITS = 2**36
"""How many privacy units one cell holds at most, so that neighbouring positions differ by 1/16."""


@dataclass(frozen=True, eq=False)
class RankProfile:
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
        high, low = split_halves(self.counts)
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

    def pad_to_size(self, size: int) -> RankProfile:
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

    def cut(self, cell: int, position: int) -> tuple[RankProfile, RankProfile]:
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
    ) -> RankProfile:
        cells, steps = np.concatenate(where), np.concatenate(counts)
        return RankProfile(start, stop, self.unit, cells[steps > 0], steps[steps > 0])


def read_profiles(exact: Exact) -> list[RankProfile]:
    """Return a profile for each row of an answer of shape (groups, cells).

    Privacy
    -------
    Nothing here is private. A cell that holds more than 2³⁶ units counts as that many, which
    moves no count further than the data did.
    """
    unit, rows = exact.l1, exact.reveal()
    most = min(unit * MOST_UNITS, int(np.iinfo(np.int64).max))
    found: list[RankProfile] = []
    for row in rows:
        where = np.flatnonzero(row)
        found.append(RankProfile(0, row.size, unit, where, np.minimum(row[where], most)))
    return found


_MOST_SLICES = 2**20  # of one cell
ROUNDING = 2.0**-48
"""By how much of its height the middle of a heavy cell's slice may be misplaced."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """States in the order of their positions; each stands for neighbouring positions.

    Parameters
    ----------
    origin
        The rank, in steps, that `rank` is measured from.
    piece
        ``2 a`` for the gap before occupied cell ``a``, ``2 a + 1`` for a slice of that cell.
    low, high
        The cells of a gap, or the positions of a slice: from `low` up to, and without, `high`.
    rank
        The rank at the middle of the state, in units above `origin`.
    half
        How far the ranks of a state lie from its middle at most.
    """

    origin: Fraction
    piece: Integers
    low: Integers
    high: Integers
    rank: Floats
    half: Floats

    @property
    def width(self) -> Floats:
        """How many cells each state has; slices have a part of one."""
        return (self.high - self.low) / np.where(self.piece % 2, POSITIONS, 1)

    def positions(self, state: int) -> int:
        """Return how many positions a state stands for."""
        width = int(self.high[state] - self.low[state])
        return width if self.piece[state] % 2 else width * POSITIONS


def gather_stretch(
    profile: RankProfile, origin: Fraction, low: float, high: float, *, pitch: float
) -> Stretch:
    """Gather all positions whose rank lies between `low` and `high` units above `origin`.

    A slice spans `pitch` units of rank at most. Slices at the ends may reach a little further.
    """
    begins = profile.beyond(origin)
    gaps = _gather_gaps(profile, origin, begins, low, high)
    slices = _gather_slices(profile, origin, begins, (low, high), pitch)
    piece = np.concatenate([gaps.piece, slices.piece])
    order = np.argsort(piece, kind="stable")
    return Stretch(
        origin,
        piece[order],
        np.concatenate([gaps.low, slices.low])[order],
        np.concatenate([gaps.high, slices.high])[order],
        np.maximum.accumulate(np.concatenate([gaps.rank, slices.rank])[order]),
        np.concatenate([gaps.half, slices.half])[order],
    )


def _gather_gaps(
    profile: RankProfile, origin: Fraction, begins: Floats, low: float, high: float
) -> Stretch:
    left = np.concatenate([[profile.start], profile.where + 1])
    right = np.concatenate([profile.where, [profile.stop]])
    here = np.flatnonzero((left < right) & (begins >= low) & (begins <= high))
    rank = begins[here]
    return Stretch(origin, 2 * here, left[here], right[here], rank, np.zeros_like(rank))


def _gather_slices(
    profile: RankProfile, origin: Fraction, begins: Floats, ends: tuple[float, float], pitch: float
) -> Stretch:
    low, high = ends
    here = np.arange(
        np.searchsorted(begins[1:], low), np.searchsorted(begins[:-1], high, side="right")
    )
    begin, height = begins[here], profile.heights[here]
    # How far into its cell, as a share, the stretch begins and ends.
    first = np.floor(np.clip((low - begin) / height, 0, 1) * POSITIONS)
    last = np.ceil(np.clip((high - begin) / height, 0, 1) * POSITIONS)
    first = np.minimum(first, POSITIONS - 1)
    last = np.maximum(last, first + 1)
    number = np.ceil((last - first) / POSITIONS * height / pitch)
    number = np.clip(number, 1, np.minimum(last - first, _MOST_SLICES)).astype(np.int64)
    cell = np.repeat(np.arange(here.size), number)
    count = np.arange(cell.size) - np.repeat(number.cumsum() - number, number)
    lowest, room = first.astype(np.int64)[cell], (last - first).astype(np.int64)[cell]
    low_end = lowest + room * count // number[cell]
    high_end = lowest + room * (count + 1) // number[cell]
    scale = height[cell] / POSITIONS
    middle = begin[cell] + scale * (low_end + high_end) / 2
    # The middle of a heavy cell is a difference of large numbers: its rounding counts as span.
    half = scale * (high_end - low_end - 1) / 2 + height[cell] * ROUNDING
    return Stretch(origin, 2 * here[cell] + 1, low_end, high_end, middle, half)


_FEW = 256  # blocks that are quicker to sum one by one


@dataclass(frozen=True, eq=False)
class Windows:
    """For each state of a level, the states of the level before it that may come before it.

    Those up to `split` miss their target by less; those from `split` to `before` by more, and by
    less than one gap more. Blocks of one gap cut such a window in two at most, so two running
    sums within blocks give every window without a subtraction.

    Parameters
    ----------
    blocks, own
        The block of each state before, and the block in which the window of each state ends.
    """

    blocks: Floats
    own: Floats
    split: Integers
    before: Integers

    def sums(self, errors: Floats, weights: Floats, targets: Floats, rate: float) -> Floats:
        """Return the sum of ``weights * exp(-rate |targets - errors|)`` over all before."""
        cut = np.searchsorted(self.blocks, self.own)
        split = np.clip(self.split, np.searchsorted(self.blocks, self.own - 1), cut)
        split = np.minimum(split, self.before)
        rising = np.append(0.0, np.cumsum(weights * np.exp(rate * errors)))
        falling = weights * np.exp(-rate * errors)
        starts = np.flatnonzero(np.diff(self.blocks, prepend=np.nan) != 0)
        ends = np.append(starts[1:], errors.size)
        forward = np.append(0.0, running_sums(falling, starts))
        backward = np.append(running_sums(falling[::-1], (errors.size - ends)[::-1])[::-1], 0.0)
        above = np.where(split < cut, backward[split], 0.0)
        above += np.where(cut < self.before, forward[self.before], 0.0)
        return np.exp(-rate * targets) * rising[split] + np.exp(rate * targets) * above


def running_sums(values: Floats, starts: Integers) -> Floats:
    """Return running sums that begin anew at every start, by additions alone.

    Examples
    --------
    >>> running_sums(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([0, 2]))
    array([ 1.,  3.,  3.,  7., 12.])
    """
    sums = values.copy()
    lengths = np.diff(starts, append=values.size)
    if starts.size <= _FEW:
        for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
            np.cumsum(values[start : start + length], out=sums[start : start + length])
        return sums
    # Many blocks are short: sums of 1, 2, 4, 8 … are made in all of them at once.
    inside, reached = np.arange(values.size) - np.repeat(starts, lengths), 1
    while reached < lengths.max():
        further = np.flatnonzero(inside >= reached)
        sums[further] += sums[further - reached]
        reached *= 2
    return sums
