"""How often intervals of correlations hold the truth, and how far off the correlations are.

By size, ε, number of columns and kind of table: bounds from tight to ten times too wide, mixed,
uniform and skewed columns, heavy tails, columns that are mostly zero, whole numbers, a constant
column, and columns of real tables where SFUMATO_DATA names their folder. The truth is Pearson's
correlation of the values, clipped to the declared bounds and to nothing else. Beside each stands
the textbook's way at the same cost: columns scaled by their declared bounds, and Gaussian noise on
the number of rows, their sums and their second moments. Noise is simulated: nothing here is
private.

    python lab/correlations.py                  # some minutes
    python lab/correlations.py --repeats 100
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import sfumato as sf
from demands import Demand
from sfumato.engines.dispatch import choose_engine
from sfumato.releases.pca import PcaRelease
from sfumato.testing import measure_planned, seeded

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]

REPEATS = 20
DELTA = 1e-6
PAIRS = 4.0  # of one release, that tell as much as one of another
CLOSE = 0.03  # an error of the textbook that is seen
SURE = 3.1 * math.sqrt(0.95 * 0.05)  # over the root of how many there are: once in a thousand
ROWS = sf.PrivacyUnit.rows()
REAL = (
    ("adult_census", ("age", "education_num", "capital_gain", "hours_per_week"),
     ((17, 90), (1, 16), (0, 100_000), (1, 99))),
    ("airbnb_nyc_2019", ("price", "minimum_nights", "number_of_reviews", "availability_365"),
     ((0, 10_000), (1, 1250), (0, 700), (0, 365))),
    ("dry_bean", ("Area", "Perimeter", "Eccentricity", "Solidity", "roundness"),
     ((0, 300_000), (0, 2500), (0, 1), (0, 1), (0, 1))),
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A kind of table, and what is declared about its columns.

    Parameters
    ----------
    draw
        Draws that many rows.
    bounds
        The declared ranges.
    """

    name: str
    draw: Draw
    bounds: tuple[tuple[float, float], ...]


def _draw_normal(columns: int) -> Draw:
    def draw(generator: np.random.Generator, size: int) -> Floats:
        shared = generator.normal(size=(size, 1))
        weights = np.linspace(-0.9, 0.9, columns)
        own = np.sqrt(1 - weights**2)
        return shared * weights + own * generator.normal(size=(size, columns))

    return draw


def _apply(columns: int, change: Callable[[np.random.Generator, Floats], Floats]) -> Draw:
    plain = _draw_normal(columns)
    return lambda generator, size: change(generator, plain(generator, size))


def _make_mostly_zero(shares: Sequence[float]) -> Draw:
    """Columns of which only a share of the rows is not zero, as words in letters are."""
    least = np.array([NormalDist().inv_cdf(1 - share) for share in shares])
    return _apply(len(shares), lambda _, z: np.where(z > least, np.exp(z) - np.exp(least), 0.0))


def kinds() -> list[Kind]:
    """Return tables that were made up."""
    tight, loose = (-6.0, 6.0), (-40.0, 40.0)
    wide = lambda g, z: z / np.sqrt(g.chisquare(3, (len(z), 1)) / 3)  # noqa: E731
    whole = lambda _, z: np.rint(2 * z)  # noqa: E731
    constant = lambda _, z: np.hstack([z, np.ones((len(z), 1))])  # noqa: E731
    even = lambda _, z: np.tanh(z)  # noqa: E731
    skewed = lambda _, z: np.exp(z / 2)  # noqa: E731
    waiting = lambda _, z: np.logaddexp(0, 1.7 * z) / 1.7  # noqa: E731
    few = lambda _, z: np.clip(np.rint(z), -1, 3)  # noqa: E731
    half = lambda _, z: np.maximum(z - 0.5, 0)  # noqa: E731
    words = (0.9, 0.5, 0.3, 0.15, 0.05, 0.025)
    return [
        *(Kind(f"normal, {d} columns", _draw_normal(d), (tight,) * d) for d in (3, 5, 10)),
        Kind("even", _apply(4, even), ((-1.0, 1.0),) * 4),
        Kind("lognormal, σ = 0.5", _apply(4, skewed), ((0.0, 20.0),) * 4),
        Kind("exponential tails", _apply(4, waiting), ((0.0, 20.0),) * 4),
        Kind("five values", _apply(4, few), ((-5.0, 5.0),) * 4),
        Kind("two thirds zero", _apply(4, half), ((0.0, 20.0),) * 4),
        Kind("normal, bounds ×10", _draw_normal(5), (loose,) * 5),
        Kind("normal, some bounds ×10", _draw_normal(5), (tight, loose, tight, loose, tight)),
        Kind("Student, 3 degrees", _apply(5, wide), ((-100.0, 100.0),) * 5),
        Kind("lognormal", _apply(5, lambda _, z: np.exp(z)), ((0.0, 100.0),) * 5),
        Kind("whole numbers", _apply(5, whole), ((-12.0, 12.0),) * 5),
        Kind("one constant column", _apply(4, constant), (tight,) * 5),
        Kind("mostly zero", _make_mostly_zero(words), ((0.0, 100.0),) * len(words)),
    ]


