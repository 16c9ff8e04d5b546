"""`FittedLine`: what was released about one group, as cumulated masses with their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.grid import Grid
from sfumato.postprocess.cumulated import (
    Band,
    CumulatedFit,
    MeasuredIntervals,
    make_band,
    make_intervals,
    make_rising,
)

Array = NDArray[np.float64]

LEVEL = 0.95

_LEAST = 4.0  # standard deviations that a group's size must be above zero to be told
_HIDDEN = 0.05  # the largest share that an axis leaves out because it could be noise
_ROUNDING = 1e-6  # of a step: a number that is a value but for that is this value
_VAGUE = 0.25  # half the width of a band that says nothing any more


@dataclass(frozen=True, eq=False)
class FittedLine:
    """The masses below places on a line, as fitted to all that was measured of it.

    Parameters
    ----------
    fit
        Fitted masses at the ends of all intervals, in units.
    chosen
        Which of these ends are the places: those of the last round.
    grid
        The cells of the line.
    spacing
        How far apart values lie, each in the middle of a cell; None where they may lie anywhere.
    """

    fit: CumulatedFit
    chosen: NDArray[np.int64]
    grid: Grid
    spacing: float | None = None

    @staticmethod
    def of(
        rounds: Sequence[MeasuredIntervals], grid: Grid, step: float, spacing: float | None = None
    ) -> FittedLine:
        """Fit the masses to all rounds, of which the last one is a partition."""
        fit = CumulatedFit(rounds, step)
        ends = np.append(rounds[-1].first, rounds[-1].end[-1:])
        return FittedLine(fit, np.searchsorted(fit.knots, ends), grid, spacing)

    @cached_property
    def cuts(self) -> NDArray[np.int64]:
        """How many cells lie below each place."""
        return self.fit.knots[self.chosen]

    @cached_property
    def places(self) -> Array:
        """Where the masses are told, rising, in the units of the column."""
        return self.grid.edges[self.cuts]

    @property
    def values(self) -> Array:
        """At or below which values the masses lie: where values have a spacing, the last ones."""
        return self.places - (self.spacing or 0.0) / 2

    @property
    def ends(self) -> tuple[Array, Array]:
        """The least and the greatest value that there can be between each two places."""
        spare = (self.spacing or 0.0) / 2
        return self.places[:-1] + spare, self.places[1:] - spare

    @cached_property
    def masses(self) -> Array:
        """How much lies below each place, from 0: never negative, and never falling."""
        return np.maximum(make_rising(self.fit.estimate[self.chosen]), 0.0)

    @property
    def size(self) -> float:
        """How many units there are, about."""
        return max(float(self._raw[-1]), 0.0)

    @cached_property
    def errors(self) -> Array:
        """Simulated errors of the fitted masses, ``[place, draw]``."""
        return self.fit.errors[self.chosen]

    @cached_property
    def shares(self) -> Array:
        """How large a share lies below each place, from 0 to 1."""
        total = float(self._raw[-1])
        rising = self.masses / total if total > 0 else np.zeros(len(self.masses))
        shares = np.clip(rising, 0.0, 1.0)
        shares[-1] = 1.0
        return shares

    @property
    def parts(self) -> Array:
        """The share between each two places: unbiased, and so sometimes below zero."""
        return np.diff(self._raw) / max(self.size, 1.0)

    @cached_property
    def part_errors(self) -> Array:
        """Simulated errors of the shares between places, ``[place, draw]``."""
        wrong = self.errors - self.shares[:, None] * self.errors[-1]
        return np.diff(wrong, axis=0) / max(self.size, 1.0)

    def find_cuts(self, ends: Array) -> NDArray[np.int64]:
        """Return how many cells hold values below each of some numbers, where these have a step."""
        step = self.spacing or 1.0
        below = np.ceil((ends - self.grid.bounds.lower) / step - 0.5 - _ROUNDING)
        return np.clip(below, 0, self.grid.cells).astype(np.int64)

    def tell_cuts(self, cuts: NDArray[np.int64]) -> tuple[Array, Band]:
        """Return the shares in so many of the first cells, and what the band says of them.

        Between two places mass may lie anywhere: the band holds either end.
        """
        before = np.searchsorted(self.cuts, cuts, "right") - 1
        after = np.searchsorted(self.cuts, cuts)
        shares = np.interp(cuts, self.cuts, self.shares)
        return shares, Band(self.band.low[before], self.band.high[after])

    @cached_property
    def band(self) -> Band:
        """The ends of a band that holds all shares at once, as often as `LEVEL` says."""
        return self._bound(make_band)

    @cached_property
    def intervals(self) -> Band:
        """The ends of an interval for each share, that holds it as often for itself."""
        return self._bound(make_intervals)

    @property
    def _raw(self) -> Array:
        return self.fit.estimate[self.chosen]

    def _bound(self, make: Callable[[Array, Array, float], Band]) -> Band:
        """Return the ends of intervals for shares.

        A share p of the size N is where the error of its mass, less p times the error of N, can
        explain the mass that was fitted, less pN. How large that error is depends on p: the first
        ends are worked out for the fitted shares, the last ones for whichever of those ends has
        the larger error.
        """
        narrow = self._limit(self._try(make, self.shares))
        ends = [self._try(make, share) for share in (narrow.low, self.shares, narrow.high)]
        low = np.min([each.low for each in ends], axis=0)
        return self._limit(Band(low, np.max([each.high for each in ends], axis=0)))

    def _try(self, make: Callable[[Array, Array, float], Band], shares: Array) -> Band:
        return make(self._raw, self.errors - shares[:, None] * self.errors[-1], LEVEL)

    def _limit(self, band: Band) -> Band:
        """Return the part of a band of masses that shares can lie in, which rise from 0 to 1."""
        total = float(self._raw[-1])
        if total <= 0:
            return Band(np.zeros(len(self.places)), np.ones(len(self.places)))
        low = np.clip(np.maximum.accumulate(band.low) / total, 0.0, 1.0)
        high = np.clip(np.minimum.accumulate(band.high[::-1])[::-1] / total, 0.0, 1.0)
        low, high = np.minimum(low, self.shares), np.maximum(high, self.shares)
        low[-1] = high[-1] = 1.0
        low[0] = high[0] = 0.0
        return Band(low, high)

    @cached_property
    def reliable(self) -> bool:
        """Whether there are so many units that where they lie can be told."""
        deviation = float(self.errors[-1].std())
        if not self.size > _LEAST * deviation:
            return False
        reach = (self.band.high - self.band.low) / 2
        return bool(reach.max() < _VAGUE)

    def count_letters(self, most: int) -> int:
        """Return how many letter values on either side can be told from noise.

        The share below one must not reach that of the next, half as large, within its interval.
        """
        for depth in range(most):
            level = 0.5 ** (depth + 2)
            for side in (level, 1 - level):
                if self._find_reach(side) > level / 2:
                    return depth
        return most

    def _find_reach(self, level: float) -> float:
        """Return how far off the share at a quantile may be.

        Between two places mass may lie anywhere, if these are the ends of several cells.
        """
        after = int(np.clip(np.searchsorted(self.shares, level), 1, len(self.shares) - 1))
        low, high = (
            end[after - 1 : after + 1] for end in (self.intervals.low, self.intervals.high)
        )
        if self.cuts[after] - self.cuts[after - 1] == 1:
            return float((high - low).max()) / 2
        return float(high[1] - low[0]) / 2

    def quantile(self, level: float) -> float:
        """Return where a share of all units lies below, between places as if evenly spread."""
        before = self._find_interval(level)
        low, high = np.maximum.accumulate(self.shares)[before : before + 2]
        part = (level - low) / (high - low) if high > low else 1.0
        left, right = self.places[before : before + 2]
        return float(left + np.clip(part, 0.0, 1.0) * (right - left))

    def _find_interval(self, level: float) -> int:
        """Return the place before which a share does not yet lie below, and after which it does."""
        rising = np.maximum.accumulate(self.shares)
        return int(np.clip(np.searchsorted(rising, level), 1, len(rising) - 1)) - 1

    def reach(self, tail: float) -> tuple[float, float]:
        """Return between which values nearly all lies, a share of `tail` beyond either.

        A tail ends where noise alone could make what is beyond it, and that is little. Where in its
        interval a share lies is not known: an interval that is wider than all between is left out,
        as it may be next to empty.
        """
        lowest = np.maximum(self.band.low, self.shares - _HIDDEN)
        highest = np.minimum(self.band.high, self.shares + _HIDDEN)
        first = int(np.flatnonzero(lowest <= tail)[-1])
        last = max(int(np.argmax(highest >= 1 - tail)), first + 1)
        low, high = float(self.places[first + 1]), float(self.places[last - 1])
        inner = high - low
        if inner >= low - self.places[first]:
            low = max(float(self.places[first]), self.quantile(tail))
        if inner >= self.places[last] - high:
            high = min(float(self.places[last]), self.quantile(1 - tail))
        return low, high

    def share_beyond(self, low: float, high: float) -> float:
        """Return how large a share lies below one value or above another, about."""
        below, within = np.interp([low, high], self.places, self.shares)
        return float(below + 1 - within)

    def quantile_interval(self, level: float, band: Band) -> tuple[float, float]:
        """Return between which places a share may be reached, as far as a band says.

        Between two places nothing is assumed: all that lies there may lie at either.
        """
        last = len(self.places) - 1
        first = int(np.argmax(band.high >= level))
        end = int(np.argmax(band.low >= level)) if band.low[-1] >= level else last
        return float(self.places[max(first - 1, 0)]), float(self.places[end])
