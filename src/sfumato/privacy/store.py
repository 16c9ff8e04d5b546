"""What a ledger keeps, and where: a database that processes share, or memory."""

from __future__ import annotations

import os
import re
import secrets
import signal
import sqlite3
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from pathlib import Path
from sqlite3 import Connection, connect
from typing import TypeVar

from sfumato.errors import (
    LONGEST_LABEL,
    BudgetError,
    LedgerError,
    Setting,
    Spending,
    Worded,
    shorten_label,
    typed,
)
from sfumato.privacy.budget import Budget, Cost, explain_weakness, to_fraction
from sfumato.privacy.place import (
    exists,
    find_foreign_journal,
    has_one_name,
    is_mounted,
    is_taken,
    lock_file,
    sync_folder,
)


@dataclass(frozen=True)
class Entry:
    """One charge: its number, when it was made (UTC), what for and what it cost."""

    number: int
    time: datetime
    label: str
    cost: Cost


def sum_costs(entries: Iterable[Entry]) -> Cost:
    """Add up what `entries` cost."""
    return sum((entry.cost for entry in entries), Cost.nothing())


@dataclass(frozen=True)
class Terms:
    """The total a ledger guards, whom it protects, and of which table.

    Parameters
    ----------
    protects
        What `PrivacyUnit.protects` says.
    identity
        A random text, so that a ledger put in the place of another is noticed.
    """

    budget: Budget
    protects: str
    table: str
    identity: str

    def __post_init__(self) -> None:
        if not _is_short(self.table):
            raise LedgerError(
                "A ledger needs the name of its table, a short text on one line.",
                "Charges against one table must never be counted for another.",
                ("Write ", Setting("table", "visits"), "."),
            )

    @property
    def limits(self) -> tuple[Fraction, Fraction, Fraction]:
        """The budget as exact numbers: ε, δ and the part of δ kept for thresholds."""
        budget = self.budget
        return (
            to_fraction(budget.epsilon),
            to_fraction(budget.delta),
            budget.threshold_delta,
        )

    def agree(self, name: str, wanted: Terms) -> None:
        """Refuse a ledger that was created for something else than `wanted`."""
        if self.table != wanted.table:
            name_it = Worded(f"name={self.table!r}", in_shell=f"--table {typed(self.table)}")
            raise LedgerError(
                f"{name} is kept for the table {self.table!r}, not {wanted.table!r}.",
                "What it adds up was promised to the people in that table.",
                ("If they are the same, pass ", name_it, "; if not, name another ledger file."),
            )
        if self.protects != wanted.protects:
            raise LedgerError(
                f"{name} is kept for the unit {self.protects!r}, not {wanted.protects!r}.",
                "What it adds up was promised to that unit alone.",
                "Protect the same unit, or name another ledger file.",
            )
        if self.limits != wanted.limits:
            raise LedgerError(
                (f"{name} guards ", self.budget.spelled, ", not ", wanted.budget.spelled, "."),
                "A total that grows afterwards is no promise.",
                "Open it with the budget it was created with, or name another ledger file.",
            )


def _is_short(table: object) -> bool:
    return isinstance(table, str) and 0 < len(table) <= LONGEST_LABEL and table.isprintable()


APPLICATION_ID = int.from_bytes(b"sfum")
VERSION = 1

# Python may refuse to read integers of more than 640 digits; every float's fraction has fewer.
_FRACTION = re.compile(r"[0-9]{1,640}/[1-9][0-9]{0,639}")
_FINEST = 10**640

_FACTS = {"epsilon", "delta", "protects", "table", "identity"}

_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE entry (number INTEGER PRIMARY KEY, time TEXT NOT NULL, label TEXT NOT NULL, "
    "epsilon TEXT, rho TEXT NOT NULL, delta TEXT NOT NULL)",
)
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


class UnreadableError(Exception):
    """What was found is not a ledger, or no longer one."""


