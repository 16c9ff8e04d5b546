"""`Density`: a smooth density of what was released about one group, and what noise could make."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.cumulated import Band, make_intervals
from sfumato.releases.distribution.line import LEVEL, FittedLine

Array = NDArray[np.float64]

POINTS = 256
"""How many places a density is worked out at."""

_WIDTHS = np.geomspace(0.25, 4.0, 13)  # of the width that suits exact numbers
_DRAWS = 200
_BUMP = 3 / (8 * math.sqrt(math.pi))  # the roughness of a normal density of deviation 1
_KERNEL = 1 / (2 * math.sqrt(math.pi))
_HALF = 1.3489795  # the shortest half of a normal density, in deviations
_FINEST = 400  # parts of the axis: a narrower kernel is no smoother to the eye
_BLURRED = 0.6  # of a cell: a narrower kernel would show each by itself
_FAINT = 0.002  # of the highest density: less is nothing to the eye


@dataclass(frozen=True, eq=False)
class Density:
    """A density at some places, and the ends of an interval around each value.

    Parameters
    ----------
    at
        The places, in the units of the column.
    value
        The density of a group of size 1, never negative.
    band
        The ends of an interval around each, for itself: what noise leaves for the same kernel on
        the rows themselves, wherever between two places of the line these lie.
    width
        The standard deviation of the kernel.
    """

    at: Array
    value: Array
    band: Band
    width: float

    @property
    def muted(self) -> NDArray[np.bool_]:
        """Where there may be nothing, or next to nothing."""
        return self.band.low <= _FAINT * self.value.max(initial=0.0)


def estimate_density(line: FittedLine, limits: tuple[float, float]) -> Density:
    """Smooth the masses between the places of a line with a Gaussian kernel.

    Between two places mass is taken to lie evenly, and may lie anywhere: the band holds it at the
    nearest and at the farthest. What a kernel would carry beyond a bound is reflected, so that all
    of it stays within. The width balances what the kernel flattens, what chance leaves in a group
    of this size, and the noise: all three from released numbers.
    """
    at, value, width = smooth(line, limits)
    least, most = Kernel(line, width).find_extremes(at)
    low = make_intervals(least @ line.parts, least @ line.part_errors, LEVEL).low
    high = make_intervals(most @ line.parts, most @ line.part_errors, LEVEL).high
    return Density(at, value, Band(np.clip(low, 0.0, value), np.maximum(high, value)), width)


def smooth(line: FittedLine, limits: tuple[float, float]) -> tuple[Array, Array, float]:
    """Return places, the density there, and the width of its kernel."""
    at = np.linspace(*limits, POINTS)
    width = _choose_width(line, at)
    return at, Kernel(line, width).spread(at) @ np.diff(line.shares), width


def _choose_width(line: FittedLine, at: Array) -> float:
    spread = _find_spread(line)
    finest = max(
        float(at[-1] - at[0]) / _FINEST, _BLURRED * line.grid.bounds.width / line.grid.cells
    )
    if spread <= finest:
        return finest
    size = max(line.size, 1.0)
    usual = spread * (_KERNEL / (_BUMP * size)) ** 0.2
    places, errors = at[::4], line.part_errors[:, :_DRAWS]
    whole = float(places[-1] - places[0])  # the unit of length here: squares stay floats
    costs: list[float] = []
    for width in usual * _WIDTHS:
        noise = (Kernel(line, width).spread(places) * whole @ errors).var(axis=1).mean()
        flattened = _BUMP * (width / spread) ** 4 * (whole / spread) / 4
        costs.append(flattened + _KERNEL * (whole / width) / size + float(noise))
    return max(float(usual * _WIDTHS[int(np.argmin(costs))]), finest)


@dataclass(frozen=True, eq=False)
class Kernel:
    """What a mass of 1 between each two places of a line adds to the density elsewhere.

    Mirrored places count the same mass, whichever way they are told: the density is their sum.
    """

    line: FittedLine
    width: float

    def spread(self, at: Array) -> Array:
        """Return it where mass lies evenly, or at the only value that there can be."""
        left, right = self.line.ends
        places = self.line.places
        cumulated = sum(_cumulate((places - each[:, None]) / self.width) for each in self._fold(at))
        even = np.diff(cumulated, axis=1) / np.diff(places)
        alone = (right - left) < (self.line.spacing or 0.0) / 2
        even[:, alone] = sum(self._weigh(left[alone] - each[:, None]) for each in self._fold(at))
        return even

    def find_extremes(self, at: Array) -> tuple[Array, Array]:
        """Return the least and the most of it, wherever between two places mass lies."""
        left, right = self.line.ends
        least = most = np.zeros((len(at), len(left)))
        for each in self._fold(at):
            before, after = left - each[:, None], right - each[:, None]
            most = most + self._weigh(np.clip(0.0, before, after))
            least = least + self._weigh(np.maximum(abs(before), abs(after)))
        return least, most

    def _fold(self, at: Array) -> tuple[Array, Array, Array]:
        lower, upper = float(self.line.places[0]), float(self.line.places[-1])
        return at, 2 * lower - at, 2 * upper - at

    def _weigh(self, distance: Array) -> Array:
        return np.exp(-0.5 * (distance / self.width) ** 2) / (math.sqrt(2 * math.pi) * self.width)


def _find_spread(line: FittedLine) -> float:
    """Return a standard deviation: that of the densest half, if all together vary more.

    A group with several peaks is as wide as its peaks are apart, and each is narrower.
    """
    half = 0.5
    starts = np.linspace(0.0, 1 - half, 33)[1:-1]
    shortest = min(
        line.quantile(float(start) + half) - line.quantile(float(start)) for start in starts
    )
    whole = float(line.places[-1] - line.places[0])  # whose square need not be a float
    middle = (line.places[1:] / 2 + line.places[:-1] / 2) / whole
    share = np.diff(line.shares)
    mean = float(share @ middle)
    deviation = whole * math.sqrt(max(float(share @ (middle - mean) ** 2), 0.0))
    return min(deviation, shortest / _HALF)


def _cumulate(deviations: Array) -> Array:
    from scipy.special import ndtr  # slow to load

    return cast(Array, ndtr(deviations))


def scale_to_widest(densities: Sequence[Density]) -> list[Array]:
    """Return densities that are each 1 where they are largest."""
    return [each.value / max(float(each.value.max(initial=0.0)), 1e-300) for each in densities]
