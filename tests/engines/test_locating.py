"""A row's region is its own: alone or among others, on one machine or on many."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.oracle import SALT
from sfumato.domain import Categories
from sfumato.engines import locating
from sfumato.engines.cells import find_cells
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.locating import (
    check_geometry,
    expect_geometry,
    locate,
    name_geometry,
)
from sfumato.engines.spark.engine import SparkEngine
from sfumato.errors import DomainError, SourceError
from sfumato.grid import Labels
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.regions import Areas, Region


def box(left, bottom, right, top):
    corners = ((left, bottom), (right, bottom), (right, top), (left, top), (left, bottom))
    return tuple((float(x), float(y)) for x, y in corners)


# B overlaps A; C has a hole with an island of D in it; E is in two parts and touches A and C.
CITY = Areas(
    "x",
    "y",
    (
        Region("A", ((box(0, 0, 2, 2),),)),
        Region("B", ((box(1, 1, 4, 3),),)),
        Region("C", ((box(5, 0, 9, 4), box(6, 1, 8, 3)),)),
        Region("D", ((box(6, 1, 7, 2),),)),
        Region("E", ((box(0, 4, 2, 5),), (box(9, 0, 10, 1),))),
    ),
)
ODD = (None, np.nan, np.inf, -np.inf, -0.0, 1e300)
PLACES = (*ODD, *(each / 2 for each in range(-1, 22)))


def slow(x, y):
    """Tell by hand where a point lies: closed boxes, less the inside of the hole."""
    if x is None or y is None or not (np.isfinite(x) and np.isfinite(y)):
        return -1
    holds = [
        0 <= x <= 2 and 0 <= y <= 2,
        1 <= x <= 4 and 1 <= y <= 3,
        5 <= x <= 9 and 0 <= y <= 4 and not (6 < x < 8 and 1 < y < 3),
        6 <= x <= 7 and 1 <= y <= 2,
        (0 <= x <= 2 and 4 <= y <= 5) or (9 <= x <= 10 and 0 <= y <= 1),
    ]
    return holds.index(True) if True in holds else -1


def table(points):
    x, y = zip(*points, strict=True) if points else ((), ())
    users = pa.array([f"u{index % 7}" for index in range(len(points))], pa.string())
    return pa.table({"x": pa.array(x, pa.float64()), "y": pa.array(y, pa.float64()), "u": users})


def cells(points):
    return [int(cell) for batch in table(points).to_batches() for cell in find_cells(batch, [CITY])]


EVERYWHERE = list(product(PLACES, PLACES))


def test_the_first_region_that_holds_a_point_or_its_border_counts_it():
    check_geometry(CITY)
    assert cells(EVERYWHERE) == [slow(*point) for point in EVERYWHERE]


def changed(locator):
    """Tell whether a point's region depends on what it is asked with."""
    x, y = (
        np.array([np.nan if each is None else each for each in side], dtype=np.float64)
        for side in zip(*EVERYWHERE, strict=True)
    )
    whole = locator(CITY, x, y)
    alone = [locator(CITY, x[[row]], y[[row]])[0] for row in range(len(x))]
    turned = locator(CITY, x[::-1].copy(), y[::-1].copy())[::-1]
    return not (np.array_equal(whole, alone) and np.array_equal(whole, turned))


def test_a_point_lies_where_it_lies_alone():
    assert not changed(locate)


def test_a_locator_that_looks_at_other_rows_is_noticed():
    def broken(regions, x, y):
        """Find a window around the rows, as no locator may."""
        found = locate(regions, x, y)
        found[x > np.nanmedian(np.where(np.isfinite(x), x, np.nan)) if len(x) > 1 else x > 0] = -1
        return found

    assert changed(broken)


coordinate = st.sampled_from(PLACES) | st.floats(-1, 11)


@given(st.lists(st.tuples(coordinate, coordinate), max_size=20), st.tuples(coordinate, coordinate))
def test_one_row_more_changes_no_other(points, more):
    assert cells([*points, more])[:-1] == cells(points)
    assert cells([more, *points])[1:] == cells(points)


UNITS = [PrivacyUnit.rows(), PrivacyUnit.users("u"), PrivacyUnit.users("u", max_rows=3)]


