"""`RankCounts`: a noisy histogram around chosen quantiles, and the intervals that it gives them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.noise_law import CountNoise

Array = NDArray[np.float64]
Cells = NDArray[np.int64]

# Where bins end between two quantiles and beyond the last ones, in parts of the ranks in doubt.
# Few bins: the noise of every one of them is in the rank of every value.
_INNER: Array = np.array([0.8, 1.6, 3.2, 16.0, 120.0])
_OUTER: Array = np.array([0.8, 1.6, 3.2, *(16 * 6.0**place for place in range(10))])
_ALONE: Array = np.array([3.0**place for place in range(15)])
_FINEST = 2**17  # of the range: a lone quantile has no neighbour that tells a scale
_NEAR = 8  # the bin beside a bound reaches over so small a part of the way to it


def rank_layout(
    chosen: Sequence[int],
    levels: Sequence[float],
    cells: int,
    *,
    size: float,
    reach: float,
    ends: bool = False,
) -> Cells:
    """Return the first cell of each bin to count.

    Every quantile's own cell stands alone, so that a heavy atom there is seen as one. Around it
    bins end where so many ranks are expected to be passed: between two quantiles that follows
    from their levels and a noisy size, beyond the outermost from the nearest such pair.

    Parameters
    ----------
    chosen
        The cells of the quantiles, in the order of their levels.
    size
        A noisy number of units.
    reach
        How many ranks the counts leave in doubt.
    ends
        Whether the first and the last cell stand alone too: where bounds were searched for, they
        hold all that lies beyond.

    Examples
    --------
    >>> rank_layout([40, 60], [0.25, 0.75], cells=100, size=1000, reach=30)
    array([ 0,  5, 21, 36, 38, 39, 40, 41, 42, 43, 45, 56, 58, 59, 60, 61, 62,
           63, 65, 80, 95])
    """
    where = np.asarray(chosen, dtype=np.float64)
    cuts = [np.array([0.0, where[0] / _NEAR]), where, where + 1]
    cuts.append(np.array([cells - (cells - 1 - where[-1]) / _NEAR]))
    if ends:
        cuts.append(np.array([1.0, cells - 1.0]))
    below, above = _place_outer_edges(where, levels, cells, max(size, 4 * reach), reach)
    cuts += [where[0] - below, where[-1] + 1 + above]
    cuts += _place_inner_edges(where, levels, max(size, 4 * reach), reach)
    inside = np.clip(np.rint(np.concatenate(cuts)), 0, cells)
    starts = np.unique(inside.astype(np.int64))
    return starts[starts < cells]


def _place_inner_edges(
    where: Array, levels: Sequence[float], size: float, reach: float
) -> list[Array]:
    gaps = np.diff(where)[:, np.newaxis]
    distances = _INNER * reach * gaps / (np.diff(levels)[:, np.newaxis] * size)
    near = distances <= gaps / 2
    left, right = where[1:, np.newaxis] - distances, where[:-1, np.newaxis] + 1 + distances
    return [left[near], right[near]]


def _place_outer_edges(
    where: Array, levels: Sequence[float], cells: int, size: float, reach: float
) -> tuple[Array, Array]:
    """Return distances below the first quantile, and above the last."""
    finest = max(1.0, cells / _FINEST)
    if where.size == 1:
        return finest * _ALONE, finest * _ALONE
    ranks = np.diff(levels) * size
    first, last = map(float, (np.diff(where) / ranks * reach)[[0, -1]])
    below, above = (_OUTER * max(scale, finest) for scale in (first, last))
    return below, above


LEVEL = 0.95

_NORMAL = 1.96
_WIDE = (_NORMAL**3 - 3 * _NORMAL) / 24  # what a quantile moves by for each excess of kurtosis
_EXCESS = {"laplace": 3.0, "gaussian": 0.0}

_EVEN = 0.7  # a bin with more radii of ranks than this is not taken to be evenly filled
_SURE = 1.8  # so many radii must tell a quantile from the ends of the grid


@dataclass(frozen=True)
class QuantileInterval:
    """What counts say about one quantile: the cells it may lie in, and whether they say enough."""

    low: int
    high: int
    reliable: bool


@dataclass(frozen=True, eq=False)
class RankCounts:
    """A released histogram of one group, in units.

    The rank of the `level`-quantile is right where ``(1 - level) * below - level * above`` is
    zero. Noise is all that hides this sum, whatever the data are and however the quantile was
    chosen, so the values at which zero lies within its 95 % radius hold the quantile in 95 % of
    cases. The quantile is that of the rows themselves: the cell in which their cumulative share
    first reaches the level.

    Parameters
    ----------
    starts
        The first cell of each bin, from `rank_layout`.
    counts
        Noisy counts of the bins, in units.
    noise
        On each count.
    cells
        How many cells the value grid has.
    size
        The public number of units, where there is one.
    open_ends
        Whether the first and the last cell stand for all that lies beyond them.
    """

    starts: Cells
    counts: Array
    noise: CountNoise
    cells: int
    size: int | None = None
    open_ends: tuple[bool, bool] = (False, False)

    @cached_property
    def _edges(self) -> Cells:
        return np.append(self.starts, self.cells)

    def told(self, level: float) -> QuantileInterval:
        """Return the interval of one quantile.

        Examples
        --------
        >>> from sfumato.postprocess.noise_law import NoiseLaw
        >>> starts, counts = np.array([0, 1, 10, 20, 30, 49]), np.array([50.0, 4, 4, 4, 4, 50])
        >>> noise = CountNoise(NoiseLaw("laplace", scale=2.0))
        >>> RankCounts(starts, counts, noise, cells=50).told(0.5)
        QuantileInterval(low=3, high=43, reliable=True)
        """
        surplus, radius = self._surplus(level)
        if surplus[0] + radius[0] >= 0 or surplus[-1] - radius[-1] <= 0:
            return QuantileInterval(0, self.cells - 1, reliable=False)
        low = self._low(surplus + radius, radius)
        high = max(self._high(surplus - radius, radius), low)
        return QuantileInterval(low, high, self._reliable(surplus, radius))

    def _surplus(self, level: float) -> tuple[Array, Array]:
        """Return for each edge how much lies below it beyond the level, and its 95 % radius."""
        bins = np.arange(self._edges.size, dtype=np.float64)
        below = np.append(0.0, np.cumsum(self.counts))
        if self.size is not None:
            surplus = below - level * self.size
            surplus[-1] = (1 - level) * self.size
            squares, fourths = bins, bins
        else:
            surplus = below - level * below[-1]
            squares, fourths = (
                (1 - level) ** power * bins + level**power * bins[::-1] for power in (2, 4)
            )
        excess = _EXCESS[self.noise.law.kind] * fourths / np.maximum(squares, 1e-12) ** 2
        radius = np.sqrt(self.noise.variance * squares) * (_NORMAL + _WIDE * excess)
        if self.size is not None:
            radius[-1] = 0.0
        return surplus, radius

    def _low(self, reached: Array, radius: Array) -> int:
        """Return the first cell that is not too low: where zero is reached, and never before."""
        edge = int(np.argmax(reached >= 0))
        start, end = self._edges[edge - 1 : edge + 1]
        if self.counts[edge - 1] > _EVEN * radius[edge]:
            return int(start)
        part = -reached[edge - 1] / (reached[edge] - reached[edge - 1])
        return math.floor(start + part * (end - start) * (1 - 1e-9))

    def _high(self, reached: Array, radius: Array) -> int:
        """Return the last cell that is not too high."""
        edge = int(np.flatnonzero(reached <= 0)[-1])
        start, end = self._edges[edge : edge + 2]
        if self.counts[edge] > _EVEN * radius[edge]:
            return int(end) - 1
        part = -reached[edge] / (reached[edge + 1] - reached[edge])
        return max(math.ceil(start + part * (end - start)) - 1, int(start))

    def _reliable(self, surplus: Array, radius: Array) -> bool:
        """Tell whether the quantile is surely inside: beside a bound nothing tells where.

        It may lie at the bound itself where so many do that they are seen there.
        """
        low, high = (0 if self._held(0) else 1), (-1 if self._held(-1) else -2)
        inside = surplus[low] <= -_SURE * radius[low] and surplus[high] >= _SURE * radius[high]
        return bool(inside)

    def _held(self, end: int) -> bool:
        """Tell whether the bin at one end is a single cell, and surely holds someone."""
        alone = np.diff(self._edges)[end] == 1 and not self.open_ends[end]
        least = _SURE * _NORMAL * math.sqrt(self.noise.variance)
        return bool(alone and self.counts[end] > least)


def compute_intervals(counts: RankCounts, levels: Sequence[float]) -> list[QuantileInterval]:
    """Return the intervals of rising levels: none begins below that of a lower level.

    Quantiles rise with their levels, so a lower end that holds for one holds for all above it, and
    an upper end for all below.
    """
    told = [counts.told(level) for level in levels]
    sure = [each for each in told if each.reliable]
    lows = list(accumulate((each.low for each in sure), max))
    highs = list(accumulate((each.high for each in reversed(sure)), min))[::-1]
    ends = iter(zip(lows, highs, strict=True))
    whole = QuantileInterval(0, counts.cells - 1, reliable=False)
    return [_make_interval(*next(ends)) if each.reliable else whole for each in told]


def _make_interval(low: int, high: int) -> QuantileInterval:
    return QuantileInterval(min(low, high), max(low, high), reliable=True)


def share_beyond(groups: Sequence[RankCounts]) -> tuple[float, float] | None:
    """Return between which shares of all units lie at or beyond bounds that were searched for.

    None where no end is open, or where the counts do not tell that there is anyone.
    """
    counts = [
        float(group.counts[place])
        for group in groups
        for place, is_open in zip((0, -1), group.open_ends, strict=True)
        if is_open
    ]
    if not counts:
        return None
    variance, bins = groups[0].noise.variance, sum(group.counts.size for group in groups)
    whole = float(sum(group.counts.sum() for group in groups))
    radius = _NORMAL * math.sqrt(variance * len(counts))
    if whole <= _SURE * _NORMAL * math.sqrt(variance * bins):
        return None
    low, high = ((sum(counts) + side * radius) / whole for side in (-1, 1))
    return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)


def rank_radius(noise: CountNoise, bins: int, level: float = 0.5) -> float:
    """Return about how many ranks such counts leave in doubt, in a histogram of so many bins."""
    return _NORMAL * math.sqrt(noise.variance * level * (1 - level) * bins)


def bins_around(levels: int) -> int:
    """Return about how many bins a histogram around so many quantiles has."""
    return 27 if levels == 1 else 7 * levels + 8


def estimate_least_size(noise: CountNoise, level: float, levels: int) -> float:
    """Return from about how many units on a quantile is told: in 19 of 20 such groups."""
    rare, bins = min(level, 1 - level), bins_around(levels)
    spread = math.sqrt(noise.variance * ((1 - rare) ** 2 + rare**2 * (bins - 1)))
    return (_SURE * _NORMAL + 1.645) * spread / rare
