"""`SparkEngine`: tables on a cluster."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import read_labels
from sfumato.engines.engine import Schema, redact_errors
from sfumato.engines.masses import MOST_LISTED, Masses, sort_occupied_cells
from sfumato.engines.queries import QueryEngine
from sfumato.engines.reading import pair_with_persons, throttle_reports
from sfumato.engines.selection import RestrictedPlace, select, widen
from sfumato.engines.sources.source import Columns
from sfumato.engines.spark.frames import (
    CheckedSums,
    SparkFrame,
    add_by_cell,
    check_sums,
    map_partitions,
    repartition_by_person,
)
from sfumato.engines.spark.jobs import Jobs, Making, check_cluster, check_frame, locates_alike
from sfumato.engines.spark.maps import ClusterMap
from sfumato.engines.spark.people import (
    BoundedGrouping,
    ListedRows,
    Listing,
    PeopleCellSums,
    PeopleSums,
    RowCellSums,
    WeighedPeopleSums,
)
from sfumato.engines.spark.sums import RowSums, SelectedRows
from sfumato.engines.sums import (
    Addition,
    Entries,
    Summation,
    Whole,
    cap_integers,
    convert_to_integers,
)
from sfumato.engines.table import Report, Resources
from sfumato.engines.table import check_resources as sensible
from sfumato.engines.typed import TypedColumns
from sfumato.exact import Exact
from sfumato.plane import influence
from sfumato.privacy.guarantee import PrivacyUnit

T = TypeVar("T")

USUAL_MEMORY = "1GB"
"""How much memory the grouping of people may fill in each Python process of an executor."""


class SparkEngine(QueryEngine):
    """Counts the rows and people of a table where they are, on a Spark cluster.

    Each partition is summed by the code that sums on one machine, in a Python process beside it;
    Spark moves the rows of a person to one place, and adds up the sums. Only these come here.

    Parameters
    ----------
    frame
        A Spark frame. It must hold the same rows whenever it is read.
    memory_limit
        How much memory the grouping of people may fill in each Python process of an executor.
    where
        What holds of the rows that are there.
    columns
        Names and definitions of derived columns.
    progress
        Called with the fraction that is done, now and then on long work.

    Privacy
    -------
    Names and types of columns are public; no row is read to open a frame. Odd values follow the
    public rule of `sfumato.engines.columns`. Errors hold nothing of the data, and nothing of it is
    written to the logs of executors by us; if the frame itself fails on some value, Spark logs it.
    Spark's own interface tells how many rows its stages had: whoever may look at it may know them.
    One engine object serves one release, as the secret that decides which rows of a person count.
    """

    def __init__(
        self,
        frame: Any,
        *,
        memory_limit: str | None = None,
        where: str | None = None,
        columns: Mapping[str, str] | None = None,
        progress: Report | None = None,
    ) -> None:
        self._resources = sensible(Resources(1, memory_limit or USUAL_MEMORY))
        check_frame(frame)
        self._frame = SparkFrame(frame)
        known = TypedColumns(self._frame.kinds, spacings=self._frame.spacings)
        self._selection = select(known, where, columns or {})
        self._spark = frame.sparkSession
        self._progress = progress
        self._salt = secrets.token_hex(16)
        check_cluster(self._spark)

    def schema(self) -> Schema:
        """Return the names and kinds of columns. Reads no rows."""
        frame, selection = self._frame, self._selection
        return Schema(
            {**frame.kinds, **selection.kinds},
            frame.folded,
            {**frame.spacings, **selection.spacings},
            zones=frame.zones,
            derived=frozenset(selection.derived),
            locates=locates_alike(self._spark),
        )

    def _summed(self, question: Summation[T], unit: PrivacyUnit) -> T:
        if unit.column is None:
            return question.restore_tally(self._entries(self._sum_rows(question), stages=1))
        listing = partial(pair_with_persons, person=unit.columns, place=question.place)
        people = WeighedPeopleSums(self._resources, question, unit, self._salt)
        columns = question.columns.beside(unit.columns)
        return question.restore_tally(
            self._entries(self._together(columns, listing, people), stages=2)
        )

    def _texts(self, column: str, unit: PrivacyUnit) -> Mapping[str, int]:
        place = RestrictedPlace(partial(_read_labels, column), self._where)
        listing = partial(pair_with_persons, person=unit.columns, place=place)
        columns = widen(Columns([column]).beside(unit.columns), self._where)
        counted = BoundedGrouping(unit, self._salt)
        if unit.column is None:
            work = RowCellSums(self._listed(columns, listing), counted, self._resources)
            partials = partial(self._frame.map_partitions, work.listed.rows.stored, work)
        else:
            people = PeopleCellSums(self._resources, counted, pa.binary())
            partials = self._together(columns, listing, people)
        cells, sums = self._sum_up_cells(partials, stages=2)
        texts = [text.decode() for text in cells.to_pylist()]
        return dict(zip(texts, cap_integers(sums).tolist(), strict=True))

    def _sum_map(self, question: Masses) -> Exact:
        if question.unit.column is None:
            partials = self._sum_rows(question)
        else:
            people = PeopleCellSums(self._resources, question.grouped, pa.int64())
            partials = self._together(question.columns, question.listed, people)
        l1, step = influence(question.unit, question.weight)
        if question.plane.cells > MOST_LISTED:
            # Which is a public fact: a map of so many cells stays where it is.
            kept = ClusterMap(lambda: add_by_cell(partials()), self._collect_redacted)
            return Exact(l1, l1**2, step, _between=kept.between)
        cells, sums = self._sum_up_cells(partials, stages=2)
        places, sums = sort_occupied_cells(pa.table({"cell": cells, "amount": cap_integers(sums)}))
        return Exact(l1, l1**2, step, _values=sums, _places=places)

    def _sum_rows(self, question: Addition[T]) -> Making:
        rows = self._select(question.columns)
        return partial(self._frame.map_partitions, rows.stored, RowSums(question, rows))

    def _together(self, columns: Columns, listing: Listing, people: PeopleSums) -> Making:
        listed = self._listed(columns, listing)
        return lambda: map_partitions(
            repartition_by_person(self._frame.map_partitions(listed.rows.stored, listed)), people
        )

    def _listed(self, columns: Columns, listing: Listing) -> ListedRows:
        rows = self._select(columns)
        return ListedRows(listing, rows, {name: self._frame.types[name] for name in rows.stored})

    def _select(self, columns: Columns) -> SelectedRows:
        names = tuple(dict.fromkeys(columns.names))
        return SelectedRows(names, self._selection, self._frame.zones)

    def _entries(self, partials: Making, *, stages: int) -> Entries:
        cells, sums = self._sum_up_cells(partials, stages=stages)
        return np.asarray(cells), sums

    def _sum_up_cells(self, partials: Making, *, stages: int) -> tuple[pa.ChunkedArray, Whole]:
        found = self._collect_sums(lambda: add_by_cell(partials()), stages=stages)
        return found.cells, convert_to_integers(found.amounts)

    def _collect_redacted(self, sums: Making) -> CheckedSums:
        return redact_errors(lambda: self._collect_sums(sums))

    def _collect_sums(self, sums: Making, *, stages: int = 1) -> CheckedSums:
        jobs = Jobs(self._spark, throttle_reports(self._progress))
        return check_sums(jobs.collect_rows(sums, stages=stages))


def _read_labels(column: str, block: pa.RecordBatch) -> pa.Array:
    return read_labels(block.column(column))
