"""Five routes to two directions, each with the same ρ, in plain NumPy.

The default measures rows from private medians and cuts them at a private radius. The others put
rows on the sphere, or take differences of rows in a random perfect matching, which need no centre,
or sum all rows as far as their public bounds reach. Shares of ρ, crowds and ladders are those of
the library; rows are not moved to a lattice, and noise is simulated: nothing here is private.

One row more changes a matching, drawn uniformly, by one pair that comes, goes or is another: the
sum of outer products of pairs moves by √2 times the squared length of the longest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcas.sets import Floats
from sfumato.charts.allocation import Allocation
from sfumato.charts.pca.analysis import (
    BESIDE_DIRECTIONS,
    CENTRE,
    LEVEL,
    RADIUS,
    SPREAD,
    Centre,
    RadiusSearch,
    make_ladder,
)
from sfumato.domain import Bounds
from sfumato.lattice import LENGTH
from sfumato.postprocess.principal import NoisySums, find_components
from sfumato.privacy.budget import to_fraction
from sfumato.privacy.currency import Concentrated

CELLS = 2**12
NARROWEST, RATIO = 2.0**-12, 2 ** (1 / 8)
CONSTANT = BESIDE_DIRECTIONS / LENGTH
REST = float(1 - CENTRE - RADIUS - SPREAD)


@dataclass(frozen=True, eq=False)
class Purse:
    """What one analysis may spend, and the chance it spends it with."""

    rho: float
    generator: np.random.Generator

    def share(self, share: float) -> Allocation:
        """Return a share of ρ."""
        return Allocation(to_fraction(share * self.rho), Concentrated())

    def choose(self, counts: Floats, level: float, rate: float) -> int:
        """Choose the cell of a quantile by an exponential mechanism: weight falls with the miss."""
        above = np.cumsum(counts)
        target = level * above[-1]
        miss: Floats = np.maximum(0, np.maximum(above - counts - target, target - above))
        return int((self.generator.gumbel(size=miss.size) - rate * miss).argmax())

    def noise(self, size: int, scale: float) -> Floats:
        """Return noise on a sum of outer products: less by √2 beside the diagonal."""
        above = np.triu(self.generator.normal(0, scale / math.sqrt(2), (size, size)), 1)
        return above + above.T + np.diag(self.generator.normal(0, scale, size))


Route = Callable[[Floats, Purse], Floats]
"""Rows within [-1, 1] to directions, as rows by falling variance."""


def medians(rows: Floats, purse: Purse) -> Floats:
    """Return the private median of every column."""
    columns = rows.shape[1]
    portion = purse.share(float(CENTRE))
    names = [str(column) for column in range(columns)]
    planned = Centre.plan(names, [Bounds(-1, 1)] * columns, portion)
    cells = np.floor((rows + 1) / 2 * CELLS).clip(0, CELLS - 1).astype(np.int64)
    crowd = np.full(CELLS, planned.crowd / CELLS)
    chosen = [purse.choose(crowd + _counts(each), 0.5, float(planned.epsilon)) for each in cells.T]
    return (np.array(chosen) + 0.5) / CELLS * 2 - 1


def radius(lengths: Floats, farthest: float, purse: Purse, *, replaced: bool = False) -> float:
    """Return a private length that most rows do not exceed; `replaced` where pairs change."""
    planned = RadiusSearch.plan(LEVEL, purse.share(float(RADIUS)))
    edges = np.array(make_ladder(NARROWEST * farthest, farthest, RATIO))
    counts = np.histogram(lengths.clip(0, farthest), edges)[0].astype(np.float64)
    counts[0] += planned.crowd
    sensitivity = 1.0 if replaced else float(LEVEL)
    cell = purse.choose(counts, float(LEVEL), float(planned.epsilon) / (2 * sensitivity))
    return float(edges[cell + 1])


def cut(rows: Floats, length: float) -> Floats:
    """Return rows that are not longer."""
    return rows * np.minimum(1, length / np.maximum(_lengths(rows), 1e-300))[:, None]


def sphere(rows: Floats) -> Floats:
    """Return rows of length 1; one that has no direction stays where it is."""
    return rows / np.where(_lengths(rows) > 0, _lengths(rows), 1)[:, None]


def centred(rows: Floats, length: float, share: float, purse: Purse) -> Floats:
    """Return the directions of rows not longer than a length, whose mean is found with them."""
    scale = (1 + CONSTANT**2) * length**2 / math.sqrt(2 * share * purse.rho)
    beside = CONSTANT * length
    rows = np.column_stack([np.full(len(rows), beside), rows])
    sums = rows.T @ rows + purse.noise(rows.shape[1], scale)
    found = NoisySums(
        count=float(sums[0, 0]) / beside**2,
        first=sums[0, 1:] / beside,
        second=sums[1:, 1:],
        noise=scale,
        noise_count=scale / beside**2,
        noise_first=scale / beside / math.sqrt(2),
    )
    return find_components(found).directions


def uncentred(rows: Floats, sensitivity: float, share: float, purse: Purse) -> Floats:
    """Return the directions of rows whose mean is nothing, or is not asked for."""
    scale = sensitivity / math.sqrt(2 * share * purse.rho)
    sums = rows.T @ rows + purse.noise(rows.shape[1], scale)
    return np.linalg.eigh(sums)[1].T[::-1]


def differences(rows: Floats, purse: Purse) -> Floats:
    """Return differences of rows in a uniformly random perfect matching, over √2.

    They have the covariance of the rows. Where rows are odd in number, one has no partner.
    """
    order = purse.generator.permutation(len(rows))[: len(rows) // 2 * 2]
    return (rows[order[::2]] - rows[order[1::2]]) / math.sqrt(2)


def default(rows: Floats, purse: Purse) -> Floats:
    """Measure rows from private medians, cut at a private radius."""
    away = rows - medians(rows, purse)
    length = radius(_lengths(away), _farthest(rows), purse)
    return centred(cut(away, length), length, REST, purse)


def median_sphere(rows: Floats, purse: Purse) -> Floats:
    """Put rows on a sphere about private medians."""
    away = sphere(rows - medians(rows, purse))
    return uncentred(away, 1.0, REST + float(RADIUS), purse)


def pairs(rows: Floats, purse: Purse) -> Floats:
    """Cut differences of rows at a private radius."""
    apart = differences(rows, purse)
    length = radius(_lengths(apart), _farthest(rows), purse, replaced=True)
    share = REST + float(CENTRE)
    return uncentred(cut(apart, length), math.sqrt(2) * length**2, share, purse)


def pair_sphere(rows: Floats, purse: Purse) -> Floats:
    """Put differences of rows on a sphere."""
    apart = sphere(differences(rows, purse))
    return uncentred(apart, math.sqrt(2), REST + float(CENTRE + RADIUS), purse)


def plain(rows: Floats, purse: Purse) -> Floats:
    """Sum rows about the middle of their bounds, none of which is cut."""
    length = _farthest(rows) / 2
    return centred(rows, length, REST + float(CENTRE + RADIUS), purse)


DEFAULT = "medians, cut"
ROUTES: dict[str, Route] = {
    DEFAULT: default,
    "medians, sphere": median_sphere,
    "pairs, cut": pairs,
    "pairs, sphere": pair_sphere,
    "plain": plain,
}


def _lengths(rows: Floats) -> Floats:
    return np.sqrt((rows**2).sum(axis=1))


def _farthest(rows: Floats) -> float:
    return 2 * math.sqrt(rows.shape[1])


def _counts(cells: NDArray[np.int64]) -> Floats:
    return np.bincount(cells, minlength=CELLS).astype(np.float64)
