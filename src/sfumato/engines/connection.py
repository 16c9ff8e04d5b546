"""A DuckDB of our own: in memory, offline, silent, and gone afterwards."""

from __future__ import annotations

import operator
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory

import duckdb

from sfumato.errors import SourceError

_UNITS = {"bytes": 1} | {f"{name}iB": 1024 ** (i + 1) for i, name in enumerate("KMGTPE")}

_MOST_THREADS = 1024  # beyond which starting them takes minutes
_LEAST_MEMORY = 15 * 2**20  # below which hardly any question can be answered
_MEMORY_OF_A_THREAD = 120 * 2**20


@dataclass(frozen=True)
class Resources:
    """How many threads and how much memory (such as ``"1GB"``) an engine may use at most.

    What does not fit in memory goes to `folder`, or to where temporary files usually go.
    """

    threads: int | None = None
    memory_limit: str | None = None
    folder: str | None = None


@contextmanager
def connection(resources: Resources) -> Generator[duckdb.DuckDBPyConnection]:
    """Open a database for one query.

    Privacy
    -------
    What does not fit in memory goes to a temporary folder that only this user may read and that is
    removed at the end, though not by a process that is killed. Nothing is fetched from a network,
    nothing logged, and no Python variable is taken for a table.
    """
    with TemporaryDirectory(prefix="sfumato-", dir=resources.folder) as folder:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": folder,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
        }
        if resources.threads is not None:
            settings["threads"] = resources.threads
        if resources.memory_limit is not None:
            settings["memory_limit"] = resources.memory_limit
        opened = duckdb.connect(":memory:", config=settings)
        try:
            # On a terminal, DuckDB would draw a bar of its own across what is printed.
            opened.execute("SET enable_progress_bar = false")
            if resources.memory_limit is not None:
                _spare_memory(opened)
            yield opened
        finally:
            opened.close()


def checked(resources: Resources) -> Resources:
    """Refuse what DuckDB would refuse, or choke on, while nothing is charged yet."""
    if resources == Resources() or _sensible(resources):
        return resources
    limits = {"threads": resources.threads, "memory_limit": resources.memory_limit}
    given = [f"{name}={value!r}" for name, value in limits.items() if value is not None]
    raise SourceError(
        f"{' or '.join(given)} makes no sense. A query that fails later would be paid for nothing. "
        "Write threads=2 and memory_limit='1GB', or leave them out."
    )


def memory(resources: Resources) -> int | None:
    """Return the memory limit in bytes, or None where none was given."""
    if resources.memory_limit is None:
        return None
    with connection(resources) as database:
        return _memory(database)


def _sensible(resources: Resources) -> bool:
    try:
        if operator.index(resources.threads or 1) > _MOST_THREADS:
            return False
        with connection(resources) as database:
            return _memory(database) >= _LEAST_MEMORY
    except (duckdb.Error, TypeError, ValueError):
        return False


def _spare_memory(database: duckdb.DuckDBPyConnection) -> None:
    """Let no more threads work than there is memory for: what each holds cannot go to disk."""
    ((threads,),) = database.sql("SELECT current_setting('threads')").fetchall()
    room = max(1, _memory(database) // _MEMORY_OF_A_THREAD)
    database.execute(f"SET threads = {min(threads, room)}")


def _memory(database: duckdb.DuckDBPyConnection) -> int:
    ((text,),) = database.sql("SELECT current_setting('memory_limit')").fetchall()
    number, unit = str(text).split()
    return int(float(number) * _UNITS[unit])
