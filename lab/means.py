"""How wrong means of groups are, beside the textbook's and OpenDP's, and what intervals hold.

By column, size, ε and how wide the declared bounds are. The textbook adds noise to the sum of the
values clipped to the declared bounds and to the count, half of ε each; OpenDP does the same with
its own transformations and measurements, and once more with the size of each group public, which
is more than is granted to the others. Columns of real tables are read where SFUMATO_DATA names
their folder; others are simulated, delays of flights among them. Our noise is simulated: nothing
here is private.

    python lab/means.py                  # some ten minutes
    python lab/means.py --repeats 2 --sizes 1000 10000
    python lab/means.py --repeats 3 --sizes 1000 10000 --held-out
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import sfumato as sf
from demands import Demand
from sfumato.engines.dispatch import DuckEngine
from sfumato.testing import measure_planned, seeded

Floats = NDArray[np.float64]

SIZES, EPSILONS, LOOSE = (1000, 10_000, 100_000), (0.1, 1.0), (1, 10, 100)
MOST = {1: 1.1, 10: 0.35, 100: 0.05}
GROUPS = 5
ROWS = sf.PrivacyUnit.rows()


@dataclass(frozen=True)
class Column:
    """Values with their groups, and tight bounds that a careful person would declare."""

    name: str
    values: Floats
    groups: NDArray[np.int64]
    bounds: tuple[float, float]

    @property
    def count(self) -> int:
        """How many groups there are."""
        return int(self.groups.max()) + 1

    def take(self, rows: int, draw: np.random.Generator) -> Column:
        """Return so many of its rows, or all."""
        some = draw.permutation(self.values.size)[:rows]
        return Column(self.name, self.values[some], self.groups[some], self.bounds)

    def widen(self, times: int) -> tuple[float, float]:
        """Return bounds that are so many times too wide: upwards, where none is below zero."""
        low, high = self.bounds
        if low == 0:
            return 0.0, high * times
        middle, half = (low + high) / 2, (high - low) / 2 * times
        return middle - half, middle + half

    def means(self, values: Floats | None = None) -> Floats:
        """Return the true mean of each group; of clipped values, if these are given."""
        values = self.values if values is None else values
        sums = np.bincount(self.groups, values, self.count)
        return sums / np.maximum(np.bincount(self.groups, minlength=self.count), 1)


def simulated(rows: int) -> Iterator[Column]:
    """Yield columns that are drawn, by groups that differ."""
    draw = np.random.default_rng(0)
    groups = draw.integers(0, GROUPS, rows)
    scale = 1 + groups / GROUPS
    delay = np.where(draw.random(rows) < 0.6, 0.0, np.minimum(draw.pareto(2.2, rows) * 25, 1440))
    yield Column("delay (0-inflated)", delay, groups, (0, 1440))
    logs = draw.lognormal(0, 1, rows) * scale
    yield Column("lognormal", logs, groups, (0, float(logs.max())))
    yield Column("t3", draw.standard_t(3, rows) * scale, groups, (-60, 60))
    yield Column("uniform", draw.random(rows) * scale / 2, groups, (0, 1))
    yield Column("constant", np.full(rows, 37.0), groups, (0, 100))
    yield Column("normal", draw.normal(50, 10, rows), groups, (0, 100))
    yield Column("ties", draw.integers(0, 3, rows) * 50.0, groups, (0, 100))
    yield from heavy(rows, groups, draw)


def heavy(rows: int, groups: NDArray[np.int64], draw: np.random.Generator) -> Iterator[Column]:
    """Yield columns of which most lies in one place, or little far away."""
    few = np.where(draw.random(rows) < 0.9, 0.0, draw.lognormal(3, 1, rows))
    yield Column("90 % zeros", few, groups, (0, 1000))
    yield Column("Pareto 1.2", draw.pareto(1.2, rows) + 1, groups, (0, 10_000))
    far = np.where(draw.random(rows) < 0.05, 1000.0, draw.normal(50, 10, rows))
    yield Column("5 % far", far, groups, (0, 1000))


REAL = (
    ("airbnb_nyc_2019", "price", "neighbourhood_group", (0.0, 10_000.0)),
    ("airbnb_nyc_2019", "minimum_nights", "room_type", (0.0, 1250.0)),
    ("airbnb_nyc_2019", "availability_365", "room_type", (0.0, 365.0)),
    ("airbnb_nyc_2019", "number_of_reviews", "room_type", (0.0, 700.0)),
    ("adult_census", "hours_per_week", "sex", (0.0, 99.0)),
    ("adult_census", "age", "race", (17.0, 90.0)),
    ("adult_census", "capital_gain", "income", (0.0, 99_999.0)),
    ("dry_bean", "Area", "Class", (0.0, 260_000.0)),
    ("dry_bean", "Perimeter", "Class", (500.0, 2000.0)),
)
"""Tables, columns, what groups them (nothing: groups by lot) and tight bounds."""

HELD_OUT = (
    ("adult_census", "fnlwgt", "race", (0.0, 1_500_000.0)),
    ("adult_census", "capital_loss", "sex", (0.0, 4400.0)),
    ("adult_census", "education_num", "income", (1.0, 16.0)),
    ("brightkite_300users_checkins", "lat", "", (-90.0, 90.0)),
    ("dry_bean", "Eccentricity", "Class", (0.0, 1.0)),
    ("dry_bean", "ShapeFactor1", "Class", (0.0, 0.02)),
    ("osie_eye_fixations", "duration_ms", "", (0.0, 3000.0)),
    ("pendigits", "x3", "digit", (0.0, 100.0)),
    ("salicon_gaze", "x", "", (0.0, 640.0)),
)
"""Others, that nobody looked at while constants were chosen."""


def real(wanted: Sequence[tuple[str, str, str, tuple[float, float]]]) -> Iterator[Column]:
    """Yield columns of tables that are there."""
    folder, draw = os.environ.get("SFUMATO_DATA"), np.random.default_rng(3)
    for file, column, by, bounds in wanted:
        path = Path(folder or "") / f"{file}.parquet"
        if folder is None or not path.is_file():
            print(f"missing: {file}, {column} (SFUMATO_DATA names no folder that has it)")
            continue
        table = pq.read_table(path, columns=[column, *([by] if by else [])])
        values = np.asarray(table[column], dtype=np.float64)
        names = table[by].to_pylist() if by else draw.integers(0, GROUPS, values.size).tolist()
        groups = np.unique(np.asarray(names, dtype=str), return_inverse=True)[1]
        yield Column(column, values, groups.astype(np.int64), bounds)


def measure(column: Column, bounds: tuple[float, float], epsilon: float) -> sf.Release:
    """Return our release of the means."""
    listed = list(range(column.count))
    chart = sf.Barplot("g", "y", order=listed)
    domain = sf.Domain(y=bounds, g=listed)
    engine = DuckEngine(pa.table({"y": column.values, "g": column.groups}))
    return measure_planned(chart, engine, chart.plan(domain, ROWS, sf.Budget(epsilon)))


def textbook(
    column: Column, bounds: tuple[float, float], epsilon: float, draw: np.random.Generator
) -> Floats:
    """Return noisy sums over noisy counts."""
    counts = np.bincount(column.groups, minlength=column.count)
    sums = np.bincount(column.groups, np.clip(column.values, *bounds), column.count)
    sums = sums + draw.laplace(0, 2 * max(map(abs, bounds)) / epsilon, column.count)
    return _divide(sums, counts + draw.laplace(0, 2 / epsilon, column.count), bounds)


def opendp(column: Column, bounds: tuple[float, float], epsilon: float, *, public: bool) -> Floats:
    """Return what OpenDP's own chain of clamp, sum or mean and Laplace noise says."""
    import opendp.prelude as dp  # pyright: ignore

    dp.enable_features("contrib", "idealized-numerics")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    clamped = space >> dp.t.then_clamp(bounds)

    def noisy(chain: object, amount: float) -> object:
        return dp.binary_search_chain(
            lambda scale: chain >> dp.m.then_laplace(scale), d_in=1, d_out=amount
        )

    parts = [column.values[column.groups == group].tolist() for group in range(column.count)]
    if public:
        middle = sum(bounds) / 2
        found = [
            noisy(
                clamped >> dp.t.then_resize(max(len(part), 1), middle) >> dp.t.then_mean(), epsilon
            )(part)
            for part in parts
        ]
        return np.clip(found, *bounds)
    total, count = (
        noisy(chain, epsilon / 2)
        for chain in (clamped >> dp.t.then_sum(), space >> dp.t.then_count())
    )
    sums = np.array([total(part) for part in parts], dtype=np.float64)
    return _divide(sums, np.array([count(part) for part in parts], dtype=np.float64), bounds)


