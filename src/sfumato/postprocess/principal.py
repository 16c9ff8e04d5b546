"""Principal components from noisy sums of outer products, and how far noise has turned them.

The noise on the second moments is a symmetric matrix E of independent Gaussian entries, smaller by
√2 beside the diagonal. Its law is the same in every orthogonal basis: for unit vectors u, v at
right angles, vᵀEv has the standard deviation σ and uᵀEv has σ/√2. Perturbation theory turns these
two numbers into the errors of directions. Whatever the noise, every function here returns finite
numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_FEW = 6  # columns, of which noise makes no wider gaps than of two: √12 is √(4 ln 20)


@dataclass(frozen=True, eq=False)
class Sums:
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
class Principal:
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


def principal(sums: Sums) -> Principal:
    """Return the principal components that noisy sums tell.

    Examples
    --------
    >>> sums = Sums(100.0, np.zeros(2), np.array([[300.0, 100], [100, 300]]), 1.0, 1.0, 1.0)
    >>> found = principal(sums)
    >>> found.variances.round(3), found.directions.round(3)
    (array([4., 2.]), array([[ 0.707,  0.707],
           [ 0.707, -0.707]]))
    """
    covariance = sums.centred / sums.size
    variances, vectors = np.linalg.eigh(covariance)
    return Principal(
        size=sums.size,
        size_noise=sums.noise_count,
        mean=sums.mean,
        covariance=covariance,
        variances=variances[::-1],
        directions=_signed(vectors.T[::-1]),
        noise=_noise(sums) / sums.size,
    )


def _noise(sums: Sums) -> float:
    """Return the standard deviation of the noise on a centred second moment, at most.

    Taking off the outer product of the mean adds what noise did to the mean, twice, and to the
    number of rows, once; and the outer product of the noise on the mean itself, which stretches
    one direction alone, so that it counts as far as `distinct` would see it.
    """
    far, columns = float(np.linalg.norm(sums.mean)), len(sums.first)
    alone = columns * sums.noise_first**2 / sums.size / math.sqrt(2 * max(columns, _FEW))
    parts = (sums.noise, 2 * sums.noise_first * far, sums.noise_count * far**2, alone)
    return math.hypot(*parts)


def _signed(directions: Array) -> Array:
    """Return directions whose largest entries are positive; the first of equals decides."""
    # Entries that are equal but for rounding must not decide by their rounding.
    sizes = np.abs(directions)
    largest = (sizes > sizes.max(axis=1, keepdims=True) * (1 - 1e-9)).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    return directions * signs[:, None]


def loading_bands(found: Principal) -> Array:
    """Return the standard deviation of every loading: ``bands[component, column]``, at most 1.

    To first order, noise turns direction i towards direction j by uᵢᵀEuⱼ/(λᵢ - λⱼ). Eigenvalues
    repel each other: noise widens a squared gap by 4σ² on average, and twice that is taken off, so
    that bands hold where the true gap is nothing. Directions that noise may have exchanged have a
    turn of 1. What a direction gains from others it loses of itself: half of its squared turns.

    Examples
    --------
    >>> sums = Sums(100.0, np.zeros(2), np.diag([900.0, 100.0]), 10.0, 1.0, 1.0)
    >>> loading_bands(principal(sums)).round(4)
    array([[0.    , 0.0088],
           [0.0088, 0.    ]])
    """
    turns = _turns(found)
    lost = np.minimum(turns.sum(axis=1, keepdims=True) / 2, 1.0)
    squared = found.directions**2
    return np.minimum(np.sqrt(turns @ squared + lost**2 * squared), 1.0)


def _turns(found: Principal) -> Array:
    """Return the expected square of the turn of each direction towards each other, at most 1."""
    gaps = (found.variances[:, None] - found.variances) ** 2 - 8 * found.noise**2
    np.fill_diagonal(gaps, np.inf)
    wide, squared = gaps > found.noise**2 / 2, found.noise**2 / 2
    return np.divide(squared, gaps, where=wide, out=np.ones_like(gaps))


def distinct(found: Principal) -> tuple[bool, ...]:
    """Tell of each component whether noise leaves a gap between it and the next.

    The noise on a covariance of d columns stretches some direction by up to about σ√(2d), its
    operator norm; a gap that is not wider may be all noise. Of few columns it is the gap that noise
    alone exceeds in one of twenty covariances of two columns, σ√12. The last component is what the
    others leave, and is told apart where the one before it is.

    Examples
    --------
    >>> sums = Sums(100.0, np.zeros(3), np.diag([900.0, 110.0, 100.0]), 10.0, 1.0, 1.0)
    >>> distinct(principal(sums))
    (True, False, False)
    """
    stretch = found.noise * math.sqrt(2 * max(len(found.variances), _FEW))
    apart: list[bool] = (-np.diff(found.variances) > stretch).tolist()
    return (*apart, *apart[-1:])


def captured(spectrum: Sequence[float], noise: float) -> float:
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
    >>> [round(captured(spectrum, noise), 3) for noise in (0.0, 0.1, 0.5, 50.0)]
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
