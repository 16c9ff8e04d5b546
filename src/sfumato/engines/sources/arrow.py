"""Arrow tables and datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from sfumato.engines.columns import find_kind, find_spacing, find_time_zone
from sfumato.engines.sources.source import Batches, Columns, Source, check_names, cut_rows
from sfumato.engines.table import BLOCK, ColumnKind
from sfumato.errors import SourceError

_WIDER = {(pa.string(), pa.large_string()), (pa.binary(), pa.large_binary())}


def find_arrow_kinds(schema: pa.Schema) -> dict[str, ColumnKind]:
    """Return names and kinds of the columns of an Arrow schema."""
    check_names(schema.names)
    return {name: find_kind(dtype) for name, dtype in zip(schema.names, schema.types, strict=True)}


def find_arrow_spacings(schema: pa.Schema) -> dict[str, float]:
    """Return how far apart values lie, of the columns whose Arrow type fixes it."""
    found = zip(schema.names, map(find_spacing, schema.types), strict=True)
    return {name: spacing for name, spacing in found if spacing is not None}


def find_arrow_zones(schema: pa.Schema) -> dict[str, str]:
    """Return the zones that Arrow types of columns name."""
    found = zip(schema.names, map(find_time_zone, schema.types), strict=True)
    return {name: zone for name, zone in found if zone is not None}


class ArrowTable(Source):
    """An Arrow table in memory.

    Privacy
    -------
    Only the columns asked for are touched.
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self.kinds = find_arrow_kinds(table.schema)
        self.spacings = find_arrow_spacings(table.schema)
        self.zones = find_arrow_zones(table.schema)

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns."""
        done = 0
        for batch in self._table.select(list(columns.names)).to_batches(max_chunksize=BLOCK):
            done += batch.num_rows
            yield batch, done / max(1, self._table.num_rows)

    def split(self, parts: int) -> Sequence[Source]:
        """Give each part some of the rows."""
        cuts = cut_rows(self._table.num_rows, parts)
        return [ArrowTable(self._table.slice(cut.start, cut.stop - cut.start)) for cut in cuts]


class ArrowDataset(Source):
    """An Arrow dataset, read as its own scanner streams it.

    Its scanner reads text files by a schema that may not fit, casts each file to the schema of all,
    and reads categories from some encodings of Parquet alone. Where one of these can fail at a
    value, it is refused for the types.

    Privacy
    -------
    Its schema, and those of its files, are taken as public, whichever way they were made.
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        fragments = _list_fragments(dataset)
        if any(_reads_text(fragment) for fragment in fragments):
            raise SourceError(
                "The Arrow dataset reads CSV or JSON files.",
                "Arrow stops at the first value that is not of the type it expects, and this "
                "would reveal something about that value.",
                "Give sfumato the paths of CSV files, or write the dataset as Parquet.",
            )
        self.kinds = find_arrow_kinds(dataset.schema)
        self.spacings = find_arrow_spacings(dataset.schema)
        self.zones = find_arrow_zones(dataset.schema)
        for fragment in fragments:
            self._check(fragment.physical_schema)
            if hasattr(fragment, "row_groups"):  # in a file of Parquet
                self._leave_out_categories(fragment.physical_schema)

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns."""
        for batch in self._dataset.to_batches(columns=list(columns.names), batch_size=BLOCK):
            yield batch, 0.0

    def _check(self, stored: pa.Schema) -> None:
        for name in self.kinds:
            dtype = self._dataset.schema.field(name).type
            found = stored.names.count(name)
            if found > 1 or (found and not _never_fails(stored.field(name).type, dtype)):
                raise SourceError(
                    f"Column {name!r} has another type in a file of the dataset than in all of it.",
                    "Whether Arrow can convert it depends on the values.",
                    "Write the files with the same schema.",
                )

    def _leave_out_categories(self, stored: pa.Schema) -> None:
        categories = {field.name for field in stored if kinds.is_dictionary(field.type)}
        self.kinds.update(dict.fromkeys(categories & self.kinds.keys(), "other"))


def _list_fragments(dataset: Any) -> list[Any]:
    try:
        return list(dataset.get_fragments())
    except ValueError:
        pass
    raise SourceError(
        "The Arrow dataset has a filter, behind which Arrow hides its files.",
        "Whether the filter fails would depend on a value, and so reveal it.",
        "Give sfumato dataset.filter(…).to_table(), or a DuckDB relation.",
    )


def _reads_text(fragment: Any) -> bool:
    kind = getattr(fragment, "format", None)
    return getattr(kind, "default_extname", "") in ("csv", "json")


def _never_fails(stored: pa.DataType, wanted: pa.DataType) -> bool:
    """Tell whether Arrow casts all values of one type to another."""
    if stored == wanted or kinds.is_null(stored):
        return True
    for alike in (kinds.is_signed_integer, kinds.is_unsigned_integer, kinds.is_floating):
        if alike(stored) and alike(wanted):
            return stored.bit_width <= wanted.bit_width
    return (stored, wanted) in _WIDER
