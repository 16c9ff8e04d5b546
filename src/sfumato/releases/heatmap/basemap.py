"""Lines of a map from the user's own GeoJSON file, cut to the window of a heatmap."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from sfumato.errors import ReleaseError

Point = tuple[float, float]
Line = tuple[Point, ...]
Basemap = str | Path | Mapping[str, Any]
"""The path of a GeoJSON file, or what is in one."""

_MOST_BYTES = 64 * 2**20
_MOST_POINTS = 2_000_000
_DEEPEST = 20
_FINEST = 1 / 1500  # of the window's sides: a shorter step is not seen
_WHY = "The map would lack its lines. Nothing was charged: drawing is free."
# How deep in lists the lines of a geometry are; points and whatever else has none.
_DEPTHS = {"LineString": 0, "MultiLineString": 1, "Polygon": 1, "MultiPolygon": 2}
_POINTS = ("Point", "MultiPoint")


def read_basemap(
    basemap: Basemap | None, x: tuple[float, float], y: tuple[float, float]
) -> tuple[Line, ...]:
    """Return the lines and outlines in a window, ``x`` first as in the file."""
    if basemap is None:
        return ()
    whole = read_lines(basemap)
    lines = [part for line in whole for part in _cut(_thin(line, x, y), x, y)]
    if lines:
        return tuple(lines)
    raise ReleaseError(
        "No line of the basemap lies in the window.",
        _WHY,
        "Check its coordinates: (x, y) in the units of the axes, longitude before latitude.",
    )


def read_lines(basemap: Basemap) -> list[Line]:
    """Return every line of a basemap, wherever it lies."""
    plain = basemap if isinstance(basemap, Mapping) else _parse(Path(basemap))
    lines = list(_list_lines(plain, 0))
    if sum(map(len, lines)) > _MOST_POINTS:
        raise _refuse(f"The basemap has more than {_MOST_POINTS:,} points.", "Simplify it first.")
    return lines


def _parse(path: Path) -> object:
    with suppress(OSError):
        if path.stat().st_size > _MOST_BYTES:
            raise _refuse("The basemap is larger than 64 MB.", "Simplify it first.")
        with suppress(ValueError, RecursionError):
            return json.loads(path.read_bytes().decode("utf-8-sig"))
        raise _refuse(f"{str(path)!r} is no JSON.", "Save it as GeoJSON.")
    raise _refuse(f"There is no file at {str(path)!r}.", "Check the path.")


def _list_lines(plain: object, depth: int) -> Iterator[Line]:
    noun: Mapping[str, Any] = {}
    if isinstance(plain, Mapping):
        noun = cast("Mapping[str, Any]", plain)
    kind = noun.get("type")
    if depth > _DEEPEST:
        raise _refuse("The basemap is nested too deeply.", "Flatten its collections.")
    if kind in ("FeatureCollection", "GeometryCollection"):
        for part in _list_parts(noun, "features" if kind[0] == "F" else "geometries"):
            yield from _list_lines(part, depth + 1)
    elif kind == "Feature":
        if noun.get("geometry") is not None:
            yield from _list_lines(noun["geometry"], depth + 1)
    elif kind in _DEPTHS:
        for line in _flatten(noun.get("coordinates"), _DEPTHS[kind]):
            yield tuple(map(_read_point, line))
    elif kind not in _POINTS:
        raise _refuse("The basemap is no GeoJSON.", "Save it as a GeoJSON FeatureCollection.")


def _list_parts(noun: Mapping[str, Any], name: str) -> Sequence[object]:
    parts = noun.get(name)
    if isinstance(parts, list):
        return cast("list[object]", parts)
    raise _refuse(f"The basemap has a collection without {name}.", "Save it as GeoJSON.")


def _flatten(coordinates: object, depth: int) -> Iterator[list[object]]:
    if not isinstance(coordinates, list):
        raise _refuse("The basemap has a geometry without coordinates.", "Save it as GeoJSON.")
    listed = cast("list[object]", coordinates)
    if depth == 0:
        yield listed
        return
    for part in listed:
        yield from _flatten(part, depth - 1)


def _read_point(point: object) -> Point:
    numbers = cast("list[object]", point)[:2] if isinstance(point, list) else []
    read = [float(n) for n in numbers if isinstance(n, int | float) and not isinstance(n, bool)]
    if len(read) == 2 and all(map(math.isfinite, read)):
        return read[0], read[1]
    raise _refuse("A point of the basemap is no pair of numbers.", "Save it as GeoJSON.")


def _thin(line: Line, x: tuple[float, float], y: tuple[float, float]) -> Line:
    """Leave out points so near the last that nobody would see them; the last one stays."""
    across, up = (_FINEST * (ends[1] - ends[0]) for ends in (x, y))
    kept: list[Point] = list(line[:1])
    for point in line[1:]:
        if abs(point[0] - kept[-1][0]) > across or abs(point[1] - kept[-1][1]) > up:
            kept.append(point)
    return (*kept, line[-1]) if len(line) > 1 and kept[-1] != line[-1] else tuple(kept)


def _cut(line: Line, x: tuple[float, float], y: tuple[float, float]) -> Iterator[Line]:
    """Yield the parts of a line that lie within a window."""
    part: list[Point] = []
    for start, end in pairwise(line):
        seen = cut_segment(start, end, x, y)
        if seen is None or (part and part[-1] != seen[0]):
            if len(part) > 1:
                yield tuple(part)
            part = []
        if seen is not None:
            part = [*(part or [seen[0]]), seen[1]]
    if len(part) > 1:
        yield tuple(part)


def cut_segment(
    start: Point, end: Point, x: tuple[float, float], y: tuple[float, float]
) -> tuple[Point, Point] | None:
    """Return what of a straight line lies within a window, by Liang and Barsky.

    Examples
    --------
    >>> cut_segment((-1, 1), (3, 1), (0, 2), (0, 2))
    ((0.0, 1.0), (2.0, 1.0))
    >>> cut_segment((-1, 5), (3, 5), (0, 2), (0, 2)) is None
    True
    """
    first, last = 0.0, 1.0
    along = end[0] - start[0], end[1] - start[1]
    for place, length, (low, high) in zip(start, along, (x, y), strict=True):
        if length == 0:
            if not low <= place <= high:
                return None
            continue
        enters, leaves = sorted(((low - place) / length, (high - place) / length))
        first, last = max(first, enters), min(last, leaves)
    if first > last:
        return None
    ends = [(start[0] + at * along[0], start[1] + at * along[1]) for at in (first, last)]
    return (ends[0] if first > 0 else start), (ends[1] if last < 1 else end)


def _refuse(what: str, advice: str) -> ReleaseError:
    return ReleaseError(what, _WHY, advice)
