"""Ledgers in SQLite: a file that processes share, or memory."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from sqlite3 import Connection

from sfumato.errors import LedgerError, Setting
from sfumato.privacy.place import (
    exists,
    find_foreign_journal,
    has_one_name,
    is_mounted,
    is_taken,
    lock_file,
    sync_folder,
)
from sfumato.privacy.records import VERSION, Terms, write_canonical, write_terms
from sfumato.privacy.store import (
    Answer,
    Book,
    Row,
    Store,
    UnreadableError,
    explain_unreadable,
    kill_forked_child,
)

APPLICATION_ID = int.from_bytes(b"sfum")

_META = "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
_TABLES = {
    1: (
        _META,
        "CREATE TABLE entry (number INTEGER PRIMARY KEY, time TEXT NOT NULL, label TEXT NOT NULL, "
        "epsilon TEXT, rho TEXT NOT NULL, delta TEXT NOT NULL)",
    ),
    2: (
        _META,
        "CREATE TABLE entry (number INTEGER PRIMARY KEY, body TEXT NOT NULL, seal TEXT NOT NULL)",
    ),
}
"""The tables of each version of the format."""

# INSERT OR REPLACE deletes without asking a delete trigger, hence the check of the number.
_OUT_OF_ORDER = "WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM entry)"
_TRIGGERS = tuple(
    f"CREATE TRIGGER {table}_{verb} BEFORE {verb} ON {table} {condition} "
    "BEGIN SELECT RAISE(ABORT, 'a ledger is only ever added to'); END"
    for table, verb, condition in (
        ("entry", "INSERT", _OUT_OF_ORDER),
        ("entry", "UPDATE", ""),
        ("entry", "DELETE", ""),
        ("meta", "INSERT", ""),
        ("meta", "UPDATE", ""),
        ("meta", "DELETE", ""),
    )
)


class SQLiteBook(Book):
    """The tables of a ledger, as new ones are laid out."""

    version = 2

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def check(self) -> None:
        """Refuse a database with damaged pages."""
        if _read_pragma(self.connection, "quick_check(1)") != "ok":
            raise UnreadableError("Its pages are damaged")

    def read_facts(self) -> dict[str, str]:
        """Return the public facts that the ledger was begun with, by name."""
        rows = self.connection.execute("SELECT name, value FROM meta").fetchall()
        facts = dict(rows)
        if len(facts) == len(rows) and all(isinstance(cell, str) for row in rows for cell in row):
            return facts
        raise UnreadableError("Its terms are damaged")

    def read_rows(self) -> list[Row]:
        """Return every row, by rising number."""
        found = self.connection.execute("SELECT number, body, seal FROM entry ORDER BY number")
        return [Row.parse(row) for row in found]

    def append(self, row: Row) -> None:
        """Add `row` at the end."""
        self.connection.execute(
            "INSERT INTO entry (number, body, seal) VALUES (?, ?, ?)",
            (row.number, row.body, row.seal),
        )


_COLUMNS = ("time", "label", "epsilon", "rho", "delta")
"""What version 1 kept of an entry, each in a column of its own."""


class FirstSQLiteBook(SQLiteBook):
    """The tables of version 1: a column for each part of an entry, and no seals."""

    version = 1

    def read_rows(self) -> list[Row]:
        """Return every row, by rising number, as it would be written now."""
        found = self.connection.execute(
            "SELECT number, time, label, epsilon, rho, delta FROM entry ORDER BY number"
        )
        return [_parse_first_row(row) for row in found]

    def append(self, row: Row) -> None:
        """Add `row` at the end, part by part."""
        parts = json.loads(row.body)
        self.connection.execute(
            "INSERT INTO entry (number, time, label, epsilon, rho, delta) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (row.number, *(parts[column] for column in _COLUMNS)),
        )


def _parse_first_row(row: tuple[object, ...]) -> Row:
    match row:
        case (int(number), str(), str(), str() | None, str(), str()):
            parts = dict(zip(_COLUMNS, row[1:], strict=True))
            return Row(number, write_canonical({"kind": "charge", **parts}), None)
        case _:
            raise UnreadableError("An entry is damaged")


_BOOKS = {1: FirstSQLiteBook, 2: SQLiteBook}


def open_book(connection: Connection) -> SQLiteBook:
    """Return the ledger behind `connection`, or refuse what is not one."""
    if _read_pragma(connection, "application_id") != APPLICATION_ID:
        raise UnreadableError("It was not made by sfumato")
    version = _read_pragma(connection, "user_version")
    if not (isinstance(version, int) and version in _BOOKS):
        raise UnreadableError("It was made by a newer sfumato")
    if _read_schema(connection) != _make_schema(version):
        raise UnreadableError("Its tables were changed")
    return _BOOKS[version](connection)


def create_tables(connection: Connection, facts: Mapping[str, str]) -> None:
    """Make an empty database a ledger with these facts, all at once."""
    for statement in ("BEGIN IMMEDIATE", *_TABLES[VERSION]):
        connection.execute(statement)
    connection.executemany("INSERT INTO meta (name, value) VALUES (?, ?)", facts.items())
    for statement in _TRIGGERS:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _read_pragma(connection: Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def _read_schema(connection: Connection) -> list[tuple[object, ...]]:
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
    return connection.execute(query).fetchall()


@cache
def _make_schema(version: int) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in _TABLES[version] + _TRIGGERS:
            connection.execute(statement)
        return _read_schema(connection)


PATIENCE = 60.0
"""How many seconds to wait while other processes charge the same file."""

_LOGGED = slice(19, 20)
"""Where the header of a file says that it is read together with a log of what was written."""

# SQLite's locks know processes, not forks: a child forked while another thread has the file open
# would believe that it holds the parent's locks. So a fork waits until no operation is under way.
_operating = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_operating.acquire,
        after_in_parent=_operating.release,
        after_in_child=_operating.release,
    )


class SQLiteStore(Store):
    """Runs actions on a SQLite database."""

    def read(self, action: Callable[[SQLiteBook], Answer]) -> Answer:
        """Run `action` on one consistent state of the ledger."""
        return self._run(action, writing=False)

    def write(self, action: Callable[[SQLiteBook], Answer]) -> Answer:
        """Run `action` alone; when this returns, what it wrote survives a crash."""
        return self._run(action, writing=True)

    @abstractmethod
    @contextmanager
    def _connection(self, *, writing: bool) -> Generator[Connection]: ...

    def _run(self, action: Callable[[SQLiteBook], Answer], *, writing: bool) -> Answer:
        process, begin = os.getpid(), "BEGIN IMMEDIATE" if writing else "BEGIN"
        try:
            with (
                self._connection(writing=writing) as connection,
                _run_transaction(connection, begin),
            ):
                answer = action(open_book(connection))
        # SQLite quotes the names it finds, and Python fails on damaged ones. Of some damaged
        # schemas SQLite says that there is no memory left for them.
        except (sqlite3.Error, OSError, UnicodeError, MemoryError, UnreadableError) as error:
            problem = error
        else:
            kill_forked_child(process)
            return answer
        raise _explain(self.name, problem)


class FileStore(SQLiteStore):
    """A SQLite file with a rollback journal, opened anew for each operation."""

    def __init__(self, path: Path) -> None:
        self.path = self._file = path
        self.name = self.address = str(path)
        self._address = f"{path.as_uri()}?mode=rw"

    @contextmanager
    def _connection(self, *, writing: bool) -> Generator[Connection]:
        file = Path(os.path.realpath(self._file))  # beside which SQLite puts the journal
        require_name(self._file, file)
        self._require_one_name(file)
        with (
            _operating,
            lock_file(file, alone=writing, patience=PATIENCE),
            sync_folder(file.parent) if writing else nullcontext(),
            closing(_open_file(file, self._address)) as connection,
        ):
            yield connection

    def _require_one_name(self, file: Path) -> None:
        if not has_one_name(file):
            raise LedgerError(
                f"{self.path} has a second name in the file system.",
                "SQLite finds the journal of a charge by the file's name, and under another name "
                "the charge would be forgotten.",
                "Remove the other hard link; one like .ledger-… is left from its creation.",
            )
        if is_mounted(file):
            raise LedgerError(
                f"{self.path} is mounted without its folder.",
                "SQLite keeps the journal of a charge in that folder, and seen from another the "
                "charge would be forgotten.",
                "Mount the folder of the ledger.",
            )


class MemoryStore(SQLiteStore):
    """A database in memory, for the process that made it and no other."""

    name = "The ledger in memory"

    def __init__(self, terms: Terms) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._database = _connect("file::memory:")
        weakref.finalize(self, self._database.close)
        create_tables(self._database, write_terms(terms))

    @contextmanager
    def _connection(self, *, writing: bool) -> Generator[Connection]:  # noqa: ARG002
        if os.getpid() != self._process:
            raise LedgerError(
                "A ledger in memory belongs to the process that made it.",
                "A forked copy would let the same budget be spent twice.",
                ("Keep it in a file: ", Setting("ledger", "visits.ledger"), "."),
            )
        with self._lock:
            yield self._database


def require_name(path: Path, file: Path) -> None:
    """Refuse a ledger whose `file`, behind all links, SQLite could take for another's journal."""
    if is_taken(file):
        raise LedgerError(
            f"{path} has a name that SQLite gives to journals.",
            "Whoever opened a ledger beside it could delete it, and what was spent would be "
            "forgotten.",
            "Choose a name such as visits.ledger; one that exists is renamed together with its "
            f"own journal, if it has one ({file.name}-journal).",
        )


