"""One table in every form gives the masses of the oracle, whatever it holds."""

import math
from dataclasses import replace
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines import oracle
from engines.forms import FORMS
from engines.hostile import GRID, hostile
from sfumato.domain import Bounds
from sfumato.engines import bounding
from sfumato.engines.bounding import PartitionedRows
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources.arrow import ArrowTable
from sfumato.engines.table import MemoryLimits
from sfumato.errors import DomainError, SourceError
from sfumato.grid import Grid
from sfumato.plane import Plane, Weight, influence
from sfumato.privacy.guarantee import PrivacyUnit

TABLE = hostile(3000)
ROWS = TABLE.to_pylist()
WHOLE = Grid("i", Bounds(0, 20), 7)
PLANES = {
    "coarse": Plane(GRID, WHOLE),
    "edge": Plane(GRID, WHOLE, "edge"),
    "texts": Plane(Grid("t", GRID.bounds, 5), Grid("d", Bounds(0, 3.3), 2**12)),
    "one cell": Plane(Grid("i", Bounds(-1, 20), 1), Grid("f", Bounds(0, 1), 1), "edge"),
    "fine": Plane(Grid("x", GRID.bounds, 2**20), Grid("v", Bounds(0, 90), 2**20)),
    "long": Plane(Grid("x", GRID.bounds, 2**20), Grid("v", Bounds(0, 90), 3), "edge"),
}
WEIGHTS = [None, Weight("x", 1.0), Weight("i", 2.0**30), Weight("t", 0.7), Weight("d", 1e-6)]
ROW, USER = PrivacyUnit.rows(), PrivacyUnit.users("u")
UNITS = [ROW, USER, PrivacyUnit.users("v")]


def asked(table, plane, unit, weight=None, **options):
    exact = DuckEngine(table, **options).masses(plane, unit, weight)
    codes, sums = exact.reveal_places(), exact.reveal()
    assert codes.dtype == sums.dtype == np.int64
    assert np.all(np.diff(codes) > 0)
    return dict(zip(codes.tolist(), sums.tolist(), strict=True))


def has(table, plane):
    columns = DuckEngine(table).schema().columns
    kinds = [columns.get(grid.column) for grid in (plane.x, plane.y)]
    return None not in kinds and "f" not in (plane.x.column, plane.y.column)


@pytest.fixture
def on_disk(monkeypatch):
    """Leave no room for people in memory."""
    monkeypatch.setattr(bounding, "compute_room", lambda *_: MemoryLimits(1, 1))
    monkeypatch.setattr("sfumato.engines.sources.source.BLOCK", 999)
    monkeypatch.setattr("sfumato.engines.bounding.BLOCK", 999)


@pytest.mark.parametrize("unit", UNITS[:2], ids=repr)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_hostile_table_has_the_same_masses(form, unit, tmp_path):
    table = FORMS[form](TABLE, tmp_path)
    for name, weight in {"coarse": None, "texts": Weight("i", 9.0), "fine": None}.items():
        if has(table, PLANES[name]):
            expected = oracle.masses(ROWS, PLANES[name], unit, weight)
            assert asked(table, PLANES[name], unit, weight) == expected, name


@pytest.mark.parametrize("weight", WEIGHTS, ids=str)
@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("name", PLANES)
def test_masses_are_those_of_the_oracle(name, unit, weight):
    expected = oracle.masses(ROWS, PLANES[name], unit, weight)
    assert len(expected) > 0
    assert asked(TABLE, PLANES[name], unit, weight) == expected


@pytest.mark.parametrize("weight", WEIGHTS, ids=str)
@pytest.mark.parametrize("unit", UNITS[1:], ids=repr)
@pytest.mark.usefixtures("on_disk")
def test_masses_are_the_same_where_people_are_grouped_on_disk(unit, weight):
    for plane in PLANES.values():
        assert asked(TABLE, plane, unit, weight) == oracle.masses(ROWS, plane, unit, weight)


def test_times_have_their_place():
    days = Grid("m", Bounds.of((date(2026, 1, 1), date(2026, 3, 1))), 59)
    plane = Plane(days, WHOLE)
    assert asked(TABLE, plane, USER) == oracle.masses(ROWS, plane, USER)


