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

_TOLD = 3.0  # standard deviations of its noise that a variance is above zero, to divide by
_ROUNDS = 100


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
        How far clipping of rows may have moved each correlation; all intervals are wider by it.
    told
        Whether each column's variance can be told from noise; without it there is no correlation.
    """

    value: Array
    low: Array
    high: Array
    low_all: Array
    high_all: Array
    clipping: Array
    told: tuple[bool, ...]

    @property
    def muted(self) -> NDArray[np.bool_]:
        """Which pairs noise alone could have made: zero lies in the interval for all pairs."""
        return (self.low_all <= 0) & (self.high_all >= 0)


def estimate_correlations(sums: NoisySums, excess: float = 0.0) -> Correlations:
    """Return the correlations that noisy sums tell.

    The correlation ρ of two columns is where their sum of products and ρ times the root of their
    sums of squares are equal. The law of the noise on that difference is known for every ρ, and an
    interval holds each ρ for which the difference is no larger than noise would make it. Sums of
    clipped rows lack a matrix without negative eigenvalues, whose trace is what clipping took off
    the squared lengths; intervals are wider by the most that it can move a correlation to first
    order, which is where all of it lies in the two columns.

    Parameters
    ----------
    excess
        What clipping took off the mean square of the lengths of the rows.

    Examples
    --------
    >>> second = np.array([[900.0, 450.0], [450.0, 900.0]])
    >>> sums = NoisySums(1000.0, np.zeros(2), second, 20.0, 5.0, 5.0)
    >>> found = estimate_correlations(sums)
    >>> round(float(found.value[0, 1]), 2), found.told, bool(found.muted[0, 1])
    (0.5, (True, True), False)
    """
    products = sums.centred
    told = _find_told(sums, np.diagonal(products))
    squares = np.where(told, np.diagonal(products), 1.0)
    known, lengths = np.outer(told, told), np.sqrt(np.outer(squares, squares))
    value = make_valid(_with_ones(np.where(known, products / lengths, 0.0)))
    pairs = max(1, len(told) * (len(told) - 1) // 2)
    ends = [_find_limits(sums, products, squares, known, number) for number in (1, pairs)]
    lost = sums.size * excess * _most_moved(value, squares)
    clipping = np.where(known & ~np.eye(len(told), dtype=bool), np.minimum(lost, 2.0), 0.0)
    (low, high), (low_all, high_all) = (
        (
            np.maximum(np.minimum(low, value) - clipping, -1.0),
            np.minimum(np.maximum(high, value) + clipping, 1.0),
        )
        for low, high in ends
    )
    return Correlations(value, low, high, low_all, high_all, clipping, tuple(told.tolist()))


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
    """Return the ends of intervals of which so many hold together: roots of a square in ρ."""
    reach = NormalDist().inv_cdf(1 - (1 - COVERAGE) / (2 * numbers)) ** 2
    length = np.sqrt(np.outer(squares, squares))
    constant, linear, square = _compute_variances(sums, squares)
    leading, middle = length**2 - reach * square, products * length + reach * linear / 2
    root = np.sqrt(np.maximum(middle**2 - leading * (products**2 - reach * constant), 0.0))
    told = known & (leading > 0)
    over = np.where(told, leading, 1.0)
    low = np.where(told, np.clip((middle - root) / over, -1.0, 1.0), -1.0)
    high = np.where(told, np.clip((middle + root) / over, -1.0, 1.0), 1.0)
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


def _with_ones(matrix: Array) -> Array:
    matrix = matrix.copy()
    np.fill_diagonal(matrix, 1.0)
    return matrix
