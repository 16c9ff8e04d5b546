"""Variances along given directions, from sums that the directions were not chosen by."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.principal import Principal, Sums

Array = NDArray[np.float64]

FINE = 0.03
"""The error of the total variance, as a share of it, up to which cutting fewer rows is worth it."""

_NEAR = 1.5  # radii of the first sums that the second ones reach at least
_SURE = 2.0  # standard deviations taken off a noisy number of rows


@dataclass(frozen=True, eq=False)
class Spread:
    """Variances along directions, their total over all columns, and their shares of it.

    Noise may take a variance below zero; a share lies between 0 and 1.

    Parameters
    ----------
    along, whole
        Sums of squares about the mean: along each direction, and of whole rows.
    size, size_noise
        The noisy number of rows, and the standard deviation of its noise.
    along_noise, whole_noise
        The standard deviations of the noise on `along` and `whole`. As `along` is a part of
        `whole`, its variance is also their covariance.
    """

    along: Array
    whole: float
    size: float
    size_noise: float
    along_noise: Array
    whole_noise: float

    @property
    def variance(self) -> Array:
        """The variance along each direction."""
        return self.along / self._size

    @property
    def total(self) -> float:
        """The variance of all columns together."""
        return self.whole / self._size

    @property
    def ratio(self) -> Array:
        """The share of each direction in the total."""
        return np.clip(self.along / self._whole, 0.0, 1.0)

    @property
    def variance_error(self) -> Array:
        """The standard deviation of each variance, the noise on the number of rows included."""
        return np.hypot(self.along_noise, self.variance * self.size_noise) / self._size

    @property
    def total_error(self) -> float:
        """The standard deviation of the total."""
        return math.hypot(self.whole_noise, self.total * self.size_noise) / self._size

    @property
    def ratio_error(self) -> Array:
        """The standard deviation of each share; the number of rows does not matter to it."""
        return self._share.noise(self.ratio) / self._whole

    def variance_limits(self, reach: float, most: float) -> tuple[Array, Array]:
        """Return limits of each variance that hold the truth with the probability of `reach`.

        Parameters
        ----------
        reach
            How many standard deviations of a normal law have that probability.
        most
            The largest variance there can be: the square of the length at which rows are cut.
        """
        return _Quotient(
            self.along, self.size, self.along_noise, self.size_noise, np.zeros_like(self.along)
        ).limits(reach, most)

    def total_limits(self, reach: float, most: float) -> tuple[float, float]:
        """Return limits of the total, as `variance_limits` does."""
        whole, noise = np.array([self.whole]), np.array([self.whole_noise])
        quotient = _Quotient(whole, self.size, noise, self.size_noise, np.zeros(1))
        low, high = quotient.limits(reach, most)
        return float(low[0]), float(high[0])

    def ratio_limits(self, reach: float) -> tuple[Array, Array]:
        """Return limits of each share, as `variance_limits` does; at worst 0 and 1."""
        return self._share.limits(reach, 1.0)

    @property
    def _share(self) -> _Quotient:
        shared = self.along_noise**2
        return _Quotient(self.along, self.whole, self.along_noise, self.whole_noise, shared)

    @property
    def _size(self) -> float:
        return max(self.size, self.size_noise)

    @property
    def _whole(self) -> float:
        return max(self.whole, self.whole_noise)


def spreads(sums: Sums, directions: Array) -> Spread:
    """Return the variances along directions that were chosen without these sums.

    Parameters
    ----------
    directions
        Unit vectors, as rows.

    Examples
    --------
    >>> sums = Sums(100.0, np.zeros(2), np.diag([300.0, 100.0]), 10.0, 1.0, 0.1)
    >>> found = spreads(sums, np.eye(2))
    >>> found.variance.round(2), found.variance_error.round(2)
    (array([3., 1.]), array([0.1, 0.1]))
    >>> round(found.total, 2), found.ratio.round(2), found.ratio_error.round(3)
    (4.0, array([0.75, 0.25]), array([0.02, 0.02]))
    """
    columns, centred = len(sums.first), sums.centred
    # The squared mean is noisy too, by twice its root and the square of its noise.
    square = sums.noise**2 + 2 * (sums.noise_first**2 / sums.size) ** 2
    steep = (2 * sums.noise_first) ** 2
    return Spread(
        along=np.einsum("kd,de,ke->k", directions, centred, directions),
        whole=float(np.trace(centred)),
        size=sums.count,
        size_noise=sums.noise_count,
        along_noise=np.sqrt(square + steep * (directions @ sums.mean) ** 2),
        whole_noise=math.sqrt(columns * square + steep * float(sums.mean @ sums.mean)),
    )


def scree_radius(
    found: Principal, *, radius: float, farthest: float, noise: float, beyond: float
) -> float:
    """Return where to cut rows when variances are summed, so that few are and noise stays small.

    Knows released numbers only. Variances must not be fooled by rows that are cut, so the length is
    at least half as long again as the one that the directions were found with, and longer as long
    as noise on the total stays below a share `FINE` of it. A private quantile of few rows may lie
    below all of them: then no row is cut at all.

    Parameters
    ----------
    radius
        Where rows were cut when `found` was summed.
    farthest
        The largest distance between two points: beyond it no row can be cut.
    noise
        The noise on the second moment along a direction, as so many rows of full length.
    beyond
        How many rows are expected to lie beyond `radius`, however few there are.
    """
    sure = found.size - _SURE * found.size_noise
    if sure <= 2 * beyond:
        return farthest
    near = _NEAR * radius / (1 - beyond / sure)
    squares = max(float(np.trace(found.covariance)), 0.0) * found.size
    wide = math.sqrt(FINE * squares / (noise * math.sqrt(len(found.mean))))
    return min(farthest, max(near, wide))


@dataclass(frozen=True, eq=False)
class _Quotient:
    """Noisy numbers over another one; `shared` is the covariance of their noise with its noise."""

    part: Array
    whole: float
    part_noise: Array
    whole_noise: float
    shared: Array

    def noise(self, quotient: Array) -> Array:
        """Return the standard deviation of the noise on ``part - quotient * whole``."""
        squared = self.part_noise**2 - 2 * quotient * self.shared
        return np.sqrt(np.maximum(squared + (quotient * self.whole_noise) ** 2, 0.0))

    def limits(self, reach: float, most: float) -> tuple[Array, Array]:
        """Return between which of 0 and `most` all p lie for which part - p·whole may be noise.

        They are the roots of (part - p·whole)² = reach² Var(part - p·whole), as Fieller (1954) has
        them. Where the whole may be nothing, the quotient may be anything.
        """
        squared = reach**2
        bend = self.whole**2 - squared * self.whole_noise**2
        if self.whole <= 0 or bend <= 0:
            return np.zeros_like(self.part), np.full_like(self.part, most)
        middle = (self.part * self.whole - squared * self.shared) / bend
        product = (self.part**2 - squared * self.part_noise**2) / bend
        wide = np.sqrt(np.maximum(middle**2 - product, 0.0))
        return np.clip(middle - wide, 0.0, most), np.clip(middle + wide, 0.0, most)
