"""`SparkEngine`: tables on a cluster."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import labels
from sfumato.engines.engine import Schema, redact_errors
from sfumato.engines.masses import MOST_LISTED, Masses, risen
from sfumato.engines.queries import Answering
from sfumato.engines.reading import now_and_then, paired
from sfumato.engines.sources.source import Columns
from sfumato.engines.spark.frames import Checked, Frame, added, brought_together, checked, worked
from sfumato.engines.spark.jobs import Jobs, Making, check_cluster, check_frame
from sfumato.engines.spark.maps import ClusterMap
from sfumato.engines.spark.people import (
    ByCells,
    Counted,
    Listed,
    Listing,
    OfCells,
    OfPeople,
    Together,
)
from sfumato.engines.spark.sums import OfRows
from sfumato.engines.sums import Addition, Entries, Summation, Whole, capped, whole
from sfumato.engines.table import Report, Resources
from sfumato.engines.table import checked as sensible
from sfumato.exact import Exact
from sfumato.plane import influence
from sfumato.privacy.guarantee import PrivacyUnit

T = TypeVar("T")

USUAL_MEMORY = "1GB"
"""How much memory the grouping of people may fill in each Python process of an executor."""


class SparkEngine(Answering):
    """Counts the rows and people of a table where they are, on a Spark cluster.

    Each partition is summed by the code that sums on one machine, in a Python process beside it;
    Spark moves the rows of a person to one place, and adds up the sums. Only these come here.

    Parameters
    ----------
    frame
        A Spark frame. It must hold the same rows whenever it is read.
    memory_limit
        How much memory the grouping of people may fill in each Python process of an executor.
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
        progress: Report | None = None,
    ) -> None:
        self._resources = sensible(Resources(1, memory_limit or USUAL_MEMORY))
        check_frame(frame)
        self._frame = Frame(frame)
        self._spark = frame.sparkSession
        self._progress = progress
        self._salt = secrets.token_hex(16)
        check_cluster(self._spark)

    def schema(self) -> Schema:
        """Return the names and kinds of columns. Reads no rows."""
        return Schema(self._frame.kinds, self._frame.folded, self._frame.spacings)

    def _summed(self, question: Summation[T], unit: PrivacyUnit) -> T:
        if unit.column is None:
            return question.restored(self._entries(self._of_rows(question), stages=1))
        listing = partial(paired, person=unit.column, place=question.place)
        people = OfPeople(self._resources, question, unit, self._salt)
        columns = question.columns.beside(unit.column)
        return question.restored(self._entries(self._together(columns, listing, people), stages=2))

    def _texts(self, column: str, unit: PrivacyUnit) -> Mapping[str, int]:
        listing = partial(paired, person=unit.column, place=partial(_labels, column))
        columns, counted = Columns([column]).beside(unit.column), Counted(unit, self._salt)
        if unit.column is None:
            work = OfCells(self._listed(columns, listing), counted, self._resources)
            partials = partial(self._frame.worked, work.listed.names, work)
        else:
            people = ByCells(self._resources, counted, pa.binary())
            partials = self._together(columns, listing, people)
        cells, sums = self._summed_up(partials, stages=2)
        texts = [text.decode() for text in cells.to_pylist()]
        return dict(zip(texts, capped(sums).tolist(), strict=True))

    def _mapped(self, question: Masses) -> Exact:
        if question.unit.column is None:
            partials = self._of_rows(question)
        else:
            people = ByCells(self._resources, question.grouped, pa.int64())
            partials = self._together(question.columns, question.listed, people)
        l1, step = influence(question.unit, question.weight)
        if 4**question.plane.levels > MOST_LISTED:
            # Which is a public fact: a map of so many cells stays where it is.
            kept = ClusterMap(lambda: added(partials()), self._discreetly_collected)
            return Exact(l1, l1**2, step, _between=kept.between)
        cells, sums = self._summed_up(partials, stages=2)
        places, sums = risen(pa.table({"cell": cells, "amount": capped(sums)}))
        return Exact(l1, l1**2, step, _values=sums, _places=places)

    def _of_rows(self, question: Addition[T]) -> Making:
        names = _once(question.columns)
        return partial(self._frame.worked, names, OfRows(question, names))

    def _together(self, columns: Columns, listing: Listing, people: Together) -> Making:
        listed = self._listed(columns, listing)
        return lambda: worked(brought_together(self._frame.worked(listed.names, listed)), people)

    def _listed(self, columns: Columns, listing: Listing) -> Listed:
        names = _once(columns)
        return Listed(listing, names, {name: self._frame.types[name] for name in names})

    def _entries(self, partials: Making, *, stages: int) -> Entries:
        cells, sums = self._summed_up(partials, stages=stages)
        return np.asarray(cells), sums

    def _summed_up(self, partials: Making, *, stages: int) -> tuple[pa.ChunkedArray, Whole]:
        found = self._collected(lambda: added(partials()), stages=stages)
        return found.cells, whole(found.amounts)

    def _discreetly_collected(self, sums: Making) -> Checked:
        return redact_errors(lambda: self._collected(sums))

    def _collected(self, sums: Making, *, stages: int = 1) -> Checked:
        jobs = Jobs(self._spark, now_and_then(self._progress))
        return checked(jobs.collected(sums, stages=stages))


def _labels(column: str, block: pa.RecordBatch) -> pa.Array:
    return labels(block.column(column))


def _once(columns: Columns) -> tuple[str, ...]:
    return tuple(dict.fromkeys(columns.names))
