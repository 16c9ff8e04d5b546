"""Units of the calendar as edges of bins between two public moments, on the clocks of a zone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile

from sfumato.domain import Bounds, convert_to_datetime, convert_to_microseconds
from sfumato.zones import Zone, find_zone

MOST = 40
"""How many bins a column is cut into at most, where nobody says how many."""

_SECOND = 1e6
_DAY = 86_400 * _SECOND
_LENGTHS = {
    "second": _SECOND,
    "minute": 60 * _SECOND,
    "hour": 3600 * _SECOND,
    "day": _DAY,
    "week": 7 * _DAY,
    "month": 30.4 * _DAY,
    "quarter": 91.3 * _DAY,
    "year": 365.2 * _DAY,
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_MONDAY = 4 * _DAY  # the first of 1970, from which weeks are counted


@dataclass(frozen=True)
class Pace:
    """How edges follow each other: so many units of the calendar at a time.

    Weeks begin on Mondays; spans of several units where their number divides the clock or the year.
    Days and longer units begin at midnight on the clocks of the zone, and so do spans of hours: a
    day on which clocks are changed has 23 or 25 hours. An hour and shorter units are always as
    long.

    Examples
    --------
    >>> from datetime import date
    >>> year = Bounds.of((date(2026, 1, 1), date(2027, 1, 1)))
    >>> str(find_pace(year)), len(Pace("month").edges(year)) - 1
    ('months', 12)
    """

    unit: str
    count: int = 1

    def __str__(self) -> str:
        return f"{self.unit}s" if self.count == 1 else f"spans of {self.count} {self.unit}s"

    @property
    def length(self) -> float:
        """How long one bin is, in microseconds; of months and years about."""
        return self.count * _LENGTHS[self.unit]

    def edges(self, bounds: Bounds) -> tuple[float, ...]:
        """Return the ends of bounds and all edges between them."""
        zone = find_zone(bounds.zone)
        after = takewhile(lambda edge: edge < bounds.upper, self._list_edges(bounds.lower, zone))
        inside = dict.fromkeys(edge for edge in after if edge > bounds.lower)
        return (bounds.lower, *inside, bounds.upper)

    def _list_edges(self, lower: float, zone: Zone) -> Iterator[float]:
        shown = float(zone.to_clock(lower))
        if self.length <= _LENGTHS["hour"]:
            return (lower - shown + edge for edge in self._list_equal_edges(shown))
        months = self.unit in _MONTHS
        clock = self._list_month_edges(shown) if months else self._list_equal_edges(shown)
        return clock if zone.name == "UTC" else (float(zone.to_moment(edge)) for edge in clock)

    def _list_equal_edges(self, lower: float) -> Iterator[float]:
        edge = lower - (lower - _MONDAY) % self.length
        while True:
            edge += self.length
            yield edge

    def _list_month_edges(self, lower: float) -> Iterator[float]:
        start, months = convert_to_datetime(lower), self.count * _MONTHS[self.unit]
        first = (12 * start.year + start.month - 1) // months + 1
        for month in range(first * months, 12 * 10_000, months):
            yield convert_to_microseconds(datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC))


_CLOCK = ((1, 2, 5, 10, 15, 30), (1, 2, 5, 10, 15, 30), (1, 2, 3, 6, 12))
_PACES = (
    *(Pace(unit, n) for unit, counts in zip(_LENGTHS, _CLOCK, strict=False) for n in counts),
    *(Pace(unit) for unit in ("day", "week", "month", "quarter")),
    *(Pace("year", n) for n in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
)


def find_pace(bounds: Bounds) -> Pace | None:
    """Return the finest pace that cuts bounds into at most `MOST` bins, about.

    It is coarser than a step of the bounds, so that the moment at their end is one of many in its
    bin. There is none within a few seconds, where the clock has nothing to align to.
    """
    if bounds.width < MOST / 4 * _SECOND:
        return None
    finest = max(bounds.width / MOST, 1.5 * (bounds.step or 0.0))
    return next((pace for pace in _PACES if pace.length >= finest), None)
