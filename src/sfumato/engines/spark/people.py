"""Sums over people of one partition, who are brought together first."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Generic, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds
from numpy.typing import NDArray

from sfumato.engines.bounding import make_rule, sum_by_cell, sum_contributions
from sfumato.engines.spark.sums import SelectedRows, SummingTask, drop_buckets, number_sums
from sfumato.engines.spark.task import Batches, PartitionTask, raise_earlier_failure
from sfumato.engines.sums import Summation
from sfumato.engines.table import BLOCK, Resources
from sfumato.privacy.guarantee import PrivacyUnit

T = TypeVar("T")

BUCKETS = 2**16
"""Into how many buckets people are sorted, to be brought together."""

Listing = Callable[[pa.RecordBatch], pa.RecordBatch]
"""From rows to whose they are, their cells and, where they have weights of their own, steps."""

Grouping = Callable[[Batches, Resources], pa.Table]
"""From listed rows to the cells they occupy, and how much each of these counts."""


@dataclass(frozen=True)
class ListedRows(PartitionTask):
    """Whose each row is and where, so that a person's rows can be brought together.

    Privacy
    -------
    Rows of nobody are left out.
    """

    listing: Listing
    rows: SelectedRows
    types: Mapping[str, pa.DataType]

    @property
    def columns(self) -> pa.Schema:
        """Those of the listing, as Spark can carry them."""
        empty = {name: pa.array([], dtype) for name, dtype in self.types.items()}
        block = self.rows.selection.apply(pa.record_batch(empty), self.rows.names)
        found = self.listing(block).schema
        return pa.schema([(field.name, _convert_type(field.type)) for field in found])

    def done(self, batches: Batches) -> Batches:
        """List all blocks of the partition."""
        for block in self.rows.read(batches):
            rows = self.listing(block)
            known = rows.column("person").is_valid()
            yield rows if rows.column("person").null_count == 0 else rows.filter(known)


@dataclass(frozen=True)
class PeopleSums(SummingTask):
    """Sums over whole people: all rows of each are in this partition, and in no other.

    Privacy
    -------
    That no person is in two partitions is what a person's weight rests on. Each partition hands
    back which buckets it held, once each: were one held twice, their sum would show it.
    """

    resources: Resources

    @abstractmethod
    def found(self, rows: Batches) -> Batches:
        """Return cells and amounts of all people in the partition."""

    def sums(self, batches: Batches) -> Batches:
        """Sum what people count, and tell their buckets."""
        held = np.zeros(BUCKETS, dtype=np.bool_)
        rows = (_drop_bucket(batch, held) for batch in batches)
        first = next(rows, None)
        if first is None:
            return
        yield from self.found(chain([first], rows))
        yield self._list_held_buckets(np.flatnonzero(held))

    def _list_held_buckets(self, buckets: NDArray[np.intp]) -> pa.RecordBatch:
        cell = pa.nulls(buckets.size, self.cell)
        ones = pa.array(np.ones(buckets.size, dtype=np.int64))
        return pa.record_batch({"bucket": pa.array(buckets), "cell": cell, "amount": ones})


@dataclass(frozen=True)
class WeighedPeopleSums(PeopleSums, Generic[T]):
    """The sums of a question over rows that weigh what their person lets them.

    Privacy
    -------
    One person's rows weigh at most ``question.weight(unit)`` together.
    """

    question: Summation[T]
    unit: PrivacyUnit
    salt: str = field(repr=False)

    @property
    def cell(self) -> pa.DataType:
        """Sums are numbered."""
        return pa.int64()

    def found(self, rows: Batches) -> Batches:
        """Weigh rows with the code that weighs them on one machine, in one thread."""
        question = self.question
        (sums,) = sum_contributions(
            [lambda _: rows],
            make_rule(self.unit, question.weight(self.unit), self.salt),
            question.zeros,
            question.weigh,
            resources=set_spill_folder(self.resources),
            report=lambda _: None,
            most=1,
        )
        yield number_sums(question.entries(sums))


@dataclass(frozen=True)
class PeopleCellSums(PeopleSums):
    """How much people count in each occupied cell, of which there may be any number.

    Privacy
    -------
    One person adds as much over all cells together as `grouped` says.
    """

    grouped: Grouping
    kind: pa.DataType

    @property
    def cell(self) -> pa.DataType:
        """Cells are numbers or texts."""
        return self.kind

    def found(self, rows: Batches) -> Batches:
        """Group rows with the code that groups them on one machine."""
        found = self.grouped(rows, set_spill_folder(self.resources))
        yield from map(drop_buckets, found.to_batches(max_chunksize=BLOCK))


@dataclass(frozen=True)
class RowCellSums(SummingTask):
    """How many rows each occupied cell has, where every row weighs one.

    Privacy
    -------
    Each row is in one partition and counts in one cell.
    """

    listed: ListedRows
    grouped: Grouping
    resources: Resources

    @property
    def cell(self) -> pa.DataType:
        """Cells are what rows are listed by."""
        return self.listed.columns.field("cell").type

    def sums(self, batches: Batches) -> Batches:
        """List rows and group them at once."""
        found = self.grouped(self.listed.done(batches), set_spill_folder(self.resources))
        yield from map(drop_buckets, found.to_batches(max_chunksize=BLOCK))


@dataclass(frozen=True)
class BoundedGrouping:
    """A grouping of rows in which each unit counts as much as it may.

    Privacy
    -------
    One unit adds at most ``unit.weight`` over all cells together.
    """

    unit: PrivacyUnit
    salt: str = field(repr=False)

    def __call__(self, rows: Batches, resources: Resources) -> pa.Table:
        """Return cells and what they count."""
        return sum_by_cell(rows, self.unit, salt=self.salt, resources=resources)


def set_spill_folder(resources: Resources) -> Resources:
    """Return the same with a folder for what does not fit in memory: Spark's, if it names one."""
    folders = os.environ.get("SPARK_LOCAL_DIRS") or os.environ.get("LOCAL_DIRS") or ""
    return replace(resources, folder=folders.split(",")[0] or None)


def _drop_bucket(batch: pa.RecordBatch, held: NDArray[np.bool_]) -> pa.RecordBatch:
    rows = raise_earlier_failure(batch)
    held[rows.column("bucket").to_numpy()] = True
    return _widen_bytes(rows.drop_columns(["bucket"]))


def _widen_bytes(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Return bytes as they are on one machine: all together may fill more than 2 GiB."""
    columns = [
        column.cast(pa.large_binary()) if kinds.is_binary(column.type) else column
        for column in rows.columns
    ]
    return pa.record_batch(columns, names=rows.schema.names)


def _convert_type(dtype: pa.DataType) -> pa.DataType:
    """Return the type as which Spark carries an Arrow type: it has but one for bytes."""
    is_bytes = kinds.is_fixed_size_binary(dtype) or kinds.is_large_binary(dtype)
    return pa.binary() if is_bytes else dtype
