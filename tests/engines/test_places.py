"""Rows have the cell that two bisections give them, and the weight of one multiplication."""

import math
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines import oracle
from sfumato.domain import Bounds
from sfumato.engines.cells import make_cell_locator, weigh_rows
from sfumato.grid import Grid
from sfumato.plane import Plane, Weight

ANY = st.none() | st.floats() | st.floats(-1, 2)
NUMBERS = [None, math.nan, -math.inf, math.inf, -1.0, -0.0, 5e-324, 0.1, 1.0, 2.5, 1e308]


@cache
def placing(cells, outside):
    columns, lines = cells
    plane = Plane(Grid("x", Bounds(0, 1), columns), Grid("y", Bounds(-0.5, 1.5), lines), outside)
    return plane, make_cell_locator(plane)


@pytest.mark.parametrize("outside", ["drop", "edge"])
@pytest.mark.parametrize("cells", [(1, 1), (5, 3), (2**20, 2**20), (1000, 7)])
@settings(max_examples=50)
@given(rows=st.lists(st.tuples(ANY, ANY), min_size=1, max_size=20))
def test_a_row_has_the_cell_of_its_two_values(cells, outside, rows):
    plane, place = placing(cells, outside)
    x, y = (pa.array(values, pa.float64(), from_pandas=False) for values in zip(*rows, strict=True))
    found = place(pa.record_batch([x, y], names=["x", "y"])).tolist()
    expected = [oracle.code({"x": a, "y": b}, plane) for a, b in rows]
    assert found == [-1 if code is None else code for code in expected]


@pytest.mark.parametrize("most", [2.0**30, 1000.0, 2.5, 1.0, 0.3, 1e-9])
def test_a_weight_is_rounded_down_to_steps(most):
    weight = Weight("w", most)
    values = [*NUMBERS, most, math.nextafter(most, 0), most / 3]
    found = weigh_rows(pa.array(values, pa.float64(), from_pandas=False), weight)
    assert found.tolist() == [oracle.weighed({"w": value}, weight) for value in values]
    assert found.dtype == np.int64
    assert 0 <= found.min() <= found.max() <= weight.whole


def test_a_weight_in_words_weighs_nothing():
    texts = pa.array(["2", " 0.5 ", "many", "", "-1", "inf", "nan", None])
    assert weigh_rows(texts, Weight("w", 4.0)).tolist() == [2**29, 2**27, 0, 0, 0, 2**30, 0, 0]


def test_what_was_read_is_left_as_it_was():
    values = np.array([0.5, 9.0, math.nan])
    column = pa.array(values, from_pandas=False)
    weigh_rows(column, Weight("w", 1.0))
    assert column.to_pylist()[:2] == [0.5, 9.0]
