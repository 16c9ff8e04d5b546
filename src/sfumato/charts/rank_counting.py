"""`RankCounting`: the noisy histogram around chosen quantiles that tells how sure they are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.charts.portion import Portion, add_noise
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.partition import partition, totals
from sfumato.postprocess.noise_law import CountNoise, NoiseLaw
from sfumato.postprocess.rank_interval import (
    Cells,
    RankCounts,
    bins_around,
    least_told,
    rank_layout,
    rank_radius,
)
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.quantiles import RankMeasured

SIZE_SHARE = Fraction(2, 100)
"""Of the budget, on the number of units: it decides only where bins end."""

COUNT_SHARE = Fraction(21, 100)
"""Of the budget, on the histogram. All bins share it, as a unit lies in one of them."""

CHOICE_SHARE = 1 - SIZE_SHARE - COUNT_SHARE
"""Of the budget, on the quantiles themselves."""


@dataclass(frozen=True)
class Counted:
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
        cls, levels: tuple[float, ...], whole: Portion, unit: PrivacyUnit, size: int | None
    ) -> RankCounting:
        """Price the histogram with its share of a portion, or refuse one that is too small."""
        if size is not None:
            counts = whole.part(SIZE_SHARE + COUNT_SHARE)
            return cls(None, counts.law(2 * unit.weight), levels, size, unit.step, counts.cost)
        sizes, counts = whole.part(SIZE_SHARE), whole.part(COUNT_SHARE)
        laws = sizes.law(unit.weight), counts.law(unit.weight)
        return cls(*laws, levels, None, unit.step, sizes.cost + counts.cost)

    @property
    def radius(self) -> float:
        """About how many ranks on either side the intervals of large groups reach."""
        return rank_radius(self.noise, bins_around(len(self.levels)))

    @property
    def smallest_group(self) -> float:
        """About how many units a group needs for all of its quantiles to be told."""
        many = len(self.levels)
        return max(least_told(self.noise, level, many) for level in self.levels)

    @property
    def noise(self) -> CountNoise:
        """The noise on each count, in units."""
        return CountNoise(self.count_law, self.step)

    def count(
        self, meter: Meter, exact: Exact, grid: Grid, chosen: Cells, cut: tuple[bool, bool]
    ) -> Counted:
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
        return Counted(
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
        return add_noise(meter, totals(exact), self.size_law).ravel().tolist()

    def _starts(self, cells: list[int], size: int, grid: Grid, cut: tuple[bool, bool]) -> Cells:
        return rank_layout(
            cells,
            self.levels,
            grid.cells,
            size=size * self.step,
            reach=self.radius,
            ends=any(cut),
        )
