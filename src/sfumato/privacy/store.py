"""Where a ledger is kept: what any database has to do for it, be it a file, memory or a server."""

from __future__ import annotations

import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sfumato.errors import LedgerError

Answer = TypeVar("Answer")


class UnreadableError(Exception):
    """What was found is not a ledger, or no longer one."""


class UnansweredError(LedgerError):
    """It is not known whether a charge was written, so it counts as charged."""


@dataclass(frozen=True)
class Row:
    """One line of a ledger as it is kept: canonical JSON, and the seal of all lines up to it.

    Version 1 of the format has no seals.
    """

    number: int
    body: str
    seal: str | None

    @classmethod
    def parse(cls, cells: tuple[object, ...]) -> Row:
        """Read what a database returns for a line with a seal."""
        match cells:
            case (int(number), str(body), str(seal)):
                return cls(number, body, seal)
            case _:
                raise UnreadableError("An entry is damaged")


class Book(ABC):
    """What the database of one ledger holds, within one transaction.

    A book knows how texts are kept, and nothing of what they say: that is in `records.py`. It
    raises `UnreadableError` where what is there cannot be a book of ours.
    """

    version: int
    """The version of the format, by how the database is laid out."""

    @abstractmethod
    def check(self) -> None:
        """Refuse a database that is damaged beneath its rows, as far as it can tell by itself."""

    @abstractmethod
    def read_facts(self) -> dict[str, str]:
        """Return the public facts that the ledger was begun with, by name."""

    @abstractmethod
    def read_rows(self) -> list[Row]:
        """Return every row, by rising number."""

    @abstractmethod
    def append(self, row: Row) -> None:
        """Add `row` at the end; nothing is ever changed or removed."""


class Store(ABC):
    """Runs actions on the book of one ledger, each in a transaction of its own.

    What an action raises takes back what it has written. Problems of the database leave as a
    `LedgerError` that quotes nothing, with no other error behind it.
    """

    name: str
    """What errors and people call it."""

    address: str | None = None
    """What `Ledger.open` takes to open it again, from any process; None in memory."""

    path: Path | None = None
    """The file, where it is one."""

    @abstractmethod
    def read(self, action: Callable[[Book], Answer]) -> Answer:
        """Run `action` on one consistent state of the ledger."""

    @abstractmethod
    def write(self, action: Callable[[Book], Answer]) -> Answer:
        """Run `action` alone; when this returns, what it wrote survives a crash."""


def explain_unreadable(name: str, problem: UnreadableError) -> LedgerError:
    """Return the error for a ledger that cannot be trusted."""
    return LedgerError(
        f"{name} is not a ledger this sfumato can use.",
        f"{problem}, and a total that cannot be trusted protects nobody.",
        "Use the sfumato it was made with, or name another file.",
    )


def kill_forked_child(process: int) -> None:
    """End a copy of `process`, the one in which a transaction was begun."""
    # A signal's handler may fork in the very thread that is charging. The child that comes back
    # from it has a copy of the charge and not its locks: even to roll back would undo the other's.
    # A process that is killed does neither.
    if (child := os.getpid()) != process:
        os.kill(child, signal.SIGKILL)
