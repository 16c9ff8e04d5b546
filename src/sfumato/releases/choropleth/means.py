"""`RegionalMeansRelease`: noisy means, sums, medians or proportions of public regions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Figure
from sfumato.grid import Labels
from sfumato.regions import Areas
from sfumato.releases.choropleth import find_window, name_regions, write_regions
from sfumato.releases.heatmap.area import Aspect, on_earth
from sfumato.releases.means import GroupedRelease
from sfumato.releases.release import Endings
from sfumato.releases.spelling import Parameter
from sfumato.render.look import Looks


@dataclass(frozen=True, kw_only=True)
class RegionalMeansRelease(GroupedRelease):
    """A mean, a sum, a median or a proportion for each region of a map, in panels if asked.

    Parameters
    ----------
    regions
        The public regions, with the columns that say where a row lies. A row lies in the first
        that holds it.
    aspect
        ``"map"`` for degrees of longitude and latitude, ``"equal"`` where both axes have the same
        unit, ``"free"`` for any others.
    """

    kind: ClassVar[str] = "regional_means"
    indent: ClassVar[int | None] = None
    endings: ClassVar[Endings] = {".geojson": lambda release: release.to_geojson()}

    regions: Parameter[Areas]
    aspect: Parameter[Aspect]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.estimator == "count":
            raise ValueError("Counts of regions are a release of their own.")
        if self.aspect == "map" and not on_earth(*find_window(self.regions)):
            raise ValueError("A map of the earth has degrees along its sides.")

    @property
    def keys(self) -> tuple[Labels | Areas, ...]:
        """The panels there are and the regions, in the order of the numbers."""
        return (*self.facets, self.regions)

    @property
    def places(self) -> list[dict[str, Any]]:
        """Which region of which panel each number is of."""
        return name_regions(self.panels, self.regions)

    @property
    def muted(self) -> NDArray[np.bool_]:
        """Where there are too few data, or noise alone could have made a sum or all differences."""
        told = self.estimates
        if self.estimator == "sum":
            return ~told.reliable | ((told.low <= 0) & (told.high >= 0))
        return ~told.reliable | self.alike

    @property
    def alike(self) -> bool:
        """Whether all regions that are told could have one number."""
        told = self.estimates
        low, high = (ends[told.reliable] for ends in (told.low, told.high))
        return low.size > 1 and bool(low.max() <= high.min())

    def to_geojson(self) -> dict[str, Any]:
        """Return the regions as a GeoJSON FeatureCollection, each with its number and its interval.

        Panels follow each other. The collection carries a foreign member, ``sfumato``, that says
        what protects whom.
        """
        return write_regions(self, self.regions, self.measure, self.uncertainty.coverage)

    def figure(self, **look: Unpack[Looks]) -> Figure:
        """Describe the picture as plain data: every region in the colour of its number."""
        from sfumato.releases.choropleth import figure

        return self._dressed(figure.draw_means(self), look)

    def caption(self) -> str:
        """Say what protects whom, and how sure we are of the numbers."""
        from sfumato.releases.choropleth import figure

        return figure.caption_means(self)
