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

ENTRIES = "SELECT number, time, label, epsilon, rho, delta FROM entry ORDER BY number"


def found(path: str) -> dict[str, object]:
    """Return what stands in a ledger, after whatever SQLite has to recover in it."""
    connection = sqlite3.connect(f"{Path(path).as_uri()}?mode=rw", uri=True, timeout=20)
    connection.isolation_level = None
    try:
        connection.execute("BEGIN IMMEDIATE")
        pages = connection.execute("PRAGMA integrity_check").fetchone()[0]
        terms = connection.execute("SELECT name, value FROM meta ORDER BY name").fetchall()
        entries = connection.execute(ENTRIES).fetchall()
        connection.execute("ROLLBACK")
    finally:
        connection.close()
    content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return {"pages": pages, "terms": terms, "entries": entries, "content": content}


def answer(path: str) -> None:
    try:
        line = found(path)
    except (sqlite3.Error, UnicodeError, OSError) as problem:
        line = {"problem": repr(problem)}
    os.write(1, json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    for asked in sys.stdin:
        if os.fork() == 0:
            answer(asked.rstrip("\n"))
            os._exit(0)
        os.wait()
