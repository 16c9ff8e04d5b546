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
        The ends of an interval around each, for itself: what noise leaves for the same curve.
    width
        The standard deviation of the kernel.
    """

    at: Array
    value: Array
    band: Band
    width: float

    @property
    def muted(self) -> NDArray[np.bool_]:
        """Where noise alone could have made what is seen."""
        return self.band.low <= 0


def estimate_density(line: FittedLine, limits: tuple[float, float]) -> Density:
    """Smooth the masses between the places of a line with a Gaussian kernel.

    Between two places mass lies evenly. What a kernel would carry beyond a bound is reflected, so
    that all of it stays within. The width balances what the kernel flattens, what chance leaves
    in a group of this size, and the noise: all three from released numbers.
    """
    at = np.linspace(*limits, POINTS)
    width = _choose_width(line, at)
    weights = _spread(line, at, width)
    value = weights @ np.diff(line.shares)
    total = max(float(line.size), 1.0)
    wrong = np.diff(line.errors - line.shares[:, None] * line.errors[-1], axis=0) / total
    band = make_intervals(value, weights @ wrong, LEVEL)
    return Density(at, value, Band(np.maximum(band.low, 0.0), band.high), width)


def _choose_width(line: FittedLine, at: Array) -> float:
    spread = _find_spread(line)
    finest = float(at[-1] - at[0]) / _FINEST
    if spread <= finest:
        return finest
    size = max(line.size, 1.0)
    usual = spread * (_KERNEL / (_BUMP * size)) ** 0.2
    errors = np.diff(
        line.errors[:, :_DRAWS] - line.shares[:, None] * line.errors[-1, :_DRAWS], axis=0
    )
    places = at[::4]
    whole = float(places[-1] - places[0])  # the unit of length here: squares stay floats
    costs: list[float] = []
    for width in usual * _WIDTHS:
        noise = (_spread(line, places, width) * whole @ errors / size).var(axis=1).mean()
        flattened = _BUMP * (width / spread) ** 4 * (whole / spread) / 4
        costs.append(flattened + _KERNEL * (whole / width) / size + float(noise))
    return max(float(usual * _WIDTHS[int(np.argmin(costs))]), finest)


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


def _spread(line: FittedLine, at: Array, width: float) -> Array:
    """Return what a mass of 1 between each two places adds to the density at some others."""
    lower, upper = float(line.places[0]), float(line.places[-1])
    ends = line.places
    reach: Array = np.zeros((len(at), len(ends)))
    for mirrored in (at, 2 * lower - at, 2 * upper - at):
        reach += _cumulate((ends - mirrored[:, None]) / width)
    # Mirrored places count the same mass, whichever way they are told: the density is their sum.
    return np.diff(reach, axis=1) / np.diff(ends)


def _cumulate(deviations: Array) -> Array:
    from scipy.special import ndtr  # slow to load

    return cast(Array, ndtr(deviations))


def scale_to_widest(densities: Sequence[Density]) -> list[Array]:
    """Return densities that are each 1 where they are largest."""
    return [each.value / max(float(each.value.max(initial=0.0)), 1e-300) for each in densities]
