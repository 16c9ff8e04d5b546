"""`NoiseLaw`: the public distribution of the noise on released integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np

from sfumato.privacy.cost import Cost

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
