"""`Fence`: our boxplot. Quartiles first, then one histogram of what lies around them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from sfumato.charts.allocation import Allocation, add_noise
from sfumato.charts.boxplot.plan import QUARTILES, Boxed, convert_to_values
from sfumato.charts.ranks import check_affordable
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.joint import joint
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.partition import partition, sum_groups
from sfumato.postprocess.box import (
    COUNT_SHARE,
    LEVEL,
    QUARTILE_SHARE,
    SIZE_SHARE,
    Summary,
    decode_box,
)
from sfumato.postprocess.box_counts import (
    BoxCounts,
    Cells,
    Quartiles,
    choose_tail_bins,
    fence_layout,
)
from sfumato.postprocess.misplaced import find_smallest_group
from sfumato.postprocess.noise_law import CountNoise, NoiseLaw
from sfumato.postprocess.rank_error import RankError
from sfumato.privacy.budget import Cost, to_fraction
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.boxplot import MeasuredBoxes


@dataclass(frozen=True)
class Fence:
    """Quartiles by the balanced score, and all else from one noisy histogram around them.

    Parameters
    ----------
    size, counts
        The noise on the number of units, which decides how fine the histogram is, and on each of
        its counts.
    epsilon
        What the quartiles spend.
    most
        What one unit may weigh, in rows or people.
    step
        What one integer of a count is worth.
    """

    size: NoiseLaw
    counts: NoiseLaw
    epsilon: Fraction
    most: float
    step: float
    cost: Cost

    @classmethod
    def plan(cls, whole: Allocation, unit: PrivacyUnit, *, groups: int) -> Fence:
        """Divide a portion of the budget, or refuse one that is too small."""
        size, quartiles, counts = (
            whole.part(to_fraction(share)) for share in (SIZE_SHARE, QUARTILE_SHARE, COUNT_SHARE)
        )
        check_affordable("joint", QUARTILES, quartiles.choice, unit, groups=groups)
        laws = size.law(unit.weight), counts.law(unit.weight)
        cost = size.cost(unit.weight) + counts.cost(unit.weight)
        cost += Cost.exponential(quartiles.choice)
        return cls(*laws, quartiles.choice, unit.weight * unit.step, unit.step, cost)

    @property
    def coverage(self) -> float:
        """How often each interval holds the truth."""
        return LEVEL

    @property
    def median_error(self) -> float:
        """The expected rank error of a median, in rows or people."""
        return RankError(self._rate).median_mean

    @property
    def quartile_error(self) -> float:
        """The expected rank error of a quartile, in rows or people."""
        return RankError(self._rate).quartile_mean

    @property
    def count_error(self) -> float:
        """The expected error of a count of outliers, in rows or people."""
        return self.counts.mean_absolute * self.step

    def smallest_group(self, cells: int) -> float:
        """Return from how many rows or people on a group is more likely drawn than not."""
        noise, size_noise = (CountNoise(law, self.step) for law in (self.counts, self.size))
        return find_smallest_group(self._rate, noise, size_noise, cells)

    @property
    def _rate(self) -> float:
        """What the quartiles spend on one row, or on one person who counts once."""
        return float(self.epsilon) / self.most

    def boxes(self, meter: Meter, exact: Exact, grid: Grid, whis: float) -> Boxed:
        """Measure the box of every group, a row of `exact` each.

        Privacy
        -------
        Three mechanisms, one after the other: sizes, quartiles, and a histogram whose bins depend
        on what the first two released. Each spends its planned part once for all groups.
        """
        chosen = joint(meter, exact, levels=QUARTILES, epsilon=self.epsilon)
        quartiles = [cast(Quartiles, tuple(row)) for row in chosen.tolist()]
        sizes = add_noise(meter, sum_groups(exact), self.size)
        units = (sizes.ravel() * self.step).tolist()
        starts = [
            fence_layout(row, grid.cells, whis, choose_tail_bins(size, self.counts, self.step))
            for row, size in zip(quartiles, units, strict=True)
        ]
        counts = add_noise(meter, partition(exact, [row.tolist() for row in starts]), self.counts)
        noise = CountNoise(self.counts, self.step)
        histograms = [
            BoxCounts(row, begins, steps[: begins.size] * self.step, noise, grid.cells, whis)
            for row, begins, steps in zip(quartiles, starts, counts, strict=True)
        ]
        return Boxed(
            tuple(self._summary(*pair, grid) for pair in zip(histograms, units, strict=True)),
            tuple(map(_make_measured, quartiles, starts, sizes, counts)),
        )

    def _summary(self, counted: BoxCounts, size: float, grid: Grid) -> Summary:
        size_noise = CountNoise(self.size, self.step)
        summary = decode_box(counted, epsilon=self._rate, size=size, size_noise=size_noise)
        return convert_to_values(summary, grid)


def _make_measured(
    quartiles: Quartiles, starts: Cells, size: Cells, counts: Cells
) -> MeasuredBoxes:
    return MeasuredBoxes(quartiles, (*size.tolist(), *counts[: starts.size].tolist()))
