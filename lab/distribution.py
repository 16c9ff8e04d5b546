"""How far off a distribution is, and how often its bands hold the whole curve.

By size, ε and distribution: columns that constants were chosen by, with bounds up to a hundred
times too wide, atoms and ties, with a step that is known and without, and others that were not
looked at; some of both are of real tables, whose types tell the step, where SFUMATO_DATA names
their folder. The largest error of a cumulated count is printed beside those of two peers of the
same run, both on 4,096 bins and made to rise: a histogram that is cumulated, and a tree of 16
branches that is fitted by least squares. Noise is simulated: nothing here is private.

    python lab/distribution.py                # some minutes
    python lab/distribution.py --repeats 30
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
from sfumato.postprocess.cumulated import make_rising
from sfumato.releases.distribution.line import FittedLine
from sfumato.testing import measure_planned, seeded

Draw = Callable[[np.random.Generator, int], np.ndarray]

BINS = 4096
BRANCHES = 16
ROWS = sf.PrivacyUnit.rows()
SIZES = (1000, 10_000, 100_000)
EPSILONS = (1.0, 0.1)
CELLS = 2**20


@dataclass(frozen=True)
class Column:
    """A distribution, and what is declared about it."""

    name: str
    draw: Draw
    bounds: tuple[float, float]
    decides: bool = False
    step: float | None = None
    known: bool = True
    """Whether constants were chosen by it."""


def _draw_gamma(generator: np.random.Generator, size: int) -> np.ndarray:
    return generator.gamma(2.0, 1.0, size)


def _draw_peaks(generator: np.random.Generator, size: int) -> np.ndarray:
    side = generator.integers(0, 2, size) * 6.0 - 3.0
    return side + generator.normal(0, 0.5, size)


COLUMNS = (
    Column("gamma(2)", _draw_gamma, (0, 12), decides=True),
    Column("gamma(2), bounds ×10", _draw_gamma, (0, 120)),
    Column("gamma(2), bounds ×100", _draw_gamma, (0, 1200)),
    Column("lognormal 1.5", lambda g, n: g.lognormal(0, 1.5, n), (0, 200)),
    Column("Pareto 1.2", lambda g, n: g.pareto(1.2, n), (0, 1000)),
    Column("uniform", lambda g, n: g.random(n), (0, 1)),
    Column("two peaks", _draw_peaks, (-6, 6)),
    Column("60 % zeros", lambda g, n: np.where(g.random(n) < 0.6, 0, g.gamma(2, 1, n)), (0, 12)),
    Column("fives, step unknown", lambda g, n: 5 * np.round(g.gamma(2, 2, n)), (0, 120)),
    Column("fives", lambda g, n: 5 * np.round(g.gamma(2, 2, n)), (0, 120), step=5),
)

HELD_OUT = (
    Column("Weibull 0.7", lambda g, n: g.weibull(0.7, n), (0, 60), known=False),
    Column("normal, bounds ×30", lambda g, n: g.normal(0, 1, n), (-120, 120), known=False),
    Column("tens, step unknown", lambda g, n: 10.0 * g.poisson(3, n), (0, 1000), known=False),
)

REAL = (
    ("adult_census.parquet", "age", (0, 120)),
    ("adult_census.parquet", "capital_gain", (0, 100_000)),
    ("airbnb_nyc_2019.parquet", "price", (0, 2000)),
    ("dry_bean.parquet", "Area", (0, 500_000)),
)
"""Tables, columns and ranges that somebody who knows them would declare."""

REAL_HELD_OUT = (
    ("adult_census.parquet", "fnlwgt", (0, 2_000_000)),
    ("adult_census.parquet", "hours_per_week", (0, 120)),
    ("airbnb_nyc_2019.parquet", "minimum_nights", (0, 1500)),
    ("airbnb_nyc_2019.parquet", "number_of_reviews", (0, 1000)),
    ("brightkite_300users_checkins.parquet", "lat", (-90, 90)),
    ("dry_bean.parquet", "Eccentricity", (0, 1)),
    ("osie_eye_fixations.parquet", "duration_ms", (0, 10_000)),
    ("pendigits.parquet", "x3", (0, 100)),
    ("salicon_gaze.parquet", "x", (0, 640)),
)
"""Others, that no constant was chosen by."""


class Drawn:
    """An engine of one column, without the time that a table takes."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values

    def counts(self, keys: Sequence[Grid], unit: sf.PrivacyUnit) -> Exact:
        (grid,) = keys
        cells, counts = np.unique(
            cells_of(self._values, grid.bounds, grid.cells), return_counts=True
        )
        return Exact(1, 1, unit.step, counts.astype(np.int64), _places=cells)


