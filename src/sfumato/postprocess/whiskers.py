"""Where a whisker ends: the largest value of a tail, from noisy counts of it.

Outward from a quartile lie bins up to the fence, and beyond it the outliers. Tails are taken to be
generalised Pareto: with m units in all, ``m (1 + ξ x / σ)^(-1/ξ)`` are expected beyond x. A grid of
such curves, spaced by the point beyond which less than one unit is expected, is weighted by how
well each explains the counts. Each curve then says how likely every bin is to be empty, and so
which is the outermost that is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.likelihood import CountNoise

Array = NDArray[np.float64]

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
class Reach:
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


def reach(tail: Tail, noise: CountNoise) -> Reach:
    """Return the posterior of the distance to the largest value of a tail."""
    if tail.edges.size == 1:
        return Reach(np.empty(0), np.empty(0), 0.0, 0.0)
    near = _relevant(tail, noise)
    curves = _Curves.of(near)
    weights, occupied = _explain(near, curves, noise)
    outermost = weights[:, None] * _outermost(occupied)
    points, masses = _inside(near, curves, outermost[:, :-1])
    nowhere = max(1 - float(outermost.sum()), 0.0)  # every bin is empty: the tail ends before them
    beyond = curves.expected[:, -1]
    foreseen = float(weights @ beyond)
    return Reach(
        points=np.append(near.start - tail.edges[0], points),
        weights=np.append(nowhere, masses),
        foreseen=foreseen,
        foreseen_variance=float(weights @ (beyond - foreseen) ** 2),
    )


@dataclass(frozen=True, eq=False)
class _Near:
    """The outer part of a tail, the distance where it starts and how far it surely reaches."""

    start: float
    edges: Array
    counts: Array
    fenced: bool
    total: float
    sure: float


def _relevant(tail: Tail, noise: CountNoise) -> _Near:
    beyond = np.cumsum(tail.counts[::-1])[::-1]
    enough = np.flatnonzero(beyond[:-1] >= _ENOUGH * noise.scale)
    last = int(enough[-1]) if enough.size else 0
    first = max(0, last - _CONTEXT)
    start = float(tail.edges[first])
    edges = tail.edges[first:] - start
    total = max(float(beyond[first]), 2 * noise.scale, 2.0)
    sure = float(tail.edges[last]) - start
    return _Near(start, edges, tail.counts[first:], tail.fenced, total, sure)


@dataclass(frozen=True, eq=False)
class _Curves:
    """Generalised Pareto tails: one row each."""

    shape: Array
    scale: Array
    survival: Array
    expected: Array

    @classmethod
    def of(cls, near: _Near) -> _Curves:
        width, fence = float(near.edges[1]), float(near.start + near.edges[-1])
        farthest = max(_FARTHEST * fence - near.start - near.sure, width)
        ends = near.sure + _geometric(0.05 * width, farthest, _ENDS)
        end, shape = np.repeat(ends, _SHAPES.size), np.tile(_SHAPES, _ENDS)
        share = min(0.9, _EXPECTED_BEYOND / near.total)
        scale = shape * end / (share**-shape - 1)
        base = np.maximum(1 + near.edges * (shape / scale)[:, None], 0)
        with np.errstate(divide="ignore"):
            survival = base ** (-1 / shape[:, None])
        survival[base == 0] = 0.0
        parts = np.column_stack([survival[:, :-1] - survival[:, 1:], survival[:, -1]])
        return cls(shape, scale, survival, np.maximum(near.total * parts, 1e-12))


def _geometric(first: float, last: float, number: int) -> Array:
    return first * (last / first) ** np.linspace(0, 1, number)


def _explain(near: _Near, curves: _Curves, noise: CountNoise) -> tuple[Array, Array]:
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


def _outermost(occupied: Array) -> Array:
    """Return the probability of each bin to be the last that is not empty."""
    empty_beyond = np.cumprod(1 - occupied[:, :0:-1], axis=1)[:, ::-1]
    return occupied * np.column_stack([empty_beyond, np.ones(len(occupied))])


def _inside(near: _Near, curves: _Curves, masses: Array) -> tuple[Array, Array]:
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
