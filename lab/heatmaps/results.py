"""`Results`: the means of one experiment under one filter."""

from __future__ import annotations

import math
from dataclasses import dataclass

from boxplots.summary import Estimate, mean, ratio
from heatmaps.crowd import Floats
from heatmaps.experiments import Experiment
from heatmaps.measuring import METRICS, THEIRS
from heatmaps.store import Store

LARGE = ("similarity", "pearson")
"""The metrics that are better when they are larger."""


@dataclass(frozen=True)
class Results:
    """What a store holds of one experiment, under a filter of one width."""

    store: Store
    experiment: Experiment
    sigma: float

    @property
    def points(self) -> list[str]:
        """The values of what is varied, as they are printed."""
        return list(self.experiment.points)

    def mean(self, point: str, method: str, metric: str) -> Estimate:
        """Return the mean of a metric."""
        return mean(self._runs(point, method, metric))

    def ratio(self, point: str, method: str, metric: str, theirs: str = THEIRS) -> Estimate:
        """Return a mean over that of another method, on the same people."""
        runs = (self._runs(point, each, metric) for each in (method, theirs))
        return ratio(*runs)

    def overall(self, method: str, metric: str, theirs: str = THEIRS) -> float:
        """Return the geometric mean of all ratios."""
        logs = [math.log(self.ratio(point, method, metric, theirs).value) for point in self.points]
        return math.exp(sum(logs) / len(logs))

    def _runs(self, point: str, method: str, metric: str) -> Floats:
        found = self.store.get(self.experiment.points[point], method, self.sigma)
        return found[:, METRICS.index(metric)]
