"""Masses of a quadtree from noisy measurements of its squares: a Pólya-tree posterior.

Every square is halved across and each half along; the share that one half takes has a `Prior`
which expects most places to be empty, and each measurement is a Laplace likelihood. From the leaves
up, `Curves` say how well each mass of a square explains all that was measured inside it; from the
window down, every mass is shared by its expectation given what lies below. Only what was released
is used: even the range of masses considered follows the noisy numbers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.polya_curve import Axes, Curves, Estimates
from sfumato.postprocess.polya_prior import INSIDE, WINDOW
from sfumato.postprocess.polya_split import COARSE, FINE, Detail, Quarters
from sfumato.postprocess.quadtree import Quadtree

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

_UNKNOWN = 16.0  # standard deviation of what was never measured, relative to all that was
_SPARE = 12.0  # how many standard deviations the total may lie above its estimate
# The prior takes squares for strangers. Where many are unlike it in the same way, as in a thin and
# even map, its small errors add up: it may not move the total by more standard deviations.
_FAITH = 2.0
_LARGE = 2**13  # nodes, from which on integrals are summed less finely
_FINE = 64  # steps between two knots when the total is averaged


def decode(tree: Quadtree, unit: float = 1.0) -> Array:
    """Return the expected mass of every node: never negative, quarters adding up to their square.

    Where nothing at all was measured, every mass is 0.

    Parameters
    ----------
    tree
        What was measured.
    unit
        The most that one person or row can add: less than that is mostly in one place.

    Examples
    --------
    >>> from sfumato.postprocess.quadtree import Round, grown
    >>> quarters = Round(np.full(4, 1), np.arange(4), np.array([41.0, 0.4, -0.7, 9.0]), rate=1.0)
    >>> decode(grown([quarters])).round()
    array([50., 41.,  0.,  0.,  9.])
    """
    if not tree.rate.any():
        return np.zeros(tree.size)
    tree = replace(tree, value=tree.value / unit, rate=tree.rate * unit)
    if tree.size > _LARGE:
        return unit * _decoded(tree, COARSE)
    # Neither axis comes first: both orders of cuts are as likely, and their expectations averaged.
    return unit * np.mean([_decoded(tree, detail) for detail in FINE], axis=0)


def _decoded(tree: Quadtree, detail: Detail) -> Array:
    levels = [np.flatnonzero(tree.level == level) for level in range(int(tree.level.max()) + 1)]
    estimates = _least_squares(tree, levels)
    doubt = np.sqrt(estimates.variance[0]).item()
    most = 1.5 * max(estimates.mean[0].item(), 0.0) + _SPARE * doubt
    curves, shared = _upward(tree, levels, estimates, most, detail)
    masses = np.zeros(tree.size)
    masses[0] = _total(curves, doubt)
    for parents, quarters in reversed(shared):
        places = tree.first[parents, None] + np.arange(4)
        masses[places] = quarters.shared(masses[parents])
    return masses


def _least_squares(tree: Quadtree, levels: list[Rows]) -> Estimates:
    """Return what the measurements at and below each node say of it, weighted by precision."""
    measured = tree.rate > 0
    largest = abs(tree.value[measured]).max() + (1 / tree.rate[measured]).max()
    mean, variance = np.zeros(tree.size), np.full(tree.size, (_UNKNOWN * largest) ** 2)
    precision = (tree.rate**2).sum(axis=0) / 2
    weighted = (tree.rate**2 * tree.value).sum(axis=0) / 2
    for nodes in reversed(levels):
        inner = nodes[tree.first[nodes] >= 0]
        quarters = tree.first[inner, None] + np.arange(4)
        mean[inner], variance[inner] = mean[quarters].sum(axis=1), variance[quarters].sum(axis=1)
        share = 1 / (1 + precision[nodes] * variance[nodes])
        mean[nodes] = share * (mean[nodes] + variance[nodes] * weighted[nodes])
        variance[nodes] *= share
    return Estimates(mean, variance)


def _upward(
    tree: Quadtree,
    levels: list[Rows],
    estimates: Estimates,
    most: float,
    detail: Detail,
) -> tuple[Curves, list[tuple[Rows, Quarters]]]:
    """Return the likelihood of the total, and how each level's squares share their masses."""
    shared: list[tuple[Rows, Quarters]] = []
    axes = Axes.around(estimates.at(levels[-1]), most, detail.knots)
    curves = Curves.through(axes, _measured(tree, levels[-1], axes.knots))
    for level in reversed(range(len(levels) - 1)):
        nodes, below = levels[level], levels[level + 1]
        inner = np.flatnonzero(tree.first[nodes] >= 0)
        first = np.searchsorted(below, tree.first[nodes[inner]])
        prior = INSIDE if level else WINDOW
        quarters = Quarters.of(curves, first, most, prior, detail)
        shared.append((nodes[inner], quarters))
        axes = Axes.around(estimates.at(nodes), most, detail.knots)
        values = _measured(tree, nodes, axes.knots)
        values[inner] += quarters.likelihood(axes.knots[inner])
        curves = Curves.through(axes, values)
    return curves, shared


def _measured(tree: Quadtree, nodes: Rows, masses: Array) -> Array:
    """Return the log-likelihood of what was measured of each node itself."""
    values = np.zeros_like(masses)
    for value, rate in zip(tree.value[:, nodes], tree.rate[:, nodes], strict=True):
        values -= rate[:, None] * abs(value[:, None] - masses)
    return values


def _total(curves: Curves, doubt: float) -> float:
    """Return the expected total, if all orders of magnitude above the noise are as likely.

    It stays close to what least squares says, which no prior can bias.
    """
    knots = curves.axes.knots[0]
    steps = np.linspace(0, 1, _FINE, endpoint=False)
    masses = np.append(knots[:-1, None] + np.diff(knots)[:, None] * steps, knots[-1])
    values = curves.at(np.zeros(1, dtype=np.int64), masses[None])[0]
    # The trapezoidal rule: half of the way to both neighbours.
    reach = np.diff(masses, prepend=masses[0]) + np.diff(masses, append=masses[-1])
    weight = np.exp(values - values.max()) * reach / (masses + doubt)
    expected = (weight * masses).sum() / weight.sum()
    estimate = curves.axes.estimates.mean[0]
    return max(float(np.clip(expected, estimate - _FAITH * doubt, estimate + _FAITH * doubt)), 0.0)
