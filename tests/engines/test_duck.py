"""One table in every form gives the integers of the oracle, whatever it holds."""

import math
import subprocess
import sys
import tempfile
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.forms import FORMS
from engines.hostile import CANARY, GRID, hostile
from engines.oracle import SALT, counts
from sfumato.domain import Bounds, Categories
from sfumato.ends import CYCLES
from sfumato.engines.cells import list_columns
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources.arrow import ArrowTable
from sfumato.errors import DomainError, SourceError
from sfumato.grid import Edges, Grid, Labels
from sfumato.lattice import REACH, DistanceCells, Lattice, Projection
from sfumato.privacy.guarantee import PrivacyUnit

TABLE = hostile(3000)
ROWS = TABLE.to_pylist()
GROUPS = Labels("g", Categories(("A", "B", "Å", "\U0001f600", "missing")))
LATTICE = Lattice(("x", "i", "t"), (GRID.bounds, Bounds(0, 20), GRID.bounds), (1.8, 10.0, 3.0))
SLANTED = (3 * REACH // 5, 0, -4 * REACH // 5)
ACROSS = (0, REACH, 0)
ASIDE = (-REACH // 2, 12_345, REACH)
DAY = date(2026, 1, 5)
QUERIES = {
    "all rows": [],
    "floats": [GRID],
    "uneven edges": [Edges("x", Bounds(-0.5, 2), (-1.0, -0.5, 0.0, 0.1, 1.9))],
    "whole numbers": [Grid("i", Bounds(0, 20), 7)],
    "decimals": [Grid("d", Bounds(0, 3.3), 33)],
    "text as numbers": [Grid("t", GRID.bounds, GRID.cells)],
    "text": [GROUPS],
    "numbers as categories": [Labels("n", Categories((0.3, 0, 1, 7)))],
    "flags": [Labels("f", Categories((True, False)))],
    "flags as numbers": [Grid("f", Bounds(0, 1), 2)],
    "several keys": [GROUPS, Grid("x", Bounds(0, 1), 3), Labels("f", Categories((False, True)))],
    "the person, too": [Labels("u", Categories(("u1", "u2", CANARY))), GRID],
    "values that are dropped": [Edges("x", Bounds(0, 2), (0.0, 0.1, 1.9, 2.0), drop=True)],
    "dates that are dropped": [Grid("m", Bounds.of((DAY, date(2026, 2, 1))), 9, drop=True)],
    "parts of dates": [
        Labels("m", Categories(CYCLES["weekday"]), "weekday", "Asia/Kathmandu"),
        Labels("m", Categories(CYCLES["hour of day"]), "hour of day", "America/New_York"),
    ],
    "a projection": [Projection(LATTICE, "PC1", (0, 0, 0), SLANTED, Bounds(-1.5, 1), 9)],
    "a group and two projections": [
        GROUPS,
        Projection(LATTICE, "PC2", ASIDE, ACROSS, Bounds(-0.5, 0.5), 5),
        Projection(LATTICE, "PC1", ASIDE, SLANTED, Bounds(-1, 1), 4),
    ],
    "a distance": [DistanceCells(LATTICE, "r", ASIDE, (), (0.0, 0.5, 0.75, 1.0, 1.25))],
    "a distance in a plane": [
        DistanceCells(LATTICE, "r", (0, 0, 0), (SLANTED, ACROSS), (0.0, 0.125, 0.5, 0.7, 1.1))
    ],
}
UNITS = [
    PrivacyUnit.rows(),
    PrivacyUnit.users("u"),
    PrivacyUnit.users("u", max_rows=3),
    PrivacyUnit.users("v"),
    PrivacyUnit.users("v", max_rows=7),
]


def asked(table, keys, unit, **options):
    engine = DuckEngine(table, **options)
    engine._salt = SALT
    return engine.counts(keys, unit).reveal()


def has(table, keys):
    """Tell whether this form kept the columns; flags that became texts are no numbers."""
    columns = DuckEngine(table).schema().columns
    kinds = [(type(key), columns.get(name)) for key in keys for name in list_columns([key])]
    lost = keys == QUERIES["flags as numbers"] and kinds == [(Grid, "text")]
    return None not in [kind for _, kind in kinds] and not lost


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_hostile_table_gives_the_same_integers(form, tmp_path):
    table = FORMS[form](TABLE, tmp_path)
    for name, keys in QUERIES.items():
        if has(table, keys):
            expected = counts(ROWS, keys, PrivacyUnit.rows())
            assert np.array_equal(asked(table, keys, PrivacyUnit.rows()), expected), name


@pytest.mark.parametrize("unit", UNITS[1:3], ids=repr)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_hostile_table_weighs_people_alike(form, unit, tmp_path):
    table = FORMS[form](TABLE, tmp_path)
    keys = [GROUPS, Grid("i", Bounds(0, 20), 7)]
    assert np.array_equal(asked(table, keys, unit), counts(ROWS, keys, unit))


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("query", QUERIES)
def test_every_query_weighs_people_as_the_oracle_does(query, unit):
    keys = QUERIES[query]
    assert np.array_equal(asked(TABLE, keys, unit), counts(ROWS, keys, unit))


@pytest.mark.parametrize("unit", UNITS[:3], ids=repr)
def test_order_partition_and_threads_do_not_matter(unit):
    keys = [GROUPS, GRID]
    expected = asked(TABLE, keys, unit, threads=1)
    shuffled = TABLE.take(np.random.default_rng(5).permutation(TABLE.num_rows))
    pieces = pa.concat_tables([shuffled.slice(start, 611) for start in range(0, 3000, 611)])
    for threads in (1, 2, 5):
        assert np.array_equal(asked(pieces, keys, unit, threads=threads), expected)


@pytest.mark.parametrize("zone", [None, "Asia/Kathmandu", "America/St_Johns"])
@pytest.mark.parametrize("precision", ["s", "ms", "us"])
def test_times_are_counted_in_utc_whatever_their_precision_and_zone(precision, zone):
    keys = [Grid("m", Bounds.of((date(2026, 1, 1), date(2026, 3, 1))), 9)]
    table = pa.table({"m": TABLE.column("m").cast(pa.timestamp(precision, zone))})
    expected = counts(ROWS, keys, PrivacyUnit.rows())
    assert np.array_equal(asked(table, keys, PrivacyUnit.rows()), expected)


def test_dates_are_the_midnights_they_begin_with():
    keys = [Grid("m", Bounds.of((date(2026, 1, 1), date(2026, 3, 1))), 59)]
    days = TABLE.column("m").cast(pa.date32(), safe=False)
    expected = counts([{"m": day} for day in days.to_pylist()], keys, PrivacyUnit.rows())
    for column in (days, days.cast(pa.date64())):
        assert np.array_equal(asked(pa.table({"m": column}), keys, PrivacyUnit.rows()), expected)
    relation = duckdb.connect().sql(
        "SELECT unnest(['infinity'::DATE, '-infinity'::DATE, '2026-02-28'::DATE, NULL]) AS m"
    )
    assert asked(relation, keys, PrivacyUnit.rows())[[0, 58]].tolist() == [1, 2]


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("form", FORMS)
def test_a_table_without_rows_is_all_zeros(form, unit, tmp_path):
    table = FORMS[form](TABLE.slice(0, 0), tmp_path)
    keys = [GROUPS, Grid("i", Bounds(0, 20), 7)]
    answer = asked(table, keys, unit)
    assert answer.shape == (5, 7)
    assert not answer.any()


def test_rows_can_be_counted_whatever_column_comes_first():
    frame = pd.DataFrame({"odd": [1j, 2j], "even": pd.Series([[1], [2]], dtype=object)})
    assert asked(frame, [], PrivacyUnit.rows()) == 2
    odd = pl.DataFrame({"odd": pl.Series([object()] * 2, dtype=pl.Object), "even": ["a", None]})
    assert asked(odd, [], PrivacyUnit.rows()) == 2


def test_constant_columns_and_columns_of_nothing_are_counted_like_any_other():
    table = pa.table({"x": [2.0] * 10, "y": pa.nulls(10), "g": ["A"] * 10, "u": pa.nulls(10)})
    for keys, expected in (
        ([Grid("x", Bounds(0, 4), 2)], [0, 10]),
        ([Grid("y", Bounds(0, 4), 2)], [0, 0]),
        ([Labels("y", Categories(("A", "B")))], [0, 0]),
        ([Labels("g", Categories(("A", "B")))], [10, 0]),
    ):
        assert asked(table, keys, PrivacyUnit.rows()).tolist() == expected
        assert not asked(table, keys, PrivacyUnit.users("u")).any()
        assert not asked(table, keys, PrivacyUnit.users("u", max_rows=2)).any()


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"y": pa.nulls(2)}),
        pl.DataFrame({"y": pl.Series([None, None], dtype=pl.Null)}),
        duckdb.sql("SELECT NULL AS y FROM range(2)"),
    ],
    ids=["arrow", "polars", "duckdb"],
)
def test_a_column_of_nothing_may_be_declared_as_anything(table):
    """One value would give it another type, and must not decide whether there is an answer."""
    days = Bounds.of((date(2026, 1, 1), date(2026, 1, 3)))
    keys = (
        *(Grid("y", Bounds(0, 4), 2), Grid("y", days, 2), Labels("y", Categories((True, False)))),
        *(Labels("y", Categories((1, 2))), Labels("y", Categories(("A", "B")))),
    )
    for key in keys:
        assert not asked(table, [key], PrivacyUnit.rows()).any()
    assert not DuckEngine(table).occupied("y", PrivacyUnit.rows()).reveal().size
    assert not asked(table, [], PrivacyUnit.users("y")).any()


