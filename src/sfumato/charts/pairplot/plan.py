"""`PairplotPlan`: what a pair plot will cost, and the noise on each of its cells."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.charts.allocation import CategorySearch
from sfumato.charts.chart import Plan, describe_text_columns
from sfumato.charts.pairplot.bins import QuantileSearch
from sfumato.engines.engine import Schema
from sfumato.errors import DomainError, Setting
from sfumato.grid import MOST_CELLS, Grid, Labels
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.postprocess.pairs import MOST_BINS, choose_bins

_SOME = Setting("hue_order", ["A", "B"])


@dataclass(frozen=True)
class PairplotPlan(Plan):
    """The cost of a pair plot and the noise on each of its cells.

    Parameters
    ----------
    search
        The planned quantiles of all columns, which their bins are placed by.
    hue
        The groups, or a search for them.
    size_noise
        The law of the noise on the number of units in each group, in integer steps.
    noise
        The law of the noise on each cell of each pair, in integer steps.
    """

    search: QuantileSearch
    hue: Labels | CategorySearch | None
    size_noise: NoiseLaw
    noise: NoiseLaw

    def __post_init__(self) -> None:
        groups = 1 if self.hue is None else self.hue.cells
        if groups * MOST_BINS**2 > MOST_CELLS:
            raise DomainError(
                f"{groups:,} groups are too many to show all pairs of columns of each.",
                "An answer would have more cells than can be counted, nearly all of them noise.",
                ("Choose a hue with fewer groups, or declare some of them: ", _SOME, "."),
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in the order of the panels."""
        return tuple(grid.column for grid in self.search.grids)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The places of the columns of each pair."""
        return list_pairs(len(self.columns))

    @property
    def presence(self) -> tuple[Grid, ...]:
        """One cell for each column, which holds all of its values, and no missing one."""
        return tuple(Grid(grid.column, grid.bounds, 1) for grid in self.search.grids)

    @property
    def expected_error(self) -> float:
        """The mean absolute error of one measured cell of a pair, in rows or people."""
        return self.noise.mean_absolute * self.guarantee.unit.step

    def check(self, schema: Schema) -> None:
        """Refuse a table that lacks a column, or holds another kind, before any charge."""
        groups = [self.hue] if isinstance(self.hue, Labels) else []
        searched = [self.hue.column] if isinstance(self.hue, CategorySearch) else []
        schema.check([*self.search.grids, *groups], self.guarantee.unit, unlisted=searched)

    def lines(self) -> list[tuple[str, str]]:
        """Return what there is to know, as names and values to print."""
        counted = self.guarantee.unit.counted
        spread = self.noise.variance**0.5 * self.guarantee.unit.step
        fine = [(size, choose_bins(size, spread)) for size in (1_000, 100_000)]
        return [
            ("pairs", f"{len(self.pairs)}, each measured with an equal share"),
            ("expected error", f"{self.expected_error:,.3g} {counted} per measured cell"),
            *((f"with {size:,} {counted}", f"about {bins} bins a column") for size, bins in fine),
            *([self.hue.line] if isinstance(self.hue, CategorySearch) else []),
            *describe_text_columns(grid.bounds for grid in self.search.grids),
        ]


def list_pairs(columns: int) -> list[tuple[int, int]]:
    """Return the places of both columns of every pair.

    Examples
    --------
    >>> list_pairs(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return [(one, other) for one in range(columns) for other in range(one + 1, columns)]
