"""Moments of fifty columns: time beside a plain Gram matrix, and memory.

In memory, the moments of an Arrow table are timed beside ``X.T @ X`` of the same floats, already
laid out as one NumPy matrix. From Parquet they are timed beside what one would write instead:
``pyarrow.parquet.read_table``, its columns copied into one matrix, and ``X.T @ X``. Both have the
same number of threads, in one process, in turn, and the least of three counts. Ours finds what is
missing, moves values into their bounds, and rounds, measures and cuts rows, so that the sums are
exact; the plain one does none of that.

    python bench/pca.py               # 10 million rows
    python bench/pca.py 1000000       # a quick look
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sfumato.domain import Bounds
from sfumato.engines.dispatch import DuckEngine
from sfumato.lattice import REACH, Lattice, Moments
from sfumato.privacy.guarantee import PrivacyUnit

ROWS = 10**7
COLUMNS = 50
BLOCK = 250_000  # rows that stand together in a file
THREADS = 2
RUNS = 3
LIMIT = "256MB"
CLOCKS = ("wall", "CPU")
MOST_TIME = 3.0
MOST_GROWTH = 1.25

NAMES = tuple(f"c{index}" for index in range(COLUMNS))
LATTICE = Lattice(NAMES, (Bounds(-4, 4),) * COLUMNS, (4.0,) * COLUMNS)
MOMENTS = Moments(LATTICE, (0,) * COLUMNS, 2.0 * REACH, 2**10)
UNITS = {"rows": PrivacyUnit.rows(), "users": PrivacyUnit.users("user")}


def block(rows: int, seed: int) -> NDArray[np.float64]:
    """Return correlated columns, one line each, a few values far away."""
    generator = np.random.default_rng(seed)
    values = generator.standard_normal((COLUMNS, rows))
    values += generator.standard_normal(rows)
    values[0, ::1000] = 1e9
    return values


def blocks(rows: int) -> list[tuple[int, int]]:
    return [(start, min(BLOCK, rows - start)) for start in range(0, rows, BLOCK)]


def write(path: Path, rows: int, rows_each: int = 10) -> None:
    """Write the columns and whose the rows are, a row group at a time."""
    schema = pa.schema([*((name, pa.float64()) for name in NAMES), ("user", pa.int64())])
    with pq.ParquetWriter(path, schema, use_dictionary=["user"]) as writer:
        for start, count in blocks(rows):
            users = np.arange(start, start + count) * 7919 % max(1, rows // rows_each)
            lines = [*block(count, start), users]
            writer.write_table(pa.table(dict(zip(schema.names, lines, strict=True))), BLOCK)


def plainly(path: str) -> NDArray[np.float64]:
    found = pq.read_table(path, columns=[*NAMES])
    lines = np.array([column.to_numpy() for column in found])
    return lines @ lines.T


def moments(table: object, unit: str = "rows", limit: str | None = None) -> object:
    return DuckEngine(table, threads=THREADS, memory_limit=limit).gram(MOMENTS, UNITS[unit])


def from_memory(rows: str) -> dict[str, Callable[[], object]]:
    lines = np.empty((COLUMNS, int(rows)))
    for start, count in blocks(int(rows)):
        lines[:, start : start + count] = block(count, start)
    table, matrix = pa.table(dict(zip(NAMES, lines, strict=True))), lines.T
    return {"plain": lambda: matrix.T @ matrix, "moments": lambda: moments(table)}


def from_parquet(path: str) -> dict[str, Callable[[], object]]:
    return {"plain": lambda: plainly(path), "moments": lambda: moments(path)}


def clocked(work: Callable[[], object]) -> dict[str, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return {"wall": time.perf_counter() - wall, "CPU": time.process_time() - cpu}


def measure(ways: dict[str, Callable[[], object]]) -> None:
    """Print the least time of each way, after one run that does not count."""
    pa.set_cpu_count(THREADS)
    runs = [{way: clocked(work) for way, work in ways.items()} for _ in range(RUNS + 1)][1:]
    best = {way: {c: min(run[way][c] for run in runs) for c in CLOCKS} for way in ways}
    print(json.dumps(best))


def peak(path: str, unit: str, limit: str) -> None:
    """Print the most memory that this process has filled, in bytes, and the wall time."""
    begun = time.perf_counter()
    moments(path, unit, limit or None)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"memory": used, "wall": time.perf_counter() - begun}))


def asked(*arguments: str) -> dict[str, Any]:
    """Return what a process of its own answers, whose libraries have our number of threads."""
    threads = {name: str(THREADS) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
    command = [sys.executable, __file__, *arguments]
    return json.loads(subprocess.check_output(command, env=os.environ | threads))


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def by_time(rows: int, path: Path) -> bool:
    """Moments beside a plain Gram matrix, by both clocks."""
    print(f"{rows:,} rows of {COLUMNS} columns, {THREADS} threads: seconds")
    print(f"{'from':>8} {'':>5} {'plain':>7} {'moments':>8} {'ratio':>6}")
    worst = 0.0
    for source, question in (("memory", str(rows)), ("parquet", str(path))):
        best = asked(f"--{source}", question)
        for clock in CLOCKS:
            plain, ours = best["plain"][clock], best["moments"][clock]
            worst = max(worst, ours / plain)
            print(f"{source:>8} {clock:>5} {plain:>7.2f} {ours:>8.2f} {ours / plain:>6.2f}")
    met = worst <= MOST_TIME
    print(f"  target: at most {MOST_TIME:g} times, by either clock: {worst:.2f}, {verdict(met)}")
    return met


def by_memory(paths: dict[int, Path]) -> bool:
    """The most memory a process fills, by the number of rows; it includes what is imported."""
    print("Peak memory of moments from Parquet, each in a process of its own: megabytes")
    print(f"{'unit':>9} {'limit':>6}" + "".join(f" {rows:>11,}" for rows in paths), end="")
    print(f" {'ratio':>6} {'seconds':>8}")
    worst = 0.0
    for unit, limit in (("rows", ""), ("users", LIMIT)):
        few, many = (asked("--peak", str(path), unit, limit) for path in paths.values())
        ratio = many["memory"] / few["memory"]
        worst = max(worst, ratio)
        sizes = "".join(f" {each['memory'] / 1e6:>11,.0f}" for each in (few, many))
        print(f"{unit:>9} {limit:>6}{sizes} {ratio:>6.2f} {many['wall']:>8.1f}", flush=True)
    met = worst <= MOST_GROWTH
    print(f"  target: ten times the rows in {MOST_GROWTH:g} times the memory: ", end="")
    print(f"{worst:.2f}, {verdict(met)}")
    return met


def main(rows: int) -> int:
    with TemporaryDirectory() as folder:
        paths = {n: Path(folder, f"{n}.parquet") for n in (rows // 10, rows)}
        for count, path in paths.items():
            # A process is charged with what its parent fills, so the parent stays small.
            asked("--write", str(path), str(count))
        met = [by_time(rows, paths[rows]), by_memory(paths)]
    return 0 if all(met) else 1


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--write", path, rows]:
            write(Path(path), int(rows))
            print("{}")
        case ["--memory", rows]:
            measure(from_memory(rows))
        case ["--parquet", path]:
            measure(from_parquet(path))
        case ["--peak", path, unit, limit]:
            peak(path, unit, limit)
        case given:
            sys.exit(main(int(given[0]) if given else ROWS))
