"""Histograms of Parquet files: CPU time and memory against DuckDB's own GROUP BY.

Every measurement runs in a process of its own, the two in turn, and the least of three counts.

    python bench/histogram.py             # 10 and 100 million rows
    python bench/histogram.py 1000000     # a quick look
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = (10**7, 10**8)
CELLS = (20, 200, 4096)
LOWER, UPPER = 0.0, 100.0
THREADS = 2
REPEATS = 3
MOST_RATIO = 0.7
MOST_MEMORY = 10**9

GROUP_BY = """
    SELECT least(CAST(floor(
        (least(greatest(x, CAST('{lower}' AS DOUBLE)), CAST('{upper}' AS DOUBLE))
         - CAST('{lower}' AS DOUBLE)) * {cells} / CAST('{width}' AS DOUBLE)
    ) AS BIGINT), {cells} - 1) AS cell, count(*) AS n
    FROM read_parquet('{path}') WHERE x IS NOT NULL AND NOT isnan(x) GROUP BY cell
"""


def write(path: Path, rows: int) -> None:
    """Write a column of floats, some NULL and some NaN, a million rows at a time."""
    generator = np.random.default_rng(0)
    with pq.ParquetWriter(path, pa.schema([("x", pa.float64())])) as writer:
        for start in range(0, rows, 10**6):
            count = min(10**6, rows - start)
            values = generator.normal(50, 20, count)
            values[generator.random(count) < 0.01] = np.nan
            missing = generator.random(count) < 0.02
            column = pa.array(values, mask=missing, from_pandas=False)
            writer.write_table(pa.table({"x": column}))


def by_engine(path: str, cells: int) -> list[int]:
    from sfumato.domain import Bounds
    from sfumato.engines.dispatch import DuckEngine
    from sfumato.grid import Grid
    from sfumato.privacy.guarantee import PrivacyUnit

    grid = Grid("x", Bounds(LOWER, UPPER), cells)
    exact = DuckEngine(path, threads=THREADS).counts([grid], PrivacyUnit.rows())
    return exact.reveal().tolist()


def by_group(path: str, cells: int) -> list[int]:
    import duckdb

    query = GROUP_BY.format(path=path, cells=cells, lower=LOWER, upper=UPPER, width=UPPER - LOWER)
    with duckdb.connect(config={"threads": THREADS}) as database:
        found = dict(database.sql(query).fetchall())
    return [found.get(cell, 0) for cell in range(cells)]


WAYS: dict[str, Callable[[str, int], list[int]]] = {"engine": by_engine, "GROUP BY": by_group}


def measure(way: str, path: str, cells: int) -> None:
    """Print what one query costs and answers; what it imports is loaded before."""
    WAYS[way](path + ".warm.parquet", cells)
    cpu, wall = time.process_time(), time.perf_counter()
    answer = WAYS[way](path, cells)
    cost = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({**cost, "memory": memory, "answer": answer}))


def measured(way: str, path: Path, cells: int) -> dict[str, float | list[int]]:
    command = [sys.executable, __file__, "--measure", way, str(path), str(cells)]
    return json.loads(subprocess.check_output(command))


def compare(path: Path, rows: int, cells: int) -> bool:
    """Print one line of the table, and tell whether the targets are met."""
    runs = {way: [] for way in WAYS}
    for _ in range(REPEATS):
        for way in WAYS:
            runs[way].append(measured(way, path, cells))
    best = {way: min(run["cpu"] for run in runs[way]) / rows * 1e9 for way in WAYS}
    wall = {way: min(run["wall"] for run in runs[way]) / rows * 1e9 for way in WAYS}
    memory = max(run["memory"] for run in runs["engine"])
    equal = runs["engine"][0]["answer"] == runs["GROUP BY"][0]["answer"]
    ratio = best["engine"] / best["GROUP BY"]
    print(
        f"{rows:>11,} {cells:>6,} {best['engine']:>8.1f} {best['GROUP BY']:>9.1f} {ratio:>6.2f}"
        f" {wall['engine']:>8.1f} {wall['GROUP BY']:>9.1f} {memory / 1e6:>7,.0f} MB"
        f"  {'equal' if equal else 'DIFFERENT'}",
        flush=True,
    )
    return equal and ratio <= MOST_RATIO and memory < MOST_MEMORY


def main(sizes: list[int]) -> int:
    print(f"{'':18} {'CPU ns/row':^25} {'wall ns/row':^18} {'memory':>10}")
    print(f"{'rows':>11} {'cells':>6} {'engine':>8} {'GROUP BY':>9} {'ratio':>6}", end="")
    print(f" {'engine':>8} {'GROUP BY':>9} {'engine':>10}  counts")
    met = True
    for rows in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "table.parquet")
            write(path, rows)
            write(Path(f"{path}.warm.parquet"), 1000)
            for cells in CELLS:
                met &= compare(path, rows, cells)
    print(
        f"Targets: ratio at most {MOST_RATIO}, memory below {MOST_MEMORY / 1e6:,.0f} MB: ", end=""
    )
    print("met" if met else "MISSED")
    return 0 if met else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        sys.exit(main([int(size) for size in sys.argv[1:]] or list(ROWS)))
