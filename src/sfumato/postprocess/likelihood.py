"""`CountNoise`: how likely a noisy count is, given what the true one may be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.law import NoiseLaw

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
