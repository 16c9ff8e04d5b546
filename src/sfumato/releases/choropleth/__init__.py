"""`ChoroplethRelease`: noisy counts of public regions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Bounds
from sfumato.figure import Figure
from sfumato.grid import Grid, shape
from sfumato.postprocess.noise_law import NoiseLaw, proportions
from sfumato.privacy.budget import Cost
from sfumato.regions import Areas, write_areas
from sfumato.releases import wording
from sfumato.releases.facets import FacetedRelease
from sfumato.releases.heatmap.area import Area, Aspect, on_earth
from sfumato.releases.histogram import Stat
from sfumato.releases.release import Endings
from sfumato.releases.spelling import Integer, Parameter, Released, Step
from sfumato.releases.uncertainty import Uncertainty
from sfumato.render.look import Looks

_NAME, _OTHER = "region", "area"


def find_window(regions: Areas) -> tuple[Grid, Grid]:
    """Return the smallest window around all regions, as one cell along each axis."""
    left, right, bottom, top = regions.box
    return Grid(regions.x, Bounds(left, right), 1), Grid(regions.y, Bounds(bottom, top), 1)


def name_regions(panels: Sequence[Mapping[str, Any]], regions: Areas) -> list[dict[str, Any]]:
    """Return which region of which panel each number is of, all of the first panel first."""
    name = _OTHER if any(_NAME in panel for panel in panels) else _NAME
    return [{**panel, name: region} for panel in panels for region in regions.names]


def write_regions(
    release: FacetedRelease, regions: Areas, measure: str, coverage: float
) -> dict[str, Any]:
    """Return regions as GeoJSON, each with its record, and with what protects whom."""
    guarantee = release.guarantee
    told: dict[str, Any] = {
        "label": release.label,
        "private": release.private,
        "guarantee": wording.guarantee(release),
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "unit": str(guarantee.unit),
        "measure": measure,
        "coverage": coverage,
    }
    records = [{name: _null(value) for name, value in each.items()} for each in release.records()]
    areas = regions.areas * len(release.panels)
    return {**write_areas(areas, records), "sfumato": told}


def _null(value: Any) -> Any:
    """Return what JSON has in place of a number that is not told."""
    return None if isinstance(value, float) and math.isnan(value) else value


@dataclass(frozen=True, kw_only=True)
class ChoroplethRelease(FacetedRelease):
    """Noisy counts of regions, in panels if asked.

    Parameters
    ----------
    regions
        The public regions, with the columns that say where a row lies. A row lies in the first
        that holds it.
    stat
        What the figure shows. Counts are kept in any case: a proportion is a count over the sum of
        all counts, or 0 where that sum is not above zero, and a density is a count over the size
        of its region.
    aspect
        ``"map"`` for degrees of longitude and latitude, ``"equal"`` where both axes have the same
        unit, ``"free"`` for any others.
    noise
        The law of the noise on each integer.
    step
        What one integer is worth: 1, or 2**-30 where a person's rows share its weight.
    steps
        One noisy integer for each region: all of the first panel, then of the next. Times `step`
        it is a count, unbiased and so sometimes below zero.
    """

    kind: ClassVar[str] = "choropleth"
    indent: ClassVar[int | None] = None
    by_panel: ClassVar[tuple[str, ...]] = ("steps",)
    endings: ClassVar[Endings] = {".geojson": lambda release: release.to_geojson()}

    regions: Parameter[Areas]
    stat: Parameter[Stat]
    aspect: Parameter[Aspect]
    noise: Parameter[NoiseLaw]
    step: Parameter[Step]
    steps: Released[tuple[Integer, ...]]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.steps) != np.prod(shape(self._keys)):
            raise ValueError("A choropleth has one integer per region.")
        window = find_window(self.regions)
        if self.aspect == "map" and not on_earth(*window):
            raise ValueError("A map of the earth has degrees along its sides.")
        if self.stat == "density" and not (self.sizes > 0).all():
            raise ValueError("What has no size has no density.")

    @property
    def _keys(self) -> tuple[Any, ...]:
        return (*self.facets, self.regions)

    @property
    def area(self) -> Area:
        """What densities are told per: a choice of the regions alone."""
        return Area.of(*find_window(self.regions), self.aspect)

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """How many such areas each region holds."""
        polygons = (region.polygons for region in self.regions.areas)
        return np.array([sum(map(self.area.measure, each)) for each in polygons])

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """The noisy counts, panels first and regions last; unbiased, and so sometimes below 0."""
        return np.array(self.steps, dtype=np.float64).reshape(shape(self._keys)) * self.step

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """What the figure shows: `counts`, or what `stat` makes of them."""
        match self.stat:
            case "count":
                return self.counts
            case "density":
                return self.counts / self.sizes
            case "proportion":
                return proportions(self.counts)

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """Intervals around `numbers`, known from the noise and not from the data."""
        if self.stat == "proportion":
            steps = np.array(self.steps, dtype=np.float64)
            return Uncertainty.of_proportions(steps, self.noise, np.ones_like(steps))
        sure = Uncertainty.of_counts(self.counts.ravel(), self.noise, self.step)
        if self.stat == "count":
            return sure
        return sure.multiplied(np.broadcast_to(1 / self.sizes, self.counts.shape).ravel())

    @property
    def muted(self) -> NDArray[np.bool_]:
        """Where noise alone could have made the number, all regions of all panels together."""
        counted = Uncertainty.of_counts(self.counts.ravel(), self.noise, self.step)
        return np.reshape(np.array(counted.simultaneous.low) <= 0, self.counts.shape)

    @property
    def least_cost(self) -> Cost:
        """What the noise on the counts costs."""
        return self.noise.cost(self.guarantee.unit.weight)

    @property
    def measure(self) -> str:
        """What the numbers are."""
        unit = self.guarantee.unit
        match self.stat:
            case "count":
                return wording.counted(unit)
            case "density":
                return f"{unit.counted} per {self.area.words}"
            case "proportion":
                return self.stat

    def records(self) -> list[dict[str, Any]]:
        """Return one record per region and panel: its name, its number and its intervals."""
        sure = self.uncertainty
        numbers = {
            self.stat: self.numbers.ravel().tolist(),
            "low": sure.pointwise.low,
            "high": sure.pointwise.high,
            "low_all": sure.simultaneous.low,
            "high_all": sure.simultaneous.high,
        }
        rows = [dict(zip(numbers, row, strict=True)) for row in zip(*numbers.values(), strict=True)]
        places = name_regions(self.panels, self.regions)
        return [place | row for place, row in zip(places, rows, strict=True)]

    def to_geojson(self) -> dict[str, Any]:
        """Return the regions as a GeoJSON FeatureCollection, each with its number and intervals.

        Panels follow each other. The collection carries a foreign member, ``sfumato``, that says
        what protects whom.
        """
        coverage = self.uncertainty.pointwise.coverage
        return write_regions(self, self.regions, self.measure, coverage)

    def figure(self, **look: Unpack[Looks]) -> Figure:
        """Describe the picture as plain data: every region in the colour of its number."""
        from sfumato.releases.choropleth import figure

        return self._dressed(figure.figure(self), look)

    def caption(self) -> str:
        """Say what protects whom, and how noisy the numbers are."""
        from sfumato.releases.choropleth import figure

        return figure.caption(self)