def cells_of(values: np.ndarray, bounds: sf.Bounds, cells: int) -> np.ndarray:
    """Return the cell of each value."""
    places = np.floor((values - bounds.lower) / bounds.width * cells)
    return np.clip(places, 0, cells - 1).astype(np.int64)


def draw_laplace(generator: np.random.Generator, epsilon: float, size: int) -> np.ndarray:
    """Draw discrete Laplace noise."""
    success = -np.expm1(-epsilon)
    one, other = (generator.geometric(success, size) for _ in range(2))
    return (one - other).astype(np.float64)


def cumulate(counts: np.ndarray) -> np.ndarray:
    """Return cumulated counts that rise from 0."""
    return np.maximum(make_rising(np.concatenate([[0.0], np.cumsum(counts)])), 0.0)


def fit_histogram(counts: np.ndarray, epsilon: float, generator: np.random.Generator) -> np.ndarray:
    """Return the cumulated noisy histogram."""
    return cumulate(counts + draw_laplace(generator, epsilon, counts.size))


def fit_tree(counts: np.ndarray, epsilon: float, generator: np.random.Generator) -> np.ndarray:
    """Return cumulated counts of a tree, each level with as much of ε, by least squares."""
    depth = round(math.log(counts.size, BRANCHES))
    levels = [counts.reshape(BRANCHES**level, -1).sum(axis=1) for level in range(1, depth + 1)]
    noisy = [each + draw_laplace(generator, epsilon / depth, each.size) for each in levels]
    mean, variance = noisy[-1], 1.0
    sums: list[np.ndarray] = []
    for each in reversed(noisy[:-1]):
        sums.append(mean.reshape(-1, BRANCHES).sum(axis=1))
        share = 1 / (1 + BRANCHES * variance)
        mean = sums[-1] + (each - sums[-1]) * (1 - share)
        noisy[len(noisy) - 1 - len(sums)], variance = mean, BRANCHES * variance * share
    fitted = noisy[0]
    for each, total in zip(noisy[1:], reversed(sums), strict=True):
        fitted = each + np.repeat((fitted - total) / BRANCHES, BRANCHES)
    return cumulate(fitted)


@dataclass(frozen=True)
class Seen:
    """Mean largest errors in rows, how often bands held the whole curve, and their half widths."""

    ours: float
    histogram: float
    tree: float
    held: float
    told: float
    half_width: float


def simulate(column: Column, size: int, epsilon: float, repeats: int) -> Seen:
    """Release the distribution of fresh samples, and compare it with the sample's own."""
    chart, bounds = sf.Distribution("x", step=column.step), sf.Bounds.of(column.bounds)
    plan = chart.plan(sf.Domain(x=column.bounds), ROWS, sf.Budget(epsilon))
    generator, seen = np.random.default_rng(7), []
    for repeat in range(repeats):
        values = column.draw(generator, size)
        with seeded(repeat):
            line = measure_planned(chart, Drawn(values), plan).lines[0]
        counts = np.bincount(cells_of(values, bounds, BINS), minlength=BINS)
        truth = np.concatenate([[0], np.cumsum(counts)])
        edges = np.linspace(bounds.lower, bounds.upper, BINS + 1)
        ours = read_masses(line, edges)
        peers = [fit(counts, epsilon, generator) for fit in (fit_histogram, fit_tree)]
        errors = [abs(each - truth).max() for each in (ours, *peers)]
        width = float((line.band.high - line.band.low).max()) / 2
        seen.append([*errors, holds(line, values), line.reliable, width])
    table = np.array(seen, dtype=np.float64)
    told = table[table[:, 4] > 0]
    held = float(told[:, 3].mean()) if len(told) else math.nan
    return Seen(
        *table[:, :3].mean(axis=0), held, float(table[:, 4].mean()), float(table[:, 5].mean())
    )


def read_masses(line: FittedLine, edges: np.ndarray) -> np.ndarray:
    """Return how much lies below each edge, and in all up to the last."""
    if line.spacing is None:
        return np.interp(edges, line.places, line.masses)
    cuts = np.append(line.find_cuts(edges[:-1]), line.grid.cells)
    return np.interp(cuts, line.cuts, line.masses)