def test_one_giant_person_weighs_no_more_than_anyone():
    table = pa.table({"x": np.arange(200_000) % 7, "u": ["giant"] * 200_000})
    keys = [Grid("x", Bounds(0, 7), 7)]
    shared = asked(table, keys, PrivacyUnit.users("u"))
    assert 2**30 - 200_000 < shared.sum() <= 2**30
    assert asked(table, keys, PrivacyUnit.users("u", max_rows=5)).sum() == 5


def test_very_long_identities_stay_apart():
    table = pa.table({"u": ["x" * 10**6 + "a", "x" * 10**6 + "b", "x" * 10**6 + "b"]})
    assert asked(table, [], PrivacyUnit.users("u", max_rows=1)) == 2
    assert asked(table, [], PrivacyUnit.users("u")) == 2**31


@pytest.mark.parametrize(
    ("people", "apart"),
    [
        (pa.array([0.0, -0.0, math.nan, math.nan, None, 1.0]), 2),
        (pa.array(["a", "A", "a ", "é", "e\u0301", "a", None]), 5),
        (pa.array([b"\xff", b"\xfe", b"\xff", None]), 2),
        (pa.array([1, 2**64 - 1, 2**64 - 1, None], pa.uint64()), 2),
        (pa.array([Decimal("1.10"), Decimal("1.1"), Decimal("1.2")]), 2),
        (pa.array([True, False, True, None]), 2),
        (pa.array([date(2026, 1, 1), date(2026, 1, 2), None]), 2),
        (pa.array([datetime(2026, 1, 1), datetime(2026, 1, 1, 1), None], pa.timestamp("ns")), 2),
        (pa.array([b"0123456789abcdef", b"0123456789abcdeF"], pa.binary(16)), 2),
        (pa.array(["a", None, "b", "a"]).dictionary_encode(), 2),
    ],
    ids=lambda people: str(getattr(people, "type", "")),
)
def test_people_are_told_apart_exactly(people, apart):
    table = pa.table({"u": people})
    assert asked(table, [], PrivacyUnit.users("u", max_rows=1)) == apart
    assert asked(table, [], PrivacyUnit.users("u")) == apart * 2**30


