"""`BoxCounts`: a noisy histogram around three private quartiles, read outward from each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.noise_law import CountNoise, NoiseLaw

Array = NDArray[np.float64]
Cells = NDArray[np.int64]
Quartiles = tuple[int, int, int]

_LEAST_BINS, _MOST_BINS = 6, 64
_COARSE = 8  # bins of a tail: with no more, the halves of a box have no bins of their own


def choose_tail_bins(size: float, law: NoiseLaw, unit_step: float = 1.0) -> int:
    """Return how many bins each tail gets: more units beside the noise show a finer tail.

    Examples
    --------
    >>> law = NoiseLaw("laplace", scale=3.0)
    >>> choose_tail_bins(1000, law), choose_tail_bins(1_000_000, law)
    (13, 64)
    """
    ratio = max(size, 100.0) / CountNoise(law, unit_step).scale
    return int(np.clip(round(0.7 * (2 * ratio) ** 0.45), _LEAST_BINS, _MOST_BINS))


def fence_layout(quartiles: Quartiles, cells: int, whis: float, bins: int) -> Cells:
    """Return the first cell of each bin to count.

    Beyond each fence lies one bin, between fence and quartile up to `bins`, between quartiles a
    few; each quartile's own cell stands alone, so that a heavy atom there is seen as one. Bins
    begin at the middle of the box and at its thirds: what lies outward tells stray quartiles.

    Examples
    --------
    >>> fence_layout((40, 55, 60), cells=100, whis=1.5, bins=3)
    array([ 0, 10, 20, 30, 40, 41, 47, 50, 54, 55, 56, 60, 61, 71, 81, 91])
    """
    first, median, third = quartiles
    lower, upper = fence_cells(quartiles, cells, whis)
    cuts = np.concatenate(
        [
            [0, first, first + 1, median, median + 1, third, third + 1],
            _cut_evenly(lower, first, bins),
            part_cells(quartiles),
            _cut_half_box(first + 1, median, bins),
            _cut_half_box(median + 1, third, bins),
            _cut_evenly(third + 1, upper, bins),
        ]
    )
    starts = np.unique(np.rint(cuts).astype(np.int64))
    return starts[starts < cells]


def fence_cells(quartiles: Quartiles, cells: int, whis: float) -> tuple[int, int]:
    """Return the first cell that is no outlier, and the first above that is one again."""
    reach = whis * (quartiles[2] - quartiles[0])
    lower = max(0.0, quartiles[0] - reach)
    upper = min(cells - 1.0, quartiles[2] + reach)
    return math.ceil(lower), math.floor(upper) + 1


def part_cells(quartiles: Quartiles) -> tuple[int, int, int]:
    """Return where the second third of a box begins, its upper half, and its last third."""
    first, length = quartiles[0], quartiles[2] - quartiles[0]
    third = max((length + 1) // 3, 1)
    return first + third, first + (length + 1) // 2, first + length + 1 - third


def _cut_evenly(start: int, stop: int, parts: int) -> Array:
    return np.linspace(start, stop, parts + 1) if stop > start else np.empty(0)


def _cut_half_box(start: int, stop: int, bins: int) -> Array:
    """Cut half a box in three: narrow beside the quartiles, whose surroundings say most.

    Of a small group not even the halves are well known, so they stay whole.
    """
    if bins <= _COARSE or stop <= start:
        return np.empty(0)
    return start + (stop - start) * np.array([0.2, 0.8])


# Contrasts of four gaps that do not see their sum: the number of units stays unknown.
_CONTRASTS = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]], dtype=np.float64)
_RANKS = np.array([[2, 0, 0], [1, 1, 1], [1, 1, -1]], dtype=np.float64)[[1, 0, 2]] / 4


def rank_surplus(gaps: Array, variances: Array, epsilon: float) -> Array:
    """Return how many ranks too high each of three quartiles probably lies.

    The balanced mechanism makes the three contrasts of its gaps independent of sign and order,
    with variance ``80 / (3 ε²)`` each (see `RankError`). The counts see the same contrasts through
    noise. This is the best linear estimate from both.

    Parameters
    ----------
    gaps
        Noisy counts below the first quartile, between neighbours, and above the third.
    variances
        Of the noise on each.
    epsilon
        What the quartiles cost.

    Examples
    --------
    >>> rank_surplus(np.array([30.0, 20, 20, 30]), np.full(4, 1e-9), epsilon=1.0).round(3)
    array([ 5.,  0., -5.])
    """
    prior = 80 / (3 * epsilon**2)
    noise = (_CONTRASTS * variances) @ _CONTRASTS.T
    weight = np.linalg.solve(prior * np.eye(3) + noise, _CONTRASTS @ gaps)
    return _RANKS @ (prior * weight)


def find_rank_distance(distances: Array, counts: Array, atom: float, ranks: float) -> float:
    """Return how far one must go outward from the centre of a cell to pass so many ranks.

    Parameters
    ----------
    distances
        From the centre to its own edge, and on to the far edge of each bin beyond.
    counts
        Noisy counts of those bins.
    atom
        The units known to share the cell: half of them must be passed to leave it.
    ranks
        How many to pass.

    Examples
    --------
    >>> bins = np.array([0.5, 10.0, 20.0]), np.array([20.0, 40.0])
    >>> [find_rank_distance(*bins, atom=atom, ranks=30.0) for atom in (0.0, 70.0)]
    [12.5, 0.0]
    """
    if ranks <= atom / 2:
        return 0.0
    passed = np.maximum.accumulate(np.append(atom / 2, atom / 2 + np.cumsum(counts)))
    return float(np.interp(ranks, passed, np.append(0.0, distances[1:])))


_SHAPES = np.linspace(-1.25, 0.55, 10)  # ξ: uniform tails have -1, exponential 0, Student's t₂ 1/2
_SHAPE_CENTRE, _SHAPE_SPREAD = -0.3, 0.6  # a normal prior: between triangular and exponential
_ENDS = 64
_FARTHEST = 1.6  # how far beyond the fence a curve may end, in fences
_EXPECTED_BEYOND = 0.7  # where so few are expected beyond, the largest value has its median
_MISFIT = 0.3  # no tail is generalised Pareto: each bin may be off by this much of itself
_ENOUGH = 30.0  # scales of the noise: curves are fitted to where no more units than this are left,
_CONTEXT = 2  # and to so many bins before it
_STRAY = 0.0005  # chance of about any number of units in a bin, which no curve foresees
_PARTS = (np.arange(6) + 0.5) / 6  # where in its bin the largest value may lie


@dataclass(frozen=True, eq=False)
class Tail:
    """Noisy counts outward from a quartile.

    Parameters
    ----------
    edges
        Distances from the quartile: of the ends of all bins, rising, the last one the fence.
    counts
        One for each bin, and last what lies beyond the fence.
    fenced
        False where the fence lies outside the bounds: the last count is then zero by definition.
    """

    edges: Array
    counts: Array
    fenced: bool = True

    @property
    def width(self) -> float:
        """The width of the last bin inside the fence; zero where there is none."""
        return float(self.edges[-1] - self.edges[-2]) if self.edges.size > 1 else 0.0

    @property
    def density_at_fence(self) -> float:
        """Units per cell just inside the fence, as far as the last bin there tells."""
        return max(float(self.counts[-2]), 0.0) / self.width if self.width else 0.0


@dataclass(frozen=True, eq=False)
class TailPosterior:
    """How far a tail reaches: points with weights, the rest of the weight beyond the fence."""

    points: Array
    weights: Array
    foreseen: float
    foreseen_variance: float

    def quantile(self, level: float) -> float:
        """Return the distance not exceeded with this probability; infinite beyond the fence."""
        index = int(np.searchsorted(self._below, level))
        return float(self.points[index]) if index < self.points.size else np.inf

    @cached_property
    def _below(self) -> Array:
        return np.cumsum(self.weights)


def compute_tail_posterior(tail: Tail, noise: CountNoise) -> TailPosterior:
    """Return the posterior of the distance to the largest value of a tail."""
    if tail.edges.size == 1:
        return TailPosterior(np.empty(0), np.empty(0), 0.0, 0.0)
    near = _select_outer_tail(tail, noise)
    curves = _ParetoTails.of(near)
    weights, occupied = _weigh_curves(near, curves, noise)
    outermost = weights[:, None] * _compute_last_occupied(occupied)
    points, masses = _spread_within_bins(near, curves, outermost[:, :-1])
    nowhere = max(1 - float(outermost.sum()), 0.0)  # every bin is empty: the tail ends before them
    beyond = curves.expected[:, -1]
    foreseen = float(weights @ beyond)
    return TailPosterior(
        points=np.append(near.start - tail.edges[0], points),
        weights=np.append(nowhere, masses),
        foreseen=foreseen,
        foreseen_variance=float(weights @ (beyond - foreseen) ** 2),
    )


@dataclass(frozen=True, eq=False)
class _OuterTail:
    """The outer part of a tail, the distance where it starts and how far it surely reaches."""

    start: float
    edges: Array
    counts: Array
    fenced: bool
    total: float
    sure: float


def _select_outer_tail(tail: Tail, noise: CountNoise) -> _OuterTail:
    beyond = np.cumsum(tail.counts[::-1])[::-1]
    enough = np.flatnonzero(beyond[:-1] >= _ENOUGH * noise.scale)
    last = int(enough[-1]) if enough.size else 0
    first = max(0, last - _CONTEXT)
    start = float(tail.edges[first])
    edges = tail.edges[first:] - start
    total = max(float(beyond[first]), 2 * noise.scale, 2.0)
    sure = float(tail.edges[last]) - start
    return _OuterTail(start, edges, tail.counts[first:], tail.fenced, total, sure)


@dataclass(frozen=True, eq=False)
class _ParetoTails:
    """Generalised Pareto tails: one row each."""

    shape: Array
    scale: Array
    survival: Array
    expected: Array

    @classmethod
    def of(cls, near: _OuterTail) -> _ParetoTails:
        width, fence = float(near.edges[1]), float(near.start + near.edges[-1])
        farthest = max(_FARTHEST * fence - near.start - near.sure, width)
        ends = near.sure + _space_geometrically(0.05 * width, farthest, _ENDS)
        end, shape = np.repeat(ends, _SHAPES.size), np.tile(_SHAPES, _ENDS)
        share = min(0.9, _EXPECTED_BEYOND / near.total)
        scale = shape * end / (share**-shape - 1)
        base = np.maximum(1 + near.edges * (shape / scale)[:, None], 0)
        with np.errstate(divide="ignore"):
            survival = base ** (-1 / shape[:, None])
        survival[base == 0] = 0.0
        parts = np.column_stack([survival[:, :-1] - survival[:, 1:], survival[:, -1]])
        return cls(shape, scale, survival, np.maximum(near.total * parts, 1e-12))


def _space_geometrically(first: float, last: float, number: int) -> Array:
    return first * (last / first) ** np.linspace(0, 1, number)


def _weigh_curves(near: _OuterTail, curves: _ParetoTails, noise: CountNoise) -> tuple[Array, Array]:
    """Return the weight of each curve, and how likely it says each bin is to hold a unit."""
    expected = curves.expected
    holds = -np.expm1(-expected)
    mean = expected / holds  # of a Poisson number known not to be zero
    spread = np.maximum(mean * (1 + expected - mean), 0) + (_MISFIT * expected) ** 2
    empty = np.exp(noise.log_density(near.counts, np.zeros_like(near.counts)) - expected)
    some = holds * np.exp(noise.log_density(near.counts - mean, spread))
    some += np.where(near.counts > 0, _STRAY / np.maximum(near.counts, 1), 0.0)
    if not near.fenced:
        empty[:, -1], some[:, -1] = np.exp(-expected[:, -1]), 0.0
    either = np.maximum(empty + some, 1e-300)
    prior = -0.5 * ((curves.shape - _SHAPE_CENTRE) / _SHAPE_SPREAD) ** 2
    log_weight = np.log(either).sum(axis=1) + prior
    weight = np.exp(log_weight - log_weight.max())
    return weight / weight.sum(), 1 - empty / either


def _compute_last_occupied(occupied: Array) -> Array:
    """Return the probability of each bin to be the last that is not empty."""
    empty_beyond = np.cumprod(1 - occupied[:, :0:-1], axis=1)[:, ::-1]
    return occupied * np.column_stack([empty_beyond, np.ones(len(occupied))])


def _spread_within_bins(
    near: _OuterTail, curves: _ParetoTails, masses: Array
) -> tuple[Array, Array]:
    """Spread the mass of each bin over it, as the largest of a Poisson number of units lies."""
    row, column = np.nonzero(masses > 1e-5)
    kept = masses[row, column]
    kept *= masses.sum() / max(kept.sum(), 1e-300)
    total = near.total
    low = np.exp(-total * curves.survival[row, column])[:, None]
    high = np.exp(-total * curves.survival[row, column + 1])[:, None]
    survival = -np.log(np.maximum(low + (high - low) * _PARTS, 1e-300)) / total
    shape, scale = curves.shape[row, None], curves.scale[row, None]
    points = scale / shape * (np.maximum(survival, 1e-300) ** -shape - 1)
    points = np.clip(points, near.edges[column, None], near.edges[column + 1, None]) + near.start
    weights = np.repeat(kept / _PARTS.size, _PARTS.size)
    order = np.argsort(points, axis=None)
    return points.ravel()[order], weights[order]


_ATOM = 0.99  # how sure we must be that the units in a quartile's own cell are not noise
_HEAVY = 7  # so many times a 95 % radius, an atom holds its quartile in 95 % of cases


@dataclass(frozen=True, eq=False)
class BoxCounts:
    """A released histogram, in cells and units.

    Parameters
    ----------
    quartiles
        The cells chosen for them.
    starts
        The first cell of each bin, from `fence_layout`.
    counts
        Noisy counts of the bins, in units.
    noise
        On each count.
    cells
        How many cells the value grid has.
    whis
        How many boxes a fence lies from its quartile.
    """

    quartiles: Quartiles
    starts: Cells
    counts: Array
    noise: CountNoise
    cells: int
    whis: float

    def list_outward_counts(self, level: int, side: int) -> tuple[Array, Array]:
        """Return distances to the edges of bins below (-1) or above (+1) a quartile, and counts.

        They are taken from its centre; the first is to the edge of its own cell, half a cell away.
        """
        edges = np.append(self.starts, self.cells) - 0.5
        cell, bin_ = self.quartiles[level], self._own[level]
        if side > 0:
            return edges[bin_ + 1 :] - cell, self.counts[bin_ + 1 :]
        return cell - edges[bin_::-1], self.counts[:bin_][::-1]

    def tail(self, side: int) -> Tail:
        """Return the tail below the first quartile (-1) or above the third (+1)."""
        distances, counts = self.list_outward_counts(1 + side, side)
        lower, upper = fence_cells(self.quartiles, self.cells, self.whis)
        fenced = lower > 0 if side < 0 else upper < self.cells
        if fenced:
            return Tail(distances[:-1], counts)
        return Tail(distances, np.append(counts, 0.0), fenced=False)

    def place(self, level: int, ranks: float, radius: float = 0.0) -> float:
        """Return the cell so many ranks above a quartile, or below it if negative.

        Parameters
        ----------
        level
            Which quartile: 0, 1 or 2.
        ranks
            How many to pass. Those of the quartile's own cell count only where they clearly are
            there, and outnumber what is unknown.
        radius
            What is unknown, in ranks.
        """
        side = 1 if ranks >= 0 else -1
        distances, counts = self.list_outward_counts(level, side)
        atom = float(self.atoms[level])
        if radius > 0:  # the end of an interval: bins may hold less than they show
            counts = counts - self.noise.scale / 2
            atom = atom if atom > _HEAVY * radius else 0.0
        return self.quartiles[level] + side * find_rank_distance(
            distances, counts, atom, abs(ranks)
        )

    def estimate_surplus(self, epsilon: float) -> Array:
        """Return how many ranks too high each quartile probably lies."""
        ends = [-1, *self._own, self.counts.size]
        inside = [slice(low + 1, high) for low, high in pairwise(ends)]
        gaps = np.array([self.counts[gap].sum() for gap in inside])
        bins = np.array([self.counts[gap].size for gap in inside])
        variances = bins * self.noise.variance + 1.0  # a gap holds whole units, a quarter need not
        # Where in its cell a quartile stands is unknown: half of it on either side, give or take.
        for index, (own, atom) in enumerate(zip(self.counts[self._own], self.atoms, strict=True)):
            gaps[index : index + 2] += own / 2
            variances[index : index + 2] += self.noise.variance / 4 + atom**2 / 12
        return rank_surplus(gaps, variances, epsilon)

    def below(self) -> Array:
        """Return which parts of the bins lie below each quartile, and all of them, as rows.

        Where in its own cell a quartile stands is unknown: half of it lies below.
        """
        places = np.arange(self.counts.size)
        own = np.array([*self._own, self.counts.size])[:, None]
        return np.where(places < own, 1.0, np.where(places == own, 0.5, 0.0))

    def sum_outward(self, cell: int, side: int) -> tuple[float, float]:
        """Return the units between a bin's first cell and a quartile, and their variance.

        Half of those in the quartile's own cell count; the first (-1) or the third quartile (+1).
        """
        own, start = self._own[1 + side], int(np.searchsorted(self.starts, cell))
        inside = slice(own, start) if side < 0 else slice(start, own + 1)
        units = float(self.counts[inside].sum() - self.counts[own] / 2)
        return units, self.noise.variance * (self.counts[inside].size - 0.75)

    @cached_property
    def _own(self) -> list[int]:
        return np.searchsorted(self.starts, self.quartiles).tolist()

    @cached_property
    def atoms(self) -> Array:
        """The units that clearly share the cell of each quartile."""
        return np.maximum(self.counts[self._own] - self.noise.radius(_ATOM), 0.0)
