"""Boxplots against what else could be done: an FFT, DuckDB's GROUP BY, one pass per group.

python bench/boxplot.py               # with files of 10 and 100 million rows
python bench/boxplot.py 1000000       # a quick look
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args
from unittest.mock import patch

import numpy as np
import pyarrow as pa

import sfumato as sf
from rivals.files import measure_file, measured_file, write_file
from rivals.fourier import joint_by_fourier
from sfumato.engines.dispatch import DuckEngine
from sfumato.exact import Exact
from sfumato.mechanisms.joint import Score, joint
from sfumato.testing import metered

ROWS = (10**7, 10**8)
RAW = 10**6
OCCUPIED = 2**16
GROUPS = 1000
REPEATS = 9
RUNS = 3
QUARTILES = (0.25, 0.5, 0.75)
BOUNDS = (-50.0, 50.0)

LEAST_SPEEDUP = 10
MOST_SECONDS = 0.020
MOST_CPU = 1.0


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def in_turn(*works: Callable[[], object]) -> list[float]:
    """Return the median time of each, measured in turn after one run that does not count."""
    times = [[seconds(work) for work in works] for _ in range(REPEATS + 1)]
    return [statistics.median(column) for column in zip(*times[1:], strict=True)]


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def against_fourier() -> bool:
    """One boxplot of raw values in memory, and the three quartiles alone by FFT."""
    generator = np.random.default_rng(0)
    values = generator.standard_normal(RAW)
    table = pa.table({"value": values})
    ours, theirs = in_turn(
        lambda: sf.boxplot(table, y="value", bounds=BOUNDS, budget=1.0),
        lambda: joint_by_fourier(values, QUARTILES, BOUNDS, 0.5, generator),
    )
    _, weights = joint_by_fourier(values, QUARTILES, BOUNDS, 0.5, generator)
    met = theirs / ours >= LEAST_SPEEDUP
    print(f"{RAW:,} raw values: boxplot {ours * 1e3:.1f} ms, FFT JointExp {theirs * 1e3:.0f} ms")
    print(
        f"  its FFTs gave {100 * weights.zeros:.0f} % of the entries they filled no weight at all"
    )
    print(f"  target: at least {LEAST_SPEEDUP} times faster: {theirs / ours:.1f}, {verdict(met)}")
    return met


def occupied_cells() -> bool:
    """JointExp by itself, where every cell is occupied, and where one in sixteen is."""
    generator = np.random.default_rng(0)
    counts = 1 + generator.poisson(50, OCCUPIED)
    sparse = np.zeros(16 * OCCUPIED, dtype=np.int64)
    sparse[generator.choice(sparse.size, OCCUPIED, replace=False)] = counts
    met = True
    for found in (counts, sparse):
        exact = Exact(1, 1, 1.0, _values=found[None, :].astype(np.int64))
        for score in get_args(Score):
            (ours,) = in_turn(lambda e=exact, s=score: _joint(e, s))
            met &= ours <= MOST_SECONDS
            print(
                f"{OCCUPIED:,} occupied cells of {found.size:,}: JointExp, {score} score, "
                f"{ours * 1e3:.1f} ms"
            )
    print(f"  target: at most {MOST_SECONDS * 1e3:.0f} ms, {verdict(met)}")
    return met


def _joint(exact: Exact, score: Score) -> object:
    levels = [Fraction(level) for level in QUARTILES]
    return metered(joint, exact, levels=levels, epsilon=Fraction(1, 2), score=score)


def against_group_by(rows: int) -> bool:
    """A boxplot of a Parquet file, and DuckDB's counts on the same grid; the least of three."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.parquet")
        write_file(path, rows)
        write_file(Path(f"{path}.warm.parquet"), 1000)
        runs = [
            (measured_file("boxplot", path), measured_file("GROUP BY", path)) for _ in range(RUNS)
        ]
    ours, theirs = (
        {name: min(run[side][name] for run in runs) / rows * 1e9 for name in ("cpu", "wall")}
        for side in (0, 1)
    )
    ratio = ours["cpu"] / theirs["cpu"]
    print(
        f"{rows:,} rows of Parquet: boxplot {ours['cpu']:.1f} ns of CPU a row "
        f"({ours['wall']:.1f} wall), "
        f"GROUP BY {theirs['cpu']:.1f} ({theirs['wall']:.1f})"
    )
    print(f"  target: no more CPU: {ratio:.2f} of it, {verdict(ratio <= MOST_CPU)}")
    return ratio <= MOST_CPU


def many_groups() -> bool:
    """A thousand groups, and one: passes over the data, and time."""
    generator = np.random.default_rng(0)
    values, groups = generator.standard_normal(RAW), generator.integers(0, GROUPS, RAW)
    table = pa.table({"value": values, "group": groups})
    order = list(range(GROUPS))

    def one() -> object:
        return sf.boxplot(table, y="value", bounds=BOUNDS, budget=1.0)

    def many() -> object:
        return sf.boxplot(table, x="group", y="value", order=order, bounds=BOUNDS, budget=1.0)

    with patch.object(DuckEngine, "counts", autospec=True, side_effect=DuckEngine.counts) as counts:
        many()
    passes = counts.call_count
    single, together = in_turn(one, many)
    print(
        f"{RAW:,} rows: one group {single * 1e3:.1f} ms, {GROUPS:,} groups {together * 1e3:.0f} ms"
    )
    print(f"  {together / GROUPS * 1e3:.2f} ms a group, {together / single:.1f} times one group")
    print(f"  target: one pass: {passes}, {verdict(passes == 1)}")
    return passes == 1


def main(sizes: list[int]) -> int:
    met = [against_fourier(), occupied_cells(), many_groups()]
    met += [against_group_by(rows) for rows in sizes]
    return 0 if all(met) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure_file(sys.argv[2], sys.argv[3])
    else:
        sys.exit(main([int(size) for size in sys.argv[1:]] or list(ROWS)))
