"""Zones are tables that tell what Python's own clocks tell."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.ends import CYCLES
from sfumato.zones import find_zone

EPOCH = datetime(1970, 1, 1)
NAMES = ["America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca", "UTC"]


def count(naive):
    return (naive - EPOCH) / timedelta(microseconds=1)


@given(st.datetimes(datetime(1890, 1, 1), datetime(2190, 1, 1)), st.sampled_from(NAMES))
def test_clocks_show_what_pythons_clocks_show(when, name):
    zone, clock = find_zone(name), ZoneInfo(name)
    shown = when.replace(tzinfo=UTC).astimezone(clock).replace(tzinfo=None)
    assert float(zone.to_clock(count(when))) == pytest.approx(count(shown), abs=1)
    meant = when.replace(tzinfo=clock).astimezone(UTC).replace(tzinfo=None)
    assert float(zone.to_moment(count(when))) == pytest.approx(count(meant), abs=1)


def test_of_a_time_shown_twice_the_first_is_meant_and_a_skipped_one_has_the_offset_before():
    zone = find_zone("America/New_York")
    twice, skipped = datetime(2026, 11, 1, 1, 30), datetime(2026, 3, 8, 2, 30)
    assert float(zone.to_moment(count(twice))) == count(datetime(2026, 11, 1, 5, 30))
    assert float(zone.to_moment(count(skipped))) == count(datetime(2026, 3, 8, 7, 30))


@pytest.mark.parametrize("name", [None, "", "Nowhere/City", "../etc/passwd", "\x00", "a" * 999])
def test_a_zone_that_nobody_knows_is_utc(name):
    assert find_zone(name).name == "UTC"
    assert float(find_zone(name).to_clock(5)) == 5


@pytest.mark.parametrize(("name", "hours"), [("+02:00", 2), ("-0930", -9.5), ("GMT+05:45", 5.75)])
def test_offsets_are_zones_too(name, hours):
    assert float(find_zone(name).to_clock(0)) == hours * 3600e6
    assert find_zone(name).name == name


def test_what_comes_around_again_has_its_own_length():
    assert [len(parts) for parts in CYCLES.values()] == [24, 7, 12]
