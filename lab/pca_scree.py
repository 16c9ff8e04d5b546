"""Scree plots: are the variances those of the whole table, also where its tails are heavy?

Components are released by the library with simulated noise. The shares of variance along them and
the total are compared with those of the same directions in the table itself, where no row is cut:
how far off they are, and how often their 95 % intervals hold them. Beside them stand the
eigenvalues of the same release's first sums, as one would read them who measures no variances of
their own: they are flattered by the choice of directions, and their rows were cut more.

    python lab/pca_scree.py                   # a minute
    RUNS=5 python lab/pca_scree.py
    SKIP_DATA=1 python lab/pca_scree.py       # without the tables that are not here
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import sfumato as sf
from demands import Demand
from pcas.demands import print_demands
from pcas.ours import budget
from pcas.sets import Table, available, mixture, table
from sfumato.postprocess.principal import find_components
from sfumato.testing import seeded

RUNS = 40
EPSILONS = (0.5, 1.0, 3.0)
HEAVY = "Adult"
"""The table whose tails are heavy: few have any gains, and some have the most there can be."""

HELD = 0.85
"""How often intervals of 95 % must hold at least, given so few runs and rows that are cut."""


@dataclass(frozen=True)
class Found:
    """How far off shares and totals are, and how often intervals hold them."""

    share: float
    total: float
    eigenvalue: float
    held: float
    total_held: float


def studied(rows: Table, epsilon: float, runs: int) -> Found:
    """Release components again and again, and compare their variances with the table's."""
    covariance = np.cov(rows.scaled.T, bias=True)
    total, frame = float(np.trace(covariance)), rows.frame()
    found = []
    for run in range(runs):
        with seeded(4000 + run):
            release = sf.pca(
                frame, columns=rows.columns, bounds=rows.bounds, budget=budget(epsilon)
            )
        along = np.einsum("kd,de,ke->k", *(release.components, covariance, release.components))
        sure = release.uncertainty
        shares, whole = sure["explained_variance_ratio"], sure["total_variance"]
        truth = along[:2] / total
        first = find_components(release.directions.sums(release.lattice)).variances
        held = (np.array(shares.low[:2]) <= truth) & (truth <= np.array(shares.high[:2]))
        found.append(
            (
                np.abs(release.explained_variance_ratio[:2] - truth).mean(),
                abs(release.total_variance / total - 1),
                np.abs(first[:2] / first.sum() - truth).mean(),
                held.mean(),
                whole.low[0] <= total <= whole.high[0],
            )
        )
    return Found(*np.mean(found, axis=0).tolist())


def demanded(found: dict[tuple[str, float], Found]) -> Iterator[Demand]:
    """Yield what is demanded of the table with heavy tails."""
    for (name, epsilon), each in found.items():
        if name == HEAVY:
            what = f"{name}, ε = {epsilon:g}"
            yield Demand(f"intervals of shares that miss, {what}", 1 - each.held, 1 - HELD)
            yield Demand(f"intervals of totals that miss, {what}", 1 - each.total_held, 1 - HELD)


def main() -> int:
    """Print how variances compare on every table there is, and tell whether all is met."""
    runs, began = int(os.environ.get("RUNS", str(RUNS))), time.monotonic()
    names = available()
    if names is None:
        return 2
    tables = [*map(table, names), mixture(5_000)]
    print(f"Shares of the first two components, and totals: mean errors of {runs} runs\n")
    print(f"{'':<24}{'share':>8}{'held':>7}{'total':>9}{'held':>7}{'eigenvalues':>14}{'ratio':>8}")
    found: dict[tuple[str, float], Found] = {}
    for rows in tables:
        for epsilon in EPSILONS:
            each = found[rows.name, epsilon] = studied(rows, epsilon, runs)
            print(
                f"{f'{rows.name}, ε = {epsilon:g}':<24}{each.share:>8.3f}{each.held:>7.2f}"
                f"{each.total:>8.1%}{each.total_held:>7.2f}{each.eigenvalue:>14.3f}"
                f"{each.share / each.eigenvalue:>8.2f}",
                flush=True,
            )
    print()
    met = print_demands(demanded(found))
    print(f"\n{'ALL MET' if met else 'NOT ALL MET'}, after {time.monotonic() - began:.0f} s")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
