"""How many ranks a private quantile lies from its place, before any data is seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

_WIDTH, _PITCH = 40.0, 0.04


@cache
def bridge_error(levels: int, index: int) -> float:
    """Return the mean rank error of the `index`-th of so many levels, times the rate.

    Where data are dense, the rank errors e₁ … e_m have the density
    ``exp(-rate (|e₁| + |e₂ - e₁| + … + |e_m|))``: a random walk with Laplace steps that returns
    to where it began. Each error has the density of the walk so far times that of the way back.

    Examples
    --------
    >>> round(bridge_error(1, 1), 2), round(bridge_error(3, 2), 2)
    (0.5, 0.9)
    """
    points = np.arange(-_WIDTH, _WIDTH + _PITCH / 2, _PITCH)
    step = np.exp(-abs(points))
    walks = [step]
    for _ in range(levels - 1):
        walks.append(np.convolve(walks[-1], step, mode="same") * _PITCH)
    density = walks[index - 1] * walks[levels - index]
    return float((abs(points) * density).sum() / density.sum())


Array = NDArray[np.float64]
Score = Literal["balanced", "published"]


@dataclass(frozen=True)
class RankError:
    """The law of the distance, in ranks, between a private quartile and the true one.

    Parameters
    ----------
    epsilon
        What the three quartiles cost together.
    score
        ``"balanced"``, ours, or ``"published"``, that of Gillenwater, Joseph and Kulesza (2021).

    Examples
    --------
    >>> error = RankError(epsilon=0.5)
    >>> error.median_mean, error.quartile_mean
    (4.0, 3.25)
    >>> round(error.median_radius(0.95), 1), round(error.quartile_radius(0.95), 1)
    (10.4, 9.3)
    """

    epsilon: float
    score: Score = "balanced"

    @property
    def median_mean(self) -> float:
        """The expected distance of the median; also of the number of units inside the box."""
        return (2.0 if self.score == "balanced" else 2.7) / self.epsilon

    @property
    def quartile_mean(self) -> float:
        """The expected distance of the first quartile, and of the third."""
        return (1.625 if self.score == "balanced" else 2.25) / self.epsilon

    def median_miss(self, radius: float) -> float:
        """Return the probability that the median lies further off than `radius`."""
        if self.score == "balanced":
            x = self.epsilon * radius
            return math.exp(-x) * (x * x + 4 * x + 6) / 6
        x = self.epsilon * radius / 3
        return math.exp(-2 * x) * (2 * x * x + 6 * x + 5) / 5

    def quartile_miss(self, radius: float) -> float:
        """Return the probability that a quartile lies further off than `radius`."""
        if self.score == "balanced":
            x = 2 * self.epsilon * radius
            return (9 * math.exp(-x / 3) - math.exp(-x)) / 8
        x = self.epsilon * radius / 3
        return math.exp(-2 * x) * (x * x + 4 * x + 5) / 5

    def median_radius(self, level: float) -> float:
        """Return the distance that holds the median with this probability."""
        return _inverse(self.median_miss, 1 - level, self.median_mean)

    def quartile_radius(self, level: float) -> float:
        """Return the distance that holds a quartile with this probability."""
        return _inverse(self.quartile_miss, 1 - level, self.quartile_mean)


def rank_covariance(epsilon: float) -> Array:
    """Return the covariance of the rank errors of three quartiles, by the balanced score.

    The three contrasts are uncorrelated and have the variance ``80 / (3 ε²)`` each.

    Examples
    --------
    >>> rank_covariance(1.0).round(2).tolist()
    [[5.0, 3.33, 1.67], [3.33, 6.67, 3.33], [1.67, 3.33, 5.0]]
    """
    errors = np.array([[1, 1, 1], [2, 0, 0], [1, 1, -1]]) / 4
    return 80 / (3 * epsilon**2) * errors @ errors.T


def _inverse(falling: Callable[[float], float], target: float, guess: float) -> float:
    """Return where a falling function reaches `target`, by bisection."""
    low, high = 0.0, guess
    while falling(high) > target:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > target else (low, middle)
    return high
