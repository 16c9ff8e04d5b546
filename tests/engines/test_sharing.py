"""One person weighs at most 1 on a map, whatever it does; and a broken engine would be caught."""

import math
from dataclasses import replace
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines import oracle
from sfumato.domain import Bounds
from sfumato.engines import bounding
from sfumato.engines import bounding as gathering
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.table import MemoryLimits
from sfumato.grid import Grid
from sfumato.plane import Plane, Weight, influence
from sfumato.privacy.guarantee import PrivacyUnit

ROW, USER = PrivacyUnit.rows(), PrivacyUnit.users("u")
SMALL = Plane(Grid("x", Bounds(0, 4), 4), Grid("y", Bounds(0, 4), 4))
SCHEMA = pa.schema(
    [("u", pa.string()), ("x", pa.float64()), ("y", pa.float64()), ("w", pa.float64())]
)
BY = Weight("w", 2.5)

coordinates = st.sampled_from([0.0, 1.5, 3.9, 4.0, -1.0, 9.0, math.inf, -math.inf, math.nan, None])
heavy = st.sampled_from([0.0, 1e-12, 0.3, 1.0, 2.5, 1e300, -3.0, math.inf, math.nan, None])
values = st.tuples(coordinates, coordinates, heavy)
people = st.sampled_from(["", "a", "ab", "ba", "0", None])
tables = st.lists(st.tuples(people, values), max_size=25)
one_person = st.lists(values, min_size=1, max_size=25)


def asked(table, plane, unit, weight=None, **options):
    exact = DuckEngine(table, **options).masses(plane, unit, weight)
    codes, sums = exact.reveal_places(), exact.reveal()
    assert codes.dtype == sums.dtype == np.int64
    assert np.all(np.diff(codes) > 0)
    return dict(zip(codes.tolist(), sums.tolist(), strict=True))


def moved(rows, added, unit, weight, plane=SMALL):
    """Return how far the rows of one more unit move the masses, against what is stated."""
    found = []
    for some in (rows, rows + added):
        columns = list(zip(*[(person, *value) for person, value in some], strict=True))
        columns = columns or [[], [], [], []]
        table = pa.table(dict(zip("uxyw", columns, strict=True)), SCHEMA)
        found.append(asked(table, plane, unit, weight))
    before, after = found
    change = [after.get(place, 0) - before.get(place, 0) for place in before | after]
    return sum(map(abs, change)) / influence(unit, weight)[0]


finer = replace(SMALL, x=Grid("x", Bounds(0, 4), 2**12), outside="edge")
asking = st.tuples(st.sampled_from([None, BY]), st.sampled_from([SMALL, finer]))


@settings(deadline=None, max_examples=60)
@given(tables, st.tuples(people, values), asking)
def test_a_row_moves_the_masses_by_at_most_its_weight(rows, row, how):
    assert moved(rows, [row], ROW, *how) <= 1


@settings(deadline=None, max_examples=60)
@given(tables, one_person, asking)
def test_a_person_moves_the_masses_by_at_most_one_weight(rows, mine, how):
    added = [("me", value) for value in mine]
    assert moved(rows, added, USER, *how) <= 1


MINE = [("me", value) for value in [(0.0, 0.0, 1.0), (1.5, 3.0, 0.3), (math.nan, 2.0, 2.5)] * 3]


def rounded_up(*given):
    return shares(*given) + 1


def split_by_block(blocks):
    """Number people anew in each half, so that each has a weight of its own."""
    numbers, people = numbered(blocks)
    late = np.arange(numbers.size) >= numbers.size // 2
    return numbers + people * late, 2 * people


shares, numbered = bounding._share_weight, bounding.number_people
NO_ROOM = MemoryLimits(1, 1)


@pytest.mark.parametrize("weight", [None, BY], ids=str)
@pytest.mark.parametrize(
    ("name", "broken"), [("_share_weight", rounded_up), ("number_people", split_by_block)]
)
def test_a_broken_share_would_be_caught(name, broken, weight, monkeypatch):
    inside = [row for row in MINE if not math.isnan(row[1][0])] * 5
    assert moved([], inside, USER, weight) <= 1
    monkeypatch.setattr(bounding, name, broken)
    assert moved([], inside, USER, weight) > 1


def test_people_who_are_sorted_into_two_companies_would_be_noticed(monkeypatch):
    apart = (lambda whose: np.arange(len(whose), dtype=np.uint8),)
    monkeypatch.setattr(gathering.PartitionedRows.__init__, "__defaults__", apart)
    assert moved([], MINE, USER, None) > 1


