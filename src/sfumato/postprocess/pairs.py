"""Bins from private quantiles, and noisy counts of all pairs made to agree with each other.

Every row lies in one cell of each pair, so that all pairs of a column tell its distribution. Their
sums are averaged, weighted by how sure each is; what a pair says besides is its interaction, which
is shrunk towards independence where noise drowns it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dctn, idctn

Array = NDArray[np.float64]
Pair = tuple[int, int]

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles of each column that its bins are placed by."""

_FEWEST, _MOST = 4, 48
_LEAST_PART = 1e-4
_ROUNDS = 500
_NEAR, _FAR = (0.5,), (0.25, 1.0)


def choose_bins(size: float, noise: float) -> int:
    """Return how many bins a column has, for so many units and so much noise on each cell.

    Examples
    --------
    >>> choose_bins(100, 30.0), choose_bins(1e4, 8.0), choose_bins(1e6, 4.0)
    (4, 16, 32)
    """
    ideal = 3.0 * (max(size, 1.0) / max(noise, 1e-9)) ** (1 / 3)
    return int(np.clip(round(ideal), _FEWEST, _MOST))


def place_edges(ends: tuple[float, float], quantiles: Sequence[float], bins: int) -> list[float]:
    """Return the edges of about so many bins, narrow where quantiles lie close.

    Parameters
    ----------
    ends
        The public bounds.
    quantiles
        Those of `LEVELS`, which are public now.

    Examples
    --------
    >>> place_edges((0, 100), [20, 30, 40, 50, 60], 8)
    [0.0, 10.0, 20.0, 25.0, 30.0, 35.0, 40.0, 45.0, 50.0, 60.0, 100.0]
    """
    low, high = ends
    knots = np.clip(np.maximum.accumulate(np.array(quantiles, dtype=np.float64)), low, high)
    spread = float(knots[-1] - knots[0])
    if not spread > 0:
        return np.linspace(low, high, bins + 1).tolist()
    masses = np.diff(np.array(LEVELS))
    weight = np.cbrt(masses**2 * np.diff(knots) / spread)
    inner = max(2, bins - 2 * _count_tail(bins))
    parts = np.maximum(1, np.rint(inner * weight / weight.sum())).astype(int)
    core = [
        edge
        for (a, b), part in zip(pairwise(knots.tolist()), parts.tolist(), strict=True)
        for edge in np.linspace(a, b, part + 1).tolist()
    ]
    tails = _NEAR if _count_tail(bins) == 2 else _FAR
    edges = [
        *(knots[0] - spread * part for part in tails),
        *core,
        *(knots[-1] + spread * part for part in tails),
    ]
    return _thin(sorted(edges), ends, spread / (3 * bins))


def _count_tail(bins: int) -> int:
    return 2 if bins < 16 else 3


def _thin(edges: Sequence[float], ends: tuple[float, float], least: float) -> list[float]:
    """Leave out edges that lie too close to the one before, or to an end."""
    kept = [float(ends[0])]
    for edge in edges:
        if edge - kept[-1] >= least and ends[1] - edge >= least:
            kept.append(float(edge))
    return [*kept, float(ends[1])]


@dataclass(frozen=True, eq=False)
class PairEstimates:
    """Distributions of columns and of all pairs of them, which agree with each other.

    Parameters
    ----------
    total
        How many units there are, not below zero.
    columns
        The counts in the bins of each column, not below zero.
    measured, deviation
        What was measured of them, unbiased, and the standard deviation of its noise.
    pairs
        The counts in the cells of each pair, whose sums are those of `columns`.
    seen
        What was measured of each cell, with the sums of `measured`: unbiased.
    """

    total: float
    columns: tuple[Array, ...]
    measured: tuple[Array, ...]
    deviation: tuple[float, ...]
    pairs: dict[Pair, Array]
    seen: dict[Pair, Array]


