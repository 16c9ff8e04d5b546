"""How squares share their masses among quarters, given the likelihoods of these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.polya_curve import Axes, Curves
from sfumato.postprocess.polya_prior import Prior

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

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
            values[block] = self._integrated(block, masses[block])[0]
        return values

    def share(self, masses: Array) -> Array:
        """Return the expected share of each first half, if the sum is this mass."""
        shares = np.empty_like(masses)
        for block in self._blocks(1):
            shares[block] = self._integrated(block, masses[block, None])[1][:, 0]
        return shares

    def _blocks(self, width: int) -> list[slice]:
        # What fits into the processor's cache is computed several times as fast.
        step = max(1, _BLOCK // (width * _SHARES))
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
        axes = Axes.around(sums, most)
        halves = Curves.through(axes, along.likelihood(axes.knots))
        pairs = 2 * np.arange(len(first))
        return Quarters(Halves(halves, pairs, pairs + 1, prior), along, apart)

    def likelihood(self, masses: Array) -> Array:
        """Return the log-likelihood of each square, at all the masses of its row."""
        return self.across.likelihood(masses)

    def shared(self, masses: Array) -> Array:
        """Return the four expected masses of each square, if it has this mass."""
        halves = _shared(masses, self.across.share(masses))
        quarters = _shared(halves.ravel(), self.along.share(halves.ravel())).reshape(-1, 4)
        return quarters if self.apart == 1 else quarters[:, [0, 2, 1, 3]]


def _shared(masses: Array, share: Array) -> Array:
    first = masses * share
    return np.stack([first, masses - first], axis=1)
