"""`MeansRelease`: noisy means, sums or counts of groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import Annotated, Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Figure, Interval, Orient
from sfumato.grid import Edges, Key, Labels, shape
from sfumato.postprocess.clip_choice import estimate_outwards
from sfumato.postprocess.group_mean import (
    GroupEstimates,
    estimate_counts,
    estimate_means,
    estimate_sums,
)
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.releases import axes
from sfumato.releases.facets import FacetedRelease
from sfumato.releases.spelling import Absent, Integer, Parameter, Positive, Released
from sfumato.releases.uncertainty import LEVEL
from sfumato.render.look import Looks

Array = NDArray[np.float64]

Estimator = Literal["mean", "sum", "count"]
MeansView = Literal["bars", "points", "line"]


@dataclass(frozen=True, kw_only=True)
class MeansRelease(FacetedRelease):
    """A mean, a sum or a count for each group, with an interval around each.

    Parameters
    ----------
    column
        The column that was added up; None where rows were counted.
    declared
        The public range of its values.
    clipped
        The range that they were clipped to before they were added up; None where there is no
        column.
    x
        The public groups along x; None where there are none.
    hue
        The groups by colour; None where there are none.
    estimator
        What is told of each group.
    noise
        The law of the noise on each integer.
    step
        What one integer is worth in rows or people.
    steps
        Two noisy integers for each group, one for a count: panel by panel, in each all of the first
        colour along x, then those of the next. Each value is split between both ends of the range
        it was clipped to, as its distance from them says. The first integer is what was given to
        the lower end, the second to the upper one; times `step` both together are a count, and
        both times their ends a sum.
    ladder
        The ends of bins of the column in all groups, whose noisy counts told where to clip; none
        where declared bounds were kept.
    ladder_steps
        These counts, in integers each worth one row or what the privacy unit says.
    ladder_noise
        The law of the noise on each of them.
    found
        The columns whose categories were found by a private search, and paid for.
    view
        Whether the numbers are drawn as bars, as points or as a line.
    """

    kind: ClassVar[str] = "means"
    by_panel: ClassVar[tuple[str, ...]] = ("steps",)

    column: Parameter[str | None]
    declared: Parameter[Edges | None]
    clipped: Released[Edges | None]
    x: Parameter[Key | None]
    hue: Parameter[Labels | None]
    estimator: Parameter[Estimator]
    noise: Parameter[NoiseLaw]
    step: Parameter[Positive]
    steps: Released[tuple[Integer, ...]]
    ladder: Released[Annotated[tuple[float, ...], Absent(())]] = ()
    ladder_steps: Released[Annotated[tuple[Integer, ...], Absent(())]] = ()
    ladder_noise: Parameter[Annotated[NoiseLaw | None, Absent(None)]] = None
    found: Parameter[tuple[str, ...]] = ()
    view: Parameter[Annotated[MeansView, Absent("bars")]] = "bars"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.steps) != self.groups * self._each:
            raise ValueError("There are two integers for each group, one for a count.")
        if (self.column is None) != (self.clipped is None) or (
            (self.clipped is None) != (self.declared is None)
        ):
            raise ValueError("A column has a range, and one that it was clipped to.")
        if self.column is None and self.estimator != "count":
            raise ValueError("Without a column rows are counted.")
        rungs = len(self.ladder_steps) + 1 if self.ladder_noise else 0
        rising = all(low < high for low, high in pairwise(self.ladder))
        if len(self.ladder) != rungs or not rising:
            raise ValueError("There is one count between two edges, which rise.")

    @property
    def keys(self) -> tuple[Key, ...]:
        """The axes of groups there are, in the order of the numbers."""
        own = (key for key in (self.hue, self.x) if key is not None)
        return (*self.facets, *own)

    @property
    def groups(self) -> int:
        """The number of groups in all panels; without any everyone is in the only one."""
        return math.prod(shape(self.keys))

    @property
    def _each(self) -> int:
        return 1 if self.estimator == "count" else 2

    @cached_property
    def estimates(self) -> GroupEstimates:
        """What is told of each group, the ends of its interval, and whether it can be relied on."""
        pairs = np.array(self.steps, dtype=np.float64).reshape(self.groups, self._each)
        if self.clipped is None or self.estimator == "count":
            return estimate_counts(pairs, self.noise, self.step, LEVEL)
        ends = np.tile(self.clipped.edges, (self.groups, 1))
        if self.estimator == "sum":
            return estimate_sums(pairs, ends, self.noise, self.step, LEVEL)
        return estimate_means(pairs, ends, self.noise, LEVEL)

    @cached_property
    def counts(self) -> Array:
        """How many rows or people each group has: unbiased, and so sometimes below zero."""
        steps = np.array(self.steps, dtype=np.float64).reshape(self.groups, self._each)
        return steps.sum(axis=1) * self.step

    @property
    def uncertainty(self) -> Interval:
        """Intervals around the numbers of all groups, known from the noise alone.

        They are for clipped values: what clipping moves is told by `bias`.
        """
        low, high = self.estimates.low, self.estimates.high
        return Interval(tuple(low.tolist()), tuple(high.tolist()), LEVEL)

    @cached_property
    def beyond(self) -> tuple[float, float]:
        """About which shares of all rows or people lie below and above what was clipped to."""
        if self.clipped is None or not self.ladder:
            return 0.0, 0.0
        counts, middles = self._tail
        low, high = self.clipped.edges
        return float(counts[middles < low].sum()), float(counts[middles > high].sum())

    @cached_property
    def bias(self) -> float:
        """About how far clipping moves the mean of all groups together: below zero if downwards.

        It is estimated from the noisy counts beyond the range, and 0 where declared bounds were
        kept. A single group may be moved further, or less.
        """
        if self.clipped is None or not self.ladder:
            return 0.0
        counts, middles = self._tail
        low, high = self.clipped.edges
        return float((counts * (middles.clip(low, high) - middles)).sum())

    @property
    def _tail(self) -> tuple[Array, Array]:
        """The likely share of all units in each bin of the ladder, and where its middle is."""
        edges, law = np.array(self.ladder), self.ladder_noise
        steps = np.array(self.ladder_steps, dtype=np.float64)
        deviation = math.sqrt(law.variance) if law else 0.0
        upper = estimate_outwards(steps, deviation)
        lower = estimate_outwards(steps[::-1], deviation)[::-1]
        middles, ends = (edges[:-1] + edges[1:]) / 2, self.clipped
        above = middles > (ends.edges[1] if ends else math.inf)
        whole = max(float(steps.sum()), deviation, 1e-300)
        return np.where(above, upper, lower) / whole, middles

    @property
    def least_cost(self) -> Cost:
        """What the noise on the sums costs."""
        return self.noise.cost(
            round(self.guarantee.unit.step * self.guarantee.unit.weight / self.step)
        )

    def records(self) -> list[dict[str, Any]]:
        """Return one record per group: its number, its interval, and if it can be relied on.

        Where it cannot, the numbers are NaN. A mean comes with the noisy count it was divided by,
        and with about how far clipping moves it, if it is like the mean of all groups.
        """
        told = self.estimates
        numbers = [
            {self.estimator: value, "low": low, "high": high, "reliable": reliable}
            if reliable
            else dict.fromkeys((self.estimator, "low", "high"), math.nan) | {"reliable": False}
            for value, low, high, reliable in zip(
                *(each.tolist() for each in (told.value, told.low, told.high, told.reliable)),
                strict=True,
            )
        ]
        if self.estimator != "count":
            for record, count in zip(numbers, self.counts.tolist(), strict=True):
                record["count"] = count
                record["bias"] = self.bias * (count if self.estimator == "sum" else 1.0)
        places = product(*(axes.places(key) for key in self.keys))
        return [
            {_named(name): value for part in place for name, value in part.items()} | record
            for place, record in zip(places, numbers, strict=True)
        ]

    def figure(self, *, orient: Orient | None = None, **look: Unpack[Looks]) -> Figure:
        """Describe the picture as plain data.

        Parameters
        ----------
        orient
            ``"v"`` for upright bars, ``"h"`` for lying ones; left out, the names of categories
            decide.
        """
        from sfumato.releases.means import figure

        return self._dressed(figure.figure(self, orient=orient), look)

    def caption(self) -> str:
        """Say what protects whom, and how sure we are of the numbers."""
        from sfumato.releases.means import figure

        return figure.caption(self)


def _named(column: str) -> str:
    return (
        f"{column}_group"
        if column in ("mean", "sum", "count", "low", "high", "reliable", "bias")
        else column
    )