@pytest.mark.parametrize("weight", [None, Weight("x", 1.0)], ids=str)
@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_order_partition_and_threads_do_not_matter(unit, weight, tmp_path):
    for plane in (PLANES["coarse"], PLANES["fine"]):
        expected = asked(TABLE, plane, unit, weight, threads=1)
        shuffled = TABLE.take(np.random.default_rng(5).permutation(TABLE.num_rows))
        for start in range(0, 3000, 611):
            pq.write_table(shuffled.slice(start, 611), tmp_path / f"{start}.parquet")
        for threads in (1, 2, 5):
            assert asked(tmp_path, plane, unit, weight, threads=threads) == expected


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("form", FORMS)
def test_a_table_without_rows_has_no_masses(form, unit, tmp_path):
    table = FORMS[form](TABLE.slice(0, 0), tmp_path)
    plane = Plane(Grid("i", Bounds(0, 20), 7), Grid("v", Bounds(0, 9), 2**13))
    assert asked(table, plane, unit) == asked(table, plane, unit, Weight("i", 1.0)) == {}


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("weight", WEIGHTS, ids=str)
def test_the_answer_states_the_influence_of_its_unit(unit, weight):
    exact = DuckEngine(TABLE).masses(PLANES["coarse"], unit, weight)
    l1, step = influence(unit, weight)
    assert (exact.l1, exact.l2_squared, exact.step) == (l1, l1**2, step)


@pytest.mark.parametrize(
    ("plane", "unit", "weight"),
    [
        (Plane(Grid("nobody", Bounds(0, 1), 2), GRID), ROW, None),
        (Plane(GRID, Grid("m", Bounds(0, 1), 2)), ROW, None),
        (Plane(GRID, Grid("i", Bounds(0, 1, time=True), 2)), ROW, None),
        (PLANES["coarse"], PrivacyUnit.users("nobody"), None),
        (PLANES["coarse"], PrivacyUnit.users("nested"), None),
        (PLANES["coarse"], ROW, Weight("nobody", 1.0)),
        (PLANES["coarse"], ROW, Weight("m", 1.0)),
        (PLANES["coarse"], USER, Weight("nested", 1.0)),
    ],
)
def test_what_a_table_cannot_answer_is_refused_before_it_is_read(plane, unit, weight, monkeypatch):
    table = TABLE.append_column("nested", pa.array([[1]] * 3000))
    monkeypatch.setattr(ArrowTable, "batches", lambda *_: pytest.fail("the table was read"))
    with pytest.raises(SourceError):
        DuckEngine(table).masses(plane, unit, weight)


def test_at_most_so_many_rows_of_a_person_are_refused():
    with pytest.raises(DomainError, match=r"users\('u'\)") as refused:
        DuckEngine(TABLE).masses(PLANES["coarse"], PrivacyUnit.users("u", max_rows=3))
    assert str(refused.value).count(". ") == 2


SMALL = Plane(Grid("x", Bounds(0, 4), 4), Grid("y", Bounds(0, 4), 4))


def test_the_upper_bound_lies_within_and_beyond_it_is_nowhere():
    at = [0.0, 4.0, math.nextafter(4.0, 5.0), math.nextafter(0.0, -1.0), math.inf, -math.inf]
    table = pa.table({"x": at, "y": [0.5] * 6})
    assert asked(table, SMALL, ROW) == {0: 1, 5: 1}
    assert asked(table, replace(SMALL, outside="edge"), ROW) == {0: 3, 5: 3}


def test_a_long_table_of_many_people_is_divided_as_by_hand(tmp_path):
    generator = np.random.default_rng(2)
    rows = 400_000
    who = generator.integers(0, 50_000, rows)
    x, y = generator.uniform(0, 4, (2, rows))
    wholes = np.bincount(who, minlength=50_000)
    plane = Plane(Grid("x", Bounds(0, 4), 2**11), Grid("y", Bounds(0, 4), 2**12))
    ix, iy = (x * 2**9).astype(int), (y * 2**10).astype(int)
    expected = {}
    for key, amount in zip(zip(ix, iy, strict=True), 2**30 // wholes[who], strict=True):
        expected[key] = expected.get(key, 0) + amount
    codes = oracle.interleave(*np.array([*expected]).T).tolist()
    expected = dict(zip(codes, map(int, expected.values()), strict=True))
    for name, ids in {"int": who, "far": who * 10**12, "text": [f"u{n}" for n in who]}.items():
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"u": ids, "x": x, "y": y}), path, row_group_size=90_000)
        for options in ({"threads": 3}, {"threads": 2, "memory_limit": "48MB"}):
            assert asked(path, plane, USER, **options) == expected


@pytest.mark.parametrize(("limit", "on_disk"), [("1GB", False), ("48MB", True)])
def test_a_small_memory_limit_sends_people_to_the_disk(limit, on_disk, monkeypatch):
    asked_of, write = [], PartitionedRows._write
    monkeypatch.setattr(PartitionedRows, "_write", lambda held: asked_of.append(1) or write(held))
    table = pa.table({"u": np.arange(10**6), "x": np.zeros(10**6), "y": np.zeros(10**6)})
    assert asked(table, SMALL, USER, memory_limit=limit) == {0: 10**6 * 2**30}
    assert bool(asked_of) == on_disk
