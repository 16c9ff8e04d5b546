"""How far off the densities of a pair plot are, and how often its intervals hold the truth.

Columns of real tables from the folder that SFUMATO_DATA names, 3 and 6 of them, 1,000 to 100,000
rows drawn with replacement, ε from 0.1 to 3, bounds at the least and greatest value or ten times as
wide. Beside ours stands the textbook's way at the same ε: for each pair a histogram of 32 × 32
equal bins with Laplace noise of its share, and counts below zero taken as zero; and ours before
pairs are made to agree. Errors are means over pairs against the exact density in 32 × 32 cells of
the middle 99.5 % of both columns: W1, the earth mover's distance averaged over eight directions, in
parts of the window, and TV, total variation. Noise is simulated: nothing here is private.

    python lab/pairs.py                # two minutes
    python lab/pairs.py --repeats 5
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import sfumato as sf
from demands import Demand
from sfumato.engines.dispatch import DuckEngine
from sfumato.releases.pairplot import REACH, PairplotRelease
from sfumato.testing import measure_planned, seeded

Floats = NDArray[np.float64]

ROWS = sf.PrivacyUnit.rows()
SIDE = 32
TABLES = (
    ("dry_bean", ("Area", "Perimeter", "MajorAxisLength", "Eccentricity", "Solidity", "roundness")),
    ("adult_census", ("age", "education_num", "hours_per_week", "fnlwgt", "capital_gain",
                      "capital_loss")),
    ("airbnb_nyc_2019", ("latitude", "longitude", "price", "minimum_nights", "number_of_reviews",
                         "availability_365")),
    ("pendigits", ()),
)  # fmt: skip
_DIRECTIONS = np.arange(8) * math.pi / 8


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    table: str
    columns: int
    size: int
    epsilon: float
    loose: int

    def __str__(self) -> str:
        return f"{self.table:<16}{self.columns:>3}{self.size:>8}{self.epsilon:>5}{self.loose:>4}"


def list_cases(tables: Sequence[str]) -> Iterator[Case]:
    """Return what is tried."""
    for case in product(tables, (3, 6), (1_000, 10_000, 100_000), (0.1, 1.0, 3.0), (1, 10)):
        if case[-1] == 1 or case[2] == 10_000:
            yield Case(*case)


def read_tables() -> dict[str, Floats]:
    """Return the rows of all real tables there are."""
    folder = os.environ.get("SFUMATO_DATA")
    if not folder:
        print("Nothing can be shown: SFUMATO_DATA names no folder of real tables.")
        return {}
    return {name: _read(Path(folder) / f"{name}.parquet", columns) for name, columns in TABLES}


def _read(path: Path, columns: Sequence[str]) -> Floats:
    table = pq.read_table(path)
    known = {name.lower().replace("-", "_"): name for name in table.column_names}
    numeric = [
        f.name for f in table.schema if pa.types.is_integer(f.type) or pa.types.is_floating(f.type)
    ]
    chosen = [known[name.lower()] for name in columns] or numeric[:6]
    rows = np.column_stack(
        [table[name].to_numpy(zero_copy_only=False).astype(np.float64) for name in chosen]
    )
    return rows[np.isfinite(rows).all(axis=1)]


def declare(rows: Floats, loose: int) -> list[tuple[float, float]]:
    """Return bounds at the ends of the data, or so many times as wide around them."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    width = np.where(high > low, high - low, 1.0) * (loose - 1)
    return list(zip((low - 0.45 * width).tolist(), (high + 0.55 * width).tolist(), strict=True))


def share(edges: Floats, window: Floats) -> Floats:
    """Return the part of each bin in each cell of a window; what lies beyond is at its ends."""
    low, high = edges[:-1, None], edges[1:, None]
    walls = np.concatenate([[-np.inf], window[1:-1], [np.inf]])
    shared = np.minimum(high, walls[1:]) - np.maximum(low, walls[:-1])
    return np.maximum(shared, 0.0) / (high - low)


def distances(found: Floats, truth: Floats) -> Floats:
    """Return W1 and TV between two densities."""
    masses = np.maximum(found, 0.0)
    whole = masses.sum()
    gap = (masses / whole if whole > 0 else np.full(masses.shape, 1 / masses.size)) - truth
    rows, columns = np.divmod(np.arange(gap.size), gap.shape[1])
    moved = []
    for angle in _DIRECTIONS:
        place = (math.cos(angle) * rows + math.sin(angle) * columns) / SIDE
        order = np.argsort(place, kind="stable")
        below = np.cumsum(gap.ravel()[order])[:-1]
        moved.append(np.abs(below) @ np.diff(place[order]))
    return np.array([np.mean(moved), np.abs(gap).sum() / 2])


def make_release(
    rows: Floats, bounds: Sequence[tuple[float, float]], epsilon: float
) -> PairplotRelease:
    """Measure a pair plot with simulated noise."""
    names = [f"c{place}" for place in range(rows.shape[1])]
    chart, domain = sf.Pairplot(names), sf.Domain(dict(zip(names, bounds, strict=True)))
    engine = DuckEngine(pa.table(dict(zip(names, rows.T, strict=True))))
    return measure_planned(chart, engine, chart.plan(domain, ROWS, sf.Budget(epsilon)))


