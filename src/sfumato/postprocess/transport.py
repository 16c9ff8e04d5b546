"""Masses near noisy ones in the earth mover's sense: the published decoder of a pyramid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.plane import interleave
from sfumato.postprocess.quadtree import Codes, Masses, Quadtree


def minimise_transport(tree: Quadtree, kept: NDArray[np.bool_], levels: int) -> Masses:
    """Return the mass of every node under the published linear program.

    Parameters
    ----------
    tree
        What was measured; of several measurements of a node, the one with the least noise counts.
        An inner node without one is free to hold any mass.
    kept
        The nodes whose measurements are believed. Other leaves, and other measured nodes, are
        taken to be empty.
    levels
        How often the window is halved down to the finest cells.

    Returns
    -------
    masses
        None is negative, and those of four quarters add up to their parent's.

    Examples
    --------
    >>> from sfumato.postprocess.quadtree import MeasuredRound, build_quadtree
    >>> noisy = np.array([3.0, 1.0, 0.5, -1.0])
    >>> quarters = MeasuredRound(np.full(4, 1), np.arange(4), noisy, rate=0.5)
    >>> opened = np.array([False, True, True, False, False])
    >>> minimise_transport(build_quadtree([quarters]), opened, levels=1)
    array([4., 3., 1., 0., 0.])
    """
    target, weight = _terms(tree, kept)
    mass = np.zeros(tree.size)
    joints: list[_QuarterDivision] = []
    pieces = _Pieces(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))
    for level in range(int(tree.level.max()), -1, -1):
        joint = _join_pieces(pieces, tree)
        joints.append(joint)
        leaves = tree.leaves[tree.level[tree.leaves] == level]
        pieces = joint.whole.beside(_make_endless(leaves, 2.0**-level - 2.0**-levels))
        pieces = pieces.add_deviation(target, weight)
    mass[0] = pieces.length[pieces.slope < 0].sum()
    for joint in reversed(joints):
        joint.divide(mass)
    return _sum_leaves(tree, mass)


def _terms(tree: Quadtree, kept: NDArray[np.bool_]) -> tuple[Masses, Masses]:
    """Return ŷ and the weight of the term of every node."""
    best = tree.rate.argmax(axis=0), np.arange(tree.size)
    measured = tree.rate[best] > 0
    target = np.where(kept & measured, tree.value[best], 0.0)
    return target, np.where(measured | (tree.first < 0), 2.0**-tree.level, 0.0)


def _sum_leaves(tree: Quadtree, mass: Masses) -> Masses:
    """Return the masses of leaves, added up."""
    sums = np.where(tree.first < 0, mass, 0.0)
    for level in range(int(tree.level.max()), 0, -1):
        nodes = np.flatnonzero(tree.level == level)
        np.add.at(sums, tree.parent[nodes], sums[nodes])
    return sums


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Convex functions of a mass, one per owner, as straight pieces laid end to end from 0.

    The pieces of an owner stand in a row, with rising slopes, unless they were just bent; the last
    one is endless.
    """

    owner: Codes
    slope: Masses
    length: Masses

    @property
    def start(self) -> Masses:
        """The mass at which each piece begins."""
        ends = np.cumsum(np.where(np.isinf(self.length), 0.0, self.length))
        starts = np.concatenate([[0.0], ends])[: len(self.owner)]
        heads = np.searchsorted(self.owner, self.owner)
        return starts - starts[heads]

    def beside(self, other: _Pieces) -> _Pieces:
        """Return the functions of other owners as well."""
        owner = np.concatenate([self.owner, other.owner])
        order = np.argsort(owner, kind="stable")
        slope = np.concatenate([self.slope, other.slope])
        length = np.concatenate([self.length, other.length])
        return _Pieces(owner[order], slope[order], length[order])

    def add_deviation(self, target: Masses, weight: Masses) -> _Pieces:
        """Return the functions plus ``weight * |target - mass|`` of their owners."""
        before = np.clip(target[self.owner] - self.start, 0.0, self.length)
        length = np.concatenate([before, self.length - before])
        change = weight[self.owner]
        slope = np.concatenate([self.slope - change, self.slope + change])
        there = length > 0
        return _Pieces(np.tile(self.owner, 2)[there], slope[there], length[there])