def _divide(sums: Floats, counts: Floats, bounds: tuple[float, float]) -> Floats:
    return np.clip(sums / np.maximum(counts, 1.0), *bounds)


@dataclass(frozen=True)
class Cell:
    """What was seen of a column of one size under one ε and bounds."""

    column: Column
    epsilon: float
    loose: int
    ours: float
    book: float
    peer: float
    public: float
    width: float
    held: float
    truly: float
    negligible: float

    def __str__(self) -> str:
        against = [f"{self.ours / other:>9.3f}" for other in (self.book, self.peer, self.public)]
        return (
            f"{self.column.name:<20} {self.column.values.size:>7} {self.epsilon:>5} "
            f"{self.loose:>4}× {self.ours:>10.4g} {''.join(against)} {self.width:>7.2f} "
            f"{self.held:>6.3f} {self.truly:>6.3f} {self.negligible:>5.2f}"
        )


def look(column: Column, epsilon: float, loose: int, repeats: int) -> Cell:
    """Measure some releases of a column, and what the others make of it."""
    bounds, draw = column.widen(loose), np.random.default_rng(loose)
    truth, told = column.means(), []
    # Noise of its own for every cell, so that what intervals hold is a mean of many draws.
    with seeded(crc32(f"{column.name} {column.values.size} {epsilon} {loose}".encode())):
        releases = [measure(column, bounds, epsilon) for _ in range(repeats)]
    held: list[Floats] = []
    for release in releases:
        low, high = release.clipped.edges
        clipped = column.means(np.clip(column.values, low, high))
        sure = release.estimates.reliable
        near = 1e-6 * (high - low)
        inside = [
            (release.estimates.low - near <= mean) & (mean <= release.estimates.high + near)
            for mean in (clipped, truth)
        ]
        negligible = ("negligible" in release.caption()) | ("none." in release.caption())
        held += [np.array([*each, negligible]) for each in zip(*inside, strict=True)]
        held = held[: len(held)] if sure.all() else [*held[: -sure.size], *_kept(held, sure)]
        told.append(np.abs(_known(release, bounds) - truth).mean())
    others = [
        [np.abs(textbook(column, bounds, epsilon, draw) - truth).mean() for _ in range(repeats)],
        *(
            [
                np.abs(opendp(column, bounds, epsilon, public=public) - truth).mean()
                for _ in range(min(repeats, 4))
            ]
            for public in (False, True)
        ),
    ]
    seen = np.array(held).reshape(-1, 3).astype(bool)
    return Cell(
        column,
        epsilon,
        loose,
        float(np.mean(told)),
        *(float(np.mean(each)) for each in others),
        float(np.median([np.ptp(each.clipped.edges) for each in releases]))
        / (column.bounds[1] - column.bounds[0]),
        float(seen[:, 0].mean()) if len(seen) else math.nan,
        float(seen[seen[:, 2], 1].mean()) if seen[:, 2].any() else math.nan,
        float(seen[:, 2].mean()) if len(seen) else math.nan,
    )


