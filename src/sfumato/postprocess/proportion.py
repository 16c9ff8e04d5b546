"""Intervals for parts of a noisy whole, where both the part and the whole carry noise.

A released part ``y = c + Z`` of a released whole ``Y = n + S`` (S sums the noise of all cells)
estimates ``p = c / n``. For the true p, ``y - pY = Z - pS`` is pure noise of a known law, so the
values of p for which ``|y - pY|`` stays below a quantile of that noise form an interval with the
wanted coverage (Fieller 1954), however small the whole is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.noise_law import NoiseLaw

Array = NDArray[np.float64]

_DRAWS = 100_000
_LEAST, _MOST = -0.5, 1.5  # an interval may reach below 0, as a noisy count may
_GRID = np.linspace(_LEAST, _MOST, 65)


def proportions(parts: Array) -> Array:
    """Return each part over the whole; zero where the noisy whole is not positive.

    Examples
    --------
    >>> proportions(np.array([1.0, 3.0]))
    array([0.25, 0.75])
    """
    whole = float(parts.sum())
    return parts / whole if whole > 0 else np.zeros_like(parts)


def compute_pointwise(parts: Array, law: NoiseLaw, level: float) -> tuple[Array, Array]:
    """Return an interval for each proportion alone. `parts` are in integer steps."""
    whole = float(parts.sum())
    quantile, whole_radius = _quantiles(law, parts.size, level)
    if whole <= 2 * whole_radius:  # the whole may be nothing: every proportion is possible
        return np.zeros_like(parts), np.ones_like(parts)
    low = _find_crossing(lambda p: parts - p * whole - np.interp(p, _GRID, quantile), parts.shape)
    high = _find_crossing(lambda p: parts - p * whole + np.interp(p, _GRID, quantile), parts.shape)
    return low, high


def compute_simultaneous(parts: Array, law: NoiseLaw, level: float) -> tuple[Array, Array]:
    """Return intervals that hold for all proportions together, with at least this coverage."""
    whole = float(parts.sum())
    _, whole_radius = _quantiles(law, parts.size, 1 - (1 - level) / 2)
    radius = law.radius(1 - (1 - level) / 2, cells=parts.size)
    low = np.maximum(parts - radius, 0) / max(whole + whole_radius, 1.0)
    least = whole - whole_radius
    high = np.maximum(parts + radius, 0) / least if least > 0 else np.ones_like(parts)
    return np.minimum(low, 1.0), np.minimum(high, 1.0)


def _find_crossing(falling: Callable[[Array], Array], shape: tuple[int, ...]) -> Array:
    """Return where a falling function of p crosses zero, by bisection in every cell at once."""
    low, high = np.full(shape, _LEAST), np.full(shape, _MOST)
    for _ in range(50):
        middle = (low + high) / 2
        above = falling(middle) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return low


@lru_cache(maxsize=64)
def _quantiles(law: NoiseLaw, cells: int, level: float) -> tuple[Array, float]:
    """Return quantiles of |Z - pS| over the grid of p, and of |S|.

    They are simulated from the public law with a fixed generator: no data is involved, and the
    same release always draws the same interval.
    """
    generator = np.random.default_rng(0)
    own = _sums(law, 1, generator)
    rest = _sums(law, cells - 1, generator)
    quantiles = [
        np.quantile(np.abs((1 - p) * own - p * rest), level, method="higher") for p in _GRID
    ]
    return np.array(quantiles), float(np.quantile(np.abs(own + rest), level, method="higher"))


def _sums(law: NoiseLaw, cells: int, generator: np.random.Generator) -> Array:
    """Simulate the summed noise of several cells, many times over."""
    if cells == 0:
        return np.zeros(_DRAWS)
    if law.kind == "gaussian":
        return np.rint(generator.normal(0.0, law.scale * np.sqrt(cells), _DRAWS))
    # Laplace noise is the difference of two geometric variables, whose sums are negative binomial;
    # on a scale of many steps these are gamma variables to the eye.
    if law.scale > 1000:
        halves = [generator.gamma(cells, law.scale, _DRAWS) for _ in range(2)]
    else:
        success = -np.expm1(-1 / law.scale)
        halves = [generator.negative_binomial(cells, success, _DRAWS) for _ in range(2)]
    return np.asarray(halves[0] - halves[1], dtype=np.float64)
