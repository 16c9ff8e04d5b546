"""`Choropleth`: counts of public regions, drawn as a map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from sfumato.charts.allocation import Allocation, add_noise
from sfumato.charts.axes import Range, declare_bounds
from sfumato.charts.chart import Chart, Plan
from sfumato.charts.facets import WHOLE, Faceted, Facets
from sfumato.charts.heatmap.method import choose_aspect
from sfumato.charts.option import About, Example, Ranges, explained
from sfumato.domain import Domain
from sfumato.engines.engine import Engine, Schema
from sfumato.engines.locating import check_geometry
from sfumato.errors import DomainError, Setting, Settings
from sfumato.grid import Labels, shape
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.regions import Areas, Region, Regions, read_areas
from sfumato.releases.choropleth import ChoroplethRelease, find_window
from sfumato.releases.heatmap.area import Aspect, on_earth
from sfumato.releases.histogram import Stat
from sfumato.releases.uncertainty import LEVEL


@explained
@dataclass(frozen=True)
class Choropleth(Faceted, Chart["ChoroplethPlan", ChoroplethRelease]):
    """Counts of rows or people in public regions, in panels if asked.

    Each row lies in the first region that holds its point, and in none where no region does.

    Examples
    --------
    >>> from sfumato.testing import districts
    >>> chart = Choropleth(x="lon", y="lat", regions=districts())
    >>> plan = chart.plan(Domain(), PrivacyUnit.rows(), Budget(epsilon=0.5))
    >>> plan.noise.scale, round(plan.expected_error, 2)
    (2.0, 1.92)
    """

    verb = "choropleth"
    summary = "Count rows or people in the regions of a map."
    privacy = "All regions and panels together are charged once."
    ranges = Ranges(
        help="Public ranges of columns that `where` or panels need; regions say where to look.",
        typed="The range of a named column; regions say where to look.",
        metavar="COLUMN=LOWER,UPPER",
    )
    example = Example(
        table="checkins(people=500)",
        asks='x="lon", y="lat", regions=sf.testing.districts()',
        bounds="None",
        domain="{}",
        unit='"person_id"',
        budget="1.0",
        shows="len(release.counts)",
        gives="6",
        command="choropleth visits.csv --x lon --y lat --regions districts.geojson --unit user_id "
        "--epsilon 0.5",
    )
    endings = (".geojson",)

    x: str = field(
        metadata=About(
            help="The column along the x axis, such as the longitude.",
            metavar="COLUMN",
            positional=True,
        )
    )
    y: str = field(
        metadata=About(
            help="The column along the y axis, such as the latitude.",
            metavar="COLUMN",
            positional=True,
        )
    )
    regions: Regions = field(
        repr=False,
        metadata=About(
            help="The public regions: your own GeoJSON file of polygons, in the units of the "
            "columns. Of several that hold a point the first counts it.",
            python="Its path, or what is in it, or a frame of geopandas.",
            metavar="FILE",
            spelled="regions",
            panel="What is public",
        ),
    )
    name: str = field(
        default="name",
        repr=False,
        compare=False,
        metadata=About(
            help="The property of each polygon that names it.",
            metavar="PROPERTY",
            panel="What is public",
        ),
    )
    stat: Stat = field(
        default="count",
        metadata=About(
            help="What the numbers are: counts, proportions of the noisy total, or densities: "
            "counts per square kilometre, or per square of the axes.",
            why="It decides what colours mean.",
        ),
    )
    aspect: Aspect | None = field(
        default=None,
        metadata=About(
            help="How the map is drawn: map for degrees of longitude and latitude, equal for "
            "one scale on both axes, free to fill the picture. Default: map where the columns are "
            "called so, equal otherwise.",
            why="It decides how regions are drawn, and what the size of a region is.",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "regions", read_areas(self.regions, self.name))
        if self.x == self.y:
            raise DomainError(
                "x and y must be different columns.",
                "A column against itself shows a line, and costs the same.",
                ("Write ", Settings({"x": "lon", "y": "lat"}), "."),
            )
        _ = self.areas  # which refuses what cannot be counted

    @property
    def areas(self) -> Areas:
        """The regions, and the columns that say where a row lies."""
        return Areas(self.x, self.y, cast(tuple[Region, ...], self.regions))

    def declare(self, bounds: Range | Mapping[str, Range] | None) -> Domain:
        """Return what a choropleth declares alone: what its panels and conditions need."""
        if bounds is not None and not isinstance(bounds, Mapping):
            raise DomainError(
                "A choropleth needs no bounds.",
                "Its regions say where people are counted.",
                ("Leave ", Setting("bounds"), " out."),
            )
        return Domain(declare_bounds(self.x, bounds) | self._declare_facets())

    @property
    def label(self) -> str:
        """What is asked, in words."""
        return f"map of {self.x} and {self.y}, by region{self._for_each}"

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> ChoroplethPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        portion = Allocation.of(budget)
        areas = self.areas
        check_geometry(areas, apart=self.stat == "density")
        x, y = find_window(areas)
        usual = "map" if choose_aspect(x, y, "lower") == "map" else "equal"
        return ChoroplethPlan(
            label=self.label,
            guarantee=Guarantee(budget.epsilon, budget.delta, unit),
            cost=portion.cost(unit.weight),
            regions=areas,
            stat=self.stat,
            aspect=self.aspect or usual,
            noise=portion.law(unit.weight),
            facets=self._read_facets(domain),
        )

    def measure(self, engine: Engine, plan: ChoroplethPlan, meter: Meter) -> ChoroplethRelease:
        """Count each region, add noise.

        Privacy
        -------
        All regions are counted by one query over all panels together, which one unit can move by
        its weight: a row lies in one region at most (`sfumato.engines.locating`). Counts spend the
        plan's cost.
        """
        exact = engine.counts(plan.axes, plan.guarantee.unit)
        noisy = add_noise(meter, exact, plan.noise)
        return ChoroplethRelease(
            label=plan.label,
            guarantee=plan.guarantee,
            cost=plan.cost,
            regions=plan.regions,
            stat=plan.stat,
            aspect=plan.aspect,
            noise=plan.noise,
            step=plan.guarantee.unit.step,
            steps=tuple(noisy.ravel().tolist()),
            **plan.facets.fields,
        )


@dataclass(frozen=True)
class ChoroplethPlan(Plan):
    """The cost of a choropleth and the noise on each of its counts.

    Parameters
    ----------
    noise
        The law of the noise on each count, in integer steps.
    facets
        The public categories that have panels.
    """

    regions: Areas
    stat: Stat
    aspect: Aspect
    noise: NoiseLaw
    facets: Facets = WHOLE

    def __post_init__(self) -> None:
        shape(self.axes)  # refuses more cells than an answer may have
        if self.aspect == "map" and not on_earth(*find_window(self.regions)):
            raise DomainError(
                (Setting("aspect", "map"), " is for degrees of longitude on x and latitude on y."),
                "Other coordinates would give distances without meaning.",
                ("Write ", Setting("aspect", "equal"), ", or leave it out."),
            )

    @property
    def axes(self) -> tuple[Labels | Areas, ...]:
        """The panels there are and the regions, in the order of the counts."""
        return (*self.facets.keys, self.regions)

    @property
    def expected_error(self) -> float:
        """The mean absolute error of one released count."""
        return self.noise.mean_absolute * self.guarantee.unit.step

    def check(self, schema: Schema) -> None:
        """Refuse a table that lacks a column, or holds another kind, before any charge."""
        schema.check(self.axes, self.guarantee.unit)

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        step = self.guarantee.unit.step
        return [
            ("regions", f"{self.regions.cells:,}"),
            ("noise", f"{self.noise.kind}, scale {self.noise.scale * step:,.4g} on every count"),
            ("expected error", f"{self.expected_error:,.4g} per count"),
            (f"{100 * LEVEL:.0f} % interval", f"± {self.noise.radius(LEVEL) * step:,.4g}"),
        ]
