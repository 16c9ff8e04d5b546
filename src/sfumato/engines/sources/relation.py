"""DuckDB relations, on the connection they belong to."""

from __future__ import annotations

import duckdb
import pyarrow as pa

from sfumato.engines.columns import LONGEST_TEXT, find_time_zone
from sfumato.engines.sources.source import Batches, Columns, Source, check_names
from sfumato.engines.table import BLOCK, ColumnKind

_KINDS: dict[str, ColumnKind] = {
    **dict.fromkeys(("tinyint", "smallint", "integer", "bigint", "hugeint", "bignum"), "number"),
    **dict.fromkeys(("utinyint", "usmallint", "uinteger", "ubigint", "uhugeint"), "number"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("varchar", "enum", "uuid"), "text"),
    **dict.fromkeys(("date", "timestamp", "timestamp_s", "timestamp_ms"), "time"),
    **dict.fromkeys(("timestamp_ns", "timestamp with time zone"), "time"),
    "time": "clock",
    "boolean": "flag",
    "null": "nothing",
    "blob": "bytes",
}
_SPACINGS = {
    **dict.fromkeys(("tinyint", "smallint", "integer", "bigint", "hugeint", "bignum"), 1.0),
    **dict.fromkeys(("utinyint", "usmallint", "uinteger", "ubigint", "uhugeint", "boolean"), 1.0),
    **dict.fromkeys(("timestamp", "timestamp_ns", "timestamp with time zone"), 1.0),
    "timestamp_ms": 1e3,
    "timestamp_s": 1e6,
    "date": 86_400e6,
}
# Arrow has no type that holds all of these; their digits do.
_AS_TEXT = {"hugeint", "uhugeint", "bignum", "null", "uuid"}

# DuckDB stops where the texts of a batch fill 2 GiB. What stands for a long text is what
# `sfumato.engines.columns.shortened` makes of it.
_SHORTENED = {
    "varchar": "CASE WHEN strlen({0}) > {1} THEN repeat('.', {1}) || sha256({0}) ELSE {0} END",
    "blob": "CASE WHEN octet_length({0}) > {1} THEN encode(repeat('.', {1}) || sha256({0})) "
    "ELSE {0} END",
}

# Without a collation these are five texts; each one that DuckDB has takes some for equal.
_TOLD_APART = ("'a'", "'A'", "'\u00e1'", "'a\u0301'", "'a '")


class DuckRelation(Source):
    """A relation of the user's own DuckDB. Its rows are the table; what they are made from is not.

    Privacy
    -------
    One row of the relation, or all rows of one user in it, is what is protected. If the relation
    itself fails on some value, so does the release. An answer comes from one run, in one pass, so
    that even one that samples anew each time gives every row its place in one table. Nothing is
    stored on the user's connection.
    """

    def __init__(self, relation: duckdb.DuckDBPyRelation) -> None:
        check_names(relation.columns)
        self._relation = relation
        self._names = relation.columns
        self._types = [dtype.id for dtype in relation.types]
        self.kinds = {
            name: _KINDS.get(dtype, "other")
            for name, dtype in zip(self._names, self._types, strict=True)
        }
        types = zip(self._names, self._types, strict=True)
        self.spacings = {name: _SPACINGS[dtype] for name, dtype in types if dtype in _SPACINGS}
        self.zones = self._find_zones()
        self.folded = self._find_collated()

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns."""
        wanted = ", ".join(self._expression(self._names.index(name)) for name in columns.names)
        with self._relation.project(wanted).to_arrow_reader(BLOCK) as reader:
            for batch in reader:
                yield pa.record_batch(batch.columns, names=columns.names), 0.0

    def _find_zones(self) -> dict[str, str]:
        """Return the zone of the connection for the columns that are told in it; reads no row."""
        zoned = [i for i, dtype in enumerate(self._types) if dtype == "timestamp with time zone"]
        if not zoned:
            return {}
        columns = ", ".join(f"#{index + 1} AS c{index}" for index in zoned)
        empty = self._relation.filter("false").project(columns)
        with empty.to_arrow_reader(BLOCK) as reader:
            types = reader.schema.types
        found = zip(zoned, map(find_time_zone, types), strict=True)
        return {self._names[index]: zone for index, zone in found if zone is not None}

    def _find_collated(self) -> frozenset[str]:
        """Return the columns that have a collation, which no type tells; reads no row."""
        types = map(str, self._relation.types)
        texts = [index for index, dtype in enumerate(types) if dtype == "VARCHAR"]
        if not texts:
            return frozenset()
        columns = ", ".join(f"#{index + 1} AS c{index}" for index in texts)
        empty = self._relation.filter("false").project(columns)
        rows = ", ".join(f"({', '.join([letters] * len(texts))})" for letters in _TOLD_APART)
        apart = ", ".join(f"count(DISTINCT c{index})" for index in texts)
        query = f"SELECT {apart} FROM (FROM columns_of_it UNION ALL VALUES {rows})"  # noqa: S608
        found = empty.query("columns_of_it", query)
        counts = zip(texts, found.fetchall()[0] if found else (), strict=True)
        return frozenset(self._names[index] for index, n in counts if n < len(_TOLD_APART))

    def _expression(self, index: int) -> str:
        # Columns are counted, not named: to DuckDB the names "a" and "A" are one.
        place = f"#{index + 1}"
        kind = "varchar" if self._types[index] in _AS_TEXT else self._types[index]
        if kind == "varchar":  # JSON, too, which a digest is not
            place = f"CAST({place} AS VARCHAR)"
        return _SHORTENED.get(kind, "{0}").format(place, LONGEST_TEXT)
