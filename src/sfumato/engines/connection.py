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


@dataclass(frozen=True)
class Resources:
    """How many threads and how much memory (such as ``"1GB"``) an engine may use."""

    threads: int | None = None
    memory_limit: str | None = None


@contextmanager
def connection(resources: Resources) -> Generator[duckdb.DuckDBPyConnection]:
    """Open a database for one query.

    Privacy
    -------
    What does not fit in memory goes to a temporary folder that only this user may read and that is
    removed at the end, though not by a process that is killed. Nothing is fetched from a network,
    nothing logged, and no Python variable is taken for a table.
    """
    with TemporaryDirectory(prefix="sfumato-") as folder:
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
            yield opened
        finally:
            opened.close()


def checked(resources: Resources) -> Resources:
    """Refuse what DuckDB would refuse, while nothing is charged yet."""
    if resources == Resources():
        return resources
    try:
        operator.index(resources.threads or 1)
        with connection(resources) as database:
            database.execute("SELECT 1")
    except (duckdb.Error, TypeError, ValueError):
        pass
    else:
        return resources
    raise SourceError(
        f"threads={resources.threads!r} or memory_limit={resources.memory_limit!r} makes no sense. "
        "A query that fails later would be paid for nothing. Write threads=2 and "
        "memory_limit='1GB', or leave them out."
    )


def memory(resources: Resources) -> int | None:
    """Return the memory limit in bytes, or None where none was given."""
    if resources.memory_limit is None:
        return None
    with connection(resources) as database:
        ((text,),) = database.sql("SELECT current_setting('memory_limit')").fetchall()
    number, unit = str(text).split()
    return int(float(number) * _UNITS[unit])
