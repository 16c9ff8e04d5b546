"""How often the 95 % intervals of quantiles hold the true quantile, and how wide they are.

By size, ε, distribution and method: smooth and heavy-tailed data, bounds from tight to a hundred
times too wide, whole numbers, heavy ties on a fine grid, groups too small to say anything, and
columns of real tables where SFUMATO_DATA names their folder. Noise is simulated: nothing here is
private.

    python lab/quantile_intervals.py                  # some ten minutes
    python lab/quantile_intervals.py --repeats 1000
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import sfumato as sf
from demands import Demand
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.testing import measure_planned, seeded

Draw = Callable[[np.random.Generator, int], np.ndarray]

REPEATS = 200
ROWS = sf.PrivacyUnit.rows()
QUARTILES, MEDIAN, TAILS = (0.25, 0.5, 0.75), (0.5,), (0.05, 0.95)
METHODS = ("joint", "jointexp", "approx", "single", "unbounded")
SIZES = (50, 200, 1000, 10_000)
LEAST_TOLD = 0.2  # a cell where fewer are told says little of those that are


@dataclass(frozen=True)
class Column:
    """A distribution, and what is declared about it."""

    name: str
    draw: Draw
    bounds: tuple[float, float]
    step: float | None = None
    tied: bool = False


COLUMNS = (
    Column("normal, ±50 σ", lambda g, n: g.normal(size=n), (-50, 50)),
    Column("exponential", lambda g, n: g.exponential(size=n), (0, 50)),
    Column("lognormal", lambda g, n: g.lognormal(0, 1.5, n), (0, 1e4)),
    Column("Pareto 1.2", lambda g, n: g.pareto(1.2, n), (0, 1e4)),
    Column("uniform", lambda g, n: g.random(n), (0, 1)),
    Column("uniform, bounds ×10", lambda g, n: g.random(n), (-4.5, 5.5)),
    Column("uniform, bounds ×100", lambda g, n: g.random(n), (-49.5, 50.5)),
    Column("Poisson, step=1", lambda g, n: g.poisson(30, n) + 0.0, (0, 240), 1, tied=True),
    Column("Poisson, no step", lambda g, n: g.poisson(30, n) + 0.0, (0, 240), tied=True),
    Column(
        "60 % zeros",
        lambda g, n: np.where(g.random(n) < 0.6, 0, g.exponential(20, n)),
        (0, 1000),
        tied=True,
    ),
    Column(
        "prices in fives", lambda g, n: 5 * np.round(g.lognormal(3, 0.7, n)), (0, 1e4), tied=True
    ),
)


class Drawn:
    """An engine of one column, without the time that a table takes."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values

    def counts(self, keys: Sequence[Grid], unit: sf.PrivacyUnit) -> Exact:
        (grid,) = keys
        counts = np.bincount(cells_of(self._values, grid), minlength=grid.cells)
        return Exact(1, 1, unit.step, counts.astype(np.int64))


def cells_of(values: np.ndarray, grid: Grid) -> np.ndarray:
    """Return the cell of each value."""
    clipped = np.clip(values, grid.bounds.lower, grid.bounds.upper)
    places = np.floor((clipped - grid.bounds.lower) / grid.bounds.width * grid.cells)
    return np.clip(places.astype(np.int64), 0, grid.cells - 1)


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    column: Column
    size: int
    epsilon: float = 1.0
    method: str = "joint"
    q: tuple[float, ...] = QUARTILES


@dataclass(frozen=True)
class Seen:
    """What came of the repeats of one cell of the table, for each of its levels."""

    told: np.ndarray
    held: np.ndarray
    half_width: np.ndarray
    error: np.ndarray

    @property
    def coverage(self) -> float:
        """How often an interval that is told holds its quantile."""
        return float(self.held[self.told].mean()) if self.told.any() else math.nan

    @property
    def half_width_in_ranks(self) -> float:
        """The median half width of those that are told."""
        return float(np.median(self.half_width[self.told])) if self.told.any() else math.nan


def simulate(case: Case, repeats: int) -> Seen:
    """Release the quantiles of fresh samples, and compare them with those of the sample."""
    column = case.column
    chart = sf.Quantiles("x", case.q, method=case.method, step=column.step)
    plan = chart.plan(sf.Domain(x=column.bounds), ROWS, sf.Budget(case.epsilon))
    generator, seen = np.random.default_rng(7), []
    with seeded(7):
        for _ in range(repeats):
            values = column.draw(generator, case.size)
            release = measure_planned(chart, Drawn(values), plan)
            seen.append(_compared(release, values, case.q))
    told, held, half_width, error = np.array(seen).transpose(1, 0, 2)
    return Seen(told.astype(bool), held.astype(bool), half_width, error)


