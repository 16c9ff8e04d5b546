"""How squares share their masses among quarters, given the likelihoods of these."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.polya_curve import Axes, Curves
from sfumato.postprocess.polya_prior import Prior

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

_WIDEST = 0.2
_BLOCK = 2**15
_MANY = 32  # blocks, below which threads are not worth their while
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Detail:
    """How squares are cut, and how finely integrals over the shares are summed up.

    Parameters
    ----------
    always
        Shares that are tried for every sum, closest at nothing and at all.
    nearby
        Shares around the estimate, in standard deviations from it.
    knots
        How many knots a curve has.
    apart
        How far the two quarters of one half stand apart: 1 where the first cut runs along x, 2
        where it runs along y.
    """

    always: Array
    nearby: Array
    knots: int
    apart: int

    @staticmethod
    def of(always: int, nearby: int, knots: int, apart: int = 1) -> Detail:
        """Return so many shares of each kind, and knots."""
        along = np.linspace(-1, 1, nearby)
        everywhere = np.sin(np.pi / 2 * np.linspace(0, 1, always)) ** 2
        return Detail(everywhere, along * (2.5 + 6 * abs(along)), knots, apart)

    @property
    def shares(self) -> int:
        """How many shares a sum runs over."""
        return len(self.always) + len(self.nearby)


FINE = tuple(Detail.of(25, 11, knots=24, apart=apart) for apart in (1, 2))
COARSE = Detail.of(13, 7, knots=14)
"""For the many squares of a large map, where no single one matters much."""


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
    detail
        How finely to sum.
    """

    curves: Curves
    first: Rows
    second: Rows
    prior: Prior
    detail: Detail

    def likelihood(self, masses: Array) -> Array:
        """Return the log-likelihood of each sum, at all the masses of its row."""
        values = np.empty_like(masses)

        def work(block: slice) -> None:
            values[block] = self._integrated(block, masses[block])[0]

        _for_each(work, self._blocks(masses.shape[1]))
        return values

    def share(self, masses: Array) -> Array:
        """Return the expected share of each first half, if the sum is this mass."""
        shares = np.empty_like(masses)

        def work(block: slice) -> None:
            shares[block] = self._integrated(block, masses[block, None])[1][:, 0]

        _for_each(work, self._blocks(1))
        return shares

    def _blocks(self, width: int) -> list[slice]:
        # What fits into the processor's cache is computed several times as fast.
        step = max(1, _BLOCK // (width * self.detail.shares))
        return [slice(start, start + step) for start in range(0, len(self.first), step)]

    def _integrated(self, block: slice, masses: Array) -> tuple[Array, Array]:
        first, second = self.first[block], self.second[block]
        shares = self._shares(first, second, masses)
        part = shares * masses[..., None]
        weight = self.curves.at(first, part)
        weight += self.curves.at(second, masses[..., None] - part)
        peak = weight.max(axis=-1)
        weight -= peak[..., None]
        np.exp(weight, out=weight)
        weight *= self._surroundings(shares, masses)
        total = np.maximum(weight.sum(axis=-1), _TINY)
        weight *= shares
        return peak + np.log(total), np.clip(weight.sum(axis=-1) / total, 0.0, 1.0)

    def _shares(self, first: Rows, second: Rows, masses: Array) -> Array:
        """Return the shares to sum over, rising."""
        estimates, always = self.curves.axes.estimates, len(self.detail.always)
        one, other = estimates.at(first), estimates.at(second)
        slack = one.variance / (one.variance + other.variance)
        offset = (one.mean * (1 - slack) - other.mean * slack)[:, None]
        spread = np.sqrt(slack * other.variance)[:, None]
        masses = np.maximum(masses, _TINY)
        # Bounded by the mass before they are divided by it, which may be almost nothing.
        centre = np.clip(offset, -masses, masses) / masses + slack[:, None]
        width = np.minimum(spread, _WIDEST * masses) / masses
        nearby = np.clip(centre, 0.0, 1.0)[..., None] + width[..., None] * self.detail.nearby
        shares = np.empty((*masses.shape, self.detail.shares))
        shares[..., :always] = self.detail.always
        shares[..., always:] = np.clip(nearby, 0.0, 1.0)
        shares.sort(axis=-1)
        return shares

    def _surroundings(self, shares: Array, masses: Array) -> Array:
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

    @staticmethod
    def of(curves: Curves, first: Rows, most: float, prior: Prior, detail: Detail) -> Quarters:
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
        detail
            How to cut, and how finely to sum.
        """
        one = np.stack([first, first + 3 - detail.apart], axis=1).ravel()
        along = Halves(curves, one, one + detail.apart, prior, detail)
        estimates = curves.axes.estimates
        sums = estimates.at(along.first) + estimates.at(along.second)
        axes = Axes.around(sums, most, detail.knots)
        halves = Curves.through(axes, along.likelihood(axes.knots))
        pairs = 2 * np.arange(len(first))
        return Quarters(Halves(halves, pairs, pairs + 1, prior, detail), along)

    def likelihood(self, masses: Array) -> Array:
        """Return the log-likelihood of each square, at all the masses of its row."""
        return self.across.likelihood(masses)

    def shared(self, masses: Array) -> Array:
        """Return the four expected masses of each square, if it has this mass."""
        halves = _shared(masses, self.across.share(masses))
        quarters = _shared(halves.ravel(), self.along.share(halves.ravel())).reshape(-1, 4)
        return quarters if self.along.detail.apart == 1 else quarters[:, [0, 2, 1, 3]]


def _shared(masses: Array, share: Array) -> Array:
    first = masses * share
    return np.stack([first, masses - first], axis=1)


def _for_each(work: Callable[[slice], None], blocks: Sequence[slice]) -> None:
    """Work on all blocks, side by side where they are many; each writes to a place of its own."""
    if len(blocks) < _MANY:
        for block in blocks:
            work(block)
        return
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(work, blocks))
