"""`BoxplotPlan`: what a boxplot will cost and how wrong it will be."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.charts.boxes.method import Method
from sfumato.charts.chart import Plan, text_lines, too_few
from sfumato.charts.extent import Extent
from sfumato.charts.search import Search
from sfumato.charts.values import MOST_VALUES, Values
from sfumato.domain import Bounds, real
from sfumato.engines.engine import Schema
from sfumato.errors import DomainError, SourceError
from sfumato.figure import Orient
from sfumato.grid import Labels
from sfumato.phrases import Setting


@dataclass(frozen=True)
class BoxplotPlan(Plan):
    """The price of a boxplot and how many ranks its quartiles will be off.

    Parameters
    ----------
    values
        The column of numbers.
    x, hue
        The public groups, or the searches that will find them.
    method
        How the budget is divided, and what noise that means.
    """

    values: Values
    x: Labels | Search | None
    hue: Labels | Search | None
    orient: Orient
    name: str
    whis: float
    method: Method

    def __post_init__(self) -> None:
        if isinstance(self.values.bounds, Bounds):
            self.values.grid(self.values.bounds, self.groups)  # refuses more than can be counted

    @property
    def groups(self) -> int:
        """The most boxes there can be."""
        return math.prod(axis.cells for axis in (self.x, self.hue) if axis is not None)

    @property
    def found(self) -> tuple[str, ...]:
        """The columns that are searched for categories or bounds."""
        searched = (axis for axis in (self.x, self.hue, self.values.bounds))
        return tuple(axis.column for axis in searched if isinstance(axis, Search | Extent))

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
        if not (real(size) > 0 and real(spread) > 0):
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
        searched = [axis.column for axis in axes if isinstance(axis, Search)]
        known = [axis for axis in axes if not isinstance(axis, Search)]
        self._check_orientation(schema)
        schema.check(known, self.guarantee.unit, unlisted=searched)
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
        searches = [axis for axis in axes if isinstance(axis, Search)]
        extent = self.values.bounds if isinstance(self.values.bounds, Extent) else None
        return [
            ("method", self.name),
            ("expected error", f"{self.method.median_error:,.3g} ranks, of a median"),
            ("", f"{self.method.quartile_error:,.3g} ranks, of a quartile"),
            ("", f"{self.method.count_error:,.3g} per count of outliers"),
            too_few(self.smallest_group, self.guarantee.unit),
            *((f"show {axis.column} of", f"about {axis.threshold:,} rows") for axis in searches),
            *(extent.lines() if extent else ()),
            *text_lines([self.values.limits]),
        ]
