"""`Centre`: private quantiles of every column, to measure rows from and by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.portion import Portion
from sfumato.domain import Bounds
from sfumato.engines.engine import Engine
from sfumato.grid import Grid
from sfumato.mechanisms.joint import joint, usable
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit

MEDIAN = (Fraction(1, 2),)
QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))

_CELLS = 2**12
_DOUBT = 8  # times 1/ε: how many units the crowd has
_NORMAL = 1.349  # standard deviations between the quartiles of a normal law


@dataclass(frozen=True)
class Centre:
    """Planned medians of all columns, or quartiles where scales are asked for.

    A public crowd stands evenly spread over the bounds of each column. Among few rows, whose
    median noise would put anywhere, it draws the answer to the middle.

    Parameters
    ----------
    grids
        The public cells of each column.
    levels
        Which quantiles of each are chosen.
    epsilon
        What the choice for one column may spend.
    """

    grids: tuple[Grid, ...]
    levels: tuple[Fraction, ...]
    epsilon: Fraction

    @classmethod
    def plan(
        cls,
        columns: Sequence[str],
        bounds: Sequence[Bounds],
        levels: tuple[Fraction, ...],
        portion: Portion,
    ) -> Centre:
        """Divide a portion among all columns: one unit lies in each of them."""
        grids = [Grid(*pair, _CELLS) for pair in zip(columns, bounds, strict=True)]
        epsilon = portion.part(Fraction(1, len(grids))).choice
        usable(epsilon, 1)  # refuses a part so small that rounding alone would cost as much
        return cls(tuple(grids), levels, epsilon)

    @property
    def cost(self) -> Cost:
        """What all columns spend together."""
        return sum((Cost.exponential(self.epsilon) for _ in self.grids), Cost.nothing())

    @property
    def crowd(self) -> int:
        """How many units the crowd has; beyond 2³⁰ nothing could be found in any case."""
        return min(math.ceil(_DOUBT / float(self.epsilon)), 2**30)

    def find(self, engine: Engine, meter: Meter, unit: PrivacyUnit) -> FoundCentre:
        """Choose the quantiles of each column.

        Privacy
        -------
        As `sfumato.mechanisms.joint` states, once for each column. One unit may move the counts
        of every column, so their costs add up.
        """
        crowd = np.diff(np.arange(_CELLS + 1) * self.crowd // _CELLS)
        levels, epsilon = self.levels, self.epsilon
        chosen = [
            joint(meter, exact.by_group().joined_by(crowd), levels=levels, epsilon=epsilon)
            for exact in engine.marginals(self.grids, unit)
        ]
        cells = np.array([each[0] for each in chosen], dtype=np.float64)
        lowers = np.array([[grid.bounds.lower] for grid in self.grids])
        widths = np.array([[grid.bounds.width] for grid in self.grids])
        return FoundCentre(lowers + (cells + 0.5) * (widths / _CELLS))


@dataclass(frozen=True, eq=False)
class FoundCentre:
    """Quantiles that are public now: ``values[column, level]``, in the columns' own units."""

    values: NDArray[np.float64]

    @property
    def medians(self) -> NDArray[np.float64]:
        """The middle of each column."""
        return self.values[:, self.values.shape[1] // 2]

    def scales(self, bounds: Sequence[Bounds]) -> tuple[float, ...]:
        """Return what stands for a standard deviation: the quartiles' distance over 1.349.

        A column whose quartiles cannot be told apart is measured by half its range.
        """
        apart = (self.values[:, -1] - self.values[:, 0]) / _NORMAL
        halves = np.array([each.width / 2 for each in bounds])
        return tuple(np.where(apart > least_scales(bounds), apart, halves).tolist())


def least_scales(bounds: Sequence[Bounds]) -> tuple[float, ...]:
    """Return what quartiles must at least be apart to be told from each other."""
    return tuple(2 * each.width / _CELLS for each in bounds)
