"""How time is spelled: dates, times of day and durations that end a range, units of calendars."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

EndKind = Literal["number", "time", "duration", "clock"]

DAY = 86_400e6
"""Microseconds from one midnight to the next."""

DURATIONS = {
    "microseconds": 1.0,
    "milliseconds": 1e3,
    "seconds": 1e6,
    "minutes": 60e6,
    "hours": 3600e6,
    "days": DAY,
}
"""Units that durations are told in, in microseconds."""

UNITS = ("hour", "day", "week", "month", "quarter", "year")
"""Units of the calendar that bins can be asked for by."""

Part = Literal["hour of day", "weekday", "month of year"]
"""What comes around again on clocks and calendars."""

CYCLES: dict[Part, tuple[str, ...] | tuple[int, ...]] = {
    "hour of day": tuple(range(24)),
    "weekday": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "month of year": (
        *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
        *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    ),
}
"""What comes around again, and what each part of it is called."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LEAST = 3  # of the unit that durations are told in, at the farther end
_SHORT = {"us": 1.0, "ms": 1e3, "s": 1e6, "min": 60e6, "h": 3600e6, "d": DAY}
_ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_CLOCK = re.compile(r"([01][0-9]|2[0-4]):([0-5][0-9])(?::([0-5][0-9]))?")
_DURATION = re.compile(r"(-?[0-9]{1,12}(?:\.[0-9]{1,6})?) ?(us|ms|s|min|h|d)")


@dataclass(frozen=True)
class End:
    """One end of a range: what it is, its number, and the zone that it names.

    Moments are microseconds since 1970, in UTC if they name a zone and on the clock if they do not;
    times of day are microseconds since midnight, durations microseconds.
    """

    kind: EndKind
    value: float
    zone: str | None = None


def read_end(spelling: object) -> End | None:
    """Read a number, a date, a time of day or a duration, or a text that says one of the latter.

    Examples
    --------
    >>> read_end("90min")
    End(kind='duration', value=5400000000.0, zone=None)
    >>> read_end("2026-01-31") == read_end(date(2026, 1, 31))
    True
    """
    value = _convert_numpy(spelling)
    match value:
        case str():
            return _read_text(value.strip())
        case date():
            return _read_date(value)
        case timedelta():
            return _finite("duration", lambda: value / timedelta(microseconds=1))
        case time():
            shown = timedelta(
                hours=value.hour,
                minutes=value.minute,
                seconds=value.second,
                microseconds=value.microsecond,
            )
            return End("clock", shown / timedelta(microseconds=1))
        case _:
            return None


def _finite(kind: EndKind, number: Any, zone: str | None = None) -> End:
    """Return an end, whose number is NaN where it has none, as that of no time has none."""
    with suppress(TypeError, ValueError, OverflowError):
        return End(kind, float(number()), zone)
    return End(kind, math.nan, zone)


def choose_duration(lower: float, upper: float) -> str:
    """Return the unit in which durations between these are told.

    Examples
    --------
    >>> choose_duration(0, 90 * 60e6), choose_duration(0, 4 * 3600e6)
    ('minutes', 'hours')
    """
    farthest = max(abs(lower), abs(upper))
    fitting = [unit for unit, length in DURATIONS.items() if farthest >= _LEAST * length]
    return fitting[-1] if fitting else "microseconds"


def format_clock(microseconds: float) -> str:
    """Print a time of day; the end of the day is 24:00.

    Examples
    --------
    >>> format_clock(30_600e6), format_clock(DAY)
    ('08:30', '24:00')
    """
    seconds, parts = divmod(round(min(max(microseconds, 0.0), DAY)), 1_000_000)
    hours, minutes = divmod(seconds // 60, 60)
    more = f":{seconds % 60:02d}" if seconds % 60 or parts else ""
    return f"{hours:02d}:{minutes:02d}{more}" + (f".{parts:06d}".rstrip("0") if parts else "")


def is_time_text(text: object) -> bool:
    """Tell whether a text is a date or a time as ISO 8601 writes them, which a category is rarely.

    Examples
    --------
    >>> is_time_text("2026-01-31"), is_time_text("08:30"), is_time_text("30s")
    (True, True, False)
    """
    end = read_end(text) if isinstance(text, str) else None
    return end is not None and end.kind != "duration"


def _convert_numpy(value: Any) -> object:
    """Return a date or a span of NumPy as one of Python's."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind not in ("M", "m") or getattr(value, "ndim", 0):
        return value
    found = value.astype("datetime64[us]" if kind == "M" else "timedelta64[us]").item()
    return found if isinstance(found, date | timedelta) else None


def _read_text(text: str) -> End | None:
    if _ISO.fullmatch(text):
        with suppress(ValueError):  # the thirtieth of February
            return _read_date(datetime.fromisoformat(text))
        return None
    if shown := _CLOCK.fullmatch(text):
        hours, minutes, seconds = (int(part or 0) for part in shown.groups())
        value = (hours * 3600 + minutes * 60 + seconds) * 1e6
        return End("clock", value) if value <= DAY else None
    if spanned := _DURATION.fullmatch(text):
        number, unit = spanned.groups()
        return End("duration", float(round(float(number) * _SHORT[unit])))
    return None


def _read_date(moment: date) -> End:
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is None:
        return _finite("time", lambda: _count(moment.replace(tzinfo=UTC)))
    return _finite("time", lambda: _count(moment), _name_zone(moment))


def _count(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _name_zone(moment: datetime) -> str:
    """Return what a moment calls its zone; UTC where that is an offset."""
    zone = moment.tzinfo
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    return name if isinstance(name, str) else "UTC"
