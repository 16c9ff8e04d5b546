"""Parquet files, one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines.columns import LONGEST_TEXT
from sfumato.engines.engine import redact_errors
from sfumato.engines.sources.arrow import find_arrow_kinds, find_arrow_spacings, find_arrow_zones
from sfumato.engines.sources.files import SourceFile, add_partition_keys
from sfumato.engines.sources.source import (
    LARGEST,
    Batches,
    Columns,
    Source,
    check_names,
    cut_evenly,
)
from sfumato.engines.table import BLOCK
from sfumato.errors import SourceError

BUFFER = 2**20
"""How many bytes of a column to fetch at once."""


# Times as Spark writes them, of 96 bits. Arrow would take them for nanoseconds, and those of before
# 1678 or after 2262 for other times in between.
_TIMES = {"coerce_int96_timestamp_unit": "us"}

# As Thrift writes the key, and what no reader looks for.
_ARROW, _IGNORED = b"\x0cARROW:schema\x18", b"\x0cARROW-schema\x18"

_READ_AS_WORDS = {"PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "RLE", "BIT_PACKED"}
_STORED_EACH = {"PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "RLE", "BIT_PACKED"}
_FEW = 2**8  # rows at once where each may have the longest text
_MOST_WORDS = 2**28  # bytes of a row group, of which a batch may hold parts of several


@dataclass(frozen=True)
class _RowGroup:
    part: SourceFile
    index: int
    rows: int


class ParquetFiles(Source):
    """Parquet files that hold one table together.

    Arrow reads them, and not DuckDB, because DuckDB stops at text that is not Unicode: whether a
    query fails would depend on the data.

    Privacy
    -------
    What stands in the footers, names and kinds of columns, is public. The number of rows is not:
    it is only used to tell how far reading is.
    """

    def __init__(self, parts: Sequence[SourceFile]) -> None:
        footers = [_read_footer(part) for part in parts]
        self._groups = [group for _, groups in footers for group in groups]
        self._schema = _merge_schemas([schema for schema, _ in footers])
        self._coded = {field.name for schema, _ in footers for field in schema if _is_coded(field)}
        self.kinds = add_partition_keys(
            find_arrow_kinds(self._schema), [part.partition for part in parts]
        )
        self.spacings = find_arrow_spacings(self._schema)
        self.zones = find_arrow_zones(self._schema)
        self.untyped = frozenset(parts[0].partition.keys)

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns; repetitive texts stay the dictionaries they are stored as."""
        rows = max(1, sum(group.rows for group in self._groups))
        done = 0
        for part, groups in groupby(self._groups, key=lambda group: group.part):
            for batch in self._read(part, [group.index for group in groups], columns):
                done += batch.num_rows
                yield batch, done / rows

    def split(self, parts: int) -> Sequence[Source]:
        """Give each part some of the row groups."""
        return [self._of(self._groups[run]) for run in cut_evenly(len(self._groups), parts)]

    def _of(self, groups: list[_RowGroup]) -> ParquetFiles:
        part = copy(self)
        part._groups = groups
        return part

    def _read(
        self, part: SourceFile, groups: list[int], columns: Columns
    ) -> Iterator[pa.RecordBatch]:
        names = part.partition.list_stored_columns(columns.names)
        texts = [name for name in names if self.kinds[name] in ("text", "bytes")]
        with _open_file(part) as stored:
            footer = _read_metadata(stored, plainly=not self._coded.isdisjoint(names))
            places = _locate_columns(footer.schema, names)
            manner = partial(_choose_reading, footer, places, texts, columns.repetitive)
            for (words, rows), some in groupby(groups, manner):
                # By default Arrow fetches all of a file before it decodes any, in its own threads.
                options = {"read_dictionary": words, "pre_buffer": False, "buffer_size": BUFFER}
                with pq.ParquetFile(stored, metadata=footer, **options, **_TIMES) as file:
                    for batch in file.iter_batches(
                        rows, row_groups=[*some], columns=names, use_threads=False
                    ):
                        typed = {name: self._typed(batch.column(name), name) for name in names}
                        yield part.partition.completed(typed, batch.num_rows, columns.names)

    def _typed(self, column: pa.Array, name: str) -> pa.Array:
        is_null = _get_value_type(column.type) == pa.null()
        return pa.nulls(len(column), self._schema.field(name).type) if is_null else column


