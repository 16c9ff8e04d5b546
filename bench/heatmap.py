"""Heatmaps: the sums against DuckDB's own two-level aggregate, and what follows the sums.

Every measurement of a file runs in a process of its own, all ways in turn, and the least of three
counts.

    python bench/heatmap.py               # 10 million check-ins of a million people
    python bench/heatmap.py 1000000       # a quick look
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import sfumato as sf
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.engine import Engine
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.plane import Plane
from sfumato.testing import measure_planned

ROWS = 10**7
ROWS_EACH = 10
BLOCK = 10**6
THREADS = 2
RUNS = 3
REPEATS = 5
SIDES = (2**8, 2**16)
EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
CROWDS = (10**3, 10**4, 10**5)
LON, LAT = (-74.4, -73.6), (40.4, 41.0)
UNIT = sf.PrivacyUnit.users("user")
DOMAIN = sf.Domain(lon=LON, lat=LAT)

MOST_TIME = 1.0
MOST_FINER = 1.5

# Rows per person, then weight per cell: floats, and nothing checked. Which spelling is faster
# depends on the number of cells, so the faster of the two counts.
_CELL = "CAST(least(floor(({column} - {low}) / {width} * {side}), {side} - 1) AS BIGINT)"
_X = _CELL.format(column="lon", low=LON[0], width=LON[1] - LON[0], side="{side}")
_Y = _CELL.format(column="lat", low=LAT[0], width=LAT[1] - LAT[0], side="{side}")
_WINDOW = f"lon BETWEEN {LON[0]} AND {LON[1]} AND lat BETWEEN {LAT[0]} AND {LAT[1]}"
_AGGREGATE = f"""
    WITH people AS (
        SELECT "user", CAST(1 AS DOUBLE) / count(*) AS share
        FROM read_parquet('{{path}}') GROUP BY "user"
    ), cells AS (
        SELECT "user", {{cell}} FROM read_parquet('{{path}}') WHERE {_WINDOW}
    )
    SELECT {{names}}, sum(share) FROM cells JOIN people USING ("user") GROUP BY {{names}}
