"""`Pairplot`: densities of all pairs of columns, and the distribution of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np

from sfumato.charts.allocation import CategorySearch, add_noise, divide_budget, run_searches
from sfumato.charts.axes import HUE, HUE_ORDER, Order, declare_categories, read_labels, read_order
from sfumato.charts.chart import Chart
from sfumato.charts.option import About, Example, Ranges, explained
from sfumato.charts.pairplot.bins import QuantileSearch, make_bins
from sfumato.charts.pairplot.plan import PairplotPlan, list_pairs
from sfumato.charts.pca.chart import join_names
from sfumato.domain import Categories, Domain, read_list
from sfumato.engines.engine import Engine
from sfumato.errors import BoundsOf, DomainError, ProtectedUsers, Setting
from sfumato.grid import Edges, Key, Labels
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.pairs import choose_bins, choose_levels
from sfumato.privacy.budget import Budget, Cost, plain_above
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases.pairplot import MOST_COLUMNS, PairplotRelease

SIZE = Fraction(2, 100)
QUANTILES = Fraction(20, 100)
"""The shares of the budget that the number of units and the quantiles of all columns take."""


@explained
@dataclass(frozen=True)
class Pairplot(Chart[PairplotPlan, PairplotRelease]):
    """Densities of all pairs of columns, and on the diagonal the distribution of each.

    All panels agree: the sums of every pair over one of its columns are the distribution of the
    other. Rows with a missing value in one of the columns are counted nowhere.

    Examples
    --------
    >>> chart = Pairplot(columns=["age", "weight", "height"])
    >>> domain = Domain(age=(0, 100), weight=(0, 200), height=(100, 220))
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1))
    >>> len(plan.pairs), round(plan.expected_error, 2)  # rows, in a measured cell of a pair
    (3, 3.8)
    """

    verb = "pairplot"
    summary = "Show the densities of all pairs of several columns, and the distribution of each."
    privacy = "All pairs, columns and groups together are charged once."
    ranges = Ranges(
        help='The public range of every column, ``{"age": (0, 100), …}``.',
        typed="The range of a column; repeat for all of them.",
        type="Mapping[str, Range]",
        required=True,
        metavar="COLUMN=LOWER,UPPER",
    )
    example = Example(
        table="city(people=2000)",
        asks='columns=["age", "income", "bmi"]',
        bounds='{"age": (0, 100), "income": (0, 150_000), "bmi": (10, 60)}',
        domain='{"age": (0, 100), "income": (0, 150_000), "bmi": (10, 60)}',
        budget="1.0",
        shows="len(release.pairs)",
        gives="3",
        command="pairplot visits.csv --columns pulse,pressure,sugar --bounds pulse=30,200 "
        "--bounds pressure=60,260 --bounds sugar=2,30 --unit user_id --epsilon 1",
    )

    columns: Sequence[str] = field(
        metadata=About(
            help=f"The columns to compare, from 2 to {MOST_COLUMNS}, each with public bounds.",
            metavar="A,B,C",
            spelled="columns",
        )
    )
    hue: str | None = field(default=None, metadata=HUE)
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)

    def __post_init__(self) -> None:
        super().__post_init__()
        columns = read_list(self.columns)
        named = all(isinstance(column, str) for column in columns)
        different = len({*columns, self.hue}) == len(columns) + 1
        if not (named and different and 2 <= len(columns) <= MOST_COLUMNS):
            raise DomainError(
                f"columns must be a list of 2 to {MOST_COLUMNS} different names, without that of "
                "hue.",
                "Each pair takes its share of the budget, and noise would drown more of them.",
                ("Write ", Setting("columns", ["age", "weight", "height"]), "."),
            )
        object.__setattr__(self, "columns", columns)
        if self.hue is None and self.hue_order is not None:
            raise DomainError(
                (Setting("hue_order"), " needs a hue."),
                "Without one there are no groups to put in order.",
                ("Write ", Setting("hue", "ward"), ", or leave ", Setting("hue_order"), " out."),
            )

    @property
    def label(self) -> str:
        """What is asked, in words."""
        groups = f" by {self.hue}" if self.hue else ""
        return f"pair plot of {join_names(self.columns)}{groups}"

    @property
    def question(self) -> Pairplot:
        """The pairs in one order of columns: those of any other follow from the same numbers."""
        return replace(self, columns=sorted(self.columns))

    def arrange(self, release: Any) -> Any:
        """Return the same pairs with the columns in the order they are asked for."""
        known = isinstance(release, PairplotRelease)
        return release.reorder_columns(self.columns) if known else release

    def declare(self, bounds: object) -> Domain:
        """Return what a pair plot declares alone: the range of every column, and the groups."""
        if not isinstance(bounds, Mapping | None):
            raise DomainError(
                "A pair plot needs the public bounds of every column.",
                "A range read from the data would leak its extremes.",
                ("Write ", BoundsOf("age", "weight"), "."),
            )
        ranges = dict(cast(Mapping[str, object], bounds or {}))
        return Domain(ranges | declare_categories({self.hue: self.hue_order}))

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> PairplotPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        self._check(domain, unit)
        order = read_order(self.hue_order)
        searched = {self.hue or "": order} if isinstance(order, Private) else {}
        division = divide_budget(budget, searched, unit)
        bounds = [domain.spaced_bounds(column) for column in self.columns]
        search = QuantileSearch.plan(self.columns, bounds, division.left.part(QUANTILES))
        size = division.left.part(SIZE)
        pairs = list_pairs(len(self.columns))
        each = division.left.part((1 - SIZE - QUANTILES) / len(pairs))
        costs = (each.cost(unit.weight) for _ in pairs)
        cost = division.cost + search.cost + size.cost(unit.weight) + Cost.sum(costs)
        return PairplotPlan(
            label=self.label,
            guarantee=Guarantee(budget.epsilon, budget.delta or plain_above(cost.delta), unit),
            cost=cost,
            search=search,
            hue=division.searches.get(self.hue or "")
            or read_labels(domain, self.hue, self.hue_order),
            size_noise=size.law(unit.weight),
            noise=each.law(unit.weight),
        )

    def _check(self, domain: Domain, unit: PrivacyUnit) -> None:
        if unit.max_rows is not None:
            raise DomainError(
                "In a pair plot each person has a total weight of 1, shared by their rows.",
                "With a limit on rows each pair would count others of a person's rows, and the "
                "pairs would contradict each other.",
                ("Write ", ProtectedUsers(unit.columns), "."),
            )
        listed = [name for name in self.columns if isinstance(domain.columns.get(name), Categories)]
        if listed:
            raise DomainError(
                f"{listed[0]!r} has categories, and a pair plot compares numbers and dates.",
                "Its densities would have to be read along an order that categories lack.",
                ("Make it the groups: ", Setting("hue", listed[0]), ", or leave it out."),
            )

    def measure(self, engine: Engine, plan: PairplotPlan, meter: Meter) -> PairplotRelease:
        """Find quantiles, place bins, count every pair in them, add noise: two passes, or three.

        Privacy
        -------
        A search for groups, the number of units, the quantiles of each column and the cells of
        each pair are so many answers about the same rows. One unit may move all of them, so each
        is paid for with its part of the plan's cost; all groups and all cells of a pair are one
        answer, which it moves by its weight. How many bins there are and where they lie follows
        from noisy numbers and public facts.
        """
        unit = plan.guarantee.unit
        hue = cast(Labels | None, run_searches(engine, meter, (plan.hue,))[0])
        groups = () if hue is None else (hue,)
        cells = [[grid] for grid in plan.search.grids]
        present, *columns = engine.marginals([[*groups, *plan.presence], *cells], unit)
        sizes = add_noise(meter, present, plan.size_noise)
        most = float(sizes.max(initial=0))
        levels = choose_levels(float(sizes.sum()) * unit.step, float(plan.search.epsilon))
        found = plan.search.choose(meter, columns, levels)
        bins = choose_bins(most, plan.noise.variance**0.5)
        axes = [
            make_bins(grid.column, grid.bounds, quantiles, levels, bins)
            for grid, quantiles in zip(plan.search.grids, found, strict=True)
        ]
        pairs = engine.marginals([_ask(plan, axes, groups, pair) for pair in plan.pairs], unit)
        counted = [add_noise(meter, exact, plan.noise) for exact in pairs]
        return PairplotRelease(
            label=plan.label,
            guarantee=plan.guarantee,
            cost=plan.cost,
            axes=tuple(axes),
            hue=hue,
            found=(self.hue,) if self.hue and isinstance(plan.hue, CategorySearch) else (),
            noise=plan.noise,
            step=unit.step,
            sizes=tuple(sizes.ravel().tolist()),
            steps=tuple(np.concatenate([each.ravel() for each in counted]).tolist()),
        )


def _ask(
    plan: PairplotPlan, axes: list[Edges], groups: tuple[Labels, ...], pair: tuple[int, int]
) -> list[Key]:
    """Return the cells of a pair, and one for each other column, where no value may be missing."""
    others: list[Any] = [key for place, key in enumerate(plan.presence) if place not in pair]
    return [*groups, axes[pair[0]], axes[pair[1]], *others]
