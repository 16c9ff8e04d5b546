"""Boxes of simulated samples: the chart as users have it, on an engine that costs no time."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

import sfumato as sf
from boxplots.memory import GROUP, VALUE, MemoryEngine
from sfumato.charts.boxplot.chart import Boxplot
from sfumato.charts.boxplot.plan import BoxplotPlan
from sfumato.metrics.boxplot import boxplot_errors
from sfumato.postprocess.box import Box
from sfumato.testing import measure_planned

Floats = NDArray[np.float64]

METHODS = ("fence", "dpboxplot", "jointexp", "approx", "single", "unbounded")
METRICS = ("location", "scale", "skewness", "tails")
NONPRIVATE = "non-private"
BOUNDS = (-50.0, 50.0)


@cache
def _request(
    method: str, epsilon: float, groups: int, buffer: float
) -> tuple[Boxplot, BoxplotPlan]:
    """Return a chart and its plan; both know public facts only, so one of each is enough."""
    names = [str(group) for group in range(groups)]
    chart = Boxplot(x=GROUP if groups else None, y=VALUE, method=method, buffer=buffer)
    domain = sf.Domain({VALUE: BOUNDS, GROUP: names} if groups else {VALUE: BOUNDS})
    return chart, chart.plan(domain, sf.PrivacyUnit.rows(), sf.Budget(epsilon))


def boxes(
    engine: MemoryEngine, method: str, epsilon: float, groups: int = 0, buffer: float = 0.25
) -> list[Box]:
    """Return one box for each group, or for all rows where there are none.

    Privacy
    -------
    None, as all simulations.
    """
    chart, plan = _request(method, epsilon, groups, buffer)
    return [summary.box for summary in measure_planned(chart, engine, plan).summaries]


def distances(box: Box, truth: Box) -> Floats:
    """Return the four errors of a box, in the order of `METRICS`."""
    found = boxplot_errors(box, truth)
    return np.array([found.location, found.scale, found.skewness, found.tails])
