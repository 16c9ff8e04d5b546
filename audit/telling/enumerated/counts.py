"""Noisy counts: the log ratio of every outcome that matters, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from typing import cast

from telling.enumerated.ideal import Table

Weight = Callable[[int], float | Fraction]


def neighbours(cells: int, levels: list[int], rows: int) -> Iterator[tuple[Table, Table]]:
    """All pairs of tables over some cells that differ by one unit of up to `rows` rows."""
    units = [w for w in product(range(rows + 1), repeat=cells) if 1 <= sum(w) <= rows]
    for table in product(levels, repeat=cells):
        for unit in units:
            yield table, tuple(n + w for n, w in zip(table, unit, strict=True))


def log_weight(scale: float) -> Weight:
    """The logarithm of the law of Laplace noise, up to a constant: an exact fraction."""
    return lambda z: -abs(z) / Fraction(scale)


def largest_log_ratio(rows: int, log_weight: Weight, reach: int = 1) -> float | Fraction:
    """The largest log ratio over small tables, neighbours and outcomes, in both directions.

    For Laplace noise nothing changes any more beyond the largest and the smallest count.
    """
    weight = cast(Weight, cache(log_weight))
    largest: float | Fraction = 0
    for one, other in neighbours(3 if reach == 1 else 1, [0, 1], rows):
        for outcome in product(range(-reach, 2 + rows + reach), repeat=len(one)):
            here = sum(weight(o - n) for o, n in zip(outcome, one, strict=True))
            there = sum(weight(o - n) for o, n in zip(outcome, other, strict=True))
            if here != there:
                largest = max(largest, abs(here - there))
    return largest


def laplace_tail(least: int, scale: float) -> Decimal:
    """P(noise >= least), by summing what lies above it."""
    ratio = (-1 / Decimal(scale)).exp()
    if least < 1:
        return 1 - laplace_tail(1 - least, scale)
    return ratio**least / (1 + ratio)