def compare(case: Case, rows: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return W1 and TV of ours, of the textbook, and before agreement; and which intervals hold."""
    bounds = declare(rows, case.loose)
    release = make_release(rows, bounds, case.epsilon)
    middle = np.quantile(rows, (0.0025, 0.9975), axis=0)
    middle[1] = np.where(middle[1] > middle[0], middle[1], middle[0] + 1)
    windows = [np.linspace(*ends, SIDE + 1) for ends in middle.T]
    flat = [np.linspace(*ends, SIDE + 1) for ends in bounds]
    ours = [share(key.edges, window) for key, window in zip(release.axes, windows, strict=True)]
    book = [share(edges, window) for edges, window in zip(flat, windows, strict=True)]
    pairs = list(combinations(range(rows.shape[1]), 2))
    told = []
    for i, j in pairs:
        pair = np.clip(rows[:, [i, j]], *middle[:, [i, j]])
        truth = np.histogram2d(*pair.T, [windows[i], windows[j]])[0] / len(rows)
        counts = np.histogram2d(rows[:, i], rows[:, j], [flat[i], flat[j]])[0]
        counts += generator.laplace(0, len(pairs) / case.epsilon, counts.shape)
        estimates = (
            ours[i].T @ release.estimates[0].pairs[i, j] @ ours[j],
            book[i].T @ np.maximum(counts, 0.0) @ book[j],
            ours[i].T @ np.maximum(release.counts[i, j][0], 0.0) @ ours[j],
        )
        told.append([distances(each, truth) for each in estimates])
    return np.mean(told, axis=0), _find_held(release, rows)


def _find_held(release: PairplotRelease, rows: Floats) -> Floats:
    """Tell of each bin of each column whether its interval holds its count."""
    (estimates,) = release.estimates
    held = [
        np.abs(measured - np.histogram(column, key.edges)[0]) <= REACH * deviation
        for measured, deviation, column, key in zip(
            estimates.measured, estimates.deviation, rows.T, release.axes, strict=True
        )
    ]
    return np.concatenate(held)


def main(repeats: int) -> bool:
    """Print the table, and what is demanded of it."""
    tables, generator = read_tables(), np.random.default_rng(5)
    print(f"{'table':<16}{'d':>3}{'rows':>8}{'ε':>5}{'×':>4}   {'W1':>6} {'book':>6} {'ratio':>5} "
          f"{'apart':>5}   {'TV':>5} {'book':>5} {'ratio':>5} {'apart':>5}   covered")  # fmt: skip
    ratios: dict[tuple[int, int], list[Floats]] = {}
    held: list[Floats] = []
    for case in list_cases([*tables]):
        seen = []
        with seeded(11):
            for _ in range(repeats):
                rows = tables[case.table][:, : case.columns]
                found, inside = compare(case, generator.choice(rows, case.size), generator)
                seen.append(found)
                held.append(inside)
        (w1, tv), (book_w1, book_tv), (apart_w1, apart_tv) = np.mean(seen, axis=0)
        ratios.setdefault((case.size, case.loose), []).append(
            np.log([w1 / book_w1, tv / book_tv, w1 / apart_w1])
        )
        print(f"{case!s}   {w1:>6.3f} {book_w1:>6.3f} {w1 / book_w1:>5.2f} {w1 / apart_w1:>5.2f}   "
              f"{tv:>5.3f} {book_tv:>5.3f} {tv / book_tv:>5.2f} {tv / apart_tv:>5.2f}   "
              f"{np.mean(np.concatenate(held[-repeats:])):.3f}", flush=True)  # fmt: skip
    return bool(ratios) and _judge(ratios, np.concatenate(held))


def _judge(ratios: dict[tuple[int, int], list[Floats]], held: Floats) -> bool:
    print("\nGeometric means of ratios")
    for (size, loose), logs in ratios.items():
        w1, tv, apart = np.exp(np.mean(logs, axis=0))
        told = f"W1 {w1:.2f}  TV {tv:.2f}  W1 over that before agreement {apart:.2f}"
        print(f"{size:>8} rows, bounds ×{loose:<3} {told}")
    every = np.concatenate([np.array(logs) for logs in ratios.values()])
    w1, tv, apart = np.exp(every.mean(axis=0))
    demands = (
        Demand("W1, geometric mean over the textbook's", w1, 0.35),
        Demand("TV, geometric mean over the textbook's", tv, 0.7),
        Demand("W1, over that before pairs agree", apart, 0.95),
        Demand("part of cases whose W1 is above 0.7 of the textbook's",
               float(np.mean(every[:, 0] > math.log(0.7))), 0.2),
        Demand("how far coverage of 95 % intervals is off", abs(float(np.mean(held)) - 0.95), 0.02),
    )  # fmt: skip
    print(f"\nCoverage over all cases {np.mean(held):.4f}\n", *demands, sep="\n")
    return all(demand.met for demand in demands if demand.decides)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=1)
    sys.exit(0 if main(parser.parse_args().repeats) else 1)
