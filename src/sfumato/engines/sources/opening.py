"""Whatever a user calls a table, opened as a `Source`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, cast

import duckdb
import pyarrow as pa

from sfumato.engines.engine import redact_errors
from sfumato.engines.file_format import USUAL, FileFormat
from sfumato.engines.sources.arrow import ArrowDataset, ArrowTable
from sfumato.engines.sources.delimited import DelimitedFiles
from sfumato.engines.sources.files import DELIMITED, LINES, PARQUET, SourceFile, list_files
from sfumato.engines.sources.frames import PandasFrame, PolarsFrame
from sfumato.engines.sources.parquet import ParquetFiles
from sfumato.engines.sources.relation import DuckRelation
from sfumato.engines.sources.source import Source
from sfumato.engines.sources.stream import ArrowStream
from sfumato.engines.spool import Spool, copy_bytes, is_foreign, is_one_shot
from sfumato.engines.table import PLAIN, NumberFormat
from sfumato.errors import SourceError


def open_table(
    table: object, number_format: NumberFormat = PLAIN, file_format: FileFormat = USUAL
) -> Source:
    """Return a source for a path, folder, glob or list of them, a frame, relation or Arrow table.

    Privacy
    -------
    Reads names and kinds of columns, which are public, and no row.
    """
    if isinstance(table, Spool):
        return _open_spool(table, number_format, file_format)
    several = isinstance(table, list | tuple)
    paths = list(cast("Sequence[object]", table)) if several else [table]
    if not paths or not all(isinstance(path, str | os.PathLike) for path in paths):
        number_format.check_files(delimited=False)
        file_format.check_files(delimited=False)
        return redact_errors(lambda: _open_object(cast(Any, table)))
    places = cast("list[str | os.PathLike[str]]", paths)
    files = redact_errors(lambda: _find_files(places), "The path")
    return _open_files(files, number_format, file_format)


def _open_spool(spool: Spool, number_format: NumberFormat, file_format: FileFormat) -> Source:
    number_format.check_files(delimited=spool.of_bytes)
    file_format.check_files(delimited=spool.of_bytes)
    if not spool.of_bytes:
        return ArrowStream(spool)
    # Its first line must be known, and nothing can be put back: all is copied, and none looked at.
    path = redact_errors(lambda: spool.keep(copy_bytes, "stream.csv"), "The stream")
    return DelimitedFiles([SourceFile(path, "The stream")], number_format, file_format)


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


def _open_object(table: Any) -> Source:  # noqa: PLR0911 - one for each kind of table
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
        case _ if is_one_shot(table):
            return _open_spool(Spool(table), PLAIN, USUAL)
        case _ if is_foreign(table) and hasattr(table, "__arrow_c_array__"):
            return ArrowTable(pa.table(pa.record_batch(table)))
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
    names = ("DataFrame", "LazyFrame", "Table", "RecordBatch", "Dataset")
    for base in type(table).__mro__:
        library = base.__module__.split(".")[0]
        if library in known and base.__name__ in names:
            return library, base.__name__
    return None


def _open_files(
    parts: Sequence[SourceFile], number_format: NumberFormat, file_format: FileFormat
) -> Source:
    names = [part.path.name.lower() for part in parts]
    if all(name.endswith(PARQUET) for name in names):
        number_format.check_files(delimited=False)
        file_format.check_files(delimited=False)
        return ParquetFiles(parts)
    if all(name.endswith(DELIMITED + LINES) for name in names):
        return DelimitedFiles(parts, number_format, file_format)
    raise SourceError(
        "The files must be all Parquet (.parquet) or all CSV (.csv, .tsv, .csv.gz, .csv.zst), by "
        "their names.",
        "Guessing from what is in them would depend on the data.",
        "Rename them, or give sfumato one kind: 'folder/**/*.parquet'.",
    )