def create_tables(connection: Connection, terms: Terms) -> None:
    """Make an empty database a ledger with these terms, all at once."""
    for statement in ("BEGIN IMMEDIATE", *_TABLES):
        connection.execute(statement)
    facts = {
        **_write_budget(terms.budget),
        "protects": terms.protects,
        "table": terms.table,
        "identity": terms.identity,
    }
    connection.executemany("INSERT INTO meta (name, value) VALUES (?, ?)", facts.items())
    for statement in _TRIGGERS:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def inspect(connection: Connection) -> Terms:
    """Return the terms of a ledger after a look at every page and every entry of it."""
    terms = read_terms(connection)
    if _read_pragma(connection, "quick_check(1)") != "ok":
        raise UnreadableError("Its pages are damaged")
    read_entries(connection)
    return terms


def read_terms(connection: Connection) -> Terms:
    """Return the terms of the ledger behind `connection`, or refuse what is not one."""
    if _read_pragma(connection, "application_id") != APPLICATION_ID:
        raise UnreadableError("It was not made by sfumato")
    if _read_pragma(connection, "user_version") != VERSION:
        raise UnreadableError("It was made by a newer sfumato")
    if _read_schema(connection) != _make_schema():
        raise UnreadableError("Its tables were changed")
    facts = _read_facts(connection)
    try:
        return Terms(_read_budget(facts), facts["protects"], facts["table"], facts["identity"])
    except (KeyError, OverflowError, BudgetError, LedgerError):
        pass
    raise UnreadableError("Its terms are damaged")


def _read_facts(connection: Connection) -> dict[str, str]:
    rows = connection.execute("SELECT name, value FROM meta").fetchall()
    facts = dict(rows)
    whole = len(facts) == len(rows) and _FACTS <= facts.keys() <= _FACTS | {"reserve"}
    whole = whole and all(isinstance(value, str) for value in facts.values())
    if whole and re.match("row$|user .", facts["protects"], re.DOTALL):
        return facts
    raise UnreadableError("Its terms are damaged")


def read_entries(connection: Connection) -> tuple[Entry, ...]:
    """Return every entry, in the order they were charged."""
    rows = connection.execute(
        "SELECT number, time, label, epsilon, rho, delta FROM entry ORDER BY number"
    )
    entries = tuple(_read_entry(row) for row in rows)
    if [entry.number for entry in entries] != list(range(1, len(entries) + 1)):
        raise UnreadableError("An entry is missing")
    return entries


def write_entry(connection: Connection, entry: Entry) -> None:
    """Add `entry` at the end."""
    cost = entry.cost
    amounts = (
        None if cost.epsilon is None else _write_amount(cost.epsilon),
        _write_amount(cost.rho),
    )
    connection.execute(
        "INSERT INTO entry (number, time, label, epsilon, rho, delta) VALUES (?, ?, ?, ?, ?, ?)",
        (entry.number, entry.time.isoformat(), entry.label, *amounts, _write_amount(cost.delta)),
    )


def _read_entry(row: tuple[object, ...]) -> Entry:
    match row:
        case (int(number), str(time), str(label), epsilon, rho, delta):
            pure = None if epsilon is None else _parse_amount(epsilon)
            cost = Cost(pure, _parse_amount(rho), _parse_amount(delta))
            return Entry(number, _parse_moment(time), shorten_label(label), cost)
        case _:
            raise UnreadableError("An entry is damaged")


def _write_budget(budget: Budget) -> dict[str, str]:
    """Return the budget in exact numbers; a reserve that was left out stays out."""
    numbers = {"epsilon": budget.epsilon, "delta": budget.delta, "reserve": budget.reserve}
    return {
        name: _write_amount(to_fraction(value))
        for name, value in numbers.items()
        if value is not None
    }


def _read_budget(facts: dict[str, str]) -> Budget:
    kept = {name: facts[name] for name in ("epsilon", "delta", "reserve") if name in facts}
    numbers = {name: float(_parse_amount(text)) for name, text in kept.items()}
    # Whether it may protect little was asked when it was created.
    weak = explain_weakness(numbers["epsilon"], numbers["delta"]) != ""
    budget = Budget(numbers["epsilon"], numbers["delta"], numbers.get("reserve"), weak=weak)
    if _write_budget(budget) != kept:
        raise UnreadableError("Its budget is damaged")
    return budget


