"""The map of the invented city, and who goes where."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.city.people import DISTRICTS, invent_people

if TYPE_CHECKING:
    import pyarrow as pa


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Points = tuple[Floats, Floats]

KINDS = (
    "cafe", "restaurant", "bar", "shop", "station", "office", "school", "museum", "park", "quay",
)  # fmt: skip

HALF_WIDTH, HALF_HEIGHT = 7.8, 6.6

CENTRES = np.array([[-0.2, 0.0], [-0.6, -3.4], [-3.7, 2.5], [4.5, -1.7], [-4.4, -1.9], [4.2, 3.3]])
_PARKS = np.array([[-1.5, -1.35, 0.75, 0.5], [-0.8, 3.9, 1.3, 0.9], [-5.4, 0.3, 0.7, 0.6]])
_RADIALS = np.linspace(0.2, 2 * np.pi + 0.2, 9)[:-1] + np.array(
    [0, 0.1, -0.12, 0.05, 0.12, -0.08, 0.1, -0.05]
)
_RINGS = np.array([1.5, 3.1, 5.0])
_ISLAND = (-4.3, -5.9, 0.45)


@dataclass(frozen=True)
class Places:
    """Where people go: positions in kilometres, kind, district and popularity."""

    x: Floats
    y: Floats
    kind: Integers
    district: Integers
    popularity: Floats


@lru_cache(maxsize=1)
def lay_out_places() -> Places:
    """Lay out some fifteen thousand places, always the same ones."""
    generator = np.random.default_rng(1519)
    parts = [
        _draw_along_radials(3600, generator),
        _draw_along_rings(2400, generator),
        _draw_in_old_town(2600, generator),
        *(_draw_in_district(index, 1300, generator) for index in range(1, len(CENTRES))),
        _draw_neighbourhoods(5200, generator),
        _draw_at_water(700, generator),
        _draw_in_parks(500, generator),
        _stations(generator),
    ]
    x, y = (np.concatenate([part[axis] for part in parts]) for axis in (0, 1))
    origin = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    kind = _kinds(origin, len(parts), generator)
    bridge = (origin <= 1) & (generator.random(len(x)) < 0.35)
    dry = ~_is_water(x, y) | (bridge & ~_is_bay(x, y))
    open_air = (kind == KINDS.index("park")) | ~_is_park(x, y)
    keep = dry & open_air & (abs(x) < HALF_WIDTH) & (abs(y) < HALF_HEIGHT)
    x, y, kind = x[keep], y[keep], kind[keep]
    return Places(x, y, kind, _district(x, y), _popularity(x, y, kind, generator))


def degrees(x: Floats, y: Floats) -> Points:
    """Return longitude and latitude; a degree is shorter east to west."""
    return -30.0 + x / 78.85, 45.0 + y / 111.13


def _river(y: Floats) -> Points:
    """Return the middle of the river and half its width."""
    return 1.3 + 1.25 * np.sin((y + 0.6) / 1.9) + 0.1 * y, 0.26 + 0.035 * np.clip(2 - y, 0, None)


def _coast(x: Floats) -> Floats:
    return -4.75 + 0.45 * np.sin(x / 1.6 + 1.2) + 0.05 * x


def _is_bay(x: Floats, y: Floats) -> Mask:
    island = np.hypot(x - _ISLAND[0], y - _ISLAND[1]) < _ISLAND[2]
    return (y < _coast(x)) & ~island


def _is_water(x: Floats, y: Floats) -> Mask:
    middle, half = _river(y)
    lake = np.hypot((x + 0.6) / 0.55, (y - 4.0) / 0.3) < 1
    return (abs(x - middle) < half) | _is_bay(x, y) | lake


def _is_park(x: Floats, y: Floats) -> Mask:
    across, along = ((x - _PARKS[:, :1]) / _PARKS[:, 2:3], (y - _PARKS[:, 1:2]) / _PARKS[:, 3:4])
    return np.asarray((np.hypot(across, along) < 1).any(axis=0))


def _district(x: Floats, y: Floats) -> Integers:
    """Return the nearest district; the old town reaches less far than the others."""
    away = np.hypot(x - CENTRES[:, :1], y - CENTRES[:, 1:])
    away[0] *= 1.1
    return away.argmin(axis=0)


def _spoke(radial: Integers, radius: Floats) -> Floats:
    """Return the angle of a street at some distance: none is quite straight."""
    return _RADIALS[radial] + 0.09 * np.sin(radius * 0.9 + radial)


def _draw_along_radials(count: int, generator: np.random.Generator) -> Points:
    radius = 8.5 * generator.beta(1.6, 2.0, count)
    angle = _spoke(generator.integers(len(_RADIALS), size=count), radius)
    return _scatter(radius * np.cos(angle), radius * np.sin(angle), 0.03, generator)


def _draw_along_rings(count: int, generator: np.random.Generator) -> Points:
    ring = generator.choice(len(_RINGS), count, p=[0.35, 0.38, 0.27])
    angle = generator.uniform(0, 2 * np.pi, count)
    radius = _RINGS[ring] * (1 + 0.05 * np.sin(3 * angle + ring))
    return _scatter(radius * np.cos(angle), radius * np.sin(angle), 0.03, generator)


def _draw_in_old_town(count: int, generator: np.random.Generator) -> Points:
    across, along = generator.normal(0, 0.95, (2, count))
    return _move_to_blocks(across, along, 0.2, 0.35, generator)


def _draw_in_district(index: int, count: int, generator: np.random.Generator) -> Points:
    across, along = generator.normal(0, 1.05, (2, count))
    x, y = _move_to_blocks(across, along, 0.32, 0.3 * index, generator)
    return x + CENTRES[index, 0], y + CENTRES[index, 1]


def _move_to_blocks(
    across: Floats, along: Floats, block: float, turn: float, generator: np.random.Generator
) -> Points:
    """Move points onto the streets of a grid, half to each direction, and turn the grid."""
    avenue = generator.random(len(across)) < 0.5
    across = np.where(avenue, np.round(across / block) * block, across)
    along = np.where(avenue, along, np.round(along / block) * block)
    x = across * np.cos(turn) - along * np.sin(turn)
    y = across * np.sin(turn) + along * np.cos(turn)
    return _scatter(x, y, 0.02, generator)


def _draw_neighbourhoods(count: int, generator: np.random.Generator) -> Points:
    """Return corner shops and schools, wherever someone lives."""
    angle = generator.uniform(0, 2 * np.pi, count)
    radius = 7.5 * generator.beta(1.6, 1.9, count)
    return radius * np.cos(angle) * 1.1, radius * np.sin(angle)


def _draw_at_water(count: int, generator: np.random.Generator) -> Points:
    y = generator.uniform(-4.8, 4.5, count)
    middle, half = _river(y)
    x = middle + np.where(generator.random(count) < 0.5, 1, -1) * (half + 0.06)
    shore = generator.random(count) < 0.45
    x = np.where(shore, generator.uniform(-5.5, 5.5, count), x)
    island = shore & (generator.random(count) < 0.06)
    y = np.where(shore, _coast(x) + 0.07, y)
    x = np.where(island, _ISLAND[0] + generator.normal(0, 0.15, count), x)
    y = np.where(island, _ISLAND[1] + generator.normal(0, 0.15, count), y)
    return _scatter(x, y, 0.02, generator)


def _draw_in_parks(count: int, generator: np.random.Generator) -> Points:
    """Half on the path around a park, half on the lawn."""
    park = _PARKS[generator.choice(len(_PARKS), count, p=[0.4, 0.45, 0.15])]
    angle = generator.uniform(0, 2 * np.pi, count)
    path = generator.random(count) < 0.5
    reach = np.where(path, 0.93, np.sqrt(generator.random(count)) * 0.9)
    x = park[:, 0] + park[:, 2] * reach * np.cos(angle)
    return _scatter(x, park[:, 1] + park[:, 3] * reach * np.sin(angle), 0.015, generator)


def _stations(generator: np.random.Generator) -> Points:
    """One where each street meets a ring, and the central station."""
    radial, ring = (axis.ravel() for axis in np.indices((len(_RADIALS), len(_RINGS))))
    angle = _spoke(radial, _RINGS[ring])
    x = np.append(_RINGS[ring] * np.cos(angle), 0.35)
    return _scatter(x, np.append(_RINGS[ring] * np.sin(angle), -0.45), 0.01, generator)


def _scatter(x: Floats, y: Floats, distance: float, generator: np.random.Generator) -> Points:
    return (
        x + generator.normal(0, distance, len(x)),
        y + generator.normal(0, distance, len(y)),
    )


def _kinds(origin: Integers, parts: int, generator: np.random.Generator) -> Integers:
    """Return what each place is, which depends on the kind of street it stands on."""
    street = [3, 2, 1, 5, 0.2, 3, 0.5, 0.1, 0, 0]
    old_town = [5, 5, 5, 4, 0, 3, 1, 0.8, 0, 0]
    homes = [2, 1.5, 0.7, 4, 0, 2, 1.5, 0.1, 0, 0]
    waterside = [1, 1.5, 1.5, 0, 0, 0, 0, 0.2, 0, 5]
    park = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    station = [0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    districts = [homes] * (parts - 6)  # the last of them is all around
    likely = np.array([street, street, old_town, *districts, waterside, park, station], dtype=float)
    steps = np.cumsum(likely / likely.sum(axis=1, keepdims=True), axis=1)[origin]
    return (steps < generator.random(len(origin))[:, None]).sum(axis=1)


def _popularity(x: Floats, y: Floats, kind: Integers, generator: np.random.Generator) -> Floats:
    """Let a few places be loved by all, and those near the market be busier."""
    loved = np.minimum(1 + generator.pareto(2.0, len(x)), 8)
    central = 1 + 0.5 * np.exp(-np.hypot(x, y) / 1.5)
    busy = np.select(
        [kind == KINDS.index("station"), kind == KINDS.index("park")], [12.0, 2.0], 1.0
    )
    return loved * central * busy


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


def draw_visits(people: int) -> pa.Table:
    """Return one row per visit, in the order of time."""
    import pyarrow as pa

    generator = np.random.default_rng(1506)
    everyone = invent_people(people)
    person = np.repeat(np.arange(people), _draw_visit_counts(everyone.age, generator))
    place = _draw_visit_places(everyone.district[person], generator)
    town = lay_out_places()
    kind = town.kind[place]
    time = _draw_visit_times(kind, generator)
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


def _draw_visit_counts(age: Integers, generator: np.random.Generator) -> Integers:
    """Most people leave a handful of traces, a few leave hundreds."""
    keen = np.interp(
        age, (0, 9, 10, 16, 24, 40, 60, 80, 103), (0, 0, 0.3, 1, 1.5, 1, 0.6, 0.3, 0.1)
    )
    return np.minimum(np.exp(generator.normal(1.8, 1.2, len(age))) * keen, _MOST).astype(np.int64)


def _draw_visit_places(district: Integers, generator: np.random.Generator) -> Integers:
    """Choose a place for each visit: half the time near home, else anywhere."""
    town = lay_out_places()
    near_home = generator.random(len(district)) < 0.5
    chosen = _draw_by_popularity(town.popularity, len(district), generator)
    for index in range(len(DISTRICTS)):
        here = np.flatnonzero(near_home & (district == index))
        popularity = np.where(town.district == index, town.popularity, 0.0)
        chosen[here] = _draw_by_popularity(popularity, len(here), generator)
    return chosen


def _draw_by_popularity(popularity: Floats, count: int, generator: np.random.Generator) -> Integers:
    steps = np.cumsum(popularity)
    draws: Floats = generator.random(count) * float(steps[-1])
    return np.searchsorted(steps, draws, side="right").astype(np.int64)


def _draw_visit_times(kind: Integers, generator: np.random.Generator) -> Integers:
    """Return microseconds since the year began, by the rhythm of each kind of place."""
    time = np.zeros(len(kind), dtype=np.int64)
    for index, name in enumerate(KINDS):
        here = np.flatnonzero(kind == index)
        day = _draw_by_popularity(_busy_days(name), len(here), generator)
        minute = _draw_by_popularity(_busy_minutes(name), len(here), generator)
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
