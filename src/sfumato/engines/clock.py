"""Parts of dates and times: the year, the hour, the day of the week of each row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from numpy.typing import NDArray

from sfumato.engines.columns import decode_column, find_kind, find_time_zone
from sfumato.zones import find_zone

_A_DAY = 86_400
_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_FIRST = -62_135_596_800 + _A_DAY  # a day within the years 1 to 9999, so that any zone's clock is
_LAST = 253_402_300_800 - _A_DAY

_PARTS: Mapping[str, Callable[[pa.Array], Any]] = {
    "year": pc.year,
    "quarter": pc.quarter,
    "month": pc.month,
    "week": pc.iso_week,
    "day": pc.day,
    "dayofyear": pc.day_of_year,
    "weekday": pc.day_of_week,
    "hour": pc.hour,
    "minute": pc.minute,
    "second": pc.second,
}

PARTS = tuple(_PARTS)
"""The parts that can be read: weekdays count from 0 for Monday, weeks as ISO 8601 does."""


def read_part(array: pa.Array, part: str) -> pa.Array:
    """Return one part of each date or time as whole numbers of 64 bits, NULL where there is none.

    A time with a zone is read on the clocks of that zone, a time without one as it stands; a date
    begins at midnight. What is not within the years 1 to 9999, but for their first and last day,
    is NULL; so is all of a column without times. A zone that nobody knows is UTC.

    Privacy
    -------
    A row's part depends on that row and on the column's type alone, and no value fails.

    Examples
    --------
    >>> noon = pa.array([0, None], pa.timestamp("s", "America/New_York"))
    >>> read_part(noon, "hour").to_pylist(), read_part(noon, "weekday").to_pylist()
    ([19, None], [2, None])
    """
    if find_kind(array.type) != "time":
        return pa.nulls(len(array), pa.int64())
    return _PARTS[part](read_local_seconds(array)).cast(pa.int64())


def read_local_seconds(array: pa.Array) -> pa.Array:
    """Return dates and times on the clocks of their zone, in whole seconds, rounded down.

    Privacy
    -------
    As for `read_part`.
    """
    column = decode_column(array)
    seconds = _count_seconds(column)
    absent = np.asarray(column.is_null()) | (seconds < _FIRST) | (seconds >= _LAST)
    zone = find_zone(find_time_zone(column.type))
    # Of whole seconds, since microseconds of far years are no floats any more.
    place = np.searchsorted(zone.changes, np.where(absent, 0, seconds) * 1e6, side="right")
    ahead = (zone.offsets // 1e6).astype(np.int64)[place]
    return pa.array(seconds + ahead, mask=absent).cast(pa.timestamp("s"))


def _count_seconds(column: pa.Array) -> NDArray[np.int64]:
    if kinds.is_date32(column.type):
        days = np.asarray(pc.fill_null(column.cast(pa.int32()), 0), dtype=np.int64)
        return days * _A_DAY
    unit = "ms" if kinds.is_date64(column.type) else column.type.unit
    return np.asarray(pc.fill_null(column.cast(pa.int64()), 0)) // _TICKS[unit]