def real_tables() -> list[Kind]:
    """Return real tables, each a population to draw rows from."""
    folder = os.environ.get("SFUMATO_DATA")
    if not folder:
        print("Real tables are left out: SFUMATO_DATA names their folder.\n")
        return []
    return [Kind(table, _rows(folder, table, names), bounds) for table, names, bounds in REAL]


def _rows(folder: str, table: str, names: Sequence[str]) -> Draw:
    path = Path(folder) / f"{table}.parquet"
    spelled = {
        column.lower().replace("-", "_").replace(".", "_"): column
        for column in pq.read_schema(path).names
    }
    read = pq.read_table(path, columns=[spelled[name.lower()] for name in names])
    columns = [column.to_numpy(zero_copy_only=False).astype(np.float64) for column in read.columns]
    rows = np.column_stack(columns)
    rows = rows[~np.isnan(rows).any(axis=1)]
    return lambda generator, size: generator.choice(rows, size)


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    kind: Kind
    size: int
    epsilon: float


@dataclass(frozen=True)
class Seen:
    """What came of the repeats of one case, pair by pair.

    Parameters
    ----------
    told
        Whether both columns were told from noise.
    held
        Whether the interval holds the correlation of the rows.
    jointly
        Of each release, whether the intervals for all pairs together hold all of them.
    width
        How wide the interval is.
    errors
        How far the correlation is from that of all rows, by our way and by the textbook's.
    """

    told: NDArray[np.bool_]
    held: NDArray[np.bool_]
    jointly: NDArray[np.bool_]
    width: Floats
    errors: Floats

    @property
    def coverage(self) -> float:
        """How often the interval of a pair that was told holds its correlation."""
        return float(self.held[self.told].mean()) if self.told.any() else math.nan


def simulate(case: Case, repeats: int) -> Seen:
    """Release correlations of fresh rows, and compare them with what is true of them."""
    kind, generator = case.kind, np.random.default_rng(7)
    names = [f"c{place}" for place in range(len(kind.bounds))]
    chart = sf.Corrplot(names)
    budget = sf.Budget(case.epsilon, DELTA)
    domain = sf.Domain(dict(zip(names, kind.bounds, strict=True)))
    plan, seen = chart.plan(domain, ROWS, budget), []
    with seeded(7):
        for _ in range(repeats):
            rows = np.clip(kind.draw(generator, case.size), *np.array(kind.bounds).T)
            engine = choose_engine(pa.table(dict(zip(names, rows.T, strict=True))))
            release = measure_planned(chart, engine, plan)
            textbook = sum_by_the_book(rows, kind.bounds, float(budget.rho), generator)
            seen.append(_compared(release, rows, textbook))
    return Seen(*(np.concatenate(each) for each in zip(*seen, strict=True)))


def _compared(release: PcaRelease, rows: Floats, textbook: Floats) -> list[NDArray[np.generic]]:
    found, truth = release.correlations, correlate(rows)
    below = np.tril_indices(len(truth), -1)
    told = np.outer(found.told, found.told)[below]
    held = ((found.low - 1e-9 <= truth) & (truth <= found.high + 1e-9))[below]
    all_held = ((found.low_all - 1e-9 <= truth) & (truth <= found.high_all + 1e-9))[below].all()
    errors = np.stack([np.abs(each - truth)[below] for each in (found.value, textbook)], axis=1)
    return [told, held, np.array([all_held]), (found.high - found.low)[below], errors]


def correlate(rows: Floats) -> Floats:
    """Return the correlations of rows; those of a constant column are 0."""
    centred = rows - rows.mean(axis=0)
    products = centred.T @ centred
    squares = np.diagonal(products)
    lengths = np.sqrt(np.where(squares > 1e-9, squares, np.inf))
    return products / np.outer(lengths, lengths)


