"""The sums of a map: what all rows or people together weigh in each cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from sfumato.engines.blocks import blocks
from sfumato.engines.bounding import Shared, Stream, weighed
from sfumato.engines.columns import Integers, nullable
from sfumato.engines.parallel import Report, side_by_side
from sfumato.engines.people import persons
from sfumato.engines.places import places, steps
from sfumato.engines.resources import Resources, workers
from sfumato.engines.sources.source import Columns, Source
from sfumato.engines.sparse import Run, SparseTally, merged
from sfumato.engines.summing import Addition
from sfumato.engines.tally import Entries, Sums, Tally
from sfumato.plane import Plane, Weight
from sfumato.privacy.unit import PrivacyUnit

MOST_LISTED = 2**22
"""How many cells a map may have before only the occupied ones are listed."""

_MOST_PARTS = 16  # of which each may list all cells: half a gibibyte together

Rows = tuple[pa.Array, Integers, Integers | None]
"""Whose rows are, where, and how heavy if not all alike; the cell -1 is nowhere."""


@dataclass(frozen=True)
class Masses(Addition[Sums]):
    """A question for the sums of a map, to be asked of a table.

    Privacy
    -------
    A row adds 1, or what it weighs; a person adds at most ``unit.weight``, over all cells together.
    Whether people are gathered in memory or on disk depends on the data, and shows in nothing but
    time: both give the same integers.
    """

    plane: Plane
    unit: PrivacyUnit
    weight: Weight | None

    @property
    def columns(self) -> Columns:
        """Both sides of the map, what rows weigh, and whose they are."""
        weights = [] if self.weight is None else [self.weight.column]
        sides = Columns([self.plane.x.column, self.plane.y.column, *weights])
        return sides.beside(self.unit.column)

    def zeros(self) -> Sums:
        """Return a tally of all cells, or of the occupied ones where there are too many."""
        cells = 4**self.plane.levels
        return Tally(cells) if cells <= MOST_LISTED else SparseTally()

    def add(self, sums: Sums, block: pa.RecordBatch) -> None:
        """Add what rows weigh to their cells, whoever they belong to."""
        _, where, heavy = self.rows(block)
        sums.weigh(where, 1 if heavy is None else heavy)

    def entries(self, sums: Sums) -> Entries:
        """Return the occupied cells."""
        return merged(sums.runs())

    def rows(self, block: pa.RecordBatch) -> Rows:
        """Return whose rows are, where, and how heavy if not all alike.

        Privacy
        -------
        Each depends on its own row and public facts alone.
        """
        person, weight = self.unit.column, self.weight
        whose = pa.nulls(block.num_rows) if person is None else persons(block.column(person))
        heavy = None if weight is None else steps(block.column(weight.column), weight)
        return whose, _placing(self.plane)(block), heavy

    def listed(self, block: pa.RecordBatch) -> pa.RecordBatch:
        """Return the same as columns: person, cell and, where rows have weights, steps."""
        whose, where, heavy = self.rows(block)
        columns = {"person": whose, "cell": nullable(where)}
        return pa.record_batch(columns if heavy is None else {**columns, "steps": pa.array(heavy)})

    def weigh(self, sums: Sums, found: pa.RecordBatch) -> None:
        """Add what people's rows weigh to their cells."""
        sums.weigh(found.column("cell").to_numpy(), found.column("amount").to_numpy())

    def grouped(self, rows: Iterator[pa.RecordBatch], resources: Resources) -> pa.Table:
        """Return what all people together weigh in each cell, of rows that were `listed`.

        Privacy
        -------
        One person adds at most ``unit.weight``. All rows of a person must be among these.
        """
        cells, sums = self._of_people([lambda _: rows], resources, lambda _: None)
        return pa.table({"cell": cells, "amount": sums})

    def asked(self, source: Source, resources: Resources, report: Report) -> Run:
        """Return the cells that weigh anything, rising, and their sums in integer steps.

        Privacy
        -------
        See the class: nothing here is private yet.
        """
        threads = min(workers(resources), _MOST_PARTS)
        parts = source.split(threads)
        if self.unit.column is None:
            return _together(side_by_side(self._added, parts, report), threads)
        return self._of_people([self._stream(part) for part in parts], resources, report)

    def _added(self, part: Source, report: Report) -> Sums:
        sums = self.zeros()
        with closing(blocks(part, self.columns, report)) as stream:
            for block in stream:
                self.add(sums, block)
        return sums

    def _stream(self, part: Source) -> Stream:
        def rows(report: Report) -> Iterator[pa.RecordBatch]:
            with closing(blocks(part, self.columns, report)) as stream:
                yield from map(self.listed, stream)

        return rows

    def _of_people(self, streams: Sequence[Stream], resources: Resources, report: Report) -> Run:
        found = weighed(
            streams,
            Shared(self.unit.weight),
            self.zeros,
            self.weigh,
            resources=resources,
            report=report,
            most=_MOST_PARTS,
        )
        return _together(found, len(found))


# Its tables are large, and must not travel with the question.
_placing = lru_cache(maxsize=2)(places)


def risen(found: pa.Table) -> Run:
    """Return the cells of a table of cells and amounts that weigh anything, rising."""
    cells, sums = (np.asarray(found.column(name)) for name in ("cell", "amount"))
    order = np.argsort(cells)
    order = order[sums[order] > 0]
    return cells[order], sums[order]


def _together(parts: Sequence[Sums], threads: int) -> Run:
    return merged([run for part in parts for run in part.runs()], threads=threads)
