"""`Published`: DPBoxplot (Ramsay and Diaz-Rodriguez 2025) and the naive boxplots beside it.

They stand here to be compared with. What differs from the paper is what privacy needs under our
neighbours: the number of units is private, so every rule that uses it uses a noisy one, paid for
with a fiftieth of the budget; and what is charged stays charged where a count turns out unneeded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.allocation import Allocation, add_noise
from sfumato.charts.boxplot.plan import QUARTILES, Boxed, compute_cell_centre
from sfumato.charts.ranks import WALK_ERROR, check_affordable, choose_by_threshold
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.approx import approx, single
from sfumato.mechanisms.joint import joint
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.partition import partition, sum_groups
from sfumato.postprocess.box import Box, Summary
from sfumato.postprocess.noise_law import CountNoise, NoiseLaw
from sfumato.postprocess.rank_error import RankError, bridge_error
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.boxplot import MeasuredBoxes

Name = Literal["dpboxplot", "jointexp", "approx", "single", "unbounded"]

SIZE_SHARE = Fraction(1, 50)
_LEFT = 1 - SIZE_SHARE
_COUNT = Fraction(1, 16)  # on either side
_EXTREME = Fraction(3, 16)  # each, for DPBoxplot's minimum and maximum
_BOX = Fraction(1, 2)  # for DPBoxplot's quartiles; the naive plots spend all but the counts
_CLEAR = 24  # expected rank errors that a group must be larger than
_DRAWN = 6  # what a quartile loses that leaves the data, less the logarithm of the cells around
_STRIDES = 0.002  # of the range: a box may end between two steps of a walk
_SURELY = 3.1  # standard deviations that a noisy number of units must be larger by
_FIVE = (Fraction(0), *QUARTILES, Fraction(1))

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Published:
    """A boxplot as published: five quantiles, two fences, two counts.

    Parameters
    ----------
    name
        Which mechanism finds the quantiles.
    size, counts
        The noise on the number of units, and on each count of outliers.
    box, extreme
        The ε of the quantiles found together, and of each found alone.
    most
        What one unit may weigh, in rows or people.
    step
        What one integer of a count is worth.
    buffer
        The exponent of the number of units by which a fence is favoured; a quarter in the paper.
    """

    name: Name
    size: NoiseLaw
    counts: NoiseLaw
    box: Fraction
    extreme: Fraction
    most: float
    step: float
    cost: Cost
    buffer: float = 0.25

    @classmethod
    def plan(
        cls, name: Name, whole: Allocation, unit: PrivacyUnit, *, groups: int, buffer: float
    ) -> Published:
        """Divide a portion of the budget as the paper does, after the size is paid for."""
        size, left = whole.part(SIZE_SHARE), whole.part(_LEFT)
        counts = left.part(_COUNT)
        quantiles = left.part(1 - 2 * _COUNT)
        box, extreme = quantiles.choice, quantiles.part(Fraction(1, 5)).epsilon
        found = Cost.exponential(box)
        if name == "dpboxplot":
            box, extreme = left.part(_BOX).choice, left.part(_EXTREME).epsilon
            found = Cost.exponential(box) + Cost.pure(extreme) + Cost.pure(extreme)
        elif name == "unbounded":
            found = sum((Cost.pure(extreme) for _ in _FIVE), Cost.nothing())
        if name != "unbounded":
            check_affordable(name, _FIVE, box, unit, groups=groups)
        if name in ("dpboxplot", "unbounded"):
            check_affordable("unbounded", _FIVE, extreme, unit, groups=groups)
        count = counts.cost(unit.weight)
        cost = size.cost(unit.weight) + count + count + found
        laws = size.law(unit.weight), counts.law(unit.weight)
        return cls(name, *laws, box, extreme, unit.weight * unit.step, unit.step, cost, buffer)

    @property
    def coverage(self) -> float:
        """No intervals are known for these methods."""
        return 0.0

    @property
    def median_error(self) -> float:
        """The expected rank error of a median, in rows or people."""
        return self._errors[0] * self.most

    @property
    def quartile_error(self) -> float:
        """The expected rank error of a quartile, in rows or people."""
        return self._errors[1] * self.most

    @property
    def count_error(self) -> float:
        """The expected error of a count of outliers, in rows or people."""
        return self.counts.mean_absolute * self.step

    @property
    def _errors(self) -> tuple[float, float]:
        epsilon, alone = float(self.box), float(self.extreme)
        match self.name:
            case "dpboxplot":
                law = RankError(epsilon, "published")
                return law.median_mean, law.quartile_mean
            case "jointexp":  # five levels have sensitivity 2 instead of 3/2
                return bridge_error(5, 3) * 4 / epsilon, bridge_error(5, 2) * 4 / epsilon
            case "approx":  # three depths; a quartile inherits half of the median's error
                return 3 / epsilon, math.hypot(3, 1.5) / epsilon
            case "single":  # five of them, each with sensitivity max(q, 1 - q)
                return 5 / epsilon, 7.5 / epsilon
            case "unbounded":
                return WALK_ERROR * 1.5 / alone, WALK_ERROR * 1.75 / alone

    def smallest_group(self, cells: int) -> float:
        """Return from how many rows or people on a group is more likely drawn than not.

        It must be known to be larger than what the quartiles need, by noisy numbers alone.
        """
        return self._needed(cells) + _SURELY * self._size_error

    def _needed(self, cells: int) -> float:
        """Return how many units keep the quartiles in the data, whatever its shape.

        One that leaves the data has ``cells`` places to go to, and loses an amount that grows with
        the number of units: by a sixth of what three quartiles spend together, for example.
        """
        parts = {"dpboxplot": 6, "jointexp": 8, "approx": 12, "single": 30}
        drawn = 0.0
        if self.name in parts:
            drawn = parts[self.name] * (math.log(cells) + _DRAWN) / float(self.box) * self.most
        return max(_CLEAR * self.median_error, drawn)

    @property
    def _size_error(self) -> float:
        """The standard deviation of the number of units, from its own noise and that of counts."""
        alone, counted = (CountNoise(law, self.step).variance for law in (self.size, self.counts))
        return math.sqrt(1 / (1 / alone + 1 / (3 * counted)))

    def _surely(self, size: float, counts: Sequence[float]) -> float:
        """Return how many units there surely are, from a noisy number and three noisy counts."""
        alone = CountNoise(self.size, self.step).variance
        weight = self._size_error**2 / alone
        return weight * size + (1 - weight) * sum(counts) - _SURELY * self._size_error

    def _fine(self, fenced: FencedBox, grid: Grid) -> bool:
        """Tell whether a box is longer than a walk's steps, which grow with what is walked."""
        _, first, _, third, _ = fenced.numbers
        length = third - first + grid.bounds.width / grid.cells
        return self.name != "unbounded" or length >= _STRIDES * grid.bounds.width

    def boxes(self, meter: Meter, exact: Exact, grid: Grid, whis: float) -> Boxed:
        """Measure the box of every group, a row of `exact` each.

        Privacy
        -------
        Sizes, quantiles and counts, one after the other, each with its planned part once for all
        groups. Where the counted bins begin, and whether a count is used, follows from what was
        released before.
        """
        noisy = add_noise(meter, sum_groups(exact), self.size)
        noisy_sizes = noisy.ravel() * self.step
        sizes = np.maximum(noisy_sizes, 1.0).tolist()
        found = self._quantiles(meter, exact, grid, sizes)
        fenced = [
            self._fenced([compute_cell_centre(grid, cell) for cell in row], size, grid, whis)
            for row, size in zip(found.tolist(), sizes, strict=True)
        ]
        inside = [box.cells(grid) for box in fenced]
        starts = [sorted({0, *ends} - {grid.cells}) for ends in inside]
        counts = add_noise(meter, partition(exact, starts), self.counts)
        units = (counts * self.step).tolist()
        surely = map(self._surely, noisy_sizes.tolist(), units)
        reliable = [
            least >= self._needed(grid.cells) and self._fine(box, grid)
            for least, box in zip(surely, fenced, strict=True)
        ]
        summaries = [
            self._summary(box, _count_tails(ends, row, grid), size, reliable=said)
            for box, ends, row, size, said in zip(
                fenced, inside, units, sizes, reliable, strict=True
            )
        ]
        integers = np.hstack([noisy, counts])
        return Boxed(tuple(summaries), tuple(map(_make_measured, found, integers)))

    def _quantiles(self, meter: Meter, exact: Exact, grid: Grid, sizes: Sequence[float]) -> Cells:
        """Find minimum, quartiles and maximum of each group."""
        levels, box, end = _compute_levels(sizes), self.box, self.extreme
        match self.name:
            case "dpboxplot":
                low, high = (
                    choose_by_threshold(meter, exact, grid, Fraction(each), end) for each in (0, 1)
                )
                middle = joint(meter, exact, levels=QUARTILES, epsilon=box, score="published")
                return np.hstack([low, middle, high])
            case "unbounded":
                return np.hstack(
                    [choose_by_threshold(meter, exact, grid, level, end) for level in _FIVE]
                )
            case "jointexp":
                return joint(meter, exact, levels=levels, epsilon=box, score="published")
            case "approx":
                return approx(meter, exact, levels=levels, epsilon=box)
            case "single":
                return single(meter, exact, levels=levels, epsilon=box)

    def _fenced(self, values: Sequence[float], size: float, grid: Grid, whis: float) -> FencedBox:
        """Decide where the whiskers end: at the fence, or at an extreme clearly inside it."""
        lowest, first, median, third, highest = values
        first, third = min(first, median), max(third, median)
        lower, upper = first - whis * (third - first), third + whis * (third - first)
        # As published, so that a shift of the data changes what is clearly inside.
        buffer = size**-self.buffer
        ended_below = lowest > lower + buffer * abs(lower)
        ended_above = highest < upper - buffer * abs(upper)
        lower = min(lowest, first) if ended_below else max(lower, compute_cell_centre(grid, 0))
        upper = (
            max(highest, third)
            if ended_above
            else min(upper, compute_cell_centre(grid, grid.cells - 1))
        )
        return FencedBox((lower, first, median, third, upper), ended_below, ended_above)

    def _summary(
        self, fenced: FencedBox, outside: tuple[float, float], size: float, *, reliable: bool
    ) -> Summary:
        below, above = outside
        box = Box(
            0.0 if fenced.ended_below else below,
            *fenced.numbers,
            0.0 if fenced.ended_above else above,
        )
        return Summary(box, box, box, size, reliable=reliable)


