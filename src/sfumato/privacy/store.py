"""Where a ledger is kept: a file that any number of processes share, or this process's memory."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from sfumato.errors import LedgerError
from sfumato.privacy.records import UnreadableError, lay
from sfumato.privacy.terms import Terms

Answer = TypeVar("Answer")

PATIENCE = 60.0
"""How many seconds to wait while other processes charge the same file."""

# SQLite's locks know processes, not forks: a child forked while another thread has the file open
# would believe that it holds the parent's locks. So a fork waits until no operation is under way.
_operating = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_operating.acquire,
        after_in_parent=_operating.release,
        after_in_child=_operating.release,
    )


class Store(ABC):
    """Runs actions on a ledger's database, each in a transaction of its own."""

    name: str
    path: Path | None = None

    def read(self, action: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Run `action` on one consistent state of the ledger."""
        return self._run(action, "BEGIN")

    def write(self, action: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Run `action` alone; when this returns, what it wrote survives a crash."""
        return self._run(action, "BEGIN IMMEDIATE")

    @abstractmethod
    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]: ...

    def _run(self, action: Callable[[sqlite3.Connection], Answer], begin: str) -> Answer:
        try:
            with self._connection() as connection, _transaction(connection, begin):
                return action(connection)
        # SQLite quotes the names it finds, and Python fails on damaged ones.
        except (sqlite3.Error, UnicodeError, UnreadableError) as error:
            problem = error
        raise LedgerError(_explain(self.name, problem))


class FileStore(Store):
    """A SQLite file with a rollback journal, opened anew for each operation."""

    def __init__(self, path: Path) -> None:
        self.path = self._file = path
        self.name = str(path)
        self._address = f"{path.as_uri()}?mode=rw"

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        if not _has_one_name(self._file):
            raise LedgerError(
                f"{self.path} has a second name in the file system. SQLite finds the journal of a "
                "charge by the file's name, and under another name the charge would be forgotten. "
                "Remove the other hard link."
            )
        with _operating, closing(_connect(self._address)) as connection:
            yield connection


class MemoryStore(Store):
    """A database in memory, for the process that made it and no other."""

    name = "The ledger in memory"

    def __init__(self, terms: Terms) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._database = _connect("file::memory:")
        weakref.finalize(self, self._database.close)
        lay(self._database, terms)

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        if os.getpid() != self._process:
            raise LedgerError(
                "A ledger in memory belongs to the process that made it. A forked copy would let "
                "the same budget be spent twice. Keep it in a file: ledger='visits.ledger'."
            )
        with self._lock:
            yield self._database


def exists(path: Path) -> bool:
    """Tell whether there is a file at `path`, as far as we are allowed to know."""
    try:
        return path.is_file()
    except OSError:
        return False


def _has_one_name(path: Path) -> bool:
    for _ in range(20):
        with suppress(OSError):
            if path.stat().st_nlink <= 1:
                return True
        # A ledger that is being created has two names for a moment.
        time.sleep(0.05)
    return not exists(path)


def _refuse_journal(path: Path) -> None:
    if exists(path.with_name(f"{path.name}-journal")):
        raise FileExistsError


def create(path: Path, terms: Terms) -> None:
    """Write a new ledger file, whole or not at all, and never over another file.

    It is written under a passing name and then linked to its own, which fails if that exists: no
    process ever sees half a ledger, and of two that create one only one succeeds.
    """
    passing = path.with_name(f".ledger-{secrets.token_hex(8)}")
    problem = ""
    try:
        _refuse_journal(path)
        with _operating, closing(_connect(f"{passing.as_uri()}?mode=rwc")) as connection:
            lay(connection, terms)
        os.link(passing, path)
        _sync(path.parent)
    except FileExistsError:
        problem = (
            "there is a file of that name, or the journal of one. Writing over it would forget "
            "what was spent. Open it with Ledger.open, or choose another name."
        )
    except (OSError, sqlite3.Error):
        problem = (
            "its folder is missing, full, protected or unable to link files. A charge must be on "
            "the disk before anyone looks. Choose another folder."
        )
    finally:
        with suppress(OSError):
            passing.unlink()
    if problem:
        raise LedgerError(f"{path} cannot be created: {problem}")


def _connect(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )
    # EXTRA also waits until the folder has forgotten the journal, which after a power cut would
    # otherwise take the charge back.
    for setting in ("synchronous = EXTRA", "trusted_schema = OFF", "cell_size_check = ON"):
        connection.execute(f"PRAGMA {setting}")
    return connection


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Generator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _sync(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _explain(name: str, problem: Exception) -> str:
    if isinstance(problem, UnreadableError):
        return (
            f"{name} is not a ledger this sfumato can use. {problem}, and a total that cannot be "
            "trusted protects nobody. Use the sfumato it was made with, or name another file."
        )
    match getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            what, advice = "is busy with other processes' charges", "Try again"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            what, advice = "is not a ledger, or is damaged", "Name another file"
        case _:
            what, advice = "cannot be read or written", "Check its folder, rights and free space"
    return (
        f"{name} {what}. A charge must be on the disk before anyone looks, so nothing was read "
        f"from your table. {advice}."
    )
