"""`Store`: what was simulated, in one file, so that a second call continues the first."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import sfumato
from heatmaps.measuring import METHODS, METRICS, Closeness

Key = Sequence[object]
"""What names one run: a tuple of plain values."""

TABLE = (
    "CREATE TABLE IF NOT EXISTS runs (code TEXT, run TEXT, method TEXT, sigma REAL, "
    + ", ".join(f"{metric} REAL" for metric in METRICS)
    + ", PRIMARY KEY (code, run, method, sigma))"
)
MATTERING = (
    "charts/heatmap/*.py",
    "mechanisms/survey.py",
    "metrics/heatmap.py",
    "metrics/plane.py",
    "postprocess/den*.py",
    "postprocess/polya*.py",
    "postprocess/quadtree.py",
    "postprocess/transport.py",
)
"""The files of sfumato that decide what a simulation finds."""


def fingerprint() -> str:
    """Return what the code is known by: results of other code are not mixed with its own."""
    lab, package = Path(__file__).parent, Path(sfumato.__file__).parent
    names = ("crowd", "measuring", "mixture", "places", "study", "vertex")
    files = [lab / f"{name}.py" for name in names]
    files += sorted(file for pattern in MATTERING for file in package.glob(pattern))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


class Store:
    """Results by run, method and filter.

    Parameters
    ----------
    path
        A file, which is made where there is none.
    code
        What the results are of; those of other code stay in the file unseen.
    """

    def __init__(self, path: Path, code: str | None = None) -> None:
        self._code = code or fingerprint()
        self._connection = sqlite3.connect(path)
        self._connection.execute(TABLE)

    def has(self, task: Key) -> bool:
        """Tell whether a run is here with all methods."""
        query = "SELECT count(DISTINCT method) FROM runs WHERE code = ? AND run = ?"
        return self._connection.execute(query, self._name(task)).fetchone()[0] == len(METHODS)

    def put(self, task: Key, found: Mapping[tuple[str, float], Closeness]) -> None:
        """Keep the results of one run, all or none."""
        marks = ", ".join("?" * (4 + len(METRICS)))
        with self._connection:
            self._connection.executemany(
                f"INSERT OR REPLACE INTO runs VALUES ({marks})",
                [(*self._name(task), *which, *close) for which, close in found.items()],
            )

    def get(self, tasks: Iterable[Key], method: str, sigma: float) -> NDArray[np.float64]:
        """Return an array of runs × metrics, in the order of the tasks."""
        query = f"SELECT {', '.join(METRICS)} FROM runs WHERE code = ? AND run = ? "
        query += "AND method = ? AND sigma = ?"
        rows = [
            self._connection.execute(query, (*self._name(task), method, sigma)).fetchone()
            for task in tasks
        ]
        return np.array(rows, dtype=np.float64)

    def _name(self, task: Key) -> tuple[str, str]:
        return self._code, json.dumps(list(task))
