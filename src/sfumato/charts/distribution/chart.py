"""`Distribution`: one column, measured once and drawn in any way, by groups."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import cast

from sfumato.charts.allocation import Allocation, CategorySearch, divide_budget, run_searches
from sfumato.charts.axes import (
    HUE,
    HUE_ORDER,
    Order,
    Range,
    about_order,
    declare_bounds,
    declare_categories,
    read_labels,
    read_order,
)
from sfumato.charts.chart import Chart, Plan, describe_text_columns
from sfumato.charts.distribution.rounds import LEAST, measure_line
from sfumato.charts.facets import WHOLE, Faceted, Facets
from sfumato.charts.option import About, Example, explained
from sfumato.charts.values import RANGES, SEARCH, STEP, BoundsSearch, Values, check_search
from sfumato.domain import Domain
from sfumato.engines.engine import Engine, Schema
from sfumato.errors import DomainError, Setting
from sfumato.grid import Labels, shape
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.survey import NoisyIntervals, survey_intervals
from sfumato.postprocess.noise_law import NoiseKind
from sfumato.privacy.budget import Budget, plain_above, to_fraction
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases import wording
from sfumato.releases.distribution import DistributionRelease, LineMeasured, LineRound

TYPICAL = 10_000
"""How many rows or people a group has for which errors are planned."""

_ERROR: dict[NoiseKind, float] = {"laplace": 8.5, "gaussian": 5.7}
"""Errors in deviations of the noise that all of the price would buy, for 100 units of it."""

_GROWTH = 0.26  # how they grow with these units
_ALL_INTERVALS = 2**14


@explained
@dataclass(frozen=True)
class Distribution(Faceted, Chart["DistributionPlan", DistributionRelease]):
    """The distribution of `x`, by the categories of `hue` and `by` and in panels if asked.

    Examples
    --------
    >>> chart = Distribution("wait", hue="ward")
    >>> domain = Domain(wait=(0, 240), ward=["A", "B"])
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1))
    >>> 20 < plan.expected_error < 40  # rows
    True
    """

    verb = "distribution"
    summary = "Measure a column once, to draw its distribution in any way."
    privacy = (
        "All groups and panels together are charged once. Every way to draw the distribution is "
        "free."
    )
    ranges = RANGES
    example = Example(
        table="city(people=2000)",
        asks='x="age"',
        bounds="(0, 100)",
        domain='{"age": (0, 100)}',
        budget="1.0",
        shows="release.reliable",
        gives="(True,)",
        command="distribution visits.csv --x wait --bounds 0,240 --epsilon 0.5",
    )

    x: str = field(
        metadata=About(
            help="The column of numbers or dates.",
            metavar="COLUMN",
            positional=True,
        )
    )
    hue: str | None = field(default=None, metadata=HUE)
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)
    by: str | None = field(
        default=None,
        metadata=About(
            help="Another column of categories, each of which has all groups of `hue`: violins and "
            "boxes stand side by side.",
            metavar="COLUMN",
        ),
    )
    by_order: Order | None = field(default=None, metadata=about_order("`by`"))
    bounds: Private | None = field(default=None, metadata=SEARCH)
    step: float | None = field(default=None, metadata=STEP)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hue == self.x or (self.hue is None and self.hue_order is not None):
            raise DomainError(
                ("hue names another column than x, and ", Setting("hue_order"), " its groups."),
                "Without such a column there are none.",
                ("Write ", Setting("hue", "ward"), ", or leave both out."),
            )
        if self.by in {self.x, self.hue, self.row, self.col} - {None} or (
            self.hue is None and self.by is not None
        ):
            raise DomainError(
                "by needs a hue, and names another column than all others.",
                "Without hue its categories are no groups of groups.",
                ("Write ", Setting("hue", "ward"), ", and leave by out."),
            )
        if self.by is None and self.by_order is not None:
            raise DomainError(
                (Setting("by_order"), " needs a by."),
                "Without one there are no categories to put in order.",
                ("Write ", Setting("by", "ward"), ", or leave ", Setting("by_order"), " out."),
            )
        check_search(self.bounds)

    def declare(self, bounds: Range | Private | Mapping[str, Range] | None) -> Domain:
        """Return what a distribution declares alone."""
        facts = declare_bounds(self.x, bounds)
        facts |= declare_categories({self.by: self.by_order, self.hue: self.hue_order})
        return Domain(facts | self._declare_facets())

    @property
    def one_range(self) -> bool:
        """Whether one pair of bounds says it all."""
        return True

    @property
    def label(self) -> str:
        """What is asked, in words."""
        groups = " and ".join(filter(None, (self.by, self.hue)))
        return f"distribution of {self.x}{groups and f' by {groups}'}{self._for_each}"

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> DistributionPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        orders = {self.by: read_order(self.by_order), self.hue: read_order(self.hue_order)}
        asked = {name or "": order for name, order in orders.items() if isinstance(order, Private)}
        taken = Fraction(0) if self.bounds is None else to_fraction(self.bounds.bounds_share)
        division = divide_budget(budget, asked, unit, taken=taken)
        values = Values.plan(
            self.x, domain, unit, division.whole, search=self.bounds, step=self.step
        )
        by = division.searches.get(self.by or "") or read_labels(domain, self.by, self.by_order)
        hue = division.searches.get(self.hue or "") or read_labels(domain, self.hue, self.hue_order)
        cost = division.cost + values.cost + division.left.cost(unit.weight)
        return DistributionPlan(
            label=self.label,
            guarantee=Guarantee(budget.epsilon, budget.delta or plain_above(cost.delta), unit),
            cost=cost,
            values=values,
            by=by,
            hue=hue,
            allocation=division.left,
            facets=self._read_facets(domain),
        )

    def measure(self, engine: Engine, plan: DistributionPlan, meter: Meter) -> DistributionRelease:
        """Ask the engine once, then for masses of intervals, the next after the last.

        Privacy
        -------
        One query answers for all groups, and one price pays for the intervals of all of them
        (`sfumato.mechanisms.survey`). Which intervals are asked for follows from noisy masses
        alone.
        """
        searched = run_searches(engine, meter, (plan.by, plan.hue))
        by, hue = (cast(Labels | None, axis) for axis in searched)
        found = plan.values.settle(engine, meter)
        keys = [*plan.facets.keys, *(axis for axis in (by, hue) if axis is not None)]
        groups = math.prod(key.cells for key in keys)
        grid = plan.values.grid(found.bounds, groups)
        unit = plan.guarantee.unit
        exact = engine.counts([*keys, grid], unit)
        price, family = plan.price
        surveys = survey_intervals(meter, exact, grid.cells, price, family, groups=groups)
        most = max(_ALL_INTERVALS // max(groups, 1), 1)
        told = [measure_line(each, price, grid.cells, unit.step, most) for each in surveys]
        return DistributionRelease(
            label=plan.label,
            guarantee=plan.guarantee,
            cost=plan.cost,
            value=grid,
            by=by or hue,
            hue=by and hue,
            step=plan.values.spacing(grid),
            noise=family,
            unit_step=unit.step,
            measured=tuple(map(_tell, told)),
            found=plan.found,
            bounds_found=found.found,
            **plan.facets.fields,
        )


def _tell(asked: list[NoisyIntervals]) -> LineMeasured:
    """Return answers about partitions of a line, each in the order of its cells."""
    rounds = [
        LineRound(tuple(each.first.tolist()), tuple(each.steps.tolist()), each.scale)
        for each in asked
    ]
    return LineMeasured(tuple(rounds))


@dataclass(frozen=True)
class DistributionPlan(Plan):
    """The cost of a distribution, and how far off its cumulated counts will be.

    Parameters
    ----------
    values
        The column, and its bounds or the search for them.
    by, hue
        The public groups, or the searches for them.
    allocation
        What all intervals around one value may spend together.
    facets
        The public categories that have panels.
    """

    values: Values
    by: Labels | CategorySearch | None
    hue: Labels | CategorySearch | None
    allocation: Allocation
    facets: Facets = WHOLE

    def __post_init__(self) -> None:
        shape([*self.facets.keys, *self.groups])  # refuses more groups than an answer may have
        _ = self.resolution  # which refuses more cells than can be counted
        least = self.allocation.part(to_fraction(LEAST))
        least.law(self.guarantee.unit.weight)  # refuses noise that would drown everything

    @property
    def resolution(self) -> str:
        """How far apart values must lie to be told apart; empty where bounds are searched for."""
        bounds = self.values.bounds
        if isinstance(bounds, BoundsSearch):
            return ""
        axes = [*self.facets.keys, *self.groups]
        grid = self.values.grid(bounds, math.prod(axis.cells for axis in axes))
        return wording.length_of(grid.bounds, grid.bounds.width / grid.cells)

    @property
    def groups(self) -> tuple[Labels | CategorySearch, ...]:
        """The columns that groups are of."""
        return tuple(axis for axis in (self.by, self.hue) if axis is not None)

    @property
    def price(self) -> tuple[Fraction, NoiseKind]:
        """What may be spent on every value, and on which noise."""
        if self.allocation.pure:
            return self.allocation.amount, "laplace"
        return self.allocation.rho, "gaussian"

    @property
    def found(self) -> tuple[str, ...]:
        """The columns that are searched for categories or bounds."""
        searched = (*self.groups, self.values.bounds)
        return tuple(
            axis.column for axis in searched if isinstance(axis, CategorySearch | BoundsSearch)
        )

    @property
    def rate(self) -> float:
        """The ε of Laplace noise on one unit that varies as much as all of the price would buy."""
        unit = self.guarantee.unit
        law = self.allocation.law(unit.weight)
        return math.sqrt(2 / law.variance) / unit.step

    @property
    def expected_error(self) -> float:
        """The mean of the largest error of a cumulated count, for a group of `TYPICAL` units."""
        factor = _ERROR[self.price[1]]
        return factor / self.rate * (TYPICAL * self.rate / 100) ** _GROWTH

    def check(self, schema: Schema) -> None:
        """Refuse a table that lacks a column, or holds another kind, before any charge."""
        unit = self.guarantee.unit
        searched = [axis.column for axis in self.groups if isinstance(axis, CategorySearch)]
        listed = [axis for axis in self.groups if isinstance(axis, Labels)]
        schema.check([*self.facets.keys, *listed], unit, unlisted=searched)
        self.values.check(schema, unit)

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        units = self.guarantee.unit.counted
        bounds = self.values.bounds
        told = f"about {self.expected_error:,.3g} of {TYPICAL:,} {units} at the worst value"
        return [
            ("noise", self.price[1]),
            ("expected error", told),
            *([("values told apart", f"from {self.resolution} on")] if self.resolution else []),
            *(axis.line for axis in self.groups if isinstance(axis, CategorySearch)),
            *(bounds.lines() if isinstance(bounds, BoundsSearch) else []),
            *describe_text_columns([self.values.limits]),
        ]
