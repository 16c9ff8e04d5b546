"""`DuckEngine`: tables on one machine."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import numpy as np

from sfumato.engines.blocks import now_and_then
from sfumato.engines.columns import labels
from sfumato.engines.connection import Resources, checked
from sfumato.engines.counting import counted
from sfumato.engines.discretion import discreetly
from sfumato.engines.engine import Schema
from sfumato.engines.marginals import counted_by_column
from sfumato.engines.masses import Masses
from sfumato.engines.moments import sums_of_products
from sfumato.engines.parallel import Report
from sfumato.engines.reading import Reading
from sfumato.engines.sources.opening import open_table
from sfumato.engines.sources.source import Columns
from sfumato.errors import DomainError
from sfumato.exact import Exact
from sfumato.grid import Grid, shape
from sfumato.lattice import Moments, Question, moment_weight
from sfumato.plane import Plane, Weight, influence
from sfumato.privacy.unit import PrivacyUnit


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

    def counts(self, keys: Sequence[Question], unit: PrivacyUnit) -> Exact:
        """Count units in every combination of public cells.

        Privacy
        -------
        One unit changes the answer by at most ``unit.weight`` in L1 and L2, over all cells
        together.
        """
        sizes = shape(keys)
        self.schema().check(keys, unit)
        sums = discreetly(lambda: counted(self._reading, keys, unit)).reshape(sizes)
        return Exact(unit.weight, unit.weight**2, unit.step, _values=sums)

    def marginals(self, keys: Sequence[Grid], unit: PrivacyUnit) -> tuple[Exact, ...]:
        """Count units in the cells of each column for itself.

        Privacy
        -------
        One unit changes each answer by at most ``unit.weight`` in L1 and L2; all of them at once.
        """
        self.schema().check(keys, unit)
        found = discreetly(lambda: counted_by_column(self._reading, keys, unit))
        l1, step = unit.weight, unit.step
        return tuple(Exact(l1, l1**2, step, _values=sums) for sums in found)

    def gram(self, moments: Moments, unit: PrivacyUnit) -> Exact:
        """Sum the outer products of rows, which `moments` says how to measure and to cut.

        A row that lacks one of the columns is left out. Of a person's rows each weighs 1, or all
        share a weight of `SHARES`.

        Privacy
        -------
        One unit changes the whole matrix by at most ``moment_weight(unit) * moments.longest`` in
        Frobenius norm, which is L2, and by at most ``moments.size`` times that in L1.
        """
        self.schema().check([moments], unit)
        sums = discreetly(lambda: sums_of_products(self._reading, moments, unit))
        weight = moment_weight(unit)
        most = weight * moments.longest
        step = 1 / weight if unit.shared else 1.0
        return Exact(moments.size * most, most**2, step, _values=sums)

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

    def _occupied(self, column: str, unit: PrivacyUnit) -> dict[str, int]:
        columns = Columns([column], repetitive=[column])
        found = self._reading.by_cells(columns, unit, lambda block: labels(block.column(column)))
        texts = [text.decode() for text in found.column("cell").to_pylist()]
        return dict(sorted(zip(texts, found.column("amount").to_pylist(), strict=True)))

    @property
    def _reading(self) -> Reading:
        return Reading(self._source, self._resources, self._salt, self._progress)
