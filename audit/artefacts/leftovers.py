"""What goes to the disk while a table beyond its memory limit is read, and what stays there."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from artefacts.canaries import ONE
from artefacts.surroundings import HERE

_ROWS = 800_000
_PROGRAM = """
import sys, sfumato as sf
table = sf.Table(sys.argv[1], threads=2, memory_limit="48MB")
unit = sf.PrivacyUnit.users("person", max_rows=3)
sf.histplot(table, x="wait", bins=10, bounds=(0, 240), unit=unit, budget=1.0)
"""


@dataclass(frozen=True)
class Spilled:
    """What was seen in the folder for passing files.

    Parameters
    ----------
    most
        The most bytes that lay there at once.
    others_could_read
        Whether another user of the machine could have.
    left
        The bytes that stayed.
    telling
        Whether a canary stood in what stayed.
    """

    most: int
    others_could_read: bool
    left: int
    telling: bool


def spill(home: Path, *, kill: bool) -> Spilled:
    """Chart a table larger than its memory limit; `kill` ends it while its rows are on the disk."""
    environment = HERE.environment(home)
    passing = Path(environment["TMPDIR"])
    command = [sys.executable, "-c", _PROGRAM, str(_large_table(home))]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    most, readable = 0, False
    while process.poll() is None:
        most, readable = max(most, _size(passing)), readable or _readable(passing)
        if kill and most > 2**24:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        time.sleep(0.002)
    left = [path for path in passing.rglob("*") if path.is_file()]
    telling = any(ONE.person.encode() in path.read_bytes() for path in left)
    return Spilled(most, readable, sum(path.stat().st_size for path in left), telling)


def _large_table(home: Path) -> Path:
    path = home / "large.parquet"
    if not path.exists():
        people = [f"{ONE.person}-{row * 7919 % _ROWS // 2}" for row in range(_ROWS)]
        waits = [row % 240 + 0.5 for row in range(_ROWS)]
        parquet.write_table(pa.table({"person": people, "wait": waits}), path)
    return path


def _size(folder: Path) -> int:
    sizes = 0
    for path in folder.rglob("*"):
        try:
            sizes += path.stat().st_size if path.is_file() else 0
        except OSError:  # it has gone in the meantime, as it should
            continue
    return sizes


def _readable(folder: Path) -> bool:
    try:
        return any(stat.S_IMODE(path.stat().st_mode) & 0o077 for path in folder.iterdir())
    except OSError:
        return False
