"""Our score plot of a table, through the library itself, with simulated noise."""

from __future__ import annotations

from functools import cache

import numpy as np

import sfumato as sf
from pcas.sets import Floats, Table
from pcas.truth import Picture
from sfumato.metrics.plane import CellWindow
from sfumato.releases.pca import PcaRelease
from sfumato.releases.scoreplot import ScoreplotRelease
from sfumato.testing import seeded

DELTA = 1e-5
STATED, SUMS, REPLACED = "ours", "ours, ρ/2", "ours, ρ/4"
BUDGETS = {STATED: 1, SUMS: 2, REPLACED: 4}
"""By how much ρ is divided. Ours protects one row added or removed; a promise of ρ for that is one
of 4ρ for one row replaced, which is what dppca promises, so a quarter of ρ keeps the same ε for
both. A half is what replacing costs Gaussian sums alone: two rows move them by √2 of what one can.
"""


@cache
def budget(epsilon: float, part: int = 1) -> sf.Budget:
    """Return the budget whose ρ is one part of that which (ε, δ) buys."""
    if part == 1:
        return sf.Budget(epsilon, DELTA)
    goal, low, high = sf.Budget(epsilon, DELTA).rho / part, 0.0, epsilon
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if sf.Budget(middle, DELTA).rho < goal else (low, middle)
    return sf.Budget(high, DELTA)


def released(
    table: Table, spent: sf.Budget, noise: int, *, grouped: bool = False, bins: int | None = None
) -> ScoreplotRelease:
    """Return a simulated release.

    Privacy
    -------
    None, as all simulations.
    """
    with seeded(noise):
        return sf.scoreplot(
            table.frame(),
            columns=table.columns,
            bounds=table.bounds,
            bins=bins,
            hue="group" if grouped else None,
            hue_order=table.group_names if grouped else None,
            budget=spent,
        )


def components(table: Table, spent: sf.Budget, noise: int) -> PcaRelease:
    """Return simulated components alone.

    Privacy
    -------
    None, as all simulations.
    """
    with seeded(noise):
        return sf.pca(table.frame(), columns=table.columns, bounds=table.bounds, budget=spent)


def picture(release: ScoreplotRelease) -> Picture:
    """Return a release as it is compared: all groups together."""
    x, y = ((grid.bounds.lower, grid.bounds.upper) for grid in (release.x, release.y))
    frame = CellWindow(x, y, release.x.cells)
    origin = np.array(release.pca.origin) * release.pca.lattice.unit
    directions = release.pca.components[[axis - 1 for axis in release.axes]]
    mass: Floats = release.mass.sum(axis=0)
    # Where noise hides everything there is no mass, and any place is as likely as another.
    return Picture(mass if mass.sum() > 0 else np.ones(mass.shape), frame, directions, origin)
