"""One pass over a table: in blocks, by rows side by side, or by people."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa

from sfumato.engines.bounding import Stream, make_rule, sum_contributions, sum_parts_by_cell
from sfumato.engines.people import read_units
from sfumato.engines.sources.source import Columns, Source, read_blocks
from sfumato.engines.sums import Summation
from sfumato.engines.table import (
    Report,
    Resources,
    count_workers,
    run_in_parallel,
)
from sfumato.privacy.guarantee import PrivacyUnit

PATIENCE = 1.0
"""How many seconds pass before progress is told."""

_STEPS = 20


def throttle_reports(progress: Report | None) -> Report:
    """Return a report that speaks after a second, in steps of a twentieth.

    The number of rows is private. A fraction told after every batch would tell it; told this way
    it says no more than the time that has passed.
    """
    begun, told = time.monotonic(), 0

    def report(fraction: float) -> None:
        nonlocal told
        step = int(_STEPS * fraction)
        if progress is not None and step > told and time.monotonic() - begun > PATIENCE:
            told = step
            progress(step / _STEPS)

    return report


T = TypeVar("T")
Place = Callable[[pa.RecordBatch], pa.Array]
"""From rows to their cells, where NULL is nowhere."""


@dataclass(frozen=True)
class TableReader:
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
        threads = max(1, min(count_workers(self.resources), question.most))
        if unit.column is None:
            found = run_in_parallel(
                self._make_adder(question), self.source.split(threads), self._report
            )
        else:
            found = sum_contributions(
                self._streams(threads, question.columns, unit, question.place),
                make_rule(unit, question.weight(unit), self.salt),
                question.zeros,
                question.weigh,
                resources=self.resources,
                report=self._report,
                most=question.most,
            )
        first, *others = found
        for other in others:
            question.merge(first, other)
        return first

    def by_cells(self, columns: Columns, unit: PrivacyUnit, place: Place) -> pa.Table:
        """Return how much all units together count in each occupied cell.

        Privacy
        -------
        One unit adds at most ``unit.weight`` over all cells together.
        """
        return sum_parts_by_cell(
            self._streams(count_workers(self.resources), columns, unit, place),
            unit,
            salt=self.salt,
            resources=self.resources,
            report=self._report,
        )

    @property
    def _report(self) -> Report:
        return throttle_reports(self.progress)

    def _make_adder(self, question: Summation[T]) -> Callable[[Source, Report], T]:
        def work(part: Source, report: Report) -> T:
            sums = question.zeros()
            with closing(read_blocks(part, question.columns, report)) as stream:
                for block in stream:
                    question.add(sums, block)
            return sums

        return work

    def _streams(
        self, threads: int, columns: Columns, unit: PrivacyUnit, place: Place
    ) -> list[Stream]:
        wanted = columns.beside(unit.columns)

        def streamed(part: Source) -> Stream:
            def pairs(report: Report) -> Iterator[pa.RecordBatch]:
                with closing(read_blocks(part, wanted, report)) as stream:
                    yield from (pair_with_persons(block, unit.columns, place) for block in stream)

            return pairs

        return [streamed(part) for part in self.source.split(threads)]


def pair_with_persons(block: pa.RecordBatch, person: Sequence[str], place: Place) -> pa.RecordBatch:
    """Return whose each row is and its cell; where rows are nobody's, both are the cell.

    Privacy
    -------
    A row's pair depends on that row and public facts alone.
    """
    where = place(block)
    whose = read_units(block, person) if person else where
    return pa.record_batch([whose, where], names=["person", "cell"])
