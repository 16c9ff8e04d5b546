"""How much the cells that a boxplot chooses speak for a table with one unit more.

From the laws of the mechanisms, on two tables that the auditor knows. Where levels are chosen
apart and then put in order, each is taken for the one it stands for: a score may be a guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.boxplot.fence import Fence
from sfumato.charts.boxplot.plan import QUARTILES, BoxProcedure
from sfumato.charts.boxplot.published import Published
from sfumato.mechanisms.threshold import threshold_scale
from telling.enumerated import ideal, trees
from telling.enumerated.ideal import Table
from telling.laws import chosen_chances

Floats = NDArray[np.float64]
Law = Callable[[Sequence[int]], float]
"""From chosen cells to the logarithm of their chance, or about that."""

# The least denominator of an extreme level; groups of an attack are all smaller.
_EIGHTHS = (Fraction(1, 8), *QUARTILES, Fraction(7, 8))
_FIVE = (Fraction(0), *QUARTILES, Fraction(1))


def cells_say(
    method: BoxProcedure, without: Floats, within: Floats, weight: int
) -> Callable[[tuple[int, ...]], float]:
    """Return what chosen cells speak for, from what both tables count in steps."""
    laws = [_law(method, _units(counts, weight)) for counts in (without, within)]

    @cache
    def says(cells: tuple[int, ...]) -> float:
        return laws[1](cells) - laws[0](cells)

    return says


def _units(counts: Floats, weight: int) -> Table:
    """Return counts in units, which are whole for the tables that are looked at."""
    return tuple(int(count) for count in np.rint(counts / weight))


def _law(method: BoxProcedure, table: Table) -> Law:
    if isinstance(method, Fence):
        return _together(table, QUARTILES, "balanced", float(method.epsilon))
    assert isinstance(method, Published)
    box, alone = float(method.box), method.extreme
    match method.name:
        case "dpboxplot":
            low, high = (_walked(table, level, alone) for level in (_FIVE[0], _FIVE[-1]))
            middle = _together(table, QUARTILES, "published", box)
            return lambda cells: low(cells[:1]) + middle(cells[1:4]) + high(cells[4:])
        case "jointexp":
            return _together(table, _EIGHTHS, "published", box)
        case "approx":
            return _grown(table, _EIGHTHS, box)
        case "single":
            chances = [chosen_chances(table, float(level), box / 5) for level in _EIGHTHS]
            return lambda cells: _summed(chances, cells)
        case "unbounded":
            walks = [_walked(table, level, alone) for level in _FIVE]
            return lambda cells: sum(walk([cell]) for walk, cell in zip(walks, cells, strict=True))


def _together(table: Table, levels: tuple[Fraction, ...], score: str, epsilon: float) -> Law:
    factor = ideal.rate(levels, epsilon, score)
    found = ideal.joint_law(table, levels, score, factor)
    places = len(table) ** np.arange(len(levels))
    codes = (ideal.sequences(len(table), len(levels)) @ places).tolist()
    known: dict[int, float] = dict(zip(codes, found.tolist(), strict=True))
    return lambda cells: known[int(np.dot(cells, places))]


def _grown(table: Table, levels: tuple[Fraction, ...], epsilon: float) -> Law:
    part = epsilon / len(levels).bit_length()
    known = trees.tree(table, levels, part, 1)
    return lambda cells: math.log(known.get(tuple(cells), 1e-30))


def _summed(chances: Sequence[Floats], cells: Sequence[int]) -> float:
    return sum(math.log(law[cell]) for law, cell in zip(chances, cells, strict=True))


def _walked(table: Table, level: Fraction, epsilon: Fraction) -> Law:
    """Return the law of a walk over all cells: below the median downward, else upward."""
    upward = level >= Fraction(1, 2)
    share = level if upward else 1 - level
    walked = table if upward else table[::-1]
    behind = np.cumsum(walked) * share.denominator - share.numerator * sum(table)
    known = np.log(_stops(behind[:-1], threshold_scale(1, share, epsilon)))
    return lambda cells: float(known[cells[0] if upward else len(table) - 1 - cells[0]])


def _stops(gains: NDArray[np.int64], scale: float) -> Floats:
    """Return the chance to stop at each gain, or after all, summed over the noise of the bar."""
    bars = np.arange(math.ceil(60 * scale))
    ratio = math.exp(-1 / scale)
    alive, chances = (1 - ratio) * ratio**bars, np.empty(gains.size + 1)
    for place, gain in enumerate(gains.tolist()):
        passes = ratio ** np.maximum(bars - gain, 0)
        chances[place] = (alive * passes).sum()
        alive = alive * (1 - passes)
    chances[-1] = alive.sum()
    return np.maximum(chances, 1e-300)
