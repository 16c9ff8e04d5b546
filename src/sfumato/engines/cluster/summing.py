"""Whole sums of one partition, with the code that sums on one machine."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Generic, TypeVar

import numpy as np
import pyarrow as pa

from sfumato.engines.cluster.seals import MARKS, fingerprint, sealed
from sfumato.engines.cluster.work import Batches, Work
from sfumato.engines.kernel import BLOCK
from sfumato.engines.summing import Addition
from sfumato.engines.tally import Entries

T = TypeVar("T")

AMOUNT = pa.decimal128(38, 0)
"""Sums on their way: 126 bits, of which 2⁴⁰ rows of the heaviest kind fill 78."""


@dataclass(frozen=True)
class Summing(Work):
    """Work that ends in sums by cell, which are sealed together.

    Privacy
    -------
    Were sums of two runs of one task mixed, because the table changed between them, one unit might
    count twice. `seals` says how that is noticed.
    """

    @property
    @abstractmethod
    def cell(self) -> pa.DataType:
        """The type of cells."""

    @abstractmethod
    def sums(self, batches: Batches) -> Batches:
        """Return columns `bucket`, `cell` and `amount`; a cell may come once."""

    @property
    def columns(self) -> pa.Schema:
        """Sums by cell: `bucket` is NULL but where buckets are told."""
        return pa.schema([*_summed(self.cell), pa.field("mark", MARKS)])

    def done(self, batches: Batches) -> Batches:
        """Sum, in an order that is always the same, and seal."""
        found = pa.Table.from_batches(map(self._typed, self.sums(batches)), _summed(self.cell))
        ordered = found.sort_by([("bucket", "ascending"), ("cell", "ascending")]).combine_chunks()
        if ordered.num_rows:
            columns = [ordered.column(name).combine_chunks() for name in ordered.column_names]
            yield from sealed(ordered, fingerprint(*columns)).to_batches(BLOCK)

    def _typed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        columns = [batch.column(field.name).cast(field.type) for field in _summed(self.cell)]
        return pa.RecordBatch.from_arrays(columns, schema=_summed(self.cell))


@dataclass(frozen=True)
class OfRows(Summing, Generic[T]):
    """The sums of rows that weigh one each.

    Privacy
    -------
    As the question says of `add`; each row is in one partition.
    """

    question: Addition[T]
    names: tuple[str, ...]

    @property
    def cell(self) -> pa.DataType:
        """Sums are numbered."""
        return pa.int64()

    def sums(self, batches: Batches) -> Batches:
        """Add all blocks of the partition."""
        sums = self.question.zeros()
        for block in named(batches, self.names):
            self.question.add(sums, block)
        yield numbered(self.question.entries(sums))


def _summed(cell: pa.DataType) -> pa.Schema:
    return pa.schema([("bucket", pa.int32()), ("cell", cell), ("amount", AMOUNT)])


def named(batches: Batches, names: tuple[str, ...]) -> Batches:
    """Yield blocks under the names that a question knows; Spark gives columns by their places."""
    for batch in batches:
        for start in range(0, batch.num_rows, BLOCK):
            block = batch.slice(start, BLOCK)
            columns = block.columns if names else [pa.nulls(block.num_rows)]
            yield pa.record_batch(columns, names=names or ("nothing",))


def numbered(entries: Entries) -> pa.RecordBatch:
    """Return numbered sums as rows."""
    where, sums = entries
    exact = pa.array(sums).cast(AMOUNT) if isinstance(sums, np.ndarray) else _decimals(sums)
    return unheld(pa.record_batch({"cell": pa.array(where), "amount": exact}))


def _decimals(sums: Sequence[int]) -> pa.Array:
    return pa.array([Decimal(each) for each in sums], AMOUNT)


def unheld(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return cells and amounts as sums, which belong to no bucket."""
    columns = {name: batch.column(name) for name in ("cell", "amount")}
    return pa.record_batch({"bucket": pa.nulls(batch.num_rows, pa.int32()), **columns})
