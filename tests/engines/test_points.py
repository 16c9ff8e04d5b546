"""A row's point is its own: plain arithmetic gives the same, wherever the row stands."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines import oracle
from sfumato.domain import Bounds
from sfumato.engines import cells as points
from sfumato.engines.cells import iterate_points
from sfumato.errors import DomainError
from sfumato.lattice import REACH, Lattice

ANY = st.none() | st.floats() | st.floats(-2, 2)
ends = st.floats(-1e9, 1e9) | st.floats()


def points_of(rows, lattice):
    """Return the point of each row, or None."""
    names = [*lattice.columns]
    schema = pa.schema([(name, pa.float64()) for name in names])
    listed = [dict(zip(names, row, strict=True)) for row in rows]
    block = pa.RecordBatch.from_pylist(listed, schema)
    blocks = [each.copy() for each in iterate_points(block, lattice)] or [np.empty((len(names), 0))]
    columns = np.concatenate(blocks, axis=1).T
    return [None if np.isnan(row).any() else tuple(map(int, row)) for row in columns]


def expected(rows, lattice):
    return [oracle.point(dict(zip(lattice.columns, row, strict=True)), lattice) for row in rows]


def made(bounds, scales):
    try:
        return Lattice(("a", "b"), tuple(Bounds(*sorted(pair)) for pair in bounds), scales)
    except DomainError:
        return None


@settings(max_examples=300)
@given(
    st.tuples(*[st.tuples(ends, ends)] * 2),
    st.tuples(*[st.floats(1e-9, 1e9) | st.floats()] * 2),
    st.lists(st.tuples(ANY, ANY), max_size=9),
)
def test_a_row_has_the_point_of_plain_arithmetic(bounds, scales, rows):
    lattice = made(bounds, scales)
    if lattice is not None:
        rows += [tuple(pair) for pair in zip(*bounds, strict=True)]
        assert points_of(rows, lattice) == expected(rows, lattice)


STEPS = st.integers(-REACH - 2, REACH + 2).map(lambda step: step + 0.5) | st.floats(-2e6, 2e6)


@settings(max_examples=100)
@given(st.lists(st.tuples(STEPS, STEPS), min_size=1, max_size=20), st.integers(1, 5))
def test_where_a_row_stands_does_not_matter(rows, strip):
    lattice = Lattice(("a", "b"), (Bounds(0, 1), Bounds(-3, 5)), (0.5, 3.0))
    middles, factors = lattice.middles, lattice.factors
    values = [tuple((np.array(row) / factors + middles).tolist()) for row in rows]
    values[len(values) // 2] = (None, math.nan)
    together = points_of(values, lattice)
    assert together == [points_of([row], lattice)[0] for row in values]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(points, "STRIP", strip)
        assert points_of(values, lattice) == together


def test_bounds_that_floats_hardly_tell_apart_do_not_leave_the_lattice():
    """The middle is rounded to the lower bound, and so the upper one lies twice too far from it."""
    lattice = Lattice(("a", "b"), (Bounds(2.0**53, 2.0**53 + 2), Bounds(0, 1)), (1.0, 1.0))
    assert lattice.middles[0] == 2.0**53
    assert points_of([(2.0**53 + 2, 1.0), (2.0**53, 0.0)], lattice) == [
        (REACH, REACH // 2),
        (0, -REACH // 2),
    ]


def test_what_was_read_is_left_as_it_was():
    values = np.array([0.5, 9.0, math.nan])
    block = pa.record_batch({"a": values, "b": values})
    for found in iterate_points(block, Lattice(("a", "b"), (Bounds(0, 1),) * 2, (1.0, 1.0))):
        found[:] = 1.0
    assert values[:2].tolist() == [0.5, 9.0]