def _parse_amount(text: object) -> Fraction:
    if isinstance(text, str) and _FRACTION.fullmatch(text):
        return Fraction(text)
    raise UnreadableError("An amount in it is not a fraction of at least 0")


def _write_amount(amount: Fraction) -> str:
    if max(amount.numerator, amount.denominator) > _FINEST:
        raise LedgerError(
            "A cost is written in more digits than a ledger keeps.",
            "A rounded one would not add up.",
            ("Ask for a rounder amount: ", Spending(0.5), "."),
        )
    return f"{amount.numerator}/{amount.denominator}"


def _parse_moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise UnreadableError("A time in it is damaged")


def _read_pragma(connection: Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def _read_schema(connection: Connection) -> list[tuple[object, ...]]:
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
    return connection.execute(query).fetchall()


@cache
def _make_schema() -> list[tuple[object, ...]]:
    with closing(connect(":memory:")) as connection:
        for statement in _TABLES + _TRIGGERS:
            connection.execute(statement)
        return _read_schema(connection)


Answer = TypeVar("Answer")

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


class Store(ABC):
    """Runs actions on a ledger's database, each in a transaction of its own."""

    name: str
    path: Path | None = None

    def read(self, action: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Run `action` on one consistent state of the ledger."""
        return self._run(action, writing=False)

    def write(self, action: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Run `action` alone; when this returns, what it wrote survives a crash."""
        return self._run(action, writing=True)

    @abstractmethod
    @contextmanager
    def _connection(self, *, writing: bool) -> Generator[sqlite3.Connection]: ...

    def _run(self, action: Callable[[sqlite3.Connection], Answer], *, writing: bool) -> Answer:
        process, begin = os.getpid(), "BEGIN IMMEDIATE" if writing else "BEGIN"
        try:
            with (
                self._connection(writing=writing) as connection,
                _run_transaction(connection, begin),
            ):
                answer = action(connection)
        # SQLite quotes the names it finds, and Python fails on damaged ones. Of some damaged
        # schemas SQLite says that there is no memory left for them.
        except (sqlite3.Error, OSError, UnicodeError, MemoryError, UnreadableError) as error:
            problem = error
        else:
            _kill_forked_child(process)
            return answer
        raise _explain(self.name, problem)


class FileStore(Store):
    """A SQLite file with a rollback journal, opened anew for each operation."""

    def __init__(self, path: Path) -> None:
        self.path = self._file = path
        self.name = str(path)
        self._address = f"{path.as_uri()}?mode=rw"

    @contextmanager
    def _connection(self, *, writing: bool) -> Generator[sqlite3.Connection]:
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


class MemoryStore(Store):
    """A database in memory, for the process that made it and no other."""

    name = "The ledger in memory"

    def __init__(self, terms: Terms) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._database = _connect("file::memory:")
        weakref.finalize(self, self._database.close)
        create_tables(self._database, terms)

    @contextmanager
    def _connection(self, *, writing: bool) -> Generator[sqlite3.Connection]:  # noqa: ARG002
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
                create_tables(connection, terms)
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


def _open_file(file: Path, address: str) -> sqlite3.Connection:
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


def _connect(address: str) -> sqlite3.Connection:
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
def _run_transaction(connection: sqlite3.Connection, begin: str) -> Generator[None]:
    process = os.getpid()
    connection.execute(begin)
    try:
        yield
        _kill_forked_child(process)
        connection.execute("COMMIT")
    finally:
        _kill_forked_child(process)
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _kill_forked_child(process: int) -> None:
    # A signal's handler may fork in the very thread that is charging. The child that comes back
    # from it has a copy of the charge and not its locks: even to roll back would undo the other's.
    # A process that is killed does neither.
    if (child := os.getpid()) != process:
        os.kill(child, signal.SIGKILL)


def _explain(name: str, problem: Exception) -> LedgerError:
    if isinstance(problem, UnreadableError):
        return LedgerError(
            f"{name} is not a ledger this sfumato can use.",
            f"{problem}, and a total that cannot be trusted protects nobody.",
            "Use the sfumato it was made with, or name another file.",
        )
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
