"""Principal components from noisy second moments, their variances, and how far noise turns them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_FEW = 6  # columns, of which noise makes no wider gaps than of two: √12 is √(4 ln 20)


@dataclass(frozen=True, eq=False)
class NoisySums:
    """Noisy sums over rows, in scaled units about one origin, and how noisy they are.

    Parameters
    ----------
    count, first, second
        The number of rows, the sum of rows, and the sum of their outer products.
    noise
        The standard deviation of vᵀEv for unit vectors v, where E is the noise on `second`.
    noise_count, noise_first
        The standard deviations of the noise on `count`, and on each entry of `first`.
    """

    count: float
    first: Array
    second: Array
    noise: float
    noise_count: float
    noise_first: float

    @property
    def size(self) -> float:
        """The number of rows to divide by: at least as many as noise alone would count."""
        return max(self.count, self.noise_count)

    @property
    def mean(self) -> Array:
        """The mean of the rows, as an offset from the origin."""
        return self.first / self.size

    @property
    def centred(self) -> Array:
        """The sum of outer products about the mean.

        The outer product of the noisy mean is too long by the variance of its noise, in every
        direction alike.
        """
        own = np.eye(len(self.first)) * self.noise_first**2
        return self.second - (np.outer(self.first, self.first) - own) / self.size


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """Principal components of a noisy covariance.

    Parameters
    ----------
    size, size_noise
        The noisy number of rows, above zero, and the standard deviation of its noise.
    mean
        The noisy mean, as an offset from the origin of the sums.
    covariance
        The noisy covariance; it may be indefinite.
    variances, directions
        Its eigenvalues, falling, and its eigenvectors as rows. The largest entry of each by
        absolute value is positive.
    noise
        The standard deviation of the noise on the variance along any one direction, at most.
    """

    size: float
    size_noise: float
    mean: Array
    covariance: Array
    variances: Array
    directions: Array
    noise: float


def find_components(sums: NoisySums) -> PrincipalComponents:
    """Return the principal components that noisy sums tell.

    Examples
    --------
    >>> sums = NoisySums(100.0, np.zeros(2), np.array([[300.0, 100], [100, 300]]), 1.0, 1.0, 1.0)
    >>> found = find_components(sums)
    >>> found.variances.round(3), found.directions.round(3)
    (array([4., 2.]), array([[ 0.707,  0.707],
           [ 0.707, -0.707]]))
    """
    covariance = sums.centred / sums.size
    variances, vectors = np.linalg.eigh(covariance)
    return PrincipalComponents(
        size=sums.size,
        size_noise=sums.noise_count,
        mean=sums.mean,
        covariance=covariance,
        variances=variances[::-1],
        directions=_fix_signs(vectors.T[::-1]),
        noise=_noise(sums) / sums.size,
    )


def _noise(sums: NoisySums) -> float:
    """Return the standard deviation of the noise on a centred second moment, at most.

    Taking off the outer product of the mean adds what noise did to the mean, twice, and to the
    number of rows, once; and the outer product of the noise on the mean itself, which stretches
    one direction alone, so that it counts as far as `find_distinct` would see it.
    """
    far, columns = float(np.linalg.norm(sums.mean)), len(sums.first)
    alone = columns * sums.noise_first**2 / sums.size / math.sqrt(2 * max(columns, _FEW))
    parts = (sums.noise, 2 * sums.noise_first * far, sums.noise_count * far**2, alone)
    return math.hypot(*parts)


def _fix_signs(directions: Array) -> Array:
    """Return directions whose largest entries are positive; the first of equals decides."""
    # Entries that are equal but for rounding must not decide by their rounding.
    sizes = np.abs(directions)
    largest = (sizes > sizes.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    return directions * signs[:, None]


def loading_bands(found: PrincipalComponents) -> Array:
    """Return the standard deviation of every loading: ``bands[component, column]``, at most 1.

    To first order, noise turns direction i towards direction j by uᵢᵀEuⱼ/(λᵢ - λⱼ). Eigenvalues
    repel each other: noise widens a squared gap by 4σ² on average, and twice that is taken off, so
    that bands hold where the true gap is nothing. Directions that noise may have exchanged have a
    turn of 1. What a direction gains from others it loses of itself: half of its squared turns.

    Examples
    --------
    >>> sums = NoisySums(100.0, np.zeros(2), np.diag([900.0, 100.0]), 10.0, 1.0, 1.0)
    >>> loading_bands(find_components(sums)).round(4)
    array([[0.    , 0.0088],
           [0.0088, 0.    ]])
    """
    turns = _compute_rotations(found)
    lost = np.minimum(turns.sum(axis=1, keepdims=True) / 2, 1.0)
    squared = found.directions**2
    return np.minimum(np.sqrt(turns @ squared + lost**2 * squared), 1.0)


def _compute_rotations(found: PrincipalComponents) -> Array:
    """Return the expected square of the turn of each direction towards each other, at most 1."""
    gaps = (found.variances[:, None] - found.variances) ** 2 - 8 * found.noise**2
    np.fill_diagonal(gaps, np.inf)
    wide, squared = gaps > found.noise**2 / 2, found.noise**2 / 2
    return np.divide(squared, gaps, where=wide, out=np.ones_like(gaps))


def find_distinct(found: PrincipalComponents) -> tuple[bool, ...]:
    """Tell of each component whether noise leaves a gap between it and the next.

    The noise on a covariance of d columns stretches some direction by up to about σ√(2d), its
    operator norm; a gap that is not wider may be all noise. Of few columns it is the gap that noise
    alone exceeds in one of twenty covariances of two columns, σ√12. The last component is what the
    others leave, and is told apart where the one before it is.

    Examples
    --------
    >>> sums = NoisySums(100.0, np.zeros(3), np.diag([900.0, 110.0, 100.0]), 10.0, 1.0, 1.0)
    >>> find_distinct(find_components(sums))
    (True, False, False)
    """
    stretch = found.noise * math.sqrt(2 * max(len(found.variances), _FEW))
    apart: list[bool] = (-np.diff(found.variances) > stretch).tolist()
    return (*apart, *apart[-1:])


def estimate_captured(spectrum: Sequence[float], noise: float) -> float:
    """Return how much of the variance of two exact components two noisy ones will capture.

    To second order, noise turns component i towards j by an angle whose square is expected to be
    σ²/2(λᵢ - λⱼ)², and each loses that share of the gap. Turns saturate: two components with no gap
    share half of each other, and none can be turned by more than all of itself. Nor is less
    captured than along two random directions.

    Parameters
    ----------
    spectrum
        The variances along all components, falling. A plan has no data: this is a public guess,
        and the answer is as good as the guess.
    noise
        The standard deviation of the noise on the variance along any one direction, in the same
        units.

    Examples
    --------
    >>> spectrum = [6.0, 3.0] + 18 * [1.0]
    >>> [round(estimate_captured(spectrum, noise), 3) for noise in (0.0, 0.1, 0.5, 50.0)]
    [1.0, 0.993, 0.847, 0.3]
    """
    variances = np.array(spectrum, dtype=np.float64)
    gaps = variances[:2, None] - variances[2:]
    squared = min(noise, 1e100) ** 2 / 2
    turns = squared / np.maximum(gaps**2 + 2 * squared, 1e-300)
    turns /= np.hypot(turns.sum(axis=1, keepdims=True), 1.0)
    due = float(variances[:2].sum())
    random = 2 / len(variances) * float(variances.sum())
    return max(due - float((turns * gaps).sum()), random) / due if due > 0 else 1.0


@dataclass(frozen=True, eq=False)
class VarianceEstimates:
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


def estimate_variances(sums: NoisySums, directions: Array) -> VarianceEstimates:
    """Return the variances along directions that were chosen without these sums.

    Parameters
    ----------
    directions
        Unit vectors, as rows.

    Examples
    --------
    >>> sums = NoisySums(100.0, np.zeros(2), np.diag([300.0, 100.0]), 10.0, 1.0, 0.1)
    >>> found = estimate_variances(sums, np.eye(2))
    >>> found.variance.round(2), found.variance_error.round(2)
    (array([3., 1.]), array([0.1, 0.1]))
    >>> round(found.total, 2), found.ratio.round(2), found.ratio_error.round(3)
    (4.0, array([0.75, 0.25]), array([0.02, 0.02]))
    """
    columns, centred = len(sums.first), sums.centred
    # The squared mean is noisy too, by twice its root and the square of its noise.
    square = sums.noise**2 + 2 * (sums.noise_first**2 / sums.size) ** 2
    steep = (2 * sums.noise_first) ** 2
    return VarianceEstimates(
        along=np.einsum("kd,de,ke->k", directions, centred, directions),
        whole=float(np.trace(centred)),
        size=sums.count,
        size_noise=sums.noise_count,
        along_noise=np.sqrt(square + steep * (directions @ sums.mean) ** 2),
        whole_noise=math.sqrt(columns * square + steep * float(sums.mean @ sums.mean)),
    )


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