def _open_file(part: SourceFile) -> pa.NativeFile:
    return pa.OSFile(os.fsencode(part.path))  # as bytes, since Arrow takes only Unicode for a path


def _is_coded(field: pa.Field) -> bool:
    return pa.types.is_dictionary(field.type)


def _read_metadata(stored: pa.NativeFile, *, plainly: bool) -> pq.FileMetaData:
    """Return a footer; if asked, without the schema that Arrow's writers put there.

    By that schema Arrow would read categories as dictionaries, whether it can or not.
    """
    size = stored.size()
    end = stored.read_at(8, size - 8)
    length = int.from_bytes(end[:4], "little")
    footer = stored.read_at(length, size - 8 - length)
    footer = footer.replace(_ARROW, _IGNORED) if plainly else footer
    return pq.read_metadata(pa.BufferReader(end[4:] + footer + end))


def _locate_columns(schema: pq.ParquetSchema, names: Sequence[str]) -> dict[str, list[int]]:
    """Return where columns are in a file."""
    places: dict[str, list[int]] = {name: [] for name in names}
    for place in range(len(schema)):
        places.get(schema.column(place).path, []).append(place)
    return places


def _choose_reading(
    footer: pq.FileMetaData,
    places: Mapping[str, list[int]],
    texts: Sequence[str],
    repetitive: Sequence[str],
    index: int,
) -> tuple[list[str], int]:
    """Return which texts of a row group to read as dictionaries, and how many rows at once.

    A writer chooses encodings by the data; Arrow makes dictionaries of some of them alone, and of
    no more than 2 GiB of words. Where a text that is stored once may stand on many rows, it is read
    once, or few rows are read at a time. Rows are the same in any manner.
    """
    group = footer.row_group(index)
    stored = {name: [group.column(place) for place in places[name]] for name in places}
    sizes = {name: sum(each.total_uncompressed_size for each in stored[name]) for name in stored}
    most = min(_MOST_WORDS, LONGEST_TEXT * group.num_rows)
    words = [
        name
        for name in texts
        if sizes[name] <= most
        and (name in repetitive or any(map(_is_repeated, stored[name])))
        and all(_READ_AS_WORDS.issuperset(each.encodings) for each in stored[name])
    ]
    plain = [name for name in sizes if name not in words]
    fitting = LARGEST * group.num_rows // max([1, *(sizes[name] for name in plain)])
    if any(_is_repeated(each) for name in plain if name in texts for each in stored[name]):
        fitting = min(fitting, _FEW)
    return words, min(BLOCK, 2 ** max(0, fitting.bit_length() - 1))


def _is_repeated(column: pq.ColumnChunkMetaData) -> bool:
    """Tell whether a text that is stored once may stand on any number of rows."""
    return not _STORED_EACH.issuperset(column.encodings)


def _read_footer(part: SourceFile) -> tuple[pa.Schema, list[_RowGroup]]:
    def read() -> tuple[pa.Schema, list[_RowGroup]]:
        with _open_file(part) as stored, pq.ParquetFile(stored, **_TIMES) as file:
            rows = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
            return file.schema_arrow, [_RowGroup(part, *group) for group in enumerate(rows)]

    return redact_errors(read, part.called)


def _merge_schemas(schemas: Sequence[pa.Schema]) -> pa.Schema:
    check_names(schemas[0].names)
    # A part in which a column is NULL throughout may not know the type that the others have.
    merged = {
        name: next((_get_type(s, name) for s in schemas if _has_typed_column(s, name)), pa.null())
        for name in schemas[0].names
    }
    for schema in schemas:
        same = schema.names == schemas[0].names and all(
            _get_type(schema, name) in (dtype, pa.null()) for name, dtype in merged.items()
        )
        if not same:
            raise SourceError(
                "The Parquet files have different columns or types.",
                "They must hold one table, or a person could count in one part and not in the "
                "other.",
                "Write them with the same schema, or give sfumato one file.",
            )
    return pa.schema(list(merged.items()))


def _has_typed_column(schema: pa.Schema, name: str) -> bool:
    return schema.names.count(name) == 1 and _get_type(schema, name) != pa.null()


def _get_type(schema: pa.Schema, name: str) -> pa.DataType:
    return _get_value_type(schema.field(name).type)


def _get_value_type(dtype: pa.DataType) -> pa.DataType:
    # How wide the codes of a dictionary are may depend on how many words the file has.
    return dtype.value_type if pa.types.is_dictionary(dtype) else dtype
