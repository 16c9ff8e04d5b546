"""A Spark frame as an engine sees it: columns by their places, and sums that were added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.engines.columns import LONGEST_TEXT, find_kind, find_spacing
from sfumato.engines.sources.source import check_names
from sfumato.engines.spark.people import BUCKETS
from sfumato.engines.spark.sums import make_changed_error, xor_marks
from sfumato.engines.spark.task import OUTDATED, PartitionTask
from sfumato.engines.table import ColumnKind
from sfumato.errors import SourceError
from sfumato.zones import find_zone

_BYTES = "UTF8_BINARY"
_TYPES: dict[str, pa.DataType] = {
    "BooleanType": pa.bool_(),
    "ByteType": pa.int8(),
    "ShortType": pa.int16(),
    "IntegerType": pa.int32(),
    "LongType": pa.int64(),
    "FloatType": pa.float32(),
    "DoubleType": pa.float64(),
    "DateType": pa.date32(),
    "TimestampType": pa.timestamp("us", "UTC"),
    "TimestampNTZType": pa.timestamp("us"),
    "DayTimeIntervalType": pa.duration("us"),
    "BinaryType": pa.binary(),
    **dict.fromkeys(("StringType", "CharType", "VarcharType", "NullType"), pa.string()),
}
# Spark stops where the texts of a batch fill 2 GiB. What stands for a long text is what
# `sfumato.engines.columns.shortened` makes of it.
_DIGEST = "concat(repeat('.', {1}), sha2(CAST({0} AS BINARY), 256))"
_SHORTENED: dict[ColumnKind, str] = {
    "text": f"CASE WHEN octet_length({{0}}) > {{1}} THEN {_DIGEST} ELSE {{0}} END",
    "bytes": f"CASE WHEN octet_length({{0}}) > {{1}} THEN CAST({_DIGEST} AS BINARY) ELSE {{0}} END",
}


@dataclass(frozen=True, eq=False, repr=False)
class CheckedSums:
    """Sums by cell that can be used, and what tells whether they are from the same rows as others.

    Privacy
    -------
    True sums: nothing here is private.
    """

    cells: pa.ChunkedArray
    amounts: pa.ChunkedArray
    read: int


class SparkFrame:
    """A Spark frame whose columns are counted, not named: to Spark the names "a" and "A" are one.

    Privacy
    -------
    Names and types of columns are public. No row is read here.
    """

    def __init__(self, frame: Any) -> None:
        fields = frame.schema.fields
        check_names([field.name for field in fields])
        self._frame = frame.toDF(*(f"c{index}" for index in range(len(fields))))
        self._names = [field.name for field in fields]
        self._void = {f.name for f in fields if type(f.dataType).__name__ == "NullType"}
        self.types = {field.name: _convert_type(field.dataType) for field in fields}
        self.folded = frozenset(f.name for f in fields if _is_folded(f.dataType))
        zone = find_zone(frame.sparkSession.conf.get("spark.sql.session.timeZone")).name
        zoned = [f.name for f in fields if type(f.dataType).__name__ == "TimestampType"]
        self.zones: dict[str, str] = dict.fromkeys(zoned, zone)

    @property
    def kinds(self) -> dict[str, ColumnKind]:
        """What each column holds."""
        kinds: dict[str, ColumnKind] = {name: find_kind(kind) for name, kind in self.types.items()}
        kinds.update(dict.fromkeys(self._void, "nothing"))
        return kinds

    @property
    def spacings(self) -> dict[str, float]:
        """How far apart values lie, of the columns whose type fixes it."""
        found = ((name, find_spacing(kind)) for name, kind in self.types.items())
        return {name: spacing for name, spacing in found if spacing is not None}

    def map_partitions(self, names: Sequence[str], work: PartitionTask) -> Any:
        """Return what work makes of each partition of some columns."""
        from pyspark.sql import functions as sf

        columns = [sf.expr(self.expression(name)) for name in names]
        # Without columns a partition still has rows to be counted.
        return map_partitions(self._frame.select(*columns or [sf.lit(0)]), work)

    def expression(self, name: str) -> str:
        """Return how a column is handed on: long texts by their digests."""
        place = f"c{self._names.index(name)}"
        if name in self._void:
            return f"CAST({place} AS STRING) AS {place}"
        short = _SHORTENED.get(find_kind(self.types[name]), "{0}")
        return f"{short.format(place, LONGEST_TEXT)} AS {place}"

    @property
    def bare(self) -> Any:
        """The frame itself."""
        return self._frame


def map_partitions(frame: Any, work: PartitionTask) -> Any:
    """Return what work makes of each partition of a frame."""
    from pyspark.sql.pandas.types import from_arrow_schema

    def run(batches: Any) -> Any:
        return work(batches)

    return frame.mapInArrow(run, from_arrow_schema(work.schema))


def repartition_by_person(listed: Any) -> Any:
    """Return listed rows, moved so that all rows of a person are in one partition.

    Privacy
    -------
    Identities were made equal where they are equal before Spark sees them. The bucket follows
    from the identity alone, and all rows of a bucket are moved to one partition; whether they
    were is checked by whoever sums them.
    """
    from pyspark.sql import functions as sf

    bucket = sf.pmod(sf.xxhash64("person"), sf.lit(BUCKETS)).cast("int")
    return listed.withColumn("bucket", bucket).repartition("bucket")


def add_by_cell(partials: Any) -> Any:
    """Return sums by cell, with whatever tells that they must not be used."""
    from pyspark.sql import functions as sf

    sums = partials.groupBy("failed", "bucket", "cell").agg(
        sf.sum("amount").alias("amount"), sf.bit_xor("mark").alias("mark")
    )
    # Of the buckets that were held only those held twice are worth a word.
    return sums.where("failed IS NOT NULL OR bucket IS NULL OR amount <> 1")


def check_sums(sums: pa.Table) -> CheckedSums:
    """Return sums if they can be used, or refuse them without a word about the data.

    Privacy
    -------
    Refuses what a partition could not sum, people who were not kept together, and sums of which a
    part is from another run than the rest.
    """
    failed = sums.column("failed").drop_null().to_pylist()
    if OUTDATED in failed:
        raise SourceError(
            "Part of the cluster runs other code of sfumato than this machine.",
            "It may count by other rules than the cost was computed for.",
            "Install the same version everywhere.",
        )
    split = sums.column("bucket").null_count < sums.num_rows
    if failed or split or sums.column("amount").null_count:
        raise SourceError(
            "The cluster could not sum the table.",
            "What went wrong is not repeated here, because it may depend on the data.",
            "Check that the frame can be read, does not change, and that executors have memory "
            "and disk left.",
        )
    if xor_marks(np.asarray(sums.column("mark"))):
        raise make_changed_error()
    closing = np.asarray(sums.column("cell").is_null())
    told = sums.column("amount").filter(pa.array(closing)).to_pylist()
    rest = sums.filter(pa.array(~closing))
    return CheckedSums(rest.column("cell"), rest.column("amount"), int(sum(told)))


def _is_folded(dtype: Any) -> bool:
    """Tell whether Spark takes texts of a type for equal that differ in their bytes."""
    return getattr(dtype, "collation", _BYTES) != _BYTES


def _convert_type(dtype: Any) -> pa.DataType:
    """Return the Arrow type in which Spark hands on a type; nested ones cannot be charted."""
    name = type(dtype).__name__
    if name == "DecimalType":
        return pa.decimal128(dtype.precision, dtype.scale)
    return _TYPES[name] if name in _TYPES else pa.struct([])
