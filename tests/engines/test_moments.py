"""One table in every form gives the moments of the oracle, and no unit moves them too far."""

import math
from datetime import date
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines import oracle
from engines.forms import FORMS
from engines.hostile import GRID, hostile
from engines.oracle import SALT
from sfumato.domain import Bounds
from sfumato.engines import bounding, moments
from sfumato.engines import cells as points
from sfumato.engines import moments as gram
from sfumato.engines import people as walking
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources.arrow import ArrowTable
from sfumato.errors import SourceError
from sfumato.lattice import LENGTH, REACH, SHARES, Lattice, Moments, moment_weight
from sfumato.privacy.guarantee import MOST_MAX_ROWS, PrivacyUnit

TABLE = hostile(3000)
ROWS = TABLE.to_pylist()
WHOLE, TENTHS = Bounds(0, 20), Bounds(0, 3.3)
DAYS = Bounds.of((date(2026, 1, 1), date(2026, 3, 1)))
LATTICES = {
    "mixed": Lattice(("x", "i", "d"), (GRID.bounds, WHOLE, TENTHS), (1.8, 10.0, 3.0)),
    "texts, flags and times": Lattice(
        ("t", "f", "m"), (GRID.bounds, Bounds(0, 1), DAYS), (1.8, 0.5, DAYS.width / 2)
    ),
    "tiny scales": Lattice(("x", "v"), (GRID.bounds, Bounds(0, 90)), (1e-9, 3e5)),
}
IN_ALL_FORMS = Lattice(("i", "t", "v"), (WHOLE, GRID.bounds, Bounds(0, 90)), (10.0, 1.8, 45.0))
ROW, USER = PrivacyUnit.rows(), PrivacyUnit.users("u")
UNITS = [
    ROW,
    USER,
    PrivacyUnit.users("u", max_rows=3),
    PrivacyUnit.users("v"),
    PrivacyUnit.users("v", max_rows=7),
]


def questions(lattice):
    columns = len(lattice.columns)
    corner = tuple(int(step) for step in lattice.corners[1])
    return [
        Moments(lattice, (0,) * columns, float(REACH), 1024),
        Moments(lattice, (12_345,) * columns, 2.0**17 + 0.3, LENGTH),
        Moments(lattice, corner, 2.0**29, 1),
        Moments(lattice, (-REACH, *corner[1:]), 1.0, 7),
    ]


def asked(table, moments, unit, **options):
    engine = DuckEngine(table, **options)
    engine._salt = SALT
    found = engine.gram(moments, unit).reveal()
    assert found.dtype == np.int64
    return found.tolist()


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("name", LATTICES)
def test_moments_are_those_of_the_oracle(name, unit):
    for question in questions(LATTICES[name]):
        expected = oracle.gram(ROWS, question, unit)
        assert expected[0][0] > 0
        assert asked(TABLE, question, unit) == expected


@pytest.mark.parametrize("unit", UNITS[:3], ids=repr)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_hostile_table_has_the_same_moments(form, unit, tmp_path):
    question = questions(IN_ALL_FORMS)[1]
    expected = oracle.gram(ROWS, question, unit)
    assert asked(FORMS[form](TABLE, tmp_path), question, unit) == expected


@pytest.mark.parametrize("unit", UNITS[:3], ids=repr)
def test_order_partition_and_threads_do_not_matter(unit, tmp_path, monkeypatch):
    question = questions(LATTICES["mixed"])[1]
    expected = asked(TABLE, question, unit, threads=1)
    shuffled = TABLE.take(np.random.default_rng(5).permutation(TABLE.num_rows))
    for start in range(0, 3000, 611):
        pq.write_table(shuffled.slice(start, 611), tmp_path / f"{start}.parquet")
    for threads in (1, 2, 5):
        assert asked(tmp_path, question, unit, threads=threads) == expected
    for module in (gram, moments, points):
        monkeypatch.setattr(module, "STRIP", 7)
    monkeypatch.setattr(gram, "MOST_WEIGHT", 3 * SHARES)
    assert asked(TABLE, question, unit) == expected


def test_a_strip_of_the_heaviest_rows_stays_exact():
    assert points.STRIP * max(SHARES, MOST_MAX_ROWS) <= gram.MOST_WEIGHT


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("form", FORMS)
def test_the_moments_of_a_table_without_rows_are_all_zero(form, unit, tmp_path):
    table = FORMS[form](TABLE.slice(0, 0), tmp_path)
    assert asked(table, questions(IN_ALL_FORMS)[0], unit) == [[0] * 4] * 4


