"""The cells of a map, and the most that one unit can add to them."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domain import Bounds
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import DomainError
from sfumato.grid import Grid
from sfumato.plane import MOST_STEPS, Plane, Weight, deinterleave, influence, interleave
from sfumato.privacy.guarantee import PrivacyUnit

WINDOW = Plane(Grid("x", Bounds(0, 1), 4), Grid("y", Bounds(0, 1), 4))
ROWS, USERS = PrivacyUnit.rows(), PrivacyUnit.users("who")
places = st.lists(st.integers(0, 2**20 - 1), min_size=1, max_size=20)


@given(places, places)
def test_codes_are_taken_apart_again_and_quarters_stand_together(one, other):
    size = min(len(one), len(other))
    columns, rows = np.array(one[:size]), np.array(other[:size])
    codes = interleave(columns, rows)
    assert [axis.tolist() for axis in deinterleave(codes)] == [columns.tolist(), rows.tolist()]
    assert (interleave(columns >> 1, rows >> 1) == codes >> 2).all()


@given(st.floats(2.0**-30, 2.0**30))
def test_a_weight_has_as_many_steps_as_fit(most):
    weight = Weight("visits", most)
    assert math.log2(weight.steps).is_integer()
    assert weight.whole - 1 < most * weight.steps <= weight.whole <= MOST_STEPS
    assert weight.steps == 1 or 2 * weight.steps * most > MOST_STEPS


@pytest.mark.parametrize("most", [0.1, 1.0, math.nextafter(1.0, 2.0), 3.0, 100.0, 2.0**30])
@pytest.mark.parametrize("unit", [ROWS, USERS])
def test_the_heaviest_unit_there_can_be_adds_its_whole_influence_and_no_more(unit, most):
    weight = Weight("visits", most)
    table = pa.table({"x": [0.5], "y": [0.5], "who": ["z"], "visits": [1e300]})
    exact = DuckEngine(table).masses(WINDOW, unit, weight)
    l1, step = influence(unit, weight)
    moved = int(exact.reveal().sum())
    assert (exact.l1, exact.step) == (l1, step)
    assert l1 - 1 <= moved <= l1
    assert moved * step == pytest.approx(1.0 if unit is USERS else most)


def test_what_is_no_window_and_no_weight_is_refused():
    with pytest.raises(DomainError, match="cells along a side"):
        Plane(Grid("x", Bounds(0, 1), 2**20 + 1), Grid("y", Bounds(0, 1), 4))
    for most in (0, -1, math.nan, math.inf, 2.0**31, "many"):
        with pytest.raises(DomainError, match="upper bound"):
            Weight("visits", most)
