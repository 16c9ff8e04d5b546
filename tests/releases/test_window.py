import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domain import Bounds, convert_to_datetime
from sfumato.figure import Estimates
from sfumato.releases.axes import Window

FREE = (0.0, 0.0)


BOUNDS = Bounds(0, 500)


def window(*numbers, bounds=BOUNDS, least=0.01, margins=FREE):
    columns = zip(*numbers, strict=True) if numbers else ((), (), ())
    value, low, high = map(tuple, columns)
    return Window.around([Estimates(value, low, high)], bounds, least=least, margins=margins)


def test_a_window_holds_values_and_their_intervals():
    assert window((50, 45, 55), (90, 80, 95)) == Window((45, 95), cut=False)


def test_bounds_limit_the_window_but_do_not_widen_it():
    assert window((50, -40, 55), (90, 85, 95)).limits == (0, 95)
    wide = window((50, 45, 55), (90, 80, 95), bounds=Bounds(-1e6, 1e6))
    assert wide.limits == (45, 95)


def test_one_interval_much_longer_than_the_rest_is_cut_and_told_about():
    cut = window((50, 45, 55), (70, 65, 75), (90, 85, 499))
    assert cut.cut
    assert cut.limits == (45, 110)
    assert window((390, 1, 395), (410, 405, 415), (430, 425, 435)).limits == (370, 435)


def test_where_all_intervals_are_long_all_are_shown():
    assert window((50, 0, 400), (51, 0, 410), (52, 0, 420)) == Window((0, 420), cut=False)


def test_equal_values_have_room_around_them():
    assert window((7, 7, 7), least=2.0).limits == (6, 8)


def test_margins_are_parts_of_the_whole():
    low, high = window((0, 0, 0), (80, 80, 80), margins=(0.1, 0.1)).limits
    assert (low, high) == pytest.approx((-10, 90))


def test_without_numbers_the_bounds_are_shown():
    assert window() == Window((0, 500), cut=False)


@given(
    st.lists(st.tuples(st.floats(0, 500), st.floats(0, 500), st.floats(0, 500)), min_size=1),
    st.floats(0, 0.2),
)
def test_every_value_is_inside_whatever_the_intervals(numbers, margin):
    rising = [tuple(sorted(number)) for number in numbers]
    shown = window(*((b, a, c) for a, b, c in rising), margins=(margin, margin))
    low, high = shown.limits
    assert all(low <= value <= high for _, value, _ in rising)
    assert low < high
    hidden = any(a < low - 1e-9 or c > high + 1e-9 for a, _, c in rising)
    assert shown.cut or not hidden


def test_margins_never_leave_the_calendar():
    bounds = Bounds.of((date(1, 1, 1), date(9999, 12, 31)))
    ends = (bounds.lower, bounds.upper)
    shown = window(*((end, end, end) for end in ends), bounds=bounds, margins=(0.1, 0.1))
    assert [convert_to_datetime(end).year for end in shown.limits] == [1, 9999]


@pytest.mark.parametrize("ends", [(0, 1.7e308), (-1.7e308, 1.7e308)])
def test_a_window_ends_somewhere_whatever_a_file_says(ends):
    low, high = ends
    found = window((50, low, high), (60, low, high)), window((low, low, low), (high, high, high))
    for each in found:
        assert all(map(math.isfinite, each.limits))
