"""How the cells of quantiles are chosen, at what cost, and the counts that give intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.allocation import Allocation, add_noise
from sfumato.charts.values import make_geometric_ladder
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.approx import approx, single
from sfumato.mechanisms.joint import compute_usable_epsilon, joint
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.partition import partition, sum_groups
from sfumato.mechanisms.threshold import threshold, threshold_scale
from sfumato.postprocess.noise_law import CountNoise, NoiseLaw
from sfumato.postprocess.rank_error import bridge_error
from sfumato.postprocess.rank_interval import (
    Cells,
    RankCounts,
    bins_around,
    estimate_least_size,
    rank_layout,
    rank_radius,
)
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.quantiles import RankMeasured

WALK_ERROR = 1.3
"""The mean rank error of a walk, in parts of what hides one unit.

It is larger where rungs lie closer than these ranks: a walk then stops early.
"""

_UNIT = 0.01  # of the range: the published unit, where data of variance 1 have bounds ±50
_FINEST = 10_000  # a walk multiplies all weights by the denominator of its level


@dataclass(frozen=True)
class Chooser:
    """A planned way to choose the cells of all levels.

    Parameters
    ----------
    epsilon
        What all levels spend together; each alone where the method is ``"unbounded"``.
    most
        What one unit may weigh, in rows or people.
    size
        The public number of rows, if there is one.
    """

    method: str
    levels: tuple[Fraction, ...]
    epsilon: Fraction
    most: float
    size: int | None
    cost: Cost

    @classmethod
    def plan(
        cls,
        method: str,
        levels: tuple[Fraction, ...],
        whole: Allocation,
        unit: PrivacyUnit,
        *,
        groups: int = 1,
        size: int | None = None,
    ) -> Chooser:
        """Plan the method with a portion of the budget, or refuse one that is too small."""
        epsilon, cost = whole.choice, Cost.exponential(whole.choice)
        if method == "unbounded":
            epsilon = whole.part(Fraction(1, len(levels))).epsilon
            cost = sum((Cost.pure(epsilon) for _ in levels), Cost.nothing())
        check_affordable(method, levels, epsilon, unit, groups=groups, replaced=size is not None)
        return cls(method, levels, epsilon, unit.weight * unit.step, size, cost)

    @property
    def expected_error(self) -> float:
        """The mean number of ranks that the worst of the levels is off, about."""
        replaced = self.size is not None
        many, farthest = len(self.levels), float(max(max(q, 1 - q) for q in self.levels))
        match self.method:
            case "joint" | "jointexp":
                ranks = self._together(many, replaced)
            case "approx":
                ranks = 2 * farthest * many.bit_length() * (2 if replaced else 1)
            case "single":
                ranks = 2 * many * (1.0 if replaced else farthest)
            case _:
                ranks = WALK_ERROR * (2 if replaced else 1 + farthest)
        return ranks * self.most / float(self.epsilon)

    def _together(self, many: int, replaced: bool) -> float:
        narrowest = min(high - low for low, high in pairwise([0, *self.levels, 1]))
        sensitivity = 2.0 if replaced else float(2 * (1 - narrowest))
        worst = max(bridge_error(many, index + 1) for index in range(many))
        # Seen for quartiles, where both are known: 2 against 2.7.
        balanced = self.method == "joint" and not replaced and many > 1
        return 2 * sensitivity * worst * (20 / 27 if balanced else 1)

    def choose(self, meter: Meter, exact: Exact, grid: Grid) -> NDArray[np.int64]:
        """Choose a cell for each group and level.

        Privacy
        -------
        As the mechanism states, for no more than the planned cost.
        """
        levels, epsilon, size = self.levels, self.epsilon, self.size
        match self.method:
            case "joint":
                return joint(meter, exact, levels=levels, epsilon=epsilon, size=size)
            case "jointexp":
                score = "published"
                return joint(meter, exact, levels=levels, epsilon=epsilon, score=score, size=size)
            case "approx":
                return approx(meter, exact, levels=levels, epsilon=epsilon, size=size)
            case "single":
                return single(meter, exact, levels=levels, epsilon=epsilon, size=size)
            case _:
                found = [
                    choose_by_threshold(meter, exact, grid, level, epsilon, size=size)
                    for level in levels
                ]
                # Quantiles that were chosen one by one are put in order.
                return np.sort(np.hstack(found), axis=1)


def choose_by_threshold(
    meter: Meter,
    exact: Exact,
    grid: Grid,
    level: Fraction,
    epsilon: Fraction,
    *,
    size: int | None = None,
) -> NDArray[np.int64]:
    """Walk to one quantile: those below the median from above, the others from below.

    Privacy
    -------
    As `sfumato.mechanisms.threshold` states.
    """
    upward, share = _plan_walk(level)
    return threshold(
        meter,
        exact,
        ladder=make_geometric_ladder(grid, upward=upward, unit=_UNIT * grid.bounds.width),
        level=share,
        epsilon=epsilon,
        upward=upward,
        size=size,
    )


def check_affordable(
    method: str,
    levels: Sequence[Fraction],
    epsilon: Fraction,
    unit: PrivacyUnit,
    *,
    groups: int,
    replaced: bool = False,
) -> None:
    """Refuse an ε that the method could not choose with, before anything is charged."""
    many, groups = len(levels), max(groups, 1)
    match method:
        case "approx":
            depth = many.bit_length()
            part = epsilon / (depth * (2 if replaced else 1))
            compute_usable_epsilon(part, min(unit.weight, groups * 2 ** (depth - 1)))
        case "single":
            compute_usable_epsilon(epsilon / many, min(unit.weight, groups))
        case "unbounded":
            for level in levels:
                threshold_scale(unit.weight, _plan_walk(level)[1], epsilon, replace=replaced)
        case _:
            compute_usable_epsilon(epsilon, min(unit.weight, groups))


def _plan_walk(level: Fraction) -> tuple[bool, Fraction]:
    """Return whether to walk upward, and the share to leave behind."""
    level = level.limit_denominator(_FINEST)
    upward = level >= Fraction(1, 2)
    return upward, level if upward else 1 - level


SIZE_SHARE = Fraction(2, 100)
"""Of the budget, on the number of units: it decides only where bins end."""

COUNT_SHARE = Fraction(21, 100)
"""Of the budget, on the histogram. All bins share it, as a unit lies in one of them."""

CHOICE_SHARE = 1 - SIZE_SHARE - COUNT_SHARE
"""Of the budget, on the quantiles themselves."""


@dataclass(frozen=True)
class RankHistograms:
    """Histograms of all groups, and the noisy numbers they were made of."""

    groups: tuple[RankCounts, ...]
    measured: tuple[RankMeasured, ...]


@dataclass(frozen=True)
class RankCounting:
    """A planned histogram around quantiles, one for each group.

    Parameters
    ----------
    size_law
        The noise on the number of units; None where it is public.
    count_law
        The noise on each count.
    size
        The public number of rows, if there is one.
    step
        What one integer of a count is worth.
    """

    size_law: NoiseLaw | None
    count_law: NoiseLaw
    levels: tuple[float, ...]
    size: int | None
    step: float
    cost: Cost

    @classmethod
    def plan(
        cls, levels: tuple[float, ...], whole: Allocation, unit: PrivacyUnit, size: int | None
    ) -> RankCounting:
        """Plan the histogram with its share of a portion, or refuse one that is too small."""
        if size is not None:
            counts = whole.part(SIZE_SHARE + COUNT_SHARE)
            most = 2 * unit.weight
            return cls(None, counts.law(most), levels, size, unit.step, counts.cost(most))
        sizes, counts = whole.part(SIZE_SHARE), whole.part(COUNT_SHARE)
        laws = sizes.law(unit.weight), counts.law(unit.weight)
        cost = sizes.cost(unit.weight) + counts.cost(unit.weight)
        return cls(*laws, levels, None, unit.step, cost)

    @property
    def radius(self) -> float:
        """About how many ranks on either side the intervals of large groups reach."""
        return rank_radius(self.noise, bins_around(len(self.levels)))

    @property
    def smallest_group(self) -> float:
        """About how many units a group needs for all of its quantiles to be told."""
        many = len(self.levels)
        return max(estimate_least_size(self.noise, level, many) for level in self.levels)

    @property
    def noise(self) -> CountNoise:
        """The noise on each count, in units."""
        return CountNoise(self.count_law, self.step)

    def count(
        self, meter: Meter, exact: Exact, grid: Grid, chosen: Cells, cut: tuple[bool, bool]
    ) -> RankHistograms:
        """Count what lies around the chosen cells of every group, a row of `exact` each.

        Privacy
        -------
        Sizes and one histogram, whose bins follow from what was released before: the chosen cells
        and the sizes. Each spends its planned part once for all groups. Where neighbours replace
        one row, two bins change, and the noise is as wide as that asks for.
        """
        sizes = self._sizes(meter, exact)
        rows = chosen.tolist()
        starts = [self._starts(*pair, grid, cut) for pair in zip(rows, sizes, strict=True)]
        bins = partition(exact, [row.tolist() for row in starts], replaced=self.size is not None)
        noisy = add_noise(meter, bins, self.count_law)
        counts = [values[: row.size] for row, values in zip(starts, noisy, strict=True)]
        return RankHistograms(
            tuple(
                RankCounts(row, steps * self.step, self.noise, grid.cells, self.size, cut)
                for row, steps in zip(starts, counts, strict=True)
            ),
            tuple(
                RankMeasured(size, tuple(row.tolist()), tuple(steps.tolist()))
                for size, row, steps in zip(sizes, starts, counts, strict=True)
            ),
        )

    def _sizes(self, meter: Meter, exact: Exact) -> list[int]:
        if self.size_law is None:
            return [self.size or 0]
        return add_noise(meter, sum_groups(exact), self.size_law).ravel().tolist()

    def _starts(self, cells: list[int], size: int, grid: Grid, cut: tuple[bool, bool]) -> Cells:
        return rank_layout(
            cells,
            self.levels,
            grid.cells,
            size=size * self.step,
            reach=self.radius,
            ends=any(cut),
        )
