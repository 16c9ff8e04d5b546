"""Correlations from noisy second moments, made valid, with intervals that follow from the noise."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.principal import NoisySums

Array = NDArray[np.float64]

COVERAGE = 0.95
"""How often an interval holds the correlation of the rows."""

_NORMAL = NormalDist()
_TOLD = 3.0  # standard deviations of its noise that a variance is above zero, to divide by
_ROUNDS = 100
_POWER = 1.5  # of the covariance, which long rows spread like: 1 where tails are heavy, 2 if normal
_DOUBT = 0.4  # of what clipping took, by which it may lie otherwise; few tables need as much
_MOST_LOST = 0.5  # of a sum of squares; where clipping took more, too little is seen to mend it
_WEIGHTS = np.linspace(0.0, 1.0, 33)


@dataclass(frozen=True, eq=False)
class Correlations:
    """Correlations of all pairs of columns, with intervals.

    Parameters
    ----------
    value
        A valid correlation matrix: ones on its diagonal, and no negative eigenvalue.
    low, high
        The ends of the interval around each, alone.
    low_all, high_all
        Those of intervals that hold for all pairs together.
    clipping
        How far clipping of rows may have moved each correlation: all intervals allow for it.
    shorter
        The weight of the sums whose rows are clipped at the shorter length, from 0 to 1.
    told
        Whether each column's variance can be told from noise; without it there is no correlation.
    """

    value: Array
    low: Array
    high: Array
    low_all: Array
    high_all: Array
    clipping: Array
    shorter: Array
    told: tuple[bool, ...]

    @property
    def muted(self) -> NDArray[np.bool_]:
        """Which pairs noise alone could have made: zero lies in the interval for all pairs."""
        return (self.low_all <= 0) & (self.high_all >= 0)


@dataclass(frozen=True, eq=False)
class ClippedSums:
    """Noisy sums of clipped rows, and what clipping took off the mean square of their lengths."""

    sums: NoisySums
    excess: float


def estimate_correlations(
    sums: NoisySums, excess: float = 0.0, *, shorter: ClippedSums | None = None
) -> Correlations:
    """Return the correlations that noisy sums tell.

    The correlation ρ of two columns is where their sum of products and ρ times the root of their
    sums of squares are equal. The law of the noise on that difference is known for every ρ, and an
    interval holds each ρ for which the difference is no larger than noise would make it. Sums of
    clipped rows lack a matrix without negative eigenvalues, whose trace is what clipping took off
    the squared lengths; intervals allow for the most that it can move a correlation to first
    order, which is where all of it lies in the two columns.

    Sums of rows that are clipped at a shorter length have less noise and lack more. What they lack
    is supposed to look like a power of their covariance and is added to them; intervals allow for
    a part of it that may look otherwise. Of each pair both estimates are mixed so that the interval
    becomes shortest. The noise on them is independent, and what clipping moves in one may
    add to what it moves in the other.

    Parameters
    ----------
    excess
        What clipping took off the mean square of the lengths of the rows.
    shorter
        Other sums of the same rows, clipped more and with noise of their own.

    Examples
    --------
    >>> second = np.array([[900.0, 450.0], [450.0, 900.0]])
    >>> sums = NoisySums(1000.0, np.zeros(2), second, 20.0, 5.0, 5.0)
    >>> found = estimate_correlations(sums)
    >>> round(float(found.value[0, 1]), 2), found.told, bool(found.muted[0, 1])
    (0.5, (True, True), False)
    """
    far = _read(sums, excess)
    near = far if shorter is None else _complete(shorter, excess)
    weight = np.zeros_like(far.value) if shorter is None else _choose_weights(near, far)
    value = weight * near.value + (1 - weight) * far.value
    clipping = np.minimum(weight * near.clipping + (1 - weight) * far.clipping, 2.0)
    told, pairs = near.told | far.told, _count_pairs(far.told)
    sides = zip(near.sides, far.sides, (1, 1, pairs, pairs), strict=True)
    low, high, low_all, high_all = (
        _allow(clipping, np.hypot(weight * one, (1 - weight) * other), number)
        for one, other, number in sides
    )
    valid = make_valid(_with_ones(value))
    return Correlations(
        value=valid,
        low=np.maximum(np.minimum(value - low, valid), -1.0),
        high=np.minimum(np.maximum(value + high, valid), 1.0),
        low_all=np.maximum(np.minimum(value - low_all, valid), -1.0),
        high_all=np.minimum(np.maximum(value + high_all, valid), 1.0),
        clipping=clipping,
        shorter=weight,
        told=tuple(told.tolist()),
    )


def make_valid(matrix: Array) -> Array:
    """Return the nearest matrix that correlations can be: Higham's alternating projections.

    Examples
    --------
    >>> valid = make_valid(np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]]))
    >>> bool(np.linalg.eigvalsh(valid).min() > -1e-9), valid.round(2)[0]
    (True, array([ 1. ,  0.5, -0.5]))
    """
    kept, correction = matrix, np.zeros_like(matrix)
    for _ in range(_ROUNDS):
        asked = kept - correction
        values, vectors = np.linalg.eigh(asked)
        if values[0] >= 0:
            break
        positive = (vectors * np.maximum(values, 0)) @ vectors.T
        correction = positive - asked
        kept = positive.copy()
        np.fill_diagonal(kept, 1.0)
    values, vectors = np.linalg.eigh(kept)
    positive = (vectors * np.maximum(values, 0)) @ vectors.T
    lengths = np.sqrt(np.maximum(np.diagonal(positive), 1e-12))
    valid = np.clip(positive / np.outer(lengths, lengths), -1.0, 1.0)
    np.fill_diagonal(valid, 1.0)
    return (valid + valid.T) / 2


@dataclass(frozen=True, eq=False)
class _Estimate:
    """Correlations that one matrix of sums tells, valid together or not.

    `sides` are how far noise reaches below and above each alone, and for all pairs together.
    """

    value: Array
    sides: tuple[Array, Array, Array, Array]
    clipping: Array
    told: NDArray[np.bool_]

    @property
    def known(self) -> NDArray[np.bool_]:
        return np.outer(self.told, self.told)


def _read(sums: NoisySums, excess: float) -> _Estimate:
    """Return what sums tell, where all that clipping took may lie in any two columns."""
    products = sums.centred
    told = _find_told(sums, np.diagonal(products))
    squares = np.where(told, np.diagonal(products), 1.0)
    known, lengths = np.outer(told, told), np.sqrt(np.outer(squares, squares))
    value = _with_ones(np.where(known, products / lengths, 0.0))
    (low, high), (low_all, high_all) = (
        _find_limits(sums, products, squares, known, number) for number in (1, _count_pairs(told))
    )
    sides = (value - low, high - value, value - low_all, high_all - value)
    lost = sums.size * excess * _most_moved(np.clip(value, -1.0, 1.0), squares)
    return _Estimate(value, sides, np.where(known, _off_diagonal(lost), 0.0), told)


def _complete(clipped: ClippedSums, beyond: float) -> _Estimate:
    """Return what sums tell once what clipping took off them is added again.

    Of elliptical laws with heavy tails it is like the covariance, of normal ones like its square;
    long rows of others lie along single columns, or in a corner. So the correlation of what was
    taken is known but roughly, and that of rows `beyond` the longer length not at all.
    """
    plain = _read(clipped.sums, 0.0)
    products, size = clipped.sums.centred, clipped.sums.size
    values, vectors = np.linalg.eigh(products)
    powers = np.maximum(values, 0.0) ** _POWER
    shape = (vectors * (powers / max(powers.sum(), 1e-300))) @ vectors.T
    whole = products + size * clipped.excess * shape
    squares = np.where(plain.told, np.diagonal(whole), 1.0)
    # A column may have lost its part even where others have most of the variance.
    part = np.maximum(np.diagonal(shape), 1 / len(shape))
    lost = size * clipped.excess * part / squares
    told = plain.told & (lost < _MOST_LOST)
    known = np.outer(told, told)
    value = _with_ones(np.where(known, whole / np.sqrt(np.outer(squares, squares)), 0.0))
    unlike = _DOUBT * (lost[:, None] + lost) / 2
    farther = size * beyond * _most_moved(np.clip(value, -1.0, 1.0), squares)
    clipping = np.where(known, _off_diagonal(np.hypot(unlike, farther)), 0.0)
    return _Estimate(value, plain.sides, clipping, told)


def _choose_weights(near: _Estimate, far: _Estimate) -> Array:
    """Return how much the nearer estimate weighs where the interval is shortest."""

    def measure(weight: float) -> Array:
        clipping = weight * near.clipping + (1 - weight) * far.clipping
        wide = sum(
            np.hypot(weight * one, (1 - weight) * other) + clipping
            for one, other in zip(near.sides[:2], far.sides[:2], strict=True)
        )
        useless = (~near.known & (weight > 0)) | (~far.known & (weight < 1))
        return np.where(useless, np.inf, wide)

    widths = np.stack([measure(float(weight)) for weight in _WEIGHTS])
    return _off_diagonal(_WEIGHTS[np.argmin(widths, axis=0)])


def _allow(clipping: Array, side: Array, numbers: int) -> Array:
    """Return how far an interval reaches that allows for noise and for a bias up to `clipping`.

    Where the bias is larger than the noise, the noise can take the truth out of one end alone.
    """
    missed = (1 - COVERAGE) / numbers
    both, one = (_NORMAL.inv_cdf(1 - each) for each in (missed / 2, missed))

    def reach(bias: float, side: float) -> float:
        if bias <= 0 or side <= 0:
            return bias + side
        # The other end is missed no more often than if this one lay as near as it may.
        other = _NORMAL.cdf(-one - 2 * bias * both / side)
        return bias + side * _NORMAL.inv_cdf(1 - max(missed - other, missed / 2)) / both

    return np.vectorize(reach, otypes=[np.float64])(clipping, side)


def _count_pairs(told: NDArray[np.bool_]) -> int:
    return max(1, len(told) * (len(told) - 1) // 2)


def _most_moved(value: Array, squares: Array) -> Array:
    """Return how far a matrix without negative eigenvalues moves a correlation, over its trace.

    To first order a matrix E moves ρ by E₁₂/√(S₁S₂) - ρ(E₁₁/S₁ + E₂₂/S₂)/2, where S are the sums of
    squares: at most by its trace times the larger eigenvalue, in absolute value, of that form.
    """
    own, other = 1 / squares[:, None], 1 / squares[None, :]
    apart = np.hypot(value * (own - other) / 2, np.sqrt(own * other))
    return (np.abs(value) * (own + other) / 2 + apart) / 2


def _find_told(sums: NoisySums, squares: Array) -> NDArray[np.bool_]:
    """Tell which columns' sums of squares are above their noise, so that they can divide."""
    noise = np.hypot(sums.noise, 2 * sums.noise_first * np.abs(sums.mean))
    return (squares > _TOLD * noise) & (sums.count > _TOLD * sums.noise_count)


