"""`BoxplotPlan`: what a boxplot will cost and how wrong it will be, by each method."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Protocol

from sfumato.charts.allocation import CategorySearch
from sfumato.charts.chart import Plan, describe_smallest, describe_text_columns
from sfumato.charts.facets import WHOLE, Facets
from sfumato.charts.values import MOST_VALUES, BoundsSearch, Values
from sfumato.domain import Bounds, convert_to_float
from sfumato.engines.engine import Schema
from sfumato.errors import DomainError, Setting, SourceError
from sfumato.exact import Exact
from sfumato.figure import Orient
from sfumato.grid import Grid, Labels
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.box import Box, Summary
from sfumato.privacy.budget import Cost
from sfumato.releases.boxplot import PLACES, MeasuredBoxes

QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))

_ROUNDING = 1e-6  # of a cell: a value that is one but for its rounding is that one


@dataclass(frozen=True)
class Boxed:
    """Boxes of all groups, and the noisy numbers they were made of."""

    summaries: tuple[Summary, ...]
    measured: tuple[MeasuredBoxes, ...]


class BoxProcedure(Protocol):
    """A planned way to measure boxes. Knows public facts only."""

    @property
    def cost(self) -> Cost:
        """What it will spend at most."""
        ...

    @property
    def coverage(self) -> float:
        """How often each interval holds the truth; 0 where the method has none."""
        ...

    @property
    def median_error(self) -> float:
        """The expected rank error of a median, in rows or people."""
        ...

    @property
    def quartile_error(self) -> float:
        """The expected rank error of a quartile, in rows or people."""
        ...

    @property
    def count_error(self) -> float:
        """The expected error of a count of outliers, in rows or people."""
        ...

    def smallest_group(self, cells: int) -> float:
        """Return from how many rows or people on a group is more likely drawn than not.

        It depends on how many cells the grid has that values are chosen from.
        """
        ...

    def boxes(self, meter: Meter, exact: Exact, grid: Grid, whis: float) -> Boxed:
        """Draw the box of every group, a row of `exact` each.

        Privacy
        -------
        Spends at most `cost`, over all groups together, whatever the data.
        """
        ...


def compute_cell_centre(grid: Grid, cell: float) -> float:
    """Return the value at the centre of a cell.

    Examples
    --------
    >>> from sfumato.domain import Bounds
    >>> compute_cell_centre(Grid("age", Bounds(0, 100), 10), 3)
    35.0
    """
    return (cell + 0.5) * grid.bounds.width / grid.cells + grid.bounds.lower


def convert_to_values(summary: Summary, grid: Grid) -> Summary:
    """Turn cells into values; counts stay as they are."""
    box, low, high = (_place_box(box, grid) for box in (summary.box, summary.low, summary.high))
    return Summary(box, low, high, summary.size, summary.reliable)


def end_whiskers_at_values(summary: Summary, grid: Grid) -> Summary:
    """End whiskers at values: at the last one inside, where a fence lies between two.

    For grids whose cells are the values there are. Intervals grow to the next value.
    """
    box, low, high = summary.box, summary.low, summary.high
    return replace(
        summary,
        box=_replace_whiskers(
            box,
            (
                _round_up_to_cell(box.lower_whisker, grid),
                _round_down_to_cell(box.upper_whisker, grid),
            ),
        ),
        low=_replace_whiskers(
            low,
            (
                _round_down_to_cell(low.lower_whisker, grid),
                _round_down_to_cell(low.upper_whisker, grid),
            ),
        ),
        high=_replace_whiskers(
            high,
            (
                _round_up_to_cell(high.lower_whisker, grid),
                _round_up_to_cell(high.upper_whisker, grid),
            ),
        ),
    )


def check_found_bounds(summary: Summary, grid: Grid, limits: Bounds) -> Summary:
    """Doubt a box whose quartiles may lie beyond bounds that a search found.

    Values beyond them were moved to them, so that such a quartile lies anywhere outward of a bound.
    The `limits` of the search were declared, and what lies beyond those is nobody's concern.
    """
    first, last = compute_cell_centre(grid, 0), compute_cell_centre(grid, grid.cells - 1)
    below = grid.bounds.lower > limits.lower and summary.low.q1 <= first
    above = grid.bounds.upper < limits.upper and summary.high.q3 >= last
    if not (below or above):
        return summary
    low, high = dict.fromkeys(PLACES, first), dict.fromkeys(PLACES, last)
    return replace(
        summary,
        low=replace(summary.low, **low, outliers_below=0.0, outliers_above=0.0),
        high=replace(summary.high, **high),
        reliable=False,
    )


def _replace_whiskers(box: Box, ends: tuple[float, float]) -> Box:
    return replace(box, lower_whisker=ends[0], upper_whisker=ends[1])


def _round_up_to_cell(value: float, grid: Grid) -> float:
    return compute_cell_centre(grid, math.ceil(_find_cell(value, grid) - _ROUNDING))


def _round_down_to_cell(value: float, grid: Grid) -> float:
    return compute_cell_centre(grid, math.floor(_find_cell(value, grid) + _ROUNDING))


def _find_cell(value: float, grid: Grid) -> float:
    return (value - grid.bounds.lower) / grid.bounds.width * grid.cells - 0.5


def _place_box(box: Box, grid: Grid) -> Box:
    numbers = {field.name: getattr(box, field.name) for field in fields(Box)}
    places = {name: compute_cell_centre(grid, numbers[name]) for name in PLACES}
    return Box(**(numbers | places))


@dataclass(frozen=True)
class BoxplotPlan(Plan):
    """The cost of a boxplot and how many ranks its quartiles will be off.

    Parameters
    ----------
    values
        The column of numbers.
    x, hue
        The public groups, or the searches that will find them.
    method
        How the budget is divided, and what noise that means.
    facets
        The public categories that have panels.
    """

    values: Values
    x: Labels | CategorySearch | None
    hue: Labels | CategorySearch | None
    orient: Orient
    name: str
    whis: float
    method: BoxProcedure
    facets: Facets = WHOLE

    def __post_init__(self) -> None:
        if isinstance(self.values.bounds, Bounds):
            self.values.grid(self.values.bounds, self.groups)  # refuses more than can be counted

    @property
    def groups(self) -> int:
        """The most boxes there can be."""
        axes = (*self.facets.keys, self.x, self.hue)
        return math.prod(axis.cells for axis in axes if axis is not None)

    @property
    def found(self) -> tuple[str, ...]:
        """The columns that are searched for categories or bounds."""
        searched = (axis for axis in (self.x, self.hue, self.values.bounds))
        return tuple(
            axis.column for axis in searched if isinstance(axis, CategorySearch | BoundsSearch)
        )

    @property
    def expected_error(self) -> float:
        """The mean number of ranks between a released median and the true one."""
        return self.method.median_error

    @property
    def smallest_group(self) -> float:
        """How many rows or people a group needs before its box is more likely drawn than not."""
        bounds = self.values.bounds
        cells = MOST_VALUES
        if isinstance(bounds, Bounds):
            cells = self.values.grid(bounds, self.groups).cells
        return self.method.smallest_group(cells)

    def in_values(self, *, size: float, spread: float) -> tuple[float, float]:
        """Return the expected errors of median and quartiles in the unit of the column.

        Parameters
        ----------
        size
            A guess of the number of units in a group.
        spread
            A guess of the standard deviation of its values, taken to be normal.

        Examples
        --------
        >>> import sfumato as sf
        >>> session = sf.Session(sf.testing.city(people=100), domain={"age": (0, 110)}, budget=1)
        >>> plan = session.plan(sf.Boxplot(y="age"), budget=1)
        >>> all(0.05 < error < 0.5 for error in plan.in_values(size=1000, spread=20))
        True
        """
        if not (convert_to_float(size) > 0 and convert_to_float(spread) > 0):
            raise DomainError(
                "A guess of size and spread must be two numbers above 0.",
                "They turn ranks into values, and must not be read from the data.",
                "Write size=1000, spread=40.",
            )
        # How many units lie within one standard deviation's worth of values, at either place.
        median, quartile = (size * density / spread for density in (0.3989, 0.3178))
        return self.method.median_error / median, self.method.quartile_error / quartile

    def check(self, schema: Schema) -> None:
        """Refuse a table that lacks a column, or holds another kind, before any charge."""
        axes = [axis for axis in (self.x, self.hue) if axis is not None]
        searched = [axis.column for axis in axes if isinstance(axis, CategorySearch)]
        known = [axis for axis in axes if not isinstance(axis, CategorySearch)]
        self._check_orientation(schema)
        schema.check([*self.facets.keys, *known], self.guarantee.unit, unlisted=searched)
        self.values.check(schema, self.guarantee.unit)

    def _check_orientation(self, schema: Schema) -> None:
        worded = schema.kind(self.values.column) == "text"
        if worded and self.x is not None and schema.kind(self.x.column) in ("number", "time"):
            other = "h" if self.orient == "v" else "v"
            raise SourceError(
                f"The values seem to be in {self.x.column!r}, and {self.values.column!r} has the "
                "categories.",
                "Read the other way round, every row would be left out.",
                ("Write ", Setting("orient", other), "."),
            )

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        axes = (self.x, self.hue)
        searches = [axis for axis in axes if isinstance(axis, CategorySearch)]
        extent = self.values.bounds if isinstance(self.values.bounds, BoundsSearch) else None
        return [
            ("method", self.name),
            ("expected error", f"{self.method.median_error:,.3g} ranks (median)"),
            ("", f"{self.method.quartile_error:,.3g} ranks (quartiles)"),
            ("", f"{self.method.count_error:,.3g} per count of outliers"),
            describe_smallest(self.smallest_group, self.guarantee.unit),
            *(axis.line for axis in searches),
            *(extent.lines() if extent else ()),
            *describe_text_columns([self.values.limits]),
        ]
