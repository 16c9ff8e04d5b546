"""`BoxplotRelease`: seven noisy numbers per group, and how sure we are of each."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import product
from typing import Annotated, Any, ClassVar, Literal, Unpack

from sfumato.domain import convert_to_datetime
from sfumato.figure import Figure, Interval, Orient
from sfumato.grid import Grid, Labels
from sfumato.postprocess.box import Box, Summary
from sfumato.releases import axes
from sfumato.releases.facets import FacetedRelease
from sfumato.releases.spelling import (
    Absent,
    Integer,
    OneOf,
    Parameter,
    Positive,
    Released,
    Share,
    Step,
    Within,
)
from sfumato.render.look import Looks

NUMBERS = tuple(field.name for field in fields(Box))
"""The names of the seven numbers, from the lowest outliers to the highest."""

PLACES = NUMBERS[1:-1]
"""The five that are values of the column; the two others are counts."""

METHODS = {
    "fence": "Quartiles by a joint exponential mechanism, tails by a noisy histogram.",
    "dpboxplot": "Quartiles by a joint exponential mechanism, extremes by above-threshold "
    "searches, outliers by noisy counts (DPBoxplot).",
    "jointexp": "Quantiles by a joint exponential mechanism, outliers by noisy counts.",
    "approx": "Quantiles by exponential mechanisms on halves of the data, outliers by noisy "
    "counts.",
    "single": "Quantiles by one exponential mechanism each, outliers by noisy counts.",
    "unbounded": "Quantiles by above-threshold searches, outliers by noisy counts.",
}
"""How each method works, as the caption says it."""


@dataclass(frozen=True)
class MeasuredBoxes:
    """The integers released for one group. Pictures need the summaries only.

    Parameters
    ----------
    cells
        The chosen cells of the value grid: for ``"fence"`` the three quartiles, for the others
        minimum, quartiles and maximum.
    counts
        Noisy integers in steps: first the number of units, then the bins of a histogram around the
        box.
    """

    cells: tuple[Integer, ...]
    counts: tuple[Integer, ...]


@dataclass(frozen=True, kw_only=True)
class BoxplotRelease(FacetedRelease):
    """One box per group, with an interval around each of its seven numbers.

    Parameters
    ----------
    value
        The public grid along which boxes have their values.
    x
        The public groups side by side; None where there are none.
    hue
        The groups by colour; None where there are none.
    orient
        ``"v"`` has the values on the y axis, ``"h"`` on the x axis.
    method
        How quartiles, whiskers and outliers were measured.
    whis
        The longest whisker, in lengths of the box.
    step
        The spacing of whole-number data; None where values may lie anywhere.
    coverage
        How often each interval, for itself, covers the truth; 0 where the method knows none, and
        its ends are then the number itself.
    summaries
        What is drawn, one for each group: panel by panel, and in each all of the first `x` in the
        order of `hue`, then those of the next `x`; a single one where there are no groups.
    measured
        The released integers that `summaries` were computed from, in the same order.
    unit_step
        What one integer of a count is worth: 1, or 2**-30 where a person's rows share its weight.
    found
        The columns whose categories or bounds were found by a private search, and paid for.
    bounds_found
        False where a private search for bounds found nothing: no box can be relied on then. Files
        of version 0.1 do not say it.
    """

    kind: ClassVar[str] = "boxplot"
    by_panel: ClassVar[tuple[str, ...]] = ("summaries", "measured")

    value: Parameter[Grid]
    x: Parameter[Labels | None]
    hue: Parameter[Labels | None]
    orient: Parameter[Orient]
    method: Parameter[Annotated[str, OneOf(METHODS)]]
    whis: Parameter[Annotated[float, Within(minimum=0)]]
    step: Parameter[Positive | None]
    coverage: Parameter[Share]
    summaries: Released[tuple[Summary, ...]]
    measured: Released[tuple[MeasuredBoxes, ...]]
    unit_step: Parameter[Step]
    found: Parameter[tuple[str, ...]] = ()
    # Files of version 0.1 do not tell whether a search found anything.
    bounds_found: Parameter[Annotated[bool, Absent(True, older=True)]] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        groups = len(list(self._groups()))
        if not len(self.summaries) == len(self.measured) == groups:
            raise ValueError("A boxplot has one summary and one measurement per group.")
        for summary in self.summaries:
            _check(summary, self.value)

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The seven numbers of each group."""
        return tuple(summary.box for summary in self.summaries)

    @property
    def uncertainty(self) -> dict[str, Interval]:
        """Intervals around each of the seven numbers, known from the mechanism alone."""
        return {
            name: Interval(
                tuple(getattr(summary.low, name) for summary in self.summaries),
                tuple(getattr(summary.high, name) for summary in self.summaries),
                self.coverage,
            )
            for name in NUMBERS
        }

    def records(self) -> list[dict[str, Any]]:
        """Return one record per group: its seven numbers, their intervals, its size.

        A column that has the name of one of them is called ``…_group``.
        """
        groups = zip(self._groups(), self.summaries, strict=True)
        return [group | self._record(summary) for group, summary in groups]

    def figure(
        self, *, sort: Literal["count", "median"] | None = None, **look: Unpack[Looks]
    ) -> Figure:
        """Describe the picture as plain data.

        Parameters
        ----------
        sort
            ``"count"`` draws the largest groups first, ``"median"`` those with the highest medians,
            both by what was released.
        """
        from sfumato.releases.boxplot import figure

        return self._dressed(figure.figure(self, sort=sort), look)

    def caption(self) -> str:
        """Say what protects whom, and how sure we are of what is drawn."""
        from sfumato.releases.boxplot import figure

        return figure.caption(self)

    def _groups(self) -> list[dict[str, Any]]:
        keys = [*self.facets, *(key for key in (self.x, self.hue) if key is not None)]
        return [
            {_named(column): value for place in places for column, value in place.items()}
            for places in product(*map(axes.places, keys))
        ]

    def _record(self, summary: Summary) -> dict[str, Any]:
        numbers = {name: self._plain(summary.box, name) for name in NUMBERS}
        for name in NUMBERS:
            numbers[f"{name}_low"] = self._plain(summary.low, name)
            numbers[f"{name}_high"] = self._plain(summary.high, name)
        return {**numbers, "size": summary.size, "reliable": summary.reliable}

    def _plain(self, box: Box, name: str) -> Any:
        number = getattr(box, name)
        return self.value.bounds.show(number) if name in PLACES else number


_RESERVED = {
    *NUMBERS,
    *(f"{name}_{end}" for name in NUMBERS for end in ("low", "high")),
    "size",
    "reliable",
}


def _named(column: str) -> str:
    return f"{column}_group" if column in _RESERVED else column


def _check(summary: Summary, value: Grid) -> None:
    boxes = summary.box, summary.low, summary.high
    if value.bounds.time:
        for box in boxes:
            _ = [
                convert_to_datetime(getattr(box, name)) for name in PLACES
            ]  # refuses what no calendar holds
    places = [getattr(summary.box, name) for name in PLACES]
    intervals = [getattr(summary.low, name) <= getattr(summary.high, name) for name in NUMBERS]
    if places != sorted(places) or not all(intervals):
        raise ValueError("The numbers of a box rise, and so do the ends of intervals.")
