"""Posterior masses of a quadtree under a Pólya-tree prior, from noisy measurements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.quadtree import (
    NodeEstimates,
    Quadtree,
    estimate_nodes,
    list_levels,
    project_nonnegative,
)

Array = NDArray[np.float64]
Mixture = tuple[tuple[float, float], ...]

# Shapes of symmetric Beta laws, and weights. Most maps are empty almost everywhere, so one half
# often holds all; the window as a whole is less extreme than what lies inside it.
_WINDOW = ((0.05, 0.1), (0.2, 0.2), (0.6, 0.2), (2.0, 0.2), (12.0, 0.2), (100.0, 0.1))
_INSIDE = (
    (0.002, 0.25),
    (0.03, 0.20),
    (0.15, 0.20),
    (0.6, 0.15),
    (2.0, 0.10),
    (12.0, 0.06),
    (100.0, 0.04),
)
# What a single unit adds lies mostly in one place.
_SINGLE = ((0.002, 0.88), (1.2, 0.10), (12.0, 0.02))
_FEW = 1.5
_PIECES = 1024


@dataclass(frozen=True)
class Prior:
    """The law of one half's share of a mass: a mixture of symmetric Beta laws.

    Large masses are shared by one law, masses of less than a unit by another; in between, both
    are mixed.

    Parameters
    ----------
    many, single
        Shapes of Beta laws and their weights, for the mass of many units and of a part of one.
    few
        The units at which both have the same weight.
    """

    many: Mixture
    single: Mixture
    few: float = _FEW

    def below(self, share: Array, units: Array) -> Array:
        """Return how probable a smaller share is, for masses of so many units."""
        height, slope, more_height, more_slope = self._lines
        root = np.minimum(share, 1 - share)
        root *= 2
        np.sqrt(root, out=root)
        piece = (root * _PIECES).astype(np.int64)
        more = more_slope.take(piece, mode="clip")
        more *= root
        more += more_height.take(piece, mode="clip")
        more *= self.few / (self.few + units)
        root *= slope.take(piece, mode="clip")
        root += height.take(piece, mode="clip")
        root += more
        return np.where(share > 0.5, 1 - root, root)

    @cached_property
    def _lines(self) -> tuple[Array, Array, Array, Array]:
        many, single = _approximate_by_lines(self.many), _approximate_by_lines(self.single)
        return many[0], many[1], single[0] - many[0], single[1] - many[1]


def _approximate_by_lines(mixture: Mixture) -> tuple[Array, Array]:
    """Return a distribution function up to a half as broken lines in the root of twice the share.

    They are closest where it is steep, at shares of almost nothing.
    """
    from scipy.special import betainc  # slow to load, and only maps need it

    roots = np.linspace(0.0, 1.0, _PIECES + 1)
    weight = sum(each for _, each in mixture)
    below = np.zeros(_PIECES + 1)
    for shape, each in mixture:
        below += each / weight * betainc(shape, shape, roots**2 / 2)
    slope = np.diff(below) * _PIECES
    height = below[:-1] - slope * roots[:-1]
    # A share of exactly a half falls on the piece after the last, which continues it.
    return np.append(height, height[-1]), np.append(slope, slope[-1])


WINDOW = Prior(_WINDOW, _SINGLE)
INSIDE = Prior(_INSIDE, _SINGLE)


Rows = NDArray[np.int64]

_KNOTS = 24
_WIDTH = 4.0  # half of the knots lie within so many standard deviations of the estimate


@dataclass(frozen=True, eq=False)
class KnotAxes:
    """Where the knots of curves stand: from 0 to the most, closest around the estimates.

    A mass M has the place ``x / (1 + abs(x))`` with ``x = (M - centre) / width``. The knots are
    evenly spaced places, so that the two around a mass are found without a search.
    """

    estimates: NodeEstimates
    centre: Array
    width: Array
    start: Array
    pitch: Array
    knots: Array

    @staticmethod
    def around(estimates: NodeEstimates, most: float) -> KnotAxes:
        """Place knots for masses between 0 and `most`."""
        centre = np.clip(estimates.mean, 0.0, most)
        width = _WIDTH * np.minimum(np.sqrt(estimates.variance), most)
        start = -centre / (width + centre)
        pitch = ((most - centre) / (width + (most - centre)) - start) / (_KNOTS - 1)
        places = start[:, None] + pitch[:, None] * np.arange(1, _KNOTS - 1)
        knots = np.zeros((len(centre), _KNOTS))
        knots[:, 1:-1] = centre[:, None] + width[:, None] * places / (1 - abs(places))
        knots[:, -1] = most
        # Rounding may push a knot past its neighbour where the estimate is extremely precise.
        knots = np.minimum(np.maximum.accumulate(knots, axis=1), most)
        return KnotAxes(estimates, centre, width, start, pitch, knots)


@dataclass(frozen=True, eq=False)
class Curves:
    """Functions of a mass, one for each of several masses: linear between knots."""

    axes: KnotAxes
    height: Array
    slope: Array

    @staticmethod
    def through(axes: KnotAxes, values: Array) -> Curves:
        """Draw lines through values at the knots."""
        gaps = np.diff(axes.knots, axis=1)
        slope = np.diff(values, axis=1) / np.where(gaps > 0, gaps, np.inf)
        return Curves(axes, values[:, :-1] - slope * axes.knots[:, :-1], slope)

    def at(self, rows: Rows, masses: Array) -> Array:
        """Return the values of some curves, each at all the masses of its own row."""
        axes, shape = self.axes, (-1,) + (1,) * (masses.ndim - 1)
        place = masses - axes.centre[rows].reshape(shape)
        place /= abs(place) + axes.width[rows].reshape(shape)
        place -= axes.start[rows].reshape(shape)
        place *= (1 / axes.pitch[rows]).reshape(shape)
        piece = np.clip(place, 0, _KNOTS - 2, out=place).astype(np.int64)
        piece += (np.arange(len(rows)) * (_KNOTS - 1)).reshape(shape)
        values = self.slope[rows].take(piece, mode="clip")
        values *= masses
        values += self.height[rows].take(piece, mode="clip")
        return values


# The shares a sum runs over: some are always tried, closest at nothing and at all; the others lie
# around the estimate, at so many standard deviations.
_ALWAYS = np.sin(np.pi / 2 * np.linspace(0, 1, 25)) ** 2
_ALONG = np.linspace(-1, 1, 11)
_NEARBY = _ALONG * (2.5 + 6 * abs(_ALONG))
_SHARES = len(_ALWAYS) + len(_NEARBY)
_WIDEST = 0.2
_BLOCK = 2**15
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Halves:
    """Pairs of masses, the sum of each being shared by its two.

    Parameters
    ----------
    curves
        Likelihoods of many masses.
    first, second
        Which of them are the two halves of each.
    prior
        The law of the first half's share.
    """

    curves: Curves
    first: Rows
    second: Rows
    prior: Prior

    def likelihood(self, masses: Array) -> Array:
        """Return the log-likelihood of each sum, at all the masses of its row."""
        values = np.empty_like(masses)
        for block in self._blocks(masses.shape[1]):
            values[block] = self._integrate_shares(block, masses[block])[0]
        return values

    def share(self, masses: Array) -> Array:
        """Return the expected share of each first half, if the sum is this mass."""
        shares = np.empty_like(masses)
        for block in self._blocks(1):
            shares[block] = self._integrate_shares(block, masses[block, None])[1][:, 0]
        return shares

    def _blocks(self, width: int) -> list[slice]:
        # What fits into the processor's cache is computed several times as fast.
        step = max(1, _BLOCK // (width * _SHARES))
        return [slice(start, start + step) for start in range(0, len(self.first), step)]

    def _integrate_shares(self, block: slice, masses: Array) -> tuple[Array, Array]:
        first, second = self.first[block], self.second[block]
        shares = self._shares(first, second, masses)
        part = shares * masses[..., None]
        weight = self.curves.at(first, part)
        weight += self.curves.at(second, masses[..., None] - part)
        peak = weight.max(axis=-1)
        weight -= peak[..., None]
        np.exp(weight, out=weight)
        weight *= self._weigh_surroundings(shares, masses)
        total = np.maximum(weight.sum(axis=-1), _TINY)
        weight *= shares
        return peak + np.log(total), np.clip(weight.sum(axis=-1) / total, 0.0, 1.0)

    def _shares(self, first: Rows, second: Rows, masses: Array) -> Array:
        """Return the shares to sum over, rising."""
        estimates, always = self.curves.axes.estimates, len(_ALWAYS)
        one, other = estimates.at(first), estimates.at(second)
        slack = one.variance / (one.variance + other.variance)
        offset = (one.mean * (1 - slack) - other.mean * slack)[:, None]
        spread = np.sqrt(slack * other.variance)[:, None]
        masses = np.maximum(masses, _TINY)
        # Bounded by the mass before they are divided by it, which may be almost nothing.
        centre = np.clip(offset, -masses, masses) / masses + slack[:, None]
        width = np.minimum(spread, _WIDEST * masses) / masses
        nearby = np.clip(centre, 0.0, 1.0)[..., None] + width[..., None] * _NEARBY
        shares = np.empty((*masses.shape, _SHARES))
        shares[..., :always] = _ALWAYS
        shares[..., always:] = np.clip(nearby, 0.0, 1.0)
        shares.sort(axis=-1)
        return shares

    def _weigh_surroundings(self, shares: Array, masses: Array) -> Array:
        """Return how probable the surroundings of each share are, halfway to its neighbours."""
        below = self.prior.below((shares[..., 1:] + shares[..., :-1]) / 2, masses[..., None])
        weights = np.empty_like(shares)
        weights[..., 0] = below[..., 0]
        np.subtract(below[..., 1:], below[..., :-1], out=weights[..., 1:-1])
        weights[..., -1] = 1 - below[..., -1]
        return weights


@dataclass(frozen=True, eq=False)
class Quarters:
    """Squares that share their masses among two halves, and each half's among two quarters."""

    across: Halves
    along: Halves
    apart: int

    @staticmethod
    def of(curves: Curves, first: Rows, most: float, prior: Prior, apart: int) -> Quarters:
        """Put together squares from the likelihoods of their quarters.

        Parameters
        ----------
        curves
            Likelihoods of many quarters.
        first
            Which of them are the first of a square; its other three follow.
        most
            The largest mass to consider.
        prior
            The law of every share.
        apart
            How far the two quarters of one half stand apart: 1 where the first cut runs along x,
            2 where it runs along y.
        """
        one = np.stack([first, first + 3 - apart], axis=1).ravel()
        along = Halves(curves, one, one + apart, prior)
        estimates = curves.axes.estimates
        sums = estimates.at(along.first) + estimates.at(along.second)
        axes = KnotAxes.around(sums, most)
        halves = Curves.through(axes, along.likelihood(axes.knots))
        pairs = 2 * np.arange(len(first))
        return Quarters(Halves(halves, pairs, pairs + 1, prior), along, apart)

    def likelihood(self, masses: Array) -> Array:
        """Return the log-likelihood of each square, at all the masses of its row."""
        return self.across.likelihood(masses)

    def shared(self, masses: Array) -> Array:
        """Return the four expected masses of each square, if it has this mass."""
        halves = _share_masses(masses, self.across.share(masses))
        quarters = _share_masses(halves.ravel(), self.along.share(halves.ravel())).reshape(-1, 4)
        return quarters if self.apart == 1 else quarters[:, [0, 2, 1, 3]]


