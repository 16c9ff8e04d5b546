"""Dates, times of day and durations as numbers: columns that have them by type, and text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from numpy.typing import NDArray

from sfumato.domain import Bounds
from sfumato.ends import DAY, DURATIONS, Part
from sfumato.engines.clock import read_part
from sfumato.engines.columns import (
    Floats,
    Integers,
    decode_column,
    drop_long_texts,
    is_text,
    read_indices,
    read_numbers,
    read_numbers_and_gaps,
)
from sfumato.zones import find_zone

_SPACE = "[ \\t]*"
_OF_A_DAY = (
    "(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]{1,9}))?)?"
)
_OFFSET = "(?:(?P<utc>[Zz])|(?P<sign>[+-])(?P<ahead>[0-9]{2})(?::?(?P<more>[0-9]{2}))?)"

ISO_DATE = (
    f"^{_SPACE}(?P<year>[0-9]{{4}})-(?P<month>[0-9]{{2}})-(?P<day>[0-9]{{2}})"
    f"(?:[T ]{_OF_A_DAY}(?: ?{_OFFSET})?)?{_SPACE}$"
)
"""All that is read as a date, or as a time on one: ISO 8601 to the nanosecond, in full."""

ISO_TIME = f"^{_SPACE}{_OF_A_DAY}{_SPACE}$"
"""All that is read as a time of day."""

_PER_SECOND = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}
_READ_AS: dict[Part, str] = {"hour of day": "hour", "weekday": "weekday", "month of year": "month"}


def read_values(column: pa.Array, bounds: Bounds) -> tuple[Floats, NDArray[np.bool_]]:
    """Read a column as what its bounds say it is, and where it has nothing.

    Privacy
    -------
    What a row is read as depends on that row and public facts alone, and no value fails.
    """
    if bounds.duration is not None:
        values = read_durations(column) / DURATIONS[bounds.duration]
    elif bounds.clock:
        values = read_clock(column)
    elif bounds.time and _holds_text(column.type):
        values = read_times(column, zone=bounds.zone)
    else:
        return read_numbers_and_gaps(column)
    return values, np.zeros(len(column), dtype=np.bool_)


def find_parts(column: pa.Array, part: Part, zone: str | None) -> Integers:
    """Return which hour of the day, day of the week or month of the year each row is in, or -1.

    Privacy
    -------
    A row's part depends on that row and public facts alone, and no value fails.
    """
    if kinds.is_time(decode_column(column.slice(0, 0)).type):
        hours = read_clock(column) // DURATIONS["hours"]
        return np.where(np.isnan(hours), -1, hours).astype(np.int64).clip(max=23)
    found = read_part(_read_moments(column, zone), _READ_AS[part])
    places = np.asarray(pc.fill_null(found, -1), dtype=np.int64)
    return places - (places > 0) if part == "month of year" else places


def _read_moments(column: pa.Array, zone: str | None) -> pa.Array:
    """Return moments in microseconds, to be told on the clocks of a zone."""
    values = read_times(column, zone=zone) if _holds_text(column.type) else read_numbers(column)
    # Beyond the calendar there are no parts, and within it a float has its microsecond.
    known = np.abs(values) < 2.0**62
    clock = find_zone(zone).to_clock(np.where(known, values, 0.0))
    return pa.array(clock.astype(np.int64), mask=~known).cast(pa.timestamp("us"))


def read_times(texts: pa.Array, *, zone: str | None = None) -> Floats:
    """Read dates as microseconds since 1970 in UTC; NaN stands for what is none.

    ISO 8601 is read: ``2026-01-31``, ``2026-01-31 08:30``, ``2026-01-31T08:30:00.5+02:00``. A text
    that says no offset is a time on the clocks of `zone`, or in UTC. Other formats are declared
    with the file: `sfumato.engines.text_dates`.

    Privacy
    -------
    What becomes of a text depends on that text and public facts alone, and no text fails.

    Examples
    --------
    >>> texts = pa.array(["1970-01-01T02:00+02:00", "1970-01-02", "soon", "1970-02-30", None])
    >>> read_times(texts).tolist()
    [0.0, 86400000000.0, nan, nan, nan]
    """
    return _read_each(texts, lambda words: _parse_dates(words, ISO_DATE, zone))


def read_clock(column: pa.Array) -> Floats:
    """Read times of day as microseconds since midnight; NaN stands for what is none.

    Privacy
    -------
    What a row is read as depends on that row and public facts alone, and no value fails.

    Examples
    --------
    >>> read_clock(pa.array(["08:30", "24:00", "8"])).tolist()
    [30600000000.0, nan, nan]
    """
    return _read_each(column, _read_times_of_day)


def read_durations(column: pa.Array) -> Floats:
    """Read durations as microseconds; NaN stands for what is none.

    Privacy
    -------
    What a row is read as depends on that row and public facts alone, and no value fails.
    """
    return _read_each(column, _count_microseconds)


def _holds_text(dtype: pa.DataType) -> bool:
    return is_text(decode_column(pa.nulls(0, dtype)).type)


def _read_each(column: pa.Array, read: Callable[[pa.Array], Floats]) -> Floats:
    if kinds.is_dictionary(column.type):
        coded = cast(pa.DictionaryArray, column)
        if len(coded.dictionary) < len(coded):  # to read each word once is less work
            values = pa.array(read(decode_column(coded.dictionary)))
            return np.asarray(values.take(read_indices(coded)).to_numpy(zero_copy_only=False))
    return read(decode_column(column))


def _count_microseconds(column: pa.Array) -> Floats:
    """Return ticks of a type with a unit as microseconds, rounded down."""
    if not (kinds.is_time(column.type) or kinds.is_duration(column.type)):
        return np.full(len(column), np.nan)
    wide = kinds.is_time32(column.type)
    ticks = column.view(pa.int32()).cast(pa.int64()) if wide else column.view(pa.int64())
    whole = np.asarray(pc.fill_null(ticks, 0))
    unit = _PER_SECOND[column.type.unit]
    values = (whole // 1000).astype(np.float64) if unit > 10**6 else whole * (10.0**6 / unit)
    return np.where(np.asarray(ticks.is_null()), np.nan, values)


def _read_times_of_day(column: pa.Array) -> Floats:
    if is_text(column.type):
        values = _parse_clock(_Fields(column, ISO_TIME))
    else:
        values = _count_microseconds(column)
    return np.where((values >= 0) & (values <= DAY), values, np.nan)


class _Fields:
    """What a regular expression with named groups finds in texts, as whole numbers."""

    def __init__(self, texts: pa.Array, pattern: str) -> None:
        words = drop_long_texts(texts).cast(pa.large_binary())
        self._found = pc.extract_regex(words, pattern)
        self.known = np.asarray(self._found.is_valid())
        self._names = set(re.compile(pattern).groupindex)

    def text(self, name: str) -> pa.Array:
        """Return a group, empty where it is not there."""
        if name not in self._names:
            return pa.array([""] * len(self._found), pa.large_string())
        group = pc.struct_field(self._found, name).cast(pa.large_binary())
        return pc.fill_null(group, b"").cast(pa.large_string())

    def number(self, name: str, digits: int = 0) -> Integers:
        """Return the number in a group, 0 where there is none; of decimals the first so many."""
        text = self.text(name)
        if digits:
            text = pc.utf8_slice_codeunits(pc.utf8_rpad(text, digits, "0"), 0, digits)
        text = pc.if_else(pc.equal(text, ""), "0", text)
        return np.asarray(text.cast(pa.int64()))


def _parse_clock(fields: _Fields) -> Floats:
    hour, minute, second = (fields.number(name) for name in ("hour", "minute", "second"))
    known = fields.known & (hour < 24) & (minute < 60) & (second < 60)
    values = ((hour * 60 + minute) * 60 + second) * 10**6 + fields.number("part", digits=6)
    return np.where(known, values.astype(np.float64), np.nan)


def _parse_dates(texts: pa.Array, pattern: str, zone: str | None) -> Floats:
    if not is_text(texts.type):
        return np.full(len(texts), np.nan)
    fields = _Fields(texts, pattern)
    year, month, day = (fields.number(name) for name in ("year", "month", "day"))
    known = fields.known & (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    months = np.where(known, (year - 1970) * 12 + month - 1, 0).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + np.where(known, day - 1, 0)
    known &= days.astype("datetime64[M]") == months
    values = days.astype(np.int64) * DAY + _parse_clock(fields)
    moments = _apply_offsets(values, fields, zone)
    return np.where(known, moments, np.nan)


def _apply_offsets(values: Floats, fields: _Fields, zone: str | None) -> Floats:
    hours, minutes = fields.number("ahead"), fields.number("more")
    west = np.asarray(pc.equal(fields.text("sign"), "-"))
    ahead = np.where(west, -1, 1) * (hours * 60 + minutes) * 60e6
    offset = np.where((hours < 24) & (minutes < 60), ahead, np.nan)
    bare = np.asarray(pc.and_(*(pc.equal(fields.text(name), "") for name in ("utc", "sign"))))
    local = values if zone is None else find_zone(zone).to_moment(values)
    return np.where(bare, local, values - offset)
