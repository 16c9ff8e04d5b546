"""`PairplotRelease`: noisy counts of all pairs of columns, and densities that agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Annotated, Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Figure
from sfumato.grid import Edges, Labels
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.postprocess.pairs import Pair, PairEstimates, doubt_pairs, reconcile
from sfumato.postprocess.presence import MANY, find_present
from sfumato.privacy.budget import Cost
from sfumato.releases import axes
from sfumato.releases.release import Release
from sfumato.releases.spelling import Integer, Length, Parameter, Released, Step
from sfumato.releases.uncertainty import LEVEL, widen
from sfumato.render.look import Looks

Array = NDArray[np.float64]

MOST_COLUMNS = 8
"""How many columns are compared at most: their pairs share one budget."""

REACH = 1.96
"""Standard deviations on either side of a count of a column, which is a sum of many noises."""


@dataclass(frozen=True, kw_only=True)
class PairplotRelease(Release):
    """How much lies in the cells of every pair of several columns, by group if asked.

    Parameters
    ----------
    axes
        The bins of each column, in the order of the panels. Their edges follow from noisy
        quantiles, and were found before anything was counted in them.
    hue
        The groups; absent where there are none.
    found
        The column whose categories were found by a private search, and paid for.
    noise
        The law of the noise on each integer of a cell.
    step
        What one integer is worth: 1, or 2**-30 where a person's rows share its weight.
    sizes
        The noisy number of units in each group, in steps; the number of bins follows from the
        largest.
    steps
        One noisy integer for each cell: all cells of the first and second column, of the first and
        third and so on, then of the second and third; within a pair all cells of the first group,
        then of the next; within a group all of the first bin of the column that comes first, then
        of the next. Times `step` it is a count, unbiased and so sometimes below zero.
    """

    kind: ClassVar[str] = "pairplot"
    indent: ClassVar[int | None] = None

    axes: Released[Annotated[tuple[Edges, ...], Length(2, MOST_COLUMNS)]]
    noise: Parameter[NoiseLaw]
    step: Parameter[Step]
    sizes: Released[tuple[Integer, ...]]
    steps: Released[tuple[Integer, ...]]
    hue: Parameter[Labels | None]
    found: Parameter[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if not 2 <= len(self.axes) <= MOST_COLUMNS or len(set(self.columns)) != len(self.axes):
            raise ValueError("A pair plot has two columns or more, each once.")
        if len(self.sizes) != self._count_groups():
            raise ValueError("Each group has one size.")
        cells = sum(self.axes[one].cells * self.axes[other].cells for one, other in self.pairs)
        if len(self.steps) != cells * self._count_groups():
            raise ValueError("A pair plot has one integer for each cell.")
        if self.step != self.guarantee.unit.step:
            raise ValueError("An integer is worth what the unit says.")

    def _count_groups(self) -> int:
        return 1 if self.hue is None else self.hue.cells

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in the order of the panels."""
        return tuple(key.column for key in self.axes)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The places of the columns of each pair, in the order of the numbers."""
        return tuple(combinations(range(len(self.axes)), 2))

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups; one without a name where nobody asked for any."""
        return tuple(map(str, self.hue.categories.values)) if self.hue else ("",)

    def _name_groups(self) -> list[dict[str, Any]]:
        """Return what a record says of its group."""
        if self.hue is None:
            return [{}]
        return [{self.hue.column: name} for name in self.hue.categories.values]

    @cached_property
    def _tables(self) -> dict[Pair, NDArray[np.int64]]:
        """The noisy integers of each pair, ``[group, bin, bin]``."""
        found: dict[Pair, NDArray[np.int64]] = {}
        every, start = np.array(self.steps, dtype=np.int64), 0
        for one, other in self.pairs:
            size = self._count_groups(), self.axes[one].cells, self.axes[other].cells
            found[one, other] = every[start : start + int(np.prod(size))].reshape(size)
            start += int(np.prod(size))
        return found

    @cached_property
    def counts(self) -> dict[Pair, Array]:
        """The noisy counts of each pair, ``[group, bin, bin]``; unbiased, so maybe below zero."""
        return {pair: table.astype(np.float64) * self.step for pair, table in self._tables.items()}

    def reorder_columns(self, columns: Sequence[str]) -> PairplotRelease:
        """Return the same numbers with the columns in another order."""
        if tuple(columns) == self.columns:
            return self
        places = [self.columns.index(column) for column in columns]
        tables = [
            self._tables[one, other] if one < other else self._tables[other, one].swapaxes(1, 2)
            for one, other in combinations(places, 2)
        ]
        steps = np.concatenate([each.ravel() for each in tables])
        axes = tuple(self.axes[place] for place in places)
        return replace(self, axes=axes, steps=tuple(steps.tolist()))

    @cached_property
    def estimates(self) -> tuple[PairEstimates, ...]:
        """Counts of each group, of columns and of pairs, that agree with each other."""
        variance = self.noise.variance * self.step**2
        return tuple(
            reconcile({pair: each[group] for pair, each in self.counts.items()}, variance)
            for group in range(self._count_groups())
        )

    @cached_property
    def present(self) -> tuple[bool, ...]:
        """Which groups have too many people for noise alone, with 95 % for all groups together."""
        laplace = self.noise.kind == "laplace"
        deviation = self.noise.scale * self.step * (math.sqrt(2) if laplace else 1.0)
        return find_present(
            [
                doubt_pairs(
                    {pair: each[group] for pair, each in self.counts.items()},
                    deviation,
                    1.0 if laplace else MANY,
                )
                for group in range(self._count_groups())
            ]
        )

    @property
    def least_cost(self) -> Cost:
        """What the noise on the cells of all pairs costs."""
        each = self.noise.cost(self.guarantee.unit.weight)
        return Cost.sum(each for _ in self.pairs)

    def distribution(self, column: str) -> list[dict[str, Any]]:
        """Return the count in each bin of a column, with an interval that holds it.

        Intervals are around what was measured, and widened where they do not hold the count.
        """
        place = self.columns.index(column)
        return [
            {**group, **where, "count": count, "low": low, "high": high}
            for group, told in zip(self._name_groups(), self.estimates, strict=True)
            for where, (count, low, high) in zip(
                axes.places(self.axes[place]),
                _tell(told.columns[place], told.measured[place], REACH * told.deviation[place]),
                strict=True,
            )
        ]

    def records(self) -> list[dict[str, Any]]:
        """Return one record per cell of each pair: its bins, its count and its interval.

        Intervals are around what was measured of each cell, for itself, and widened where they do
        not hold the count, which rests on all measurements.
        """
        reach = self.noise.radius(LEVEL) * self.step
        return [
            {**group, **first, **second, "count": count, "low": low, "high": high}
            for group, told in zip(self._name_groups(), self.estimates, strict=True)
            for pair in self.pairs
            for (first, second), (count, low, high) in zip(
                self._list_cells(pair),
                _tell(told.pairs[pair].ravel(), told.seen[pair].ravel(), reach),
                strict=True,
            )
        ]

    def _list_cells(self, pair: Pair) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        across, up = (
            [
                {name: self.columns[place], f"{name}_left": left, f"{name}_right": right}
                for left, right in pairwise(
                    map(self.axes[place].bounds.show, self.axes[place].values)
                )
            ]
            for name, place in zip(("x", "y"), pair, strict=True)
        )
        return [(first, second) for first in across for second in up]

    def figure(self, **look: Unpack[Looks]) -> Figure:
        """Describe the picture as plain data."""
        from sfumato.releases.pairplot import figure

        return self._dressed(figure.figure(self), look)

    def caption(self) -> str:
        """Say what protects whom, how bins were found and what the picture's signs mean."""
        from sfumato.releases.pairplot import figure

        return figure.caption(self)


def _tell(counts: Array, measured: Array, reach: float) -> list[tuple[float, float, float]]:
    """Return counts with intervals around what was measured of them."""
    ends = widen(counts, measured - reach, measured + reach)
    return list(zip(*(each.tolist() for each in (counts, *ends)), strict=True))
