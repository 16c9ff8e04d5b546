"""`DuckEngine`: tables on one machine."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TypeVar

from sfumato.engines.columns import read_labels
from sfumato.engines.engine import Schema
from sfumato.engines.masses import Masses
from sfumato.engines.queries import QueryEngine
from sfumato.engines.reading import TableReader, throttle_reports
from sfumato.engines.sources.opening import open_table
from sfumato.engines.sources.source import Columns
from sfumato.engines.sums import Summation
from sfumato.engines.table import (
    PLAIN,
    NumberFormat,
    Report,
    Resources,
    check_resources,
    preload_pandas,
)
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
        progress: Report | None = None,
    ) -> None:
        self._resources = check_resources(Resources(threads, memory_limit))
        self._source = open_table(table, number_format)
        preload_pandas()
        self._progress = progress
        self._salt = secrets.token_hex(16)

    def schema(self) -> Schema:
        """Return the names and kinds of columns. Reads no rows."""
        source = self._source
        return Schema(source.kinds, source.folded, source.spacings, source.untyped)

    def _summed(self, question: Summation[T], unit: PrivacyUnit) -> T:
        return self._reading.summed(question, unit)

    def _texts(self, column: str, unit: PrivacyUnit) -> Mapping[str, int]:
        columns = Columns([column], repetitive=[column])
        found = self._reading.by_cells(
            columns, unit, lambda block: read_labels(block.column(column))
        )
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
