"""The sums of a map: what all rows or people together weigh in each cell, few of them occupied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import pyarrow as pa

from sfumato.engines.bounding import SharedContribution, Stream, sum_contributions
from sfumato.engines.cells import make_cell_locator, weigh_rows
from sfumato.engines.columns import Integers, mask_negative
from sfumato.engines.people import read_units
from sfumato.engines.selection import find_rows, widen
from sfumato.engines.sources.source import Columns, Source, read_blocks
from sfumato.engines.sources.source import cut_evenly as cut
from sfumato.engines.sums import CAP, Addition, CellSums, Entries, Tally
from sfumato.engines.table import Report, Resources, count_workers, run_in_parallel
from sfumato.engines.typed import TypedTerm
from sfumato.plane import Plane, Weight
from sfumato.privacy.guarantee import PrivacyUnit

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


class SparseTally(CellSums):
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
        """Return what there is, in runs that `merge_runs` adds up."""
        self._sort()
        return self._runs

    def _sort(self) -> None:
        if self._waiting:
            self._runs.append(_sum_equal_cells(self._waiting, sort="quicksort"))
            self._occupied += self._runs[-1][0].size
            self._waiting, self._rows = [], 0
        if self._occupied > self._most or len(self._runs) > _RUNS:
            self._runs = [merge_runs(self._runs)]
            self._occupied = self._runs[0][0].size
            self._most = max(_MANY, 2 * self._occupied)


def merge_runs(runs: Sequence[Run], *, threads: int = 1) -> Run:
    """Return all cells of several runs, and their sums.

    Examples
    --------
    >>> one, other = np.array([[1, 5], [2, CAP]]), np.array([[5], [1]])
    >>> cells, sums = merge_runs([(one[0], one[1]), (other[0], other[1])])
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
            found.append(
                _sum_equal_cells(rows, sort="stable")
            )  # which finds runs, and only merges them
        return found

    found = run_in_parallel(work, cut(len(pivots) + 1, threads), lambda _: None)
    cells, sums = (
        np.concatenate(both) for both in zip(*(r for part in found for r in part), strict=True)
    )
    return cells, sums


_NONE: Integers = np.empty(0, dtype=np.int64)


def _sum_equal_cells(rows: Sequence[Run], *, sort: Literal["quicksort", "stable"]) -> Run:
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
    cells, sums = cells[first], _sum_saturating(amounts, first)
    return (cells, sums) if sums.all() else (cells[sums > 0], sums[sums > 0])


def _sum_saturating(amounts: Integers, first: Integers) -> Integers:
    """Return the sums of amounts from each `first` to the next, but at most `CAP`."""
    if amounts.max(initial=0) <= CAP // max(1, amounts.size):
        return np.add.reduceat(amounts, first)
    high = np.add.reduceat(amounts >> _HALF, first)
    low = np.add.reduceat(amounts & (2**_HALF - 1), first)
    high += low >> _HALF
    whole = (np.minimum(high, 2**_HALF - 1) << _HALF) | (low & (2**_HALF - 1))
    return np.where(high >= 2**_HALF, CAP, np.minimum(whole, CAP))


MOST_LISTED = 2**22
"""How many cells a map may have before only the occupied ones are listed."""

_MOST_PARTS = 16  # of which each may list all cells: half a gibibyte together

Rows = tuple[pa.Array, Integers, Integers | None]
"""Whose rows are, where, and how heavy if not all alike; the cell -1 is nowhere."""