def _make_endless(owner: Codes, slope: float) -> _Pieces:
    return _Pieces(owner, np.full(len(owner), slope), np.full(len(owner), np.inf))


@dataclass(frozen=True, eq=False)
class _QuarterDivision:
    """The best division of a mass among quarters, for all nodes of a level.

    Parameters
    ----------
    whole
        The cost of the four quarters together, as functions of their sum.
    quarter, piece, share
        Which node takes which share of which piece of `whole`.
    """

    whole: _Pieces
    quarter: Codes
    piece: Codes
    share: Masses

    def divide(self, mass: Masses) -> None:
        """Write the masses of the quarters beside those of their parents."""
        taken = np.clip(mass[self.whole.owner] - self.whole.start, 0.0, self.whole.length)
        np.add.at(mass, self.quarter, self.share * taken[self.piece])


def _join_pieces(pieces: _Pieces, tree: Quadtree) -> _QuarterDivision:
    parent, endless = tree.parent[pieces.owner], np.isinf(pieces.length)
    limit = np.full(tree.size, np.inf)
    np.minimum.at(limit, parent[endless], pieces.slope[endless])
    order = np.lexsort((pieces.slope, parent))
    order = order[pieces.slope[order] <= limit[parent[order]]]
    owner, slope, length = parent[order], pieces.slope[order], pieces.length[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (owner[1:] != owner[:-1]) | (slope[1:] != slope[:-1])
    piece = np.cumsum(new) - 1
    together = np.zeros(int(new.sum()))
    np.add.at(together, piece, length)
    # Beside an endless piece, finite ones of its slope may stay empty.
    claim = np.where(np.isinf(together[piece]), np.isinf(length), length)
    claims = np.zeros_like(together)
    np.add.at(claims, piece, claim)
    whole = _Pieces(owner[new], slope[new], together)
    return _QuarterDivision(whole, pieces.owner[order], piece, claim / claims[piece])


def project_by_transport(values: Masses) -> Masses:
    """Return the non-negative masses nearest to noisy ones in the quadtree's EMD.

    Where several are equally near, cells that may be lowered are lowered in proportion.

    Parameters
    ----------
    values
        Noisy masses of 2^b by 2^b cells.

    Examples
    --------
    >>> project_by_transport(np.array([[5.0, -3.0], [0.0, 6.0]]))
    array([[3.63636364, 0.        ],
           [0.        , 4.36363636]])
    """
    levels = len(values).bit_length() - 1
    places = _list_codes(levels)
    sums = np.empty(4**levels)
    sums[places] = values
    pyramid = [sums]
    while len(sums) > 1:
        sums = sums.reshape(-1, 4).sum(axis=1)
        pyramid.append(sums)
    tree = _make_full_tree(levels, np.concatenate(pyramid[::-1]))
    return minimise_transport(tree, np.ones(tree.size, dtype=np.bool_), levels)[tree.leaves][places]


def _list_codes(levels: int) -> Codes:
    rows, columns = np.indices((2**levels, 2**levels))
    return interleave(columns, rows)


def _make_full_tree(levels: int, values: Masses) -> Quadtree:
    """Return the tree of all squares, measured once; values go level by level."""
    level = np.repeat(np.arange(levels + 1), 4 ** np.arange(levels + 1))
    start = (4**level - 1) // 3
    code = np.arange(len(level)) - start
    first = np.where(level < levels, start + 4**level + 4 * code, -1)
    return Quadtree(level, code, first, values[None], np.ones((1, len(values))))
