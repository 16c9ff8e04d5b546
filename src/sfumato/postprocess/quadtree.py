"""`Quadtree`: noisy masses of nested squares, and their least-squares estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.noise_law import NoiseKind

Codes = NDArray[np.int64]
Masses = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Quadtree:
    """Squares of a quadtree and what was measured of them.

    Node 0 is the whole window. A node stands after its parent, and the four quarters of node v
    are ``first[v]`` to ``first[v] + 3``, with the codes ``4 * code[v]`` to ``4 * code[v] + 3``.

    Parameters
    ----------
    level, code
        How often the window was halved, and the Morton code at that level.
    first
        The first quarter of each node, or -1 for a leaf.
    value, rate
        ``value[r, v]`` is what round r measured of node v, in units of mass, with noise of scale
        ``1 / rate[r, v]``; a rate of 0 says that it did not.
    noise
        The law of all noise.
    """

    level: Codes
    code: Codes
    first: Codes
    value: Masses
    rate: Masses
    noise: NoiseKind = "laplace"

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.level)

    @cached_property
    def precision(self) -> Masses:
        """One over the variance of each value; 0 where there is none."""
        return self.rate**2 / (2 if self.noise == "laplace" else 1)

    @cached_property
    def leaves(self) -> Codes:
        """The nodes that have no quarters."""
        return np.flatnonzero(self.first < 0)

    @cached_property
    def parent(self) -> Codes:
        """The node each node is a quarter of; -1 for the window."""
        inner = np.flatnonzero(self.first >= 0)
        parents = np.full(self.size, -1, dtype=np.int64)
        for quarter in range(4):
            parents[self.first[inner] + quarter] = inner
        return parents

    def places(self, level: Codes | int, code: Codes) -> Codes:
        """Return where the given squares stand among the nodes."""
        return np.searchsorted(_make_sort_keys(self.level, self.code), _make_sort_keys(level, code))


def _make_sort_keys(level: Codes | int, code: Codes) -> Codes:
    """Return numbers that sort as nodes do: by level, then by code, which has at most 40 bits."""
    return (np.asarray(level, dtype=np.int64) << 41) + code


@dataclass(frozen=True, eq=False)
class MeasuredRound:
    """What one round measured: squares of one or several levels, all with the same noise."""

    level: Codes
    code: Codes
    value: Masses
    rate: float


def build_quadtree(rounds: Sequence[MeasuredRound], noise: NoiseKind = "laplace") -> Quadtree:
    """Return the smallest tree that holds every measured square.

    A square that has one quarter in the tree has all four; those that no round measured are
    leaves without a measurement.

    Examples
    --------
    >>> noisy = np.array([3.0, 1.0, 0.0, -1.0])
    >>> quarters = MeasuredRound(np.full(4, 1), np.arange(4), noisy, rate=0.5)
    >>> tree = build_quadtree([quarters])
    >>> tree.level, tree.first
    (array([0, 1, 1, 1, 1]), array([ 1, -1, -1, -1, -1]))
    """
    deepest = max((int(each.level.max(initial=0)) for each in rounds), default=0)
    codes = _group_by_level(rounds, deepest)
    starts = np.cumsum([0, *(len(each) for each in codes)])
    first = np.full(starts[-1], -1, dtype=np.int64)
    for level in range(deepest):
        parents, where = np.unique(codes[level + 1] >> 2, return_index=True)
        place = starts[level] + np.searchsorted(codes[level], parents)
        first[place] = starts[level + 1] + where
    level = np.repeat(np.arange(deepest + 1), [len(each) for each in codes])
    value, rate = np.zeros((2, len(rounds), len(level)))
    tree = Quadtree(level, np.concatenate(codes), first, value, rate, noise)
    for number, each in enumerate(rounds):
        places = tree.places(each.level, each.code)
        value[number, places] = each.value
        rate[number, places] = each.rate
    return tree


def _group_by_level(rounds: Sequence[MeasuredRound], deepest: int) -> list[Codes]:
    """Return the codes of each level, rising: what is measured there or lies above it."""
    codes: list[Codes] = []
    below = np.empty(0, dtype=np.int64)
    for level in range(deepest, -1, -1):
        measured = [each.code[each.level == level] for each in rounds]
        needed = np.unique(np.concatenate([*measured, below >> 2]))
        if level:
            needed = np.unique(needed >> 2)
            needed = (np.repeat(needed << 2, 4) + np.tile(np.arange(4), len(needed))).astype(
                np.int64
            )
        codes.append(needed if level else np.zeros(1, dtype=np.int64))
        below = needed
    return codes[::-1]


Array = NDArray[np.float64]
Rows = NDArray[np.int64]

_UNKNOWN = 16.0  # standard deviation of what was never measured, relative to all that was


@dataclass(frozen=True, eq=False)
class NodeEstimates:
    """Means and variances of some masses, as unconstrained least squares sees them."""

    mean: Array
    variance: Array

    def at(self, rows: Rows) -> NodeEstimates:
        """Return those of some masses."""
        return NodeEstimates(self.mean[rows], self.variance[rows])

    def __add__(self, other: NodeEstimates) -> NodeEstimates:
        """Return those of sums of masses."""
        return NodeEstimates(self.mean + other.mean, self.variance + other.variance)


def list_levels(tree: Quadtree) -> list[Rows]:
    """Return the nodes of each level."""
    return [np.flatnonzero(tree.level == level) for level in range(int(tree.level.max()) + 1)]


def estimate_nodes(tree: Quadtree) -> NodeEstimates:
    """Return what the measurements at and below each node say of it, weighted by precision."""
    measured = tree.rate > 0
    largest = abs(tree.value[measured]).max() + (1 / tree.rate[measured]).max()
    mean, variance = np.zeros(tree.size), np.full(tree.size, (_UNKNOWN * largest) ** 2)
    precision = tree.precision.sum(axis=0)
    weighted = (tree.precision * tree.value).sum(axis=0)
    for nodes in reversed(list_levels(tree)):
        inner = nodes[tree.first[nodes] >= 0]
        quarters = tree.first[inner, None] + np.arange(4)
        mean[inner], variance[inner] = mean[quarters].sum(axis=1), variance[quarters].sum(axis=1)
        share = 1 / (1 + precision[nodes] * variance[nodes])
        mean[nodes] = share * (mean[nodes] + variance[nodes] * weighted[nodes])
        variance[nodes] *= share
    return NodeEstimates(mean, variance)


def project_nonnegative(tree: Quadtree) -> Array:
    """Return masses that are never negative, quarters adding up to their square.

    From the window down, each square's quarters are those nearest to their estimates, in standard
    deviations, among all that make up its mass.

    Examples
    --------
    >>> from sfumato.postprocess.quadtree import MeasuredRound, build_quadtree
    >>> noisy = np.array([41.0, 0.4, -0.7, 9.0])
    >>> quarters = MeasuredRound(np.full(4, 1), np.arange(4), noisy, rate=1.0)
    >>> project_nonnegative(build_quadtree([quarters])).round(1)
    array([49.7, 40.8,  0.2,  0. ,  8.8])
    """
    estimates, masses = estimate_nodes(tree), np.zeros(tree.size)
    masses[0] = max(float(estimates.mean[0]), 0.0)
    for nodes in list_levels(tree):
        inner = nodes[tree.first[nodes] >= 0]
        quarters = tree.first[inner, None] + np.arange(4)
        masses[quarters] = _project_quarters(masses[inner], estimates.at(quarters))
    return masses


def _project_quarters(mass: Array, quarters: NodeEstimates) -> Array:
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