def test_rows_are_counted_in_their_regions():
    found = DuckEngine(table(EVERYWHERE)).counts([CITY], UNITS[0])
    true = [slow(*point) for point in EVERYWHERE]
    assert found.reveal().tolist() == [true.count(cell) for cell in range(CITY.cells)]


@pytest.mark.parametrize("unit", UNITS)
def test_regions_count_on_spark_as_on_one_machine(spark, tmp_path, unit):
    everyone = table(EVERYWHERE)
    for part in range(3):
        pq.write_table(everyone.slice(part * 300, 300), tmp_path / f"{part}.parquet")
    keys = [Labels("u", Categories(("u1", "u2", "u3"))), CITY]
    there, here = SparkEngine(spark.read.parquet(str(tmp_path))), DuckEngine(str(tmp_path))
    there._salt = here._salt = SALT
    there, here = there.counts(keys, unit), here.counts(keys, unit)
    assert there.reveal().tolist() == here.reveal().tolist()


def test_a_column_of_text_has_no_places():
    with pytest.raises(SourceError):
        DuckEngine(pa.table({"x": [True], "y": [b"a"]})).counts([CITY], UNITS[0])


def scattered(many, seed=0):
    """Return triangles and boxes of all sizes, most over others, and one around all of them."""
    dice = np.random.default_rng(seed)
    shapes = []
    for number in range(many - 1):
        x, y = dice.uniform(0, 100, 2)
        width, height = np.exp(dice.uniform(-4, 3, 2))
        around = box(x, y, x + width, y + height)
        shapes.append(
            Region(str(number), ((around if number % 2 else around[1:4] + around[1:2],),))
        )
    return Areas("x", "y", (*shapes, Region("all", ((box(0, 0, 130, 130),),))))


def places_of(areas, many=3000):
    """Return points anywhere, and all corners."""
    dice = np.random.default_rng(1)
    corners = [corner for area in areas.areas for ring in area.rings for corner in ring]
    return np.concatenate([dice.uniform(-5, 135, (many, 2)), np.array(corners)]).T.copy()


def test_an_index_finds_what_is_found_one_region_after_the_other():
    areas = scattered(200)
    x, y = places_of(areas)
    first = np.full(len(x), -1)
    for place in reversed(range(areas.cells)):
        alone = Areas("x", "y", (areas.areas[place],))
        first[locate(alone, x, y) == 0] = place
    assert locate(areas, x, y).tolist() == first.tolist()
    assert {-1, areas.cells - 1} < set(first.tolist())


@pytest.mark.parametrize("most", [1, 300, 2**24])
def test_what_fits_into_the_index_changes_no_answer(monkeypatch, most):
    areas = scattered(60, seed=3)
    x, y = places_of(areas)
    wanted = locate(areas, x, y)
    for name in ("_MOST_LISTED", "_MOST_PAIRS"):
        monkeypatch.setattr(locating, name, most)
    locating._prepare.cache_clear()
    assert (locating._prepare(areas).side == 1) == (most < 60)
    assert locate(areas, x, y).tolist() == wanted.tolist()
    locating._prepare.cache_clear()


def edges_of_tiles(areas, many=2000):
    """Return points on the borders of tiles, and on the floats to either side."""
    dice = np.random.default_rng(2)
    left, right, bottom, top = areas.box
    x = left + dice.integers(0, 513, many) * ((right - left) / 512)
    y = bottom + dice.integers(0, 513, many) * ((top - bottom) / 512)
    near = dice.uniform(-1, 1, (2, many)) < 0
    return np.where(near, np.nextafter([x, y], np.inf), np.nextafter([x, y], -np.inf))


@pytest.mark.parametrize("shift", [0.0, 1e6, -1e11, 1e12 - 200])
def test_a_tile_is_decided_as_each_of_its_points_is(monkeypatch, shift):
    places = scattered(60, seed=7).areas
    moved = [
        Region(
            each.name,
            tuple(
                tuple(tuple((x + shift, y + shift) for x, y in ring) for ring in polygon)
                for polygon in each.polygons
            ),
        )
        for each in places
    ]
    areas = Areas("x", "y", tuple(moved))
    x, y = np.hstack([edges_of_tiles(areas), places_of(areas) + shift])
    decided = locating._prepare(areas).decide(
        x[:2000].clip(*areas.box[:2]), y[:2000].clip(*areas.box[2:])
    )
    assert (decided != -2).mean() > 0.5
    found = locate(areas, x, y)
    monkeypatch.setattr(locating, "_FINEST", 1)
    locating._prepare.cache_clear()
    assert locate(areas, x, y).tolist() == found.tolist()
    locating._prepare.cache_clear()


