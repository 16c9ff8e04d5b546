"""`take_snapshot`: what tells a table from what it becomes later. Argued in `snapshot.md`."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable

from sfumato.engines.sources.files import list_files
from sfumato.engines.sources.opening import identify_library
from sfumato.engines.spool import Spool
from sfumato.engines.table import Table, list_paths

_HELD = {
    ("pandas", "DataFrame"),
    ("polars", "DataFrame"),
    ("pyarrow", "RecordBatch"),
    ("pyarrow", "Table"),
}


def take_snapshot(table: Table) -> Hashable | None:
    """Return something that changes whenever the table does, or None where nothing tells.

    Files are told by their names, sizes, inodes and times of change; tables in memory by being the
    same object; streams that were kept by their files. Whoever changes a pandas or Polars frame in
    place is not noticed. Of DuckDB relations, Arrow datasets, Polars' lazy frames and Spark's
    tables nothing is known.

    Privacy
    -------
    Reads what the system knows of files, and no row. Whether a file was written to in between
    is public: it decides whether a chart is measured again.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = Table(pa.table({"age": [30]}))
    >>> take_snapshot(table) == take_snapshot(table)
    True
    >>> take_snapshot(Table("nowhere.parquet")) is None
    True
    """
    if table.spark is not None:
        return None
    if isinstance(table.source, Spool):
        return table.source.identity
    paths = list_paths(table.source)
    if paths is not None:
        return _describe_files(paths)
    return id(table.source) if identify_library(table.source) in _HELD else None


def _describe_files(paths: Iterable[str]) -> Hashable | None:
    try:
        found = [file.path for path in paths for file in list_files(path)]
        facts = [(os.fspath(path.absolute()), path.stat()) for path in found]
    except Exception:  # noqa: BLE001 - what cannot be told is asked again, and then refused aloud
        return None
    return tuple(
        (path, fact.st_dev, fact.st_ino, fact.st_size, fact.st_mtime_ns) for path, fact in facts
    )
