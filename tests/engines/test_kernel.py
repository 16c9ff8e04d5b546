"""The kernel agrees with bisection on the public edges, to the bit."""

import math
import warnings
from bisect import bisect_right

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engines.hostile import GRID, floats
from engines.oracle import flat
from sfumato.domain import Bounds, Categories
from sfumato.engines.cells import edges_cells, find_cells, grid_cells
from sfumato.errors import DomainError
from sfumato.grid import Edges, Grid, Labels

ANY = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)


def expected(values, grid):
    edges = grid.edges.tolist()
    lower, upper = grid.bounds.lower, grid.bounds.upper
    places = (bisect_right(edges, min(max(value, lower), upper)) - 1 for value in values.tolist())
    last = grid.cells - 1
    return [
        -1 if nan else min(place, last) for place, nan in zip(places, np.isnan(values), strict=True)
    ]


def near(grid, places):
    edges = grid.edges[np.array(places) % (grid.cells + 1)]
    return np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])


def made(lower, upper, count):
    try:
        return Grid("x", Bounds(lower, upper), count)
    except DomainError:
        return None


def test_two_hundred_thousand_hostile_values_land_where_bisection_says():
    values = np.array(floats(200_000, np.random.default_rng(1)), dtype=np.float64)
    assert grid_cells(values, GRID).tolist() == expected(values, GRID)


@given(
    lower=st.floats(-1e300, 1e300),
    width=st.floats(0, 1e300, exclude_min=True),
    count=st.integers(1, 400),
    values=st.lists(ANY, max_size=20),
    places=st.lists(st.integers(0, 400), min_size=1, max_size=20),
)
@example(lower=0.0, width=5e-324 * 2**12, count=100, values=[0.0], places=[1, 2])
@example(lower=1e15, width=200.0, count=100, values=[1e15], places=[1, 2, 99, 100])
@example(lower=-1e-310, width=3e-310, count=7, values=[0.0, -0.0], places=[3])
@example(lower=-0.0, width=1.0, count=3, values=[-0.0, 0.0], places=[0])
def test_every_grid_puts_every_value_where_bisection_says(lower, width, count, values, places):
    grid = made(lower, lower + width, count)
    if grid is None:
        return
    data = np.concatenate([np.array(values, dtype=np.float64), near(grid, places)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = grid_cells(data, grid)
    assert found.tolist() == expected(data, grid)


@pytest.mark.parametrize("count", [2**20, 2**24])
def test_fine_grids_are_exact_at_all_their_edges(count):
    grid = Grid("x", Bounds(-74.3, -73.7), count)
    places = np.random.default_rng(0).integers(0, count, 50_000)
    below = np.nextafter(grid.edges[places + 1], -np.inf)
    assert np.array_equal(grid_cells(grid.edges[places], grid), places)
    assert np.array_equal(grid_cells(below, grid), places)


def test_a_kernel_without_its_correction_would_be_caught():
    values = near(GRID, range(24))
    width = GRID.bounds.width
    naive = np.floor((np.clip(values, -0.7, 2.9) + 0.7) * 23 / width).clip(0, 22)
    assert naive.tolist() != expected(values, GRID)


@given(
    edges=st.lists(st.floats(-10, 10), min_size=2, max_size=6, unique=True).map(sorted),
    values=st.lists(ANY | st.floats(-12, 12), max_size=30),
)
def test_uneven_edges_hold_what_lies_between_them(edges, values):
    try:
        key = Edges("x", Bounds(-8, 8), tuple(edges))
    except DomainError:
        return
    data = np.array([*values, *edges], dtype=np.float64)
    for value, found in zip(data.tolist(), edges_cells(data, key).tolist(), strict=True):
        inside = min(max(value, -8.0), 8.0)
        if math.isnan(value) or not edges[0] <= inside <= edges[-1]:
            assert found == -1
        else:
            assert edges[found] <= inside
            assert inside < edges[found + 1] or (inside, found) == (edges[-1], key.cells - 1)


def test_several_keys_combine_with_the_first_slowest():
    batch = pa.record_batch(
        {"g": ["A", "B", None, "C", "B", "B"], "x": [0.0, 1.0, 1.0, 1.0, None, 0.0]}
    )
    keys = [Labels("g", Categories(("A", "B"))), Grid("x", Bounds(0, 1), 2)]
    assert find_cells(batch, keys).tolist() == [0, 3, -1, -1, -1, 2]
    rows = batch.to_pylist()
    assert find_cells(batch, keys[::-1]).tolist() == [
        -1 if place is None else place for place in (flat(row, keys[::-1]) for row in rows)
    ]


def test_without_keys_every_row_is_in_the_one_cell():
    assert find_cells(pa.record_batch({"x": [None, 1.0]}), []).tolist() == [0, 0]


LADDERS = {
    "a ladder": [0.0, *(0.01 * 2.0 ** (step / 8) for step in range(90))],
    "powers of two": [2.0**step for step in range(-5, 30)],
    "whole numbers": [*map(float, range(40))],
    "ends of buckets": [0.0, *(1 + step * 2.0**-8 for step in range(40))],
    "two in a bucket": [0.0, 1.0, 1 + 2.0**-9, *(1 + step * 2.0**-8 for step in range(1, 40))],
    "far apart": [0.0, *(10.0**step for step in range(-300, 300, 9))],
    "below zero": [-1.0, *map(float, range(40))],
}


@pytest.mark.parametrize("edges", LADDERS.values(), ids=LADDERS)
def test_many_values_are_found_between_edges_as_one_by_one(edges):
    key = Edges("x", Bounds(edges[0], edges[-1]), tuple(edges))
    generator = np.random.default_rng(1)
    some = np.array(edges)
    inside = generator.choice(some, 30_000) * generator.uniform(0.9, 1.1, 30_000)
    near = [some, np.nextafter(some, -np.inf), np.nextafter(some, np.inf), [np.nan, -0.0, 5e-324]]
    values = np.concatenate([inside, *near])
    places = np.searchsorted(some, values.clip(edges[0], edges[-1]), side="right") - 1
    wanted = np.where(np.isnan(values), -1, np.minimum(places, key.cells - 1))
    assert edges_cells(values, key).tolist() == wanted.tolist()
    assert edges_cells(values[:50], key).tolist() == wanted[:50].tolist()
