"""Noisy counts on a grid, smoothed where they differ by no more than noise would explain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Differences = tuple[Array, Array, Array]
"""How the parts of two by two blocks differ: across, down and crosswise."""


@dataclass(frozen=True, eq=False)
class ShrunkMasses:
    """Smoothed masses, and how uncertain each of them is.

    Parameters
    ----------
    mass
        An estimate for each cell, which may be negative. Their sum is that of the noisy counts.
    deviation
        The standard deviation of the noise left in each, or more: what was believed is taken for
        chosen beforehand, and results for different cuts as if they shared all noise.
    """

    mass: Array
    deviation: Array


def shrink_coefficients(noisy: Array, sigma: float, *, threshold: float = 2.5) -> ShrunkMasses:
    """Take away what noise explains from counts on a grid.

    Parameters
    ----------
    noisy
        Counts ``[row, column]``, each with Gaussian noise of its own.
    sigma
        The standard deviation of the noise.
    threshold
        How many standard deviations large a difference must be to be believed.

    Examples
    --------
    >>> noisy = np.array([[9.0, 11.0, 10.0, 30.0, 29.0, 31.0]])
    >>> shrink_coefficients(noisy, sigma=1.0).mass.round(1)
    array([[ 9.8, 10.1, 10.1, 29.9, 29.9, 30.2]])
    """
    rows, columns = (_list_haar_steps(cells) for cells in noisy.shape)
    steps = list(zip_longest(rows, columns, fillvalue=_HaarStep(0)))
    mass, believed = noisy, list[Differences]()
    for down, across in steps:
        mass, differences = _transform(mass, down, across)
        believed.append(
            _map_differences(differences, lambda it: np.where(abs(it) > threshold * sigma, it, 0))
        )
    variance = np.ones(mass.shape)
    for (down, across), differences in zip(reversed(steps), reversed(believed), strict=True):
        mass = _invert_transform(mass, differences, down, across)
        kept = _map_differences(differences, lambda it: (it != 0).astype(np.float64))
        variance = _invert_transform(variance, kept, down.squared, across.squared)
    return ShrunkMasses(mass, sigma * np.sqrt(variance))


@dataclass(frozen=True, eq=False)
class _HaarStep:
    """How blocks of one level make pairs, along the first axis.

    Blocks with u and v cells in the window have the coefficients a and b: sums over √u and √v. The
    pair has (√u a + √v b) / √(u + v), and its blocks differ by (√v a - √u b) / √(u + v): a turn of
    the plane that is its own inverse.

    Parameters
    ----------
    half
        How many cells long a block is; 0 where there is but one, which holds the window.
    blocks
        How many blocks there are.
    last
        Whether each pair holds the window. A block then has one partner, otherwise two.
    matrix
        For every pair, what the turn takes of a and of b, and for the difference of b.
    """

    half: int
    blocks: int = 1
    last: bool = False
    matrix: tuple[Array, Array, Array] = (np.empty(0), np.empty(0), np.empty(0))

    @property
    def squared(self) -> _HaarStep:
        """The same for variances of independent coefficients."""
        one, other, end = self.matrix
        return _HaarStep(self.half, self.blocks, self.last, (one**2, other**2, end**2))

    def apart(self, values: Array) -> tuple[Array, Array]:
        """Return the coefficients of all pairs, and how their blocks differ."""
        if not self.half:
            return values, values[:0]
        first, second = _split_pairs(values, self.half, self.last)
        return self._turned(first, second)

    def together(self, values: Array, differences: Array) -> Array:
        """Return the coefficients of blocks, averaged over the pairs that each is in."""
        if not self.half:
            return values
        first, second = self._turned(values, differences)
        if self.last:
            return np.concatenate([first, second])[: self.blocks]
        return (first[self.half :] + second[: -self.half]) / 2

    def _turned(self, first: Array, second: Array) -> tuple[Array, Array]:
        one, other, end = self.matrix
        return one * first + other * second, other * first + end * second


def _split_pairs(values: Array, half: int, last: bool) -> tuple[Array, Array]:
    """Return the first block of every pair, and the second; 0 where it lies beyond the window.

    Blocks of h cells begin from h - 1 cells before the window to its last cell, and so do pairs of
    2h; but pairs that must hold the window begin from h - 1 cells before it to its first.
    """
    beyond = np.zeros((half, *values.shape[1:]))
    if last:
        return values[:half], np.concatenate([values[half:], beyond])[:half]
    return np.concatenate([beyond, values]), np.concatenate([values, beyond])


def _list_haar_steps(cells: int) -> list[_HaarStep]:
    """Return the turns along an axis, from single cells up to one block that holds all."""
    turns: list[_HaarStep] = []
    inside = np.ones((cells, 1))
    for level in range((cells - 1).bit_length() + 1 if cells > 1 else 0):
        half, last = 2**level, 2**level >= cells
        first, second = _split_pairs(inside, half, last)
        one, other = np.sqrt(first / (first + second)), np.sqrt(second / (first + second))
        turns.append(_HaarStep(half, len(inside), last, (one, other, -one)))
        inside = first + second
    return turns


def _transform(values: Array, down: _HaarStep, across: _HaarStep) -> tuple[Array, Differences]:
    upper, lower = (each.T for each in down.apart(values))
    (whole, sideways), (downward, crosswise) = across.apart(upper), across.apart(lower)
    return whole.T, (sideways.T, downward.T, crosswise.T)


def _invert_transform(
    values: Array, differences: Differences, down: _HaarStep, across: _HaarStep
) -> Array:
    sideways, downward, crosswise = (each.T for each in differences)
    upper, lower = across.together(values.T, sideways), across.together(downward, crosswise)
    return down.together(upper.T, lower.T)


def _map_differences(differences: Differences, function: Callable[[Array], Array]) -> Differences:
    sideways, downward, crosswise = map(function, differences)
    return sideways, downward, crosswise


Estimate = Literal["haar", "additive", "sparse"]

_SURE = 3.0  # standard deviations from which on a mass is taken for what it seems
MOST_USUAL = 64
"""How many cells a side a frame has at most where nobody says."""

_BINS, _FEWEST = 2.3, 8


def estimate_masses(noisy: Array, sigma: float, method: Estimate) -> Array:
    """Return the masses of all cells, none of them negative.

    ``"additive"`` and ``"sparse"`` take counts below 0 for 0, and others as they are. ``"haar"``
    smooths each group first; what then stands out from 0 by fewer than three standard deviations
    fades, the faster the less it does. The mass of a group is what its cells hold together: the
    noisy sum would carry the noise of every empty cell.

    Parameters
    ----------
    noisy
        Noisy counts ``[group, row, column]``.
    sigma
        The standard deviation of their noise.

    Examples
    --------
    >>> noisy = np.array([[[9.0, 11.0, 10.0, -1.0, 0.5, 0.5]]])
    >>> estimate_masses(noisy, 1.0, "additive").round(1)
    array([[[ 9. , 11. , 10. ,  0. ,  0.5,  0.5]]])
    >>> estimate_masses(noisy, 1.0, "haar").round(1)
    array([[[ 9.8, 10.1, 10.1,  0. ,  0. ,  0. ]]])
    """
    if method == "haar":
        return np.array([_smooth_masses(group, sigma) for group in noisy]).reshape(noisy.shape)
    return np.maximum(noisy, 0.0)


def _smooth_masses(noisy: Array, sigma: float) -> Array:
    smooth = shrink_coefficients(noisy, sigma)
    mass, sure = np.maximum(smooth.mass, 0.0), _SURE * smooth.deviation
    doubtful = mass < sure
    return mass * np.where(doubtful, mass / np.where(doubtful, sure, 1.0), 1.0) ** 2


def choose_score_bins(size: float, sigma: float) -> int:
    """Return how many cells a side suit a histogram of scores.

    Fewer blur what could be seen, more drown it in noise: the best number grows with the cube root
    of the people per standard deviation of the noise.

    Parameters
    ----------
    size
        A public guess of the number of people in a group, or a noisy one.
    sigma
        The standard deviation of the noise on each count, in people.

    Examples
    --------
    >>> choose_score_bins(500, 5.2), choose_score_bins(5_000, 5.2), choose_score_bins(100_000, 1.2)
    (11, 23, 64)
    """
    people = max(size, 1.0) / max(sigma, 1e-9)
    return int(np.clip(round(_BINS * people ** (1 / 3)), _FEWEST, MOST_USUAL))
