"""`PlannedMedians`: the median of each group, chosen and counted around as quantiles are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.charts.allocation import Allocation
from sfumato.charts.boxplot.plan import compute_cell_centre
from sfumato.charts.ranks import CHOICE_SHARE, Chooser, RankCounting
from sfumato.charts.values import Values
from sfumato.domain import Bounds, Domain
from sfumato.engines.engine import Engine
from sfumato.grid import Grid
from sfumato.lattice import Question
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.rank_interval import QuantileInterval, compute_intervals
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases.means import GroupMedian

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class PlannedMedians:
    """How medians are chosen, and how counts around them tell how sure they are.

    Parameters
    ----------
    values
        The column and its bounds, or the search for them.
    """

    values: Values
    chooser: Chooser
    counting: RankCounting

    @classmethod
    def plan(
        cls,
        column: str,
        domain: Domain,
        unit: PrivacyUnit,
        whole: Allocation,
        left: Allocation,
        *,
        search: Private | None,
        groups: int,
    ) -> PlannedMedians:
        """Plan medians of so many groups, or refuse a budget that is too small."""
        values = Values.plan(column, domain, unit, whole, search=search, step=None)
        if isinstance(values.bounds, Bounds):
            values.grid(values.bounds, groups)  # refuses more than can be counted
        chooser = Chooser.plan("joint", (HALF,), left.part(CHOICE_SHARE), unit, groups=groups)
        return cls(values, chooser, RankCounting.plan((float(HALF),), left, unit, None))

    @property
    def cost(self) -> Cost:
        """What the search for bounds, the choice and the counts cost."""
        return self.values.cost + self.chooser.cost + self.counting.cost

    def find(
        self, engine: Engine, meter: Meter, keys: Sequence[Question], unit: PrivacyUnit
    ) -> tuple[Bounds, tuple[GroupMedian, ...]]:
        """Return the bounds, and the median of each group.

        Privacy
        -------
        One query answers for all groups; the mechanisms see its counts alone, and each spends its
        planned part. Where counts are taken depends on the chosen cells, which are released.
        """
        found = self.values.settle(engine, meter)
        grid = self.values.grid(found.bounds, math.prod(key.cells for key in keys))
        exact = engine.counts([*keys, grid], unit).reshape_by_group()
        chosen = self.chooser.choose(meter, exact, grid)
        counted = self.counting.count(meter, exact, grid, chosen, found.cut)
        told = [compute_intervals(group, self.counting.levels)[0] for group in counted.groups]
        half = 0.0 if self.values.spacing(grid) else 0.5
        return found.bounds, tuple(
            GroupMedian(
                *_place(grid, cell, each, half),
                reliable=each.reliable and found.found,
                size=measured.size,
                starts=measured.starts,
                counts=measured.counts,
            )
            for cell, each, measured in zip(
                chosen.ravel().tolist(), told, counted.measured, strict=True
            )
        )


def _place(
    grid: Grid, cell: int, interval: QuantileInterval, half: float
) -> tuple[float, float, float]:
    """Return a median and the ends of its interval, as values of the column."""
    low, high = interval.low - half, interval.high + half
    return (
        compute_cell_centre(grid, min(max(cell, low), high)),
        compute_cell_centre(grid, low),
        compute_cell_centre(grid, high),
    )
