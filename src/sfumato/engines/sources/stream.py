"""Streams of Arrow batches, from any library that hands them on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from sfumato.engines.engine import redact_errors
from sfumato.engines.sources.arrow import find_arrow_kinds, find_arrow_spacings
from sfumato.engines.sources.source import Batches, Columns, Source
from sfumato.engines.spool import Spool
from sfumato.errors import SourceError


class ArrowStream(Source):
    """A stream of Arrow batches, written to a private file when it is first read.

    Privacy
    -------
    Its schema is public, and all that is asked for before a charge. Batches are written and read as
    they are, and no value decides whether that fails.
    """

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        if not isinstance(spool.stream, pa.RecordBatchReader):
            spool.stream = _open_stream(spool.stream)
        schema: pa.Schema = spool.stream.schema
        self.kinds = find_arrow_kinds(schema)
        self.spacings = find_arrow_spacings(schema)

    def batches(self, columns: Columns) -> Batches:
        """Stream the given columns."""
        path = self._spool.keep(_write_batches, "stream.arrows")
        size = max(1, path.stat().st_size)
        with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as reader:
            for batch in reader:
                yield batch.select(list(columns.names)), min(1.0, file.tell() / size)


def _open_stream(stream: Any) -> pa.RecordBatchReader:
    """Return a reader of what a stream holds. Reads its schema, and no row."""
    if hasattr(stream, "to_reader"):  # a scanner of Arrow's
        return stream.to_reader()
    try:
        return redact_errors(lambda: cast(Any, pa.RecordBatchReader).from_stream(stream))
    except SourceError:
        pass
    raise SourceError(
        f"A {type(stream).__name__} hands on no stream of a table.",
        "Its columns must have names, or none could be declared public.",
        "Give sfumato the table itself, and not one of its columns.",
    )


def _write_batches(reader: pa.RecordBatchReader, place: Path) -> None:
    # As a stream, and not as a file: batches may have dictionaries of their own.
    with pa.OSFile(str(place), "wb") as file, pa.ipc.new_stream(file, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
