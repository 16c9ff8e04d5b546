"""How long the longest rows are, from what noisy sums of clipped rows tell of the others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.principal import NoisySums

LEVEL = Fraction(98, 100)
"""The share of rows that are not clipped when directions are looked for, and that a scale holds."""

_SURELY = 0.8  # of the rows are longer at most: otherwise the quantile may be a length of none
_MOSTLY = 0.5  # of the rows are longer at most, where the shorter ones tell how long they are
_NEAR, _FAR = 0.15, 0.45  # spreads supposed where a length is chosen; normal rows have .3 to .45
_LEAST, _MOST = 0.02, 1.5  # spreads that are found
_RATIO = 2 ** (1 / 8)
_ROUNDS = 40
_NORMAL = NormalDist()


@dataclass(frozen=True)
class LengthTail:
    """The lognormal law that the lengths of long rows are taken to have.

    It falls more slowly than the lengths of normal, uniform and exponential rows do, so that it
    supposes too many long rows rather than too few.

    Parameters
    ----------
    length, beyond
        A length, and the share of all rows that are longer.
    spread
        The standard deviation of the logarithm of a length.

    Examples
    --------
    >>> tail = LengthTail(3.0, beyond=0.02, spread=0.4)
    >>> round(tail.square(3.0), 2), round(tail.excess(3.0), 2)
    (2.33, 0.07)
    """

    length: float
    beyond: float
    spread: float

    def square(self, clip: float) -> float:
        """Return the mean square of the lengths, clipped."""
        end = self._deviate(clip)
        above = (clip / self.length) ** 2 * _NORMAL.cdf(-end)
        return self.length**2 * (self._whole * _NORMAL.cdf(end - 2 * self.spread) + above)

    def excess(self, clip: float) -> float:
        """Return what clipping takes off the mean square."""
        end = self._deviate(clip)
        above = self._whole * _NORMAL.cdf(2 * self.spread - end)
        taken = above - (clip / self.length) ** 2 * _NORMAL.cdf(-end)
        return self.length**2 * max(taken, 0.0)

    @property
    def _middle(self) -> float:
        """The mean of the logarithm of a length over the known one."""
        return self.spread * _NORMAL.inv_cdf(self.beyond)

    @property
    def _whole(self) -> float:
        """The mean square without clipping, over the square of the known length."""
        return math.exp(2 * self._middle + 2 * self.spread**2)

    def _deviate(self, clip: float) -> float:
        return (math.log(clip / self.length) - self._middle) / self.spread


def choose_length(
    sums: NoisySums, *, length: float, beyond: float, farthest: float, noise: float
) -> float:
    """Return where to clip rows when they are summed again: where noise and clipping cost least.

    Knows released numbers only. What it weighs are two standard deviations of the noise on a
    product of two columns, and the part of the mean square that clipping takes off.

    Parameters
    ----------
    sums
        The first sums.
    length
        Where rows were clipped for them.
    beyond
        How many rows are longer at least, however few there are.
    farthest
        The largest distance between two points: no row is clipped there.
    noise
        The noise on a second moment, as so many rows of full length.
    """
    size = sums.count - 2 * sums.noise_count
    if size <= 0 or _share_beyond(beyond, size) > _SURELY:
        return farthest
    body = _fit_body(sums, sums.count, length, beyond)
    tail = LengthTail(length, body.beyond, min(max(body.spread, _NEAR), _FAR))
    steps = max(0, math.ceil(math.log(farthest / length, _RATIO)))
    rungs = [length * _RATIO**step for step in range(steps)]
    noisy = math.sqrt(2) * noise / sums.count
    return min([*rungs, farthest], key=lambda clip: noisy * clip**2 + tail.excess(clip))


@dataclass(frozen=True, eq=False)
class Clipped:
    """Noisy sums of clipped rows, and where they were clipped."""

    sums: NoisySums
    length: float


def fit_tail(
    near: Clipped, far: Clipped, shift: NDArray[np.float64], *, size: float, beyond: float
) -> LengthTail:
    """Return a tail that supposes too many long rows, rather than too few.

    It is the one that rows within `near` suggest, as far as that agrees, but for a standard
    deviation of the noise, with what was seen between `near` and `far`.

    Parameters
    ----------
    near, far
        Sums of rows clipped at a length, and at a longer one.
    shift
        The origin of `far`, seen from that of `near`.
    size
        The number of rows.
    beyond
        As for `choose_length`.
    """
    body = _fit_body(near.sums, size, near.length, beyond)
    if far.length < near.length:
        return body
    gained = np.trace(far.sums.second) + 2 * shift @ far.sums.first - np.trace(near.sums.second)
    growth = float(gained / size + shift @ shift)
    error = math.sqrt(len(shift)) * math.hypot(near.sums.noise, far.sums.noise) / size
    least, most = (_fit_growth(body, each, far.length) for each in (growth - error, growth + error))
    return LengthTail(body.length, body.beyond, min(max(body.spread, least), most))


def tells_tail(size: float, beyond: float) -> bool:
    """Tell whether most rows are within the length, so that the others' lengths follow from them.

    Parameters
    ----------
    size
        The number of rows, at least.
    beyond
        As for `choose_length`.
    """
    return size > 0 and _share_beyond(beyond, size) < _MOSTLY


def _share_beyond(beyond: float, size: float) -> float:
    return float(1 - LEVEL) + beyond / size


def _fit_body(sums: NoisySums, size: float, length: float, beyond: float) -> LengthTail:
    """Return the tail whose clipped mean square is that of the sums."""
    share = min(_share_beyond(beyond, size), _SURELY)
    square = float(np.trace(sums.second)) / size
    spread = _bisect(lambda spread: square - LengthTail(length, share, spread).square(length))
    return LengthTail(length, share, spread)


def _fit_growth(tail: LengthTail, growth: float, clip: float) -> float:
    """Return the spread with which the mean square grows so much between a length and another."""

    def rises(spread: float) -> float:
        other = LengthTail(tail.length, tail.beyond, spread)
        return other.square(clip) - other.square(tail.length) - growth

    return _bisect(rises)


def _bisect(rises: Callable[[float], float]) -> float:
    """Return the spread at which a rising function crosses zero."""
    low, high = _LEAST, _MOST
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        low, high = (middle, high) if rises(middle) < 0 else (low, middle)
    return high
