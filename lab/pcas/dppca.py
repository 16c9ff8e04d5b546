"""The method of the R package dppca, written anew for comparison. Nothing here is private.

https://github.com/yejinjo0220/dppca (MIT), by its documentation and its published code: directions
from the spherical Kendall matrix with Gaussian noise (Kim and Jung 2025), a square frame from
private medians and a private radius, and a histogram with Gaussian noise or, of occupied cells
alone, with Laplace noise and a threshold. Its promise is for neighbours that differ in one
replaced row, with the number of rows public. What it does is repeated as it is, also where the
promise does not hold, so that its pictures are as good as its users see them:

- columns are centred on their raw means, and the mean is shown as the origin;
- with ``g_dppca = FALSE``, its default, directions are those of the raw covariance;
- the noise on the Kendall matrix is for a sensitivity of 2/n; one row can move it by 2√2/n (each of
  n - 1 pairs changes by at most √2), and the documentation says 4/n;
- smooth sensitivity leaves out the bounds of the domain (`pcas.quantiles`);
- Gaussian noise has the classical scale, which holds for ε below 1;
- the threshold of the sparse histogram is for one cell that one row opens;
- groups are those found in the data;
- where the noisy radius is not above 0 the package stops, which depends on the data; here it draws
  again, at no cost.

Rows of equal values, on which the package stops too, are left out of the Kendall matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pcas import quantiles
from pcas.kendall import kendall
from pcas.sets import Floats, Table
from sfumato.metrics.plane import CellWindow, Cloud

INFLATION = 1.2
"""By how much a frame is larger than the private radius."""


Frame = Callable[[Floats, float, float, np.random.Generator], CellWindow]
"""From scores, ε, δ and a generator to the frame, whose cells are not counted yet."""


@dataclass(frozen=True)
class Edition:
    """A version of the package: how it splits ε, how it splits δ, and how it frames.

    Parameters
    ----------
    epsilon, delta
        The shares of directions, frame and histogram where directions are private, and where they
        are not.
    frame
        How the frame is found.
    """

    name: str
    epsilon: Mapping[bool, tuple[float, float, float]]
    delta: Mapping[bool, tuple[float, float, float]]
    frame: Frame


def _smooth_square(
    scores: Floats, epsilon: float, delta: float, generator: np.random.Generator
) -> CellWindow:
    while True:
        each = epsilon / 3, delta / 3
        x, y = (quantiles.smooth(line, 0.5, *each, generator) for line in scores.T)
        far = np.hypot(*(scores - [x, y]).T)
        reach = INFLATION * quantiles.smooth(far, 0.99, *each, generator)
        if reach > 0:
            return CellWindow((x - reach, x + reach), (y - reach, y + reach), 1)


def _square(
    scores: Floats, epsilon: float, delta: float, generator: np.random.Generator
) -> CellWindow:
    x, y = (quantiles.smooth(line, 0.5, epsilon / 3, delta / 2, generator) for line in scores.T)
    far = np.hypot(*(scores - [x, y]).T)
    reach = INFLATION * quantiles.unbounded_above(far, 0.99, epsilon / 3, generator, base=1.001)
    return CellWindow((x - reach, x + reach), (y - reach, y + reach), 1)


def _rectangle(
    scores: Floats, epsilon: float, _: float, generator: np.random.Generator
) -> CellWindow:
    ends: list[tuple[float, float]] = []
    for line in scores.T:
        middle = quantiles.unbounded(line, 0.5, epsilon / 4, generator)
        far = np.abs(line - middle)
        reach = INFLATION * quantiles.unbounded_above(far, 0.995, epsilon / 4, generator)
        ends.append((middle - reach, middle + reach))
    return CellWindow(ends[0], ends[1], 1)


_EVEN = {True: (1 / 3, 1 / 3, 1 / 3), False: (0.0, 1 / 2, 1 / 2)}
DOCUMENTED = Edition("as documented", _EVEN, _EVEN, _smooth_square)
"""As the documentation has it: even splits, medians and the 0.99 radius by smooth sensitivity."""

REFERENCE = Edition("b43ece9", _EVEN, _EVEN, _square)
"""That commit of its code: the same, but the radius by above-threshold."""

LATER = Edition(
    "6186476",
    {True: (0.2, 0.2, 0.6), False: (0.0, 0.2, 0.8)},
    {True: (0.2, 0.0, 0.8), False: (0.0, 0.0, 1.0)},
    _rectangle,
)
"""A later commit: most for the histogram; pure medians and 0.995 radii, one for each axis."""

EDITIONS = (DOCUMENTED, REFERENCE, LATER)


@dataclass(frozen=True, eq=False)
class Framed:
    """Directions, scores on them, the frame, and what is left for the histogram."""

    directions: Floats
    scores: Floats
    frame: CellWindow
    epsilon: float
    delta: float


@dataclass(frozen=True, eq=False)
class Peer:
    """The package, for one table."""

    table: Table

    @cached_property
    def rows(self) -> Floats:
        """The rows, less their raw means."""
        scaled = self.table.scaled
        return scaled - scaled.mean(axis=0)

    @cached_property
    def exact(self) -> Floats:
        """The directions of the raw covariance."""
        return leading(np.cov(self.rows.T))

    @cached_property
    def pairs(self) -> Floats:
        """The Kendall matrix, which every run shares."""
        return kendall(self.rows)

    def framed(
        self,
        edition: Edition,
        epsilon: float,
        delta: float,
        generator: np.random.Generator,
        *,
        private: bool = True,
    ) -> Framed:
        """Return what stands before the histogram, with private directions or without."""
        shares = [epsilon * share for share in edition.epsilon[private]]
        slack = [delta * share for share in edition.delta[private]]
        chosen = self.directions(shares[0], slack[0], generator) if private else self.exact
        scores = self.rows @ chosen.T
        frame = edition.frame(scores, shares[1], slack[1], generator)
        return Framed(chosen, scores, frame, shares[2], slack[2])

    def directions(self, epsilon: float, delta: float, generator: np.random.Generator) -> Floats:
        """Return the two leading directions of the noisy Kendall matrix."""
        scale = 2 * math.sqrt(2 * math.log(1.25 / delta)) / (len(self.rows) * epsilon)
        noise = np.triu(generator.normal(0, scale / math.sqrt(2), self.pairs.shape), 1)
        noise = noise + noise.T + np.diag(generator.normal(0, scale, len(self.pairs)))
        return leading(self.pairs + noise)


def leading(matrix: Floats) -> Floats:
    """Return the two eigenvectors of the largest eigenvalues, as rows."""
    return np.linalg.eigh(matrix)[1][:, ::-1][:, :2].T


def additive(framed: Framed, counts: Floats, generator: np.random.Generator) -> Floats:
    """Return a density from counts with Gaussian noise for replace-one, clipped at 0."""
    scale = math.sqrt(2) * math.sqrt(2 * math.log(1.25 / framed.delta)) / framed.epsilon
    noisy = np.maximum(counts + generator.normal(0, scale, counts.shape), 0)
    return _shares(noisy)


def sparse(framed: Framed, counts: Floats, generator: np.random.Generator) -> Floats:
    """Return a density from occupied cells alone, each with Laplace noise and above a threshold."""
    scale = 2 / framed.epsilon
    noisy = counts + generator.laplace(0, scale, counts.shape)
    keep = (counts > 0) & (noisy >= scale * math.log(2 / framed.delta) + 1)
    return _shares(np.where(keep, noisy, 0.0))


METHODS = {"add": additive, "sparse": sparse}


def counted(framed: Framed, bins: int) -> tuple[CellWindow, Floats]:
    """Return the frame with so many bins a side, and the true counts; beyond it, at the edge."""
    window = CellWindow(framed.frame.x, framed.frame.y, bins)
    return window, window.density(Cloud(framed.scores)) * len(framed.scores)


def _shares(mass: Floats) -> Floats:
    """Return shares; where nothing is left, the package shows nothing, and here all is even."""
    return mass / mass.sum() if mass.sum() > 0 else np.full(mass.shape, 1 / mass.size)
