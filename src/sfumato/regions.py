"""Public areas of a map, as GeoJSON declares them, and the key that counts points in them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, cast

from sfumato.errors import DomainError, Setting

MOST_REGIONS = 10_000
"""How many regions a map may have."""

MOST_CORNERS = 1_000_000
"""How many corners all regions together may have: a release carries them."""

MOST_BYTES = 2**27
"""How long a file of regions may be."""

MOST_LETTERS = 256
"""How long the name of a region may be."""

FARTHEST = 1e12
"""How far from zero corners may lie: products of three of them are then finite."""

Ring = tuple[tuple[float, float], ...]
"""A closed line: its last corner is its first."""

Polygon = tuple[Ring, ...]
"""A ring around an area, and those around its holes."""


@dataclass(frozen=True)
class Region:
    """A named area: one polygon, or several.

    Examples
    --------
    >>> square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 0.0))
    >>> Region("A", ((square,),)).rings == (square,)
    True
    """

    name: str
    polygons: tuple[Polygon, ...]

    def __post_init__(self) -> None:
        if not _is_name(self.name):
            raise _refuse(f"names of 1 to {MOST_LETTERS} letters", "A region is known by its name")
        if not self.polygons or not all(self.polygons):
            raise _refuse("at least one ring each", "An empty area holds nobody")
        for ring in self.rings:
            if len(ring) < 4 or ring[0] != ring[-1]:
                raise _refuse(
                    "closed rings of at least four corners", "What an open line holds is undecided"
                )
        if not all(map(_is_near, chain.from_iterable(chain.from_iterable(self.rings)))):
            raise _refuse(
                f"finite corners, at most {FARTHEST:g} from zero",
                "Where other corners lie is undecided",
            )

    def __deepcopy__(self, memo: object) -> Region:
        return self  # which never changes, and may have a million corners

    @property
    def rings(self) -> tuple[Ring, ...]:
        """All rings, holes among them: what lies in an odd number of them belongs to it."""
        return tuple(chain.from_iterable(self.polygons))


@dataclass(frozen=True)
class Areas:
    """A key of two columns: one cell for each region, which holds the points in it.

    A point on a border lies in the regions on both sides, and a point that lies in several regions
    is counted in the first of them; a point in none is counted nowhere, and so is one that lacks a
    coordinate or has one that is not finite.

    Parameters
    ----------
    x, y
        The columns of coordinates: longitude and latitude, or whatever the regions are drawn in.
    areas
        The regions, in the order in which they are asked.
    """

    x: str
    y: str
    areas: tuple[Region, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.areas) <= MOST_REGIONS:
            raise _refuse(f"1 to {MOST_REGIONS} features", "Each is counted")
        if len(set(self.names)) != len(self.areas):
            raise _refuse("different names", "Two numbers of one name could not be told apart")
        corners = sum(len(ring) for area in self.areas for ring in area.rings)
        left, right, bottom, top = self.box
        if not (left < right and bottom < top):
            raise _refuse("an area", "What has none holds nobody")
        if corners > MOST_CORNERS:
            raise _refuse(
                f"at most {MOST_CORNERS:,} corners together", "A release carries all of them"
            )

    def __hash__(self) -> int:
        """Tell regions apart; their corners are many, and read once."""
        return self._hash

    def __reduce__(self) -> tuple[type[Areas], tuple[str, str, tuple[Region, ...]]]:
        return Areas, (self.x, self.y, self.areas)  # a hash of texts is another in each process

    @cached_property
    def _hash(self) -> int:
        return hash((self.x, self.y, self.areas))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the regions are called."""
        return tuple(area.name for area in self.areas)

    @property
    def columns(self) -> tuple[str, str]:
        """The columns that say where a row lies."""
        return self.x, self.y

    @property
    def column(self) -> str:
        """What the axis is called."""
        return "region"

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.areas)

    @cached_property
    def box(self) -> tuple[float, float, float, float]:
        """The smallest rectangle around all regions: left, right, bottom, top."""
        corners = [corner for area in self.areas for ring in area.rings for corner in ring]
        xs, ys = zip(*corners, strict=True)
        return min(xs), max(xs), min(ys), max(ys)


Regions = str | Path | Mapping[str, Any] | tuple[Region, ...]
"""A map: a GeoJSON file, its contents, a frame of geopandas, or regions that were read before."""


