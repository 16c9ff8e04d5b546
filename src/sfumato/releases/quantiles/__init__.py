"""`QuantilesRelease`: noisy quantiles, by group if asked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import Annotated, Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import convert_to_datetime
from sfumato.figure import Figure, Interval
from sfumato.grid import Grid, Labels
from sfumato.releases import axes, wording
from sfumato.releases.facets import FacetedRelease
from sfumato.releases.spelling import (
    Absent,
    Index,
    Integer,
    Length,
    OneOf,
    Parameter,
    Positive,
    Released,
    Share,
    Step,
    Within,
)
from sfumato.render.look import Looks

METHODS = {
    "joint": "All levels by one exponential mechanism, with a balanced score.",
    "jointexp": "All levels by one exponential mechanism, with the published score.",
    "approx": "Levels by exponential mechanisms on halves of the data.",
    "single": "Each level by an exponential mechanism of its own.",
    "unbounded": "Each level by an above-threshold search.",
}
"""How each method works, as the caption says it."""


_Level = Annotated[float, Within(above=0, below=1)]
_Part = Annotated[float, Within(0, 1)]


@dataclass(frozen=True)
class RankMeasured:
    """The integers released about one group besides its cells.

    Parameters
    ----------
    size
        The number of units in steps: noisy, or public.
    starts
        The first cell of each bin of a histogram; a bin ends where the next begins.
    counts
        Noisy counts of the bins, in steps. Times `unit_step` of the release they are counts.
    """

    size: Integer
    starts: tuple[Index, ...]
    counts: tuple[Integer, ...]


@dataclass(frozen=True, kw_only=True)
class QuantilesRelease(FacetedRelease):
    """One cell of a public grid per group and level, and an interval around its value.

    Parameters
    ----------
    value
        The public grid the quantiles were chosen from.
    by
        The public groups; None where there are none.
    levels
        The levels asked for, rising: 0.5 is the median.
    method
        How they were chosen.
    step
        The spacing of whole-number data; None where values may lie anywhere.
    cells
        The chosen cells of `value`, from 0: all levels of the first group, then of the next, panel
        by panel. A quantile is the middle of its cell: lower + (cell + 0.5) × (upper − lower) /
        bins.
    low, high
        The ends of an interval around each quantile, in the same order and in the units of the
        column.
    coverage
        How often each interval, for itself, covers the truth; 0 where the method knows none, and
        its ends are then the number itself.
    found
        The columns whose categories or bounds were found by a private search, and paid for.
    reliable
        Whether the counts tell where each quantile lies. Where they do not, there are too few to
        say, and the interval is all of the bounds. Empty in files that know no intervals.
    measured
        The released counts that intervals were computed from, one for each group.
    unit_step
        What one integer of a count is worth: 1, or 2**-30 where a person's rows share its weight.
    bounds_found
        False where a private search for bounds found nothing: no quantile can be relied on then.
    beyond
        Between which shares of all units lie at or beyond bounds that were found privately; None
        where bounds are public, or too few are there to say.
    """

    kind: ClassVar[str] = "quantiles"
    by_panel: ClassVar[tuple[str, ...]] = ("cells", "low", "high", "reliable", "measured")

    value: Parameter[Grid]
    by: Parameter[Labels | None]
    levels: Parameter[Annotated[tuple[_Level, ...], Length(1)]]
    method: Parameter[Annotated[str, OneOf(METHODS)]]
    step: Parameter[Positive | None]
    cells: Released[tuple[Index, ...]]
    low: Released[tuple[float, ...]]
    high: Released[tuple[float, ...]]
    coverage: Parameter[Share]
    found: Parameter[tuple[str, ...]] = ()
    # Files of version 0.1 knew no intervals.
    reliable: Released[Annotated[tuple[bool, ...], Absent((), older=True)]] = ()
    measured: Released[Annotated[tuple[RankMeasured, ...], Absent((), older=True)]] = ()
    unit_step: Parameter[Annotated[Step, Absent(1.0, older=True)]] = 1.0
    bounds_found: Parameter[Annotated[bool, Absent(True, older=True)]] = True
    beyond: Released[Annotated[tuple[_Part, _Part] | None, Absent(None, older=True)]] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        count = self.groups * len(self.levels)
        if not len(self.cells) == len(self.low) == len(self.high) == count:
            raise ValueError("There is one cell and one interval per group and level.")
        if len(self.reliable) not in (0, count) or len(self.measured) not in (0, self.groups):
            raise ValueError("There is one verdict per interval, one measurement per group.")
        rising = all(low < high for low, high in pairwise(self.levels))
        ordered = all(low <= high for low, high in zip(self.low, self.high, strict=True))
        if not (rising and ordered and all(0 <= cell < self.value.cells for cell in self.cells)):
            raise ValueError("The levels, cells or intervals are not those of quantiles.")
        if self.value.bounds.time:
            _ = list(
                map(convert_to_datetime, (*self.low, *self.high))
            )  # refuses what no calendar holds
        for measured in self.measured:
            _check(measured, self.value)
        if self.beyond is not None and self.beyond[0] > self.beyond[1]:
            raise ValueError("Shares rise.")

    @property
    def groups(self) -> int:
        """The number of groups in all panels; without any everyone is in the only one."""
        return len(self.panels) * (1 if self.by is None else self.by.cells)

    @cached_property
    def quantiles(self) -> NDArray[np.float64]:
        """The values in the middle of the chosen cells, one row per group.

        A cell that the counts rule out gives way to the nearest value that they do not. Where
        there are too few data, the value is NaN.
        """
        middle = self.value.edge(np.array(self.cells, dtype=np.float64) + 0.5)
        if self.coverage:
            middle = np.clip(middle, self.low, self.high)
        middle = np.where(self.told, middle, np.nan)
        return middle.reshape(self.groups, len(self.levels))

    @property
    def told(self) -> tuple[bool, ...]:
        """Whether each quantile is told; all are where a file knows no intervals."""
        return self.reliable or (True,) * len(self.cells)

    @property
    def uncertainty(self) -> Interval:
        """Intervals around the quantiles, known from the mechanism alone."""
        return Interval(self.low, self.high, self.coverage)

    def records(self) -> list[dict[str, Any]]:
        """Return one record per group and level: a quantile, its interval, and if it is told.

        Where it is not, the numbers are NaN, and dates None. A column of groups that has the name
        of one of the others is called ``…_group``.
        """
        keys = [*self.facets, *([] if self.by is None else [self.by])]
        groups = [
            {column: value for place in places for column, value in place.items()}
            for places in product(*map(axes.places, keys))
        ]
        places = [(group, level) for group in groups for level in self.levels]
        numbers = zip(self.quantiles.ravel().tolist(), self.low, self.high, strict=True)
        verdicts = zip(numbers, self.told, strict=True)
        return [
            {
                **{_named(column): value for column, value in group.items()},
                "level": level,
                **{name: self._plain(end, told) for name, end in zip(_ENDS, ends, strict=True)},
                "reliable": told,
            }
            for (group, level), (ends, told) in zip(places, verdicts, strict=True)
        ]

    def figure(self, **look: Unpack[Looks]) -> Figure:
        """Describe the picture as plain data."""
        from sfumato.releases.quantiles import figure

        return self._dressed(figure.figure(self), look)

    def caption(self) -> str:
        """Say what protects whom, and how sure we are of the quantiles."""
        from sfumato.releases.quantiles import figure

        return figure.caption(self)

    @property
    def doubts(self) -> tuple[str, ...]:
        """What whoever reads the numbers must know about them."""
        if not self.bounds_found:
            return (wording.found_nothing(self.guarantee),)
        if self.beyond is None or self.beyond[0] < _MANY:
            return ()
        return (wording.beyond(self.beyond, self.guarantee.unit),)

    def _plain(self, number: float, told: bool) -> Any:
        if self.value.bounds.time:
            return self.value.bounds.show(number) if told else None
        return number if told else math.nan


_MANY = 0.02  # of all units, beyond bounds that were searched for: fewer are no news
_ENDS = ("quantile", "low", "high")


def _named(column: str) -> str:
    return f"{column}_group" if column in ("level", *_ENDS, "reliable") else column


def _check(measured: RankMeasured, value: Grid) -> None:
    starts = measured.starts
    rising = all(low < high for low, high in pairwise((-1, *starts, value.cells)))
    if not (rising and len(starts) == len(measured.counts) and 0 in starts):
        raise ValueError("The bins of a histogram rise from the first cell.")
