"""`Counted`: a noisy histogram around three private quartiles, read outward from each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.layout import Cells, Quartiles, fence_cells
from sfumato.postprocess.likelihood import CountNoise
from sfumato.postprocess.polish import rank_surplus, walk
from sfumato.postprocess.whiskers import Tail

Array = NDArray[np.float64]

_ATOM = 0.99  # how sure we must be that the units in a quartile's own cell are not noise
_HEAVY = 7  # so many times a 95 % radius, an atom holds its quartile in 95 % of cases


@dataclass(frozen=True, eq=False)
class Counted:
    """A released histogram, in cells and units.

    Parameters
    ----------
    quartiles
        The cells chosen for them.
    starts
        The first cell of each bin, from `fence_layout`.
    counts
        Noisy counts of the bins, in units.
    noise
        On each count.
    cells
        How many cells the value grid has.
    whis
        How many boxes a fence lies from its quartile.
    """

    quartiles: Quartiles
    starts: Cells
    counts: Array
    noise: CountNoise
    cells: int
    whis: float

    def outward(self, level: int, side: int) -> tuple[Array, Array]:
        """Return distances to the edges of bins below (-1) or above (+1) a quartile, and counts.

        They are taken from its centre; the first is to the edge of its own cell, half a cell away.
        """
        edges = np.append(self.starts, self.cells) - 0.5
        cell, bin_ = self.quartiles[level], self._own[level]
        if side > 0:
            return edges[bin_ + 1 :] - cell, self.counts[bin_ + 1 :]
        return cell - edges[bin_::-1], self.counts[:bin_][::-1]

    def tail(self, side: int) -> Tail:
        """Return the tail below the first quartile (-1) or above the third (+1)."""
        distances, counts = self.outward(1 + side, side)
        lower, upper = fence_cells(self.quartiles, self.cells, self.whis)
        fenced = lower > 0 if side < 0 else upper < self.cells
        if fenced:
            return Tail(distances[:-1], counts)
        return Tail(distances, np.append(counts, 0.0), fenced=False)

    def place(self, level: int, ranks: float, radius: float = 0.0) -> float:
        """Return the cell so many ranks above a quartile, or below it if negative.

        Parameters
        ----------
        level
            Which quartile: 0, 1 or 2.
        ranks
            How many to pass. Those of the quartile's own cell count only where they clearly are
            there, and outnumber what is unknown.
        radius
            What is unknown, in ranks.
        """
        side = 1 if ranks >= 0 else -1
        distances, counts = self.outward(level, side)
        atom = float(self.atoms[level])
        if radius > 0:  # the end of an interval: bins may hold less than they show
            counts = counts - self.noise.scale / 2
            atom = atom if atom > _HEAVY * radius else 0.0
        return self.quartiles[level] + side * walk(distances, counts, atom, abs(ranks))

    def surplus(self, epsilon: float) -> Array:
        """Return how many ranks too high each quartile probably lies."""
        ends = [-1, *self._own, self.counts.size]
        inside = [slice(low + 1, high) for low, high in pairwise(ends)]
        gaps = np.array([self.counts[gap].sum() for gap in inside])
        bins = np.array([self.counts[gap].size for gap in inside])
        variances = bins * self.noise.variance + 1.0  # a gap holds whole units, a quarter need not
        # Where in its cell a quartile stands is unknown: half of it on either side, give or take.
        for index, (own, atom) in enumerate(zip(self.counts[self._own], self.atoms, strict=True)):
            gaps[index : index + 2] += own / 2
            variances[index : index + 2] += self.noise.variance / 4 + atom**2 / 12
        return rank_surplus(gaps, variances, epsilon)

    def below(self) -> Array:
        """Return which parts of the bins lie below each quartile, and all of them, as rows.

        Where in its own cell a quartile stands is unknown: half of it lies below.
        """
        places = np.arange(self.counts.size)
        own = np.array([*self._own, self.counts.size])[:, None]
        return np.where(places < own, 1.0, np.where(places == own, 0.5, 0.0))

    def outward_of(self, cell: int, side: int) -> tuple[float, float]:
        """Return the units between a bin's first cell and a quartile, and their variance.

        Half of those in the quartile's own cell count; the first (-1) or the third quartile (+1).
        """
        own, start = self._own[1 + side], int(np.searchsorted(self.starts, cell))
        inside = slice(own, start) if side < 0 else slice(start, own + 1)
        units = float(self.counts[inside].sum() - self.counts[own] / 2)
        return units, self.noise.variance * (self.counts[inside].size - 0.75)

    @cached_property
    def _own(self) -> list[int]:
        return np.searchsorted(self.starts, self.quartiles).tolist()

    @cached_property
    def atoms(self) -> Array:
        """The units that clearly share the cell of each quartile."""
        return np.maximum(self.counts[self._own] - self.noise.radius(_ATOM), 0.0)
