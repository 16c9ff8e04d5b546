"""Ends of a range, however they are spelled."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from sfumato.domain import Bounds, ColumnType, Domain
from sfumato.ends import read_end
from sfumato.errors import DomainError

NEW_YEAR = 1_767_225_600e6
YORK = ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    "spelling",
    [
        date(2026, 1, 1),
        datetime(2026, 1, 1),
        np.datetime64("2026-01-01"),
        np.datetime64("2026-01-01T00:00:00.000000000"),
        pd.Timestamp("2026-01-01"),
        "2026-01-01",
        " 2026-01-01T00:00 ",
        "2026-01-01 00:00:00.000",
    ],
    ids=repr,
)
def test_a_date_is_the_same_however_it_is_spelled(spelling):
    end = read_end(spelling)
    assert end is not None
    assert (end.kind, end.value, end.zone) == ("time", NEW_YEAR, None)


@pytest.mark.parametrize(
    ("spelling", "zone"),
    [
        (datetime(2026, 1, 1, tzinfo=UTC), "UTC"),
        (datetime(2025, 12, 31, 19, tzinfo=YORK), "America/New_York"),
        (pd.Timestamp("2025-12-31 19:00", tz="America/New_York"), "America/New_York"),
        ("2026-01-01T02:00+02:00", "UTC"),
        ("2026-01-01T00:00Z", "UTC"),
    ],
    ids=repr,
)
def test_a_moment_names_its_zone(spelling, zone):
    end = read_end(spelling)
    assert end is not None
    assert (end.value, end.zone) == (NEW_YEAR, zone)


@pytest.mark.parametrize(
    "pair",
    [
        ("0min", "90min"),
        (timedelta(0), timedelta(minutes=90)),
        (np.timedelta64(0, "m"), np.timedelta64(90, "m")),
        (pd.Timedelta(0), pd.Timedelta(minutes=90)),
    ],
    ids=repr,
)
def test_durations_are_numbers_of_a_unit_that_their_bounds_choose(pair):
    assert Bounds.of(pair) == Bounds(0, 90, duration="minutes")


@pytest.mark.parametrize(
    "pair", [("08:00", "24:00"), (time(8), time(0)), (time(8), "24:00")], ids=repr
)
def test_midnight_ends_a_day_too(pair):
    assert Bounds.of(pair) == Bounds(8 * 3600e6, 24 * 3600e6, time=True, clock=True)


@pytest.mark.parametrize(
    "pair",
    [
        ("2026-02-30", "2026-03-01"),
        ("2026-01-01", "08:00"),
        (date(2026, 1, 1), 5),
        (pd.NaT, pd.NaT),
        (np.datetime64("NaT"), np.datetime64("NaT")),
        ("soon", "later"),
        ("2026-W01", "2026-W09"),
        ("25:00", "26:00"),
        (time(9), time(8)),
        (timedelta(1), timedelta(0)),
        (datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1)),
    ],
    ids=repr,
)
def test_ends_that_make_no_range_are_refused(pair):
    with pytest.raises(DomainError):
        Bounds.of(pair)


def test_a_pair_of_dates_in_text_is_bounds_and_a_list_of_them_categories():
    domain = Domain(a=("2026-01-01", "2027-01-01"), b=["2026-01-01", "2027-01-01"], c=("x", "y"))
    assert domain.bounds("a") == Bounds.of((date(2026, 1, 1), date(2027, 1, 1)))
    assert domain.categories("b").values == ("2026-01-01", "2027-01-01")
    assert domain.categories("c").values == ("x", "y")


def test_ends_without_a_zone_are_meant_on_the_clocks_of_the_column():
    york = ColumnType(time=True, zone="America/New_York")
    day = Bounds.of((date(2026, 3, 8), date(2026, 3, 9))).located(york)
    assert day.width == 23 * 3600e6
    assert day.show(day.lower) == datetime(2026, 3, 8, tzinfo=YORK)
    assert day.located(york) == day  # who is told twice is not moved twice
    utc = Bounds.of((datetime(2026, 3, 8, tzinfo=UTC), datetime(2026, 3, 9, tzinfo=UTC)))
    assert utc.located(york).width == 24 * 3600e6


def test_bounds_are_printed_as_they_are_read():
    for pair in (("2026-01-01", "2027-01-01"), ("08:00", "24:00")):
        bounds = Bounds.of(pair)
        import datetime as module

        assert eval(repr(bounds), {"Bounds": Bounds, "datetime": module}) == bounds