@dataclass(frozen=True)
class Masses(Addition[CellSums]):
    """A question for the sums of a map, to be asked of a table.

    Privacy
    -------
    A row adds 1, or what it weighs, or nothing where it does not meet the condition; a person adds
    at most ``unit.weight``, over all cells together. Whether people are gathered in memory or on
    disk depends on the data, and shows in nothing but time: both give the same integers.
    """

    plane: Plane
    unit: PrivacyUnit
    weight: Weight | None
    where: TypedTerm | None = None

    @property
    def columns(self) -> Columns:
        """Both sides of the map, what rows weigh, whose they are, and what tells them apart."""
        weights = [] if self.weight is None else [self.weight.column]
        groups = [] if self.plane.hue is None else [self.plane.hue.column]
        sides = Columns([self.plane.x.column, self.plane.y.column, *groups, *weights])
        return widen(sides.beside(self.unit.columns), self.where)

    def zeros(self) -> CellSums:
        """Return a tally of all cells, or of the occupied ones where there are too many."""
        cells = self.plane.cells
        return Tally(cells) if cells <= MOST_LISTED else SparseTally()

    def add(self, sums: CellSums, block: pa.RecordBatch) -> None:
        """Add what rows weigh to their cells, whoever they belong to."""
        _, where, heavy = self.rows(block)
        sums.weigh(where, 1 if heavy is None else heavy)

    def entries(self, sums: CellSums) -> Entries:
        """Return the occupied cells."""
        return merge_runs(sums.runs())

    def rows(self, block: pa.RecordBatch) -> Rows:
        """Return whose rows are, where, and how heavy if not all alike.

        Privacy
        -------
        Each depends on its own row and public facts alone.
        """
        person, weight = self.unit.columns, self.weight
        whose = read_units(block, person) if person else pa.nulls(block.num_rows)
        heavy = None if weight is None else weigh_rows(block.column(weight.column), weight)
        cells = _placing(self.plane)(block)
        if self.where is not None:
            cells[~find_rows(block, self.where)] = -1
        return whose, cells, heavy

    def listed(self, block: pa.RecordBatch) -> pa.RecordBatch:
        """Return the same as columns: person, cell and, where rows have weights, steps."""
        whose, where, heavy = self.rows(block)
        columns = {"person": whose, "cell": mask_negative(where)}
        return pa.record_batch(columns if heavy is None else {**columns, "steps": pa.array(heavy)})

    def weigh(self, sums: CellSums, found: pa.RecordBatch) -> None:
        """Add what people's rows weigh to their cells."""
        sums.weigh(found.column("cell").to_numpy(), found.column("amount").to_numpy())

    def grouped(self, rows: Iterator[pa.RecordBatch], resources: Resources) -> pa.Table:
        """Return what all people together weigh in each cell, of rows that were `listed`.

        Privacy
        -------
        One person adds at most ``unit.weight``. All rows of a person must be among these.
        """
        cells, sums = self._sum_people([lambda _: rows], resources, lambda _: None)
        return pa.table({"cell": cells, "amount": sums})

    def asked(self, source: Source, resources: Resources, report: Report) -> Run:
        """Return the cells that weigh anything, rising, and their sums in integer steps.

        Privacy
        -------
        See the class: nothing here is private yet.
        """
        threads = min(count_workers(resources), _MOST_PARTS)
        parts = source.split(threads)
        if self.unit.column is None:
            return _merge_parts(run_in_parallel(self._added, parts, report), threads)
        return self._sum_people([self._stream(part) for part in parts], resources, report)

    def _added(self, part: Source, report: Report) -> CellSums:
        sums = self.zeros()
        with closing(read_blocks(part, self.columns, report)) as stream:
            for block in stream:
                self.add(sums, block)
        return sums

    def _stream(self, part: Source) -> Stream:
        def rows(report: Report) -> Iterator[pa.RecordBatch]:
            with closing(read_blocks(part, self.columns, report)) as stream:
                yield from map(self.listed, stream)

        return rows

    def _sum_people(self, streams: Sequence[Stream], resources: Resources, report: Report) -> Run:
        found = sum_contributions(
            streams,
            SharedContribution(self.unit.weight),
            self.zeros,
            self.weigh,
            resources=resources,
            report=report,
            most=_MOST_PARTS,
        )
        return _merge_parts(found, len(found))


# Its tables are large, and must not travel with the question.
_placing = lru_cache(maxsize=2)(make_cell_locator)


def sort_occupied_cells(found: pa.Table) -> Run:
    """Return the cells of a table of cells and amounts that weigh anything, rising."""
    cells, sums = (np.asarray(found.column(name)) for name in ("cell", "amount"))
    order = np.argsort(cells)
    order = order[sums[order] > 0]
    return cells[order], sums[order]


def _merge_parts(parts: Sequence[CellSums], threads: int) -> Run:
    return merge_runs([run for part in parts for run in part.runs()], threads=threads)
