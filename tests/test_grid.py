import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.domain import Bounds, Categories
from sfumato.errors import DomainError
from sfumato.grid import MOST_CELLS, Edges, Grid, Labels, shape

AGE = Bounds(0, 110)


def refused(attempt) -> str:
    with pytest.raises(DomainError) as refusal:
        attempt()
    words = str(refusal.value)
    assert words.endswith(".")
    assert words.count(". ") >= 2
    return words


def test_tenths_are_printed_as_everyone_writes_them():
    edges = Grid("share", Bounds(0, 1), 10).edges.tolist()
    assert edges == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


def test_adding_up_a_step_would_not_print_tenths():
    assert (np.arange(11) * 0.1).tolist() != Grid("share", Bounds(0, 1), 10).edges.tolist()


@pytest.mark.parametrize(
    ("bounds", "cells", "edges"),
    [
        (Bounds(0, 240), 4, [0, 60, 120, 180, 240]),
        (Bounds(-1, 1), 4, [-1, -0.5, 0, 0.5, 1]),
        (Bounds(0, 3), 10, [0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.1, 2.4, 2.7, 3]),
        (Bounds(0, 0.7), 1, [0, 0.7]),
    ],
)
def test_edges_lie_where_they_are_expected(bounds, cells, edges):
    assert Grid("x", bounds, cells).edges.tolist() == edges


@given(st.floats(-1e12, 1e12), st.floats(1e-6, 1e12), st.integers(1, 5000))
def test_edges_rise_from_the_lower_bound_to_the_upper_without_a_gap(lower, width, cells):
    assume(width / cells > 16 * math.ulp(abs(lower) + width))
    bounds = Bounds(lower, lower + width)
    grid = Grid("x", bounds, cells)
    assert grid.edges.shape == (cells + 1,)
    assert (grid.edges[0], grid.edges[-1]) == (bounds.lower, bounds.upper)
    assert (np.diff(grid.edges) > 0).all()
    inner = np.arange(cells, dtype=np.float64)
    assert (grid.edge(inner) == grid.edges[:-1]).all()


def test_bounds_too_narrow_for_their_bins_are_refused():
    narrow = Bounds(1e15, 1e15 + 8)
    assert "too narrow" in refused(lambda: Grid("x", narrow, 100))
    assert "too narrow" in refused(lambda: Grid("x", Bounds(0, 5e-324), 20))
    assert np.diff(narrow.lower + np.arange(101) * narrow.width / 100).min() == 0


def test_bounds_too_wide_for_their_bins_are_refused():
    assert "too wide" in refused(lambda: Grid("x", Bounds(0, 1e308), 100))


@pytest.mark.parametrize("cells", [0, -1, MOST_CELLS + 1, 2.5, True, None, "20", math.nan])
def test_the_number_of_bins_is_a_whole_number_in_reach(cells):
    assert "bins=" in refused(lambda: Grid("age", AGE, cells))


def test_edges_may_have_any_spacing():
    edges = Edges("age", AGE, (0, 18, 65, 110))
    assert edges.cells == 3
    assert edges.edges.tolist() == [0, 18, 65, 110]


@pytest.mark.parametrize(
    "values", [(), (1,), (1, 1), (2, 1), (0, math.nan), (0, math.inf), (0, 5, 5, 9)]
)
def test_edges_must_rise(values):
    assert "rising" in refused(lambda: Edges("age", AGE, values))


@pytest.mark.parametrize("values", [(110, 120), (-5, 0), (200, 300)])
def test_edges_outside_the_bounds_are_refused(values):
    assert "outside its bounds" in refused(lambda: Edges("age", AGE, values))


def test_a_label_is_a_cell():
    assert Labels("ward", Categories(("A", "B"))).cells == 2


def test_the_shape_of_an_answer_is_one_axis_per_key():
    keys = [
        Grid("age", AGE, 11),
        Edges("wait", AGE, (0, 9, 30)),
        Labels("ward", Categories(("A",))),
    ]
    assert shape(keys) == (11, 2, 1)
    assert shape([]) == ()


def test_an_answer_too_large_to_hold_is_refused():
    wide = Grid("lon", Bounds(-180, 180), 2**13)
    assert "more than" in refused(lambda: shape([wide, wide]))
    assert shape([wide, Grid("lat", AGE, 2**11)]) == (2**13, 2**11)


def test_keys_are_values():
    assert Grid("age", AGE, 4) == Grid("age", Bounds.of((0, 110)), 4)
    assert len({Grid("age", AGE, 4), Grid("age", AGE, 4), Grid("age", AGE, 5)}) == 2
