"""`Quantiles`: numbers below which given shares of a column lie, by groups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Literal, cast

from sfumato.charts.allocation import CategorySearch, divide_budget, run_searches
from sfumato.charts.axes import (
    HUE,
    HUE_ORDER,
    Order,
    Range,
    declare_bounds,
    declare_categories,
    read_labels,
    read_order,
)
from sfumato.charts.boxplot.plan import compute_cell_centre
from sfumato.charts.chart import Chart, Plan, describe_text_columns
from sfumato.charts.facets import WHOLE, Faceted, Facets
from sfumato.charts.option import About, Example, explained
from sfumato.charts.ranks import CHOICE_SHARE, Chooser, RankCounting, RankHistograms
from sfumato.charts.values import (
    RANGES,
    SEARCH,
    STEP,
    BoundsSearch,
    FoundBounds,
    Values,
    check_search,
    format_two_digits,
)
from sfumato.domain import Bounds, Domain, convert_to_float, read_list
from sfumato.engines.engine import Engine, Schema
from sfumato.errors import DomainError, Setting, Settings
from sfumato.grid import Labels
from sfumato.mechanisms.joint import MOST_LEVELS
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.ranks.profile import MOST_UNITS
from sfumato.postprocess.rank_interval import (
    LEVEL,
    QuantileInterval,
    compute_intervals,
    share_beyond,
)
from sfumato.privacy.budget import Budget, plain_above, to_fraction
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases.quantiles import QuantilesRelease

Neighbours = Literal["add-remove", "replace"]
QuantileMethod = Literal["joint", "jointexp", "approx", "single", "unbounded"]

_REPLACE = Settings({"neighbours": "replace", "n": 900})

MOST_QUANTILES = 1000


@explained
@dataclass(frozen=True)
class Quantiles(Faceted, Chart["QuantilesPlan", QuantilesRelease]):
    """Quantiles of `x`, by the categories of `hue` and in panels if asked.

    Examples
    --------
    >>> chart = Quantiles("wait", q=[0.1, 0.5, 0.9])
    >>> plan = chart.plan(Domain(wait=(0, 240)), PrivacyUnit.rows(), Budget(epsilon=1))
    >>> round(plan.expected_error, 1)
    3.1
    """

    verb = "quantiles"
    summary = "Estimate quantiles of a column, by groups."
    privacy = (
        "All levels, groups and panels together are charged once. With replaced rows as "
        "neighbours the guarantee is weaker, and the release says so."
    )
    ranges = RANGES
    example = Example(
        table="city(people=2000)",
        asks='x="age", q=[0.1, 0.5, 0.9]',
        bounds="(0, 100)",
        domain='{"age": (0, 100)}',
        budget="1.0",
        shows="release.quantiles.shape",
        gives="(1, 3)",
        command="quantiles visits.csv --x wait --bounds 0,240 -q 0.5,0.9 --epsilon 0.5",
    )

    x: str = field(
        metadata=About(
            help="The column of numbers or dates.",
            metavar="COLUMN",
            positional=True,
        )
    )
    q: Sequence[float] | float = field(
        default=(0.25, 0.5, 0.75),
        metadata=About(
            help="Levels between 0 and 1, rising: 0.5 is the median.",
            metavar="LEVELS",
            spelled="levels",
            names=("-q", "--q"),
        ),
    )
    hue: str | None = field(default=None, metadata=HUE)
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)
    bounds: Private | None = field(default=None, metadata=SEARCH)
    method: QuantileMethod | None = field(
        default=None,
        metadata=About(
            help="How quantiles are chosen: joint all at once, most accurate, up to six levels; "
            "approx recursively, for many levels. The others are for comparison. Default: by the "
            "number of levels.",
            why="It decides how well the levels are met.",
        ),
    )
    step: float | None = field(default=None, metadata=STEP)
    neighbours: Neighbours = field(
        default="add-remove",
        metadata=About(
            help="What is protected: the presence of a row, or with replace only its values. Then "
            "the number of rows, `n`, is public, and no ledger is kept.",
            why="It decides what is promised.",
            panel="Privacy",
        ),
    )
    n: int | None = field(
        default=None,
        metadata=About(
            help="The public number of rows, with replaced rows as neighbours.",
            session="It must be the ``size`` that the session was opened with.",
            metavar="NUMBER",
            panel="Privacy",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        levels = self.levels
        object.__setattr__(self, "q", levels)
        rising = all(low < high for low, high in pairwise([0.0, *levels, 1.0]))
        if not (rising and 1 <= len(levels) <= MOST_QUANTILES):
            raise DomainError(
                f"q must be one to {MOST_QUANTILES} levels between 0 and 1, rising.",
                "The ends of the data belong to single people and are not quantiles.",
                ("Write ", Setting("q", [0.25, 0.5, 0.75]), "."),
            )
        if self.chosen_method in ("joint", "jointexp") and len(levels) > MOST_LEVELS:
            raise DomainError(
                f"{len(levels)} levels are too many to choose together.",
                "Their weights would exceed the range of floats.",
                ("Ask for six at most, or write ", Setting("method", "approx"), "."),
            )
        if self.hue == self.x or (self.hue is None and self.hue_order is not None):
            raise DomainError(
                ("hue names another column than x, and ", Setting("hue_order"), " its groups."),
                "Without such a column there are none.",
                ("Write ", Setting("hue", "ward"), ", or leave both out."),
            )
        check_search(self.bounds)
        self._check_neighbours()

    def _check_neighbours(self) -> None:
        if (self.neighbours == "replace") != (self.n is not None):
            raise DomainError(
                "Neighbours that replace a row and the public number of rows belong together.",
                "Reading the number from the table would not make it public.",
                ("Write both or neither: ", _REPLACE, "."),
            )
        grouped = any(column is not None for column in (self.hue, self.col, self.row))
        searched = grouped or self.bounds is not None
        if self.n is not None and (searched or convert_to_float(self.n) > MOST_UNITS):
            raise DomainError(
                "Rows can be replaced without groups and searches, if they are 2^36 at most.",
                "A row that is replaced may change its group, and sizes of groups are not public.",
                "Declare bounds, and leave hue, col and row out.",
            )

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels, also where only one was given."""
        alone = not isinstance(self.q, Iterable)
        return tuple(map(convert_to_float, (self.q,) if alone else read_list(self.q)))

    @property
    def chosen_method(self) -> str:
        """The method asked for, or the one that suits the number of levels."""
        method = self.method or ("joint" if len(self.levels) <= MOST_LEVELS else "approx")
        # With a public size, what balances gaps among each other gains nothing: joint.md.
        return "jointexp" if method == "joint" and self.n is not None else method

    @property
    def public_size(self) -> int | None:
        """The number of rows, where neighbours replace one."""
        return self.n

    def declare(self, bounds: Range | Private | Mapping[str, Range] | None) -> Domain:
        """Return what quantiles declare alone."""
        facts = declare_bounds(self.x, bounds)
        facts |= declare_categories({self.hue: self.hue_order})
        return Domain(facts | self._declare_facets())

    @property
    def one_range(self) -> bool:
        """Whether one pair of bounds says it all."""
        return True

    @property
    def label(self) -> str:
        """What is asked, in words."""
        by = f" by {self.hue}" if self.hue else ""
        return f"quantiles of {self.x}{by}{self._for_each}"

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> QuantilesPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        order = read_order(self.hue_order)
        asked = {self.hue or "": order} if isinstance(order, Private) else {}
        taken = Fraction(0) if self.bounds is None else to_fraction(self.bounds.bounds_share)
        division = divide_budget(budget, asked, unit, taken=taken)
        values = Values.plan(
            self.x, domain, unit, division.whole, search=self.bounds, step=self.step
        )
        hue = division.searches.get(self.hue or "") or read_labels(domain, self.hue, self.hue_order)
        facets = self._read_facets(domain)
        keys = [*facets.keys, *([] if hue is None else [hue])]
        chooser = Chooser.plan(
            self.chosen_method,
            tuple(map(to_fraction, self.levels)),
            division.left.part(CHOICE_SHARE),
            unit,
            groups=math.prod(key.cells for key in keys),
            size=self.n,
        )
        counting = RankCounting.plan(self.levels, division.left, unit, self.n)
        cost = division.cost + values.cost + chooser.cost + counting.cost
        delta = budget.delta or plain_above(cost.delta)
        return QuantilesPlan(
            label=self.label,
            guarantee=Guarantee(budget.epsilon, delta, unit, self.n),
            cost=cost,
            values=values,
            hue=hue,
            chooser=chooser,
            counting=counting,
            facets=facets,
        )

    def measure(self, engine: Engine, plan: QuantilesPlan, meter: Meter) -> QuantilesRelease:
        """Ask the engine once, choose the cells, count around them, return the release.

        Privacy
        -------
        One query answers for all groups; the mechanisms see its counts alone, and each spends its
        planned part. Where counts are taken depends on the chosen cells, which are released.
        """
        hue = cast(Labels | None, run_searches(engine, meter, (plan.hue,))[0])
        found = plan.values.settle(engine, meter)
        keys = [*plan.facets.keys, *([] if hue is None else [hue])]
        grid = plan.values.grid(found.bounds, math.prod(key.cells for key in keys))
        exact = engine.counts([*keys, grid], plan.guarantee.unit).reshape_by_group()
        chosen = plan.chooser.choose(meter, exact, grid)
        counted = plan.counting.count(meter, exact, grid, chosen, found.cut)
        told = _compute_intervals(counted, plan.counting.levels, found)
        step = plan.values.spacing(grid)
        # Whole numbers are the centres of their cells; other values lie anywhere in theirs.
        half = 0.0 if step else 0.5
        return QuantilesRelease(
            label=plan.label,
            guarantee=plan.guarantee,
            cost=plan.cost,
            value=grid,
            by=hue,
            levels=plan.counting.levels,
            method=plan.chooser.method,
            step=step,
            cells=tuple(chosen.ravel().tolist()),
            low=tuple(compute_cell_centre(grid, each.low - half) for each in told),
            high=tuple(compute_cell_centre(grid, each.high + half) for each in told),
            coverage=LEVEL,
            found=plan.found,
            reliable=tuple(each.reliable for each in told),
            measured=counted.measured,
            unit_step=plan.guarantee.unit.step,
            bounds_found=found.found,
            beyond=share_beyond(counted.groups),
            **plan.facets.fields,
        )


