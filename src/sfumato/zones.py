"""Time zones as tables: what clocks show at a moment, and which moment a clock means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_YEAR, _LAST_YEAR = 1880, 2200
_PROBED = 4 * 86_400  # clocks were never changed and changed again within so few seconds
_FIXED = re.compile(r"(?:GMT|UTC)?([+-])([01][0-9]|2[0-3]):?([0-5][0-9])")
_NAME = re.compile(r"[A-Za-z0-9_+/-]{1,64}")


@dataclass(frozen=True, eq=False)
class Zone:
    """The clocks of one zone, by the moments at which they are changed.

    Of a time that clocks show twice the first is meant; one that they skip is read with the offset
    before, as Python reads it. Clocks are not changed before 1880 and after 2200.

    Parameters
    ----------
    name
        What the zone is called.
    clock
        What tells Python the time there.
    changes
        The moments at which clocks are changed, in microseconds since 1970 in UTC.
    offsets
        By how much clocks are ahead of UTC before the first change, and after each.

    Examples
    --------
    >>> zone = find_zone("America/New_York")
    >>> [float(zone.to_clock(moment)) / 3.6e9 for moment in (0, 0.5 * 365.25 * 86_400e6)]
    [-5.0, 4379.0]
    """

    name: str
    clock: tzinfo
    changes: Floats
    offsets: Floats

    def to_clock(self, moments: ArrayLike) -> Floats:
        """Return what clocks show at moments, as if that were UTC."""
        values = np.asarray(moments, dtype=np.float64)
        return values + self.offsets[np.searchsorted(self.changes, values, side="right")]

    def to_moment(self, clock: ArrayLike) -> Floats:
        """Return the moments at which clocks show these times."""
        values = np.asarray(clock, dtype=np.float64)
        shown = self.changes + np.maximum(self.offsets[:-1], self.offsets[1:])
        return values - self.offsets[np.searchsorted(shown, values, side="right")]


@cache
def find_zone(name: str | None) -> Zone:
    """Return the zone of this name; UTC where there is none, or none that this machine knows.

    Examples
    --------
    >>> find_zone("+02:00").name, find_zone(None).name, find_zone("Nowhere/City").name
    ('+02:00', 'UTC', 'UTC')
    """
    clock = _find_clock(name or "UTC")
    if clock is None:
        name, clock = "UTC", UTC
    changes = [] if isinstance(clock, timezone) else _list_changes(clock)
    offsets = [_read_offset(clock, at) for at in (_start(_FIRST_YEAR), *changes)]
    return Zone(
        name or "UTC", clock, np.array(changes, dtype=np.float64) * 1e6, np.array(offsets) * 1e6
    )


def _find_clock(name: str) -> tzinfo | None:
    if name in ("UTC", "Z"):
        return UTC
    if fixed := _FIXED.fullmatch(name):
        sign, hours, minutes = fixed.groups()
        ahead = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(ahead if sign == "+" else -ahead)
    if not _NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def _start(year: int) -> int:
    return int((datetime(year, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds())


def _read_offset(clock: tzinfo, seconds: int) -> float:
    ahead = (_EPOCH + timedelta(seconds=seconds)).astimezone(clock).utcoffset()
    return (ahead or timedelta()).total_seconds()


def _list_changes(clock: tzinfo) -> list[int]:
    """Return the seconds at which an offset begins that is another than before."""
    probes = range(_start(_FIRST_YEAR), _start(_LAST_YEAR), _PROBED)
    found: list[int] = []
    before = _read_offset(clock, probes[0])
    for probe in probes[1:]:
        now = _read_offset(clock, probe)
        if now != before:
            found.append(_search_change(clock, probe - _PROBED, probe, before))
            before = now
    return found


def _search_change(clock: tzinfo, low: int, high: int, before: float) -> int:
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _read_offset(clock, middle) == before else (low, middle)
    return high
