"""What stands in a ledger's database: its schema, and how it is read and written.

Amounts are kept as fractions, 'p/q', to the last digit. Triggers refuse every change but adding an
entry at the end. A file is believed only if its marks and its schema are exactly ours, so that
nothing a stranger put into it is ever run.
"""

from __future__ import annotations

import re
from contextlib import closing
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from sqlite3 import Connection, connect

from sfumato.errors import BudgetError, LedgerError
from sfumato.privacy.amount import exactly
from sfumato.privacy.budget import Budget, weakness
from sfumato.privacy.cost import Cost
from sfumato.privacy.entry import Entry, printable
from sfumato.privacy.terms import Terms

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


def lay(connection: Connection, terms: Terms) -> None:
    """Make an empty database a ledger with these terms, all at once."""
    for statement in ("BEGIN IMMEDIATE", *_TABLES):
        connection.execute(statement)
    facts = {
        **_amounts(terms.budget),
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
    if _pragma(connection, "quick_check(1)") != "ok":
        raise UnreadableError("Its pages are damaged")
    read_entries(connection)
    return terms


def read_terms(connection: Connection) -> Terms:
    """Return the terms of the ledger behind `connection`, or refuse what is not one."""
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise UnreadableError("It was not made by sfumato")
    if _pragma(connection, "user_version") != VERSION:
        raise UnreadableError("It was made by a newer sfumato")
    if _schema(connection) != _our_schema():
        raise UnreadableError("Its tables were changed")
    facts = _facts(connection)
    try:
        return Terms(_budget(facts), facts["protects"], facts["table"], facts["identity"])
    except (KeyError, OverflowError, BudgetError, LedgerError):
        pass
    raise UnreadableError("Its terms are damaged")


def _facts(connection: Connection) -> dict[str, str]:
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
    entries = tuple(_entry(row) for row in rows)
    if [entry.number for entry in entries] != list(range(1, len(entries) + 1)):
        raise UnreadableError("An entry is missing")
    return entries


def write_entry(connection: Connection, entry: Entry) -> None:
    """Add `entry` at the end."""
    cost = entry.cost
    amounts = (None if cost.epsilon is None else _text(cost.epsilon), _text(cost.rho))
    connection.execute(
        "INSERT INTO entry (number, time, label, epsilon, rho, delta) VALUES (?, ?, ?, ?, ?, ?)",
        (entry.number, entry.time.isoformat(), entry.label, *amounts, _text(cost.delta)),
    )


def _entry(row: tuple[object, ...]) -> Entry:
    match row:
        case (int(number), str(time), str(label), epsilon, rho, delta):
            pure = None if epsilon is None else _amount(epsilon)
            cost = Cost(pure, _amount(rho), _amount(delta))
            return Entry(number, _moment(time), printable(label), cost)
        case _:
            raise UnreadableError("An entry is damaged")


def _amounts(budget: Budget) -> dict[str, str]:
    """Return the budget in exact numbers; a reserve that was left out stays out."""
    numbers = {"epsilon": budget.epsilon, "delta": budget.delta, "reserve": budget.reserve}
    return {name: _text(exactly(value)) for name, value in numbers.items() if value is not None}


def _budget(facts: dict[str, str]) -> Budget:
    kept = {name: facts[name] for name in ("epsilon", "delta", "reserve") if name in facts}
    numbers = {name: float(_amount(text)) for name, text in kept.items()}
    # Whether it may protect little was asked when it was created.
    weak = weakness(numbers["epsilon"], numbers["delta"]) != ""
    budget = Budget(numbers["epsilon"], numbers["delta"], numbers.get("reserve"), weak=weak)
    if _amounts(budget) != kept:
        raise UnreadableError("Its budget is damaged")
    return budget


def _amount(text: object) -> Fraction:
    if isinstance(text, str) and _FRACTION.fullmatch(text):
        return Fraction(text)
    raise UnreadableError("An amount in it is not a fraction of at least 0")


def _text(amount: Fraction) -> str:
    if max(amount.numerator, amount.denominator) > _FINEST:
        raise LedgerError(
            "A cost is written in more digits than a ledger keeps. A rounded one would not add up. "
            "Ask for a rounder amount, such as budget=0.5."
        )
    return f"{amount.numerator}/{amount.denominator}"


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise UnreadableError("A time in it is damaged")


def _pragma(connection: Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def _schema(connection: Connection) -> list[tuple[object, ...]]:
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
    return connection.execute(query).fetchall()


@cache
def _our_schema() -> list[tuple[object, ...]]:
    with closing(connect(":memory:")) as connection:
        for statement in _TABLES + _TRIGGERS:
            connection.execute(statement)
        return _schema(connection)
