"""Walks over a ladder: the chances of all rungs at which they may stop, to fifty digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, wraps
from itertools import product
from typing import ParamSpec, TypeVar

from telling.enumerated.ideal import Table, tables

CELLS = 4
ALLOWANCES = (-2, 0, 2)
DIGITS = 50

P = ParamSpec("P")
T = TypeVar("T")

ln = cache(Decimal.ln)  # the same chances come again and again


def precisely(work: Callable[P, T]) -> Callable[P, T]:
    """Work with fifty digits, whatever the digits of whoever calls."""

    @wraps(work)
    def precise(*given: P.args, **named: P.kwargs) -> T:
        with localcontext() as context:
            context.prec = DIGITS
            return work(*given, **named)

    return precise


@cache
@precisely
def law(
    gains: tuple[int, ...], scale: float, bar_scale: float | None = None
) -> tuple[Decimal, ...]:
    """The chance to stop at each of the gains, or after them: summed over the noise of the bar."""
    bar_scale = scale if bar_scale is None else bar_scale
    ratio = (-1 / Decimal(scale)).exp()
    bar_ratio = (-1 / Decimal(bar_scale)).exp() if bar_scale else Decimal(0)
    bars = math.ceil(100 * bar_scale) if bar_scale else 1
    powers = [ratio**v for v in range(bars - min((0, *gains)))]
    chances, chance = [Decimal(0)] * (len(gains) + 1), 1 - bar_ratio
    for bar in range(bars):
        alive = chance
        for place, gain in enumerate(gains):
            passes = powers[max(bar - gain, 0)]
            chances[place] += alive * passes
            alive *= 1 - passes
        chances[-1] += alive
        chance *= bar_ratio
    return tuple(chances)


def gains(
    table: Table,
    level: Fraction,
    allowance: int = 0,
    *,
    upward: bool = True,
    whole: int | None = None,
) -> tuple[int, ...]:
    """What lies behind each rung but the last less what is wanted, over the level's denominator."""
    walked = table if upward else table[::-1]
    wanted = level * (sum(table) if whole is None else whole) - allowance
    behind = [sum(walked[: rung + 1]) - wanted for rung in range(len(table) - 1)]
    scaled = [gain * level.denominator for gain in behind]
    assert all(gain.denominator == 1 for gain in scaled)
    return tuple(int(gain) for gain in scaled)


@precisely
def both_ends(
    table: Table, least: int, scale: float, *, all_rungs: bool = False
) -> dict[tuple[int, int], Decimal]:
    """The chances of all answers of `extremes`; or of one whose second walk is not cut short."""
    chances: dict[tuple[int, int], Decimal] = {}
    down = law(gains(table, Fraction(0), -least, upward=False), scale)
    for passed, first in enumerate(down):
        upper = len(table) - 1 - passed
        rungs = len(table) - 1 if all_rungs else upper
        up = law(tuple(sum(table[: rung + 1]) - least for rung in range(rungs)), scale)
        for lower, second in enumerate(up):
            chances[lower, upper] = first * second
    return chances


@precisely
def loss(one: Iterable[Decimal], other: Iterable[Decimal]) -> Decimal:
    """The largest log ratio, in either direction, over all answers."""
    chances = list(zip(one, other, strict=True))
    if any((a == 0) != (b == 0) for a, b in chances):
        return Decimal("inf")
    return max(abs(ln(a) - ln(b)) for a, b in chances if a)


def added(rows: int) -> Iterator[tuple[Table, Table]]:
    """All tables of a few rows, each with one row more."""
    for table in tables(CELLS, rows):
        for cell in range(CELLS):
            yield table, tuple(n + (c == cell) for c, n in enumerate(table))


def moved(rows: int) -> Iterator[tuple[Table, Table]]:
    """All tables of so many rows, each with one row moved."""
    for table in tables(CELLS, rows):
        for cell, other in product(range(CELLS), repeat=2):
            if sum(table) == rows and table[cell] and cell != other:
                yield table, tuple(n - (c == cell) + (c == other) for c, n in enumerate(table))


def largest_loss(
    pairs: Iterable[tuple[Table, Table]],
    level: Fraction,
    scale: float,
    *,
    bar_scale: float | None = None,
    public: bool = False,
    out_of_order: bool = False,
) -> Decimal:
    """The most that the rung of a walk tells about any pair of tables, in either direction."""
    largest = Decimal(0)
    for pair in pairs:
        for allowance, upward in product(ALLOWANCES, (True, False)):
            laws: list[tuple[Decimal, ...]] = []
            for table in pair:
                whole = 3 if public else None
                steps = gains(table, level, allowance, upward=upward, whole=whole)
                laws.append(law(steps[::-1] if out_of_order else steps, scale, bar_scale))
            largest = max(largest, loss(*laws))
    return largest