@pytest.mark.parametrize("unit", UNITS[:3], ids=repr)
def test_rows_that_lack_a_column_or_a_person_are_left_out(unit):
    lattice = Lattice(("a", "b"), (Bounds(0, 4), Bounds(0, 4)), (2.0, 2.0))
    columns = {"a": [1.0, None, math.nan, 3.0], "b": [3.0, 1.0, 1.0, None], "u": [1, 1, 2, None]}
    table = pa.table(
        {name: pa.array(values, from_pandas=False) for name, values in columns.items()}
    )
    found = asked(table, Moments(lattice, (0, 0), float(REACH), 10), unit)
    weight = SHARES // 2 if unit.shared else 1
    assert found[0][0] == 100 * weight
    assert asked(table.slice(1), Moments(lattice, (0, 0), float(REACH), 10), unit) == [[0] * 3] * 3


def test_more_columns_than_rows_and_constant_columns_are_ordinary():
    names = tuple(f"c{index}" for index in range(100))
    lattice = Lattice(names, (Bounds(-1, 1),) * 100, (1.0,) * 100)
    table = pa.table({name: [0.25, 0.25, 0.25] for name in names})
    question = Moments(lattice, (0,) * 100, 2.0**23, LENGTH)
    assert asked(table, question, ROW) == oracle.gram(table.to_pylist(), question, ROW)


def test_values_at_the_edge_of_what_floats_can_hold_cause_no_warning():
    signalling = np.array([0x7FF0000000000001], dtype=np.uint64).view(np.float64)[0]
    odd = np.array([1e308, -1e308, 5e-324, -0.0, math.inf, -math.inf, signalling, math.nan])
    lattice = Lattice(
        ("a", "b"), (Bounds(-1.7e308 / 4, 1.7e308 / 4), Bounds(2.0**53, 2.0**53 + 2)), (1e300, 1.0)
    )
    whole = np.array([2**63 - 1, -(2**63), 2**53 + 1, 2**53 + 2, 0, 1, 2, 3])
    table = pa.table({"a": odd, "b": whole})
    question = Moments(lattice, (0, 0), float(REACH), 5)
    expected = oracle.gram(table.to_pylist(), question, ROW)
    assert expected[0][0] == 25 * 6
    assert asked(table, question, ROW) == expected


def test_the_answer_states_what_one_unit_can_change():
    question = questions(LATTICES["mixed"])[0]
    for unit, weight, step in zip(UNITS[:3], (1, SHARES, 3), (1.0, 1 / SHARES, 1.0), strict=True):
        exact = DuckEngine(TABLE).gram(question, unit)
        most = weight * (1024**2 + LENGTH**2)
        assert (exact.l1, exact.l2_squared, exact.step) == (4 * most, most**2, step)


@pytest.mark.parametrize(
    ("lattice", "unit"),
    [
        (Lattice(("x", "nobody"), (WHOLE, WHOLE), (1.0, 1.0)), ROW),
        (Lattice(("x", "m"), (WHOLE, WHOLE), (1.0, 1.0)), ROW),
        (Lattice(("x", "i"), (WHOLE, DAYS), (1.0, 1.0)), ROW),
        (LATTICES["mixed"], PrivacyUnit.users("nobody")),
        (LATTICES["mixed"], PrivacyUnit.users("nested")),
    ],
)
def test_what_a_table_cannot_answer_is_refused_before_it_is_read(lattice, unit, monkeypatch):
    table = TABLE.append_column("nested", pa.array([[1]] * 3000))
    monkeypatch.setattr(ArrowTable, "batches", lambda *_: pytest.fail("the table was read"))
    with pytest.raises(SourceError):
        DuckEngine(table).gram(Moments(lattice, (0, 0, 0)[: len(lattice.columns)], 9.0, 1), unit)


def test_which_rows_of_a_person_count_is_the_same_for_every_origin_and_new_for_each_engine():
    lattice = Lattice(("a", "b"), (Bounds(0, 64), Bounds(0, 64)), (32.0, 32.0))
    table = pa.table({"a": np.arange(64.0), "b": np.zeros(64), "u": [0] * 64})
    unit = PrivacyUnit.users("u", max_rows=32)
    near, far = (Moments(lattice, (origin, -REACH), 2.0**22, 1) for origin in (-REACH, REACH))
    first, second = DuckEngine(table), DuckEngine(table)
    chosen = [engine.gram(near, unit).reveal()[0, 1] for engine in (first, first, second)]
    assert chosen[0] == chosen[1] != chosen[2]  # equal once in a thousand runs or so
    # From the other corner the same rows lie as far again: 32 sums of opposite sign.
    reach = near.reach / 2
    assert first.gram(far, unit).reveal()[0, 1] == pytest.approx(chosen[0] - 32 * reach, abs=32)


def test_people_of_a_table_larger_than_the_memory_limit_are_grouped_on_disk(tmp_path):
    rows, columns = 200_000, 20
    names = tuple(f"c{index}" for index in range(columns))
    generator = np.random.default_rng(0)
    people = np.arange(rows) * 7919 % 50_021
    data = {name: generator.normal(size=rows) for name in names}
    pq.write_table(pa.table(data | {"u": people}), tmp_path / "people.parquet")
    lattice = Lattice(names, (Bounds(-3, 3),) * columns, (3.0,) * columns)
    question = Moments(lattice, (0,) * columns, float(REACH), 1000)
    for unit, rest in ((USER, {}), (PrivacyUnit.users("u", max_rows=2), {"threads": 1})):
        tight = asked(tmp_path, question, unit, memory_limit="32MB", **rest)
        assert tight == asked(tmp_path, question, unit)


