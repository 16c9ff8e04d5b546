"""Private quantiles of columns, and bins between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.allocation import Allocation
from sfumato.domain import LAST_MOMENT, Bounds
from sfumato.exact import Exact
from sfumato.grid import Edges, Grid
from sfumato.mechanisms.joint import compute_usable_epsilon, joint
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.pairs import place_edges
from sfumato.privacy.budget import Cost

_CELLS = 2**12
_FINE = 0.5  # of a step: bins that are narrower show more than there would be
_DOUBT = 4  # times 1/ε: how many units the crowd has


@dataclass(frozen=True)
class QuantileSearch:
    """Planned quantiles of all columns, between which their bins will lie.

    A public crowd stands evenly spread over the bounds of each column: among few rows it draws the
    answers apart, so that bins are equal where nothing can be known.

    Parameters
    ----------
    grids
        The public cells of each column.
    epsilon
        What the choice for one column may spend.
    """

    grids: tuple[Grid, ...]
    epsilon: Fraction

    @classmethod
    def plan(
        cls, columns: Sequence[str], bounds: Sequence[Bounds], portion: Allocation
    ) -> QuantileSearch:
        """Divide a portion among all columns, or refuse one so small that rounding takes it all."""
        grids = tuple(Grid(*pair, _CELLS) for pair in zip(columns, bounds, strict=True))
        epsilon = portion.part(Fraction(1, len(grids))).choice
        compute_usable_epsilon(epsilon, 1)
        return cls(grids, epsilon)

    @property
    def cost(self) -> Cost:
        """What all columns spend together."""
        return Cost.sum(Cost.exponential(self.epsilon) for _ in self.grids)

    @property
    def crowd(self) -> NDArray[np.int64]:
        """How many units stand in each cell, beside those of the table."""
        units = min(math.ceil(_DOUBT / float(self.epsilon)), 2**30)
        return np.diff(np.arange(_CELLS + 1) * units // _CELLS)

    def choose(
        self, meter: Meter, columns: Sequence[Exact], levels: Sequence[Fraction]
    ) -> list[tuple[float, ...]]:
        """Choose the quantiles of each column, of which the cells are given.

        Privacy
        -------
        As `sfumato.mechanisms.joint` states, once for each column. One unit may move the counts of
        every column, so their costs add up. Levels and crowd are public.
        """
        crowd = self.crowd
        found: list[tuple[float, ...]] = []
        for grid, exact in zip(self.grids, columns, strict=True):
            among = exact.reshape_by_group().with_pseudocounts(crowd)
            (cells,) = joint(meter, among, levels=levels, epsilon=self.epsilon).tolist()
            width = grid.bounds.width / _CELLS
            found.append(tuple(grid.bounds.lower + (cell + 0.5) * width for cell in cells))
        return found


def make_bins(
    column: str,
    bounds: Bounds,
    quantiles: Sequence[float],
    levels: Sequence[Fraction],
    bins: int,
) -> Edges:
    """Return about so many bins of a column; together they hold its whole range.

    Privacy
    -------
    Follows from public facts and from quantiles that are public now.

    Examples
    --------
    >>> levels = [Fraction(part, 8) for part in (1, 2, 4, 6, 7)]
    >>> make_bins("rooms", Bounds(1, 4, step=1), [1, 1, 2, 3, 3], levels, 8).values
    (0.5, 1.5, 2.5, 3.5, 4.5)
    >>> make_bins("age", Bounds(0, 90), [10, 20, 30, 40, 50], levels, 8).values[:3]
    (-0.5, 9.5, 19.5)
    """
    ends = bounds.lower, bounds.upper
    placed = place_edges(ends, quantiles, levels, bins)
    step = _find_step(bounds, placed)
    if step is None:
        return Edges(column, bounds, tuple(placed))
    values = round(bounds.width / step) + 1
    firsts = (
        np.arange(values, dtype=np.float64)
        if values <= bins
        else np.unique(np.ceil((np.array(placed[:-1]) - bounds.lower) / step - 1e-9))
    )
    before = 0.0 if bounds.time else step / 2
    edges = bounds.lower + firsts[firsts < values] * step - before
    after = min(bounds.upper + step, LAST_MOMENT) if bounds.time else bounds.upper + before
    return Edges(column, bounds, (*edges[edges < after].tolist(), after))


def _find_step(bounds: Bounds, placed: Sequence[float]) -> float | None:
    """Return how far apart values lie, or may lie where nobody said so.

    Bins of 0.9 hold one whole number each, and now and then none or two, which looks like peaks.
    Where most bins are wider than half of a likely step, few would be any wider for edges between
    whole numbers.
    """
    step, inner = bounds.likely_step, np.diff(placed)[1:-1]
    if step is None or bounds.step is not None:
        return bounds.step
    return step if inner.size and float(np.quantile(inner, 0.25)) >= _FINE * step else None
