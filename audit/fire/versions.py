"""Two versions of the library on one ledger: an older one, and one that writes another format."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

from fire.crowd import settled, wait_for
from fire.lines import LIBRARY
from fire.stage import Scene, Stage, apart
from fire.tally import REFUSED, Tally
from sfumato.errors import LedgerError
from sfumato.privacy.ledger import Ledger

PROGRAM = """
import sys
from fractions import Fraction
from sfumato.errors import SfumatoError
from sfumato.privacy.budget import Cost
from sfumato.privacy.ledger import Ledger
path, looked, label, most = sys.argv[1:]
try:
    ledger = Ledger.open(path)
    for _ in range(int(most)):
        ledger.charge(label, Cost.pure(Fraction(1, 64)))
        with open(looked, "a") as file:
            file.write(label + "\\n")
except SfumatoError as refusal:
    print(refusal)
    sys.exit(3)
"""
OLDER = {
    "privacy/sqlite.py": (("lock_file(file, alone=writing, patience=PATIENCE)", "nullcontext()"),)
}
"""What went before: SQLite's locks alone, the same format."""

NEWER = {
    "privacy/records.py": (("VERSION = 2", "VERSION = 3"), ("str(terms.version)", "'2'")),
    "privacy/sqlite.py": (
        ("    2: (", "    3: ("),
        ("seal TEXT NOT NULL)", "seal TEXT NOT NULL, note TEXT)"),
        ("version = 2", "version = 3"),
        ("2: SQLiteBook", "3: SQLiteBook"),
    ),
}
"""What may come: one more column, and the number of another format."""

Changes = dict[str, tuple[tuple[str, str], ...]]


def older_and_this(stage: Stage) -> Tally:
    """Let processes of an older version and of this one fill a ledger together."""
    library, tally = _version(stage, "older", OLDER), Tally()
    for _ in range(6 if stage.full else 1):
        scene = stage.scene(room=60)
        visitors = [_start(scene, path) for path in (library, LIBRARY.parent) * 2]
        tally += settled(scene, [visitor.wait() for visitor in visitors])
    return tally


def newer_and_this(stage: Stage) -> Tally:
    """Let a newer version take a ledger over while processes of this one are filling it."""
    library, tally = _version(stage, "newer", NEWER), Tally()
    for _ in range(6 if stage.full else 1):
        scene = stage.scene(room=10**6)
        these = [_start(scene, LIBRARY.parent) for _ in range(2)]
        wait_for(scene.markers, 30)
        _take_over(scene.path)
        statuses = [visitor.wait() for visitor in these]
        refusals = [visitor.stdout.read() for visitor in these if visitor.stdout]
        found = scene.witness.read(scene.path)
        taken = Scene(scene.path, found, scene.witness)
        assert apart(partial(_refuse, taken)) == REFUSED
        newer = _start(scene, library, most=20)
        tally += settled(taken, [*statuses, newer.wait()])
        tally += Tally(
            torn=int(not found.goes_on_from(scene.before)),
            rough=sum("newer sfumato" not in refusal for refusal in refusals),
        )
    return tally


def _version(stage: Stage, name: str, changes: Changes) -> Path:
    """Return a folder with the library as it was or may be."""
    folder = stage.folder / name
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(LIBRARY, folder / "sfumato", ignore=ignored)
    for file, replacements in changes.items():
        path = folder / "sfumato" / file
        text = path.read_text()
        for old, new in replacements:
            assert text.count(old) == 1, f"{file} no longer says {old!r}"
            text = text.replace(old, new)
        path.write_text(text)
    return folder


def _start(scene: Scene, library: Path, most: int = 10**6) -> subprocess.Popen[str]:
    words = [str(scene.path), str(scene.markers), library.name, str(most)]
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        env={**os.environ, "PYTHONPATH": str(library)},
        stdout=subprocess.PIPE,
        text=True,
    )


def _take_over(path: Path) -> None:
    """Do to a ledger what a newer version would have to do to it."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ALTER TABLE entry ADD COLUMN note TEXT")
        connection.execute("PRAGMA user_version = 3")
        connection.execute("COMMIT")


def _refuse(scene: Scene) -> None:
    """Try to open a ledger of another format, and to make one in its place."""
    try:
        Ledger.at(scene.path, budget=1, table="visits")
    except LedgerError as refusal:
        sys.exit(REFUSED if "newer sfumato" in str(refusal) else 1)
