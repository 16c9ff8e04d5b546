import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.charts.values import SMALLEST, make_geometric_ladder, make_signed_ladder
from sfumato.domain import Bounds
from sfumato.errors import DomainError
from sfumato.grid import Edges, Grid

WIDE = Bounds(-(2.0**40), 2.0**40)


@given(
    lower=st.floats(-1e6, 1e6),
    width=st.floats(1e-3, 1e9),
    cells=st.integers(1, 10_000),
    ratio=st.floats(1.001, 10),
    upward=st.booleans(),
)
def test_rungs_are_distinct_cells_from_one_end_to_the_other(lower, width, cells, ratio, upward):
    grid = Grid("x", Bounds(lower, lower + width), cells)
    rungs = make_geometric_ladder(grid, ratio, upward=upward)
    assert (np.diff(rungs) > 0).all()
    assert rungs[0] == 0
    assert rungs[-1] == cells - 1


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_rungs_lie_where_the_powers_are(unit):
    grid = Grid("x", Bounds(-50, 50), 2**20)
    rungs = make_geometric_ladder(grid, 1.5, unit=unit)
    wanted = [-50 + unit * (1.5**i - 1) for i in range(len(rungs) - 1)]
    assert (grid.edges[rungs[:-1]] <= np.array(wanted) + 1e-9).all()
    assert (np.array(wanted) < grid.edges[rungs[:-1] + 1]).all()


def test_a_ladder_that_leads_down_is_the_mirror_of_one_that_leads_up():
    grid = Grid("x", Bounds(-50, 50), 1000)
    up, down = make_geometric_ladder(grid), make_geometric_ladder(grid, upward=False)
    assert (down == 999 - up[::-1]).all()


def test_the_ladder_of_the_paper_has_a_few_thousand_rungs():
    rungs = make_geometric_ladder(Grid("x", Bounds(-50, 50), 2**20))
    assert rungs.size == math.ceil(math.log(101) / math.log(1.001)) + 1
    assert np.diff(rungs).max() < 2**20 / 900


@pytest.mark.parametrize("ratio", [1.0, 0.5, 1 + 1e-9, math.inf, math.nan])
def test_a_ladder_without_end_is_refused(ratio):
    with pytest.raises(DomainError, match="ratio above 1"):
        make_geometric_ladder(Grid("x", Bounds(0, 1), 10), ratio)
    with pytest.raises(DomainError, match="ratio above 1"):
        make_signed_ladder(WIDE, ratio=ratio)


@pytest.mark.parametrize("size", [0.0, -1.0, math.nan])
def test_a_ladder_without_a_smallest_step_is_refused(size):
    with pytest.raises(DomainError, match="smallest step"):
        make_geometric_ladder(Grid("x", Bounds(0, 1), 10), unit=size)
    with pytest.raises(DomainError, match="smallest step"):
        make_signed_ladder(WIDE, smallest=size)


def test_marks_lie_around_zero_on_powers_of_the_ratio():
    edges = np.array(make_signed_ladder(WIDE))
    assert edges.size == 283
    assert (edges == -edges[::-1]).all()
    above = edges[edges > 0]
    assert above[0] == SMALLEST
    assert above[1:] / above[:-1] == pytest.approx(math.sqrt(2))
    assert {1.0, 1024.0, 2.0**39} <= set(edges.tolist())


ends = st.floats(-1e12, 1e12)


@given(ends, ends, st.floats(1.001, 10))
def test_any_limits_are_divided_from_end_to_end(one, other, ratio):
    lower, upper = min(one, other), max(one, other)
    if upper - lower < 1e-6 * max(abs(lower), abs(upper), 1e-60):
        return
    limits = Bounds(lower, upper)
    edges = np.array(make_signed_ladder(limits, ratio=ratio))
    assert Edges("x", limits, tuple(edges)).cells == edges.size - 1
    assert (edges[0], edges[-1]) == (lower, upper)
    inner = edges[1:-1]
    for end, mark in ((lower, inner[:1]), (upper, inner[-1:])):
        # No cell at an end is so narrow that a finer grid within it would have no room.
        far = np.maximum(np.abs(mark), abs(end))
        assert (np.abs(mark - end) >= (1 - ratio**-0.5) * far).all()


def test_narrow_limits_are_one_cell():
    assert make_signed_ladder(Bounds(100, 101)) == (100.0, 101.0)


def test_small_limits_have_a_smaller_smallest_step():
    assert min(edge for edge in make_signed_ladder(Bounds(0, 1e-6)) if edge > 0) < 1e-11
