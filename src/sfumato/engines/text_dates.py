"""Dates in text, read by a declared format: each text by itself, and none fails."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.engines.file_format import FULL_MONTHS, MONTHS, DateFormat

Integers = NDArray[np.int64]

_HELD = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def read_dates(texts: pa.Array, written: DateFormat) -> pa.Array:
    """Return the moments that texts mean, as timestamps in UTC; NULL for all others.

    Privacy
    -------
    What a text is read as depends on the format and that text alone, and no text fails: one that
    is no date of this format is NULL, and counted nowhere.

    Examples
    --------
    >>> texts = pa.array(["03/02/2026 04:05", "31/02/2026 04:05", "soon", None])
    >>> read_dates(texts, DateFormat("%d/%m/%Y %H:%M")).to_pylist()
    [datetime.datetime(2026, 2, 3, 4, 5), None, None, None]
    """
    found = pc.extract_regex(texts.cast(pa.large_binary()), written.pattern)
    names = [each for each in written.directives if each != "%"]
    parts = {each: _read_part(pc.struct_field(found, each), each) for each in names}
    known = np.asarray(pc.fill_null(found.is_valid(), False)) & _is_on_calendar(parts, len(texts))
    return pa.array(_count_microseconds(parts, len(texts)), mask=~known).cast(pa.timestamp("us"))


def _take(parts: dict[str, Integers], rows: int, *names: str, usual: int = 0) -> Integers:
    found = (parts[name] for name in names if name in parts)
    return next(found, np.full(rows, usual, dtype=np.int64))


def _take_day(parts: dict[str, Integers], rows: int) -> tuple[Integers, Integers, Integers]:
    year, month = _take(parts, rows, "Y", "y"), _take(parts, rows, "m", "b", "B", usual=1)
    return year, month, _take(parts, rows, "d", usual=1)


def _is_on_calendar(parts: dict[str, Integers], rows: int) -> NDArray[np.bool_]:
    year, month, day = _take_day(parts, rows)
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    fits = day <= _HELD[month - 1] + (leap & (month == 2))
    return fits & (_take(parts, rows, "j", usual=1) <= 365 + leap) & (year > 0)


def _count_microseconds(parts: dict[str, Integers], rows: int) -> Integers:
    days = _count_days(*_take_day(parts, rows)) + _take(parts, rows, "j", usual=1) - 1
    hours = _take(parts, rows, "H")
    if "p" in parts:
        hours = parts["I"] % 12 + 12 * parts["p"]
    minutes = days * 1440 + hours * 60 + _take(parts, rows, "M") - _take(parts, rows, "z")
    return (minutes * 60 + _take(parts, rows, "S")) * 1_000_000 + _take(parts, rows, "f")


def _read_part(texts: pa.Array, directive: str) -> Integers:
    """Return a part of dates as whole numbers; where there is no date, of one that is none."""
    lower = pc.ascii_lower(texts.cast(pa.large_string()))
    match directive:
        case "b" | "B" | "p":
            names = {"b": MONTHS, "B": FULL_MONTHS, "p": ["am", "pm"]}[directive]
            places = pc.index_in(lower, value_set=pa.array(names, pa.large_string()))
            found = pc.add(places, 0 if directive == "p" else 1)
        case "f":
            found = pc.utf8_rpad(lower, 6, "0").cast(pa.int64())
        case "z":
            digits = pc.replace_substring_regex(lower, "[z:+-]", "")
            signs = pc.if_else(pc.starts_with(lower, "-"), -1, 1)
            clock = pc.if_else(pc.equal(digits, ""), "0000", digits).cast(pa.int64())
            clock, signs = (np.asarray(pc.fill_null(each, 0)) for each in (clock, signs))
            return (signs * (clock // 100 * 60 + clock % 100)).astype(np.int64)
        case _:
            found = lower.cast(pa.int64())
    numbers = np.asarray(pc.fill_null(found, 1)).astype(np.int64)
    if directive == "y":  # as POSIX has it
        return numbers + np.where(numbers < 69, 2000, 1900)
    return numbers


def _count_days(year: Integers, month: Integers, day: Integers) -> Integers:
    """Return how many days after 1970 began a day of the calendar is (Hinnant 2013)."""
    year = year - (month <= 2)
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468
