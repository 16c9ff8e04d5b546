"""`RegionalMeans`: what bars of groups ask, by the regions of a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.charts.means.chart import Barplot, MeansPlan
from sfumato.domain import Domain
from sfumato.engines.engine import Engine
from sfumato.mechanisms.meter import Meter
from sfumato.regions import Areas
from sfumato.releases.choropleth.means import RegionalMeansRelease
from sfumato.releases.heatmap.area import Aspect


@dataclass(frozen=True, kw_only=True)
class RegionalMeans(Barplot):
    """Means, sums, medians or proportions of `y` in public regions.

    Parameters
    ----------
    areas
        The regions, and the columns that say where a row lies.
    aspect
        How the map is drawn.
    """

    areas: Areas
    aspect: Aspect

    @property
    def label(self) -> str:
        """What is asked, in words."""
        areas = self.areas
        return f"{self.estimator} of {self.y} by region of {areas.x} and {areas.y}{self._for_each}"

    def find_groups(self, domain: Domain) -> Areas:  # noqa: ARG002 - regions say where they are
        """Return the regions."""
        return self.areas

    def measure(self, engine: Engine, plan: MeansPlan, meter: Meter) -> Any:
        """Search for where to clip, add up by regions, add noise.

        Privacy
        -------
        As bars are measured: a row lies in one region at most (`sfumato.engines.locating`), so all
        regions and panels are groups of one query.
        """
        told = self.measure_groups(engine, plan, meter, [*plan.facets.keys, self.areas])
        return RegionalMeansRelease(regions=self.areas, aspect=self.aspect, **told)
