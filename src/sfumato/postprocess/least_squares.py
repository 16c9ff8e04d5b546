"""Masses of a quadtree by least squares: fast, and as good as any where people are many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.quadtree import Quadtree

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

_UNKNOWN = 16.0  # standard deviation of what was never measured, relative to all that was


@dataclass(frozen=True, eq=False)
class Estimates:
    """Means and variances of some masses, as unconstrained least squares sees them."""

    mean: Array
    variance: Array

    def at(self, rows: Rows) -> Estimates:
        """Return those of some masses."""
        return Estimates(self.mean[rows], self.variance[rows])

    def __add__(self, other: Estimates) -> Estimates:
        """Return those of sums of masses."""
        return Estimates(self.mean + other.mean, self.variance + other.variance)


def levels_of(tree: Quadtree) -> list[Rows]:
    """Return the nodes of each level."""
    return [np.flatnonzero(tree.level == level) for level in range(int(tree.level.max()) + 1)]


def estimated(tree: Quadtree) -> Estimates:
    """Return what the measurements at and below each node say of it, weighted by precision."""
    measured = tree.rate > 0
    largest = abs(tree.value[measured]).max() + (1 / tree.rate[measured]).max()
    mean, variance = np.zeros(tree.size), np.full(tree.size, (_UNKNOWN * largest) ** 2)
    precision = tree.precision.sum(axis=0)
    weighted = (tree.precision * tree.value).sum(axis=0)
    for nodes in reversed(levels_of(tree)):
        inner = nodes[tree.first[nodes] >= 0]
        quarters = tree.first[inner, None] + np.arange(4)
        mean[inner], variance[inner] = mean[quarters].sum(axis=1), variance[quarters].sum(axis=1)
        share = 1 / (1 + precision[nodes] * variance[nodes])
        mean[nodes] = share * (mean[nodes] + variance[nodes] * weighted[nodes])
        variance[nodes] *= share
    return Estimates(mean, variance)


def nearest(tree: Quadtree) -> Array:
    """Return masses that are never negative, quarters adding up to their square.

    From the window down, each square's quarters are those nearest to their estimates, in standard
    deviations, among all that make up its mass.

    Examples
    --------
    >>> from sfumato.postprocess.quadtree import Round, grown
    >>> quarters = Round(np.full(4, 1), np.arange(4), np.array([41.0, 0.4, -0.7, 9.0]), rate=1.0)
    >>> nearest(grown([quarters])).round(1)
    array([49.7, 40.8,  0.2,  0. ,  8.8])
    """
    estimates, masses = estimated(tree), np.zeros(tree.size)
    masses[0] = max(float(estimates.mean[0]), 0.0)
    for nodes in levels_of(tree):
        inner = nodes[tree.first[nodes] >= 0]
        quarters = tree.first[inner, None] + np.arange(4)
        masses[quarters] = _shared(masses[inner], estimates.at(quarters))
    return masses


def _shared(mass: Array, quarters: Estimates) -> Array:
    """Return the nearest non-negative parts of each mass.

    Parts that would be negative are put to 0 and the others moved again. These can only shrink by
    it, so no part returns from 0, and after as many rounds as there are parts none is negative.
    """
    kept = np.ones(quarters.mean.shape, dtype=bool)
    parts = np.zeros(quarters.mean.shape)
    for _ in range(4):
        variance = np.where(kept, quarters.variance, 0.0)
        lacking = mass - np.where(kept, quarters.mean, 0.0).sum(axis=1)
        total = variance.sum(axis=1)
        share = variance / np.where(total > 0, total, 1.0)[:, None]
        parts = np.where(kept, quarters.mean + share * lacking[:, None], 0.0)
        kept &= parts > 0
    parts = np.maximum(parts, 0.0)
    found = parts.sum(axis=1)
    # What rounding has lost or added; a mass none of whose quarters is left is shared evenly.
    even = np.full(parts.shape, 0.25) * mass[:, None]
    scale = np.where(found > 0, mass / np.where(found > 0, found, 1.0), 0.0)
    return np.where((found > 0)[:, None], parts * scale[:, None], even)