def sum_by_the_book(
    rows: Floats, bounds: Sequence[tuple[float, float]], rho: float, generator: np.random.Generator
) -> Floats:
    """Return the correlations that noisy second moments give: bounds scale, Gaussian noise.

    A row is a point of the cube [-1, 1]^d. It moves the number of rows, their sum and the products
    on and above the diagonal by at most √(1 + d + d(d + 1)/2) together.
    """
    lower, upper = np.array(bounds).T
    points = np.clip(2 * (rows - lower) / (upper - lower) - 1, -1, 1)
    columns = points.shape[1]
    sigma = math.sqrt((1 + columns + columns * (columns + 1) / 2) / (2 * rho))
    count = max(len(points) + generator.normal(0, sigma), sigma)
    first = points.sum(axis=0) + generator.normal(0, sigma, columns)
    noise = np.triu(generator.normal(0, sigma, (columns, columns)))
    second = points.T @ points + noise + np.triu(noise, 1).T
    products = second - np.outer(first, first) / count
    squares = np.diagonal(products)
    lengths = np.sqrt(np.where(squares > sigma, squares, np.inf))
    return np.clip(products / np.outer(lengths, lengths), -1, 1)


def show(case: Case, seen: Seen) -> None:
    """Print one row of the table."""
    ours, textbook = seen.errors.mean(axis=0)
    print(
        f"{case.kind.name:<26} {case.size:>7} {case.epsilon:>4g} {seen.told.mean():>6.2f}"
        f" {seen.coverage:>9.3f} {seen.jointly.mean():>8.2f} {np.median(seen.width):>7.3f}"
        f" {ours:>7.3f} {textbook:>9.3f} {ours / textbook:>6.2f}",
        flush=True,
    )


def cases() -> list[Case]:
    """Return what to try: every table at every size and ε."""
    every = [*kinds(), *real_tables()]
    return [
        Case(kind, size, epsilon)
        for kind in every
        for size in (1000, 10_000, 100_000)
        for epsilon in (0.3, 1.0, 3.0)
    ]


def demands(found: list[tuple[Case, Seen]]) -> list[Demand]:
    """Return what the table must show."""
    held = np.concatenate([seen.held[seen.told] for _, seen in found])
    jointly = np.concatenate([seen.jointly for _, seen in found])
    # Pairs of one release share its noise, so a cell is as sure as its releases are many. Where
    # tails are heavy, intervals allow for rows that may not be there and hold more often.
    lowest, where = min(
        (seen.coverage + SURE / math.sqrt(seen.told.sum() / PAIRS), case.kind.name)
        for case, seen in found
        if seen.told.any()
    )
    least, whose = min(
        (float(seen.jointly.mean()) + SURE / math.sqrt(seen.jointly.size), case.kind.name)
        for case, seen in found
    )
    errors = np.array([seen.errors.mean(axis=0) for _, seen in found])
    told = np.array([seen.told.mean() for _, seen in found]) > 0.5
    noisy = told & (errors[:, 1] > CLOSE)
    return [
        Demand("how far all intervals fall short of 0.95", 0.95 - float(held.mean()), 0.01),
        Demand("the same of joint intervals", 0.95 - float(jointly.mean()), 0.01),
        Demand(f"how far one row surely falls short of 0.93 ({where})", 0.93 - lowest, 0.0),
        Demand(f"the same of joint intervals ({whose})", 0.93 - least, 0.0),
        Demand(
            f"median ratio of errors where most are told and the textbook's is above {CLOSE:g}",
            float(np.median(errors[noisy, 0] / errors[noisy, 1])),
            0.2,
        ),
        # Even columns in tight bounds suit the textbook best: nothing need be clipped.
        Demand("the same, at most", float((errors[noisy, 0] / errors[noisy, 1]).max()), 1.0),
        Demand(
            "how much farther off than the textbook at most, elsewhere",
            float((errors[told & ~noisy, 0] - errors[told & ~noisy, 1]).max(initial=0.0)),
            0.02,
        ),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure correlations and their intervals.")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--only", default="", help="a part of the names of the tables to try")
    given = parser.parse_args()
    print(f"{'table':<26} {'rows':>7} {'ε':>4} {'told':>6} {'coverage':>9} {'jointly':>8}", end="")
    print(f" {'width':>7} {'error':>7} {'textbook':>9} {'ratio':>6}")
    found: list[tuple[Case, Seen]] = []
    for case in cases():
        if given.only in case.kind.name:
            found.append((case, simulate(case, given.repeats)))
            show(*found[-1])
    verdicts = demands(found)
    print(*verdicts, sep="\n")
    return 0 if all(demand.met for demand in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
