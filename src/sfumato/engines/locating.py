"""Which region a point lies in: shapely's answer, one row at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.engines.columns import Floats, Integers
from sfumato.errors import DomainError, Setting
from sfumato.regions import Areas


def check_geometry(regions: Areas, *, apart: bool = False) -> None:
    """Refuse areas whose inside is undecided, before anything is charged.

    Parameters
    ----------
    apart
        Whether areas that overlap are refused, too: how large what is left of them is would be
        another question.
    """
    if _has_flaw(regions):
        raise DomainError(
            "A region crosses itself, or has no area.",
            "Who lies inside would be undecided. Nothing was charged.",
            ("Mend it, with shapely.make_valid for one: ", Setting("regions"), "."),
        )
    if apart and _overlap(regions):
        raise DomainError(
            "Regions overlap, so that not all of an area is its own.",
            "A point in several counts in the first, and a density would be of another area.",
            ("Mend the regions, or write ", Setting("stat", "count"), "."),
        )
    _prepare(regions)  # which is kept: what could fail in it fails before the charge


def locate(regions: Areas, x: Floats, y: Floats) -> Integers:
    """Return the first region that holds each point, its border included; -1 for none.

    Privacy
    -------
    A point's region depends on that point and public areas alone: see `locating.md`.
    """
    found = np.full(len(x), -1, dtype=np.int64)
    left, right, bottom, top = regions.box
    with np.errstate(invalid="ignore"):  # NaN lies nowhere, and a signalling one would warn
        rows = np.flatnonzero((x >= left) & (x <= right) & (y >= bottom) & (y <= top))
    if _expected.difference({name_geometry()}):
        raise ValueError("Points are located by another version than where they are asked for.")
    places = _prepare(regions)
    x, y = x[rows], y[rows]
    found[rows] = decided = places.decide(x, y)
    areas = _prepare_own(places)
    asked = np.flatnonzero(decided == _UNDECIDED)
    for start in range(0, len(asked), places.strip):
        some = asked[start : start + places.strip]
        found[rows[some]] = places.locate(areas, x[some], y[some])
    return found


_MOST_PAIRS = 2**20  # of a point and an area that may hold it: they take some ten megabytes
_MOST_LISTED = 2**24
_FINEST = 2**9  # tiles a side: a point on a border is asked about, and few tiles have one
_MOST_TILES = 2**14  # that are asked about at once, so that a map of many borders has coarser ones
_MARGIN = 2.0**-6  # of a tile, by which it is widened: far more than rounding moves a point
_UNDECIDED = -2
_TOUCHING = 1e-6  # of an area may lie in another: borders that were drawn twice


@dataclass(frozen=True)
class _Places:
    """Areas, and for each square of a grid those whose rectangles reach into it.

    Parameters
    ----------
    written
        Each area, as bytes that stand for it exactly.
    ends
        Where the list of each square ends in `listed`.
    listed
        Areas by square, the first of each first.
    tiles
        For each tile of a finer grid the area that holds all of it, -1 where none reaches into it,
        and `_UNDECIDED` where a point in it has to be asked about.
    """

    shapely: Any
    written: NDArray[np.object_]
    box: tuple[float, float, float, float]
    side: int
    ends: Integers
    listed: Integers
    tiles: NDArray[np.int16]

    def decide(self, x: Floats, y: Floats) -> Integers:
        """Return the area that holds all of each point's tile, or whether it has to be asked."""
        fine = math.isqrt(self.tiles.size)
        tile = _find_square(x, self.box[:2], fine) * fine
        tile += _find_square(y, self.box[2:], fine)
        return self.tiles.take(tile).astype(np.int64)

    @property
    def strip(self) -> int:
        """How many points to look at together."""
        return max(1, _MOST_PAIRS // int(np.diff(self.ends).max()))

    def locate(self, areas: NDArray[np.object_], x: Floats, y: Floats) -> Integers:
        """Return the first area that holds each point; every pair is decided by itself."""
        square = _find_square(x, self.box[:2], self.side) * self.side
        square += _find_square(y, self.box[2:], self.side)
        several = self.ends[square + 1] - self.ends[square]
        point = np.repeat(np.arange(len(x)), several)
        before = np.repeat(np.cumsum(several) - several, several)
        area = self.listed[np.repeat(self.ends[square], several) + np.arange(point.size) - before]
        holds = self.shapely.intersects_xy(areas[area], x[point], y[point])
        first = np.full(len(x), len(areas), dtype=np.int64)
        np.minimum.at(first, point[holds], area[holds])
        first[first == len(areas)] = -1
        return first


@lru_cache(maxsize=4)
def _prepare(regions: Areas) -> _Places:
    shapely = _load_shapely()
    areas = _make_areas(shapely, regions)
    side = 2 * math.isqrt(regions.cells) + 2
    boxes = shapely.bounds(areas)
    while True:
        reach = _find_reach(boxes, regions.box, side)
        if side == 1 or int(np.prod(np.diff(reach, axis=1) + 1, axis=2).sum()) <= _MOST_LISTED:
            written = np.asarray(shapely.to_wkb(areas), dtype=np.object_)
            listed = _list_squares(reach, side)
            tiles = _decide_tiles(shapely, areas, regions.box)
            return _Places(shapely, written, regions.box, side, *listed, tiles)
        side = max(1, side // 2)


def _decide_tiles(
    shapely: Any, areas: NDArray[np.object_], box: tuple[float, float, float, float]
) -> NDArray[np.int16]:
    """Return which area holds each tile, cutting undecided ones into four as long as that pays."""
    tiles = np.full((1, 1), _UNDECIDED, dtype=np.int16)
    while 2 * len(tiles) <= min(_FINEST, _count_tiles(box)):
        finer = tiles.repeat(2, axis=0).repeat(2, axis=1)
        open_tiles = np.argwhere(finer == _UNDECIDED)
        if not 0 < len(open_tiles) <= _MOST_TILES:
            break
        finer[tuple(open_tiles.T)] = _decide_boxes(
            shapely, areas, _widen(open_tiles, box, len(finer))
        )
        tiles = finer
    return tiles.ravel()


def _decide_boxes(shapely: Any, areas: NDArray[np.object_], boxes: Floats) -> Integers:
    """Return the first area that reaches into each rectangle, if it holds all of it."""
    tree = shapely.STRtree(shapely.box(*boxes.T))
    first = np.full(len(boxes), len(areas), dtype=np.int64)
    reaching, where = tree.query(areas, predicate="intersects")
    np.minimum.at(first, where, reaching)
    holding, where = tree.query(areas, predicate="covers")
    held = np.zeros(len(boxes), dtype=np.bool_)
    held[where[first[where] == holding]] = True
    return np.where(first == len(areas), -1, np.where(held, first, _UNDECIDED))


def _count_tiles(box: tuple[float, float, float, float]) -> float:
    """Return how many tiles a side may have, so that its margin is far wider than rounding."""
    left, right, bottom, top = box
    finest = math.ulp(max(map(abs, box)))
    return min(right - left, top - bottom) * _MARGIN / (8 * finest)


def _widen(tiles: Integers, box: tuple[float, float, float, float], side: int) -> Floats:
    """Return rectangles that hold every point with these tiles, however it was rounded."""
    left, right, bottom, top = box
    size = np.array([right - left, top - bottom]) / side
    corner = np.array([left, bottom])
    low = corner + (tiles - _MARGIN) * size
    return np.hstack([low, corner + (tiles + 1 + _MARGIN) * size])


_own = local()


def _prepare_own(places: _Places) -> NDArray[np.object_]:
    """Return prepared areas that no other thread asks.

    GEOS finishes the index of a prepared area when it is first asked, or when it is asked again,
    and guards it by no lock: threads that did so at once would spoil it for each other.
    """
    if getattr(_own, "places", None) is not places:
        areas = places.shapely.from_wkb(places.written)
        places.shapely.prepare(areas)
        _own.places, _own.areas = places, areas
    return _own.areas


def _find_square(along: Floats, ends: tuple[float, float], side: int) -> Integers:
    """Return the row or column of the grid that each number lies in: it never falls as they rise.

    So a number between the ends of a rectangle has a row between theirs, however it is rounded.
    """
    lower, upper = ends
    return np.minimum((along - lower) / (upper - lower) * side, side - 1).astype(np.int64)


def _find_reach(boxes: Floats, box: tuple[float, float, float, float], side: int) -> Integers:
    """Return the first and the last column and row that each rectangle reaches into."""
    x = _find_square(boxes[:, [0, 2]], box[:2], side)
    y = _find_square(boxes[:, [1, 3]], box[2:], side)
    return np.stack([x, y], axis=2)


def _cover(left: int, low: int, right: int, high: int, side: int) -> Integers:
    columns, rows = np.arange(left, right + 1) * side, np.arange(low, high + 1)
    return np.add(columns[:, np.newaxis], rows, dtype=np.int64).ravel()


def _list_squares(reach: Integers, side: int) -> tuple[Integers, Integers]:
    """Return where the list of each square ends, and all lists one after the other."""
    squares = [_cover(int(a), int(b), int(c), int(d), side) for a, b, c, d in reach.reshape(-1, 4)]
    areas = np.repeat(np.arange(len(squares)), [each.size for each in squares])
    flat = np.concatenate(squares)
    ends = np.append(0, np.cumsum(np.bincount(flat, minlength=side**2)))
    return ends, areas[np.argsort(flat, kind="stable")]


@lru_cache(maxsize=4)
def _has_flaw(regions: Areas) -> bool:
    shapely = _load_shapely()
    areas = _make_areas(shapely, regions)
    return not shapely.is_valid(areas).all() or bool((shapely.area(areas) == 0).any())


@lru_cache(maxsize=4)
def _overlap(regions: Areas) -> bool:
    shapely = _load_shapely()
    areas = _make_areas(shapely, regions)
    one, other = shapely.STRtree(areas).query(areas, predicate="intersects")
    one, other = one[one < other], other[one < other]
    shared = shapely.area(shapely.intersection(areas[one], areas[other]))
    least = np.minimum(shapely.area(areas[one]), shapely.area(areas[other]))
    return bool((shared > _TOUCHING * least).any())


def _make_areas(shapely: Any, regions: Areas) -> NDArray[np.object_]:
    made = [
        shapely.MultiPolygon([(rings[0], rings[1:]) for rings in area.polygons])
        for area in regions.areas
    ]
    areas = np.empty(len(made), dtype=np.object_)
    areas[:] = made
    return areas


def name_geometry() -> str:
    """Return what decides where a point lies, by its version; empty where it is not installed."""
    try:
        shapely = _load_shapely()
    except DomainError:
        return ""
    return f"GEOS {shapely.geos_version_string}"


_expected = set[str]()


def expect_geometry(name: str) -> None:
    """Locate points only with what `name_geometry` called so where they are asked for."""
    _expected.clear()
    _expected.add(name)


def _load_shapely() -> Any:
    try:
        import shapely
    except ImportError:
        shapely = None
    if shapely is None:
        raise DomainError(
            "Points are located in regions by shapely, which is not installed.",
            "Without it nobody can be counted. Nothing was charged.",
            'Type pip install "sfumato[geo]".',
        )
    return shapely
