"""What an engine may spend: threads, memory, and a private folder for what memory does not hold."""

from __future__ import annotations

import operator
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

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
