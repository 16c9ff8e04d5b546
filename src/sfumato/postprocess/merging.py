"""Neighbouring periods whose differences noise could have made, merged."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_FOR_PLACES, _FOR_LEVELS = 3.0, 5.0


def find_runs(value: Array, precision: Array) -> list[tuple[int, int]]:
    """Return where runs of equal values begin and end: the likeliest steps, as few as will do.

    A further step has to lower the sum of squared residuals, each in units of its noise, by more
    than it is lowered where there is nothing to find: in fewer than one of twenty lines of Laplace
    noise alone there is a step.

    Parameters
    ----------
    precision
        One over the variance of the noise on each value; 0 where nothing is known of it.

    Examples
    --------
    >>> value = np.array([10.2, 9.9, 10.1, 15.0, 15.2, 14.9])
    >>> find_runs(value, np.full(6, 25.0))
    [(0, 3), (3, 6)]
    """
    sums = [np.concatenate([[0.0], np.cumsum(precision * value**power)]) for power in (0, 1, 2)]
    price = _FOR_PLACES * math.log(max(value.size, 1)) + _FOR_LEVELS
    best, starts = np.zeros(value.size + 1), np.zeros(value.size + 1, dtype=np.int64)
    for end in range(1, value.size + 1):
        weight, first, second = (each[end] - each[:end] for each in sums)
        cost = best[:end] + price + second - first**2 / np.where(weight > 0, weight, 1.0)
        starts[end] = int(np.argmin(cost))
        best[end] = cost[starts[end]]
    return _trace(starts)


def _trace(starts: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Follow the best steps back from the end."""
    runs: list[tuple[int, int]] = []
    end = starts.size - 1
    while end > 0:
        runs.append((int(starts[end]), end))
        end = int(starts[end])
    return runs[::-1]
