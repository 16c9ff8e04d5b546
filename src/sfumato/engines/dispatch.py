"""Which engine reads a table: the one that is where its rows are."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from sfumato.engines.duckdb_engine import DuckEngine
from sfumato.engines.engine import Engine, redact_errors
from sfumato.engines.table import Report, Table, is_spark
from sfumato.errors import SourceError


def choose_engine(table: object, progress: Report | None = None) -> Engine:
    """Return an engine for a table, or for whatever `Table` takes: this machine's or a cluster's.

    Privacy
    -------
    Reads the names and kinds of columns, which are public, and no row. One engine object serves
    one release.
    """
    table = Table.of(table)
    if isinstance(table, OpenedTable):
        return table.serve(progress)
    frame = _find_spark_frame(table)
    if frame is None:
        return DuckEngine(
            table.source,
            threads=table.threads,
            memory_limit=table.memory_limit,
            number_format=table.number_format,
            progress=progress,
        )
    # Spark is there already, or nobody could have made the frame.
    from sfumato.engines.spark.engine import SparkEngine

    return SparkEngine(frame, progress=progress, memory_limit=table.memory_limit)


@dataclass(frozen=True, eq=False, repr=False)
class OpenedTable(Table):
    """A table whose engine is there already, to look at its schema and then for one release.

    Privacy
    -------
    Opening reads the names and kinds of columns, which are public, and no row.
    """

    _engine: Engine = field(init=False)
    _listeners: list[Report] = field(init=False, default_factory=list[Report])

    def __post_init__(self) -> None:
        plain = Table(**{each.name: getattr(self, each.name) for each in fields(Table)})
        object.__setattr__(self, "_engine", choose_engine(plain, self._report))

    @classmethod
    def of(cls, table: object) -> OpenedTable:
        """Open whatever `Table` takes.

        Privacy
        -------
        Reads the names and kinds of columns, and no row.
        """
        plain = Table.of(table)
        return cls(**{each.name: getattr(plain, each.name) for each in fields(Table)})

    def serve(self, progress: Report | None) -> Engine:
        """Return the engine, which from now on tells `progress` how far it has read.

        Privacy
        -------
        As `choose_engine`: it serves one release.
        """
        self._listeners[:] = [] if progress is None else [progress]
        return self._engine

    def _report(self, fraction: float) -> None:
        for listener in self._listeners:
            listener(fraction)


def _find_spark_frame(table: Table) -> Any:
    """Return the Spark frame that a table stands for; None where it is none of Spark's."""
    if table.spark is not None:
        return _refuse_stream(_read_spark_table(table.spark, table.name))
    if not is_spark(table.source):
        return None
    if any(base.__module__.startswith("pyspark.pandas") for base in type(table.source).__mro__):
        raise SourceError(
            "A pandas-on-Spark frame is not read as it is.",
            "Its index may be numbered anew whenever it is read, and a chart is about one table.",
            "Give sfumato frame.to_spark().",
        )
    return _refuse_stream(table.source)


def _read_spark_table(spark: Any, name: str) -> Any:
    def find() -> Any:
        found = spark.table(name)
        _ = found.schema  # a remote session does not look for a table before
        return found

    try:
        return redact_errors(find)
    except SourceError:
        pass
    raise SourceError(
        f"Spark finds no table {name!r} that it can open.",
        "Nothing was read and nothing charged.",
        "See what it knows with spark.catalog.listTables(), and write the name as there, or as "
        "'database.table'.",
    )


def _refuse_stream(frame: Any) -> Any:
    if redact_errors(lambda: bool(frame.isStreaming)):
        raise SourceError(
            "The table is a stream.",
            "Its rows keep coming while they are counted, so that no two charts, and no ledger, "
            "would be about one table.",
            "Write it to a table first, and read that with spark.read.",
        )
    return frame
