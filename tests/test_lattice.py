"""The points of a lattice, and what can be asked about them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domain import Bounds
from sfumato.errors import DomainError
from sfumato.lattice import (
    LENGTH,
    MOST_COLUMNS,
    REACH,
    SHARES,
    DistanceCells,
    Lattice,
    Moments,
    Projection,
    moment_weight,
)
from sfumato.privacy.guarantee import MOST_MAX_ROWS, PrivacyUnit

UNIT = Bounds(0, 1)
PAIR = Lattice(("a", "b"), (UNIT, Bounds(-3, 5)), (0.5, 8.0))
widths = st.floats(1e-14, 1e14)


@given(st.lists(st.tuples(widths, widths), min_size=2, max_size=5))
def test_the_widest_column_takes_more_than_half_of_the_lattice_and_fits(facts):
    names = tuple(f"c{index}" for index in range(len(facts)))
    bounds, scales = zip(*[(Bounds(0, width), scale) for width, scale in facts], strict=True)
    lattice = Lattice(names, bounds, scales)
    assert math.frexp(lattice.unit)[0] == 0.5  # a power of two
    assert REACH / 2 < max(lattice.halves) / lattice.unit <= REACH
    lowest, highest = lattice.corners
    assert np.array_equal(lowest, -highest)
    assert REACH / 2 <= highest.max() <= REACH
    assert np.allclose(highest * lattice.unit, lattice.halves, atol=lattice.unit)


@given(st.tuples(st.floats(0, 1), st.floats(-3, 5)))
def test_a_place_is_nearest_to_the_point_that_its_row_is_moved_to(values):
    found = PAIR.nearest(PAIR.scaled(values))
    steps = (np.array(values) - PAIR.middles) * PAIR.factors
    assert np.abs(np.array(found) - steps).max() <= 0.5 + 1e-6


@pytest.mark.parametrize(
    ("columns", "bounds", "scales", "match"),
    [
        (("a",), (UNIT,), (1.0,), "from 2 to 100 columns"),
        (("a", "a"), (UNIT, UNIT), (1.0, 1.0), "each named once"),
        (tuple(map(str, range(101))), (UNIT,) * 101, (1.0,) * 101, "from 2 to 100 columns"),
        (("a", "b"), (UNIT, UNIT), (1.0, 0.0), "above 0"),
        (("a", "b"), (UNIT, UNIT), (1.0, -1.0), "above 0"),
        (("a", "b"), (UNIT, UNIT), (1.0, math.inf), "above 0"),
        (("a", "b"), (UNIT, UNIT), (1.0, math.nan), "above 0"),
        (("a", "b"), (UNIT, UNIT), (1.0, "many"), "above 0"),
        (("a", "b"), (UNIT, Bounds(0, 1e300)), (1.0, 1e-300), "too wide"),
        (("a", "b"), (UNIT, Bounds(0, 1e300)), (1e300, 1.0), "too wide"),
        (("a", "b"), (Bounds(0, 1e-320), Bounds(0, 1e-320)), (1e-320, 1e-320), "too wide"),
        (("a", "b"), (UNIT, UNIT), (5e-324, 1.0), "too wide"),
        (("a", "b"), (UNIT, UNIT), (1e-78, 1e-78), "Their squares would exceed"),
        (("a", "b"), (UNIT, UNIT), (1e78, 1e78), "Their squares would exceed"),
    ],
)
def test_what_is_no_lattice_is_refused(columns, bounds, scales, match):
    with pytest.raises(DomainError, match=match) as refused:
        Lattice(columns, bounds, scales)
    assert str(refused.value).count(". ") == 2


@given(st.tuples(*[st.floats(min_value=0, exclude_min=True, allow_infinity=False)] * 4))
def test_bounds_and_scales_of_any_size_are_refused_or_fit(sizes):
    width, other, *scales = sizes
    try:
        lattice = Lattice(("a", "b"), (Bounds(0, width), Bounds(-other, 0)), tuple(scales))
    except DomainError:
        return
    for each in (*lattice.factors, lattice.unit, lattice.farthest):
        assert 0 < each < math.inf
    assert np.abs(lattice.corners).max() <= REACH


@pytest.mark.parametrize("columns", range(2, MOST_COLUMNS + 1))
def test_a_row_has_room_to_be_rounded(columns):
    """Rounding adds at most √d / 2 to a length; floats, a few 2⁻⁵² of it."""
    names = tuple(f"c{index}" for index in range(columns))
    lattice = Lattice(names, (UNIT,) * columns, (1.0,) * columns)
    reach = Fraction(Moments(lattice, (0,) * columns, 1.0, 1).reach) * (1 + Fraction(4, 2**52))
    assert reach > 0
    # √d / 2 ≤ LENGTH − reach, without a root.
    assert Fraction(columns, 4) <= (LENGTH - reach) ** 2


def test_sums_of_squares_and_projections_stay_exact():
    assert MOST_COLUMNS * (2 * REACH) ** 2 < 2**53
    longest = REACH + MOST_COLUMNS
    assert longest**2 * MOST_COLUMNS * (2 * REACH) ** 2 < 2 ** (2 * 53)
    assert LENGTH**2 * MOST_MAX_ROWS < 2**53


def test_one_unit_weighs_what_its_rows_may_weigh():
    units = [PrivacyUnit.rows(), PrivacyUnit.users("u"), PrivacyUnit.users("u", max_rows=9)]
    assert [moment_weight(unit) for unit in units] == [1, SHARES, 9]
    asked = Moments(PAIR, (0, 0), 1.0, 5)
    assert (asked.size, asked.longest) == (3, 25 + LENGTH**2)


VECTOR = (REACH, 0)


@pytest.mark.parametrize(
    "question",
    [
        lambda: Moments(PAIR, (0, 0, 0), 1.0, 1),
        lambda: Moments(PAIR, (0, REACH + 1), 1.0, 1),
        lambda: Moments(PAIR, (0, 0), 0.5, 1),
        lambda: Moments(PAIR, (0, 0), math.nan, 1),
        lambda: Moments(PAIR, (0, 0), 2.0**30, 1),
        lambda: Moments(PAIR, (0, 0), 1.0, 0),
        lambda: Moments(PAIR, (0, 0), 1.0, LENGTH + 1),
        lambda: Projection(PAIR, "PC1", (0, -REACH - 1), VECTOR, UNIT, 2),
        lambda: Projection(PAIR, "PC1", (0, 0), (REACH,), UNIT, 2),
        lambda: Projection(PAIR, "PC1", (0, 0), (REACH, REACH), UNIT, 2),
        lambda: Projection(PAIR, "PC1", (0, 0), VECTOR, UNIT, 0),
        lambda: DistanceCells(PAIR, "r", (0, 0), (VECTOR,), (0.5, 1.0)),
        lambda: DistanceCells(PAIR, "r", (0, 0), (VECTOR,), (0.0, 1.0, 1.0)),
        lambda: DistanceCells(PAIR, "r", (0, 0), ((REACH, REACH),), (0.0, 1.0)),
        lambda: DistanceCells(PAIR, "r", (0,), (), (0.0, 1.0)),
    ],
)
def test_what_is_no_question_is_refused(question):
    with pytest.raises((ValueError, DomainError)):
        question()


def test_questions_have_the_cells_of_a_column():
    projection = Projection(PAIR, "PC1", (0, 0), VECTOR, Bounds(-1, 1), 4)
    assert (projection.column, projection.edges.tolist()) == ("PC1", [-1, -0.5, 0, 0.5, 1])
    distance = DistanceCells(PAIR, "r", (0, 0), (), (0.0, 1.0, 3.0))
    assert (distance.column, distance.cells, distance.ladder.cells) == ("r", 2, 2)
