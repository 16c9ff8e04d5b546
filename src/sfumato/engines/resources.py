"""Threads, memory and disk that an engine may use, and parts of a table read side by side."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import TypeVar

import duckdb
import pyarrow as pa

from sfumato.errors import SourceError

_UNITS = {"bytes": 1} | {f"{name}iB": 1024 ** (i + 1) for i, name in enumerate("KMGTPE")}

_MOST_THREADS = 1024  # beyond which starting them takes minutes
_LEAST_MEMORY = 15 * 2**20  # below which files would be cut into crumbs
_MEMORY_OF_A_THREAD = 2**26
_USUALLY_HELD = 2**29  # bytes of rows, where no limit is given
_MOST_HELD = 2**33  # bytes of rows
_MOST_AT_ONCE = 2**26  # bytes of rows that are grouped at once, far below what an Arrow array holds
_SHARE_HELD = 8  # part of a limit that rows may fill, since numbering and sorting need the rest


@dataclass(frozen=True)
class Resources:
    """How many threads and how much memory (such as ``"1GB"``) an engine may use at most.

    What does not fit in memory goes to `folder`, or to where temporary files usually go.
    """

    threads: int | None = None
    memory_limit: str | None = None
    folder: str | None = None


@dataclass(frozen=True)
class Room:
    """How many bytes of rows may be held before they go to disk, and be worked on at once."""

    held: int
    at_once: int


@contextmanager
def passing_folder(resources: Resources) -> Generator[Path]:
    """Make a folder for rows that do not fit in memory.

    Privacy
    -------
    Only this user may read it, and it is removed at the end, though not by a process that is
    killed. It is made whether it is needed or not, since that depends on the rows.
    """
    with TemporaryDirectory(prefix="sfumato-", dir=resources.folder) as folder:
        yield Path(folder)


def checked(resources: Resources) -> Resources:
    """Refuse limits that nothing could keep, while nothing is charged yet."""
    if resources == Resources() or _sensible(resources):
        return resources
    limits = {"threads": resources.threads, "memory_limit": resources.memory_limit}
    given = [f"{name}={value!r}" for name, value in limits.items() if value is not None]
    raise SourceError(
        f"{' or '.join(given)} makes no sense. A query that fails later would be paid for nothing. "
        "Write threads=2 and memory_limit='1GB', or leave them out."
    )


def memory(resources: Resources) -> int | None:
    """Return the memory limit in bytes, as DuckDB reads it, or None where none was given."""
    if resources.memory_limit is None:
        return None
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": resources.memory_limit,
        "threads": 1,
    }
    with duckdb.connect(":memory:", config=config) as database:
        ((text,),) = database.sql("SELECT current_setting('memory_limit')").fetchall()
    number, unit = str(text).split()
    return int(float(number) * _UNITS[unit])


def workers(resources: Resources) -> int:
    """Return how many threads to use: no more than there is memory for."""
    threads, limit = resources.threads or os.cpu_count() or 1, memory(resources)
    return threads if limit is None else max(1, min(threads, limit // _MEMORY_OF_A_THREAD))


def room(resources: Resources, parts: int) -> Room:
    """Return how much room each of several parts has, which public facts alone decide."""
    limit = memory(resources)
    held = _USUALLY_HELD if limit is None else min(_MOST_HELD, limit // _SHARE_HELD)
    return Room(held // parts, min(held // parts, _MOST_AT_ONCE))


def _sensible(resources: Resources) -> bool:
    try:
        threads = 1 if resources.threads is None else operator.index(resources.threads)
        limit = memory(resources)
    except (duckdb.Error, TypeError, ValueError):
        return False
    if isinstance(resources.threads, bool) or not 1 <= threads <= _MOST_THREADS:
        return False
    return limit is None or limit >= _LEAST_MEMORY


S = TypeVar("S")
T = TypeVar("T")

Report = Callable[[float], None]
"""Called with the fraction that is done."""

_PATIENCE = 0.1  # seconds between two looks at how far the parts are


def side_by_side(work: Callable[[S, Report], T], parts: Sequence[S], report: Report) -> list[T]:
    """Return ``work(part, report)`` for each part, one thread to each that can be had.

    Work is told to stop, by an error from its report, when another part fails or the caller is
    interrupted.

    Privacy
    -------
    How many parts a table has may depend on its rows. Where the system has no thread left, those
    that there are do the work of others: nothing fails for want of one.

    Examples
    --------
    >>> side_by_side(lambda part, report: part**2, [1, 2, 3], report=lambda fraction: None)
    [1, 4, 9]
    """
    settle()
    if len(parts) == 1:
        return [work(parts[0], report)]
    fractions, results = [0.0] * len(parts), [Future[T]() for _ in parts]
    abandoned, places = Event(), count()

    def run() -> None:
        while (index := next(places)) < len(parts) and not abandoned.is_set():
            # A part that fails tells it by its result.
            _fill(results[index], lambda at=index: work(parts[at], lambda done: note(at, done)))

    def note(index: int, fraction: float) -> None:
        fractions[index] = fraction
        if abandoned.is_set():
            raise InterruptedError

    with ThreadPoolExecutor(len(parts)) as pool:
        running: list[Future[None]] = []
        try:
            running += _started(pool, run, len(parts))
            if not running:
                run()
            while wait(results, _PATIENCE, FIRST_EXCEPTION).not_done:
                report(sum(fractions) / len(fractions))
                for part in results:
                    if part.done():
                        part.result()  # raises what it raised
            found = [part.result() for part in results]
        finally:
            abandoned.set()
            outlast(lambda: not wait(running, _PATIENCE).not_done)
    report(1.0)
    return found


def outlast(ended: Callable[[], bool]) -> None:
    """Ask until it is told that work in other threads has ended.

    Who presses Ctrl-C again meanwhile is heard afterwards. To join the threads would not do: Python
    takes one for ended when it is interrupted in that, and what it still uses would be closed.
    """
    done, pressed = False, False
    while not done:
        try:
            done = ended()
        except KeyboardInterrupt:
            pressed = True
    if pressed:
        raise KeyboardInterrupt


def _started(
    pool: ThreadPoolExecutor, run: Callable[[], None], threads: int
) -> Iterator[Future[None]]:
    """Yield what runs in so many threads, or in fewer where the system has none left."""
    for _ in range(threads):
        try:
            yield pool.submit(run)
        except RuntimeError:
            return


def _fill(result: Future[T], work: Callable[[], T]) -> None:
    try:
        result.set_result(work())
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is told to who waits
        result.set_exception(error)


@cache
def settle() -> None:
    """Let Arrow look for pandas, which it does at its first number, in a thread of its own.

    Whoever presses Ctrl-C in the middle of that would not be heard.
    """
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: pa.array([0]).to_numpy()).result()
