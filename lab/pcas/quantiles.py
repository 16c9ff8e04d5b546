"""The private quantiles of the R package dppca, as its documentation and its code describe them.

`smooth` follows Nissim, Raskhodnikova and Smith (2007) without the bounds of the domain: windows
end at the smallest and the largest value of the table, so its noise has a scale that one row can
multiply (`lab/smooth.py`). That is how the package has it, and it is not private. `unbounded`
follows Durfee (2023).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from pcas.sets import Floats

CLOSE = 1e-3
"""To this part of itself the smooth sensitivity is found."""

BASE, STEPS = 1.01, 5000
"""The geometric ladder of `unbounded`, which begins at 0: the package's defaults."""


def smooth(
    values: Floats, level: float, epsilon: float, delta: float, generator: np.random.Generator
) -> float:
    """Return a quantile with Laplace noise of smooth scale. Not private."""
    ordered = np.sort(values)
    rank = min(max(math.ceil(level * len(ordered)), 1), len(ordered)) - 1
    scale = 2 / epsilon * sensitivity(ordered, rank, epsilon / (2 * math.log(1 / delta)))
    return float(ordered[rank] + generator.laplace(0, scale))


def sensitivity(ordered: Floats, rank: int, beta: float) -> float:
    """Return the maximum over k of exp(-beta k) times the widest window of k + 1 gaps at a rank.

    Windows grow with k, so all k of a stretch give at most the widest window of its end with the
    factor of its start; stretches that cannot win are left out.
    """
    last = len(ordered) - 1

    @cache
    def widest(k: int) -> float:
        starts = np.arange(max(0, rank - k - 1), min(rank, last - k - 1) + 1)
        return float((ordered[starts + k + 1] - ordered[starts]).max())

    best, stretches = 0.0, [(0, last - 1)] if last > 0 else []
    while stretches:
        first, end = stretches.pop()
        best = max(best, math.exp(-beta * first) * widest(first))
        if first < end and math.exp(-beta * first) * widest(end) > best * (1 + CLOSE):
            middle = (first + end) // 2
            stretches += (
                [(first + 1, middle), (middle + 1, end)] if middle > first else [(end, end)]
            )
    return best


def unbounded(
    values: Floats, level: float, epsilon: float, generator: np.random.Generator
) -> float:
    """Return a quantile of values of any sign, by a search upward and one downward from 0."""
    up = _search(values, level, epsilon / 2, generator)
    down = _search(-values, 1 - level, epsilon / 2, generator)
    if 0 < up < STEPS:
        return BASE**up - 1
    return 1 - BASE**down if 0 < down < STEPS else 0.0


def unbounded_above(
    values: Floats,
    level: float,
    epsilon: float,
    generator: np.random.Generator,
    base: float = BASE,
) -> float:
    """Return a quantile of values that are not below 0."""
    return base ** max(1, _search(values, level, epsilon, generator, base)) - 1


def _search(
    values: Floats,
    level: float,
    epsilon: float,
    generator: np.random.Generator,
    base: float = BASE,
) -> int:
    """Return the first rung below which a noisy count reaches a noisy target."""
    rungs = base ** np.arange(STEPS) - 1
    below = np.searchsorted(np.sort(values), rungs, side="left")
    target = level * len(values) + generator.exponential(2 / epsilon)
    reached = below + generator.exponential(2 / epsilon, STEPS) >= target
    return int(reached.argmax()) if reached.any() else STEPS