def test_objects_are_people_by_their_text():
    frame = pd.DataFrame({"u": pd.Series([1, "1", 1.0, None, math.nan, pd.NA], dtype=object)})
    assert asked(frame, [], PrivacyUnit.users("u", max_rows=1)) == 1


def test_numbers_among_objects_are_written_alike():
    same = [7, 7.0, np.int64(7), np.float32(7), Decimal("7.00"), Fraction(7), "7"]
    other = [True, 7.5, Decimal("7.50"), 10**20, object(), object()]
    frame = pd.DataFrame({"u": pd.Series([*same, *other], dtype=object)})
    assert asked(frame, [], PrivacyUnit.users("u", max_rows=1)) == 4


def test_the_answer_has_the_sensitivity_of_its_unit():
    for unit, l1, step in zip(UNITS[:3], (1, 2**30, 3), (1.0, 2**-30, 1.0), strict=True):
        exact = DuckEngine(TABLE).counts([GRID], unit)
        assert (exact.l1, exact.l2_squared, exact.step) == (l1, l1**2, step)
        assert exact.reveal().dtype == np.int64


def test_which_rows_of_a_person_count_is_decided_anew_for_each_engine():
    table = pa.table({"x": np.arange(64), "u": [0] * 64})
    keys = [Grid("x", Bounds(0, 64), 64)]
    unit = PrivacyUnit.users("u", max_rows=32)
    engines = [DuckEngine(table) for _ in range(2)]
    first, second = (engine.counts(keys, unit).reveal() for engine in engines)
    assert first.sum() == second.sum() == 32
    assert not np.array_equal(first, second)  # equal once in 10^18 runs
    assert np.array_equal(engines[0].counts(keys, unit).reveal(), first)


