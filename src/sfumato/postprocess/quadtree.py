"""`Quadtree`: noisy masses of nested squares, as plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.law import NoiseKind

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
        return np.searchsorted(_keys(self.level, self.code), _keys(level, code))


def _keys(level: Codes | int, code: Codes) -> Codes:
    """Return numbers that sort as nodes do: by level, then by code, which has at most 40 bits."""
    return (np.asarray(level, dtype=np.int64) << 41) + code


@dataclass(frozen=True, eq=False)
class Round:
    """What one round measured: squares of one or several levels, all with the same noise."""

    level: Codes
    code: Codes
    value: Masses
    rate: float


def grown(rounds: Sequence[Round], noise: NoiseKind = "laplace") -> Quadtree:
    """Return the smallest tree that holds every measured square.

    A square that has one quarter in the tree has all four; those that no round measured are
    leaves without a measurement.

    Examples
    --------
    >>> quarters = Round(np.full(4, 1), np.arange(4), np.array([3.0, 1.0, 0.0, -1.0]), rate=0.5)
    >>> tree = grown([quarters])
    >>> tree.level, tree.first
    (array([0, 1, 1, 1, 1]), array([ 1, -1, -1, -1, -1]))
    """
    deepest = max((int(each.level.max(initial=0)) for each in rounds), default=0)
    codes = _by_level(rounds, deepest)
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


def _by_level(rounds: Sequence[Round], deepest: int) -> list[Codes]:
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
