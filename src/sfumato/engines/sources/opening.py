"""Whatever a user calls a table, opened as a `Source`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, cast

import duckdb
import pyarrow as pa

from sfumato.engines.engine import redact_errors
from sfumato.engines.sources.arrow import ArrowDataset, ArrowTable
from sfumato.engines.sources.delimited import DelimitedFiles
from sfumato.engines.sources.files import DELIMITED, LINES, PARQUET, SourceFile, list_files
from sfumato.engines.sources.frames import PandasFrame, PolarsFrame
from sfumato.engines.sources.parquet import ParquetFiles
from sfumato.engines.sources.relation import DuckRelation
from sfumato.engines.sources.source import Source
from sfumato.engines.table import PLAIN, NumberFormat
from sfumato.errors import SourceError

ONCE = ("RecordBatchReader", "Scanner")


def open_table(table: object, number_format: NumberFormat = PLAIN) -> Source:
    """Return a source for a path, folder, glob or list of them, a frame, relation or Arrow table.

    Privacy
    -------
    Reads names and kinds of columns, which are public, and no row.
    """
    several = isinstance(table, list | tuple)
    paths = list(cast("Sequence[object]", table)) if several else [table]
    if not paths or not all(isinstance(path, str | os.PathLike) for path in paths):
        number_format.check_files(delimited=False)
        return redact_errors(lambda: _open_object(cast(Any, table)))
    places = cast("list[str | os.PathLike[str]]", paths)
    return _open_files(redact_errors(lambda: _find_files(places), "The path"), number_format)


def _find_files(places: Sequence[str | os.PathLike[str]]) -> list[SourceFile]:
    parts = [part for place in places for part in list_files(place)]
    # By their inodes: a link, soft or hard, is another name for the same rows.
    inodes = [part.path.stat() for part in parts]
    if len({(inode.st_dev, inode.st_ino) for inode in inodes}) < len(parts):
        raise SourceError(
            "A file is named more than once.",
            "Each of its rows would count as often, and be protected less.",
            "Name every file once, and give one glob or a list without repeats.",
        )
    return parts


def _open_object(table: Any) -> Source:
    match identify_library(table):
        case "pandas", "DataFrame":
            return PandasFrame(table)
        case "polars", "DataFrame" | "LazyFrame":
            return PolarsFrame(table)
        case "pyarrow", "Table":
            return ArrowTable(table)
        case "pyarrow", "RecordBatch":
            return ArrowTable(pa.table(table))
        case "pyarrow", "Dataset":
            return ArrowDataset(table)
        case _ if isinstance(table, duckdb.DuckDBPyRelation):
            return DuckRelation(table)
        case "pyarrow", name if name in ONCE:
            raise SourceError(
                "The table can be read only once.",
                "Every chart reads it anew, and a second reading would find nobody.",
                "Give sfumato a path, or reader.read_all().",
            )
        case _:
            raise SourceError(
                f"A {type(table).__name__} is not a table that sfumato reads.",
                "Only sources whose rows are known exactly can be protected.",
                "Give it a path of CSV or Parquet files, a pandas or Polars frame, an Arrow table "
                "or dataset, a DuckDB relation or a Spark DataFrame.",
            )


def identify_library(table: object) -> tuple[str, str] | None:
    """Return library and name of the first known class that `table` is an instance of.

    Privacy
    -------
    Looks at its type alone.
    """
    known = ("pandas", "polars", "pyarrow")
    names = ("DataFrame", "LazyFrame", "Table", "RecordBatch", "Dataset", *ONCE)
    for base in type(table).__mro__:
        library = base.__module__.split(".")[0]
        if library in known and base.__name__ in names:
            return library, base.__name__
    return None


def _open_files(parts: Sequence[SourceFile], number_format: NumberFormat) -> Source:
    names = [part.path.name.lower() for part in parts]
    if all(name.endswith(PARQUET) for name in names):
        number_format.check_files(delimited=False)
        return ParquetFiles(parts)
    if all(name.endswith(DELIMITED + LINES) for name in names):
        return DelimitedFiles(parts, number_format)
    raise SourceError(
        "The files must be all Parquet (.parquet) or all CSV (.csv, .tsv, .csv.gz, .csv.zst), by "
        "their names.",
        "Guessing from what is in them would depend on the data.",
        "Rename them, or give sfumato one kind: 'folder/**/*.parquet'.",
    )
