"""One pass over a table: by rows, side by side, or by people."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa

from sfumato.engines.blocks import blocks, now_and_then
from sfumato.engines.bounding import amounts, weighed_rows
from sfumato.engines.columns import identities
from sfumato.engines.connection import Resources
from sfumato.engines.parallel import Report, side_by_side
from sfumato.engines.sources.source import Columns, Source
from sfumato.privacy.unit import PrivacyUnit

T = TypeVar("T")
Place = Callable[[pa.RecordBatch], pa.Array]
"""From rows to their cells, where NULL is nowhere."""


@dataclass(frozen=True)
class Reading:
    """A table, and what may be spent on reading it.

    Parameters
    ----------
    salt
        The secret that decides which rows of a person count.
    """

    source: Source
    resources: Resources
    salt: str
    progress: Report | None

    def by_rows(
        self,
        columns: Columns,
        zeros: Callable[[], T],
        add: Callable[[T, pa.RecordBatch], None],
        *,
        most: int,
    ) -> list[T]:
        """Return sums of all blocks, to be added up: one for each of at most `most` threads.

        Privacy
        -------
        Which rows fall to which thread shows in nothing, where sums are whole numbers.
        """

        def work(part: Source, report: Report) -> T:
            sums = zeros()
            with closing(blocks(part, columns, report)) as stream:
                for block in stream:
                    add(sums, block)
            return sums

        threads = self.resources.threads or os.cpu_count() or 1
        parts = self.source.split(max(1, min(threads, most)))
        return side_by_side(work, parts, now_and_then(self.progress))

    def by_cells(self, columns: Columns, unit: PrivacyUnit, place: Place) -> pa.Table:
        """Return how much all units together count in each occupied cell.

        Privacy
        -------
        One unit adds at most ``unit.weight`` over all cells together.
        """
        with self._pairs(columns, unit, place) as pairs:
            return amounts(pairs, unit, salt=self.salt, resources=self.resources)

    def by_people(
        self,
        columns: Columns,
        unit: PrivacyUnit,
        place: Place,
        weight: int,
        take: Callable[[pa.RecordBatch], None],
    ) -> None:
        """Hand on the cells of rows with what each counts, in any order and without holding them.

        Privacy
        -------
        One person's rows count at most `weight` together.
        """
        with self._pairs(columns, unit, place) as pairs:
            weighed_rows(pairs, unit, weight, take, salt=self.salt, resources=self.resources)

    @contextmanager
    def _pairs(
        self, columns: Columns, unit: PrivacyUnit, place: Place
    ) -> Generator[Generator[pa.RecordBatch]]:
        person = unit.column

        def pair(block: pa.RecordBatch) -> pa.RecordBatch:
            where = place(block)
            whose = where if person is None else identities(block.column(person))
            return pa.record_batch([whose, where], names=["person", "cell"])

        people = [] if person is None else [person]
        wanted = Columns([*columns.names, *people], columns.repetitive)
        with closing(blocks(self.source, wanted, now_and_then(self.progress))) as stream:
            yield (pair(block) for block in stream)
