"""`NoiseLaw`: the public distribution of noise, and how likely a noisy count is under it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.budget import Cost

NoiseKind = Literal["laplace", "gaussian"]
KINDS: tuple[NoiseKind, ...] = ("laplace", "gaussian")

_WIDE = 1000.0  # beyond this scale a sum over the lattice equals its integral to seven digits

WIDEST = 2.0**55
"""The largest scale that is ever added: wider noise would not fit 64 bits."""


@dataclass(frozen=True)
class NoiseLaw:
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
        """Return the price of such noise on integers that one unit moves by `weight` in all."""
        part = weight / Fraction(self.scale)
        return Cost.pure(part) if self.kind == "laplace" else Cost.gaussian(part**2 / 2)

    def miss(self, radius: int) -> float:
        """Return the probability that the noise lies further out than `radius`."""
        if self.kind == "laplace":
            return 2 * math.exp(-(radius + 1) / self.scale) / (1 + math.exp(-1 / self.scale))
        if self.scale > _WIDE:
            return math.erfc((radius + 0.5) / (self.scale * math.sqrt(2)))
        weights = self._gaussian_weights
        return 2 * float(weights[radius + 1 :].sum()) / self._gaussian_total

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

    @cached_property
    def mean_absolute(self) -> float:
        """The expected absolute value of the noise: the error of a released integer."""
        if self.kind == "laplace":
            return 1 / math.sinh(1 / self.scale) if self.scale > 1e-2 else 0.0
        if self.scale > _WIDE:
            return self.scale * math.sqrt(2 / math.pi)
        weights = self._gaussian_weights
        return 2 * float(weights @ np.arange(len(weights))) / self._gaussian_total

    @cached_property
    def _gaussian_weights(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        reach = np.arange(math.ceil(40 * self.scale) + 2, dtype=np.float64)
        return np.exp(-((reach / self.scale) ** 2) / 2)

    @cached_property
    def _gaussian_total(self) -> float:
        return 2 * float(self._gaussian_weights.sum()) - 1


Array = NDArray[np.float64]


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