def _compared(
    release: sf.QuantilesRelease, values: np.ndarray, q: Sequence[float]
) -> list[np.ndarray]:
    grid = release.value
    cells = np.sort(cells_of(values, grid))
    ranks = np.maximum(np.ceil(np.array(q) * cells.size - 1e-9).astype(int), 1) - 1
    half = 0.0 if release.step else 0.5 * grid.bounds.width / grid.cells
    low, high, slack = np.array(release.low), np.array(release.high), half + 1e-9
    truth = grid.edge(cells[ranks] + 0.5) if cells.size else np.full(len(q), math.nan)
    held = (low <= truth + slack) & (truth - slack <= high)
    ends = [np.searchsorted(grid.edge(cells + 0.5), end) for end in (low - slack, high + slack)]
    chosen = np.array(release.cells)
    below, upto = (np.searchsorted(cells, chosen, side) for side in ("left", "right"))
    error = np.abs((below + upto) / 2 - np.array(q) * cells.size)
    return [np.array(release.reliable), held, (ends[1] - ends[0]) / 2, error]


def real_columns() -> list[Column]:
    """Return columns of real tables, each a population to draw rows from."""
    folder = os.environ.get("SFUMATO_DATA")
    if not folder:
        print("Real columns are left out: SFUMATO_DATA names the folder of their tables.\n")
        return []
    asked = (
        ("adult_census", "age", (17, 90), 1),
        ("adult_census", "hours_per_week", (1, 99), 1),
        ("airbnb_nyc_2019", "price", (0, 10_000), 1),
        ("airbnb_nyc_2019", "price", (0, 10_000), None),
        ("airbnb_nyc_2019", "longitude", (-80, -70), None),
    )
    return [
        Column(f"{name} of {table[:6]}{', step=1' if step else ''}", _rows(folder, table, name),
               bounds, step, tied=name != "longitude")
        for table, name, bounds, step in asked
    ]  # fmt: skip


def _rows(folder: str, table: str, name: str) -> Draw:
    path = Path(folder) / f"{table}.parquet"
    names = {column.lower().replace("-", "_").replace(".", "_"): column
             for column in pq.read_schema(path).names}  # fmt: skip
    found = pq.read_table(path, columns=[names[name]]).column(0)
    values = found.to_numpy(zero_copy_only=False).astype(np.float64)
    values = values[~np.isnan(values)]
    return lambda generator, size: generator.choice(values, size)


def show(case: Case, seen: Seen) -> None:
    """Print one row of the table."""
    print(
        f"{case.column.name:<32} {case.size:>6} {case.epsilon:>5g} {case.method:<10}"
        f" {len(case.q):>2} {seen.told.mean():>6.2f} {seen.coverage:>9.3f}"
        f" {seen.half_width_in_ranks * case.epsilon:>9.1f}"
        f" {seen.error.mean() * case.epsilon:>8.1f}",
        flush=True,
    )


def cases() -> list[Case]:
    """Return what to try: every column with our method, some columns with every method."""
    every = [*COLUMNS, *real_columns()]
    some = (COLUMNS[0], COLUMNS[2], COLUMNS[9])
    return [
        *(Case(column, size) for column in every for size in SIZES),
        *(Case(column, n, q=q) for column in every for n in (200, 2000) for q in (MEDIAN, TAILS)),
        *(Case(column, 5000, 0.1) for column in COLUMNS),
        *(Case(column, 200, 5.0) for column in COLUMNS),
        *(
            Case(column, size, method=method)
            for method in METHODS[1:]
            for column in some
            for size in (200, 2000)
        ),
    ]


def demands(found: list[tuple[Column, Seen]]) -> list[Demand]:
    """Return what the table must show."""
    telling = [(column, seen) for column, seen in found if seen.told.mean() >= LEAST_TOLD]

    def pooled(*, tied: bool) -> float:
        held = [seen.held[seen.told] for column, seen in telling if column.tied == tied]
        return float(np.concatenate(held).mean())

    # One cell in a thousand of its kind may lie further out by chance.
    lowest, where = min(
        (seen.coverage + 3.1 * math.sqrt(0.95 * 0.05 / max(seen.told.sum(), 1)), column.name)
        for column, seen in telling
    )
    untied = abs(pooled(tied=False) - 0.95)
    return [
        # Bins are coarse beside few rows, and their ends are taken: more than 0.97 at 200 rows.
        Demand("how far all intervals of untied data are from 0.95", untied, 0.03),
        Demand("how far those of tied data fall short of 0.95", 0.95 - pooled(tied=True), 0.02),
        Demand(f"how far one row surely falls short of 0.93 ({where})", 0.93 - lowest, 0.0),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the coverage of quantile intervals.")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    repeats = parser.parse_args().repeats
    print(f"{'column':<32} {'rows':>6} {'ε':>5} {'method':<10} {'q':>2}", end="")
    print(f" {'told':>6} {'coverage':>9} {'± ranks·ε':>9} {'error·ε':>8}")
    found: list[tuple[Column, Seen]] = []
    for case in cases():
        seen = simulate(case, repeats)
        show(case, seen)
        found.append((case.column, seen))
    verdicts = demands(found)
    print(*verdicts, sep="\n")
    return 0 if all(demand.met for demand in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