def _kept(held: list[Floats], sure: NDArray[np.bool_]) -> list[Floats]:
    return [each for each, kept in zip(held[-sure.size :], sure, strict=True) if kept]


def _known(release: sf.Release, bounds: tuple[float, float]) -> Floats:
    """Return the means that are told; where there are too few data, the middle of what is known."""
    told = release.estimates
    return np.clip(np.where(told.reliable, told.value, release.clipped.edges.mean()), *bounds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, and what is demanded of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument(
        "--held-out", action="store_true", help="only columns that nobody looked at"
    )
    given = parser.parse_args(arguments)
    known = [] if given.held_out else [*simulated(max(given.sizes))]
    columns = [*known, *real(HELD_OUT if given.held_out else REAL)]
    draw, cells = np.random.default_rng(1), []
    print(f"{'column':<20} {'rows':>7} {'ε':>5} {'wide':>5} {'error':>10} ", end="")
    print(f"{'/book':>8} {'/OpenDP':>8} {'/public':>8} {'clip':>7} {'clipd':>6} {'true':>6} negl.")
    for column in columns:
        for size in [size for size in given.sizes if size <= 1.1 * column.values.size]:
            part = column.take(size, draw)
            for epsilon in EPSILONS:
                for loose in LOOSE:
                    cells.append(look(part, epsilon, loose, given.repeats))
                    print(cells[-1], flush=True)
    return conclude(cells)


def conclude(cells: list[Cell]) -> int:
    """Print medians and whether demands are met."""
    demands = []
    for loose, most in MOST.items():
        ratios = [cell.ours / cell.book for cell in cells if cell.loose == loose]
        wide = f"bounds {loose}× as wide as tight ones: error over the textbook's"
        demands.append(Demand(f"{wide}, median", float(np.median(ratios)), most))
        mean = float(np.exp(np.mean(np.log(ratios))))
        demands.append(Demand(f"{wide}, geometric mean", mean, most))
        demands.append(Demand(f"{wide}, worst cell", max(ratios), most, decides=False))
    held = [cell.held for cell in cells if not math.isnan(cell.held)]
    truly = [cell.truly for cell in cells if not math.isnan(cell.truly)]
    for name, found in (("clipped means", held), ("all means told to be unbiased", truly)):
        off = abs(float(np.mean(found)) - 0.95)
        demands.append(Demand(f"coverage of {name}, from 95 %", off, 0.02))
    print()
    for demand in demands:
        print(demand)
    return 0 if all(demand.met or not demand.decides for demand in demands) else 1


if __name__ == "__main__":
    sys.exit(main())
