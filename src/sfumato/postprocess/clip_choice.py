"""Where to clip a column, by noisy counts of it: so that noise and bias together are small."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_CLEAR = 2.1
"""Deviations of the noise above which a bin clearly holds something, if it were alone."""

_MORE = 0.7
"""How many more are asked for with each factor of e in the number of bins: one of thirty searches
sees so much in some empty one, if the noise is Laplace noise."""

_TOGETHER = 4
"""How many bins at most are looked at together: a tail is spread over several."""

_HELD = 0.5
"""Deviations of the noise on all bins from where a walk stopped that agree with it."""

_NEAR = 3
"""How many bins beyond the last one that clearly holds something tell how much noise hides."""

_HIDDEN = 0.5
"""Deviations of the noise on these that are taken to hide something."""

_SLOWEST, _FASTEST = 0.5, 0.1
"""By what the number of units further out falls where the distance doubles: at most and least."""

_LIGHT = 0.5
"""How much faster than by what hides, over what is seen within."""

_SURE = 3.0
"""Deviations of the noise on several bins that do not count as seen in them together."""

_VALUE = 2.0**-18
"""What is narrower than this part of all that could hold more is one value, for all that is
known."""

_FLOOR = 32
"""Where one bin alone holds something nothing tells a scale, and an end lies no nearer to it than
this part of the way to the end of the range."""

_HIDES = 1.65
"""Deviations of the noise, beyond which it is once in twenty times."""


@dataclass(frozen=True, eq=False)
class Ladder:
    """Noisy counts in bins that widen outwards, and what they tell of both tails.

    Parameters
    ----------
    edges
        The ends of the bins, in a unit that keeps them within ±1.
    counts
        How many units lie in each, with noise.
    deviation
        The standard deviation of that noise.
    seen
        Two edges, of which walks from outside found that much lies below the first and above the
        second; None where they found no two.
    unit
        A power of 2: what an edge of 1 stands for.
    """

    edges: Array
    counts: Array
    deviation: float
    seen: tuple[float, float] | None = None
    unit: float = 1.0

    @classmethod
    def of(
        cls, edges: Array, counts: Array, deviation: float, seen: Sequence[float] = ()
    ) -> Ladder:
        """Return a ladder of edges of any size, whose costs stay far below the end of floats.

        Examples
        --------
        >>> edges = np.array([0.0, 1, 2, 4, 8, 16, 1000])
        >>> ladder = Ladder.of(edges, np.array([300.0, 400, 200, 90, 3, -4]), deviation=3.0)
        >>> ladder.clear, ladder.scaled
        ((0, 3), True)
        """
        unit = 2.0 ** (math.frexp(float(np.abs(edges).max()))[1] - 1)
        ends = (seen[0] / unit, seen[1] / unit) if seen else None
        return cls(edges / unit, counts, deviation, ends, unit)

    @cached_property
    def mirrored(self) -> Ladder:
        """The same, with the lower end as the upper one."""
        seen = None if self.seen is None else (-self.seen[1], -self.seen[0])
        return Ladder(-self.edges[::-1], self.counts[::-1], self.deviation, seen, self.unit)

    @cached_property
    def clear(self) -> tuple[int, int]:
        """The first and the last bin that clearly hold something."""
        low, high = len(self.counts) - 1 - self.mirrored.last, self.last
        # What several bins hold together lies at or above the first and at or below the last.
        return min(low, high), max(low, high)

    @cached_property
    def last(self) -> int:
        """The last bin that clearly holds something, by its count or by what a walk found."""
        wanted = (_CLEAR + _MORE * math.log(len(self.counts))) * self.deviation
        sums = np.concatenate([[0.0], np.cumsum(self.counts)])
        found = [int(np.argmax(self.counts))]
        for many in range(1, min(_TOGETHER, len(self.counts)) + 1):
            windows = sums[many:] - sums[:-many]
            found += np.flatnonzero(windows > wanted * math.sqrt(many)).tolist()[-1:]
        if self.seen is not None:
            start = min(int(np.searchsorted(self.edges, self.seen[1])), len(self.counts) - 1)
            spread = self.deviation * math.sqrt(len(self.counts) - start)
            found += [start] if sums[-1] - sums[start] > _HELD * spread else []
        return max(found)

    @property
    def scaled(self) -> bool:
        """Whether bins beside the fullest one clearly hold something, and tell how far to reach."""
        low, high = self.clear
        held = self.counts[low : high + 1]
        noise = _SURE * self.deviation * math.sqrt(len(held) - 1)
        return len(held) > 1 and bool(held.sum() - held.max() > noise)

    @property
    def degenerate(self) -> bool:
        """Whether what is seen may be zeros alone: any other value tells a scale by its size."""
        low, high = self.edges[self.clear[0]], self.edges[self.clear[1] + 1]
        narrow = high - low < (self.edges[-1] - self.edges[0]) * _VALUE
        return not self.scaled and bool(narrow and low <= 0 <= high)

    @property
    def middle(self) -> float:
        """The middle of what clearly holds something: below its upper end, however narrow it is."""
        low, high = self.clear
        middle, end = self.edges[low] / 2 + self.edges[high + 1] / 2, self.edges[high + 1]
        return float(min(middle, np.nextafter(end, -math.inf)))

    @property
    def whole(self) -> float:
        """About how many units there are; never nothing."""
        low, high = self.clear
        return max(float(self.counts[low : high + 1].sum()), self.deviation, 1e-300)

    @cached_property
    def likely(self) -> tuple[Array, Array]:
        """The ends of bins, narrower ones beyond the last clear one, and what they likely hold."""
        high = self.clear[1]
        outside = self._cut_tail() if high < len(self.counts) - 1 else self.edges[-1:]
        held = np.maximum(self.counts[: high + 1], 0.0)
        edges = np.concatenate([self.edges[: high + 1], outside])
        return edges, np.concatenate([held, self._expect_hidden(outside)])

    def _cut_tail(self) -> Array:
        """Return edges beyond the last clear bin, each further out by the root of 2 at most."""
        beyond = self.edges[self.clear[1] + 1 :] - self.middle
        near, far = (math.log2(float(beyond[each])) for each in (0, -1))
        cuts = np.exp2(near + np.arange(1, 2 * (far - near)) / 2)
        return np.union1d(self.edges[-len(beyond) :], (self.middle + cuts).clip(max=self.edges[-1]))

    def _expect_hidden(self, edges: Array) -> Array:
        """Return what is expected between edges beyond the last clear bin.

        What noise could hide thins out with the distance from the middle, the faster the less it is
        beside what lies just within. What all bins clearly hold together lies as each count says.
        """
        if len(edges) == 1:
            return np.zeros(0)
        last, near = self.clear[1] + 1, edges[0] - self.middle
        beyond = self.counts[last:]
        hidden = max(float(beyond[:_NEAR].sum()), 0.0)
        hidden += _HIDDEN * self.deviation * math.sqrt(min(len(beyond), _NEAR))
        within = self.counts[:last][self.edges[1 : last + 1] > self.middle + near / 4]
        thinning = _LIGHT * hidden / max(float(within.sum()), 1e-300)
        doublings = np.log2(edges - self.middle) - math.log2(near)
        left = min(max(thinning, _FASTEST), _SLOWEST) ** doublings
        faded = hidden * (left[:-1] - left[1:]) / max(1 - float(left[-1]), 1e-300)
        bins = np.searchsorted(self.edges[last:], edges[:-1], side="right") - 1
        return faded + self._divide_seen(beyond)[bins] / np.bincount(bins)[bins]

    def _divide_seen(self, beyond: Array) -> Array:
        """Return what bins clearly hold together, divided among them as their counts say."""
        held = np.maximum(beyond, 0.0)
        clear = float(beyond.sum()) - _SURE * self.deviation * math.sqrt(len(beyond))
        return max(clear, 0.0) * held / max(float(held.sum()), 1e-300)

    def choose_upper(self, worth: float, farthest: float) -> float:
        """Return where moving the upper end out adds as much noise as it takes away bias."""
        edges, held = self.likely
        middles = edges[:-1] / 2 + edges[1:] / 2
        beyond = np.maximum(middles[:, np.newaxis] - edges, 0.0)
        # A bin that the end cuts is not cut: ends are edges.
        costs = worth * (edges - edges[0]) + held @ beyond
        end = float(edges[max(1, int(np.argmin(costs)))])
        if not self.scaled:
            end = max(end, self.middle + (farthest - self.middle) / _FLOOR)
        return min(end, farthest)

    def estimate_lost(self, end: float) -> float:
        """Return how far beyond an upper end values likely lie, all together."""
        edges, held = self.likely
        return float(held @ np.maximum(edges[:-1] / 2 + edges[1:] / 2 - end, 0.0))

    def bound_lost(self, end: float) -> float:
        """Return how far beyond an upper end values lie, all together, but once in twenty times.

        Each lies at the outer edge of its bin.
        """
        away = np.maximum(self.edges[1:] - end, 0.0)
        seen = max(float(self.counts @ away), 0.0)
        return seen + _HIDES * self.deviation * math.sqrt(float(away @ away))


def choose_clip(
    ladder: Ladder, *, worth: float, within: tuple[float, float]
) -> tuple[float, float]:
    """Choose the two ends that values are clipped to.

    A wider range makes the noise on a mean wider in proportion; a narrower one moves the mean. The
    two ends do not depend on each other, nor on the number of units.

    Parameters
    ----------
    worth
        How many units, a unit of the column beyond the end, are as bad as an end that lies a
        unit of the column further out: the mean absolute noise in units, times the groups.
    within
        The range in which both ends lie.

    Examples
    --------
    >>> edges = np.array([0.0, 1, 2, 4, 8, 16, 1000])
    >>> ladder = Ladder.of(edges, np.array([300.0, 400, 200, 90, 3, -4]), deviation=3.0)
    >>> choose_clip(ladder, worth=2.0, within=(0.0, 1000.0))
    (0.0, 8.0)
    """
    farthest = (within[0] / ladder.unit, within[1] / ladder.unit)
    high = ladder.choose_upper(worth, farthest[1])
    low = -ladder.mirrored.choose_upper(worth, -farthest[0])
    if low >= high:
        low, high = (float(ladder.edges[each]) for each in (ladder.clear[0], ladder.clear[1] + 1))
    return low * ladder.unit, high * ladder.unit


def estimate_bias(ladder: Ladder, low: float, high: float) -> float:
    """Return about how far clipping to two ends moves the mean: below zero if downwards."""
    low, high = low / ladder.unit, high / ladder.unit
    moved = ladder.mirrored.estimate_lost(-low) - ladder.estimate_lost(high)
    return moved / ladder.whole * ladder.unit


def bound_bias(ladder: Ladder, low: float, high: float) -> tuple[float, float]:
    """Return how far clipping moves the mean downwards and upwards, but once in twenty times.

    Examples
    --------
    >>> edges = np.array([0.0, 1, 2, 4, 8, 16, 1000])
    >>> ladder = Ladder.of(edges, np.array([300.0, 400, 200, 90, 3, -4]), deviation=3.0)
    >>> low, high = bound_bias(ladder, 0.0, 8.0)
    >>> low < estimate_bias(ladder, 0.0, 8.0) < 0, round(low, 2), high
    (True, -4.96, 0.0)
    """
    ends = ladder.edges[[0, -1]]
    low, high = low / ladder.unit, high / ladder.unit
    down = min(ladder.bound_lost(high) / ladder.whole, max(float(ends[1]) - high, 0.0))
    up = min(ladder.mirrored.bound_lost(-low) / ladder.whole, max(low - float(ends[0]), 0.0))
    return -down * ladder.unit, up * ladder.unit
