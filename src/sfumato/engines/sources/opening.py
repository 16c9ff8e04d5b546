"""Whatever a user calls a table, opened as a `Source`."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import duckdb
import pyarrow as pa

from sfumato.engines.discretion import discreetly
from sfumato.engines.sources.arrow import ArrowDataset, ArrowTable
from sfumato.engines.sources.delimited import DelimitedFiles
from sfumato.engines.sources.pandas_frame import PandasFrame
from sfumato.engines.sources.parquet import ParquetFiles
from sfumato.engines.sources.polars_frame import PolarsFrame
from sfumato.engines.sources.relation import DuckRelation
from sfumato.engines.sources.source import Source
from sfumato.errors import SourceError

PARQUET = (".parquet", ".parq", ".pq")
DELIMITED = (".csv", ".tsv", ".txt")
COMPRESSED = ("", ".gz", ".zst")
ONCE = ("RecordBatchReader", "Scanner")


def open_table(table: object) -> Source:
    """Return a source for a path, a glob, a list of paths, a frame, a relation or an Arrow table.

    Privacy
    -------
    Reads names and kinds of columns, which are public, and no row.
    """
    several = isinstance(table, list | tuple)
    paths = list(cast("Sequence[object]", table)) if several else [table]
    if not paths or not all(isinstance(path, str | os.PathLike) for path in paths):
        return discreetly(lambda: _object(cast(Any, table)))
    places = cast("list[str | os.PathLike[str]]", paths)
    found = discreetly(lambda: [file for place in places for file in _expanded(place)], "The path")
    # By their inodes: a link, soft or hard, is another name for the same rows.
    if len({(file.stat().st_dev, file.stat().st_ino) for file in found}) < len(found):
        raise SourceError(
            "A file is named more than once. Each of its rows would count as often, and be "
            "protected less. Name every file once, and give one glob or a list without repeats."
        )
    return _files(found)


def _object(table: Any) -> Source:
    match _made_by(table):
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
                "The table can be read only once. A session reads it for every chart, and a second "
                "reading would find nobody. Give sfumato a path, or reader.read_all()."
            )
        case _:
            raise SourceError(
                f"A {type(table).__name__} is not a table that sfumato reads. What is not read "
                "cannot be protected. Give it a path of CSV or Parquet files, a pandas or Polars "
                "frame, an Arrow table or dataset, or a DuckDB relation."
            )


def _made_by(table: object) -> tuple[str, str] | None:
    """Return library and name of the first known class that `table` is an instance of."""
    known = ("pandas", "polars", "pyarrow")
    names = ("DataFrame", "LazyFrame", "Table", "RecordBatch", "Dataset", *ONCE)
    for base in type(table).__mro__:
        library = base.__module__.split(".")[0]
        if library in known and base.__name__ in names:
            return library, base.__name__
    return None


def _expanded(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files a path, a folder or a glob stands for, in order of their names."""
    text = os.fspath(path)
    place = Path(text).expanduser()
    if "://" in text:
        raise SourceError(
            f"{text!r} is an address, and sfumato does not use the network: whoever answers would "
            "learn what is asked. Download the file and give its path."
        )
    if place.is_dir():
        found = sorted(file for file in place.rglob("*") if _is_part(file, place))
    elif place.is_file():
        found = [place]
    else:
        matches = glob.glob(str(place), recursive=True)  # noqa: PTH207 - also absolute patterns
        found = sorted(map(Path, matches))
        found = [file for file in found if file.is_file()]
    if not found:
        raise SourceError(
            f"There is no file at {text!r}. Nothing was read and nothing charged. Check the path; "
            "a folder must hold files that end in .parquet."
        )
    return found


def _is_part(file: Path, folder: Path) -> bool:
    hidden = any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)
    return file.suffix.lower() in PARQUET and file.is_file() and not hidden


def _files(paths: Sequence[Path]) -> Source:
    formats = {_format(path) for path in paths}
    if formats == {"parquet"}:
        return ParquetFiles(paths)
    if formats == {"delimited"}:
        return DelimitedFiles(paths)
    raise SourceError(
        "The files must be all Parquet (.parquet) or all CSV (.csv, .tsv, .csv.gz, .csv.zst), by "
        "their names. Guessing from what is in them would depend on the data. Rename them, or "
        "give sfumato one kind."
    )


def _format(path: Path) -> str:
    name = path.name.lower()
    if name.endswith(PARQUET):
        return "parquet"
    endings = tuple(kind + packed for kind in DELIMITED for packed in COMPRESSED)
    return "delimited" if name.endswith(endings) else "unknown"
