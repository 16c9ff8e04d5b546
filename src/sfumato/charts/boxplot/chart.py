"""`Boxplot`: quartiles, whiskers and outliers of a column, by groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, cast

from sfumato.charts.allocation import Allocation, divide_budget, run_searches
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
from sfumato.charts.boxplot.fence import Fence
from sfumato.charts.boxplot.plan import (
    BoxplotPlan,
    BoxProcedure,
    check_found_bounds,
    end_whiskers_at_values,
)
from sfumato.charts.boxplot.published import Published
from sfumato.charts.chart import Chart
from sfumato.charts.facets import Faceted
from sfumato.charts.option import About, Example, explained
from sfumato.charts.values import RANGES, SEARCH, STEP, BoundsSearch, Values, check_search
from sfumato.domain import Bounds, Categories, Domain, convert_to_float
from sfumato.engines.engine import Engine
from sfumato.engines.table import ColumnKind
from sfumato.errors import CategoriesOf, DomainError, Setting, Settings
from sfumato.figure import Orient
from sfumato.grid import Labels, shape
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Budget, plain_above, to_fraction
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases.boxplot import BoxplotRelease

BoxMethod = Literal["fence", "dpboxplot", "jointexp", "approx", "single", "unbounded"]

_LARGEST = 1e6


@explained
@dataclass(frozen=True)
class Boxplot(Faceted, Chart[BoxplotPlan, BoxplotRelease]):
    """Boxes of a column of numbers, by the categories of another, by `hue` and in panels.

    Examples
    --------
    >>> chart = Boxplot(x="ward", y="wait")
    >>> domain = Domain(wait=(0, 240), ward=["A", "B"])
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=0.5))
    >>> 5 < plan.expected_error < 7  # ranks
    True
    """

    verb = "boxplot"
    views = ("sort",)
    summary = "Show quartiles, whiskers and outliers of a column, by groups."
    privacy = "All boxes of all panels together are charged once."
    ranges = RANGES
    example = Example(
        table="city(people=2000)",
        asks='y="age", step=1',
        bounds="(0, 100)",
        domain='{"age": (0, 100)}',
        budget="1.0",
        shows="release.boxes[0].q1 <= release.boxes[0].median <= release.boxes[0].q3",
        gives="True",
        command="boxplot visits.csv --x ward --order A,B --y wait --bounds 0,240 --epsilon 0.5",
    )

    x: str | None = field(
        default=None,
        metadata=About(
            help="The column along the x axis, if any. The one of `x` and `y` with bounds has the "
            "values, the other the categories.",
            metavar="COLUMN",
            positional=True,
        ),
    )
    y: str | None = field(
        default=None,
        metadata=About(
            help="The column along the y axis, if any. Values on `x` give horizontal boxes.",
            metavar="COLUMN",
            positional=True,
        ),
    )
    hue: str | None = field(default=None, metadata=HUE)
    order: Order | None = field(default=None, metadata=about_order("the axis that has no values"))
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)
    bounds: Private | None = field(default=None, metadata=SEARCH)
    method: BoxMethod = field(
        default="fence",
        metadata=About(
            help="How boxes are measured; the others than fence are for comparison.",
            why="It decides what is measured and how well.",
        ),
    )
    whis: float = field(
        default=1.5,
        metadata=About(
            help="The longest whisker, in lengths of the box.",
            metavar="NUMBER",
        ),
    )
    step: float | None = field(default=None, metadata=STEP)
    buffer: float = field(
        default=0.25,
        metadata=About(
            help="For the other methods than fence: the power of the group's size in the "
            "published buffer.",
            metavar="NUMBER",
            panel="Methods to compare with",
        ),
    )
    orient: Orient | None = field(
        default=None,
        metadata=About(
            help="Direction of the boxes: v with values on `y`, h with values on `x`. Default: "
            "from the columns.",
            why="It tells which column has the values.",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        columns = [column for column in (self.x, self.y, self.hue) if column is not None]
        if (self.x is None and self.y is None) or len(set(columns)) != len(columns):
            raise DomainError(
                "A boxplot needs x or y, and x, y and hue must be different columns.",
                "A column compared with itself shows nothing and costs the same.",
                ("Write ", Settings({"y": "wait", "x": "ward"}), "."),
            )
        for name, number, usual in (("whis", self.whis, 1.5), ("buffer", self.buffer, 0.25)):
            if not 0 <= convert_to_float(number) <= _LARGEST:
                raise DomainError(
                    (Setting(name, number), " must be a number from 0 up."),
                    "It sets the whiskers and must not depend on the data.",
                    ("Write ", Setting(name, usual), ", or leave it out."),
                )
        check_search(self.bounds)
        if (self.hue is None and self.hue_order is not None) or (
            self.order is not None and len(columns) - (self.hue is not None) < 2
        ):
            raise DomainError(
                "An order of categories is given, but there is no such column.",
                "Without one there are no groups.",
                "Name the column as x or hue, or leave its order out.",
            )

    @property
    def one_range(self) -> bool:
        """Whether one pair of bounds says it all."""
        return True

    @property
    def label(self) -> str:
        """What is asked, in words."""
        return self._label(Domain())

    def declare(self, bounds: Range | Private | Mapping[str, Range] | None) -> Domain:
        """Return what a boxplot declares alone."""
        values, by = (self.x, self.y) if self.orient == "h" else (self.y, self.x)
        facts = declare_bounds(cast(str, values or by), bounds)
        groups = {by if values else None: self.order, self.hue: self.hue_order}
        return Domain(facts | declare_categories(groups) | self._declare_facets())

    def adapt(self, bounds: object, kind: Callable[[str], ColumnKind]) -> Boxplot:
        """Return the chart with its orientation: kinds of columns tell which has the values."""
        if self.orient is not None or self.x is None or self.y is None:
            return self
        if isinstance(bounds, Mapping):
            lying = self.x in bounds and self.y not in bounds
        else:
            measured = [kind(column) in ("number", "time") for column in (self.x, self.y)]
            lying = measured == [True, False]
        return replace(self, orient="h" if lying else "v")

    def _label(self, domain: Domain) -> str:
        value, by, _ = self._roles(domain)
        groups = [column for column in (by, self.hue) if column is not None]
        by = f" by {' and '.join(groups)}" if groups else ""
        return f"boxplot of {value}{by}{self._for_each}"

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> BoxplotPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        value, by, orient = self._roles(domain)
        orders = {by or "": read_order(self.order), self.hue or "": read_order(self.hue_order)}
        asked = {name: order for name, order in orders.items() if isinstance(order, Private)}
        taken = Fraction(0) if self.bounds is None else to_fraction(self.bounds.bounds_share)
        division = divide_budget(budget, asked, unit, taken=taken)
        values = Values.plan(
            value, domain, unit, division.whole, search=self.bounds, step=self.step
        )
        x = division.searches.get(by or "") or read_labels(domain, by, self.order)
        hue = division.searches.get(self.hue or "") or read_labels(domain, self.hue, self.hue_order)
        facets = self._read_facets(domain)
        axes = [*facets.keys, *(axis for axis in (x, hue) if axis is not None)]
        groups = math.prod(shape(axes))
        method = self._method(division.left, unit, groups)
        cost = division.cost + values.cost + method.cost
        return BoxplotPlan(
            label=self._label(domain),
            guarantee=Guarantee(budget.epsilon, budget.delta or plain_above(cost.delta), unit),
            cost=cost,
            values=values,
            x=x,
            hue=hue,
            orient=orient,
            name=self.method,
            whis=float(self.whis),
            method=method,
            facets=facets,
        )

    def check_view(self, plan: BoxplotPlan, view: Mapping[str, Any]) -> None:
        """Refuse a way to draw that the release does not have, before anything is charged."""
        from sfumato.releases.boxplot.figure import check_view

        super().check_view(plan, view)
        check_view(grouped=plan.x is not None, **view)

    def measure(self, engine: Engine, plan: BoxplotPlan, meter: Meter) -> BoxplotRelease:
        """Ask the engine once, choose quartiles, count around them, return the release.

        Privacy
        -------
        One query answers for all groups; every mechanism that follows sees its counts alone and
        spends its planned part once. Where counts are taken depends on what was released before.
        """
        axes = run_searches(engine, meter, (plan.x, plan.hue))
        x, hue = (cast(Labels | None, axis) for axis in axes)
        found = plan.values.settle(engine, meter)
        keys = [*plan.facets.keys, *(axis for axis in (x, hue) if axis is not None)]
        grid = plan.values.grid(found.bounds, math.prod(axis.cells for axis in keys))
        exact = engine.counts([*keys, grid], plan.guarantee.unit).reshape_by_group()
        boxed = plan.method.boxes(meter, exact, grid, plan.whis)
        step, summaries = plan.values.spacing(grid), boxed.summaries
        if isinstance(plan.values.bounds, BoundsSearch):
            limits = plan.values.bounds.key.bounds
            summaries = tuple(check_found_bounds(summary, grid, limits) for summary in summaries)
        if step is not None:
            summaries = tuple(end_whiskers_at_values(summary, grid) for summary in summaries)
        return BoxplotRelease(
            label=plan.label,
            guarantee=plan.guarantee,
            cost=plan.cost,
            value=grid,
            x=x,
            hue=hue,
            orient=plan.orient,
            method=plan.name,
            whis=plan.whis,
            step=step,
            coverage=plan.method.coverage,
            summaries=summaries,
            measured=boxed.measured,
            unit_step=plan.guarantee.unit.step,
            found=plan.found,
            bounds_found=found.found,
            **plan.facets.fields,
        )

    def _roles(self, domain: Domain) -> tuple[str, str | None, Orient]:
        """Tell which column has the values and which the categories."""
        if self.x is None or self.y is None:
            return cast(str, self.x or self.y), None, self.orient or ("v" if self.y else "h")
        if self.orient is not None:
            return (self.y, self.x, "v") if self.orient == "v" else (self.x, self.y, "h")
        numbers = [isinstance(domain.columns.get(name), Bounds) for name in (self.x, self.y)]
        if all(numbers):
            raise DomainError(
                f"Both {self.x!r} and {self.y!r} are declared as numbers.",
                "One box per number would have too few rows.",
                ("Declare one of them as categories: ", CategoriesOf(self.x), "."),
            )
        listed = [isinstance(domain.columns.get(name), Categories) for name in (self.x, self.y)]
        if numbers[0] or listed == [False, True]:
            return self.x, self.y, "h"
        return self.y, self.x, "v"

    def _method(self, portion: Allocation, unit: PrivacyUnit, groups: int) -> BoxProcedure:
        if self.method == "fence":
            return Fence.plan(portion, unit, groups=groups)
        buffer = float(self.buffer)
        return Published.plan(self.method, portion, unit, groups=groups, buffer=buffer)
