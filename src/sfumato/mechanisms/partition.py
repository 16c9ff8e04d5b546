"""Counts in wider bins, from counts in cells. The argument stands in `partition.md`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import Exact
from sfumato.mechanisms.ranks.profile import HALF, MASK, split_halves

_MOST = 2**62 - 1


def partition(exact: Exact, starts: Sequence[Sequence[int]], *, replaced: bool = False) -> Exact:
    """Add up neighbouring cells of each group.

    Parameters
    ----------
    exact
        Counts of shape (groups, cells).
    starts
        For each group the cells where its bins begin, rising from 0. A bin ends where the next
        begins, and holds nothing where both begin at once. Groups with fewer bins than others
        have empty ones at the end.
    replaced
        Whether neighbours replace one unit by another, which moves twice as much as one alone.

    Privacy
    -------
    Nothing here is private. Each cell lies in one bin, so one unit moves all bins together by no
    more than it moved the cells.

    Examples
    --------
    >>> counts = Exact(l1=1, l2_squared=1, step=1.0, _values=np.ones((1, 8), dtype=np.int64))
    >>> partition(counts, [[0, 2, 2, 5]]).reveal()
    array([[2, 0, 3, 3]])
    """
    rows = exact.reveal()
    bins = np.zeros((len(rows), max(map(len, starts), default=0)), dtype=np.int64)
    for row, begins, sums in zip(rows, starts, bins, strict=True):
        # Whatever the starts are, bins stay inside the grid and apart from each other.
        places = np.maximum.accumulate(np.clip(np.asarray(begins, dtype=np.int64), 0, row.size))
        filled = np.flatnonzero(np.diff(places, append=row.size))
        if filled.size:
            sums[filled] = _sum_in_halves(row, places[filled])
    l1 = 2 * exact.l1 if replaced else exact.l1
    return Exact(l1, l1**2, exact.step, _values=bins)


def _sum_in_halves(row: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add up in halves of 31 bits, which never leave 64; a sum of 2⁶² and more counts as less."""
    high, low = (np.add.reduceat(half, places) for half in split_halves(row))
    high += low >> HALF
    return np.where(high > MASK, _MOST, (np.minimum(high, MASK) << HALF) + (low & MASK))


def sum_groups(exact: Exact) -> Exact:
    """Add up all cells of each group, into a single bin.

    Privacy
    -------
    Nothing here is private; the sensitivities are those of `exact`.
    """
    return partition(exact, [[0]] * len(exact.reveal()))
