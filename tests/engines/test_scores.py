"""Projections and distances are those of exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.domain import Bounds
from sfumato.engines import cells as points
from sfumato.engines.cells import compute_scores, find_cells
from sfumato.lattice import MOST_COLUMNS, REACH, DistanceCells, Lattice, Projection

LATTICE = Lattice(("a", "b", "c"), (Bounds(-1, 1),) * 3, (1.0,) * 3)
WIDE = Lattice(tuple(f"c{n}" for n in range(100)), (Bounds(-1, 1),) * 100, (1.0,) * 100)
steps = st.integers(-REACH, REACH)
places = st.tuples(steps, steps, steps)
directions = st.tuples(*[st.integers(-REACH // 2, REACH // 2)] * 3)


def along(vector, origin=(0, 0, 0), lattice=LATTICE):
    return Projection(lattice, "PC1", origin, vector, Bounds(-4, 4), 64)


def away(*vectors, origin=(0, 0, 0), lattice=LATTICE):
    return DistanceCells(lattice, "r", origin, vectors, (0.0, 0.5, 1.0, 2.0))


def block(rows, lattice=LATTICE):
    values = np.array(rows, dtype=np.float64).T * lattice.unit
    return pa.record_batch(list(values), names=list(lattice.columns))


def projected(row, vector, origin):
    parts = zip(row, vector, origin, strict=True)
    return Fraction(sum((at - start) * part for at, part, start in parts), REACH)


@settings(max_examples=150)
@given(st.lists(places, min_size=1, max_size=9), directions, places)
def test_a_projection_is_exact(rows, vector, origin):
    (found,) = compute_scores(block(rows), [along(vector, origin)])
    unit = Fraction(LATTICE.unit)
    assert [Fraction(value) for value in found] == [
        projected(row, vector, origin) * unit for row in rows
    ]


@settings(max_examples=150)
@given(st.lists(places, min_size=1, max_size=9), directions, directions, places)
def test_a_distance_is_the_nearest_float_or_the_one_beside_it(rows, one, other, origin):
    whole, plane = compute_scores(
        block(rows), [away(origin=origin), away(one, other, origin=origin)]
    )
    for row, far, near in zip(rows, whole, plane, strict=True):
        squares = sum((at - start) ** 2 for at, start in zip(row, origin, strict=True))
        assert far == math.sqrt(squares) * LATTICE.unit
        exact = sum(projected(row, vector, origin) ** 2 for vector in (one, other))
        wanted = math.sqrt(exact) * LATTICE.unit
        assert math.isclose(near, wanted, rel_tol=1e-15, abs_tol=0)


def test_the_longest_sums_there_can_be_are_exact():
    each = REACH // 10
    vector, origin = (each,) * MOST_COLUMNS, (-REACH,) * MOST_COLUMNS
    rows = [[REACH] * MOST_COLUMNS, [REACH] * (MOST_COLUMNS - 1) + [REACH - 1]]
    asked = [along(vector, origin, WIDE), away(origin=origin, lattice=WIDE)]
    projections, distances = compute_scores(block(rows, WIDE), asked)
    total = MOST_COLUMNS * 2 * REACH * each
    assert [Fraction(value) * REACH / Fraction(WIDE.unit) for value in projections] == [
        total,
        total - each,
    ]
    assert distances[0] == 20 * REACH * WIDE.unit > distances[1]


def test_what_is_nowhere_is_nowhere_even_across_a_direction():
    rows = pa.record_batch({"a": [0.5, 0.5], "b": [math.nan, 0.5], "c": pa.array([0.5, None])})
    asked = [along((REACH, 0, 0)), away(), away((REACH, 0, 0))]
    assert all(np.isnan(values).all() for values in compute_scores(rows, asked))
    assert find_cells(rows, asked).tolist() == [-1, -1]


def test_distances_beyond_the_last_edge_are_counted_before_it_and_0_in_the_first():
    rows = block([(0, 0, 0), (REACH, REACH, REACH), (REACH // 2, 0, 0)])
    assert find_cells(rows, [away()]).tolist() == [0, 2, 1]
    assert find_cells(rows, [away((0, 0, 0))]).tolist() == [0, 0, 0]


@pytest.mark.parametrize("bounds", [1e-300, 1.0, 1e300])
def test_scales_of_any_size_cause_no_warning(bounds):
    lattice = Lattice(("a", "b"), (Bounds(-bounds, bounds),) * 2, (bounds, bounds))
    rows = pa.record_batch({"a": [bounds, 1e308, -1e308, 0.0], "b": [math.inf, 1.0, -1.0, 0.0]})
    vector = (REACH, 0)
    asked = [
        Projection(lattice, "PC1", (0, 0), vector, Bounds(-1, 1), 4),
        DistanceCells(lattice, "r", (0, 0), (vector,), (0.0, 1.0)),
        DistanceCells(lattice, "r", (REACH, REACH), (), (0.0, 1.0)),
    ]
    assert (find_cells(rows, asked) >= 0).all()


def test_questions_of_several_lattices_are_answered_in_their_order(monkeypatch):
    placed, strips = [], points._place_on_lattice
    monkeypatch.setattr(
        points, "_place_on_lattice", lambda *given: placed.append(1) or strips(*given)
    )
    other = Lattice(("b", "a"), (Bounds(-2, 2), Bounds(-2, 2)), (1.0, 1.0))
    rows = block([(REACH // 4, REACH // 2, 0)])
    first = Projection(other, "PC1", (0, 0), (REACH, 0), Bounds(-4, 4), 8)
    second = Projection(other, "PC2", (0, 0), (0, REACH), Bounds(-4, 4), 8)
    found = compute_scores(rows, [first, along((REACH, 0, 0)), second, along((0, 0, REACH))])
    assert [values.tolist() for values in found] == [[0.5], [0.25], [0.25], [0.0]]
    assert len(placed) == 2  # once for each lattice
