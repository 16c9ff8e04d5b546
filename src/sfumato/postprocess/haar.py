"""Noisy counts on a grid, smoothed where they differ by no more than noise would explain.

The Haar transform cuts the window into two by two blocks, each of these again, down to cells, and
tells at every cut how the parts differ. Differences that noise explains are put to 0 (Donoho and
Johnstone 1994). Where cuts lie is arbitrary, so results are averaged over all places they may have
(Coifman and Donoho 1995), and no blocks are to be seen.

Blocks that stick out of the window are cut to it, not filled up. So nothing leaks in at the
borders, neither zeros nor cells from the other side, a constant stays what it is, and white noise
is transformed into white noise, in windows of any shape. A block of each level begins at every
cell, and is the first of a pair for as many places of the cuts as it is the second: one pass up
and one down average over all places, in time proportional to cells times levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Differences = tuple[Array, Array, Array]
"""How the parts of two by two blocks differ: across, down and crosswise."""


@dataclass(frozen=True, eq=False)
class Shrunk:
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


def shrunk(noisy: Array, sigma: float, *, threshold: float = 2.5) -> Shrunk:
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
    >>> shrunk(np.array([[9.0, 11.0, 10.0, 30.0, 29.0, 31.0]]), sigma=1.0).mass.round(1)
    array([[ 9.8, 10.1, 10.1, 29.9, 29.9, 30.2]])
    """
    rows, columns = (_turns(cells) for cells in noisy.shape)
    steps = list(zip_longest(rows, columns, fillvalue=_Turn(0)))
    mass, believed = noisy, list[Differences]()
    for down, across in steps:
        mass, differences = _apart(mass, down, across)
        believed.append(_each(differences, lambda it: np.where(abs(it) > threshold * sigma, it, 0)))
    variance = np.ones(mass.shape)
    for (down, across), differences in zip(reversed(steps), reversed(believed), strict=True):
        mass = _together(mass, differences, down, across)
        kept = _each(differences, lambda it: (it != 0).astype(np.float64))
        variance = _together(variance, kept, down.squared, across.squared)
    return Shrunk(mass, sigma * np.sqrt(variance))


@dataclass(frozen=True, eq=False)
class _Turn:
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
    def squared(self) -> _Turn:
        """The same for variances of independent coefficients."""
        one, other, end = self.matrix
        return _Turn(self.half, self.blocks, self.last, (one**2, other**2, end**2))

    def apart(self, values: Array) -> tuple[Array, Array]:
        """Return the coefficients of all pairs, and how their blocks differ."""
        if not self.half:
            return values, values[:0]
        first, second = _halves(values, self.half, self.last)
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


def _halves(values: Array, half: int, last: bool) -> tuple[Array, Array]:
    """Return the first block of every pair, and the second; 0 where it lies beyond the window.

    Blocks of h cells begin from h - 1 cells before the window to its last cell, and so do pairs of
    2h; but pairs that must hold the window begin from h - 1 cells before it to its first.
    """
    beyond = np.zeros((half, *values.shape[1:]))
    if last:
        return values[:half], np.concatenate([values[half:], beyond])[:half]
    return np.concatenate([beyond, values]), np.concatenate([values, beyond])


def _turns(cells: int) -> list[_Turn]:
    """Return the turns along an axis, from single cells up to one block that holds all."""
    turns: list[_Turn] = []
    inside = np.ones((cells, 1))
    for level in range((cells - 1).bit_length() + 1 if cells > 1 else 0):
        half, last = 2**level, 2**level >= cells
        first, second = _halves(inside, half, last)
        one, other = np.sqrt(first / (first + second)), np.sqrt(second / (first + second))
        turns.append(_Turn(half, len(inside), last, (one, other, -one)))
        inside = first + second
    return turns


def _apart(values: Array, down: _Turn, across: _Turn) -> tuple[Array, Differences]:
    upper, lower = (each.T for each in down.apart(values))
    (whole, sideways), (downward, crosswise) = across.apart(upper), across.apart(lower)
    return whole.T, (sideways.T, downward.T, crosswise.T)


def _together(values: Array, differences: Differences, down: _Turn, across: _Turn) -> Array:
    sideways, downward, crosswise = (each.T for each in differences)
    upper, lower = across.together(values.T, sideways), across.together(downward, crosswise)
    return down.together(upper.T, lower.T)


def _each(differences: Differences, function: Callable[[Array], Array]) -> Differences:
    sideways, downward, crosswise = map(function, differences)
    return sideways, downward, crosswise
