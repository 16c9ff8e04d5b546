"""Bins from private quantiles, and noisy counts of all pairs made to agree with each other.

Every row lies in one cell of each pair, so that all pairs of a column tell its distribution. Their
sums are averaged, weighted by how sure each is; what a pair says besides is its interaction, which
is shrunk towards independence where noise drowns it, in bands of frequencies (James and Stein
1961).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.postprocess.presence import AddedCounts, compute_doubt

Array = NDArray[np.float64]
Pair = tuple[int, int]

OUTER = tuple(Fraction(1, parts) for parts in (4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50))
"""The share of a column that may lie beyond the outer quantiles its bins are placed by."""

_FEWEST, _MOST = 4, 48

MOST_BINS = 64
"""More bins than any column has, whatever is found."""

_LEAST_PART = 1e-4
_ROUNDS = 50
_TOLD = 20.0


def choose_levels(size: float, epsilon: float) -> tuple[Fraction, ...]:
    """Return five levels of quantiles that are found where so many units are, for so much ε.

    A quantile with few units beyond it would be found far out in a range without any: about 20/ε
    lie beyond these.

    Examples
    --------
    >>> [str(level) for level in choose_levels(10_000, 0.05)]
    ['1/20', '11/40', '1/2', '29/40', '19/20']
    """
    wanted = _TOLD / max(size * epsilon, 1.0)
    outer = next((each for each in reversed(OUTER) if each >= wanted), OUTER[0])
    half = Fraction(1, 2)
    inner = (outer + half) / 2
    return outer, inner, half, 1 - inner, 1 - outer


def choose_bins(size: float, noise: float) -> int:
    """Return how many bins a column has, for so many units and so much noise on each cell.

    Examples
    --------
    >>> choose_bins(100, 30.0), choose_bins(1e4, 8.0), choose_bins(1e6, 4.0)
    (4, 32, 48)
    """
    ideal = 3.0 * (max(size, 1.0) / max(noise, 1e-9)) ** (1 / 3)
    return int(np.clip(round(ideal), _FEWEST, _MOST))


def place_edges(
    ends: tuple[float, float], quantiles: Sequence[float], levels: Sequence[Fraction], bins: int
) -> list[float]:
    """Return the edges of about so many bins, narrow where quantiles lie close.

    Parameters
    ----------
    ends
        The public bounds.
    quantiles
        Those of `levels`, which are public now.

    Examples
    --------
    >>> place_edges((0, 100), [20, 30, 40, 50, 60], choose_levels(1e4, 0.02), 8)
    [0.0, 20.0, 30.0, 40.0, 50.0, 60.0, 100.0]
    """
    low, high = ends
    knots = np.clip(np.maximum.accumulate(np.array(quantiles, dtype=np.float64)), low, high)
    spread = float(knots[-1] - knots[0])
    if not spread > 0:
        return np.linspace(low, high, bins + 1).tolist()
    with np.errstate(over="ignore"):  # what lies beyond the floats lies beyond the ends
        tail = _place_tail(float(levels[0]), bins) * spread
        below, above = knots[0] - tail, knots[-1] + tail
    weight = np.cbrt(np.diff(np.array(levels, dtype=np.float64)) ** 2 * np.diff(knots) / spread)
    inner = max(2, bins - 2 * len(tail))
    parts = np.maximum(1, np.rint(inner * weight / weight.sum())).astype(int)
    core: list[float] = []
    for (a, b), part in zip(pairwise(knots.tolist()), parts.tolist(), strict=True):
        core += [float(a) + step * float(b - a) / part for step in range(part)]
    beyond = [*below.tolist(), *knots[-1:].tolist(), *above.tolist()]
    return _thin(sorted([*core, *map(float, beyond)]), ends, spread / (3 * bins))


def _place_tail(outer: float, bins: int) -> Array:
    """Return how far beyond the outer quantiles edges lie, as parts of their distance."""
    count = max(1, round(1.2 * bins * (outer + 0.03)))
    reach = min(2.0, 0.25 + 6 * outer)
    return np.append(reach * (np.arange(1, count + 1) / count) ** 1.5, 2.5 * reach)


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
    mean, spread = _average_totals(noisy)
    total = float(mean[0])
    measured: list[Array] = []
    deviation: list[float] = []
    for rough, wide in _average_columns(noisy):
        bins = len(rough)
        measured.append(rough + (total - float(rough.sum())) / bins)
        deviation.append(math.sqrt(variance * (wide * (1 - 1 / bins) + spread / bins**2)))
    whole = max(total, 0.0)
    columns = tuple(project(each, whole) for each in measured)
    seen = {pair: _agree(each, *(measured[i] for i in pair)) for pair, each in noisy.items()}
    pairs = {
        pair: _shrink(each, columns[pair[0]], columns[pair[1]], whole, variance)
        for pair, each in noisy.items()
    }
    return PairEstimates(whole, columns, tuple(measured), tuple(deviation), pairs, seen)


def doubt_pairs(noisy: Mapping[Pair, Array], deviation: float, terms: float) -> float:
    """Return how probably noise alone makes what was measured of a group without anybody.

    Its total is looked at, and sums over 1, 2, 4, … neighbouring bins of every column.

    Parameters
    ----------
    noisy
        The noisy counts in the cells of every pair.
    deviation
        The standard deviation of the noise on each.
    terms
        How many Laplace noises it is made of; `sfumato.postprocess.presence.MANY` if it is normal.
    """
    total, spread = _average_totals(noisy)
    cells = min(each.size for each in noisy.values())
    whole = AddedCounts(total, np.array([deviation * math.sqrt(spread)]), np.array([terms * cells]))
    columns = [
        (rough, deviation * math.sqrt(wide), terms * wide)
        for rough, wide in _average_columns(noisy)
    ]
    most = max(len(rough) for rough, *_ in columns)
    widths = [2**power for power in range((most - 1).bit_length())]
    return compute_doubt(whole, [_add_bins(columns, width) for width in widths])


def _add_bins(columns: Sequence[tuple[Array, float, float]], width: int) -> AddedCounts:
    """Add up so many neighbouring bins, wherever there are as many."""
    each = [
        (np.convolve(counts, np.ones(width), "valid"), deviation * math.sqrt(width), terms * width)
        for counts, deviation, terms in columns
        if len(counts) >= width
    ]
    value, deviation, terms = (
        np.concatenate([np.broadcast_to(one[place], len(one[0])) for one in each])
        for place in range(3)
    )
    return AddedCounts(value, deviation, terms)


def _average_totals(noisy: Mapping[Pair, Array]) -> tuple[Array, float]:
    """Return the mean of what all pairs tell of the total, and its variance in that of a cell."""
    return _average([(np.array([each.sum()]), each.size) for each in noisy.values()])


def _average_columns(noisy: Mapping[Pair, Array]) -> list[tuple[Array, float]]:
    """Return the mean of what all pairs tell of each column, and its variance in that of a cell."""
    return [
        _average(
            [
                (each.sum(axis=1 - pair.index(column)), each.shape[1 - pair.index(column)])
                for pair, each in noisy.items()
                if column in pair
            ]
        )
        for column in range(1 + max(second for _, second in noisy))
    ]


def _average(told: Sequence[tuple[Array, int]]) -> tuple[Array, float]:
    """Return the mean of what has variances in these proportions, and the variance of that."""
    weight = sum(1 / wide for _, wide in told)
    return np.sum([each / wide for each, wide in told], axis=0) / weight, 1 / weight


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
    down, along = (_make_waves(side) for side in noisy.shape)
    waves = down @ (noisy - base) @ along.T
    up, across = (np.array([number.bit_length() for number in range(side)]) for side in noisy.shape)
    kept = np.zeros(waves.shape)
    for one in range(1, int(up.max()) + 1):
        for other in range(1, int(across.max()) + 1):
            band = np.logical_and((up == one)[:, None], across == other)
            mine = waves[band]
            energy = float(np.vdot(mine, mine))
            noise = variance * mine.size
            kept[band] = mine * (max(0.0, 1 - noise / energy) if energy > 0 else 0.0)
    cells = base + down.T @ kept @ along
    return scale_to(np.maximum(cells, _LEAST_PART * base), rows, columns)


def _make_waves(side: int) -> Array:
    """Return cosines along so many bins, by rising frequency, each of length 1."""
    places = (np.arange(side) + 0.5) * math.pi / side
    waves = np.cos(np.outer(np.arange(side), places)) * math.sqrt(2 / side)
    waves[0] /= math.sqrt(2)
    return waves


def scale_to(cells: Array, rows: Array, columns: Array) -> Array:
    """Return cells that are not below zero and have these sums, near those given.

    Rows and columns are multiplied in turn until sums are nearly met. Then no sum is left too
    large, and what is missing is added where a row and a column both lack something (Altschuler,
    Weed and Rigollet 2017), so that sums are met whatever the cells.
    """
    for _ in range(_ROUNDS):
        cells = cells * _ratio(rows, cells.sum(axis=1))[:, None]
        cells = cells * _ratio(columns, cells.sum(axis=0))
    cells = cells * np.minimum(_ratio(rows, cells.sum(axis=1)), 1.0)[:, None]
    cells = cells * np.minimum(_ratio(columns, cells.sum(axis=0)), 1.0)
    lacking = np.maximum(rows - cells.sum(axis=1), 0.0)
    wanting = np.maximum(columns - cells.sum(axis=0), 0.0)
    whole = float(lacking.sum())
    return cells + np.outer(lacking, wanting) / whole if whole > 0 else cells


def _ratio(wanted: Array, found: Array) -> Array:
    return np.divide(wanted, found, out=np.zeros_like(wanted), where=found > 0)