@dataclass(frozen=True)
class FencedBox:
    """The five places of a box, and whether either whisker ends before its fence."""

    numbers: tuple[float, float, float, float, float]
    ended_below: bool
    ended_above: bool

    def cells(self, grid: Grid) -> tuple[int, int]:
        """Return the cells inside: from the first up to, and without, the second."""
        start, width = grid.bounds.lower, grid.bounds.width
        lower, upper = (
            (end - start) / width * grid.cells - 0.5 for end in (self.numbers[0], self.numbers[-1])
        )
        # A whisker at the centre of a cell ends there, however its sum was rounded.
        first = min(max(math.ceil(lower - 1e-6), 0), grid.cells - 1)
        return first, min(max(math.floor(upper + 1e-6) + 1, first + 1), grid.cells)


def _count_tails(
    inside: tuple[int, int], counts: Sequence[float], grid: Grid
) -> tuple[float, float]:
    """Return the counts below and above; there is nothing to count beyond the grid."""
    below = counts[0] if inside[0] > 0 else 0.0
    above = counts[1 + (inside[0] > 0)] if inside[1] < grid.cells else 0.0
    return below, above


def _compute_levels(sizes: Sequence[float]) -> list[Fraction]:
    """Return the levels of minimum, quartiles and maximum, from a noisy number of units."""
    extreme = Fraction(1, max(8, round(sum(sizes) / max(len(sizes), 1))))
    return [extreme, *QUARTILES, 1 - extreme]


def _make_measured(cells: Cells, integers: Cells) -> MeasuredBoxes:
    return MeasuredBoxes(tuple(cells.tolist()), tuple(integers.tolist()))
