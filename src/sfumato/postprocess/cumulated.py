"""`CumulatedFit`: how much lies below each place of a line, from noisy masses of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.noise_law import NoiseLaw

Array = NDArray[np.float64]
Cells = NDArray[np.int64]

DRAWS = 1000
"""How often the noise is simulated to tell how far off a fit may be."""

_CONTINUOUS = 1000.0  # a wider discrete law cannot be told from its continuous limit
_EVEN = 0.25  # of the largest deviation, added to all: a band is then not widest where it matters


@dataclass(frozen=True, eq=False)
class MeasuredIntervals:
    """What one round measured: masses of intervals that do not overlap, all with the same noise.

    Parameters
    ----------
    first, end
        The first cell of each, and the first one after it.
    steps
        The noisy masses, in integer steps.
    law
        The law of the noise on each.
    """

    first: Cells
    end: Cells
    steps: NDArray[np.int64]
    law: NoiseLaw


class CumulatedFit:
    """The masses below all ends of intervals: those that fit the measurements best.

    Every measurement is the difference of two of them. They are weighted by their precision, and
    nothing is assumed of the masses: the error of every fitted mass is then a fixed sum of noises,
    whose laws are known.

    Parameters
    ----------
    rounds
        What was measured; together the intervals of one round at least cover the line.
    step
        What one integer step is worth.

    Examples
    --------
    >>> law = NoiseLaw("laplace", 1.0)
    >>> whole = MeasuredIntervals(np.array([0]), np.array([4]), np.array([9]), law)
    >>> halves = MeasuredIntervals(np.array([0, 2]), np.array([2, 4]), np.array([3, 3]), law)
    >>> CumulatedFit([whole, halves], 1.0).estimate.round(6)
    array([0., 4., 8.])
    """

    def __init__(self, rounds: Sequence[MeasuredIntervals], step: float) -> None:
        self._rounds, self._step = rounds, step
        self.knots: Cells = np.unique(np.concatenate([[*r.first, *r.end] for r in rounds]))

    @cached_property
    def estimate(self) -> Array:
        """The fitted mass below each knot; unbiased, and so not always rising."""
        noisy = [each.steps.astype(np.float64) for each in self._rounds]
        return self._solve(np.concatenate(noisy)[:, None])[:, 0] * self._step

    @cached_property
    def masses(self) -> Array:
        """The masses below the knots, made to rise from 0."""
        return np.maximum(make_rising(self.estimate), 0.0)

    @cached_property
    def errors(self) -> Array:
        """Simulated errors of `estimate`, ``[knot, draw]``.

        The generator is fixed: the same measurements always give the same errors.
        """
        generator = np.random.default_rng(0)
        noise = [draw_noise(each.law, (len(each.steps), DRAWS), generator) for each in self._rounds]
        return self._solve(np.concatenate(noise)) * self._step

    def _solve(self, noisy: Array) -> Array:
        """Return the fitted masses for measurements, one column each."""
        below, factors = self._system
        weighted = cast(Array, below.T @ (noisy * self._rates[:, None]))
        fitted = cast(Array, factors.solve(weighted))
        return np.concatenate([np.zeros((1, noisy.shape[1])), fitted])

    @cached_property
    def _rates(self) -> Array:
        rates = [1 / np.sqrt(max(each.law.variance, _LEAST)) for each in self._rounds]
        return np.repeat(rates, [len(each.steps) for each in self._rounds])

    @cached_property
    def _system(self) -> tuple[Any, Any]:
        """Return the differences that were measured, and the factors of their normal equations."""
        from scipy import sparse  # slow to load
        from scipy.sparse import linalg

        first = np.searchsorted(self.knots, np.concatenate([each.first for each in self._rounds]))
        end = np.searchsorted(self.knots, np.concatenate([each.end for each in self._rounds]))
        row, rates = np.arange(len(first)), self._rates
        shape = len(first), len(self.knots)
        places = np.concatenate([row, row]), np.concatenate([end, first])
        signed = np.concatenate([rates, -rates])
        below = cast(Any, sparse.csr_matrix((signed, places), shape=shape))[:, 1:]
        factors = cast(Any, linalg).splu(
            (below.T @ below).tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        return below, factors


_LEAST = 1e-6  # noise that never differs from 0 is known to be none, and must not be divided by


def draw_noise(law: NoiseLaw, shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    """Simulate noise of a law."""
    if law.kind == "gaussian":
        return np.rint(generator.normal(0.0, law.scale, shape))
    if law.scale > _CONTINUOUS:
        return generator.laplace(0.0, law.scale, shape)
    success = -np.expm1(-1 / law.scale)
    one, other = (generator.geometric(success, shape) for _ in range(2))
    return (one - other).astype(np.float64)


def make_rising(values: Array) -> Array:
    """Return the rising numbers that are nearest to some numbers.

    Where all of these are within a distance of rising ones, so are the returned ones.

    Examples
    --------
    >>> make_rising(np.array([0.0, 3.0, 1.0, 4.0]))
    array([0., 2., 2., 4.])
    """
    mean: list[float] = []
    size: list[int] = []
    for value in values.tolist():
        here, count = value, 1
        while mean and mean[-1] > here:
            before = size.pop()
            here = (mean.pop() * before + here * count) / (before + count)
            count += before
        mean.append(here)
        size.append(count)
    return np.repeat(np.array(mean, dtype=np.float64), size)


@dataclass(frozen=True, eq=False)
class Band:
    """The ends of an interval for each of several numbers, and what they hold jointly.

    Parameters
    ----------
    low, high
        The ends for all numbers.
    """

    low: Array
    high: Array


def make_band(value: Array, errors: Array, coverage: float) -> Band:
    """Return the narrowest band of its shape that holds all numbers jointly as often as it says.

    Parameters
    ----------
    value
        The released numbers.
    errors
        Simulated errors of each, ``[number, draw]``.
    coverage
        How often all of them lie within.

    Examples
    --------
    >>> errors = np.random.default_rng(0).normal(size=(5, 10_000))
    >>> make_band(np.zeros(5), errors, 0.95).high.round(1)
    array([2.6, 2.6, 2.6, 2.6, 2.6])
    """
    deviation = errors.std(axis=1)
    deviation = deviation + _EVEN * deviation.max(initial=0.0)
    safe = np.where(deviation > 0, deviation, 1.0)
    farthest = (abs(errors) / safe[:, None]).max(axis=0, initial=0.0)
    reach = float(np.quantile(farthest, coverage)) * deviation
    return Band(value - reach, value + reach)


def make_intervals(value: Array, errors: Array, coverage: float) -> Band:
    """Return an interval for each number, that holds it as often for itself."""
    reach = np.quantile(abs(errors), coverage, axis=1)
    return Band(value - reach, value + reach)