def read_areas(regions: Regions, name: str = "name") -> tuple[Region, ...]:
    """Return the regions of a GeoJSON file or of its contents, or refuse what is none.

    Coordinates are taken as they stand, in the units of the columns; heights are left out.

    Parameters
    ----------
    name
        The property of each feature that names it.

    Privacy
    -------
    Regions are public: they say where people may be, and are never read from the table.

    Examples
    --------
    >>> corners = [[0, 0], [1, 0], [1, 1], [0, 0]]
    >>> shape = {"type": "Polygon", "coordinates": [corners]}
    >>> feature = {"type": "Feature", "properties": {"name": "A"}, "geometry": shape}
    >>> [area.name for area in read_areas({"type": "FeatureCollection", "features": [feature]})]
    ['A']
    """
    if isinstance(regions, tuple):
        if all(isinstance(each, Region) for each in cast(tuple[object, ...], regions)):
            return regions
        raise _refuse("a GeoJSON file", "Nothing else can be read as areas")
    told = getattr(regions, "__geo_interface__", regions)
    plain = cast(Mapping[str, Any], told) if isinstance(told, Mapping) else _load(told)
    areas = None
    try:
        if plain["type"] == "FeatureCollection" and len(plain["features"]) <= MOST_REGIONS:
            areas = tuple(_read_feature(feature, name) for feature in plain["features"])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        pass
    if areas is None:
        raise _refuse(
            f"a FeatureCollection of at most {MOST_REGIONS} polygons or multipolygons, each with "
            f"a property {name!r}",
            "What else it holds cannot be read as areas",
        )
    return areas


def write_areas(
    areas: Sequence[Region], told: Sequence[Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Return regions as GeoJSON, each with its name and with what is told of it.

    Examples
    --------
    >>> square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 0.0))
    >>> area = Region("A", ((square,),))
    >>> read_areas(write_areas([area])) == (area,)
    True
    """
    nothing: dict[str, Any] = {}
    properties = told or [nothing] * len(areas)
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"name": area.name, **more},
                "geometry": {
                    "type": "MultiPolygon",
                    "coordinates": [
                        [[list(corner) for corner in ring] for ring in rings]
                        for rings in area.polygons
                    ],
                },
            }
            for area, more in zip(areas, properties, strict=True)
        ],
    }


def _load(path: object) -> Mapping[str, Any]:
    plain: object = None
    try:
        file = Path(cast(str, path))
        if file.stat().st_size <= MOST_BYTES:
            plain = json.loads(file.read_bytes())
    except (OSError, ValueError, TypeError, RecursionError):
        pass
    if not isinstance(plain, dict):
        raise _refuse(
            f"a file of GeoJSON, of at most {MOST_BYTES // 2**20} MiB", "Nothing can be read there"
        )
    return cast(Mapping[str, Any], plain)


def _read_feature(feature: Mapping[str, Any], name: str) -> Region:
    geometry = feature["geometry"]
    match geometry["type"]:
        case "Polygon":
            polygons = [geometry["coordinates"]]
        case "MultiPolygon":
            polygons = geometry["coordinates"]
        case _:
            raise ValueError("Lines and points have no inside.")
    called: Any = feature["properties"][name]
    if type(called) is int:
        called = str(called)
    return Region(called, tuple(tuple(map(_read_ring, rings)) for rings in polygons))


def _read_ring(ring: Sequence[Sequence[float]]) -> Ring:
    return tuple((_read_number(corner[0]), _read_number(corner[1])) for corner in ring)


def _read_number(number: object) -> float:
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise TypeError("A coordinate is a number.")
    return float(number)


def _is_name(name: object) -> bool:
    """Tell whether a text can stand in any file: half a letter cannot."""
    if not isinstance(name, str) or not 0 < len(name) <= MOST_LETTERS:
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def _is_near(number: float) -> bool:
    return math.isfinite(number) and abs(number) <= FARTHEST


def _refuse(wanted: str, why: str) -> DomainError:
    return DomainError(
        f"Regions must have {wanted}.",
        f"{why}. Nothing was charged.",
        ("Mend the GeoJSON, and write ", Setting("regions", "districts.geojson"), "."),
    )