def holds(line: FittedLine, values: np.ndarray) -> bool:
    """Tell whether a band holds the whole curve of the rows themselves."""
    cells = np.sort(cells_of(values, line.grid.bounds, line.grid.cells))
    shares = np.searchsorted(cells, line.fit.knots[line.chosen]) / len(values)
    return bool(((shares >= line.band.low) & (shares <= line.band.high)).all())


def read_real() -> list[Column]:
    """Return the columns of real tables that are there, and say which are not."""
    columns: list[Column] = []
    folder = os.environ.get("SFUMATO_DATA")
    for path, name, bounds in (*REAL, *REAL_HELD_OUT):
        place = Path(folder or "") / path
        if folder is None or not place.is_file():
            print(f"missing without SFUMATO_DATA: {path}")
            continue
        read = pq.read_table(place, columns=[name])[name].to_numpy()
        step = 1.0 if read.dtype.kind in "iu" else None
        values = read.astype(np.float64)
        values = values[np.isfinite(values)]
        known = (path, name, bounds) in REAL
        label = f"{Path(path).stem}.{name}"
        columns.append(Column(label, _resample(values), bounds, step=step, known=known))
    return columns


def _resample(values: np.ndarray) -> Draw:
    return lambda generator, size: generator.choice(values, size, replace=size > values.size)


def print_means(ratios: dict[tuple[bool, int, float], list[tuple[float, float]]]) -> None:
    """Print geometric means of ratios, of columns that constants were chosen by and of others."""
    for (known, size, epsilon), found in sorted(ratios.items(), key=lambda each: not each[0][0]):
        histogram, tree = np.exp(np.log(found).mean(axis=0))
        above = sum(each > 0.4 for each, _ in found)
        print(
            f"{'chosen by' if known else 'held out'}, {len(found)} columns, {size:,} rows, "
            f"ε = {epsilon:g}: of the histogram {histogram:.2f}, of the tree {tree:.2f}; "
            f"{above} above 0.4 of the histogram, at most {max(found)[0]:.2f}; "
            f"of the tree at most {max(each for _, each in found):.2f}"
        )


def main(repeats: int) -> int:
    """Print the table, and what it demands."""
    demands: list[Demand] = []
    print(f"{'column':24} {'ε':>4} {'rows':>7} {'ours':>7} {'hist.':>7} {'tree':>7} "
          f"{'of hist.':>8} {'of tree':>8} {'held':>5} {'told':>5} {'± share':>8}")  # fmt: skip
    held: list[float] = []
    ratios: dict[tuple[bool, int, float], list[tuple[float, float]]] = {}
    for column in (*COLUMNS, *HELD_OUT, *read_real()):
        for epsilon in EPSILONS:
            for size in SIZES:
                seen = simulate(column, size, epsilon, repeats)
                by_histogram, by_tree = seen.ours / seen.histogram, seen.ours / seen.tree
                print(
                    f"{column.name:24} {epsilon:4g} {size:7,} {seen.ours:7.0f} "
                    f"{seen.histogram:7.0f} {seen.tree:7.0f} {by_histogram:8.2f} {by_tree:8.2f} "
                    f"{seen.held:5.2f} {seen.told:5.2f} {seen.half_width:8.4f}",
                    flush=True,
                )
                held += [seen.held] * (not math.isnan(seen.held))
                ratios.setdefault((column.known, size, epsilon), []).append((by_histogram, by_tree))
                if column.decides:
                    what = f"{column.name}, ε = {epsilon:g}, {size:,} rows"
                    demands.append(Demand(f"{what}: of the histogram", by_histogram, 0.45))
                    demands.append(Demand(f"{what}: of the tree", by_tree, 1.1))
                    if size * epsilon <= 10_000:
                        aim = Demand(f"{what}: of the tree, aimed at", by_tree, 0.6, decides=False)
                        demands.append(aim)
    print_means(ratios)
    print(f"bands held {np.mean(held):.3f} of all curves; 0.95 is stated")
    demands.append(Demand("distance of coverage from 0.95", abs(float(np.mean(held)) - 0.95), 0.03))
    print("\n".join(map(str, demands)))
    return int(not all(demand.met or not demand.decides for demand in demands))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    sys.exit(main(parser.parse_args().repeats))
