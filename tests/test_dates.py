import itertools
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.dates import MOST, Pace, find_pace
from sfumato.domain import Bounds, convert_to_datetime

DAY = timedelta(days=1)


def between(first, last):
    return Bounds.of((first, last))


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        (datetime(2026, 1, 1, 9), datetime(2026, 1, 1, 9, 1), "spans of 2 seconds"),
        (datetime(2026, 1, 1), datetime(2026, 1, 2), "hours"),
        (date(2026, 1, 1), date(2026, 2, 1), "days"),
        (date(2026, 1, 1), date(2026, 4, 1), "weeks"),
        (date(2026, 1, 1), date(2027, 1, 1), "months"),
        (date(2022, 1, 1), date(2027, 1, 1), "quarters"),
        (date(2000, 1, 1), date(2027, 1, 1), "years"),
        (date(1950, 1, 1), date(2029, 1, 1), "spans of 2 years"),
        (date.min, date.max, "spans of 500 years"),
    ],
)
def test_the_calendar_has_a_unit_for_every_range(first, last, words):
    bounds = between(first, last)
    pace = find_pace(bounds)
    assert str(pace) == words
    assert 5 <= len(pace.edges(bounds)) - 1 <= MOST + 2


def test_within_a_few_seconds_there_is_none():
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert find_pace(between(start, start + timedelta(seconds=2))) is None


def test_bins_are_wider_than_a_day_where_values_are_days():
    # Otherwise the last bin would hold the last day and the one before.
    days = Bounds.of((date(2026, 1, 1), date(2026, 2, 10)), step=DAY)
    assert str(find_pace(days)) == "weeks"


def test_edges_are_the_first_of_months_and_mondays():
    months = Pace("month").edges(between(date(2026, 1, 15), date(2026, 4, 15)))
    assert [convert_to_datetime(edge).date() for edge in months] == [
        date(2026, 1, 15), date(2026, 2, 1), date(2026, 3, 1), date(2026, 4, 1), date(2026, 4, 15),
    ]  # fmt: skip
    weeks = Pace("week").edges(between(date(2026, 1, 1), date(2026, 3, 1)))
    assert {convert_to_datetime(edge).weekday() for edge in weeks[1:-1]} == {0}
    quarters = Pace("quarter").edges(between(date(2026, 2, 1), date(2027, 2, 1)))
    assert [convert_to_datetime(edge).month for edge in quarters[1:-1]] == [4, 7, 10, 1]
    decades = Pace("year", 10).edges(between(date(1955, 1, 1), date(1999, 1, 1)))
    assert [convert_to_datetime(edge).year for edge in decades[1:-1]] == [1960, 1970, 1980, 1990]


@given(st.datetimes(), st.timedeltas(timedelta(seconds=10), timedelta(days=4_000_000)))
def test_edges_rise_from_end_to_end_whatever_the_range(first, length):
    try:
        bounds = between(first, first + length)
    except OverflowError:
        return
    pace = find_pace(bounds)
    assert pace is not None
    edges = pace.edges(bounds)
    assert (edges[0], edges[-1]) == (bounds.lower, bounds.upper)
    assert all(low < high for low, high in itertools.pairwise(edges))
    assert len(edges) - 1 <= MOST + 2
