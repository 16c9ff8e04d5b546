"""The sums of a map: what all rows or people together weigh in each cell."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from sfumato.engines.blocks import blocks
from sfumato.engines.bounding import amounts, weighed_amounts
from sfumato.engines.columns import Integers, identities, nullable
from sfumato.engines.connection import Resources, memory
from sfumato.engines.parallel import Report, side_by_side
from sfumato.engines.places import places, steps
from sfumato.engines.sharing import Held, Rows, shared
from sfumato.engines.sources.source import Columns, Source
from sfumato.engines.sparse import Run, SparseTally, merged
from sfumato.engines.tally import Sums, Tally
from sfumato.plane import Plane, Weight
from sfumato.privacy.unit import PrivacyUnit

_MOST_LISTED = 2**22  # cells, beyond which only the occupied ones are listed
_MOST_PARTS = 16  # of which each may list all cells: half a gibibyte together
_MOST_HELD = 2**33  # bytes of rows, so that there are at most 2³⁰
_USUALLY_HELD = 2**29  # where no limit is given
_SHARE_HELD = 8  # part of a limit that rows may fill, since numbering and sorting need the rest


@dataclass(frozen=True)
class Masses:
    """A question for the sums of a map, to be asked of a table.

    Privacy
    -------
    A row adds 1, or what it weighs; a person adds at most ``unit.weight``, over all cells together.
    Whether people are grouped in memory or on disk depends on the data, and shows in nothing but
    time: both give the same integers.
    """

    plane: Plane
    unit: PrivacyUnit
    weight: Weight | None

    def asked(self, source: Source, resources: Resources, report: Report) -> Run:
        """Return the cells that weigh anything, rising, and their sums in integer steps.

        Privacy
        -------
        See the class: nothing here is private yet.
        """
        threads = min(resources.threads or os.cpu_count() or 1, _MOST_PARTS)
        parts = source.split(threads)
        if self.unit.column is None:
            sums = side_by_side(self._rows_added, parts, report)
            return _together(sums, threads)
        room = _room(resources) // len(parts)
        held = side_by_side(lambda part, note: self._held(part, note, room), parts, report)
        kept = [part for part in held if part is not None]
        if len(kept) < len(held):
            return self._on_disk(source, resources, report)
        return _together(shared(kept, self._zeros, threads=threads), threads)

    def _rows_added(self, part: Source, report: Report) -> Sums:
        sums = self._zeros()
        with closing(self._rows(part, report)) as rows:
            for _, where, heavy in rows:
                sums.weigh(where, 1 if heavy is None else heavy)
        return sums

    def _held(self, part: Source, report: Report, room: int) -> Held | None:
        """Return all rows that are somebody's, or None if there is no room for them."""
        held = Held()
        with closing(self._rows(part, report)) as rows:
            for block in rows:
                room -= held.add(block)
                if room < 0:
                    return None
        return held

    def _on_disk(self, source: Source, resources: Resources, report: Report) -> Run:
        with closing(self._rows(source, report)) as rows:
            if self.weight is None:
                found = amounts(map(_pair, rows), self.unit, salt="", resources=resources)
            else:
                found = weighed_amounts(map(_triple, rows), self.unit, resources=resources)
        cells, sums = (np.asarray(found.column(name)) for name in ("cell", "amount"))
        order = np.argsort(cells)
        order = order[sums[order] > 0]
        return cells[order], sums[order]

    @cached_property
    def _place(self) -> Callable[[pa.RecordBatch], Integers]:
        return places(self.plane)

    def _rows(self, source: Source, report: Report) -> Generator[Rows]:
        place, person, weight = self._place, self.unit.column, self.weight
        names = [self.plane.x.column, self.plane.y.column, weight and weight.column, person]
        columns = Columns([name for name in names if name is not None])
        with closing(blocks(source, columns, report)) as stream:
            for block in stream:
                nobody = pa.nulls(block.num_rows)
                whose = nobody if person is None else identities(block.column(person))
                heavy = None if weight is None else steps(block.column(weight.column), weight)
                yield whose, place(block), heavy

    def _zeros(self) -> Sums:
        cells = 4**self.plane.levels
        return Tally(cells) if cells <= _MOST_LISTED else SparseTally()


def _room(resources: Resources) -> int:
    limit = memory(resources)
    return _USUALLY_HELD if limit is None else min(_MOST_HELD, limit // _SHARE_HELD)


def _together(parts: Sequence[Sums], threads: int) -> Run:
    return merged([run for part in parts for run in part.runs()], threads=threads)


def _pair(rows: Rows) -> pa.RecordBatch:
    whose, where, _ = rows
    return pa.record_batch([whose, nullable(where)], names=["person", "cell"])


def _triple(rows: Rows) -> pa.RecordBatch:
    whose, where, heavy = rows
    return pa.record_batch([whose, nullable(where), heavy], names=["person", "cell", "steps"])
