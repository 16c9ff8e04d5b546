"""Integer sums over more cells than could be listed, of which few are occupied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from sfumato.engines.columns import Integers
from sfumato.engines.parallel import Report, side_by_side
from sfumato.engines.sources.source import runs as cut
from sfumato.engines.tally import CAP, Sums

Run = tuple[Integers, Integers]
"""Rising cells and their sums, each at most `CAP`."""

# Work is done on few enough rows for the caches, and for memory to be used again: where all rows
# are touched at once, most of the time goes into getting memory from the system.
_FEW = 2**17
_STRIDE = 2**6
_MANY = 2**22
_RUNS = 2**10

# Bits that tell the rows of one piece of work apart, beside the 40 of a cell. A range of cells has
# at most 2¹⁷ rows, and 2⁶ more for each of the 2¹⁰ runs of up to 16 tallies.
_PLACE = 22
_HALF = 31


class SparseTally(Sums):
    """Sums of the occupied cells among up to 2⁴⁰."""

    def __init__(self) -> None:
        self._waiting: list[Run] = []
        self._rows = 0
        self._runs: list[Run] = []
        self._occupied = 0
        self._most = _MANY

    def weigh(self, cells: Integers, amounts: Integers | int) -> None:
        """Add an amount of at most `MOST_EACH` to the cell of each row; -1 is nowhere."""
        several = np.broadcast_to(np.asarray(amounts, dtype=np.int64), cells.shape)
        for start in range(0, cells.size, _FEW):
            part = slice(start, start + _FEW)
            self._waiting.append((cells[part], several[part]))
            self._rows += cells[part].size
            if self._rows >= _FEW:
                self._sort()

    def runs(self) -> list[Run]:
        """Return what there is, in runs that `merged` adds up."""
        self._sort()
        return self._runs

    def _sort(self) -> None:
        if self._waiting:
            self._runs.append(_summed(self._waiting, sort="quicksort"))
            self._occupied += self._runs[-1][0].size
            self._waiting, self._rows = [], 0
        if self._occupied > self._most or len(self._runs) > _RUNS:
            self._runs = [merged(self._runs)]
            self._occupied = self._runs[0][0].size
            self._most = max(_MANY, 2 * self._occupied)


def merged(runs: Sequence[Run], *, threads: int = 1) -> Run:
    """Return all cells of several runs, and their sums.

    Examples
    --------
    >>> one, other = np.array([[1, 5], [2, CAP]]), np.array([[5], [1]])
    >>> cells, sums = merged([(one[0], one[1]), (other[0], other[1])])
    >>> cells, sums == [2, CAP]
    (array([1, 5]), array([ True,  True]))
    """
    # Every 64th cell of each run tells how to cut all cells into ranges of nearly equal size.
    sample = np.sort(np.concatenate([cells[::_STRIDE] for cells, _ in runs] or [_NONE]))
    pivots = sample[_FEW // _STRIDE :: _FEW // _STRIDE]
    cuts = [[0, *np.searchsorted(cells, pivots).tolist(), cells.size] for cells, _ in runs]

    def work(ranges: slice, report: Report) -> list[Run]:
        found: list[Run] = []
        for index in range(ranges.start, ranges.stop):
            report(0.0)
            parts = [slice(*at[index : index + 2]) for at in cuts]
            rows = [(c[part], s[part]) for (c, s), part in zip(runs, parts, strict=True)]
            found.append(_summed(rows, sort="stable"))  # which finds runs, and only merges them
        return found

    found = side_by_side(work, cut(len(pivots) + 1, threads), lambda _: None)
    cells, sums = (
        np.concatenate(both) for both in zip(*(r for part in found for r in part), strict=True)
    )
    return cells, sums


_NONE: Integers = np.empty(0, dtype=np.int64)


def _summed(rows: Sequence[Run], *, sort: Literal["quicksort", "stable"]) -> Run:
    """Add up cells that are in no order and may be equal, or -1 for nowhere."""
    cells, amounts = (np.concatenate(both) for both in zip((_NONE, _NONE), *rows, strict=True))
    # Sorted together with their places, which is far faster than to ask for the order.
    cells <<= _PLACE
    cells |= np.arange(cells.size)
    cells.sort(kind=sort)
    cells = cells[np.searchsorted(cells, 0) :]  # what is nowhere is negative
    amounts = amounts.take(cells & (2**_PLACE - 1))
    cells >>= _PLACE
    first = np.flatnonzero(np.append(True, cells[1:] != cells[:-1])[: cells.size])
    cells, sums = cells[first], _saturated(amounts, first)
    return (cells, sums) if sums.all() else (cells[sums > 0], sums[sums > 0])


def _saturated(amounts: Integers, first: Integers) -> Integers:
    """Return the sums of amounts from each `first` to the next, but at most `CAP`."""
    if amounts.max(initial=0) <= CAP // max(1, amounts.size):
        return np.add.reduceat(amounts, first)
    high = np.add.reduceat(amounts >> _HALF, first)
    low = np.add.reduceat(amounts & (2**_HALF - 1), first)
    high += low >> _HALF
    whole = (np.minimum(high, 2**_HALF - 1) << _HALF) | (low & (2**_HALF - 1))
    return np.where(high >= 2**_HALF, CAP, np.minimum(whole, CAP))
