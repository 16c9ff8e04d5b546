"""`Histogram`: counts in public cells. The worked example for every chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from sfumato.charts.allocation import CategorySearch, add_noise, divide_budget, run_searches
from sfumato.charts.axes import (
    HUE,
    HUE_ORDER,
    Bins,
    Clipping,
    Order,
    Range,
    about_order,
    convert_bins,
    declare_categories,
    is_cycle,
    make_axis_key,
    read_labels,
    read_order,
    select_axis_bins,
)
from sfumato.charts.chart import Chart, Plan, describe_text_columns
from sfumato.charts.facets import WHOLE, Faceted, Facets
from sfumato.charts.option import About, Example, Ranges, explained
from sfumato.domain import Bounds, Categories, Domain
from sfumato.engines.engine import Engine, Schema
from sfumato.errors import BoundsOf, DomainError, Setting, Worded
from sfumato.grid import Edges, Grid, Key, Labels, shape
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Budget, plain_above
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases.histogram import HistogramRelease, Stat
from sfumato.releases.uncertainty import LEVEL

_PARTS = Worded("bins=('hour of day', 'weekday')", in_shell="--bins 'hour of day' --bins weekday")


@explained
@dataclass(frozen=True)
class Histogram(Faceted, Chart["HistogramPlan", HistogramRelease]):
    """Counts of `x`, or of `x` and `y`, by `hue` and in panels if asked.

    Examples
    --------
    >>> chart = Histogram(x="age", hue="ward", bins=10)
    >>> domain = Domain(age=(0, 100), ward=["A", "B"])
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=0.5))
    >>> plan.noise.scale, round(plan.expected_error, 2)
    (2.0, 1.92)
    """

    verb = "histplot"
    views = ("sort", "top", "orient", "multiple")
    summary = "Count rows or people in bins or categories, in one dimension or two."
    privacy = "All bins, groups and panels together are charged once."
    ranges = Ranges(
        help="The public range of `x`, ``(lower, upper)``; of two columns "
        '``{"lon": (…), "lat": (…)}``. Edges of bins are bounds too.',
        typed="The range of x, or of a named column; repeat for several. Dates are 2026-01-31, "
        "whole numbers from 1 to 12 are 1..12.",
    )
    example = Example(
        table="city(people=500)",
        asks='x="age", bins=10',
        bounds="(0, 100)",
        domain='{"age": (0, 100)}',
        budget="1.0",
        shows="len(release.counts)",
        gives="10",
        command="histplot visits.csv --x age --bounds 0,110 --unit user_id --epsilon 0.5",
    )

    x: str = field(
        metadata=About(
            help="The column along the x axis: binned if it has bounds, one bar per category if "
            "it has categories.",
            metavar="COLUMN",
            positional=True,
        )
    )
    y: str | None = field(
        default=None,
        metadata=About(
            help="The column along the y axis, for counts in two dimensions.",
            metavar="COLUMN",
            positional=True,
        ),
    )
    hue: str | None = field(default=None, metadata=HUE)
    bins: Bins | None = field(
        default=None,
        metadata=About(
            help="The number of bins, or their edges; of dates also `hour`, `day`, `week`, "
            "`month`, `quarter` or `year`, and `hour of day`, `weekday` or `month of year`, which "
            "need no bounds. Left out, whole numbers and dates are cut into at most 40 bins "
            "between their values, anything else into 20.",
            python="For two dimensions a pair of any.",
            typed="Edges are 0,18,65,110; give it twice for two axes, first x, then y.",
            metavar="BINS",
            spelled="bins",
        ),
    )
    stat: Stat = field(
        default="count",
        metadata=About(
            help="What the numbers are: counts, proportions of the noisy total, or densities.",
            why="It decides what the axis means.",
        ),
    )
    outside: Clipping = field(
        default="clip",
        metadata=About(
            help="Whether values beyond the bounds are clipped to them or dropped, to zoom in.",
            why="It decides who is counted.",
        ),
    )
    order: Order | None = field(default=None, metadata=about_order("`x`"))
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "bins", convert_bins(self.bins))
        columns = [column for column in (self.x, self.y, self.hue) if column is not None]
        if len(set(columns)) != len(columns) and not self._has_two_parts:
            raise DomainError(
                "x, y and hue must be different columns.",
                "A column against itself shows nothing, and costs the same.",
                ("Leave one out; of dates two parts can be shown: ", _PARTS, "."),
            )
        if self.hue is None and self.hue_order is not None:
            raise DomainError(
                (Setting("hue_order"), " needs a hue."),
                "Without one there are no groups to put in order.",
                ("Write ", Setting("hue", "ward"), ", or leave ", Setting("hue_order"), " out."),
            )

    def declare(self, bounds: Range | Mapping[str, Range] | None) -> Domain:
        """Return what a histogram declares alone; edges of bins are bounds too."""
        facts: dict[str, object] = dict(bounds) if isinstance(bounds, Mapping) else {}
        if any(isinstance(fact, Private) for fact in (bounds, *facts.values())):
            raise DomainError(
                "A histogram cannot search for its bounds.",
                "Bins found from the data would have to be paid for too.",
                ("Declare a range you can defend: ", BoundsOf(self.x), "."),
            )
        if bounds is not None and not isinstance(bounds, Mapping):
            if self.y is not None:
                raise DomainError(
                    "One pair of bounds cannot serve x and y.",
                    "Each column has its own public range.",
                    ("Write ", BoundsOf(self.x, self.y), "."),
                )
            facts[self.x] = Bounds.of(bounds)
        facts |= declare_categories({self.x: self.order, self.hue: self.hue_order})
        facts |= self._declare_facets()
        if self.x not in facts and self.y is None and isinstance(self.bins, tuple):
            edges = cast(tuple[float, ...], self.bins)  # or dates
            facts[self.x] = Bounds.of((*edges[:1], *edges[-1:]))
        return Domain(facts)

    @property
    def _has_two_parts(self) -> bool:
        """Whether x and y are one column of dates, of which each shows another part."""
        parts = self.bins if isinstance(self.bins, tuple) and self.x == self.y else ()
        different = len(parts) == 2 and parts[0] != parts[1]
        return different and all(map(is_cycle, parts)) and self.hue != self.x

    @property
    def one_range(self) -> bool:
        """Whether one pair of bounds says it all."""
        return self.y is None

    @property
    def label(self) -> str:
        """What is asked, in words."""
        against = f" and {self._name(self.y, 1)}" if self.y else ""
        by = f" by {self.hue}" if self.hue else ""
        return f"histogram of {self._name(self.x, 0)}{against}{by}{self._for_each}"

    def _name(self, column: str, axis: int) -> str:
        bins = self.bins[axis : axis + 1] if self.y and isinstance(self.bins, tuple) else self.bins
        part = bins[0] if isinstance(bins, tuple) and bins else bins
        return f"{column} ({part})" if is_cycle(part) else column

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> HistogramPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        orders = {self.x: read_order(self.order), self.hue or "": read_order(self.hue_order)}
        asked = {name: order for name, order in orders.items() if isinstance(order, Private)}
        division = divide_budget(budget, asked, unit)
        searches, left = division.searches, division.left
        cost = division.cost + left.cost(unit.weight)
        plan = HistogramPlan(
            label=self.label,
            guarantee=Guarantee(budget.epsilon, budget.delta or plain_above(cost.delta), unit),
            cost=cost,
            hue=searches.get(self.hue or "") or self._hue(domain),
            x=searches.get(self.x) or self._axis(domain, self.x, 0),
            y=self._axis(domain, self.y, 1) if self.y else None,
            stat=self.stat,
            noise=left.law(unit.weight),
            facets=self._read_facets(domain),
        )
        if self.bins is not None and not any(_is_binned(axis) for axis in plan.axes):
            raise DomainError(
                f"The categories of {self.x!r} have no bins.",
                "They are counted one by one.",
                "Leave bins out, or declare bounds for a column of numbers.",
            )
        return plan

    def check_view(self, plan: HistogramPlan, view: Mapping[str, Any]) -> None:
        """Refuse a way to draw that the release does not have, before anything is charged."""
        from sfumato.releases.histogram.figure import check_view

        super().check_view(plan, view)
        check_view(listed=not isinstance(plan.x, Grid | Edges) and plan.y is None, **view)

    def measure(self, engine: Engine, plan: HistogramPlan, meter: Meter) -> HistogramRelease:
        """Search for categories where asked, count, add noise.

        Privacy
        -------
        All cells are counted by one query over all groups and panels together, which one unit can
        move by its weight. Searches and counts spend at most the plan's cost, or nothing is
        published.
        """
        hue, x, y = axes = run_searches(engine, meter, (plan.hue, plan.x, plan.y))
        keys = [*plan.facets.keys, *(key for key in axes if key is not None)]
        noisy = add_noise(meter, engine.counts(keys, plan.guarantee.unit), plan.noise)
        return HistogramRelease(
            label=plan.label,
            guarantee=plan.guarantee,
            cost=plan.cost,
            x=cast(Key, x),
            y=y,
            hue=cast(Labels | None, hue),
            stat=plan.stat,
            noise=plan.noise,
            step=plan.guarantee.unit.step,
            steps=tuple(noisy.ravel().tolist()),
            found=tuple(
                axis.column for axis in (plan.hue, plan.x) if isinstance(axis, CategorySearch)
            ),
            **plan.facets.fields,
        )

    def _hue(self, domain: Domain) -> Labels | None:
        return read_labels(domain, self.hue, self.hue_order)

    def _axis(self, domain: Domain, column: str, axis: int) -> Key:
        order = cast(Categories | None, read_order(self.order) if axis == 0 else None)
        return make_axis_key(
            domain,
            column,
            order,
            select_axis_bins(self.bins, axis, 2 if self.y else 1),
            self.outside,
        )


def _is_binned(axis: object) -> bool:
    return isinstance(axis, Grid | Edges) or (isinstance(axis, Labels) and axis.part is not None)


@dataclass(frozen=True)
class HistogramPlan(Plan):
    """The cost of a histogram and the noise on each of its counts.

    Parameters
    ----------
    x, y, hue
        The public cells along each axis, or the search that will find them.
    noise
        The law of the noise on each count, in integer steps.
    facets
        The public categories that have panels.
    """

    x: Key | CategorySearch
    y: Key | None
    hue: Labels | CategorySearch | None
    stat: Stat
    noise: NoiseLaw
    facets: Facets = WHOLE

    def __post_init__(self) -> None:
        shape(self.axes)  # refuses more cells than an answer may have
        flat = [axis for axis in (self.x, self.y) if not isinstance(axis, Grid | Edges | None)]
        if self.stat == "density" and flat:
            raise DomainError(
                f"Categories have no width, so {flat[0].column!r} has no density.",
                "The figure would show a number without meaning.",
                ("Write ", Setting("stat", "proportion"), "."),
            )

    @property
    def expected_error(self) -> float:
        """The mean absolute error of one released count."""
        return self.noise.mean_absolute * self.guarantee.unit.step

    def check(self, schema: Schema) -> None:
        """Refuse a table that lacks a column, or holds another kind, before any charge."""
        searched = [axis.column for axis in self.axes if isinstance(axis, CategorySearch)]
        known = [axis for axis in self.axes if not isinstance(axis, CategorySearch)]
        schema.check(known, self.guarantee.unit, unlisted=searched)

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        step = self.guarantee.unit.step
        searches = [axis for axis in self.axes if isinstance(axis, CategorySearch)]
        return [
            ("noise", f"{self.noise.kind}, scale {self.noise.scale * step:,.4g} on every count"),
            ("expected error", f"{self.expected_error:,.4g} per count"),
            (f"{100 * LEVEL:.0f} % interval", f"± {self.noise.radius(LEVEL) * step:,.4g}"),
            *(axis.line for axis in searches),
            *describe_text_columns(
                axis.bounds for axis in self.axes if isinstance(axis, Grid | Edges)
            ),
        ]

    @property
    def axes(self) -> tuple[Key | CategorySearch, ...]:
        """The axes there are, in the order of the counts."""
        own = (axis for axis in (self.hue, self.x, self.y) if axis is not None)
        return (*self.facets.keys, *own)
