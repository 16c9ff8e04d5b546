"""The laws that quantiles should have, from their definitions, on tables of a few rows."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise, product

import numpy as np


def shares(levels):
    return np.diff([0.0, *map(float, levels), 1.0])


def narrowest(levels):
    return min(high - low for low, high in pairwise([Fraction(0), *levels, Fraction(1)]))


@cache
def sequences(positions, number):
    """All rising sequences of positions, repeats allowed."""
    return np.array(list(combinations_with_replacement(range(positions), number)))


@cache
def ranks(table, positions, unit=1):
    """The units below each position: half of its own share of its cell as well."""
    counts = np.array(table)
    inside = (2 * np.arange(positions) + 1) / (2 * positions)
    before = counts.cumsum() - counts
    return ((before[:, None] + counts[:, None] * inside) / unit).ravel()


def gaps(table, levels, positions, unit=1, size=None):
    """The gaps of all sequences, and the whole that they are parts of."""
    whole = (sum(table) if size is None else size) / unit
    steps = ranks(table, positions, unit)[sequences(len(table) * positions, len(levels))]
    return np.diff(steps, axis=1, prepend=0.0, append=whole), whole


def published(table, levels, positions=1, unit=1, size=None):
    """How far gaps are from their shares of the whole."""
    found, whole = gaps(table, levels, positions, unit, size)
    return abs(found - shares(levels) * whole).sum(axis=1)


def balanced(table, levels, positions=1, unit=1):
    """How far gaps are from shares of whatever suits them best."""
    found, _ = gaps(table, levels, positions, unit)
    wanted = shares(levels)
    sizes = found / wanted
    return abs(found[:, None, :] - wanted * sizes[:, :, None]).sum(axis=2).min(axis=1)


def rate(levels, epsilon, score, *, replaced=False):
    """What penalties are multiplied with: ε over twice the sensitivity."""
    sensitivity = 2 if replaced else 2 * (1 - narrowest(levels))
    return float(epsilon) / 2 / (1 if score == "balanced" else float(sensitivity))


def joint_law(table, levels, score, factor, positions=1, unit=1, size=None):
    """The chances of all sequences; rows that are counted nowhere lie in the last cell."""
    if score == "balanced":
        return law(balanced(table, levels, positions, unit), factor)
    if size is not None:
        table = (*table[:-1], table[-1] + size - sum(table))
    return law(published(table, levels, positions, unit, size), factor)


def law(penalties, rate):
    """The chances of all sequences, as logarithms."""
    weights = -rate * penalties
    return weights - np.logaddexp.reduce(weights)


def by_cells(chances, cells, positions, number):
    """The chances of the cells that sequences lie in, as logarithms."""
    places = sequences(cells * positions, number) // positions
    codes = places @ (cells ** np.arange(number))
    found = np.full(cells**number, -np.inf)
    np.logaddexp.at(found, codes, chances)
    return found[np.isfinite(found)]


def loss(one, other):
    return float(abs(one - other).max())


def tables(cells, rows):
    return [t for t in product(range(rows + 1), repeat=cells) if sum(t) <= rows]


def moved_by(table, unit):
    return tuple(n + w for n, w in zip(table, unit, strict=True))


def units(cells, weight):
    """All ways in which one unit of at most some weight lies in the cells."""
    return [w for w in tables(cells, weight) if any(w)]


def added(cells, rows, weight=1):
    """All pairs of tables of which one has one unit more."""
    for table, unit in product(tables(cells, rows), units(cells, weight)):
        yield table, moved_by(table, unit)


def replaced(cells, rows):
    """All pairs of tables of so many rows, counted or not, of which one row differs."""
    for table in tables(cells, rows):
        for unit in [*units(cells, 1), (0,) * cells]:
            for cell in [cell for cell in range(cells) if table[cell]]:
                less = tuple(n - (c == cell) for c, n in enumerate(table))
                yield table, moved_by(less, unit)
