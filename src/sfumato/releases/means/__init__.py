"""`MeansRelease`: noisy means, sums or counts of groups."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from typing import Annotated, Any, ClassVar, Literal, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.addend import addend_weight
from sfumato.figure import Figure, Interval, Orient
from sfumato.grid import Edges, Key, Labels, shape
from sfumato.postprocess.clip_choice import Ladder, bound_bias, estimate_bias
from sfumato.postprocess.group_mean import (
    GroupEstimates,
    estimate_counts,
    estimate_means,
    estimate_sums,
)
from sfumato.postprocess.noise_law import KnownNoise, NoiseLaw
from sfumato.privacy.budget import Cost
from sfumato.regions import Areas
from sfumato.releases import axes, wording
from sfumato.releases.facets import FacetedRelease
from sfumato.releases.spelling import Absent, Index, Integer, Parameter, Positive, Released
from sfumato.releases.uncertainty import LEVEL
from sfumato.render.look import Looks

Array = NDArray[np.float64]

Estimator = Literal["mean", "sum", "median", "count", "proportion"]
MeansView = Literal["bars", "points", "line"]


FARTHEST = 1e280
"""How far from zero bounds of sums may lie: 2⁶² steps of it are a float."""

_FEWEST = 2  # categories, of which the last one has a proportion


@dataclass(frozen=True)
class GroupMedian:
    """The median of one group, and the integers released about it.

    Parameters
    ----------
    value, low, high
        The median and the ends of an interval around it, in the units of the column.
    reliable
        Whether the counts tell where it lies.
    size
        The noisy number of units in steps.
    starts, counts
        The first cells of bins around it, of a grid of the column, and their noisy counts in steps.
    """

    value: float
    low: float
    high: float
    reliable: bool
    size: Integer
    starts: tuple[Index, ...]
    counts: tuple[Integer, ...]

    def __post_init__(self) -> None:
        if not (self.low <= self.value <= self.high and len(self.starts) == len(self.counts)):
            raise ValueError("A median lies within its interval, and each bin has a count.")


@dataclass(frozen=True, kw_only=True)
class GroupedRelease(FacetedRelease):
    """A mean, a sum or a count for each group, whatever the groups are, with an interval around it.

    Parameters
    ----------
    column
        The column that was added up; None where rows were counted.
    declared
        The public range of its values.
    clipped
        The range that they were clipped to before they were added up; None where there is no
        column.
    estimator
        What is told of each group.
    noise
        The law of the noise on each integer.
    step
        What one integer is worth in rows or people.
    steps
        Two noisy integers for each group, one for a count: panel by panel, and in each as the
        groups follow each other. Each value is split between both ends of the range it was clipped
        to, as its distance from them says. The first integer is what was given to the lower end,
        the second to the upper one; times `step` both together are a count, and both times their
        ends a sum.
    ladder
        The ends of bins of the column in all groups, whose noisy counts told where to clip; none
        where declared bounds were kept.
    ladder_steps
        These counts, in integers each worth one row or what the privacy unit says.
    ladder_noise
        The law of the noise on each of them.
    ladder_seen
        Two of these ends, of which a search from outside found that much lies below the first and
        above the second; none if it found no two.
    medians
        The median of each group, in the same order, where medians were asked for.
    levels
        For a proportion the public categories of the column. Rows of the last one were given to the
        upper end, which is 1, those of the others to the lower one, which is 0.
    """

    by_panel: ClassVar[tuple[str, ...]] = ("steps", "medians")

    column: Parameter[str | None]
    declared: Parameter[Edges | None]
    clipped: Released[Edges | None]
    estimator: Parameter[Estimator]
    noise: Parameter[NoiseLaw]
    step: Parameter[Positive]
    steps: Released[tuple[Integer, ...]]
    ladder: Released[Annotated[tuple[float, ...], Absent(())]] = ()
    ladder_steps: Released[Annotated[tuple[Integer, ...], Absent(())]] = ()
    ladder_noise: Parameter[Annotated[NoiseLaw | None, Absent(None)]] = None
    ladder_seen: Released[Annotated[tuple[float, ...], Absent(())]] = ()
    levels: Parameter[Annotated[Labels | None, Absent(None)]] = None
    medians: Released[Annotated[tuple[GroupMedian, ...], Absent(())]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        medians = self.groups if self.estimator == "median" else 0
        if len(self.steps) != self.groups * self._each or len(self.medians) != medians:
            raise ValueError("There are two integers for each group, one for a count.")
        unspanned = self.column is None or self.levels is not None
        if (unspanned, unspanned) != (self.clipped is None, self.declared is None):
            raise ValueError("A column has a range, and one that it was clipped to.")
        if (self.levels is not None) != (self.estimator == "proportion"):
            raise ValueError("A proportion, and nothing else, is of categories.")
        if self.levels is not None and self.levels.cells < _FEWEST:
            raise ValueError("A proportion is of one category among two or more.")
        if self.column is None and self.estimator != "count":
            raise ValueError("Without a column rows are counted.")
        self._check_step()
        far = self.clipped is not None and np.abs(self.clipped.edges).max() > FARTHEST
        if far and self.estimator == "sum":
            raise ValueError("Such sums are beyond what floats hold.")
        rungs = len(self.ladder_steps) + 1 if self.ladder_noise else 0
        rising = all(low < high for low, high in pairwise(self.ladder))
        if len(self.ladder) != rungs or not rising:
            raise ValueError("There is one count between two edges, which rise.")
        ends = [each for each in self.ladder_seen if each in self.ladder]
        if len(ends) not in (0, 2) or ends != sorted(self.ladder_seen):
            raise ValueError("What lies below one edge and above another is of two that rise.")

    def _check_step(self) -> None:
        """Refuse integers of which a row is worth less than one, or parts of one."""
        unit = self.guarantee.unit
        if self.estimator in ("count", "median"):
            told = self.step == unit.step
        else:
            steps = self._weight / addend_weight(unit)
            told = steps.is_integer() and steps >= 1
        if not told:
            raise ValueError("A row is worth a whole number of steps, a counted one a single step.")

    @property
    @abstractmethod
    def keys(self) -> tuple[Key | Areas, ...]:
        """What the groups are, in the order of the numbers."""

    @property
    @abstractmethod
    def places(self) -> list[dict[str, Any]]:
        """Where each group lies, in the order of the numbers."""

    @property
    def heading(self) -> str:
        """What is shown, in words: sums and means follow from the same numbers."""
        named = next((each for each in ("mean", "sum") if self.label.startswith(f"{each} of ")), "")
        return f"{self.estimator}{self.label.removeprefix(named)}" if named else self.label

    @property
    def groups(self) -> int:
        """The number of groups in all panels; without any everyone is in the only one."""
        return math.prod(shape(self.keys))

    @property
    def _each(self) -> int:
        return {"count": 1, "median": 0}.get(self.estimator, 2)

    @cached_property
    def estimates(self) -> GroupEstimates:
        """What is told of each group, the ends of its interval, and whether it can be relied on."""
        if self.estimator == "median":
            return self._told_medians
        return self.estimate(self.pairs, self.noise)

    @property
    def pairs(self) -> Array:
        """The noisy integers of each group, one for a count and two for any other number."""
        return np.array(self.steps, dtype=np.float64).reshape(self.groups, self._each)

    def estimate(self, pairs: Array, law: KnownNoise) -> GroupEstimates:
        """Return what is told of groups with such noisy integers: these ones, or some together."""
        if self.estimator == "count":
            return estimate_counts(pairs, law, self.step, LEVEL)
        span = np.array([0.0, 1.0]) if self.clipped is None else self.clipped.edges
        ends = np.tile(span, (len(pairs), 1))
        if self.estimator == "sum":
            told = estimate_sums(pairs, ends, law, self.step, LEVEL)
        else:
            told = estimate_means(pairs, ends, law, LEVEL)
        return replace(told, reliable=told.reliable & self.clip_found)

    @property
    def _told_medians(self) -> GroupEstimates:
        numbers = [(each.value, each.low, each.high) for each in self.medians]
        value, low, high = np.array(numbers, dtype=np.float64).reshape(-1, 3).T
        reliable = np.array([each.reliable for each in self.medians], dtype=np.bool_)
        return GroupEstimates(value, low, high, reliable)

    @property
    def measure(self) -> str:
        """What the numbers are."""
        if self.estimator == "count":
            return wording.counted(self.guarantee.unit)
        if self.levels is not None:
            return f"proportion of {self.levels.categories.values[-1]} in {self.column}"
        unit = self.declared.bounds.duration if self.declared else None
        return f"{self.estimator} of {self.column}{f' ({unit})' if unit else ''}"

    @cached_property
    def counts(self) -> Array:
        """How many rows or people each group has: unbiased, and so sometimes below zero."""
        if self.estimator == "median":
            return np.array([each.size for each in self.medians], dtype=np.float64) * self.step
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
    def _counted(self) -> Ladder | None:
        """What was counted of the column in all groups, where that told where to clip."""
        if self.ladder_noise is None or self.clipped is None:
            return None
        counts = np.array(self.ladder_steps, dtype=np.float64) * self.guarantee.unit.step
        deviation = math.sqrt(self.ladder_noise.variance) * self.guarantee.unit.step
        return Ladder.of(np.array(self.ladder), counts, deviation, self.ladder_seen)

    @cached_property
    def bias(self) -> float:
        """About how far clipping moves the mean of all groups together: below zero if downwards.

        It is estimated from the noisy counts beyond the range, and 0 where declared bounds were
        kept. A single group may be moved further, or less.
        """
        if self._counted is None or self.clipped is None:
            return 0.0
        low, high = self.bias_range
        return min(max(estimate_bias(self._counted, *self.clipped.edges.tolist()), low), high)

    @cached_property
    def bias_range(self) -> tuple[float, float]:
        """How far clipping moves that mean, downwards and upwards: in 95 % of releases no further.

        As many rows or people may lie beyond an end as noise could hide, each as far out as its bin
        reaches. Where an end is a declared bound, none do.
        """
        if self._counted is None or self.clipped is None:
            return 0.0, 0.0
        return bound_bias(self._counted, *self.clipped.edges.tolist())

    @property
    def clip_found(self) -> bool:
        """Whether anything tells the range to clip to.

        Nothing does where all that is seen may be zeros, and the bias anything.
        """
        return self._counted is None or not self._counted.degenerate or self.bias_known

    @property
    def bias_known(self) -> bool:
        """Whether clipping moves that mean by less than the range it clips to is wide."""
        if self.clipped is None:
            return True
        return max(map(abs, self.bias_range)) <= float(np.ptp(self.clipped.edges))

    @property
    def _weight(self) -> float:
        """How many steps one unit moves all sums together at most."""
        return self.guarantee.unit.step * self.guarantee.unit.weight / self.step

    @property
    def least_cost(self) -> Cost:
        """What the noise on the sums costs, and that on the counts which told where to clip."""
        unit = self.guarantee.unit
        sums = self.noise.cost(round(self._weight))
        ladder = [] if self.ladder_noise is None else [self.ladder_noise.cost(unit.weight)]
        return Cost.sum([sums, *ladder])

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
                if self.estimator in ("mean", "sum"):
                    record["bias"] = self.bias * (count if self.estimator == "sum" else 1.0)
        return [
            {_named(name): value for name, value in place.items()} | record
            for place, record in zip(self.places, numbers, strict=True)
        ]


@dataclass(frozen=True, kw_only=True)
class MeansRelease(GroupedRelease):
    """A mean, a sum or a count for each group along an axis, with an interval around each.

    Parameters
    ----------
    x
        The public groups along x; None where there are none.
    hue
        The groups by colour; None where there are none. All numbers of the first colour come first.
    found
        The columns whose categories were found by a private search, and paid for.
    view
        Whether the numbers are drawn as bars, as points or as a line.
    """

    kind: ClassVar[str] = "means"

    x: Parameter[Key | None]
    hue: Parameter[Labels | None]
    found: Parameter[tuple[str, ...]] = ()
    view: Parameter[Annotated[MeansView, Absent("bars")]] = "bars"

    @property
    def keys(self) -> tuple[Key, ...]:
        """The axes of groups there are, in the order of the numbers."""
        own = (key for key in (self.hue, self.x) if key is not None)
        return (*self.facets, *own)

    @property
    def places(self) -> list[dict[str, Any]]:
        """Where each group lies along its axes, in the order of the numbers."""
        parts = product(*(axes.places(key) for key in self.keys))
        return [{name: end for part in place for name, end in part.items()} for place in parts]

    def figure(
        self, *, orient: Orient | None = None, merge: bool = False, **look: Unpack[Looks]
    ) -> Figure:
        """Describe the picture as plain data.

        Parameters
        ----------
        orient
            ``"v"`` for upright bars, ``"h"`` for lying ones; left out, the names of categories
            decide.
        merge
            Draw neighbouring bins as one where noise could have made their differences. It is
            decided by released numbers alone, and free.
        """
        from sfumato.releases.means import figure

        return self._dressed(figure.figure(self, orient=orient, merge=merge), look)

    def caption(self) -> str:
        """Say what protects whom, and how sure we are of the numbers."""
        from sfumato.releases.means import figure

        return figure.caption(self)


def _named(column: str) -> str:
    return (
        f"{column}_group"
        if column in (*get_args(Estimator), "low", "high", "reliable", "bias")
        else column
    )
