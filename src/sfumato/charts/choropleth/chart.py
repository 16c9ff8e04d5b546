"""`Choropleth`: counts of public regions, or means of a column in them, drawn as a map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from sfumato.charts.allocation import Allocation, add_noise
from sfumato.charts.axes import Range, declare_bounds, declare_categories
from sfumato.charts.chart import Chart, Plan
from sfumato.charts.choropleth.means import RegionalMeans
from sfumato.charts.facets import WHOLE, Faceted, Facets, PanelOrder
from sfumato.charts.heatmap.method import choose_aspect
from sfumato.charts.means.chart import CLIP, ClipRule, MeansPlan, about_levels, draw_as
from sfumato.charts.option import About, Example, Ranges, explained
from sfumato.charts.values import SEARCH
from sfumato.domain import Domain
from sfumato.engines.engine import Engine, Schema
from sfumato.engines.locating import check_geometry
from sfumato.errors import DomainError, Setting, Settings
from sfumato.grid import Labels, shape
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.private_search import Private
from sfumato.regions import Areas, Region, Regions, read_areas
from sfumato.releases.choropleth import ChoroplethRelease, find_window
from sfumato.releases.choropleth.means import RegionalMeansRelease
from sfumato.releases.heatmap.area import Aspect, on_earth
from sfumato.releases.histogram import Stat
from sfumato.releases.uncertainty import LEVEL

RegionalEstimator = Literal["mean", "sum", "median", "proportion"]

_UNASKED = ("mean", "private", None, None)
_SHARED = (
    *("estimator", "clip", "levels", "bounds", "where"),
    *("col", "row", "col_order", "row_order", "col_wrap"),
)
"""What a value is asked with as bars are."""


@explained
@dataclass(frozen=True)
class Choropleth(
    Faceted, Chart["ChoroplethPlan | MeansPlan", ChoroplethRelease | RegionalMeansRelease]
):
    """Counts of rows or people in public regions, or means of a column, in panels if asked.

    Each row lies in the first region that holds its point, and in none where no region does.

    Examples
    --------
    >>> from sfumato.testing import districts
    >>> chart = Choropleth(x="lon", y="lat", regions=districts())
    >>> plan = chart.plan(Domain(), PrivacyUnit.rows(), Budget(epsilon=0.5))
    >>> plan.noise.scale, round(plan.expected_error, 2)
    (2.0, 1.92)
    >>> Choropleth("lon", "lat", districts(), value="price", estimator="median").label
    'median of price by region of lon and lat'
    """

    verb = "choropleth"
    summary = "Count rows or people in the regions of a map, or show means of a column there."
    privacy = (
        "All regions and panels together are charged once, with the search for where to clip "
        "`value`."
    )
    ranges = Ranges(
        help="The public range of `value`, ``(lower, upper)``, however generous; or "
        "``sf.private()`` where nothing is known. Counts need none: regions say where to look.",
        typed="The range of value, or of a named column; private where nothing is known. Counts "
        "need none: regions say where to look.",
        type="Range | Private | Mapping[str, Range] | None",
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

    value: str | None = field(
        default=None,
        metadata=About(
            help="The column of numbers that each region tells the mean of, or of categories for "
            "a proportion; left out, rows or people are counted.",
            metavar="COLUMN",
        ),
    )
    estimator: RegionalEstimator = field(
        default="mean",
        metadata=About(
            help="What is told of `value` in each region: its mean, sum or median, or the "
            "proportion of a category: the last of its `levels`.",
            why="It decides what colours mean.",
        ),
    )
    clip: ClipRule = field(default="private", metadata=CLIP)
    levels: PanelOrder | None = field(default=None, metadata=about_levels("`value`"))
    bounds: Private | None = field(default=None, metadata=SEARCH)

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
        if self.value is not None:
            self._check_value()
        elif (self.estimator, self.clip, self.levels, self.bounds) != _UNASKED:
            raise DomainError(
                "An estimator, a clip, levels and a search for bounds are for a value.",
                "Without its column there are only rows to count.",
                ("Name the column: ", Setting("value", "price"), "."),
            )

    def _check_value(self) -> None:
        """Refuse what has no mean, and read what is listed."""
        if self.stat != "count":
            raise DomainError(
                (Setting("stat", self.stat), " is for counts."),
                "Of a value there is an estimator.",
                ("Leave stat out, or write ", Setting("estimator", "mean"), "."),
            )
        object.__setattr__(self, "levels", self._means.levels)

    @property
    def _means(self) -> RegionalMeans:
        """What is asked of a value."""
        return RegionalMeans(
            y=self.value,
            areas=self.areas,
            aspect=self._find_aspect(),
            **{name: getattr(self, name) for name in _SHARED},
        )

    @property
    def question(self) -> Choropleth:
        """The means, where sums follow from the same numbers, which are paid for once."""
        summed = self.value is not None and self.estimator == "sum"
        return replace(self, estimator="mean") if summed else self

    def arrange(self, release: Any) -> Any:
        """Return the same numbers as what is asked for."""
        if self.value is None:
            return super().arrange(release)
        return draw_as(super().arrange(release), self._means, "bars")

    @property
    def one_range(self) -> bool:
        """Whether one pair of bounds says it all."""
        return self.value is not None

    @property
    def areas(self) -> Areas:
        """The regions, and the columns that say where a row lies."""
        return Areas(self.x, self.y, cast(tuple[Region, ...], self.regions))

    def declare(self, bounds: Range | Private | Mapping[str, Range] | None) -> Domain:
        """Return what a choropleth declares alone: ranges of its value, panels and conditions."""
        pair = bounds is not None and not isinstance(bounds, Mapping)
        if pair and (self.value is None or self.estimator == "proportion"):
            raise DomainError(
                "A choropleth of counts or proportions needs no bounds.",
                "Its regions say where people are counted.",
                ("Leave ", Setting("bounds"), " out."),
            )
        facts = declare_bounds(self.value or self.x, bounds)
        facts |= declare_categories({self.value: self.levels})
        return Domain(facts | self._declare_facets())

    @property
    def label(self) -> str:
        """What is asked, in words."""
        if self.value is not None:
            return self._means.label
        return f"map of {self.x} and {self.y}, by region{self._for_each}"

    def _find_aspect(self) -> Aspect:
        x, y = find_window(self.areas)
        usual = "map" if choose_aspect(x, y, "lower") == "map" else "equal"
        return self.aspect or usual

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> ChoroplethPlan | MeansPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        areas = self.areas
        check_geometry(areas, apart=self.stat == "density")
        check_aspect(areas, self.aspect)
        if self.value is not None:
            return self._means.plan(domain, unit, budget)
        portion = Allocation.of(budget)
        return ChoroplethPlan(
            label=self.label,
            guarantee=Guarantee(budget.epsilon, budget.delta, unit),
            cost=portion.cost(unit.weight),
            regions=areas,
            stat=self.stat,
            aspect=self._find_aspect(),
            noise=portion.law(unit.weight),
            facets=self._read_facets(domain),
        )

    def measure(
        self, engine: Engine, plan: ChoroplethPlan | MeansPlan, meter: Meter
    ) -> ChoroplethRelease | RegionalMeansRelease:
        """Count each region, or add up a value in each, and add noise.

        Privacy
        -------
        Of a value as `RegionalMeans` states. All regions are counted by one query over all panels
        together, which one unit can move by its weight: a row lies in one region at most
        (`sfumato.engines.locating`). Counts spend the plan's cost.
        """
        if isinstance(plan, MeansPlan):
            return self._means.measure(engine, plan, meter)
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


def check_aspect(areas: Areas, aspect: Aspect | None) -> None:
    """Refuse a map of the earth of what does not lie on it."""
    if aspect == "map" and not on_earth(*find_window(areas)):
        raise DomainError(
            (Setting("aspect", "map"), " is for degrees of longitude on x and latitude on y."),
            "Other coordinates would give distances without meaning.",
            ("Write ", Setting("aspect", "equal"), ", or leave it out."),
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
