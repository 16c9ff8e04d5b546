"""Arrow tables and datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sfumato.engines.columns import kind_of, spacing_of
from sfumato.engines.engine import ColumnKind
from sfumato.engines.kernel import BLOCK
from sfumato.engines.sources.source import Batches, Columns, Source, check_names, row_runs


def arrow_kinds(schema: pa.Schema) -> dict[str, ColumnKind]:
    """Return names and kinds of the columns of an Arrow schema."""
    check_names(schema.names)
    return {name: kind_of(dtype) for name, dtype in zip(schema.names, schema.types, strict=True)}


def arrow_spacings(schema: pa.Schema) -> dict[str, float]:
    """Return how far apart values lie, of the columns whose Arrow type fixes it."""
    found = zip(schema.names, map(spacing_of, schema.types), strict=True)
    return {name: spacing for name, spacing in found if spacing is not None}


class ArrowTable(Source):
    """An Arrow table in memory.

    Privacy
    -------
    Only the columns asked for are touched.
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self.kinds = arrow_kinds(table.schema)
        self.spacings = arrow_spacings(table.schema)

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns."""
        done = 0
        for batch in self._table.select(list(columns.names)).to_batches(max_chunksize=BLOCK):
            done += batch.num_rows
            yield batch, done / max(1, self._table.num_rows)

    def split(self, parts: int) -> Sequence[Source]:
        """Give each part some of the rows."""
        cuts = row_runs(self._table.num_rows, parts)
        return [ArrowTable(self._table.slice(cut.start, cut.stop - cut.start)) for cut in cuts]


class ArrowDataset(Source):
    """An Arrow dataset, read as its own scanner streams it.

    Privacy
    -------
    Its schema is taken as public, whichever way it was made.
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self.kinds = arrow_kinds(dataset.schema)
        self.spacings = arrow_spacings(dataset.schema)

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns."""
        for batch in self._dataset.to_batches(columns=list(columns.names), batch_size=BLOCK):
            yield batch, 0.0
