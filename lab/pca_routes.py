"""Routes to private directions, by the variance that the first two of them capture.

Each route of `lab/pcas/routes.py` has the ρ that a score plot leaves for its directions. A route is
judged by what it loses of the variance that two exact components capture. Noise is simulated:
nothing here is private.

    python lab/pca_routes.py                  # half a minute
    RUNS=5 python lab/pca_routes.py
    SKIP_DATA=1 python lab/pca_routes.py      # without the tables that are not here

Four tables are not part of this repository: the environment variable SFUMATO_DATA names a folder
with the files that `lab/pcas/sets.py` lists. Two come with scikit-learn.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

import numpy as np

from pcas.demands import CAPTURED, Demand, print_demands
from pcas.ours import budget
from pcas.routes import DEFAULT, ROUTES, Purse, Route
from pcas.sets import Table, available, mixture, table
from sfumato.charts.scoreplot.plan import OURS
from sfumato.metrics.scoreplot import captured_variance

RUNS = 20
EPSILONS = (0.5, 1.0, 3.0, 5.0)
LEAST = 0.001
"""What is added to every loss before ratios: less than this is not seen in a picture."""

Losses = dict[tuple[str, float], dict[str, float]]
"""What each route loses, by table and ε."""


def lost(rows: Table, epsilon: float, runs: int) -> dict[str, float]:
    """Return the mean share of variance that each route fails to capture."""
    scaled = rows.scaled
    covariance = np.cov(scaled.T, bias=True)
    rho = float(OURS[0] * budget(epsilon).rho)

    def share(route: Route, run: int) -> float:
        directions = route(scaled, Purse(rho, np.random.default_rng(run)))
        return captured_variance(directions[:2], covariance)

    return {
        name: 1 - float(np.mean([share(route, run) for run in range(runs)]))
        for name, route in ROUTES.items()
    }


def compared(found: Losses) -> Iterator[Demand]:
    """Yield whether the default loses least, against each route over all tables and ε."""
    for name in ROUTES:
        if name != DEFAULT:
            ratios = [(loss[DEFAULT] + LEAST) / (loss[name] + LEAST) for loss in found.values()]
            mean = float(np.exp(np.mean(np.log(ratios))))
            yield Demand(f"loss of the default / {name}, geometric mean", mean, 1.0)


def on_mixtures(runs: int) -> Iterator[Demand]:
    """Yield whether the default captures enough of data like gau_g at ε = 1."""
    for size, least in CAPTURED.items():
        loss = lost(mixture(size), 1.0, runs)[DEFAULT]
        yield Demand(f"loss of the default, {size:,} × 20", loss, round(1 - least, 6))


def print_losses(found: Losses) -> None:
    """Print the variance captured by each route, and how much more the others lose."""
    print(f"{'':<20}" + "".join(f"{name:>24}" for name in ROUTES))
    for (name, epsilon), loss in found.items():
        cells = [
            f"{1 - each:.4f} (x {(each + LEAST) / (loss[DEFAULT] + LEAST):.1f})"
            for each in loss.values()
        ]
        print(f"{f'{name}, ε = {epsilon:g}':<20}" + "".join(f"{cell:>24}" for cell in cells))


def main() -> int:
    begun, names = time.monotonic(), available()
    if names is None:
        return 2
    runs = int(os.environ.get("RUNS", RUNS))
    tables = [table(name) for name in names] or [mixture(5_000)]
    found = {
        (each.name, epsilon): lost(each, epsilon, runs) for each in tables for epsilon in EPSILONS
    }
    print("Variance captured by two directions, and by how much more a route loses\n")
    print_losses(found)
    met = [print_demands(compared(found)), print_demands(on_mixtures(runs))]
    verdict = "ALL MET" if all(met) else "NOT ALL MET"
    print(f"\n{time.monotonic() - begun:.0f} seconds; {verdict}")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