def test_tiles_are_no_finer_than_floats_can_tell():
    assert locating._count_tiles((1e12 - 1, 1e12, 0, 1)) < 32
    small = Areas("x", "y", (Region("A", ((box(1e12 - 1, 0, 1e12, 1),),)),))
    assert locating._prepare(small).tiles.size <= 32**2


def test_threads_that_begin_together_are_answered_as_one_is():
    areas = scattered(300, seed=5)
    x, y = places_of(areas)
    wanted = locate(areas, x, y).tolist()
    for _ in range(5):
        locating._prepare.cache_clear()
        with ThreadPoolExecutor(8) as pool:
            answers = pool.map(lambda _: locate(areas, x, y).tolist(), range(8))
            assert all(answer == wanted for answer in answers)


RACE = """
from threading import Barrier, Thread
import numpy as np
from sfumato.engines import locating
from sfumato.regions import Areas, Region

angle = np.linspace(0, 2 * np.pi, 20_000, endpoint=False)
size = 1 + 0.3 * np.sin(37 * angle)
corners = [*zip((size * np.cos(angle)).tolist(), (size * np.sin(angle)).tolist())]
x, y = np.random.default_rng(0).uniform(-1.4, 1.4, (2, 300))
for number in range(20):
    areas = Areas("x", "y", (Region(str(number), (((*corners, corners[0]),),)),))
    locating._prepare(areas)
    start, found = Barrier(4), []

    def ask():
        start.wait()
        found.append(locating.locate(areas, x, y).tolist())

    threads = [Thread(target=ask) for _ in range(4)]
    [each.start() for each in threads], [each.join() for each in threads]
    assert found == [found[0]] * 4
"""


def test_threads_do_not_finish_the_same_index_at_once():
    """They would end the process: this one asks another process to try."""
    tried = subprocess.run([sys.executable, "-c", RACE], capture_output=True, check=False)
    assert tried.returncode == 0


TINY = 5e-324


@pytest.mark.parametrize("size", [TINY, 1e-300, 1.0, 1e12])
def test_coordinates_of_every_size_have_a_place_of_their_own(size):
    areas = Areas("x", "y", (Region("A", ((box(0, 0, size, size),),)),))
    numbers = np.array([-size, -TINY, -0.0, 0.0, TINY, size / 2, size, np.nextafter(size, 2e12)])
    x, y = (each.ravel() for each in np.meshgrid(numbers, numbers))
    whole = locate(areas, x, y)
    assert whole.tolist() == [locate(areas, x[[n]], y[[n]])[0] for n in range(len(x))]
    outside = (x < 0) | (x > size) | (y < 0) | (y > size)
    assert (whole[outside] == -1).all()


def test_a_region_that_travels_is_the_same_and_found_in_a_table_of_regions():
    there = pickle.loads(pickle.dumps(CITY))
    assert there == CITY and hash(there) == hash(CITY) and "_hash" not in pickle.loads(
        pickle.dumps(CITY)).__dict__  # fmt: skip


def test_points_are_not_located_by_another_version_than_where_they_are_asked_for():
    x = np.array([1.0])
    try:
        expect_geometry("GEOS 0.0.0")
        with pytest.raises(ValueError, match="another version"):
            locate(CITY, x, x)
        expect_geometry(name_geometry())
        assert locate(CITY, x, x).tolist() == [0]
    finally:
        locating._expected.clear()


def test_without_shapely_points_have_no_version(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "shapely", None)
    assert name_geometry() == ""


def test_a_border_drawn_twice_is_no_overlap_but_a_strip_is():
    left, right = Region("A", ((box(0, 0, 1, 1),),)), Region("B", ((box(1 - 1e-9, 0, 2, 1),),))
    check_geometry(Areas("x", "y", (left, right)), apart=True)
    wide = Region("B", ((box(0.99, 0, 2, 1),),))
    check_geometry(Areas("x", "y", (left, wide)))
    with pytest.raises(DomainError, match="overlap"):
        check_geometry(Areas("x", "y", (left, wide)), apart=True)
