"""What every method of a boxplot has: a price, and a way to measure boxes."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Protocol

from sfumato.domain import Bounds
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.box import Box, Summary
from sfumato.privacy.budget import Cost
from sfumato.releases.boxplot import PLACES, Measured

QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))

_ROUNDING = 1e-6  # of a cell: a value that is one but for its rounding is that one


@dataclass(frozen=True)
class Boxed:
    """Boxes of all groups, and the noisy numbers they were made of."""

    summaries: tuple[Summary, ...]
    measured: tuple[Measured, ...]


class Method(Protocol):
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


def centre(grid: Grid, cell: float) -> float:
    """Return the value at the centre of a cell.

    Examples
    --------
    >>> from sfumato.domain import Bounds
    >>> centre(Grid("age", Bounds(0, 100), 10), 3)
    35.0
    """
    return (cell + 0.5) * grid.bounds.width / grid.cells + grid.bounds.lower


def in_values(summary: Summary, grid: Grid) -> Summary:
    """Turn cells into values; counts stay as they are."""
    box, low, high = (_placed(box, grid) for box in (summary.box, summary.low, summary.high))
    return Summary(box, low, high, summary.size, summary.clear)


def on_values(summary: Summary, grid: Grid) -> Summary:
    """End whiskers at values: at the last one inside, where a fence lies between two.

    For grids whose cells are the values there are. Intervals grow to the next value.
    """
    box, low, high = summary.box, summary.low, summary.high
    return replace(
        summary,
        box=_whiskers(box, (_up(box.lower_whisker, grid), _down(box.upper_whisker, grid))),
        low=_whiskers(low, (_down(low.lower_whisker, grid), _down(low.upper_whisker, grid))),
        high=_whiskers(high, (_up(high.lower_whisker, grid), _up(high.upper_whisker, grid))),
    )


def within_found(summary: Summary, grid: Grid, limits: Bounds) -> Summary:
    """Doubt a box whose quartiles may lie beyond bounds that a search found.

    Values beyond them were moved to them, so that such a quartile lies anywhere outward of a bound.
    The `limits` of the search were declared, and what lies beyond those is nobody's concern.
    """
    first, last = centre(grid, 0), centre(grid, grid.cells - 1)
    below = grid.bounds.lower > limits.lower and summary.low.q1 <= first
    above = grid.bounds.upper < limits.upper and summary.high.q3 >= last
    if not (below or above):
        return summary
    low, high = dict.fromkeys(PLACES, first), dict.fromkeys(PLACES, last)
    return replace(
        summary,
        low=replace(summary.low, **low, outliers_below=0.0, outliers_above=0.0),
        high=replace(summary.high, **high),
        clear=False,
    )


def _whiskers(box: Box, ends: tuple[float, float]) -> Box:
    return replace(box, lower_whisker=ends[0], upper_whisker=ends[1])


def _up(value: float, grid: Grid) -> float:
    return centre(grid, math.ceil(_cell(value, grid) - _ROUNDING))


def _down(value: float, grid: Grid) -> float:
    return centre(grid, math.floor(_cell(value, grid) + _ROUNDING))


def _cell(value: float, grid: Grid) -> float:
    return (value - grid.bounds.lower) / grid.bounds.width * grid.cells - 0.5


def _placed(box: Box, grid: Grid) -> Box:
    numbers = {field.name: getattr(box, field.name) for field in fields(Box)}
    places = {name: centre(grid, numbers[name]) for name in PLACES}
    return Box(**(numbers | places))