def reconcile(noisy: Mapping[Pair, Array], variance: float) -> PairEstimates:
    """Return estimates of all pairs that agree, from noisy counts of the same variance.

    Sums over a pair of b bins have b times the variance, so that each pair tells a column with a
    weight of 1/b. All totals are one total; what a column lacks to it is shared by its bins.
    """
    total, spread = _average([(float(each.sum()), each.size) for each in noisy.values()])
    count = 1 + max(second for _, second in noisy)
    measured: list[Array] = []
    deviation: list[float] = []
    for column in range(count):
        sums = [
            (each.sum(axis=1 - pair.index(column)), each.shape[1 - pair.index(column)])
            for pair, each in noisy.items()
            if column in pair
        ]
        rough, wide = _average(sums)
        bins = len(rough)
        measured.append(rough + (total - rough.sum()) / bins)
        deviation.append(math.sqrt(variance * (wide * (1 - 1 / bins) + spread / bins**2)))
    whole = max(float(total), 0.0)
    columns = tuple(project(each, whole) for each in measured)
    seen = {pair: _agree(each, *(measured[i] for i in pair)) for pair, each in noisy.items()}
    pairs = {
        pair: _shrink(each, columns[pair[0]], columns[pair[1]], whole, variance)
        for pair, each in noisy.items()
    }
    return PairEstimates(whole, columns, tuple(measured), tuple(deviation), pairs, seen)


def _average(told: Sequence[tuple[object, int]]) -> tuple[object, float]:
    """Return the mean of what has variances in these proportions, and the variance of that."""
    weight = sum(1 / wide for _, wide in told)
    return sum(each / wide for each, wide in told) / weight, 1 / weight


def project(counts: Array, total: float) -> Array:
    """Return the nearest counts that are not below zero and have this sum.

    Examples
    --------
    >>> project(np.array([5.0, -3.0, 2.0]), 4.0)
    array([3.5, 0. , 0.5])
    """
    falling = np.sort(counts)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(counts) + 1)
    kept = max(1, int(np.count_nonzero(falling > excess)))
    return np.maximum(counts - excess[kept - 1], 0.0)


def _agree(noisy: Array, rows: Array, columns: Array) -> Array:
    """Return noisy cells moved evenly so that their sums are these."""
    moved = noisy + ((rows - noisy.sum(axis=1)) / noisy.shape[1])[:, None]
    return moved + (columns - moved.sum(axis=0)) / noisy.shape[0]


def _shrink(noisy: Array, rows: Array, columns: Array, total: float, variance: float) -> Array:
    """Return the cells of a pair: independence, and what of its interaction is no noise."""
    if not total > 0:
        return np.zeros(noisy.shape)
    base = np.outer(rows, columns) / total
    waves = dctn(noisy - base, norm="ortho")
    waves[0, :] = waves[:, 0] = 0.0
    up, across = (np.frexp(np.arange(side))[1] for side in noisy.shape)
    for one in range(1, int(up.max()) + 1):
        for other in range(1, int(across.max()) + 1):
            band = np.ix_(up == one, across == other)
            energy = float((waves[band] ** 2).sum())
            noise = variance * waves[band].size
            waves[band] *= max(0.0, 1 - noise / energy) if energy > 0 else 0.0
    return scale_to(
        np.maximum(base + idctn(waves, norm="ortho"), _LEAST_PART * base), rows, columns
    )


def scale_to(cells: Array, rows: Array, columns: Array) -> Array:
    """Return cells multiplied by a factor for each row and each column so that sums are these.

    Cells that are zero stay so; none may be where a row and a column both have a sum.
    """
    for _ in range(_ROUNDS):
        cells = cells * _ratio(rows, cells.sum(axis=1))[:, None]
        found = cells.sum(axis=0)
        cells = cells * _ratio(columns, found)
        if np.abs(found - columns).max(initial=0.0) <= 1e-9 * max(1.0, float(columns.sum())):
            break
    return cells


def _ratio(wanted: Array, found: Array) -> Array:
    return np.divide(wanted, found, out=np.zeros_like(wanted), where=found > 0)
