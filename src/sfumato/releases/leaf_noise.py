"""`LeafNoise`: direct measurements of leaves, and the known laws of their noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.releases import strict
from sfumato.releases.uncertainty import LEVEL

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LeafIntervals:
    """Ends of an interval for the mass of each leaf alone, and how often it covers the truth.

    Noise on integers has no interval of exactly 95 %: each states the coverage it does have, the
    least that is not below. Like the measurements themselves, intervals may reach below zero.

    Coverage is that of a square chosen without looking at its measurement, as all leaves are but
    those of ``"pyramid"`` that were left unopened because they were measured to hold little.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    coverage: tuple[float, ...]


@dataclass(frozen=True)
class LeafNoise:
    """One noisy integer per leaf, with discrete Laplace noise of a scale of its own.

    Parameters
    ----------
    noisy, scale
        Measurements and scales, in integer steps.
    step
        What one integer is worth.
    """

    noisy: tuple[int, ...]
    scale: tuple[float, ...]
    step: float

    @classmethod
    def read(cls, plain: Mapping[str, Any], step: float) -> LeafNoise:
        """Rebuild measurements from what `write` returned."""
        scales = [strict.scale(scale) for scale in plain["scales"]]
        which = [strict.integer(place) for place in plain["scale"]]
        noisy = tuple(strict.integer(value) for value in plain["noisy"])
        if not all(place >= 0 for place in which):
            raise ValueError("Every leaf has a scale.")
        if not 0 < step <= 1:
            raise ValueError("A step is worth something, and at most one unit.")
        try:
            return cls(noisy, tuple(scales[place] for place in which), step)
        except IndexError:
            pass
        raise ValueError("Every leaf has a scale.")

    def write(self) -> dict[str, Any]:
        """Return measurements as plain JSON values; a scale that many leaves have is told once."""
        scales, which = self._groups
        return {
            "noisy": [int(value) for value in self.noisy],
            "scales": scales.tolist(),
            "scale": which.tolist(),
        }

    @cached_property
    def masses(self) -> Array:
        """The measurements in units; unbiased, and so sometimes below zero."""
        return np.array(self.noisy, dtype=np.float64) * self.step

    @cached_property
    def variance(self) -> Array:
        """The variance of each measurement, in squared units."""
        scales, which = self._groups
        return np.array([_variance(scale) for scale in scales.tolist()])[which] * self.step**2

    @cached_property
    def intervals(self) -> LeafIntervals:
        """Intervals for the masses, each alone."""
        scales, which = self._groups
        laws = [NoiseLaw("laplace", scale) for scale in scales.tolist()]
        reach = [law.radius(LEVEL) for law in laws]
        sure = [law.coverage(radius) for law, radius in zip(laws, reach, strict=True)]
        radius = np.array(reach, dtype=np.float64)[which] * self.step
        return LeafIntervals(
            tuple((self.masses - radius).tolist()),
            tuple((self.masses + radius).tolist()),
            tuple(np.array(sure, dtype=np.float64)[which].tolist()),
        )

    @cached_property
    def _groups(self) -> tuple[Array, NDArray[np.intp]]:
        """The distinct scales, and which of them each leaf has."""
        scales, which = np.unique(np.array(self.scale, dtype=np.float64), return_inverse=True)
        return scales, which


def _variance(scale: float) -> float:
    """Return the variance of discrete Laplace noise: 2p / (1 - p)², where p = exp(-1 / scale)."""
    half = 1 / (2 * scale)
    return 0.0 if half > 350 else 1 / (2 * math.sinh(half) ** 2)
