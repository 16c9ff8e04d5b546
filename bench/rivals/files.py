"""A boxplot of a file and DuckDB's GROUP BY on the same grid, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

LOWER, UPPER = 0.0, 100.0
CELLS = 2**20
BLOCK = 10**6

GROUP_BY = f"""
    SELECT least(CAST(floor(
        (least(greatest(x, CAST('{LOWER}' AS DOUBLE)), CAST('{UPPER}' AS DOUBLE))
         - CAST('{LOWER}' AS DOUBLE)) * {CELLS} / CAST('{UPPER - LOWER}' AS DOUBLE)
    ) AS BIGINT), {CELLS} - 1) AS cell, count(*) AS n
    FROM read_parquet(?) WHERE x IS NOT NULL AND NOT isnan(x) GROUP BY cell
"""


def write_file(path: Path, rows: int) -> None:
    """Write a column of floats, some NULL and some NaN, a million rows at a time."""
    generator = np.random.default_rng(0)
    with pq.ParquetWriter(path, pa.schema([("x", pa.float64())])) as writer:
        for start in range(0, rows, BLOCK):
            count = min(BLOCK, rows - start)
            values = generator.normal(50, 20, count)
            values[generator.random(count) < 0.01] = np.nan
            missing = generator.random(count) < 0.02
            column = pa.array(values, mask=missing, from_pandas=False)
            writer.write_table(pa.table({"x": column}))


def by_boxplot(path: str) -> object:
    import sfumato as sf

    return sf.boxplot(path, y="x", bounds=(LOWER, UPPER), budget=1.0)


def by_group(path: str) -> object:
    import duckdb

    with duckdb.connect() as database:
        return database.execute(GROUP_BY, [path]).fetchnumpy()


WAYS: dict[str, Callable[[str], object]] = {"boxplot": by_boxplot, "GROUP BY": by_group}


def measure_file(way: str, path: str) -> None:
    """Print what one answer costs; what it imports is loaded before."""
    WAYS[way](path + ".warm.parquet")
    cpu, wall = time.process_time(), time.perf_counter()
    WAYS[way](path)
    print(json.dumps({"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}))


def measured_file(way: str, path: Path) -> dict[str, float]:
    """Return what one answer costs in a fresh process."""
    command = [sys.executable, sys.argv[0], "--measure", way, str(path)]
    return json.loads(subprocess.check_output(command))
