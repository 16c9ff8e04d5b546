"""`Barplot`: means, sums, counts and proportions of a column by groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, cast

from sfumato.addend import Addend, Member, addend_weight, count_steps
from sfumato.charts.allocation import (
    Allocation,
    BudgetDivision,
    CategorySearch,
    add_noise,
    divide_budget,
    run_searches,
)
from sfumato.charts.axes import (
    HUE,
    HUE_ORDER,
    AxisBins,
    Bins,
    Order,
    Range,
    about_order,
    convert_bins,
    declare_bounds,
    declare_categories,
    is_cycle,
    list_order,
    make_axis_key,
    read_labels,
    read_order,
)
from sfumato.charts.chart import Chart, Plan, describe_smallest, describe_text_columns
from sfumato.charts.facets import WHOLE, Faceted, Facets, PanelOrder
from sfumato.charts.means.clipping import ClipSearch, DeclaredClip, FoundClip
from sfumato.charts.means.median import PlannedMedians
from sfumato.charts.option import About, Example, Ranges, explained
from sfumato.charts.values import SEARCH, check_search
from sfumato.domain import Bounds, Categories, Domain
from sfumato.engines.engine import Engine, Schema
from sfumato.errors import BoundsOf, DomainError, Setting, Settings
from sfumato.exact import Exact
from sfumato.grid import Edges, Grid, Key, Labels, shape
from sfumato.lattice import Question
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Budget, plain_above, to_fraction
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.private_search import Private
from sfumato.regions import Areas
from sfumato.releases.means import (
    FARTHEST,
    Estimator,
    GroupedRelease,
    GroupMedian,
    MeansRelease,
    MeansView,
)
from sfumato.releases.uncertainty import LEVEL

ClipRule = Literal["private", "bounds"]

CLIP_SHARE = Fraction(1, 4)
"""Of the budget, on a search for where to clip."""

_FEWEST = 2  # values, between which there is nothing to clip


RANGES = Ranges(
    help="The public range of `y`, ``(lower, upper)``, however generous; or ``sf.private()`` "
    'where nothing is known. Where `x` has bins, ``{"day": (…), "wait": (…)}``.',
    typed="The range of y, or of a named column; repeat for several. Dates are 2026-01-31, "
    "whole numbers from 1 to 12 are 1..12; private where nothing is known.",
    type="Range | Private | Mapping[str, Range] | None",
)
"""What `bounds` are where a chart stands alone."""


CLIP = About(
    help="Where values are clipped before they are added up: private finds where noise and bias "
    "together are smallest, for a quarter of the budget; bounds clips at the declared range and "
    "spends nothing.",
    why="It decides how noisy and how biased means are.",
)
"""What every `clip` says about itself."""


def about_levels(column: str) -> About:
    """Return what the categories of a proportion say about themselves."""
    return About(
        help=f"For a proportion: the public categories of {column}, of which the last one is "
        "counted among all of them.",
        session="Default: all that are declared.",
        metavar="A,B",
        spelled="order",
        panel="What is public",
    )


@dataclass(frozen=True)
class Summarised(Faceted):
    """What bars, points and lines of a column by groups are asked with."""

    x: str | None = field(
        default=None,
        metadata=About(
            help="The column of groups along the x axis: its categories, or bins if it has bounds.",
            metavar="COLUMN",
            positional=True,
        ),
    )
    y: str | None = field(
        default=None,
        metadata=About(
            help="The column of numbers; of categories for a proportion. For counts it may be "
            "left out; where it is named, rows with a number are counted.",
            metavar="COLUMN",
            positional=True,
        ),
    )
    hue: str | None = field(default=None, metadata=HUE)
    estimator: Estimator = field(
        default="mean",
        metadata=About(
            help="What is told of each group: the mean, the sum or the median of `y`, how many "
            "there are, or the proportion of a category of `y`: the last of its `levels`.",
            why="It decides what the axis means.",
        ),
    )
    bins: Bins | None = field(
        default=None,
        metadata=About(
            help="The bins of `x`, where it has bounds: their number or their edges; of dates "
            "also `hour`, `day`, `week`, `month`, `quarter` or `year`, and `hour of day`, "
            "`weekday` or `month of year`, which need no bounds.",
            typed="Edges are 0,18,65,110.",
            metavar="BINS",
            spelled="bins",
        ),
    )
    clip: ClipRule = field(default="private", metadata=CLIP)
    order: Order | None = field(default=None, metadata=about_order("`x`"))
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)
    levels: PanelOrder | None = field(default=None, metadata=about_levels("`y`"))
    bounds: Private | None = field(default=None, metadata=SEARCH)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "bins", convert_bins(self.bins))
        columns = [column for column in (self.x, self.y, self.hue) if column is not None]
        if len(set(columns)) != len(columns):
            raise DomainError(
                "x, y and hue must be different columns.",
                "A column against itself shows nothing, and costs the same.",
                "Leave one out.",
            )
        if self.y is None and self.estimator != "count":
            raise DomainError(
                (Setting("estimator", self.estimator), " needs y, the column it is of."),
                "Without it there are only rows to count.",
                ("Write ", Setting("y", "wait"), ", or ", Setting("estimator", "count"), "."),
            )
        self._check_groups()
        self._check_levels()
        check_search(self.bounds)
        unclipped = self.clip == "bounds" or self.estimator == "proportion"
        if self.bounds is not None and (self.y is None or unclipped):
            raise DomainError(
                "A private search for bounds is for numbers that are clipped where it finds them.",
                "Nothing would be searched for.",
                ("Leave ", Setting("bounds"), " out."),
            )

    def _check_levels(self) -> None:
        object.__setattr__(self, "levels", cast(PanelOrder, list_order(self.levels)))
        searched = isinstance(cast(object, self.levels), Private)
        if searched or (self.levels is not None and self.estimator != "proportion"):
            raise DomainError(
                (Setting("levels"), " lists the categories of a proportion."),
                "Which there are must be public.",
                ("Write ", Settings({"estimator": "proportion", "levels": ["no", "yes"]}), "."),
            )

    def _check_groups(self) -> None:
        for name, column in (("hue", self.hue), ("", self.x)):
            order = self.hue_order if name else self.order
            if column is None and order is not None:
                raise DomainError(
                    "An order of categories is given, but there is no such column.",
                    "Without one there are no groups.",
                    "Name the column as x or hue, or leave its order out.",
                )
        if self.bins is not None and self.x is None:
            raise DomainError(
                (Setting("bins", self.bins), " is for x."),
                "Without it there is nothing to cut.",
                ("Name the column: ", Setting("x", "day"), "."),
            )


@explained
@dataclass(frozen=True)
class Barplot(Summarised, Chart["MeansPlan", MeansRelease]):
    """Means or sums of `y`, or counts, by the categories or bins of `x`, by `hue` and in panels.

    Examples
    --------
    >>> chart = Barplot(x="ward", y="wait")
    >>> domain = Domain(wait=(0, 240), ward=["A", "B"])
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=0.5))
    >>> round(plan.expected_error, 2), round(plan.smallest_group)
    (2.67, 24)
    """

    verb = "barplot"
    views = ("orient",)
    summary = "Show means, sums or counts of groups as bars."
    privacy = (
        "The search for where to clip and all groups of all panels together are charged once, and "
        "nothing where the same was asked for before, as bars, points or a line."
    )
    ranges = RANGES
    example = Example(
        table="city(people=2000)",
        asks='x="sex", y="age", order=["female", "male"]',
        bounds="(0, 110)",
        domain='{"age": (0, 110), "sex": ["female", "male"]}',
        budget="1.0",
        shows="len(release.estimates.value)",
        gives="2",
        command="barplot visits.csv --x ward --order A,B --y wait --bounds 0,240 --epsilon 0.5",
    )

    @property
    def question(self) -> Barplot:
        """The means: sums follow from the same numbers, which are paid for once."""
        return replace(self, estimator="mean") if self.estimator == "sum" else self

    def arrange(self, release: Any) -> Any:
        """Return the same numbers as bars of what is asked for."""
        return draw_as(super().arrange(release), self, "bars")

    @property
    def one_range(self) -> bool:
        """Whether one pair of bounds says it all."""
        return self.bins is None or is_cycle(self.bins)

    def declare(self, bounds: Range | Private | Mapping[str, Range] | None) -> Domain:
        """Return what bars declare alone."""
        named = self.x if self.y is None or self.estimator == "proportion" else self.y
        facts = declare_bounds(named or "", bounds)
        facts |= declare_categories({self.x: self.order, self.hue: self.hue_order})
        facts |= declare_categories({self.y: self.levels})
        return Domain(facts | self._declare_facets())

    @property
    def label(self) -> str:
        """What is asked, in words."""
        groups = [column for column in (self._along, self.hue) if column is not None]
        by = f" by {' and '.join(groups)}" if groups else ""
        of = f" of {self.y}" if self.y else ""
        return f"{self.estimator}{of}{by}{self._for_each}"

    @property
    def _along(self) -> str | None:
        return f"{self.x} ({self.bins})" if is_cycle(self.bins) else self.x

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> MeansPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        orders = {self.x or "": read_order(self.order), self.hue or "": read_order(self.hue_order)}
        asked = {name: order for name, order in orders.items() if isinstance(order, Private)}
        bounds, levels = self._bounds(domain), self._read_levels(domain)
        taken = self._taken(bounds)
        division = divide_budget(budget, asked, unit, taken=taken)
        x = division.searches.get(self.x or "") or self.find_groups(domain)
        hue = division.searches.get(self.hue or "")
        hue = hue or read_labels(domain, self.hue, self.hue_order)
        facets = self._read_facets(domain)
        groups = math.prod(shape([*facets.keys, *(key for key in (hue, x) if key is not None)]))
        clip = self._clip(bounds, unit, division.whole.part(taken) if taken else None)
        medians = self._medians(domain, unit, division, groups)
        steps = count_steps(unit) if self.estimator in ("mean", "sum") else 1
        weight = unit.weight
        if self.estimator in ("mean", "sum", "proportion"):
            weight = steps * addend_weight(unit)
        spent = division.left.cost(weight) + clip.cost if medians is None else medians.cost
        cost = division.cost + spent
        return MeansPlan(
            label=self.label,
            guarantee=Guarantee(budget.epsilon, budget.delta or plain_above(cost.delta), unit),
            cost=cost,
            column=self.y,
            bounds=bounds,
            levels=levels,
            clip=clip,
            x=x,
            hue=hue,
            estimator=self.estimator,
            noise=division.left.law(weight) if medians is None else medians.counting.count_law,
            steps=steps,
            medians=medians,
            facets=facets,
        )

    def _medians(
        self, domain: Domain, unit: PrivacyUnit, division: BudgetDivision, groups: int
    ) -> PlannedMedians | None:
        if self.estimator != "median" or self.y is None:
            return None
        return PlannedMedians.plan(
            self.y,
            domain,
            unit,
            division.whole,
            division.left,
            search=self.bounds,
            groups=groups,
        )

    def _bounds(self, domain: Domain) -> Bounds | None:
        """Return the public range of the values, or refuse a column that has no mean."""
        if self.y is None or self.estimator == "proportion":
            return None
        if self.bounds is not None:
            bounds = self.bounds.limits.located(domain.typed(self.y))
        else:
            if isinstance(domain.columns.get(self.y), Categories):
                raise DomainError(
                    f"{self.y!r} has categories, which have no {self.estimator}.",
                    "Only numbers can be added up.",
                    ("Declare its range: ", BoundsOf(self.y), "."),
                )
            bounds = domain.spaced_bounds(self.y)
        if bounds.time:
            raise DomainError(
                f"{self.y!r} has dates or times of day, which have no {self.estimator} here.",
                "Their zero is arbitrary, so that bars would mean nothing.",
                "Ask for their quantiles.",
            )
        if self.estimator == "sum" and max(abs(bounds.lower), abs(bounds.upper)) > FARTHEST:
            raise DomainError(
                f"The bounds of {self.y!r} lie beyond ±{FARTHEST:g}, where sums leave the floats.",
                "They would be told as infinite.",
                ("Declare a narrower range: ", BoundsOf(self.y), "."),
            )
        return bounds

    def _read_levels(self, domain: Domain) -> Labels | None:
        """Return the public categories of a proportion, or refuse a column that has none."""
        if self.estimator != "proportion":
            return None
        if self.levels is None and not isinstance(domain.columns.get(self.y or ""), Categories):
            raise DomainError(
                f"A proportion needs the public categories of {self.y!r}.",
                "Reading them from the data would leak who is in it.",
                ("Write ", Setting("levels", ["no", "yes"]), "."),
            )
        levels = cast(Labels, read_labels(domain, self.y, self.levels))
        if levels.cells < _FEWEST:
            raise DomainError(
                f"A proportion needs two categories of {self.y!r} or more.",
                "Of a single one the proportion is 1, whatever the data.",
                ("Write ", Setting("levels", ["no", "yes"]), "."),
            )
        return levels

    def _taken(self, bounds: Bounds | None) -> Fraction:
        """Return the share of the budget that a search for where to clip takes."""
        flags = bounds is not None and bounds.values is not None and bounds.values <= _FEWEST
        if self.estimator == "median" and self.bounds is not None:
            return to_fraction(self.bounds.bounds_share)
        summed = self.estimator in ("mean", "sum")
        if bounds is None or self.clip == "bounds" or not summed or flags:
            return Fraction(0)
        if self.bounds is None or self.bounds.share is None:
            return CLIP_SHARE
        return to_fraction(self.bounds.share)

    def _clip(
        self, bounds: Bounds | None, unit: PrivacyUnit, portion: Allocation | None
    ) -> ClipSearch | DeclaredClip:
        if bounds is None or self.y is None or portion is None or self.estimator == "median":
            return DeclaredClip(bounds)
        return ClipSearch.plan(self.y, bounds, unit, portion, declared=self.bounds is None)

    def find_groups(self, domain: Domain) -> Key | Areas | None:
        """Return the public groups along x, or refuse what is none."""
        if self.x is None:
            return None
        order = cast(Categories | None, read_order(self.order))
        key = make_axis_key(domain, self.x, order, cast(AxisBins | None, self.bins))
        if self.bins is not None and isinstance(key, Labels) and key.part is None:
            raise DomainError(
                f"The categories of {self.x!r} have no bins.",
                "They are groups one by one.",
                "Leave bins out, or declare bounds for a column of numbers.",
            )
        return key

    def check_view(self, plan: MeansPlan, view: Mapping[str, Any]) -> None:
        """Refuse a way to draw that the release does not have, before anything is charged."""
        super().check_view(plan, view)
        check_drawing(plan, view)

    def measure(self, engine: Engine, plan: MeansPlan, meter: Meter) -> MeansRelease:
        """Search for categories and for where to clip, add up, add noise.

        Privacy
        -------
        All groups and panels are added up by one query, which one unit can move by its weight
        times the steps of a row. Bounds to clip at follow from what was released before. Searches
        and sums spend at most the plan's cost, or nothing is published.
        """
        axes: Any = (plan.hue, plan.x)  # of which bars have no regions
        hue, x = (cast(Any, axis) for axis in run_searches(engine, meter, axes))
        keys = [*plan.facets.keys, *(key for key in (hue, x) if key is not None)]
        searched = [axis for axis in (plan.hue, plan.x) if isinstance(axis, CategorySearch)]
        return MeansRelease(
            x=x,
            hue=hue,
            found=tuple(axis.column for axis in searched),
            **self.measure_groups(engine, plan, meter, keys),
        )

    def measure_groups(
        self, engine: Engine, plan: MeansPlan, meter: Meter, keys: Sequence[Question]
    ) -> dict[str, Any]:
        """Return what a release says of groups, whatever these are.

        Privacy
        -------
        Spends no more than the plan's cost, all of it by mechanisms.
        """
        found, medians, noisy = self._measure(engine, plan, meter, keys)
        return {
            "label": plan.label,
            "guarantee": plan.guarantee,
            "cost": plan.cost,
            "column": self.y,
            "levels": plan.levels,
            "declared": _span(self.y, plan.bounds),
            "clipped": _span(self.y, found.bounds),
            "estimator": plan.estimator,
            "noise": plan.noise,
            "step": plan.step,
            "steps": noisy,
            "ladder": found.edges,
            "ladder_steps": found.steps,
            "ladder_seen": found.seen,
            "ladder_noise": plan.clip.law,
            "medians": medians,
            **plan.facets.fields,
        }

    def _measure(
        self, engine: Engine, plan: MeansPlan, meter: Meter, keys: Sequence[Question]
    ) -> tuple[FoundClip, tuple[GroupMedian, ...], tuple[int, ...]]:
        """Return where values were clipped, and medians or noisy sums.

        Privacy
        -------
        Spends no more than the plan's cost, all of it by mechanisms.
        """
        if plan.medians is not None:
            bounds, medians = plan.medians.find(engine, meter, keys, plan.guarantee.unit)
            return FoundClip(bounds), medians, ()
        found = plan.clip.find(engine, meter, plan.worth * math.prod(shape(keys)))
        noisy = add_noise(meter, self._ask(engine, plan, keys, found.bounds), plan.noise)
        return found, (), tuple(noisy.ravel().tolist())

    def _ask(
        self, engine: Engine, plan: MeansPlan, keys: Sequence[Question], bounds: Bounds | None
    ) -> Exact:
        unit = plan.guarantee.unit
        if plan.levels is not None:
            member = Member(plan.levels, plan.levels.cells - 1, plan.steps)
            return engine.sums(keys, member, unit)
        span = _span(self.y, bounds)
        if bounds is None or span is None:
            return engine.counts(keys, unit)
        if plan.estimator == "count":
            return engine.counts([*keys, span], unit)
        return engine.sums(keys, Addend(span.column, (bounds,), plan.steps), unit)


def check_drawing(plan: MeansPlan, view: Mapping[str, Any]) -> None:
    """Refuse a way to draw that groups of this kind do not have."""
    from sfumato.releases.means.figure import check_view

    listed, chosen = not isinstance(plan.x, Grid | Edges), plan.medians is not None
    check_view(listed=listed, chosen=chosen, **view)


def draw_as(release: Any, chart: Barplot, view: MeansView) -> Any:
    """Return a release of the same numbers that shows another estimate of them, otherwise drawn."""
    if not isinstance(release, GroupedRelease):
        return release
    asked: dict[str, Any] = {"estimator": chart.estimator}
    asked |= {"view": view} if isinstance(release, MeansRelease) else {}
    if all(getattr(release, name) == value for name, value in asked.items()):
        return release
    return replace(release, **asked, signature=None)


def _span(column: str | None, bounds: Bounds | None) -> Edges | None:
    """Return bounds as one cell of a column, if there are any."""
    if column is None or bounds is None:
        return None
    return Edges(column, bounds, (bounds.lower, bounds.upper))


@dataclass(frozen=True)
class MeansPlan(Plan):
    """The cost of means, sums or counts, and the noise on what they are made of.

    Parameters
    ----------
    column
        The column that is added up; None where rows are counted.
    bounds
        Its public range.
    levels
        Its public categories, of which the last is counted among all.
    clip
        The search for where to clip, or the declared bounds.
    x, hue
        The public groups, or the search that will find them.
    noise
        The law of the noise on each sum, in integer steps.
    steps
        How many steps a row is worth.
    medians
        How medians are measured, where they are asked for.
    """

    column: str | None
    bounds: Bounds | None
    levels: Labels | None
    clip: ClipSearch | DeclaredClip
    x: Key | Areas | CategorySearch | None
    hue: Labels | CategorySearch | None
    estimator: Estimator
    noise: NoiseLaw
    steps: int
    medians: PlannedMedians | None = None
    facets: Facets = WHOLE

    def __post_init__(self) -> None:
        shape(self.axes)  # refuses more cells than an answer may have

    @property
    def step(self) -> float:
        """What one integer step is worth in units."""
        unit = self.guarantee.unit
        if self.estimator in ("count", "median"):
            return unit.step
        return 1 / (self.steps * (addend_weight(unit) if unit.shared else 1))

    @property
    def worth(self) -> float:
        """How far noise moves a sum, in units at an end of the range."""
        return self.noise.mean_absolute * self.step

    @property
    def expected_error(self) -> float:
        """The mean absolute error of one released sum, in units at the end of the range.

        For counts it is that of the count. The mean of a group of n units is off by about this part
        of the range over n, and at most by √2 times that. For medians it is a number of ranks.
        """
        return self.worth if self.medians is None else self.medians.chooser.expected_error

    @property
    def smallest_group(self) -> float:
        """About how many units a group needs for its mean to be told; 0 for sums and counts."""
        if self.medians is not None:
            return self.medians.counting.smallest_group
        if self.estimator not in ("mean", "proportion"):
            return 0.0
        return 3 * self.noise.radius(LEVEL) * self.step

    def check(self, schema: Schema) -> None:
        """Refuse a table that lacks a column, or holds another kind, before any charge."""
        searched = [axis.column for axis in self.axes if isinstance(axis, CategorySearch)]
        known = [axis for axis in self.axes if not isinstance(axis, CategorySearch)]
        values: list[Question] = [] if self.levels is None else [self.levels]
        span = _span(self.column, self.bounds)
        if span is not None:
            values.append(span)
        schema.check([*known, *values], self.guarantee.unit, unlisted=searched)

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        units = self.guarantee.unit.counted
        searches = [axis for axis in self.axes if isinstance(axis, CategorySearch)]
        bounds = [axis.bounds for axis in self.axes if isinstance(axis, Grid | Edges)]
        return [
            ("noise", f"{self.noise.kind}, scale {self.noise.scale * self.step:,.4g} {units}"),
            ("expected error", self._describe_error()),
            *self._describe_clip(),
            *(
                [describe_smallest(self.smallest_group, self.guarantee.unit)]
                if self.smallest_group
                else []
            ),
            *(axis.line for axis in searches),
            *describe_text_columns([*bounds, *([self.bounds] if self.bounds else [])]),
        ]

    def _describe_error(self) -> str:
        units = self.guarantee.unit.counted
        about = f"{self.expected_error:,.3g}"
        match self.estimator:
            case "mean":
                return f"about {about}/n of the clipped range for a group of n {units}"
            case "median":
                return f"about {about} ranks"
            case "proportion":
                return f"about {about}/n for a group of n {units}"
            case "sum":
                return f"about {about} times the larger end of the clipped range"
            case _:
                return f"{about} per count"

    def _describe_clip(self) -> list[tuple[str, str]]:
        if self.bounds is None:
            return []
        ends = f"[{self.bounds.lower:g}, {self.bounds.upper:g}]"
        if isinstance(self.clip, DeclaredClip):
            return [("clipped to", ends)]
        return [("clipped to", f"what is found privately within {ends}, at {self.clip.cost}")]

    @property
    def axes(self) -> tuple[Key | Areas | CategorySearch, ...]:
        """The axes there are, in the order of the numbers."""
        own = (axis for axis in (self.hue, self.x) if axis is not None)
        return (*self.facets.keys, *own)
