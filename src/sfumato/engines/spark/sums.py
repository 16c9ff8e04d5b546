"""Whole sums of one partition, sealed so that all sums of a task are from one run of it."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Generic, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from sfumato.engines.columns import Integers
from sfumato.engines.selection import NOTHING_SELECTED, RowSelection
from sfumato.engines.spark.task import Batches, PartitionTask
from sfumato.engines.sums import Addition, Entries
from sfumato.engines.table import BLOCK
from sfumato.errors import SourceError

MARKS = pa.int64()

TOLD = 2**40
"""How many different things a closing row can tell; its sums over 2²² tasks stay below 2⁶²."""

_MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))


def fingerprint_rows(*columns: pa.Array) -> bytes:
    """Return bytes that tell one list of rows from any other, save for a chance of 2⁻¹²⁸.

    Examples
    --------
    >>> one, other = pa.array([b"ab", b"c"]), pa.array([b"a", b"bc"])
    >>> fingerprint_rows(one) == fingerprint_rows(other)
    False
    """
    found = hashlib.blake2b(digest_size=16)
    for column in columns:
        for part in _canonicalise(column):
            found.update(len(part).to_bytes(8))
            found.update(part)
    return found.digest()


def fingerprint_set(key: int, *columns: Integers) -> int:
    """Return a number for a set of rows; of two sets together it is the sum, modulo `TOLD`.

    So it does not matter how rows are divided among tasks, or in which order they come. Sets that
    differ have the same number with a chance of about 2⁻⁴⁰, as long as nobody knows the key.

    Examples
    --------
    >>> rows = np.array([3, 1, 2])
    >>> parts = fingerprint_set(7, rows[:1]) + fingerprint_set(7, rows[1:])
    >>> fingerprint_set(7, rows) == parts % TOLD
    True
    """
    mixed = np.full(len(columns[0]), key & (2**64 - 1), dtype=np.uint64)
    for column in columns:
        mixed += column.astype(np.uint64)
        # Steele, Lea and Flood's finaliser of SplitMix: a bijection in which all bits meet.
        for shift, factor in _MIXING:
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
    return int(mixed.sum(dtype=np.uint64)) % TOLD


def seal_sums(rows: pa.Table, taken: bytes, *, told: int = 0, carried: int = 0) -> pa.Table:
    """Return the sums of a task with their marks, and the closing row.

    Rows of a bucket are no sums, and have no mark. `taken` is the fingerprint of the sums, `told`
    what the closing row has to tell as its amount, and `carried` the exclusive or of marks that
    the task itself has read.

    Privacy
    -------
    Marks and fingerprints depend on the data. They are compared on the driver, and nothing else.
    """
    marks = np.frombuffer(hashlib.shake_128(taken).digest(8 * rows.num_rows), "<i8").copy()
    marks[np.asarray(rows.column("bucket").is_valid())] = 0
    closing = {
        "bucket": pa.nulls(1, pa.int32()),
        "cell": pa.nulls(1, rows.schema.field("cell").type),
        "amount": pa.array([told]).cast(rows.schema.field("amount").type),
        "mark": pa.array([carried ^ xor_marks(marks)], MARKS),
    }
    marked = rows.append_column("mark", pa.array(marks, MARKS))
    return pa.concat_tables([marked, pa.table(closing)])


def xor_marks(marks: Integers) -> int:
    """Return the exclusive or of marks.

    Examples
    --------
    >>> xor_marks(np.array([1, 2, 7])), xor_marks(np.array([], dtype=np.int64))
    (4, 0)
    """
    return int(np.bitwise_xor.reduce(marks))


def make_changed_error() -> SourceError:
    """Return what to say of a table that is not the same when it is read again."""
    return SourceError(
        "The table gave other rows when a part of it was read again.",
        "One person may then count twice, so nothing is released.",
        "Write the table to files and read those, or take out of it what is drawn at random or "
        "changes with time.",
    )


def _canonicalise(column: pa.Array) -> list[bytes]:
    """Return what a column holds as bytes, however Arrow has stored it."""
    known = np.packbits(np.asarray(column.is_valid())).tobytes()
    if kinds.is_binary(column.type):
        texts: list[bytes] = [text or b"" for text in column.to_pylist()]
        return [known, np.array([len(text) for text in texts]).tobytes(), b"".join(texts)]
    if kinds.is_decimal(column.type):
        words = np.frombuffer(column.buffers()[1] or b"", np.int64)
        return [known, words[2 * column.offset : 2 * (column.offset + len(column))].tobytes()]
    return [known, np.asarray(column.fill_null(0), dtype=np.int64).tobytes()]


T = TypeVar("T")

AMOUNT = pa.decimal128(38, 0)
"""Sums on their way: 126 bits, of which 2⁴⁰ rows of the heaviest kind fill 78."""


@dataclass(frozen=True)
class SummingTask(PartitionTask):
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
        return pa.schema([*_make_sums_schema(self.cell), pa.field("mark", MARKS)])

    def done(self, batches: Batches) -> Batches:
        """Sum, in an order that is always the same, and seal."""
        found = pa.Table.from_batches(
            map(self._typed, self.sums(batches)), _make_sums_schema(self.cell)
        )
        ordered = found.sort_by([("bucket", "ascending"), ("cell", "ascending")]).combine_chunks()
        if ordered.num_rows:
            columns = [ordered.column(name).combine_chunks() for name in ordered.column_names]
            yield from seal_sums(ordered, fingerprint_rows(*columns)).to_batches(BLOCK)

    def _typed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        columns = [
            batch.column(field.name).cast(field.type) for field in _make_sums_schema(self.cell)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=_make_sums_schema(self.cell))


@dataclass(frozen=True)
class SelectedRows:
    """The columns that a question needs, of the rows that are there.

    Parameters
    ----------
    names
        The columns of the question, derived ones too.
    selection
        Which rows are there, and how columns are derived.
    zones
        On whose clocks columns are told: Spark hands on moments, and its session has the zone.

    Privacy
    -------
    As `RowSelection`: each row by itself.
    """

    names: tuple[str, ...]
    selection: RowSelection = NOTHING_SELECTED
    zones: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def stored(self) -> tuple[str, ...]:
        """The columns that Spark hands on, in their order."""
        return self.selection.list_stored(self.names)

    def read(self, batches: Batches) -> Batches:
        """Yield blocks of the rows that are there, under the names that a question knows."""
        for block in rename_columns(batches, self.stored):
            yield self.selection.apply(_tell_zones(block, self.zones), self.names)


def _tell_zones(block: pa.RecordBatch, zones: Mapping[str, str]) -> pa.RecordBatch:
    """Return the same moments, with the zones that they are told in."""
    columns = [
        column.cast(pa.timestamp(column.type.unit, zones[name])) if name in zones else column
        for name, column in zip(block.schema.names, block.columns, strict=True)
    ]
    return pa.record_batch(columns, names=block.schema.names)


@dataclass(frozen=True)
class RowSums(SummingTask, Generic[T]):
    """The sums of rows that weigh one each.

    Privacy
    -------
    As the question says of `add`; each row is in one partition.
    """

    question: Addition[T]
    rows: SelectedRows

    @property
    def cell(self) -> pa.DataType:
        """Sums are numbered."""
        return pa.int64()

    def sums(self, batches: Batches) -> Batches:
        """Add all blocks of the partition."""
        sums = self.question.zeros()
        for block in self.rows.read(batches):
            self.question.add(sums, block)
        yield number_sums(self.question.entries(sums))


def _make_sums_schema(cell: pa.DataType) -> pa.Schema:
    return pa.schema([("bucket", pa.int32()), ("cell", cell), ("amount", AMOUNT)])


def rename_columns(batches: Batches, names: tuple[str, ...]) -> Batches:
    """Yield blocks under the names that a question knows; Spark gives columns by their places."""
    for batch in batches:
        for start in range(0, batch.num_rows, BLOCK):
            block = batch.slice(start, BLOCK)
            columns = block.columns if names else [pa.nulls(block.num_rows)]
            yield pa.record_batch(columns, names=names or ("nothing",))


def number_sums(entries: Entries) -> pa.RecordBatch:
    """Return numbered sums as rows."""
    where, sums = entries
    exact = (
        pa.array(sums).cast(AMOUNT) if isinstance(sums, np.ndarray) else _convert_to_decimals(sums)
    )
    return drop_buckets(pa.record_batch({"cell": pa.array(where), "amount": exact}))


def _convert_to_decimals(sums: Sequence[int]) -> pa.Array:
    return pa.array([Decimal(each) for each in sums], AMOUNT)


def drop_buckets(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return cells and amounts as sums, which belong to no bucket."""
    columns = {name: batch.column(name) for name in ("cell", "amount")}
    return pa.record_batch({"bucket": pa.nulls(batch.num_rows, pa.int32()), **columns})
