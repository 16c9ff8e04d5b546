"""What a process does while a reader reads, as Python's audit hooks tell it."""

from __future__ import annotations

import sys
from collections.abc import Collection, Generator
from contextlib import contextmanager

from readers.reader import BreachError

_QUIET = {"builtins.id", "sqlite3.connect", "sqlite3.connect/handle"}
"""What a repr and a database in memory tell; a file that is opened is an event of its own."""

_seen: list[str] | None = None


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if _seen is not None:
        told = [repr(each)[:80] for each in arguments]
        _seen.append(f"{event}({', '.join(told)})")


sys.addaudithook(_hear)  # which nothing can take away again


def ignore(event: str) -> None:
    """Hold an event against nobody: whoever follows lines looks at frames."""
    _QUIET.add(event)


@contextmanager
def watched(allowed: Collection[str] = ()) -> Generator[None]:
    """Let nothing happen inside the block but what is allowed.

    Compiling, importing, opening a file, starting a process, reaching for the network: each is an
    event. An event is allowed by its name, or by how its text begins.
    """
    global _seen
    outer, _seen = _seen, []
    try:
        yield
    finally:
        seen, _seen = _seen, outer
    for told in seen:
        if told.partition("(")[0] not in _QUIET and not told.startswith(tuple(allowed)):
            raise BreachError(f"reading did something: {told.partition('(')[0]}", told)
