"""Maps that stay on the cluster: sums over ranges of their cells are all that travels."""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import Integers
from sfumato.engines.masses import SparseTally, merge_runs
from sfumato.engines.spark.frames import CheckedSums, add_by_cell, map_partitions
from sfumato.engines.spark.jobs import Making
from sfumato.engines.spark.sums import (
    TOLD,
    SummingTask,
    fingerprint_rows,
    fingerprint_set,
    make_changed_error,
    number_sums,
    seal_sums,
    xor_marks,
)
from sfumato.engines.spark.task import FAILED, Batches, raise_earlier_failure
from sfumato.engines.sums import CAP, cap_integers, convert_to_integers
from sfumato.engines.table import BLOCK

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


_READ = pa.schema([(name, pa.int64()) for name in ("cell", "amount", "mark")])

# What must not be used says so in the column that work looks at; the closing row has no cell.
_KEPT = [
    f"coalesce(failed, CASE WHEN bucket IS NOT NULL OR amount IS NULL THEN {FAILED} END) AS failed",
    "coalesce(cell, -1L) AS cell",
    f"CAST(least(amount, {CAP}) AS BIGINT) AS amount",
    "mark",
]


class ClusterMap:
    """The masses of a map of up to 2⁴⁰ cells, of which any number may be occupied.

    They are summed once and kept on the cluster's memory and disks until nobody can ask any more.

    Parameters
    ----------
    sums
        Makes a frame with one row for each occupied cell, as `add_by_cell` has them: an `amount`
        that is not negative in a `cell`, and the `mark` of its seals; or what tells that they must
        not be used.
    run
        Makes a small frame and brings its rows here, or refuses them if they tell of trouble.

    Privacy
    -------
    Nothing here is private: the answers are for `Exact`. All of them are about one table. If
    masses are lost and summed again, and are not what they were, the next answer is refused.
    """

    def __init__(self, sums: Making, run: Callable[[Making], CheckedSums]) -> None:
        self._make = sums
        self._run = run
        self._key = secrets.randbits(64)
        self._read: int | None = None
        self._closing: weakref.finalize[Any, ClusterMap] | None = None

    def between(self, first: Integers, end: Integers) -> Integers:
        """Return the sums of ranges of cells that do not overlap, as `Exact` wants them.

        Privacy
        -------
        Sums are exact, and the smaller of themselves and `CAP`. Ranges travel to the cluster as
        part of the query, where its operators can read them: they follow from released answers.
        """
        found = np.zeros(len(first), dtype=np.int64)
        order = np.argsort(first, kind="stable")
        order = order[first[order] < end[order]]
        if order.size:
            places, amounts = self._asked(RangeSums(first[order], end[order], self._key))
            found[order[places]] = amounts
        return found

    def close(self) -> None:
        """Let the cluster forget the masses."""
        if self._closing is not None:
            self._closing()

    def _asked(self, work: RangeSums) -> tuple[Integers, Integers]:
        found = self._run(lambda: add_by_cell(map_partitions(self._sums, work)))
        read = found.read % TOLD
        if self._read not in (None, read):
            raise make_changed_error()
        self._read = read
        return np.asarray(found.cells), cap_integers(convert_to_integers(found.amounts))

    @cached_property
    def _sums(self) -> DataFrame:
        # A column of its own, since Spark keeps what looks alike once, and forgets it at once.
        once = f"'{secrets.token_hex(8)}' AS once"
        sums: DataFrame = self._make().selectExpr(*_KEPT, once).persist()
        self._closing = weakref.finalize(self, _unpersist, sums)
        self._closing.atexit = False  # by then the cluster may be gone, and the masses with it
        return sums


@dataclass(frozen=True, eq=False, repr=False)
class RangeSums(SummingTask):
    """From the cells of one partition to the sums of ranges, which rise and do not overlap.

    It travels to the rows with all ranges, 16 bytes each. To join two frames by ranges, Spark
    would compare every cell with every range.

    Privacy
    -------
    A cell is in one partition and adds to one range.
    """

    first: Integers
    end: Integers
    key: int

    @property
    def cell(self) -> pa.DataType:
        """The number of a range."""
        return pa.int64()

    def sums(self, batches: Batches) -> Batches:
        """Return one row for each range that holds a mass."""
        tally = SparseTally()
        for batch in batches:
            cells, amounts = (np.asarray(batch.column(name)) for name in ("cell", "amount"))
            tally.weigh(self._places(cells), amounts)
        yield number_sums(merge_runs(tally.runs()))

    def done(self, batches: Batches) -> Batches:
        """Seal sums, tell what was read, and carry on the marks that were read with it."""
        read = pa.Table.from_batches(map(_read_sums, batches), _READ)
        cells, amounts, marks = (np.asarray(read.column(name)) for name in _READ.names)
        sums = pa.Table.from_batches(map(self._typed, self.sums(iter(read.to_batches()))))
        taken = fingerprint_rows(*(sums.column(n).combine_chunks() for n in ("cell", "amount")))
        told = fingerprint_set(self.key, cells[cells >= 0], amounts[cells >= 0])
        yield from seal_sums(sums, taken, told=told, carried=xor_marks(marks)).to_batches(BLOCK)

    def _places(self, cells: Integers) -> Integers:
        """Return in which range each cell lies, or -1."""
        places = np.searchsorted(self.first, cells, side="right") - 1
        return np.where(cells < self.end[places], places, -1)


def _read_sums(batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = raise_earlier_failure(batch)
    return pa.RecordBatch.from_arrays([columns.column(n) for n in _READ.names], schema=_READ)


def _unpersist(sums: DataFrame) -> None:
    # Whatever asks for this may be in the middle of another call to Spark: an unreachable object
    # goes when Python pleases. A cluster that is gone has nothing left to forget.
    def release() -> None:
        with suppress(Exception):
            sums.unpersist()

    Thread(target=release).start()
