"""`DuckEngine`: tables on one machine."""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import closing

import numpy as np
import pyarrow as pa

from sfumato.engines.blocks import blocks, now_and_then
from sfumato.engines.bounding import amounts
from sfumato.engines.columns import Integers, identities, labels, nullable
from sfumato.engines.connection import Resources, checked
from sfumato.engines.discretion import discreetly
from sfumato.engines.engine import Schema
from sfumato.engines.kernel import cells
from sfumato.engines.masses import Masses
from sfumato.engines.parallel import Report, side_by_side
from sfumato.engines.sources.opening import open_table
from sfumato.engines.sources.source import Columns, Source
from sfumato.engines.tally import Tally
from sfumato.errors import DomainError
from sfumato.exact import Exact
from sfumato.grid import Key, Labels, shape
from sfumato.plane import Plane, Weight, influence
from sfumato.privacy.unit import PrivacyUnit

_MOST_SUMS = 2**26  # all threads together: half a gibibyte


class DuckEngine:
    """Counts the rows and people of a table on one machine.

    Batches of rows stream through the kernel, so a table may be larger than memory; DuckDB groups
    rows by person, on disk where it must.

    Parameters
    ----------
    table
        A path, a glob or a list of paths of CSV or Parquet files, a folder of Parquet files, a
        pandas or Polars frame, an Arrow table or dataset, or a DuckDB relation.
    threads
        How many threads to use; by default as many as there are cores.
    memory_limit
        How much memory DuckDB may fill before it goes to disk, such as ``"1GB"``.
    progress
        Called with the fraction of the table that is read, now and then on long work.

    Privacy
    -------
    Opening a table reads the names and kinds of its columns, which are public, and no row. Odd
    values follow the public rule of `sfumato.engines.columns`. If reading fails, the error holds
    nothing of the data. One engine object serves one release: the secret that decides which rows
    of a person count is drawn when it is made.
    """

    def __init__(
        self,
        table: object,
        *,
        threads: int | None = None,
        memory_limit: str | None = None,
        progress: Report | None = None,
    ) -> None:
        self._resources = checked(Resources(threads, memory_limit))
        self._source = open_table(table)
        self._progress = progress
        self._salt = secrets.token_hex(16)

    def schema(self) -> Schema:
        """Return the names and kinds of columns. Reads no rows."""
        return Schema(self._source.kinds)

    def counts(self, keys: Sequence[Key], unit: PrivacyUnit) -> Exact:
        """Count units in every combination of public cells.

        Privacy
        -------
        One unit changes the answer by at most ``unit.weight`` in L1 and L2, over all cells
        together.
        """
        sizes = shape(keys)
        self.schema().check(keys, unit)
        sums = discreetly(lambda: self._sums(keys, unit)).reshape(sizes)
        return Exact(unit.weight, unit.weight**2, unit.step, _values=sums)

    def occupied(self, column: str, unit: PrivacyUnit) -> Exact:
        """Count rows of every text that occurs in `column`; the texts are secret too.

        Texts of more than 256 characters are counted nowhere.

        Privacy
        -------
        One unit changes the counts by at most ``unit.weight`` and may add or remove up to that
        many cells, so only a mechanism that hides new cells may use the answer. Cells are sorted
        by their texts: their order says nothing else.
        """
        if unit.shared:
            raise DomainError(
                f"The texts of {column!r} cannot be searched for while each {unit.column} counts "
                "once. One person could open any number of cells, and no threshold hides them "
                f"all. Write PrivacyUnit.users({unit.column!r}, max_rows=20)."
            )
        self.schema().check((), unit, unlisted=[column])
        found = discreetly(lambda: self._occupied(column, unit))
        texts, sums = tuple(found), np.array([*found.values()], dtype=np.int64)
        return Exact(unit.weight, unit.weight**2, unit.step, _values=sums, _labels=texts)

    def masses(self, plane: Plane, unit: PrivacyUnit, weight: Weight | None = None) -> Exact:
        """Sum what units weigh in every occupied cell of a plane; the cells are secret too.

        Rows beyond the plane weigh nothing, or count at its edge, as it says.

        Privacy
        -------
        One unit changes the sums by at most ``influence(unit, weight)`` in L1, over all cells
        together. Which cells are listed depends on the data: a mechanism must ask for the mass
        of any cell, listed or not.
        """
        if unit.max_rows is not None:
            raise DomainError(
                f"max_rows={unit.max_rows} cannot bound what each {unit.column} weighs on a map. "
                "Which rows are dropped would decide where a person is shown. Write "
                f"PrivacyUnit.users({unit.column!r})."
            )
        weights = [] if weight is None else [weight.column]
        self.schema().check([plane.x, plane.y], unit, numbers=weights)
        question, report = Masses(plane, unit, weight), now_and_then(self._progress)
        places, sums = discreetly(lambda: question.asked(self._source, self._resources, report))
        l1, step = influence(unit, weight)
        return Exact(l1, l1**2, step, _values=sums, _places=places)

    def _sums(self, keys: Sequence[Key], unit: PrivacyUnit) -> Integers:
        groups = [key.column for key in keys if isinstance(key, Labels)]
        columns = Columns([key.column for key in keys], repetitive=groups)
        if unit.column is None:
            return self._counted(keys, columns).total()
        found = self._amounts(columns, unit, lambda block: nullable(cells(block, keys)))
        tally = Tally(math.prod(shape(keys)))
        tally.add(np.asarray(found.column("cell")), np.asarray(found.column("amount")))
        return tally.total()

    def _counted(self, keys: Sequence[Key], columns: Columns) -> Tally:
        size = math.prod(shape(keys))

        def work(part: Source, report: Report) -> Tally:
            tally = Tally(size)
            with closing(blocks(part, columns, report)) as stream:
                for block in stream:
                    tally.count(cells(block, keys))
            return tally

        threads = self._resources.threads or os.cpu_count() or 1
        parts = self._source.split(max(1, min(threads, _MOST_SUMS // max(1, size))))
        first, *others = side_by_side(work, parts, now_and_then(self._progress))
        for tally in others:
            first.merge(tally)
        return first

    def _occupied(self, column: str, unit: PrivacyUnit) -> dict[str, int]:
        columns = Columns([column], repetitive=[column])
        found = self._amounts(columns, unit, lambda block: labels(block.column(column)))
        texts = [text.decode() for text in found.column("cell").to_pylist()]
        return dict(sorted(zip(texts, found.column("amount").to_pylist(), strict=True)))

    def _amounts(
        self, columns: Columns, unit: PrivacyUnit, place: Callable[[pa.RecordBatch], pa.Array]
    ) -> pa.Table:
        person = unit.column

        def pair(block: pa.RecordBatch) -> pa.RecordBatch:
            where = place(block)
            whose = where if person is None else identities(block.column(person))
            return pa.record_batch([whose, where], names=["person", "cell"])

        people = [] if person is None else [person]
        wanted = Columns([*columns.names, *people], columns.repetitive)
        with closing(blocks(self._source, wanted, now_and_then(self._progress))) as stream:
            pairs = map(pair, stream)
            return amounts(pairs, unit, salt=self._salt, resources=self._resources)
