"""Smooth sensitivity of the median, against its definition on every small table."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations_with_replacement

import numpy as np

import smooth

Table = tuple[int, ...]

UNIVERSE = range(4)
ENDS = smooth.Ends(0.0, 3.0)
TABLES = [t for size in range(5) for t in combinations_with_replacement(UNIVERSE, size)]
EPSILON, DELTA = 2.0, 0.1


def array(table: Table) -> smooth.Floats:
    return np.array(table, dtype=np.float64)


@cache
def neighbours(table: Table) -> frozenset[Table]:
    fewer = {table[:place] + table[place + 1 :] for place in range(len(table))}
    return frozenset(fewer | {tuple(sorted((*table, value))) for value in UNIVERSE})


@cache
def median(table: Table) -> float:
    return smooth.median(array(table), ENDS)


@cache
def local(table: Table) -> float:
    return max(abs(median(table) - median(other)) for other in neighbours(table))


def furthest(table: Table) -> list[float]:
    """The largest local sensitivity within k rows, by walking through all tables."""
    seen, found = {table}, [local(table)]
    edge = seen
    for _ in table:
        edge = {other for near in edge for other in neighbours(near)} - seen
        seen = seen | edge
        found.append(max(found[-1], *(local(near) for near in edge)))
    return found


def test_the_furthest_move_within_k_rows_is_that_of_the_definition() -> None:
    for table in TABLES:
        assert smooth.furthest(array(table), ENDS).tolist() == furthest(table)


def scale(table: Table, *, bounded: bool = True) -> float:
    values = array(table)
    ends = ENDS if bounded or not len(values) else smooth.Ends.of(values)
    return smooth.noise_scale(values, ends, EPSILON, DELTA)


def test_the_scale_of_neighbours_differs_by_no_more_than_is_allowed() -> None:
    most = smooth.smoothness(EPSILON, DELTA) + 1e-12
    for table in TABLES:
        for other in neighbours(table):
            assert abs(math.log(scale(table) / scale(other))) <= most


def test_without_bounds_the_scale_jumps() -> None:
    one, other = (scale(table, bounded=False) for table in ((1, 1, 1, 1), (1, 1, 1, 1, 3)))
    assert one == 0 < other
    assert scale((1, 1, 1, 1)) > 0


def test_the_exponential_mechanism_errs_less_for_the_same_price() -> None:
    ours, theirs = smooth.errors(500, 1.0, repeats=20)
    assert ours > 4 * theirs