@pytest.mark.parametrize("weight", [None, BY], ids=str)
def test_a_broken_share_on_disk_would_be_caught(weight, monkeypatch):
    monkeypatch.setattr(bounding, "compute_room", lambda *_: NO_ROOM)
    monkeypatch.setattr("sfumato.engines.sources.source.BLOCK", 2)
    monkeypatch.setattr("sfumato.engines.bounding.BLOCK", 2)
    monkeypatch.setattr(bounding, "number_people", lambda *_: pytest.fail("there was room"))
    inside = [row for row in MINE if not math.isnan(row[1][0])]
    assert moved([], inside, USER, weight) <= 1
    monkeypatch.setattr(bounding, "_share_weight", rounded_up)
    assert moved([], inside, USER, weight) > 1


@pytest.mark.parametrize("weight", [None, BY], ids=str)
def test_rows_that_are_nowhere_share_the_weight_of_their_person(weight):
    rows = [("a", (0.0, 0.0, 1.0)), ("a", (9.0, 0.0, 1.0)), ("a", (None, 0.0, 1.0))]
    columns = dict(zip("uxyw", zip(*[(u, *value) for u, value in rows], strict=True), strict=True))
    assert asked(pa.table(columns, SCHEMA), SMALL, USER, weight) == {0: 2**30 // 3}


def crowd(extra):
    """Return ten ordinary people, alone or with the rows of somebody else."""
    generator = np.random.default_rng(1)
    x, y = generator.uniform(0, 1024, (2, 100))
    people = [f"p{index}" for index in range(10)] * 10
    columns = {"u": people + ["me"] * len(extra[0]), "x": [*x, *extra[0]], "y": [*y, *extra[1]]}
    return pa.table(columns)


PIXELS = Plane(Grid("x", Bounds(0, 1024), 1024), Grid("y", Bounds(0, 1024), 1024))
ONE_PIXEL = (np.full(10**6, 3.5), np.full(10**6, 4.5))
EVERY_PIXEL = tuple(np.indices((1024, 1024)).reshape(2, -1) + 0.5)
OUTSIDE = (np.full(1000, -1.0), np.full(1000, math.inf))
MISSING = (np.full(1000, math.nan), np.full(1000, 1.0))


@pytest.mark.parametrize("levels", [10, 20])
@pytest.mark.parametrize(
    ("mine", "weigh"),
    [
        (ONE_PIXEL, 2**30 // 10**6 * 10**6),
        (EVERY_PIXEL, 2**30),
        (OUTSIDE, 0),
        (MISSING, 0),
    ],
    ids=["one pixel", "every pixel", "outside", "missing"],
)
def test_no_person_weighs_more_than_one_whatever_it_does(mine, weigh, levels):
    grids = (replace(grid, cells=2**levels) for grid in (PIXELS.x, PIXELS.y))
    plane = Plane(*grids)
    before, after = (asked(crowd(extra), plane, USER) for extra in (([], []), mine))
    change = {place: after.get(place, 0) - before.get(place, 0) for place in before | after}
    assert sum(change.values()) == weigh <= 2**30
    assert min(change.values()) >= 0


@pytest.mark.parametrize(
    "people",
    [
        pa.array([None, 1.5, math.nan, -0.0, 0.0, 1e308, 1.5], from_pandas=False),
        pa.array([None, "", "a", "a", "b", "é", "\U0001f600"]),
        pa.array([None, b"", b"\xff", b"\xff", b"\x00", b"a", b"aa"]),
        pa.array([None, -(2**63), 2**63 - 1, 0, 0, 32, -32]),
        pa.array([None, 2**64 - 1, 2**64 - 2, 2**63, 2**63 - 1, 0, 0], pa.uint64()),
        pa.array([None, 2**64 - 1, 2**64 - 2, 2**64 - 1, 2**64 - 65, 2**64 - 3, None], pa.uint64()),
        pa.array([None, 2**63 - 32, 2**63 + 32, 2**63, 2**63, 2**63, 2**63 + 64], pa.uint64()),
        pa.array([None, -128, 127, 96, -32, 0, 0], pa.int8()),
        pa.array([None, True, True, False, None, False, True]),
        pa.array([None] * 7, pa.string()),
        pa.array([None, *map(date.fromordinal, (1, 1, 2, 3, 700_000, 700_000))]),
        pa.nulls(7),
    ],
    ids=lambda people: str(people.type),
)
@pytest.mark.parametrize("weight", [None, BY], ids=str)
def test_people_are_told_apart_exactly(people, weight):
    table = pa.table({"u": people, "x": [0.5, 1.5, 2.5, 3.5, 0.5, 1.5, 9.5], "y": [1.0] * 7})
    table = table.append_column("w", pa.array([1.0, 2.0, 0.5, 1.0, 3.0, None, 1.0]))
    expected = oracle.masses(table.to_pylist(), SMALL, USER, weight)
    assert asked(table, SMALL, USER, weight) == expected
    assert asked(pa.concat_tables([table.slice(i, 1) for i in range(7)]), SMALL, USER, weight) == (
        expected
    )
