"""Ledgers that were tampered with: cells, rows and schema by SQL, and bytes of pages."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from random import Random

from privacy.forging import find_seals

_AMOUNTS = (
    "0/1", "1/10", "1/100000", "-1/10", "1/0", "0.1", "nan", "1e9/1", "2/20", "1" * 600 + "/7",
    "1" * 700 + "/1", "１/２", "1/10\n", "1/10 ", "+1/10", "", "99999/1",
)  # fmt: skip
_CELLS = (
    "NULL", "0", "-1", "1.5", "9e999", "x'00ff'", "CAST(x'ff' AS TEXT)", "'row'", "'user '", "''",
    "char(0)", "char(55296)", "printf('%.*c', 2000, 'a')", "zeroblob(300)", "'yesterday'",
    "'0001-01-01T00:00:00+23:59'", "'2026-01-01'", "'9999-12-31T23:59:59-23:59'", "'<b>'",
    "9223372036854775807",
)  # fmt: skip
_FACTS = (
    "epsilon", "delta", "reserve", "protects", "table", "identity", "order", "limit", "version",
    "epsilon", "more",
)  # fmt: skip
_SPY = "INSERT INTO entry VALUES (NULL, '{}', '')"
_SPIES = (
    "CREATE TRIGGER spy BEFORE INSERT ON entry BEGIN SELECT abs(-1); END",
    "CREATE TRIGGER spy AFTER INSERT ON entry BEGIN UPDATE meta SET value = '9/1'; END",
    "CREATE TRIGGER spy INSTEAD OF INSERT ON entry BEGIN SELECT 1; END",
    f"CREATE TRIGGER spy AFTER INSERT ON entry BEGIN {_SPY}; END",
    "CREATE TRIGGER spy AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
)
_SCHEMA = (
    *_SPIES,
    "CREATE TEMP TRIGGER spy AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
    "CREATE VIEW spy AS SELECT load_extension('spy')",
    "CREATE VIRTUAL TABLE spy USING fts5(a)",
    "CREATE VIRTUAL TABLE spy USING fts3(a)",
    "CREATE VIRTUAL TABLE spy USING rtree(a, b, c)",
    "CREATE TABLE spy (a, b AS (abs(a)))",
    "CREATE TABLE spy (a CHECK (a > abs(-1)))",
    "CREATE INDEX spy ON entry (abs(number))",
    "CREATE UNIQUE INDEX spy ON entry (seal)",
    "CREATE TABLE sqlite_stat (a)",
    "ALTER TABLE entry ADD COLUMN more TEXT DEFAULT 'a'",
    "ALTER TABLE entry ADD COLUMN more AS (load_extension('spy'))",
    "ALTER TABLE entry RENAME COLUMN seal TO s",
    "ALTER TABLE meta RENAME TO beta",
    "ANALYZE",
    "REINDEX",
    "VACUUM",
    "PRAGMA auto_vacuum = 1",
    "PRAGMA encoding = 'UTF-16'",
    "PRAGMA application_id = 7",
    "PRAGMA user_version = 3",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 0",
    "PRAGMA schema_version = 9",
    "UPDATE sqlite_master SET sql = replace(sql, 'TEXT', 'BLOB')",
    "UPDATE sqlite_master SET sql = replace(sql, 'TEXT', 'TEXT AS (1)') WHERE name = 'entry'",
    "UPDATE sqlite_master SET sql = replace(sql, 'ABORT', 'IGNORE')",
    "UPDATE sqlite_master SET sql = NULL WHERE type = 'trigger'",
    "UPDATE sqlite_master SET rootpage = 5 - rootpage WHERE type = 'table'",
    "UPDATE sqlite_master SET rootpage = 2 WHERE name = 'entry'",
    "UPDATE sqlite_master SET rootpage = 0 WHERE name = 'meta'",
    "UPDATE sqlite_master SET type = 'view' WHERE name = 'meta'",
    "UPDATE sqlite_master SET sql = 'CREATE VIEW entry AS SELECT 1' WHERE name = 'entry'",
    "UPDATE sqlite_master SET tbl_name = 'meta' WHERE name = 'entry_INSERT'",
    "DELETE FROM sqlite_master WHERE name = 'sqlite_autoindex_meta_1'",
    "DELETE FROM sqlite_master WHERE type = 'trigger'",
)
_HEADER = (16, 18, 19, 20, 21, 24, 28, 31, 36, 40, 43, 44, 47, 52, 56, 59, 60, 63, 64, 68, 92, 96)
"""Where the header of the file says page size, WAL, counts, encoding, version and whose it is."""

# Of some damaged schemas SQLite says that there is no memory left for them.
_PROBLEMS = (sqlite3.Error, UnicodeError, ValueError, MemoryError)


def rewritten(content: bytes, dice: Random) -> bytes | None:
    """Return a ledger changed by SQL, its triggers put back as they were; None for no database."""
    try:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.deserialize(content)
            triggers = connection.execute(
                "SELECT sql FROM sqlite_master WHERE type = 'trigger'"
            ).fetchall()
            _tamper(connection, [str(sql) for (sql,) in triggers], dice)
            return connection.serialize()
    except _PROBLEMS:
        return None


def _tamper(connection: sqlite3.Connection, triggers: list[str], dice: Random) -> None:
    schema, spying = dice.random() < 0.35, dice.random() < 0.3
    for pragma in ("writable_schema = ON", "ignore_check_constraints = ON"):
        connection.execute(f"PRAGMA {pragma}")
    for name in ("entry_INSERT", "entry_UPDATE", "entry_DELETE", "meta_INSERT", "meta_UPDATE"):
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    connection.execute("DROP TRIGGER IF EXISTS meta_DELETE")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    change = _first_row_change if version == 1 else _row_change
    for _ in range(dice.choice((1, 1, 2, 3))):
        statement = dice.choice(_SPIES if spying else _SCHEMA) if schema else change(dice)
        try:
            connection.execute(statement)
        except _PROBLEMS:
            continue
    if version != 1 and dice.random() < 0.8:
        _reseal(connection)
    for sql in triggers if dice.random() < 0.95 else ():
        try:
            connection.execute(sql)
        except _PROBLEMS:
            continue


def _reseal(connection: sqlite3.Connection) -> None:
    """Seal what is there now, as whoever tampers with a ledger can."""
    try:
        for number, seal in find_seals(connection).items():
            connection.execute("UPDATE entry SET seal = ? WHERE number = ?", (seal, number))
    except _PROBLEMS:
        return


def _row_change(dice: Random) -> str:
    """Return a change of version 2 of the format: a body of JSON, and a seal."""
    cell = dice.choice(_CELLS) if dice.random() < 0.4 else f"'{dice.choice(_AMOUNTS)}'"
    part = dice.choice(
        ("kind", "time", "label", "epsilon", "rho", "delta", "who", "purpose", "more")
    )
    number = dice.randrange(1, 6)
    said = f"json_set(body, '$.{part}', {cell})"
    return dice.choice(
        (
            f"UPDATE entry SET body = {said} WHERE number = {number}",
            f"UPDATE entry SET body = {said} WHERE number = {number}",
            f"UPDATE entry SET body = json_remove(body, '$.{part}') WHERE number = {number}",
            f"UPDATE entry SET body = replace(body, ',', ', ') WHERE number = {number}",
            f"UPDATE entry SET body = {cell} WHERE number = {number}",
            f"UPDATE entry SET seal = {cell} WHERE number = {number}",
            f"INSERT INTO entry SELECT max(number) + 1, {said}, seal FROM entry",
            _any_change(dice, cell, number),
        )
    )


def _first_row_change(dice: Random) -> str:
    """Return a change of version 1: a column for each part of an entry."""
    amount = f"'{dice.choice(_AMOUNTS)}'"
    cell = dice.choice(_CELLS) if dice.random() < 0.4 else amount
    column = dice.choice(("number", "time", "label", "epsilon", "rho", "delta"))
    number = dice.randrange(1, 6)
    return dice.choice(
        (
            f"UPDATE entry SET {column} = {cell} WHERE number = {number}",
            f"UPDATE entry SET epsilon = {amount}, rho = {amount} WHERE number = {number}",
            f"INSERT INTO entry SELECT max(number) + 1, time, '', {amount}, rho, delta FROM entry",
            f"INSERT INTO entry VALUES ({number}, {cell}, 'a', {amount}, '1/9', '0/1')",
            _any_change(dice, cell, number),
            _any_change(dice, cell, number),
        )
    )


def _any_change(dice: Random, cell: str, number: int) -> str:
    """Return a change of rows as a whole, or of the terms."""
    name = dice.choice(_FACTS)
    return dice.choice(
        (
            f"UPDATE entry SET number = number + {number - 3} WHERE number >= {number}",
            f"DELETE FROM entry WHERE number = {number}",
            f"DELETE FROM entry WHERE number >= {number}",
            f"UPDATE meta SET value = {cell} WHERE name = '{name}'",
            f"UPDATE meta SET value = '{number}/10' WHERE name = '{name}'",
            f"INSERT INTO meta VALUES ('{name}', {cell})",
            f"INSERT INTO meta VALUES ({cell}, '1/1')",
            f"DELETE FROM meta WHERE name = '{name}'",
        )
    )


def bitten(content: bytes, dice: Random) -> bytes:
    """Return a file with some bytes changed: of its header, of a page's header, or anywhere."""
    damaged = bytearray(content)
    for _ in range(dice.choice((1, 1, 2, 4, 8))):
        if not damaged:
            break
        match dice.randrange(6):
            case 0:
                place = dice.choice(_HEADER)
            case 1 | 2:
                place = 512 * dice.randrange(len(damaged) // 512 + 1) + dice.randrange(24)
            case _:
                place = dice.randrange(len(damaged))
        if place < len(damaged):
            damaged[place] = dice.choice((0, 1, 2, 5, 10, 13, 127, 128, 255, dice.randrange(256)))
    if dice.random() < 0.1:
        _move(damaged, dice)
    return bytes(damaged)


def _move(damaged: bytearray, dice: Random) -> None:
    """Put one page in the place of another, or end the file early."""
    pages = len(damaged) // 512
    if pages < 2 or dice.random() < 0.3:
        del damaged[dice.randrange(len(damaged) + 1) :]
        return
    first, second = dice.randrange(pages), dice.randrange(pages)
    damaged[512 * first : 512 * first + 512] = damaged[512 * second : 512 * second + 512]
