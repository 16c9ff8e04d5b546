"""Ledgers rewritten by force, with their seals left as they were or made anew."""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

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
        stranger.text_factory = bytes
        facts = {
            _text(name): _text(value)
            for name, value in stranger.execute("SELECT name, value FROM meta")
        }
        seals = chain(facts, [body for (body,) in stranger.execute("SELECT body FROM entry")])
        numbers = [number for (number,) in stranger.execute("SELECT number FROM entry")]
    for number, seal in zip(numbers, seals[1:], strict=True):
        rewrite(path, "UPDATE entry SET seal = ? WHERE number = ?", values=(seal, number))


def chain(facts: dict[str, str], bodies: list[bytes]) -> list[str]:
    """Return the seal of the facts and of each body, as the format says, by its own words."""
    written = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    seals = [hashlib.sha256(b"sfumato ledger\n" + written.encode()).hexdigest()]
    for body in bodies:
        framed = b"sfumato entry\n" + seals[-1].encode() + b"\n" + body
        seals.append(hashlib.sha256(framed).hexdigest())
    return seals


def _text(cell: bytes | None) -> str:
    return "" if cell is None else cell.decode("utf-8", "replace")
