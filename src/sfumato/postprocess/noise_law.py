"""`NoiseLaw`: the public distribution of noise, and what it says of counts and proportions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.budget import Cost

Array = NDArray[np.float64]
NoiseKind = Literal["laplace", "gaussian"]
KINDS: tuple[NoiseKind, ...] = ("laplace", "gaussian")

_DRAWS = 100_000
_WIDE = 1000.0  # beyond this scale a sum over the lattice equals its integral to seven digits

WIDEST = 2.0**55
"""The largest scale that is ever added: wider noise would not fit 64 bits."""


class KnownNoise(ABC):
    """Noise on integers whose law is public, symmetric about 0: what intervals are made from."""

    @abstractmethod
    def cost(self, weight: int) -> Cost:
        """Return the cost of such noise on integers that one unit moves by `weight` in all."""

    @abstractmethod
    def miss(self, radius: int) -> float:
        """Return the probability that the noise lies further out than `radius`."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """The variance of the noise, in squared steps."""

    @abstractmethod
    def draw_sums(self, cells: int, generator: np.random.Generator) -> Array:
        """Simulate the summed noise of several cells, many times over."""

    def coverage(self, radius: int) -> float:
        """Return the probability that the noise lies within `radius`."""
        return 1 - self.miss(radius)

    def radius(self, level: float, cells: int = 1) -> int:
        """Return the smallest radius that holds the noise on all `cells` with this probability."""
        miss = -math.expm1(math.log(level) / cells)
        low, high = -1, 1
        while self.miss(high) > miss:
            low, high = high, high * 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.miss(middle) > miss else (low, middle)
        return high if self.miss(0) > miss else 0


@dataclass(frozen=True)
class NoiseLaw(KnownNoise):
    """Discrete Laplace or discrete Gaussian noise of a public scale, in integer steps.

    ``P(z)`` is proportional to ``exp(-|z| / scale)``, or to ``exp(-z² / (2 scale²))``.

    Examples
    --------
    >>> law = NoiseLaw("laplace", scale=2.0)
    >>> law.radius(0.95), round(law.coverage(6), 3)
    (6, 0.962)
    """

    kind: NoiseKind
    scale: float

    def cost(self, weight: int) -> Cost:
        """Return the cost of such noise on integers that one unit moves by `weight` in all."""
        part = weight / Fraction(self.scale)
        return Cost.laplace(part, weight) if self.kind == "laplace" else Cost.gaussian(part**2 / 2)

    def miss(self, radius: int) -> float:
        """Return the probability that the noise lies further out than `radius`."""
        if self.kind == "laplace":
            return 2 * math.exp(-(radius + 1) / self.scale) / (1 + math.exp(-1 / self.scale))
        if self.scale > _WIDE:
            return math.erfc((radius + 0.5) / (self.scale * math.sqrt(2)))
        weights = self._gaussian_weights
        return 2 * float(weights[radius + 1 :].sum()) / self._gaussian_total

    @cached_property
    def mean_absolute(self) -> float:
        """The expected absolute value of the noise: the error of a released integer."""
        if self.kind == "laplace":
            return 1 / math.sinh(1 / self.scale) if self.scale > 1e-2 else 0.0
        if self.scale > _WIDE:
            return self.scale * math.sqrt(2 / math.pi)
        weights = self._gaussian_weights
        return 2 * float(weights @ np.arange(len(weights))) / self._gaussian_total

    @property
    def variance(self) -> float:
        """The variance of the noise, in squared steps."""
        if self.kind == "laplace":
            return 1 / (2 * math.sinh(1 / (2 * self.scale)) ** 2) if self.scale > 1e-2 else 0.0
        if self.scale > _WIDE:
            return self.scale**2
        weights = self._gaussian_weights
        return 2 * float(weights @ np.arange(len(weights)) ** 2.0) / self._gaussian_total

    def draw_sums(self, cells: int, generator: np.random.Generator) -> Array:
        """Simulate the summed noise of several cells, many times over."""
        if cells == 0:
            return np.zeros(_DRAWS)
        if self.kind == "gaussian":
            return np.rint(generator.normal(0.0, self.scale * np.sqrt(cells), _DRAWS))
        # Laplace noise is the difference of two geometric variables, whose sums are negative
        # binomial; on a scale of many steps these are gamma variables to the eye.
        if self.scale > 1000:
            halves = [generator.gamma(cells, self.scale, _DRAWS) for _ in range(2)]
        else:
            success = -np.expm1(-1 / self.scale)
            halves = [generator.negative_binomial(cells, success, _DRAWS) for _ in range(2)]
        return np.asarray(halves[0] - halves[1], dtype=np.float64)

    @cached_property
    def _gaussian_weights(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        reach = np.arange(math.ceil(40 * self.scale) + 2, dtype=np.float64)
        return np.exp(-((reach / self.scale) ** 2) / 2)

    @cached_property
    def _gaussian_total(self) -> float:
        return 2 * float(self._gaussian_weights.sum()) - 1


@dataclass(frozen=True)
class PooledNoise(KnownNoise):
    """The summed noise of several cells of one law, known by simulation.

    Examples
    --------
    >>> pooled = PooledNoise(NoiseLaw("gaussian", 10.0), 4)
    >>> round(pooled.variance), 35 < pooled.radius(0.95) < 43
    (400, True)
    """

    law: NoiseLaw
    cells: int

    def cost(self, weight: int) -> Cost:
        """Return the cost of the noise on each cell: adding up is free."""
        return self.law.cost(weight)

    def miss(self, radius: int) -> float:
        """Return the probability that the noise lies further out than `radius`."""
        return float((self._sizes > radius).mean())

    @property
    def variance(self) -> float:
        """The variance of the noise, in squared steps."""
        return self.cells * self.law.variance

    def draw_sums(self, cells: int, generator: np.random.Generator) -> Array:
        """Simulate the summed noise of several such sums, many times over."""
        return self.law.draw_sums(self.cells * cells, generator)

    @cached_property
    def _sizes(self) -> Array:
        return np.abs(self.draw_sums(1, np.random.default_rng(0)))


@dataclass(frozen=True)
class CountNoise:
    """The noise on one count, in units.

    Parameters
    ----------
    law
        The law of the noise, in integer steps.
    step
        What one step is worth in units.
    """

    law: NoiseLaw
    step: float = 1.0

    @property
    def scale(self) -> float:
        """The scale of the noise. Below a twentieth of a step none is ever seen."""
        return max(self.law.scale, 0.05) * self.step

    @cached_property
    def variance(self) -> float:
        """The variance of the noise."""
        if self.law.kind == "gaussian":
            return self.scale**2
        return self.step**2 / (2 * math.sinh(self.step / (2 * self.scale)) ** 2)

    def radius(self, level: float) -> float:
        """Return the distance that holds the noise with this probability."""
        return self.law.radius(level) * self.step

    def log_density(self, residual: Array, spread: Array) -> Array:
        """Return the log density of noise plus a centred variable of variance `spread`.

        Exact for Gaussian noise beside a Gaussian variable, and for either noise alone. Laplace
        noise gives a hyperbola: a parabola within the spread, straight beyond it, with the slope
        of the noise; its integral is one at both ends and within two per cent of it between.
        """
        level = -0.5 * np.log(2 * np.pi * spread + self._width**2)
        if self.law.kind == "gaussian":
            return level - residual**2 / (2 * (spread + self.scale**2))
        bend = spread / self.scale
        climb = residual**2 / (np.sqrt(bend**2 + residual**2) + bend + 1e-300)
        return level - climb / self.scale

    @cached_property
    def _width(self) -> float:
        return self.step / self.law.coverage(0)


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


def compute_pointwise(parts: Array, law: KnownNoise, level: float) -> tuple[Array, Array]:
    """Return an interval for each proportion alone. `parts` are in integer steps."""
    whole = float(parts.sum())
    quantile, whole_radius = _quantiles(law, parts.size, level)
    if whole <= 2 * whole_radius:  # the whole may be nothing: every proportion is possible
        return np.zeros_like(parts), np.ones_like(parts)
    low = _find_crossing(lambda p: parts - p * whole - np.interp(p, _GRID, quantile), parts.shape)
    high = _find_crossing(lambda p: parts - p * whole + np.interp(p, _GRID, quantile), parts.shape)
    return low, high


def compute_ratios(
    pairs: Array, law: KnownNoise, level: float
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return an interval for the second part of each pair over its whole, and whether it says any.

    Each pair is for itself, and in integer steps. Where its whole may be nothing every ratio is
    possible, as for `compute_pointwise`.

    Examples
    --------
    >>> pairs = np.array([[900.0, 100.0], [3.0, 1.0]])
    >>> low, high, told = compute_ratios(pairs, NoiseLaw("laplace", 2.0), 0.95)
    >>> bool(0.09 < low[0] < 0.1 < high[0] < 0.11), told.tolist()
    (True, [True, False])
    """
    part, whole = pairs[:, 1], pairs.sum(axis=1)
    quantile, whole_radius = _quantiles(law, 2, level)
    told = whole > 2 * whole_radius
    safe = np.where(told, whole, 1.0)
    low = _find_crossing(lambda p: part - p * safe - np.interp(p, _GRID, quantile), part.shape)
    high = _find_crossing(lambda p: part - p * safe + np.interp(p, _GRID, quantile), part.shape)
    return np.where(told, low, 0.0), np.where(told, high, 1.0), told


def compute_simultaneous(parts: Array, law: KnownNoise, level: float) -> tuple[Array, Array]:
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
def _quantiles(law: KnownNoise, cells: int, level: float) -> tuple[Array, float]:
    """Return quantiles of |Z - pS| over the grid of p, and of |S|.

    They are simulated from the public law with a fixed generator: no data is involved, and the
    same release always draws the same interval.
    """
    generator = np.random.default_rng(0)
    own = law.draw_sums(1, generator)
    rest = law.draw_sums(cells - 1, generator)
    quantiles = [
        np.quantile(np.abs((1 - p) * own - p * rest), level, method="higher") for p in _GRID
    ]
    return np.array(quantiles), float(np.quantile(np.abs(own + rest), level, method="higher"))
