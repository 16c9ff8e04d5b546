"""Quantiles one after the other: the chances of all that the tree may choose."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

from telling.enumerated import ideal
from telling.enumerated.ideal import Table

Law = dict[tuple[int, ...], float]
Share = Callable[[int, int, int], tuple[int, int]]


def divided(count: int, position: int, positions: int) -> tuple[int, int]:
    """What of a cell lies left of a position, and the rest."""
    left = count * position // positions
    return left, count - left


def doubled(count: int, *_: int) -> tuple[int, int]:
    """The twin: either side takes the whole cell."""
    return count, count


@cache
def tree(  # noqa: PLR0917 - as the tests have always called it
    table: Table,
    levels: tuple[Fraction, ...],
    part: float,
    positions: int,
    unit: int = 1,
    share: Share = divided,
) -> Law:
    """The chances of all positions that the tree may choose."""
    if not levels:
        return {(): 1.0}
    middle = len(levels) // 2
    level = levels[middle]
    rate = part / 4 / float(max(level, 1 - level))
    nodes = np.exp(ideal.law(ideal.published(table, [level], positions, unit), rate))
    lower = tuple(below / level for below in levels[:middle])
    upper = tuple((above - level) / (1 - level) for above in levels[middle + 1 :])
    found: dict[tuple[int, ...], float] = defaultdict(float)
    for place, chance in enumerate(nodes.tolist()):
        cell, position = divmod(place, positions)
        left, right = share(table[cell], position, positions)
        lefts = tree((*table[:cell], left), lower, part, positions, unit, share)
        rights = tree((right, *table[cell + 1 :]), upper, part, positions, unit, share)
        for (a, p), (b, q) in product(lefts.items(), rights.items()):
            answer = (*a, place, *(place // positions * positions + x for x in b))
            found[answer] += chance * p * q
    return dict(found)


def loss(one: Law, other: Law, positions: int = 1) -> float:
    """The largest log ratio over all answers; with their positions, or cells alone."""
    sums: dict[tuple[int, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for side, law in enumerate((one, other)):
        for answer, chance in law.items():
            sums[tuple(place // positions for place in answer)][side] += chance
    return max(abs(math.log(a / b)) for a, b in sums.values())


def largest_loss(  # noqa: PLR0917 - as the tests have always called it
    pairs: Iterable[tuple[Table, Table]],
    levels: tuple[Fraction, ...],
    part: float,
    positions: int,
    unit: int = 1,
    share: Share = divided,
) -> tuple[float, float]:
    """The most that places, and the most that cells, tell about any pair of tables."""
    places = cells = 0.0
    for one, other in pairs:
        laws = [tree(table, levels, part, positions, unit, share) for table in (one, other)]
        places = max(places, loss(laws[0], laws[1]))
        cells = max(cells, loss(laws[0], laws[1], positions))
    return places, cells
