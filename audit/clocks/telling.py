"""How well one duration tells two tables apart."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Clock = Callable[[], float]

_RESAMPLED = 2000
_SIGMAS = 1.96
_TINY = 1e-9


@dataclass(frozen=True)
class Interval:
    """A number between the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f}–{self.high:.2f})"


@dataclass(frozen=True)
class Told:
    """What durations, or counts, of two tables' charts say about which table it was.

    Parameters
    ----------
    without, with_one
        The medians.
    ratio
        Of the second median to the first.
    chance
        The probability that a chart of the larger table took longer than one of the smaller, ties
        counted half: 0.5 tells nothing, 0 and 1 everything.
    """

    runs: int
    without: float
    with_one: float
    ratio: Interval
    chance: Interval


def durations(
    without: Callable[[], object],
    with_one: Callable[[], object],
    runs: int,
    clock: Clock = time.perf_counter,
) -> tuple[Floats, Floats]:
    """Run both so many times, in turns, each first as often as the other.

    Whatever slows the machine for a while slows both alike.
    """
    taken: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(runs):
        for larger in (turn % 2 == 0, turn % 2 == 1):
            start = clock()
            (with_one if larger else without)()
            taken[larger].append(clock() - start)
    return np.array(taken[False]), np.array(taken[True])


def told(without: Sequence[float] | Floats, with_one: Sequence[float] | Floats) -> Told:
    """Compare what was measured of two tables."""
    one, other = np.asarray(without, dtype=np.float64), np.asarray(with_one, dtype=np.float64)
    medians = float(np.median(one)), float(np.median(other))
    return Told(one.size, *medians, _ratio(one, other), _later(one, other))


def _ratio(one: Floats, other: Floats) -> Interval:
    """Return the ratio of medians, with an interval by the bootstrap."""
    dice = np.random.default_rng(11)
    medians = [
        np.median(numbers[dice.integers(0, numbers.size, (_RESAMPLED, numbers.size))], axis=1)
        for numbers in (one, other)
    ]
    # A count may be 0 for both tables, which then take the same.
    ratios = (medians[1] + _TINY) / (medians[0] + _TINY)
    value = (float(np.median(other)) + _TINY) / (float(np.median(one)) + _TINY)
    low, high = np.quantile(ratios, [0.025, 0.975])
    return Interval(value, float(low), float(high))


def _later(one: Floats, other: Floats) -> Interval:
    """Return Mann and Whitney's statistic as a share.

    The interval is Newcombe's (2006, method 5): it keeps its width where all of one are larger.
    """
    later, equal = other[:, None] > one[None], other[:, None] == one[None]
    value = float(later.mean() + equal.mean() / 2)
    shares = np.linspace(0, 1, 2001)
    mean, pairs = (one.size + other.size) / 2, one.size * other.size
    spread = 2 * mean - 1 - (3 * mean - 3) / ((2 - shares) * (1 + shares))
    likely = np.abs(shares - value) <= _SIGMAS * np.sqrt(shares * (1 - shares) * spread / pairs)
    kept = shares[likely | (np.abs(shares - value) < 1e-3)]
    return Interval(value, float(kept.min()), float(kept.max()))