NARROW = Lattice(("a", "b", "c"), (Bounds(0, 1), Bounds(-5, 3), Bounds(10, 12)), (0.5, 2.0, 1.0))
SCHEMA = pa.schema([("u", pa.int64()), *((name, pa.float64()) for name in "abc")])
steps = st.floats(-1.25 * REACH, 1.25 * REACH) | st.integers(-REACH, REACH).map(lambda n: n + 0.5)


def value(column, step):
    """Return the value of a column that lies so many steps from its middle."""
    return float(NARROW.middles[column] + step / NARROW.factors[column])


def cell_of(column):
    odd = st.sampled_from([None, math.nan, math.inf, -math.inf, 1e300, 5e-324, -0.0])
    ends = st.sampled_from([NARROW.bounds[column].lower, NARROW.bounds[column].upper])
    return steps.map(partial(value, column)) | ends | odd


values = st.tuples(*map(cell_of, range(3)))
tables = st.lists(st.tuples(st.integers(0, 4) | st.none(), values), max_size=8)
one_person = st.lists(values, min_size=1, max_size=12)
asking = st.builds(
    partial(Moments, NARROW),
    st.tuples(*[st.integers(-REACH, REACH)] * 3),
    st.floats(1, 2**22) | st.sampled_from([1.0, float(REACH), 2.0**29]),
    st.integers(1, LENGTH),
)


def moved(rows, added, question, unit):
    """Return how far more rows move the moments, against what is stated, in exact integers."""
    found = []
    for some in (rows, rows + added):
        listed = [dict(zip("uabc", (person, *row), strict=True)) for person, row in some]
        engine = DuckEngine(pa.Table.from_pylist(listed, SCHEMA))
        engine._salt = SALT
        found.append(engine.gram(question, unit))
    before, after = (exact.reveal().astype(object) for exact in found)
    change = (after - before).ravel().tolist()
    l1, l2 = sum(map(abs, change)), sum(step**2 for step in change)
    return l1 <= found[0].l1 and l2 <= found[0].l2_squared


@settings(max_examples=150)
@given(tables, st.tuples(st.none(), values), asking)
def test_a_row_moves_the_moments_by_at_most_its_length(rows, row, question):
    assert moved(rows, [row], question, ROW)


@settings(max_examples=30)
@given(tables, one_person, asking)
def test_a_person_moves_the_shared_moments_by_at_most_one_weight(rows, mine, question):
    assert moved(rows, [(99, row) for row in mine], question, USER)


@settings(max_examples=30)
@given(tables, one_person, asking, st.integers(1, 6))
def test_a_person_moves_the_capped_moments_by_at_most_max_rows(rows, mine, question, most):
    unit = PrivacyUnit.users("u", max_rows=most)
    assert moved(rows, [(99, row) for row in mine], question, unit)


FAR = [(99, (1e300, -1e300, 1e300))] * 1000
OUTWARD = Moments(NARROW, (0, 0, 0), 1000.0, 1)


def unclipped(self, points):
    points -= self._origin
    points *= self._moments.reach / self._moments.radius
    return np.flatnonzero(np.isnan(np.rint(points, out=points).sum(axis=0)))


shares = bounding._share_weight


def rounded_up(*given):
    return 1 + shares(*given)


def uncapped(who, amounts, most):
    return amounts


@pytest.mark.parametrize(
    ("target", "broken", "unit"),
    [
        ((gram.Gram, "_shorten"), unclipped, ROW),
        ((Moments, "reach"), 1.001 * LENGTH, ROW),
        ((bounding, "_share_weight"), rounded_up, USER),
        ((walking, "_allot_rows"), uncapped, PrivacyUnit.users("u", max_rows=2)),
    ],
    ids=["not cut", "too long", "rounded up", "uncapped"],
)
def test_moments_that_move_too_far_would_be_caught(target, broken, unit, monkeypatch):
    mine = FAR[:1] if unit is ROW else FAR
    assert moved([], mine, OUTWARD, unit)
    monkeypatch.setattr(*target, broken)
    assert not moved([], mine, OUTWARD, unit)


def test_the_stated_change_is_nearly_reached():
    weights = {unit: moment_weight(unit) for unit in UNITS[:2]}
    for unit, weight in weights.items():
        one = Moments(NARROW, (0, 0, 0), 1000.0, LENGTH)
        table = pa.table([pa.array([each]) for each in (1, 1.0, 3.0, 12.0)], SCHEMA)
        exact = DuckEngine(table).gram(one, unit)
        norm = math.sqrt(sum(step**2 for step in exact.reveal().ravel().tolist()))
        assert 0.997 * weight * one.longest < norm <= weight * one.longest
