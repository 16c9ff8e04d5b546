"""Masses of a quadtree from noisy measurements of its squares: a Pólya-tree posterior.

Every square is halved across and each half along; the share that one half takes has a `Prior`
which expects most places to be empty, and each measurement is a likelihood. From the leaves
up, `Curves` say how well each mass of a square explains all that was measured inside it; from the
window down, every mass is shared by its expectation given what lies below. Only what was released
is used: even the range of masses considered follows the noisy numbers.

Where people are so many that a tree has very many squares, the prior changes hardly anything, and
least squares takes its place.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.least_squares import Estimates, estimated, levels_of, nearest
from sfumato.postprocess.polya_curve import Axes, Curves
from sfumato.postprocess.polya_prior import INSIDE, WINDOW
from sfumato.postprocess.polya_split import Quarters
from sfumato.postprocess.quadtree import Quadtree

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

_SPARE = 12.0  # how many standard deviations the total may lie above its estimate
# The prior takes squares for strangers. Where many are unlike it in the same way, as in a thin and
# even map, its small errors add up: it may not move the total by more standard deviations.
_FAITH = 2.0
_MANY, _MOST = 2**12, 2**13  # nodes: beyond, one order of cuts must do, and no prior is needed
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
    if tree.size > _MOST:
        return unit * nearest(tree)
    # Neither axis comes first: both orders of cuts are as likely, and their expectations averaged.
    orders = (1, 2) if tree.size <= _MANY else (1,)
    return unit * np.mean([_decoded(tree, apart) for apart in orders], axis=0)


def _decoded(tree: Quadtree, apart: int) -> Array:
    levels, estimates = levels_of(tree), estimated(tree)
    doubt = np.sqrt(estimates.variance[0]).item()
    most = 1.5 * max(estimates.mean[0].item(), 0.0) + _SPARE * doubt
    curves, shared = _upward(tree, levels, estimates, most, apart)
    masses = np.zeros(tree.size)
    masses[0] = _total(curves, doubt)
    for parents, quarters in reversed(shared):
        places = tree.first[parents, None] + np.arange(4)
        masses[places] = quarters.shared(masses[parents])
    return masses


def _upward(
    tree: Quadtree,
    levels: list[Rows],
    estimates: Estimates,
    most: float,
    apart: int,
) -> tuple[Curves, list[tuple[Rows, Quarters]]]:
    """Return the likelihood of the total, and how each level's squares share their masses."""
    shared: list[tuple[Rows, Quarters]] = []
    axes = Axes.around(estimates.at(levels[-1]), most)
    curves = Curves.through(axes, _measured(tree, levels[-1], axes.knots))
    for level in reversed(range(len(levels) - 1)):
        nodes, below = levels[level], levels[level + 1]
        inner = np.flatnonzero(tree.first[nodes] >= 0)
        first = np.searchsorted(below, tree.first[nodes[inner]])
        prior = INSIDE if level else WINDOW
        quarters = Quarters.of(curves, first, most, prior, apart)
        shared.append((nodes[inner], quarters))
        axes = Axes.around(estimates.at(nodes), most)
        values = _measured(tree, nodes, axes.knots)
        values[inner] += quarters.likelihood(axes.knots[inner])
        curves = Curves.through(axes, values)
    return curves, shared


def _measured(tree: Quadtree, nodes: Rows, masses: Array) -> Array:
    """Return the log-likelihood of what was measured of each node itself."""
    values = np.zeros_like(masses)
    for value, rate in zip(tree.value[:, nodes], tree.rate[:, nodes], strict=True):
        misfit = rate[:, None] * abs(value[:, None] - masses)
        values -= misfit if tree.noise == "laplace" else misfit**2 / 2
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
