"""`RankError`: how many ranks a private quartile lies from its place, before any data is seen.

Where data are dense beside the error, the exponential mechanism for three quartiles is a law on the
surplus ``h_1 … h_4`` of the four gaps (they sum to zero), and scaling by ε is all ε does to it.

Balanced score. The two largest gaps less the two smallest are ``max(|a|, |b|, |c|)`` for
``a = h_1 + h_2 - h_3 - h_4``, ``b = h_1 - h_2 + h_3 - h_4``, ``c = h_1 - h_2 - h_3 + h_4``. So the
density ``exp(-max(|a|, |b|, |c|) ε / 2)`` is that of a point spread evenly over a cube of random
size, the median is off by ``a / 2`` and the quartiles by ``(a + b ± c) / 4``. Integrating over
the cube gives the tails below.

Published score. The density ``exp(-Σ|h_j| ε / 3)`` makes the gaps Laplace variables conditioned on
their sum; the tails follow from sums of two and of three of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
