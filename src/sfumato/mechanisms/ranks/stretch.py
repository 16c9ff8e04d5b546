"""`Stretch`: the positions near a target rank, gathered into few states. See `../joint.md`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.mechanisms.ranks.profile import POSITIONS, Floats, Integers, Profile

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


def stretch(
    profile: Profile, origin: Fraction, low: float, high: float, *, pitch: float
) -> Stretch:
    """Gather all positions whose rank lies between `low` and `high` units above `origin`.

    A slice spans `pitch` units of rank at most. Slices at the ends may reach a little further.
    """
    begins = profile.beyond(origin)
    gaps = _gaps(profile, origin, begins, low, high)
    slices = _slices(profile, origin, begins, (low, high), pitch)
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


def _gaps(profile: Profile, origin: Fraction, begins: Floats, low: float, high: float) -> Stretch:
    left = np.concatenate([[profile.start], profile.where + 1])
    right = np.concatenate([profile.where, [profile.stop]])
    here = np.flatnonzero((left < right) & (begins >= low) & (begins <= high))
    rank = begins[here]
    return Stretch(origin, 2 * here, left[here], right[here], rank, np.zeros_like(rank))


def _slices(
    profile: Profile, origin: Fraction, begins: Floats, ends: tuple[float, float], pitch: float
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