@pytest.mark.parametrize("form", FORMS)
def test_occupied_texts_are_counted_and_sorted(form, tmp_path):
    texts = ["b", "a", "b", None, "é", "x" * 256, "x" * 257, "é" * 256, "b"]
    table = pa.table({"g": pa.array(texts), "u": pa.array([1, 1, 1, 1, 2, 3, 3, None, 2])})
    engine = DuckEngine(FORMS[form](table, tmp_path))
    exact = engine.occupied("g", PrivacyUnit.rows())
    assert exact.reveal_labels() == ("a", "b", "x" * 256, "é", "é" * 256)
    assert exact.reveal().tolist() == [1, 3, 1, 1, 1]
    capped = engine.occupied("g", PrivacyUnit.users("u", max_rows=2))
    assert capped.reveal().sum() == 2 + 2 + 1
    assert (capped.l1, capped.l2_squared, capped.step) == (2, 4, 1.0)


def test_occupied_texts_that_are_not_unicode_are_counted_nowhere():
    offsets = pa.py_buffer(np.array([0, 1, 3], np.int32).tobytes())
    broken = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"a\xff\xfe")])
    exact = DuckEngine(pa.table({"g": broken})).occupied("g", PrivacyUnit.rows())
    assert exact.reveal_labels() == ("a",)


def test_nothing_is_occupied_in_a_table_without_rows():
    exact = DuckEngine(TABLE.slice(0, 0)).occupied("g", PrivacyUnit.rows())
    assert exact.reveal_labels() == ()
    assert exact.reveal().shape == (0,)


def test_what_cannot_be_occupied_is_refused():
    with pytest.raises(SourceError, match="hardly ever occur twice"):
        DuckEngine(TABLE).occupied("x", PrivacyUnit.rows())
    with pytest.raises(DomainError, match="max_rows"):
        DuckEngine(TABLE).occupied("g", PrivacyUnit.users("u"))


@pytest.mark.parametrize("unit", UNITS[:3], ids=repr)
def test_categories_that_nobody_found_have_no_cells(unit):
    answer = asked(TABLE, [Labels("g", Categories(())), GRID], unit)
    assert answer.shape == (0, 23)


TIMELESS = Lattice(("x", "m"), (Bounds(0, 1), Bounds(0, 1)), (1.0, 1.0))


@pytest.mark.parametrize(
    ("keys", "unit"),
    [
        ([Grid("nobody", Bounds(0, 1), 2)], PrivacyUnit.rows()),
        ([Grid("g", Bounds(0, 1, time=True), 2)], PrivacyUnit.rows()),
        ([Labels("x", Categories(("A",)))], PrivacyUnit.rows()),
        ([DistanceCells(TIMELESS, "r", (0, 0), (), (0.0, 1.0))], PrivacyUnit.rows()),
        ([Projection(TIMELESS, "PC1", (0, 0), (0, 0), Bounds(0, 1), 2)], PrivacyUnit.rows()),
        ([], PrivacyUnit.users("nobody")),
        ([], PrivacyUnit.users("nested")),
    ],
)
def test_what_a_table_cannot_answer_is_refused_before_it_is_read(keys, unit, monkeypatch):
    table = TABLE.append_column("nested", pa.array([[1]] * 3000))
    monkeypatch.setattr(ArrowTable, "batches", lambda *_: pytest.fail("the table was read"))
    with pytest.raises(SourceError):
        DuckEngine(table).counts(keys, unit)


