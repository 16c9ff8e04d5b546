"""Which engine reads a table: DuckDB's where this machine reads it, or Spark's on a cluster."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from sfumato.engines.columns import read_labels
from sfumato.engines.engine import Engine, Schema, redact_errors
from sfumato.engines.file_format import USUAL, FileFormat
from sfumato.engines.masses import Masses
from sfumato.engines.queries import QueryEngine
from sfumato.engines.reading import TableReader, throttle_reports
from sfumato.engines.selection import RestrictedPlace, widen
from sfumato.engines.sources.opening import open_table
from sfumato.engines.sources.selected import select_rows
from sfumato.engines.sources.source import Columns
from sfumato.engines.sums import Summation
from sfumato.engines.table import (
    PLAIN,
    NumberFormat,
    Report,
    Resources,
    Table,
    check_resources,
    is_spark,
    preload_pandas,
)
from sfumato.errors import SourceError
from sfumato.exact import Exact
from sfumato.plane import influence
from sfumato.privacy.guarantee import PrivacyUnit

T = TypeVar("T")


class DuckEngine(QueryEngine):
    """Counts the rows and people of a table on one machine.

    Batches of rows stream through the kernel, so a table may be larger than memory; people are
    gathered on disk where they must be.

    Parameters
    ----------
    table
        A path, a glob or a list of paths of CSV or Parquet files, a folder of such files, a pandas
        or Polars frame, an Arrow table or dataset, or a DuckDB relation.
    threads
        How many threads to use; by default as many as there are cores.
    memory_limit
        How much memory people's rows may fill before they go to disk, such as ``"1GB"``.
    number_format
        How numbers are written in CSV files.
    file_format
        How all else is written in them.
    where
        What holds of the rows that are there.
    columns
        Names and definitions of derived columns.
    progress
        Called with the fraction of the table that is read, now and then on long work.

    Privacy
    -------
    Opening a table reads the names and kinds of its columns, which are public, and no row. Odd
    values follow the public rule of `sfumato.engines.columns`. If reading fails, the error holds
    nothing of the data. One engine object serves one release: the secret that decides which rows
    of a person count is drawn when it is made.
    """

    def __init__(
        self,
        table: object,
        *,
        threads: int | None = None,
        memory_limit: str | None = None,
        number_format: NumberFormat = PLAIN,
        file_format: FileFormat = USUAL,
        where: str | None = None,
        columns: Mapping[str, str] | None = None,
        progress: Report | None = None,
    ) -> None:
        self._resources = check_resources(Resources(threads, memory_limit))
        opened = open_table(table, number_format, file_format)
        self._source = select_rows(opened, where, columns or {})
        preload_pandas()
        self._progress = progress
        self._salt = secrets.token_hex(16)

    def schema(self) -> Schema:
        """Return the names and kinds of columns. Reads no rows."""
        source = self._source
        types = source.spacings, source.untyped, source.zones, source.inferred, source.derived
        return Schema(source.kinds, source.folded, *types)

    def _summed(self, question: Summation[T], unit: PrivacyUnit) -> T:
        return self._reading.summed(question, unit)

    def _texts(self, column: str, unit: PrivacyUnit) -> Mapping[str, int]:
        columns = widen(Columns([column], repetitive=[column]), self._where)
        place = RestrictedPlace(lambda block: read_labels(block.column(column)), self._where)
        found = self._reading.by_cells(columns, unit, place)
        texts = [text.decode() for text in found.column("cell").to_pylist()]
        return dict(zip(texts, found.column("amount").to_pylist(), strict=True))

    def _sum_map(self, question: Masses) -> Exact:
        report = throttle_reports(self._progress)
        places, sums = question.asked(self._source, self._resources, report)
        l1, step = influence(question.unit, question.weight)
        return Exact(l1, l1**2, step, _values=sums, _places=places)

    @property
    def _reading(self) -> TableReader:
        return TableReader(self._source, self._resources, self._salt, self._progress)


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
            file_format=table.file_format,
            where=table.where,
            columns=table.columns,
            progress=progress,
        )
    # Spark is there already, or nobody could have made the frame.
    from sfumato.engines.spark.engine import SparkEngine

    return SparkEngine(
        frame,
        progress=progress,
        memory_limit=table.memory_limit,
        where=table.where,
        columns=table.columns,
    )


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
            "Its rows change while they are counted, so no two charts would describe the same "
            "table.",
            "Write it to a table first, and read that with spark.read.",
        )
    return frame
