"""Parts of dates and times: the year, the hour, the day of the week of each row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from numpy.typing import NDArray

from sfumato.engines.columns import decode_column, find_kind

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


def knows_zone(dtype: pa.DataType) -> bool:
    """Tell whether times of this type can be told in their zone, which is a fact about the type.

    Examples
    --------
    >>> knows_zone(pa.timestamp("us")), knows_zone(pa.timestamp("us", "Nowhere/City"))
    (True, False)
    """
    if kinds.is_dictionary(dtype) or kinds.is_run_end_encoded(dtype):
        return knows_zone(dtype.value_type)
    if not kinds.is_timestamp(dtype) or dtype.tz is None:
        return True
    try:
        pc.local_timestamp(pa.array([0], pa.timestamp("s", dtype.tz)))
    except pa.ArrowInvalid:
        return False
    return True


def read_part(array: pa.Array, part: str) -> pa.Array:
    """Return one part of each date or time as whole numbers of 64 bits, NULL where there is none.

    A time with a zone is read on the clocks of that zone, a time without one as it stands; a date
    begins at midnight. What is not within the years 1 to 9999, but for their first and last day,
    is NULL; so is all of a column without times, or in a zone that nobody knows.

    Privacy
    -------
    A row's part depends on that row and on the column's type alone, and no value fails.

    Examples
    --------
    >>> noon = pa.array([0, None], pa.timestamp("s", "America/New_York"))
    >>> read_part(noon, "hour").to_pylist(), read_part(noon, "weekday").to_pylist()
    ([19, None], [2, None])
    """
    if find_kind(array.type) != "time" or not knows_zone(array.type):
        return pa.nulls(len(array), pa.int64())
    return _PARTS[part](read_local_seconds(array)).cast(pa.int64())


def read_local_seconds(array: pa.Array) -> pa.Array:
    """Return dates and times on the clocks of their zone, in whole seconds, rounded down.

    Privacy
    -------
    As for `read_part`.
    """
    column = decode_column(array)
    zone = column.type.tz if kinds.is_timestamp(column.type) else None
    seconds = _count_seconds(column)
    absent = np.asarray(column.is_null()) | (seconds < _FIRST) | (seconds >= _LAST)
    moments = pa.array(seconds, mask=absent).cast(pa.timestamp("s", zone))
    return moments if zone is None else pc.local_timestamp(moments)


def _count_seconds(column: pa.Array) -> NDArray[np.int64]:
    if kinds.is_date32(column.type):
        days = np.asarray(pc.fill_null(column.cast(pa.int32()), 0), dtype=np.int64)
        return days * _A_DAY
    unit = "ms" if kinds.is_date64(column.type) else column.type.unit
    return np.asarray(pc.fill_null(column.cast(pa.int64()), 0)) // _TICKS[unit]
