"""`Uncertainty`: what is known about the error of released numbers, from the noise alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Interval
from sfumato.postprocess import noise_law as proportion
from sfumato.postprocess.noise_law import KnownNoise

Array = NDArray[np.float64]

LEVEL = 0.95


def widen(told: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Return intervals around measurements, widened to hold what is told beside them.

    An estimate that rests on more than one measurement may lie outside the interval of that one.
    Wider intervals hold the truth no more rarely.

    Examples
    --------
    >>> widen(np.array([0.5, 3.0]), np.array([-4.0, -1.0]), np.array([0.0, 5.0]))
    (array([-4., -1.]), array([0.5, 5. ]))
    """
    return np.minimum(low, told), np.maximum(high, told)


@dataclass(frozen=True)
class Uncertainty:
    """Intervals around released numbers, in the order of the numbers.

    Noise on integers has no interval of exactly 95 %: each states the coverage it does have, the
    least that is not below 95 %. Intervals of proportions and densities cover at least what they
    state.
    """

    noise: KnownNoise
    pointwise: Interval
    simultaneous: Interval

    @classmethod
    def of_counts(cls, counts: Array, noise: KnownNoise, step: float) -> Uncertainty:
        """Return intervals for counts.

        Like the noisy counts themselves they may reach below zero: cut off there, those of empty
        bins would cover more than they state.
        """
        alone = noise.radius(LEVEL)
        together = noise.radius(LEVEL, cells=max(counts.size, 1))
        return cls(
            noise,
            _around(counts, alone * step, noise.coverage(alone)),
            _around(counts, together * step, noise.coverage(together) ** max(counts.size, 1)),
        )

    def multiplied(self, worth: Array) -> Uncertainty:
        """Return intervals for numbers that are each so many times what they were."""
        pair = (_multiplied(each, worth) for each in (self.pointwise, self.simultaneous))
        return Uncertainty(self.noise, *pair)

    def left_out(self, hidden: NDArray[np.bool_], most: float) -> Uncertainty:
        """Return intervals for counts of which some were left out, and given as zero.

        Parameters
        ----------
        hidden
            Which were.
        most
            The largest noisy count that is left out. A true count above it by more than the noise
            can be off would have been shown.
        """
        pair = (_reaching(each, hidden, most) for each in (self.pointwise, self.simultaneous))
        return Uncertainty(self.noise, *pair)

    @classmethod
    def of_proportions(cls, steps: Array, noise: KnownNoise, scale: Array) -> Uncertainty:
        """Return intervals for proportions, each multiplied by its `scale`."""
        return cls(
            noise,
            _scaled(proportion.compute_pointwise(steps, noise, LEVEL), scale),
            _scaled(proportion.compute_simultaneous(steps, noise, LEVEL), scale),
        )


def _around(counts: Array, radius: float, coverage: float) -> Interval:
    low, high = counts - radius, counts + radius
    return Interval(tuple(low.tolist()), tuple(high.tolist()), coverage)


def _reaching(ends: Interval, hidden: NDArray[np.bool_], most: float) -> Interval:
    low, high = np.where(hidden, 0.0, ends.low), np.where(hidden, most, 0.0) + ends.high
    return Interval(tuple(low.tolist()), tuple(high.tolist()), ends.coverage)


def _multiplied(ends: Interval, worth: Array) -> Interval:
    low, high = (np.array(end) * worth for end in (ends.low, ends.high))
    return Interval(tuple(low.tolist()), tuple(high.tolist()), ends.coverage)


def _scaled(ends: tuple[Array, Array], scale: Array) -> Interval:
    low, high = (end * scale for end in ends)
    return Interval(tuple(low.tolist()), tuple(high.tolist()), LEVEL)
