"""Means and sums of groups from two noisy sums each, and how sure the law of the noise makes us.

Each group has a sum of steps at the lower and one at the upper end of a range. Their ratio is the
mean, as the ratio of two noisy counts is a proportion; weighed with the ends they are the sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.noise_law import KnownNoise, compute_ratios

Array = NDArray[np.float64]


@dataclass(frozen=True)
class GroupEstimates:
    """A number for each group, the ends of its interval, and whether it can be relied on."""

    value: Array
    low: Array
    high: Array
    reliable: NDArray[np.bool_]


def estimate_means(pairs: Array, ends: Array, law: KnownNoise, level: float) -> GroupEstimates:
    """Return the mean of each group, between its two ends.

    A group whose two sums together are no larger than twice what their noise may be has too few
    units: its mean can be anything.

    Parameters
    ----------
    pairs
        The noisy sums of each group in integer steps, those at the lower end first.
    ends
        The lower and the upper end of each group.

    Examples
    --------
    >>> from sfumato.postprocess.noise_law import NoiseLaw
    >>> pairs, ends = np.array([[6000.0, 2000.0], [3.0, -8.0]]), np.array([[0.0, 40.0]] * 2)
    >>> found = estimate_means(pairs, ends, NoiseLaw("laplace", 10.0), 0.95)
    >>> found.value.tolist(), found.reliable.tolist()
    ([10.0, 20.0], [True, False])
    """
    low, high, told = compute_ratios(pairs, law, level)
    whole = pairs.sum(axis=1)
    share = np.where(told, pairs[:, 1] / np.where(told, whole, 1.0), 0.5)
    lower, width = ends[:, 0], ends[:, 1] - ends[:, 0]
    value, low, high = (lower + width * each.clip(0, 1) for each in (share, low, high))
    return GroupEstimates(value, low, high, told)


def estimate_sums(
    pairs: Array, ends: Array, law: KnownNoise, step: float, level: float
) -> GroupEstimates:
    """Return the sum of each group: what both ends weigh, times where they lie.

    Parameters
    ----------
    step
        What one integer step is worth in units.

    Examples
    --------
    >>> from sfumato.postprocess.noise_law import NoiseLaw
    >>> pairs, ends = np.array([[6000.0, 2000.0]]), np.array([[0.0, 40.0]])
    >>> found = estimate_sums(pairs, ends, NoiseLaw("laplace", 10.0), 0.25, 0.95)
    >>> found.value.tolist(), (found.high - found.value).round().tolist()
    ([20000.0], [300.0])
    """
    value = (pairs * ends).sum(axis=1) * step
    sizes = np.sort(np.abs(ends), axis=1)
    larger = np.maximum(sizes[:, 1], 1e-300)
    grid, radii = _find_radii(law, level)
    radius = larger * np.interp(sizes[:, 0] / larger, grid, radii) * step
    return GroupEstimates(
        value, value - radius, value + radius, np.ones(len(value), dtype=np.bool_)
    )


def estimate_counts(pairs: Array, law: KnownNoise, step: float, level: float) -> GroupEstimates:
    """Return how many units each group has.

    Examples
    --------
    >>> from sfumato.postprocess.noise_law import NoiseLaw
    >>> found = estimate_counts(np.array([[6000.0, 2000.0]]), NoiseLaw("laplace", 10.0), 0.25, 0.95)
    >>> found.value.tolist(), found.low.round().tolist()
    ([2000.0], [1990.0])
    """
    value = pairs.sum(axis=1) * step
    radius = _find_radii(law, level)[1][-1] if pairs.shape[1] == 2 else law.radius(level)
    return GroupEstimates(
        value,
        value - radius * step,
        value + radius * step,
        np.ones(len(value), dtype=np.bool_),
    )


@lru_cache(maxsize=64)
def _find_radii(law: KnownNoise, level: float) -> tuple[Array, Array]:
    """Return, for weights from 0 to 1, what holds the noise of one sum and a part of another's.

    They are simulated from the public law with a fixed generator, as intervals of proportions are.
    """
    generator = np.random.default_rng(0)
    one, other = law.draw_sums(1, generator), law.draw_sums(1, generator)
    grid = np.linspace(0.0, 1.0, 33)
    radii = [np.quantile(np.abs(one + part * other), level, method="higher") for part in grid]
    return grid, np.array(radii, dtype=np.float64)
