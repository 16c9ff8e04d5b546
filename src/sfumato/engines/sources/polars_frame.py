"""Polars frames, eager and lazy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from sfumato.engines.engine import ColumnKind
from sfumato.engines.kernel import BLOCK
from sfumato.engines.sources.source import Batches, Columns, Source, check_names

if TYPE_CHECKING:
    import polars as pl


class PolarsFrame(Source):
    """A Polars frame; a lazy one is computed in one stream, for each question anew.

    Privacy
    -------
    The rows of the frame are the table; if a lazy one fails on some value, so does the release.
    Only the columns asked for are computed, and no more than a few batches at a time are held.
    """

    def __init__(self, frame: pl.DataFrame | pl.LazyFrame) -> None:
        schema = frame.collect_schema()
        check_names(schema.names())
        self._frame = frame
        self._names = schema.names()
        self._types = schema.dtypes()
        self.kinds = {
            name: _kind(dtype) for name, dtype in zip(self._names, self._types, strict=True)
        }

        found = zip(self._names, map(_spacing, self._types), strict=True)
        self.spacings = {name: spacing for name, spacing in found if spacing is not None}

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns."""
        import polars as pl

        # As views: written out, a long text that many rows share would fill all memory.
        views = pl.CompatLevel.newest()
        done = 0
        for frame, rows in self._frames([self._names.index(name) for name in columns.names]):
            for batch in frame.to_arrow(compat_level=views).to_batches(max_chunksize=BLOCK):
                done += batch.num_rows
                yield (
                    pa.record_batch(batch.columns, names=columns.names),
                    done / rows if rows else 0.0,
                )

    def _frames(self, indices: Sequence[int]) -> Iterator[tuple[pl.DataFrame, int]]:
        import polars as pl

        # Columns are counted, not named: Polars reads names like "^a$" as patterns.
        wanted = [
            pl.nth(index).cast(pl.String) if _is_wide(self._types[index]) else pl.nth(index)
            for index in indices
        ]
        if isinstance(self._frame, pl.DataFrame):
            slices = self._frame.select(wanted).iter_slices(BLOCK)
            yield from ((part, self._frame.height) for part in slices)
        else:
            lazy = self._frame.select(wanted)
            streams = int(pl.__version__.split(".")[0]) >= 2  # Polars 1 may lose errors on the way
            batches = lazy.collect_batches(maintain_order=False) if streams else [lazy.collect()]
            yield from ((part, 0) for part in batches)


def _is_wide(dtype: pl.DataType) -> bool:
    return str(dtype) in ("Int128", "UInt128")  # Arrow has no such integers; digits do


def _kind(dtype: pl.DataType) -> ColumnKind:
    import polars as pl

    if dtype.is_numeric():
        return "number"
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
        return "text"
    if isinstance(dtype, pl.Null):
        return "nothing"
    if isinstance(dtype, pl.Date | pl.Datetime):
        return "time"
    if isinstance(dtype, pl.Boolean):
        return "flag"
    return "bytes" if isinstance(dtype, pl.Binary) else "other"


def _spacing(dtype: pl.DataType) -> float | None:
    import polars as pl

    if dtype.is_integer() or isinstance(dtype, pl.Boolean):
        return 1.0
    if isinstance(dtype, pl.Date):
        return 86_400e6
    if isinstance(dtype, pl.Datetime):
        return 1e3 if dtype.time_unit == "ms" else 1.0
    return None
