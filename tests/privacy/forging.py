"""Ledgers rewritten by force, with their seals left as they were or made anew."""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

VERSION_1 = Path(__file__).with_name("version_1.sql")


def lay_version_1(path: Path) -> Path:
    """Write the ledger that an older version left behind."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1.read_text())
    return path


def rewrite(path: Path, *changes: str, restore: bool = True, values: tuple[object, ...] = ()):
    """Change a ledger by force, with its triggers off and then on again."""
    with closing(sqlite3.connect(path)) as stranger:
        triggers = stranger.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        kept = triggers.fetchall()
        for name, _ in kept:
            stranger.execute(f"DROP TRIGGER {name}")
        for change in changes:
            stranger.execute(change, values)
        for _, sql in kept if restore else []:
            stranger.execute(sql)
        stranger.commit()


def reseal(path: Path) -> None:
    """Give a rewritten ledger the seals it would have, had it been so from the beginning."""
    with closing(sqlite3.connect(path)) as stranger:
        seals = find_seals(stranger)
    for number, seal in seals.items():
        rewrite(path, "UPDATE entry SET seal = ? WHERE number = ?", values=(seal, number))


def find_seals(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the seal that each row would have, by its number."""
    texts, connection.text_factory = connection.text_factory, bytes
    try:
        meta = _all(connection, "name, value", "meta")
        rows = _all(connection, "number, body", "entry ORDER BY number")
    finally:
        connection.text_factory = texts
    facts = {_text(name): _text(value) for name, value in meta}
    seals = chain(facts, [body for _, body in rows])
    return {number: seal for (number, _), seal in zip(rows, seals[1:], strict=True)}


def _all(connection: sqlite3.Connection, columns: str, table: str) -> list[tuple[Any, Any]]:
    return connection.execute(f"SELECT {columns} FROM {table}").fetchall()


def chain(facts: dict[str, str], bodies: list[object]) -> list[str]:
    """Return the seal of the facts and of each body, as the format says, by its own words."""
    written = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    seals = [hashlib.sha256(b"sfumato ledger\n" + written.encode()).hexdigest()]
    for body in bodies:
        framed = b"sfumato entry\n" + seals[-1].encode() + b"\n" + _text(body).encode()
        seals.append(hashlib.sha256(framed).hexdigest())
    return seals


def _text(cell: object) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