def _find_limits(
    sums: NoisySums, products: Array, squares: Array, known: NDArray[np.bool_], numbers: int
) -> tuple[Array, Array]:
    """Return the ends of intervals of which so many hold together: roots of a square in ρ.

    They may lie beyond -1 and 1, and do where nothing is told.
    """
    reach = _NORMAL.inv_cdf(1 - (1 - COVERAGE) / (2 * numbers)) ** 2
    length = np.sqrt(np.outer(squares, squares))
    constant, linear, square = _compute_variances(sums, squares)
    leading, middle = length**2 - reach * square, products * length + reach * linear / 2
    root = np.sqrt(np.maximum(middle**2 - leading * (products**2 - reach * constant), 0.0))
    told = known & (leading > 0)
    over = np.where(told, leading, 1.0)
    far = 2 + np.abs(products / length)
    low = np.where(told, (middle - root) / over, -far)
    high = np.where(told, (middle + root) / over, far)
    return _with_ones(low), _with_ones(high)


def _compute_variances(sums: NoisySums, squares: Array) -> tuple[Array, Array, Array]:
    """Return the variance of the noise on each difference, as a polynomial of ρ.

    To first order the noise on a sum of products about the mean is its own, and what noise did to
    the sums of both columns, times the mean of the other, and to the number of rows.
    """
    mean, wide = sums.mean, np.sqrt(squares[None, :] / squares[:, None])
    own, other = np.broadcast_to(mean[:, None], wide.shape), np.broadcast_to(mean, wide.shape)
    first, count = sums.noise_first**2, sums.noise_count**2
    both, halves = own * other, (wide * own**2 + other**2 / wide) / 2
    constant = sums.noise**2 / 2 + first * (own**2 + other**2) + count * both**2
    constant += (first / sums.size) ** 2  # the product of the noise on both means
    linear = -2 * first * both * (wide + 1 / wide) - 2 * count * both * halves
    square = sums.noise**2 * (wide**2 + wide**-2) / 4 + count * halves**2
    square += first * ((wide * own) ** 2 + (other / wide) ** 2)
    return constant, linear, square


def _off_diagonal(matrix: Array) -> Array:
    return np.where(np.eye(len(matrix), dtype=bool), 0.0, matrix)


def _with_ones(matrix: Array) -> Array:
    matrix = matrix.copy()
    np.fill_diagonal(matrix, 1.0)
    return matrix