"""
SPELLINGS = {
    "SQL, one key": (f"{_X} * {{side}} + {_Y} AS cell", "cell"),
    "SQL, two keys": (f"{_X} AS i, {_Y} AS j", "i, j"),
}


def table(rows: int, generator: np.random.Generator) -> pa.Table:
    """Return check-ins around five hundred places; a few people have many of them."""
    people = max(1, rows // ROWS_EACH)
    centres = generator.normal(0, 1, (500, 2))
    near = centres[(generator.random(rows) ** 3 * 500).astype(int)]
    where = near + generator.normal(0, 0.15, (rows, 2))
    whose = generator.permutation(people)[(generator.random(rows) ** 2 * people).astype(int)]
    lon, lat = -74 + 0.1 * where[:, 0], 40.7 + 0.08 * where[:, 1]
    return pa.table({"user": whose, "lon": lon, "lat": lat})


def write(folder: Path, rows: int) -> dict[str, Path]:
    """Write one table twice: with whole numbers for people, and with texts."""
    paths = {"integer": folder / "integer.parquet", "text": folder / "text.parquet"}
    found = table(rows, np.random.default_rng(0))
    pq.write_table(found, paths["integer"], row_group_size=BLOCK)
    digits = pc.utf8_lpad(found.column("user").cast(pa.string()), 8, "0")
    texts = pc.binary_join_element_wise("user-", digits, "")
    pq.write_table(found.set_column(0, "user", texts), paths["text"], row_group_size=BLOCK)
    return paths


def by_masses(path: str, side: int) -> object:
    plane = Plane(Grid("lon", DOMAIN.bounds("lon"), side), Grid("lat", DOMAIN.bounds("lat"), side))
    return DuckEngine(path, threads=THREADS).masses(plane, UNIT)


def by_heatmap(path: str, side: int) -> object:
    bounds = {"lon": LON, "lat": LAT}
    return sf.heatmap(path, x="lon", y="lat", bounds=bounds, resolution=side, unit=UNIT, budget=1.0)


def by_query(spelling: str) -> Callable[[str, int], object]:
    import duckdb

    cell, names = SPELLINGS[spelling]

    def ask(path: str, side: int) -> object:
        query = _AGGREGATE.format(path=path, cell=cell.format(side=side), names=names)
        with duckdb.connect(config={"threads": THREADS}) as database:
            return database.sql(query).fetchnumpy()

    return ask


WAYS: dict[str, Callable[[str, int], object]] = {
    "sums": by_masses,
    "heatmap": by_heatmap,
    **{spelling: by_query(spelling) for spelling in SPELLINGS},
}


def measure(way: str, path: str, side: int) -> None:
    """Print what one answer costs; what it imports is loaded before."""
    WAYS[way](path + ".warm.parquet", side)
    cpu, wall = time.process_time(), time.perf_counter()
    WAYS[way](path, side)
    print(json.dumps({"wall": time.perf_counter() - wall, "CPU": time.process_time() - cpu}))


def measured(way: str, path: Path, side: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", way, str(path), str(side)]
    return json.loads(subprocess.check_output(command))


def verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def against_queries(rows: int) -> bool:
    """Sums and whole heatmaps of a file, beside the faster query.

    The usual resolution decides; at the finer one nearly every row has a cell of its own.
    """
    people = rows // ROWS_EACH
    print(f"{rows:,} check-ins of {people:,} people in Parquet, {THREADS} threads: seconds")
    print(f"{'ids':>8} {'side':>7} {'':>5} {'SQL':>7} {'sums':>7} {'ratio':>6}", end="")
    print(f" {'heatmap':>8} {'ratio':>6}")
    ratios: dict[int, list[dict[str, float]]] = {side: [] for side in SIDES}
    with TemporaryDirectory() as folder:
        for ids, path in write(Path(folder), rows).items():
            pq.write_table(pq.read_table(path).slice(0, 1000), f"{path}.warm.parquet")
            for side in SIDES:
                ratios[side].append(_compared(ids, path, side))
    met = True
    for way in ("sums", "heatmap"):
        worst = max(ratio[way] for ratio in ratios[SIDES[0]])
        met &= worst <= MOST_TIME
        print(f"  target: {way} in at most {MOST_TIME:g} times the wall time of SQL, ", end="")
        print(f"{SIDES[0]} cells a side: ", end="")
        print(f"{worst:.2f}, {verdict(worst <= MOST_TIME)}")
    return met


def _compared(ids: str, path: Path, side: int) -> dict[str, float]:
    runs = [{way: measured(way, path, side) for way in WAYS} for _ in range(RUNS)]
    ratios: dict[str, dict[str, float]] = {}
    for clock in ("wall", "CPU"):
        best = {way: min(run[way][clock] for run in runs) for way in WAYS}
        query = min(best[spelling] for spelling in SPELLINGS)
        ratios[clock] = {way: best[way] / query for way in ("sums", "heatmap")}
        print(
            f"{ids:>8} {side:>7,} {clock:>5} {query:>7.2f} "
            f"{best['sums']:>7.2f} {ratios[clock]['sums']:>6.2f} "
            f"{best['heatmap']:>8.2f} {ratios[clock]['heatmap']:>6.2f}",
            flush=True,
        )
    return ratios["wall"]


class Given:
    """An engine that knows its answer, to time what follows."""

    def __init__(self, exact: Exact) -> None:
        self._exact = exact

    def masses(self, *_: object) -> Exact:
        return self._exact


def after_the_sums(people: int, side: int, epsilon: float) -> tuple[Callable[[], object], int]:
    """Return the work that follows the sums, and the number of squares it releases."""
    chart = sf.Heatmap(x="lon", y="lat", resolution=side)
    plan = chart.plan(DOMAIN, UNIT, sf.Budget(epsilon=epsilon))
    rows = table(people * ROWS_EACH, np.random.default_rng(people))
    given = cast(Engine, Given(DuckEngine(rows).masses(plan.plane, UNIT)))
    return lambda: measure_planned(chart, given, plan), measure_planned(
        chart, given, plan
    ).leaves.mass.size


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def in_turn(*works: Callable[[], object]) -> list[float]:
    """Return the median time of each, measured in turn after one run that does not count."""
    times = [[seconds(work) for work in works] for _ in range(REPEATS + 1)]
    return [statistics.median(column) for column in zip(*times[1:], strict=True)]


def any_resolution() -> bool:
    """What follows the sums, at the finest resolution and at the usual one."""
    print("After the sums, ε = 1: milliseconds and squares")
    print(f"{'people':>10} {'2^8':>8} {'':>8} {'2^20':>8} {'':>8} {'ratio':>6} {'a square':>9}")
    worst = 0.0
    for people in CROWDS:
        (coarse, few), (fine, many) = (after_the_sums(people, side, 1.0) for side in (2**8, 2**20))
        usual, finest = in_turn(coarse, fine)
        ratio = finest / usual
        worst = max(worst, ratio)
        print(
            f"{people:>10,} {usual * 1e3:>8.0f} {few:>8,} {finest * 1e3:>8.0f} {many:>8,} "
            f"{ratio:>6.2f} {ratio * few / many:>9.2f}",
            flush=True,
        )
    print(f"  target: at most {MOST_FINER} times: {worst:.2f}, {verdict(worst <= MOST_FINER)}")
    return worst <= MOST_FINER


def by_epsilon() -> None:
    """What follows the sums, by ε."""
    print("After the sums, 2^8 cells a side: milliseconds and squares, by ε")
    print(f"{'people':>10}" + "".join(f" {epsilon:>15g}" for epsilon in EPSILONS))
    for people in CROWDS:
        line = f"{people:>10,}"
        for epsilon in EPSILONS:
            work, squares = after_the_sums(people, 2**8, epsilon)
            (taken,) = in_turn(work)
            line += f" {taken * 1e3:>7.0f} {squares:>7,}"
        print(line, flush=True)


def main(rows: int) -> int:
    met = [against_queries(rows), any_resolution()]
    by_epsilon()
    return 0 if all(met) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else ROWS))
