"""A query fed with batches while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import chain
from queue import Empty, Full, Queue
from typing import TypeVar

import duckdb
import pyarrow as pa

from sfumato.engines.parallel import outlast

T = TypeVar("T")

Batches = Queue[pa.RecordBatch | None]

_PATIENCE = 0.1  # seconds until a query that takes nothing more is asked whether it still runs


def fed(
    database: duckdb.DuckDBPyConnection,
    statement: str,
    name: str,
    batches: Iterator[pa.RecordBatch],
    read: Callable[[duckdb.DuckDBPyRelation], T],
    *,
    otherwise: pa.RecordBatch,
) -> T:
    """Return what `read` makes of the answer to a statement over the table `name`, a stream.

    The query runs in a thread of its own and the stream in the caller's, which so stays open to
    interruption. Where there are no batches the query gets `otherwise`, an empty one.
    """
    first = next(batches, otherwise)
    queue: Batches = Queue(maxsize=4)

    def ask() -> T:
        stream = chain([first], iter(queue.get, None))
        database.register(name, pa.RecordBatchReader.from_batches(first.schema, stream))
        return read(database.sql(statement))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()  # starts the thread, before there is anything to interrupt
        try:
            answer = pool.submit(ask)
            _feed(queue, batches, answer)
            return answer.result()
        finally:
            outlast(lambda: _ended(pool, database, queue))


def _feed(queue: Batches, batches: Iterator[pa.RecordBatch], answer: Future[T]) -> None:
    for batch in chain(batches, [None]):
        waiting = True
        while waiting and not answer.done():
            try:
                queue.put(batch, timeout=_PATIENCE)
                waiting = False
            except Full:
                pass
        if waiting:
            return


def _ended(pool: ThreadPoolExecutor, database: duckdb.DuckDBPyConnection, queue: Batches) -> bool:
    """Tell a query to end if it is not done, and tell whether it is."""
    database.interrupt()  # which is not heard before the query begins, nor after it is done
    _end(queue)
    # The one thread does one thing after the other, so this is done after the query.
    return not wait([pool.submit(int)], _PATIENCE).not_done


def _end(queue: Batches) -> None:
    """Let a query that was left in the middle see the end of its stream."""
    try:
        while True:
            queue.get_nowait()
    except Empty:
        queue.put(None)
