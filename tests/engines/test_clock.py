"""Parts of dates: total, row by row, on the clocks of the zone."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.engines.clock import PARTS, read_part

_TYPES = [
    pa.date32(),
    pa.date64(),
    *(
        pa.timestamp(unit, zone)
        for unit in ("s", "ms", "us", "ns")
        for zone in (None, "Asia/Tokyo")
    ),
]


def _expect(moment: datetime) -> dict[str, int]:
    return {
        "year": moment.year,
        "quarter": (moment.month + 2) // 3,
        "month": moment.month,
        "week": moment.isocalendar().week,
        "day": moment.day,
        "dayofyear": moment.timetuple().tm_yday,
        "weekday": moment.weekday(),
        "hour": moment.hour,
        "minute": moment.minute,
        "second": moment.second,
    }


@given(
    st.datetimes(datetime(1902, 1, 1), datetime(2037, 12, 31)),
    st.sampled_from(["UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]),
)
def test_a_part_is_what_the_clocks_of_the_zone_say(moment: datetime, zone: str) -> None:
    instant = moment.replace(tzinfo=UTC)
    column = pa.array([instant], pa.timestamp("us", zone))
    found = {part: read_part(column, part).to_pylist()[0] for part in PARTS}
    assert found == _expect(instant.astimezone(ZoneInfo(zone)))
    bare = pa.array([moment], pa.timestamp("us"))
    assert {part: read_part(bare, part).to_pylist()[0] for part in PARTS} == _expect(moment)


@pytest.mark.parametrize("dtype", _TYPES, ids=str)
def test_no_moment_fails_and_each_is_read_by_itself(dtype: pa.DataType) -> None:
    small = pa.types.is_date32(dtype)
    most = 2 ** (31 if small else 63)
    odd = [-most, most - 1, None, 0, -1, 1, most // 7, -most // 9]
    column = pa.array(odd, pa.int32() if small else pa.int64()).cast(dtype)
    for part in PARTS:
        together = read_part(column, part)
        assert together.type == pa.int64()
        alone = [read_part(column.slice(row, 1), part).to_pylist()[0] for row in range(len(odd))]
        assert together.to_pylist() == alone
        assert together.to_pylist()[2] is None


def test_dates_in_a_dictionary_are_read_as_others() -> None:
    column = pa.array([date(2024, 2, 29), None, date(2024, 2, 29)]).dictionary_encode()
    assert read_part(column, "dayofyear").to_pylist() == [60, None, 60]


def test_a_zone_that_nobody_knows_is_utc() -> None:
    lost = pa.array([0], pa.timestamp("s", "Nowhere/City"))
    assert read_part(lost, "hour").to_pylist() == [0]
    ahead = pa.array([0], pa.timestamp("s", "+05:30"))
    assert read_part(ahead, "minute").to_pylist() == [30]
