"""The laws that quantiles should have, from their definitions, on tables of a few rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
from numpy.typing import NDArray

Table = tuple[int, ...]
Floats = NDArray[np.float64]


def shares(levels: Sequence[Fraction]) -> Floats:
    """The share that each gap between levels should have."""
    return np.diff([0.0, *map(float, levels), 1.0])


def narrowest(levels: Sequence[Fraction]) -> Fraction:
    """The smallest of the shares."""
    return min(high - low for low, high in pairwise([Fraction(0), *levels, Fraction(1)]))


@cache
def sequences(positions: int, number: int) -> NDArray[np.int64]:
    """All rising sequences of positions, repeats allowed."""
    return np.array(list(combinations_with_replacement(range(positions), number)))


@cache
def ranks(table: Table, positions: int, unit: int = 1) -> Floats:
    """The units below each position: half of its own share of its cell as well."""
    counts = np.array(table)
    inside = (2 * np.arange(positions) + 1) / (2 * positions)
    before = counts.cumsum() - counts
    return ((before[:, None] + counts[:, None] * inside) / unit).ravel()


def gaps(
    table: Table, levels: Sequence[Fraction], positions: int, unit: int = 1, size: int | None = None
) -> tuple[Floats, float]:
    """The gaps of all sequences, and the whole that they are parts of."""
    whole = (sum(table) if size is None else size) / unit
    steps = ranks(table, positions, unit)[sequences(len(table) * positions, len(levels))]
    return np.diff(steps, axis=1, prepend=0.0, append=whole), whole


def published(
    table: Table,
    levels: Sequence[Fraction],
    positions: int = 1,
    unit: int = 1,
    size: int | None = None,
) -> Floats:
    """How far gaps are from their shares of the whole."""
    found, whole = gaps(table, levels, positions, unit, size)
    return abs(found - shares(levels) * whole).sum(axis=1)


def balanced(table: Table, levels: Sequence[Fraction], positions: int = 1, unit: int = 1) -> Floats:
    """How far gaps are from shares of whatever suits them best."""
    found, _ = gaps(table, levels, positions, unit)
    wanted = shares(levels)
    sizes = found / wanted
    return abs(found[:, None, :] - wanted * sizes[:, :, None]).sum(axis=2).min(axis=1)


def rate(
    levels: Sequence[Fraction], epsilon: float, score: str, *, replaced: bool = False
) -> float:
    """What penalties are multiplied with: ε over twice the sensitivity."""
    sensitivity = 2 if replaced else 2 * (1 - narrowest(levels))
    return float(epsilon) / 2 / (1 if score == "balanced" else float(sensitivity))


def joint_law(  # noqa: PLR0917 - as the tests have always called it
    table: Table,
    levels: Sequence[Fraction],
    score: str,
    factor: float,
    positions: int = 1,
    unit: int = 1,
    size: int | None = None,
) -> Floats:
    """The chances of all sequences; rows that are counted nowhere lie in the last cell."""
    if score == "balanced":
        return law(balanced(table, levels, positions, unit), factor)
    if size is not None:
        table = (*table[:-1], table[-1] + size - sum(table))
    return law(published(table, levels, positions, unit, size), factor)


def law(penalties: Floats, rate: float) -> Floats:
    """The chances of all sequences, as logarithms."""
    weights = -rate * penalties
    return weights - np.logaddexp.reduce(weights)


def by_cells(chances: Floats, cells: int, positions: int, number: int) -> Floats:
    """The chances of the cells that sequences lie in, as logarithms."""
    places = sequences(cells * positions, number) // positions
    codes = places @ (cells ** np.arange(number))
    found = np.full(cells**number, -np.inf)
    np.logaddexp.at(found, codes, chances)
    return found[np.isfinite(found)]


def loss(one: Floats, other: Floats) -> float:
    """The largest log ratio over all answers."""
    return float(abs(one - other).max())


def largest_loss(  # noqa: PLR0917 - as the tests have always called it
    pairs: Iterable[tuple[Table, Table]],
    levels: Sequence[Fraction],
    score: str,
    factor: float,
    positions: int = 1,
    unit: int = 1,
    size: int | None = None,
) -> float:
    """The most that cells tell about a pair of tables, over all pairs."""

    @cache
    def law(table: Table) -> Floats:
        found = joint_law(table, levels, score, factor, positions, unit, size)
        return by_cells(found, len(table), positions, len(levels))

    return max(loss(law(one), law(other)) for one, other in pairs)


def tables(cells: int, rows: int) -> list[Table]:
    """All tables of at most so many rows."""
    return [t for t in product(range(rows + 1), repeat=cells) if sum(t) <= rows]


def moved_by(table: Table, unit: Table) -> Table:
    """A table with one unit more."""
    return tuple(n + w for n, w in zip(table, unit, strict=True))


def units(cells: int, weight: int) -> list[Table]:
    """All ways in which one unit of at most some weight lies in the cells."""
    return [w for w in tables(cells, weight) if any(w)]


def added(cells: int, rows: int, weight: int = 1) -> Iterator[tuple[Table, Table]]:
    """All pairs of tables of which one has one unit more."""
    for table, unit in product(tables(cells, rows), units(cells, weight)):
        yield table, moved_by(table, unit)


def replaced(cells: int, rows: int) -> Iterator[tuple[Table, Table]]:
    """All pairs of tables of so many rows, counted or not, of which one row differs."""
    for table in tables(cells, rows):
        for unit in [*units(cells, 1), (0,) * cells]:
            for cell in [cell for cell in range(cells) if table[cell]]:
                less = tuple(n - (c == cell) for c, n in enumerate(table))
                yield table, moved_by(less, unit)
