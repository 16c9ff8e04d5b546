"""Where the people of the city go, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.city.people import DISTRICTS, inhabitants
from sfumato.city.places import KINDS, Floats, Integers, degrees, places

if TYPE_CHECKING:
    import pyarrow as pa

DAYS = 365
FIRST_DAY = np.datetime64("2025-01-01", "us")
FESTIVAL = range(171, 178)
"""The week in June when the whole city is out at night."""

_MOST = 1500

# How busy each kind of place is around the clock, at 0, 3, 6, … 24 hours, and on a weekend day.
_CLOCK: dict[str, tuple[tuple[float, ...], float]] = {
    "cafe": ((0, 0, 2, 9, 6, 6, 2, 0.5, 0), 1.3),
    "restaurant": ((0.3, 0, 0, 1, 7, 2, 8, 5, 0.3), 1.4),
    "bar": ((5, 2, 0, 0, 0.3, 1, 4, 9, 5), 2.2),
    "shop": ((0, 0, 0.3, 4, 6, 7, 6, 0.5, 0), 1.2),
    "station": ((0.5, 0.2, 4, 8, 3, 4, 8, 2, 0.5), 0.6),
    "office": ((0, 0, 2, 9, 6, 5, 1, 0.2, 0), 0.08),
    "school": ((0, 0, 1, 9, 5, 3, 0, 0, 0), 0.03),
    "museum": ((0, 0, 0, 2, 6, 7, 1, 0, 0), 2.5),
    "park": ((0.1, 0, 1, 3, 4, 6, 6, 1, 0.1), 2.0),
    "quay": ((0.3, 0.1, 0.5, 1, 3, 5, 8, 4, 0.3), 1.8),
}
_OUTDOORS = ("park", "quay")


def visits(people: int) -> pa.Table:
    """Return one row per visit, in the order of time."""
    import pyarrow as pa

    generator = np.random.default_rng(1506)
    everyone = inhabitants(people)
    person = np.repeat(np.arange(people), _how_often(everyone.age, generator))
    place = _where(everyone.district[person], generator)
    town = places()
    kind = town.kind[place]
    time = _when(kind, generator)
    order = np.argsort(time, kind="stable")
    person, place, kind, time = person[order], place[order], kind[order], time[order]
    x, y = (axis[place] + generator.normal(0, 0.012, len(place)) for axis in (town.x, town.y))
    lon, lat = degrees(x, y)
    return pa.table(
        {
            "person_id": everyone.identities().take(pa.array(person)),
            "lon": np.round(lon, 6),
            "lat": np.round(lat, 6),
            "place": pa.array(list(KINDS), pa.string()).take(pa.array(kind)),
            "time": pa.array(FIRST_DAY + time, pa.timestamp("us", tz="UTC")),
        }
    )


def _how_often(age: Integers, generator: np.random.Generator) -> Integers:
    """Most people leave a handful of traces, a few leave hundreds."""
    keen = np.interp(
        age, (0, 9, 10, 16, 24, 40, 60, 80, 103), (0, 0, 0.3, 1, 1.5, 1, 0.6, 0.3, 0.1)
    )
    return np.minimum(np.exp(generator.normal(1.8, 1.2, len(age))) * keen, _MOST).astype(np.int64)


def _where(district: Integers, generator: np.random.Generator) -> Integers:
    """Choose a place for each visit: half the time near home, else anywhere."""
    town = places()
    near_home = generator.random(len(district)) < 0.5
    chosen = _by_popularity(town.popularity, len(district), generator)
    for index in range(len(DISTRICTS)):
        here = np.flatnonzero(near_home & (district == index))
        popularity = np.where(town.district == index, town.popularity, 0.0)
        chosen[here] = _by_popularity(popularity, len(here), generator)
    return chosen


def _by_popularity(popularity: Floats, count: int, generator: np.random.Generator) -> Integers:
    steps = np.cumsum(popularity)
    draws: Floats = generator.random(count) * float(steps[-1])
    return np.searchsorted(steps, draws, side="right").astype(np.int64)


def _when(kind: Integers, generator: np.random.Generator) -> Integers:
    """Return microseconds since the year began, by the rhythm of each kind of place."""
    time = np.zeros(len(kind), dtype=np.int64)
    for index, name in enumerate(KINDS):
        here = np.flatnonzero(kind == index)
        day = _by_popularity(_busy_days(name), len(here), generator)
        minute = _by_popularity(_busy_minutes(name), len(here), generator)
        seconds = generator.integers(0, 60_000_000, len(here))
        time[here] = (day * 1440 + minute) * 60_000_000 + seconds
    return time


def _busy_minutes(name: str) -> Floats:
    clock, _ = _CLOCK[name]
    return np.interp(np.arange(1440), np.linspace(0, 1440, len(clock)), clock)


def _busy_days(name: str) -> Floats:
    """Weekends, a quiet winter, schools closed in August, and the festival."""
    day = np.arange(DAYS)
    weekend = (day + 2) % 7 >= 5  # the year began on a Wednesday
    busy: Floats = np.where(weekend, _CLOCK[name][1], 1.0)
    summer = 0.5 - 0.5 * np.cos(2 * np.pi * (day + 10) / DAYS)
    busy *= 0.25 + 1.5 * summer if name in _OUTDOORS else 0.85 + 0.3 * summer
    if name == "school":
        busy[(day >= 196) & (day < 243)] = 0
    if name in ("bar", "restaurant", *_OUTDOORS):
        busy[FESTIVAL.start : FESTIVAL.stop] *= 3
    return busy