def _compute_intervals(
    counted: RankHistograms, levels: Sequence[float], found: FoundBounds
) -> list[QuantileInterval]:
    """Return the intervals of all groups; none can be relied on where no bounds were found."""
    if found.found:
        return [each for group in counted.groups for each in compute_intervals(group, levels)]
    return [
        QuantileInterval(0, group.cells - 1, reliable=False)
        for group in counted.groups
        for _ in levels
    ]


@dataclass(frozen=True)
class QuantilesPlan(Plan):
    """The cost of quantiles and how many ranks they will be off.

    Parameters
    ----------
    chooser
        How the quantiles are chosen.
    counting
        How counts around them tell how sure they are.
    facets
        The public categories that have panels.
    """

    values: Values
    hue: Labels | CategorySearch | None
    chooser: Chooser
    counting: RankCounting
    facets: Facets = WHOLE

    def __post_init__(self) -> None:
        if isinstance(self.values.bounds, Bounds):
            axes = [*self.facets.keys, *([] if self.hue is None else [self.hue])]
            groups = math.prod(axis.cells for axis in axes)
            self.values.grid(self.values.bounds, groups)  # refuses more than can be counted

    @property
    def found(self) -> tuple[str, ...]:
        """The columns that are searched for categories or bounds."""
        searched = (self.hue, self.values.bounds)
        return tuple(
            axis.column for axis in searched if isinstance(axis, CategorySearch | BoundsSearch)
        )

    @property
    def expected_error(self) -> float:
        """The mean number of ranks that the worst of the levels is off, about.

        It holds for groups of at least `smallest_group`; smaller ones may be too few data.
        """
        return self.chooser.expected_error

    @property
    def smallest_group(self) -> float:
        """About how many rows or people a group needs for all of its quantiles to be shown."""
        return self.counting.smallest_group

    def check(self, schema: Schema) -> None:
        """Refuse a table that lacks a column, or holds another kind, before any charge."""
        unit = self.guarantee.unit
        searched = [self.hue.column] if isinstance(self.hue, CategorySearch) else []
        hue = [self.hue] if isinstance(self.hue, Labels) else []
        schema.check([*self.facets.keys, *hue], unit, unlisted=searched)
        self.values.check(schema, unit)

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        units = self.guarantee.unit.counted
        bounds = self.values.bounds
        return [
            ("method", self.chooser.method),
            ("expected error", f"about {self.expected_error:,.3g} ranks"),
            ("95 % intervals", f"about ± {format_two_digits(self.counting.radius)} ranks or more"),
            (
                "smallest group",
                f"about {format_two_digits(self.smallest_group)} {units} (smaller: no estimate)",
            ),
            *(bounds.lines() if isinstance(bounds, BoundsSearch) else []),
            *describe_text_columns([self.values.limits]),
        ]
