"""Reads ledgers for the witness: a program of its own, which knows nothing of sfumato.

For each path on its input it starts a fresh process that opens the file with plain SQLite, takes
it for itself, as only somebody whom no lock hinders can, and prints what it finds on one line.
"""

import hashlib
import json
import os
import sqlite3
import sys
from pathlib import Path

ENTRIES = "SELECT number, body, seal FROM entry ORDER BY number"
# SQLite, the file, and cells that hold no text or no JSON.
_PROBLEMS = (sqlite3.Error, OSError, ValueError, TypeError, AttributeError)
PARTS = ("time", "label", "epsilon", "rho", "delta")


def found(path: str) -> dict[str, object]:
    """Return what stands in a ledger, after whatever SQLite has to recover in it."""
    connection = sqlite3.connect(f"{Path(path).as_uri()}?mode=rw", uri=True, timeout=20)
    connection.isolation_level = None
    try:
        connection.execute("BEGIN IMMEDIATE")
        pages = connection.execute("PRAGMA integrity_check").fetchone()[0]
        terms = connection.execute("SELECT name, value FROM meta ORDER BY name").fetchall()
        rows = connection.execute(ENTRIES).fetchall()
        connection.execute("ROLLBACK")
    finally:
        connection.close()
    content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    entries = [(number, *map(json.loads(body).get, PARTS)) for number, body, _ in rows]
    pages = pages if sealed(dict(terms), rows) else "the seals are broken"
    return {"pages": pages, "terms": terms, "entries": entries, "content": content}


def sealed(terms: dict[str, str], rows: list[tuple[int, str, str]]) -> bool:
    """Tell whether each row has the digest of itself and of everything before it."""
    written = json.dumps(terms, sort_keys=True, separators=(",", ":"))
    before = hashlib.sha256(f"sfumato ledger\n{written}".encode()).hexdigest()
    for _, body, seal in rows:
        before = hashlib.sha256(f"sfumato entry\n{before}\n{body}".encode()).hexdigest()
        if seal != before:
            return False
    return True


def answer(path: str) -> None:
    try:
        line = found(path)
    except _PROBLEMS as problem:
        line = {"problem": repr(problem)}
    os.write(1, json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    for asked in sys.stdin:
        if os.fork() == 0:
            answer(asked.rstrip("\n"))
            os._exit(0)
        os.wait()
