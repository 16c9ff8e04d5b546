"""A row's region is its own: alone or among others, on one machine or on many."""

from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.oracle import SALT
from sfumato.domain import Categories
from sfumato.engines.cells import find_cells
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.locating import check_geometry, locate
from sfumato.engines.spark.engine import SparkEngine
from sfumato.errors import SourceError
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