@pytest.mark.parametrize("options", [{"threads": 0}, {"threads": 1.5}, {"memory_limit": "much"}])
def test_senseless_resources_are_refused_at_opening(options):
    with pytest.raises(SourceError, match="is not valid"):
        DuckEngine(TABLE, **options)


@pytest.mark.parametrize("form", FORMS)
def test_progress_is_told_in_steps_that_rise_to_the_end(form, tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.engines.reading.PATIENCE", -1.0)
    told = []
    DuckEngine(FORMS[form](TABLE, tmp_path), progress=told.append).counts([], PrivacyUnit.rows())
    assert told == sorted(set(told))
    assert told[-1] == 1.0
    assert all(round(fraction * 20) == pytest.approx(fraction * 20) for fraction in told)


def test_progress_is_not_told_while_it_could_tell_how_many_rows_there_are():
    told = []
    table = pa.table({"x": np.zeros(100_000)})
    DuckEngine(table, progress=told.append, threads=1).counts([], PrivacyUnit.rows())
    assert told == []


@pytest.mark.parametrize("unit", UNITS[:3], ids=repr)
def test_people_of_a_table_larger_than_the_memory_limit_are_grouped_on_disk(unit, tmp_path):
    rows = 1_500_000
    path = tmp_path / "people.parquet"
    people = np.arange(rows) * 7919 % 500_009
    pq.write_table(pa.table({"x": np.arange(rows) % 100, "u": people}), path)
    keys = [Grid("x", Bounds(0, 100), 100)]
    answer = asked(path, keys, unit, threads=2, memory_limit="48MB")
    assert answer.sum() == {1: rows, 3: rows}.get(unit.weight, answer.sum())
    if unit.shared:
        assert 500_009 * (2**30 - 4) <= answer.sum() <= 500_009 * 2**30


MANY = 400_000
CROWDS = {
    "everyone has a row": np.arange(MANY),
    "one has all rows": np.zeros(MANY, dtype=np.int64),
    "ids leave one remainder": np.arange(MANY) * 1024,
}


@pytest.mark.parametrize("unit", UNITS[1:3], ids=repr)
@pytest.mark.parametrize("crowd", CROWDS)
def test_no_table_fails_for_want_of_memory(crowd, unit):
    """DuckDB grouped 336,761 people of the first kind within this limit, and not 336,762."""
    table = pa.table({"x": np.arange(MANY) % 100, "u": CROWDS[crowd]})
    keys = [Grid("x", Bounds(0, 100), 100)]
    people = len(np.unique(CROWDS[crowd]))
    each = 2**30 // (MANY // people) * (MANY // people) if unit.shared else min(3, MANY // people)
    try:
        found = asked(table, keys, unit, memory_limit="15MiB").sum()
    except SourceError:
        found = None
    assert found == people * each


def test_a_file_is_streamed_and_not_held():
    script = """if True:
        import sys, numpy as np, pyarrow as pa, pyarrow.parquet as pq
        from sfumato.domain import Bounds
        from sfumato.engines.dispatch import DuckEngine
        from sfumato.grid import Grid
        from sfumato.privacy.guarantee import PrivacyUnit
        path, read = sys.argv[1:]
        if read == "whole":
            pq.read_table(path)
        else:
            DuckEngine(path).counts([Grid("x", Bounds(0, 1), 9)], PrivacyUnit.rows())
        print(pa.default_memory_pool().max_memory())
    """
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/x.parquet"
        table = pa.table({"x": np.linspace(0, 1, 8_000_000)})
        pq.write_table(table, path, row_group_size=200_000)
        peaks = {
            read: int(subprocess.check_output([sys.executable, "-c", script, path, read]))
            for read in ("stream", "whole")
        }
    assert peaks["stream"] < 16 * 2**20
    assert peaks["whole"] > 60 * 2**20  # else the measurement above could not fail


@pytest.mark.parametrize("lossless", [False, True])
def test_ids_of_a_relation_are_texts_however_its_connection_is_set(lossless):
    database = duckdb.connect(config={"arrow_lossless_conversion": lossless})
    one = "41414141-4141-4141-4141-414141414141"
    relation = database.sql(f"SELECT CAST('{one}' AS UUID) AS id FROM range(3)")
    assert DuckEngine(relation).occupied("id", PrivacyUnit.rows()).reveal_labels() == (one,)
    assert asked(relation, [Labels("id", Categories((one,)))], PrivacyUnit.rows()).tolist() == [3]