def _refuse_journal(path: Path) -> None:
    if any(os.path.lexists(f"{path}-{kind}") for kind in ("journal", "wal")):
        raise FileExistsError


def create(path: Path, terms: Terms) -> None:
    """Write a new ledger file, whole or not at all, and never over another file.

    It is written under a passing name and then linked to its own, which fails if that exists: no
    process ever sees half a ledger, and of two that create one only one succeeds.
    """
    require_name(path, path)
    passing = path.with_name(f".ledger-{secrets.token_hex(8)}")
    problem: LedgerError | None = None
    try:
        _refuse_journal(path)
        with sync_folder(path.parent):
            with _operating, closing(_connect(f"{passing.as_uri()}?mode=rwc")) as connection:
                create_tables(connection, write_terms(terms))
            os.link(passing, path)
    except FileExistsError:
        problem = LedgerError(
            f"{path} cannot be created: there is a file of that name, or the journal of one.",
            "Writing over it would forget what was spent.",
            "Open the ledger that is there, or choose another name.",
        )
    except (OSError, sqlite3.Error):
        problem = LedgerError(
            f"{path} cannot be created: its folder is missing, full, protected or unable to link "
            "files.",
            "A charge must be on the disk before anyone looks.",
            "Choose another folder.",
        )
    finally:
        with suppress(OSError):
            passing.unlink()
    if problem is not None:
        raise problem


