"""The k-median of a release against that of the data: Appendix A, and ``heat.centers(k)``."""

from __future__ import annotations

from typing import cast

import numpy as np

import sfumato as sf
from heatmaps.crowd import Crowd, Floats
from heatmaps.demands import Demand
from heatmaps.mixture import named
from heatmaps.study import Task
from sfumato.charts.heatmap.chart import Heatmap
from sfumato.engines.engine import Engine
from sfumato.exact import Exact
from sfumato.plane import Plane, Weight
from sfumato.postprocess.median import cost, find_centers
from sfumato.testing import measure_planned, seeded

USERS, EPSILON, K, MOST = 5000, 5.0, 5, 1.2
KINDS = ((5, 10), (20, 30), (80, 75))
"""Gaussians, and the percent of cells they fill: as many as centers, more, and many more."""


class CrowdEngine:
    """Answers the one thing a heatmap asks of an engine, from a crowd in memory."""

    def __init__(self, people: Crowd) -> None:
        self._people = people

    def masses(self, plane: Plane, unit: sf.PrivacyUnit, weight: Weight | None = None) -> Exact:
        """Return the occupied cells and their sums, for people who share their weight.

        Privacy
        -------
        None so far: these are true sums, which one person moves by at most one unit.
        """
        if not unit.shared or weight is not None:
            raise ValueError("A simulated crowd has people, each of whom counts once.")
        return self._people.masses(plane)


def ratio(task: Task) -> float:
    """Return the cost of a release's centers on the data, over that of the data's own."""
    people = task.crowd()
    points = np.column_stack([people.x, people.y])
    weight = people.steps.astype(np.float64)
    with seeded(task.noise("adaptive")):
        found = released(people, task.epsilon)
    return cost(points, weight, found) / cost(points, weight, find_centers(points, weight, K))


def released(people: Crowd, epsilon: float) -> Floats:
    """Return the centers of a simulated release."""
    chart = Heatmap("x", "y")
    unit = sf.PrivacyUnit.users("user")
    plan = chart.plan(sf.Domain(x=(0, 1), y=(0, 1)), unit, sf.Budget(epsilon))
    release = measure_planned(chart, cast(Engine, CrowdEngine(people)), plan)
    return np.array([(center.x, center.y) for center in release.centers(K)])


def print_centers(runs: int) -> bool:
    """Print the ratios, and tell whether all are small enough."""
    print(f"\n== Appendix A: {K}-median, n = {USERS}, ε = {EPSILON:g}, {runs} runs each")
    met = True
    for gaussians, percent in KINDS:
        place = named(gaussians, percent)
        found = [ratio(Task(place, USERS, (256, 256), EPSILON, run)) for run in range(runs)]
        spread = f"mean {np.mean(found):.4f}, from {min(found):.4f} to {max(found):.4f}"
        print(f"  {gaussians} Gaussians over {percent} % of cells: cost ratio {spread}")
        demand = Demand(f"largest cost ratio, {gaussians} Gaussians", max(found), MOST)
        print(f"  {demand}")
        met &= demand.met
    return met