def _share_masses(masses: Array, share: Array) -> Array:
    first = masses * share
    return np.stack([first, masses - first], axis=1)


_SPARE = 12.0  # how many standard deviations the total may lie above its estimate
# The prior takes squares for strangers. Where many are unlike it in the same way, as in a thin and
# even map, its small errors add up: it may not move the total by more standard deviations.
_FAITH = 2.0
_MANY, _MOST = 2**12, 2**13  # nodes: beyond, one order of cuts must do, and no prior is needed
_FINE = 64  # steps between two knots when the total is averaged


def decode_polya_tree(tree: Quadtree, unit: float = 1.0) -> Array:
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
    >>> from sfumato.postprocess.quadtree import MeasuredRound, build_quadtree
    >>> noisy = np.array([41.0, 0.4, -0.7, 9.0])
    >>> quarters = MeasuredRound(np.full(4, 1), np.arange(4), noisy, rate=1.0)
    >>> decode_polya_tree(build_quadtree([quarters])).round()
    array([50., 41.,  0.,  0.,  9.])
    """
    if not tree.rate.any():
        return np.zeros(tree.size)
    tree = replace(tree, value=tree.value / unit, rate=tree.rate * unit)
    if tree.size > _MOST:
        return unit * project_nonnegative(tree)
    # Neither axis comes first: both orders of cuts are as likely, and their expectations averaged.
    orders = (1, 2) if tree.size <= _MANY else (1,)
    return unit * np.mean([_decode_orientation(tree, apart) for apart in orders], axis=0)


def _decode_orientation(tree: Quadtree, apart: int) -> Array:
    levels, estimates = list_levels(tree), estimate_nodes(tree)
    doubt = np.sqrt(estimates.variance[0]).item()
    most = 1.5 * max(estimates.mean[0].item(), 0.0) + _SPARE * doubt
    curves, shared = _pass_upward(tree, levels, estimates, most, apart)
    masses = np.zeros(tree.size)
    masses[0] = _total(curves, doubt)
    for parents, quarters in reversed(shared):
        places = tree.first[parents, None] + np.arange(4)
        masses[places] = quarters.shared(masses[parents])
    return masses


def _pass_upward(
    tree: Quadtree,
    levels: list[Rows],
    estimates: NodeEstimates,
    most: float,
    apart: int,
) -> tuple[Curves, list[tuple[Rows, Quarters]]]:
    """Return the likelihood of the total, and how each level's squares share their masses."""
    shared: list[tuple[Rows, Quarters]] = []
    axes = KnotAxes.around(estimates.at(levels[-1]), most)
    curves = Curves.through(axes, _compute_likelihood(tree, levels[-1], axes.knots))
    for level in reversed(range(len(levels) - 1)):
        nodes, below = levels[level], levels[level + 1]
        inner = np.flatnonzero(tree.first[nodes] >= 0)
        first = np.searchsorted(below, tree.first[nodes[inner]])
        prior = INSIDE if level else WINDOW
        quarters = Quarters.of(curves, first, most, prior, apart)
        shared.append((nodes[inner], quarters))
        axes = KnotAxes.around(estimates.at(nodes), most)
        values = _compute_likelihood(tree, nodes, axes.knots)
        values[inner] += quarters.likelihood(axes.knots[inner])
        curves = Curves.through(axes, values)
    return curves, shared


def _compute_likelihood(tree: Quadtree, nodes: Rows, masses: Array) -> Array:
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