def _open_file(file: Path, address: str) -> Connection:
    """Connect to a ledger, unless SQLite would keep what is written in a second file first."""
    with suppress(OSError), file.open("rb") as found:
        if found.read(20)[_LOGGED] == b"\2" or exists(file.with_name(f"{file.name}-wal")):
            raise UnreadableError("It keeps charges in a second file")
    if (stranger := find_foreign_journal(file)) is not None:
        raise LedgerError(
            f"{stranger} is not a journal of {file.name}.",
            "SQLite would take it for one and delete it, and if it is a ledger, forget what was "
            "spent.",
            "Give it another name first.",
        )
    return _connect(address)


def _connect(address: str) -> Connection:
    connection = sqlite3.connect(
        address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        # EXTRA also waits until the folder has forgotten the journal, which after a power cut would
        # otherwise take the charge back.
        for setting in ("synchronous = EXTRA", "trusted_schema = OFF", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _run_transaction(connection: Connection, begin: str) -> Generator[None]:
    process = os.getpid()
    connection.execute(begin)
    try:
        yield
        kill_forked_child(process)
        connection.execute("COMMIT")
    finally:
        kill_forked_child(process)
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _explain(name: str, problem: Exception) -> LedgerError:
    if isinstance(problem, UnreadableError):
        return explain_unreadable(name, problem)
    match _find_error_code(problem):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            what, advice = "is busy with other processes' charges", "Try again"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            what, advice = "is not a ledger, or is damaged", "Name another file"
        case _:
            what, advice = "cannot be read or written", "Check its folder, rights and free space"
    return LedgerError(
        f"{name} {what}.",
        "A charge must be on the disk before anyone looks, so nothing was read from your table.",
        f"{advice}.",
    )


def _find_error_code(problem: Exception) -> int:
    """Return what SQLite would call the problem."""
    match problem:
        case TimeoutError():
            return sqlite3.SQLITE_BUSY
        case OSError() | MemoryError():
            return sqlite3.SQLITE_IOERR
        case _:
            return getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
