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
from sfumato.engines.summing import Summation
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

    def summed(self, question: Summation[T], unit: PrivacyUnit) -> T:
        """Return what a question adds up over all rows, each weighing what its unit lets it.

        Privacy
        -------
        One unit's rows weigh at most ``question.weight(unit)`` together. Which rows fall to which
        thread shows in nothing, since sums are whole numbers.
        """
        if unit.column is None:
            return self._of_rows(question)
        sums = question.zeros()
        with self._pairs(question.columns, unit, question.place) as pairs:
            weighed_rows(
                pairs,
                unit,
                question.weight(unit),
                lambda found: question.weigh(sums, found),
                salt=self.salt,
                resources=self.resources,
            )
        return sums

    def by_cells(self, columns: Columns, unit: PrivacyUnit, place: Place) -> pa.Table:
        """Return how much all units together count in each occupied cell.

        Privacy
        -------
        One unit adds at most ``unit.weight`` over all cells together.
        """
        with self._pairs(columns, unit, place) as pairs:
            return amounts(pairs, unit, salt=self.salt, resources=self.resources)

    def _of_rows(self, question: Summation[T]) -> T:
        def work(part: Source, report: Report) -> T:
            sums = question.zeros()
            with closing(blocks(part, question.columns, report)) as stream:
                for block in stream:
                    question.add(sums, block)
            return sums

        threads = self.resources.threads or os.cpu_count() or 1
        parts = self.source.split(max(1, min(threads, question.most)))
        first, *others = side_by_side(work, parts, now_and_then(self.progress))
        for other in others:
            question.merge(first, other)
        return first

    @contextmanager
    def _pairs(
        self, columns: Columns, unit: PrivacyUnit, place: Place
    ) -> Generator[Generator[pa.RecordBatch]]:
        wanted = columns.beside(unit.column)
        with closing(blocks(self.source, wanted, now_and_then(self.progress))) as stream:
            yield (paired(block, unit.column, place) for block in stream)


def paired(block: pa.RecordBatch, person: str | None, place: Place) -> pa.RecordBatch:
    """Return whose each row is and its cell; where rows are nobody's, both are the cell.

    Privacy
    -------
    A row's pair depends on that row and public facts alone.
    """
    where = place(block)
    whose = where if person is None else identities(block.column(person))
    return pa.record_batch([whose, where], names=["person", "cell"])
