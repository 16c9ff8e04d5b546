"""Frames and relations: what is particular to each library."""

import math
from datetime import date
from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.domain import Bounds, Categories
from sfumato.engines.columns import shorten_text
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources.relation import DuckRelation
from sfumato.engines.sources.source import Columns
from sfumato.errors import SourceError
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

ROWS = PrivacyUnit.rows()


def kinds(table):
    return DuckEngine(table).schema().columns


def total(table, column):
    grid = Grid(column, Bounds(0, 100), 1)
    return DuckEngine(table).counts([grid], ROWS).reveal().tolist()


def test_kinds_of_pandas_columns_follow_their_dtypes_and_not_their_values():
    frame = pd.DataFrame(
        {
            "object": pd.Series([1, 2], dtype=object),
            "str": ["a", "b"],
            "int": [1, 2],
            "Int": pd.array([1, None], dtype="Int64"),
            "arrow": pd.array([1, None], dtype="int64[pyarrow]"),
            "bool": [True, False],
            "time": pd.to_datetime(["2026-01-01"] * 2),
            "category": pd.Categorical(["a", "b"]),
            "numbers": pd.Categorical([1.0, 2.0]),
            "delta": pd.to_timedelta([1, 2]),
            "period": pd.period_range("2026", periods=2),
            "interval": pd.interval_range(0, 2),
            "complex": [1j, 2j],
        }
    )
    expected = ["text", "text", "number", "number", "number", "flag", "time", "text", "text"]
    assert list(kinds(frame).values()) == [*expected, "duration", "other", "other", "other"]
    assert kinds(frame) == kinds(frame.iloc[:0])


def test_missing_is_missing_in_every_pandas_dtype():
    columns = {
        "float": pd.Series([1, np.nan]),
        "object": pd.Series([1, None], dtype=object),
        "NA": pd.Series([1, pd.NA], dtype=object),
        "Int": pd.array([1, None], dtype="Int8"),
        "arrow": pd.array([1, None], dtype="double[pyarrow]"),
        "str": ["1", None],
        "category": pd.Categorical(["1", None]),
    }
    frame = pd.DataFrame(columns)
    assert [total(frame, name) for name in columns] == [[1]] * len(columns)


def test_nan_is_counted_nowhere_whether_a_library_calls_it_missing_or_not():
    values = [1.0, math.nan, None]
    frames = [pl.DataFrame({"x": values}), pd.DataFrame({"x": values})]
    frames += [
        pa.table({"x": pa.array(values, from_pandas=False)}),
        duckdb.from_arrow(pa.table({"x": values})),
    ]
    assert [total(frame, "x") for frame in frames] == [[1]] * 4


def test_the_categories_of_a_frame_are_not_public():
    frame = pd.DataFrame({"g": pd.Categorical(["A"], categories=["A", "CANARY-7f3a"])})
    engine = DuckEngine(frame)
    assert "CANARY" not in repr(engine.schema())
    assert engine.occupied("g", ROWS).reveal_labels() == ("A",)
    coded = pl.DataFrame({"g": pl.Series(["A"], dtype=pl.Enum(["A", "CANARY-7f3a"]))})
    assert DuckEngine(coded).occupied("g", ROWS).reveal_labels() == ("A",)


@pytest.mark.parametrize(
    ("columns", "told"),
    [(["x", "x"], "more than one"), ([1, 2], "not text"), ([("a", 1), "b"], "not text")],
)
def test_pandas_columns_that_cannot_be_named_are_refused(columns, told):
    frame = pd.DataFrame([[1, 2]])
    frame.columns = pd.Index(columns, dtype=object)
    with pytest.raises(SourceError, match=told):
        DuckEngine(frame)


def test_a_table_without_columns_is_refused():
    for table in (pd.DataFrame(index=[1]), pl.DataFrame(), pa.table({})):
        with pytest.raises(SourceError, match="no columns"):
            DuckEngine(table)


def test_only_the_columns_asked_for_are_converted():
    class Untouchable:
        def __str__(self):
            return pytest.fail("this column was not asked for")

    frame = pd.DataFrame({"x": [1.0], "y": pd.Series([Untouchable()], dtype=object)})
    assert total(frame, "x") == [1]


def test_python_texts_that_are_not_unicode_stop_nobody():
    for dtype in (object, pd.StringDtype("python")):
        frame = pd.DataFrame({"g": pd.Series(["A", "\ud800", None], dtype=dtype)})
        exact = DuckEngine(frame).counts([Labels("g", Categories(("A",)))], ROWS)
        assert exact.reveal().tolist() == [1]


def test_chunks_with_dictionaries_of_their_own_stay_apart():
    """Together they would have more words than the codes of either have places."""
    chunks = [pa.array([f"{chunk}-{word}" for word in range(100)]) for chunk in range(3)]
    coded = pa.chunked_array(
        [chunk.dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())) for chunk in chunks]
    )
    frame = pd.DataFrame({"g": pd.Series(pd.arrays.ArrowExtensionArray(coded))})
    for table in (frame, pa.table({"g": coded})):
        engine = DuckEngine(table)
        assert engine.counts([], PrivacyUnit.users("g", max_rows=1)).reveal() == 300
        wanted = [Labels("g", Categories(("0-1", "2-99", "7")))]
        assert engine.counts(wanted, ROWS).reveal().tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        pl.DataFrame,
        pl.LazyFrame,
        pa.table,
        lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
    ],
    ids=["pandas", "Polars", "lazy", "Arrow", "DuckDB"],
)
def test_long_names_are_people_and_long_texts_are_nothing(make):
    long = " " * 9000
    frame = make({"u": [long + "5", long + "6", long + "5", "5"], "b": [long.encode()] * 4})
    engine = DuckEngine(frame)
    assert engine.counts([], PrivacyUnit.users("u", max_rows=1)).reveal() == 3
    assert engine.counts([], PrivacyUnit.users("b", max_rows=1)).reveal() == 1
    assert total(frame, "u") == [1]
    texts = Labels("u", Categories((long + "5", "5")))
    assert engine.counts([texts], ROWS).reveal().tolist() == [0, 1]


PEOPLE = [
    ("Jos\udce9", "Jos\udce8"),
    ("Jos\udce9", "Jos?"),
    (Decimal("0.1"), Decimal("0.10000000000000000001")),
    (2**53 + 1, Decimal(2**53 + 1) + Decimal("0.5")),
    (2**53, 2**53 + 1),
    (Fraction(1, 3), 1 / 3),
    (10**400, 10**400 + 1),
    ("x" * 9000, "x" * 8999 + "y"),
]


@pytest.mark.parametrize(
    ("one", "other", "dtype"),
    [(*pair, object) for pair in PEOPLE]
    + [(*pair, pd.StringDtype("python")) for pair in PEOPLE if isinstance(pair[0], str)],
)
def test_people_who_differ_in_the_least_are_two(one, other, dtype):
    """Each of two who were taken for one would halve the other, and no price covers that."""
    unit, grid = PrivacyUnit.users("u"), Grid("x", Bounds(0, 2), 2)
    frame = pd.DataFrame({"u": pd.Series([one, other], dtype=dtype), "x": [0.5, 1.5]})
    assert DuckEngine(frame).counts([grid], unit).reveal().tolist() == [unit.weight] * 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, "1"),
        (1.0, Decimal("1.00")),
        (Decimal("0.10"), Decimal("0.1")),
        (10**30, Decimal("1e30")),
        (Decimal("-0.0"), 0),
        (np.float32(0.5), Fraction(1, 2)),
        (0.1, Decimal("0.1")),  # which differ, and are written alike
    ],
)
def test_one_person_is_written_alike_whatever_the_type(one, other):
    unit, grid = PrivacyUnit.users("u"), Grid("x", Bounds(0, 2), 2)
    frame = pd.DataFrame({"u": pd.Series([one, other], dtype=object), "x": [0.5, 1.5]})
    assert DuckEngine(frame).counts([grid], unit).reveal().tolist() == [unit.weight // 2] * 2


def test_numbers_beyond_floats_are_read_as_the_nearest():
    values = [Decimal("5.00000000000000000000001"), Decimal("1e999"), 10**400, Decimal("-1e999")]
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    exact = DuckEngine(frame).counts([Grid("x", Bounds(0, 10), 2)], ROWS)
    assert exact.reveal().tolist() == [1, 3]


def test_subclasses_of_frames_are_frames():
    class Special(pd.DataFrame):
        pass

    assert total(Special({"x": [1.0]}), "x") == [1]


def test_polars_columns_of_every_kind():
    frame = pl.DataFrame(
        {
            "wide": pl.Series([2**100, 5, None], dtype=pl.Int128),
            "small": pl.Series([1, 5, None], dtype=pl.UInt8),
            "decimal": pl.Series([Decimal("1.10"), None, None], dtype=pl.Decimal(10, 2)),
            "nothing": [None, None, None],
            "flag": [True, False, None],
            "day": [date(2026, 1, 1), None, None],
            "bytes": [b"\xff", b"", None],
            "nested": [[1], [], None],
            "object": pl.Series([object()] * 3, dtype=pl.Object),
        }
    )
    expected = ["number"] * 3 + ["nothing", "flag", "time", "bytes", "other", "other"]
    for table in (frame, frame.lazy()):
        assert list(kinds(table).values()) == expected
        found = {name: total(table, name)[0] for name in ("wide", "small", "decimal", "flag")}
        assert found == {"wide": 2, "small": 2, "decimal": 1, "flag": 2}
        unit = PrivacyUnit.users("wide", max_rows=1)
        assert DuckEngine(table).counts([], unit).reveal() == 2


def test_a_lazy_frame_that_cannot_stream_is_computed_whole(monkeypatch):
    monkeypatch.delattr(pl.LazyFrame, "collect_batches")
    monkeypatch.setattr(pl, "__version__", "1.40.0")
    assert total(pl.LazyFrame({"x": [1.0, 2.0]}), "x") == [2]


def test_a_lazy_frame_is_computed_once_for_a_question():
    computed = []

    def note(frame):
        computed.append(1)
        return frame

    lazy = pl.LazyFrame({"x": [1.0, 2.0], "u": [1, 2]}).map_batches(note)
    DuckEngine(lazy).counts([Grid("x", Bounds(0, 9), 3)], PrivacyUnit.users("u"))
    assert sum(computed) == 1


def test_relations_of_every_kind():
    relation = duckdb.connect().sql(
        """SELECT 1.5::DECIMAL(18, 3) AS decimal, 170141183460469231731687303715884105727 AS huge,
        'a'::ENUM ('a', 'CANARY-7f3a') AS enum, '00000000-0000-0000-0000-000000000001'::UUID AS id,
        NULL AS nothing, true AS flag, now() AS moment, '{}'::JSON AS json, '\\xFF'::BLOB AS bytes,
        INTERVAL 1 DAY AS span, [1] AS list, TIME '10:00' AS hour"""
    )
    expected = ["number", "number", "text", "text", "nothing", "flag", "time", "text", "bytes"]
    found = kinds(relation) | {"nothing": "nothing"}  # a number in older versions
    assert list(found.values()) == [*expected, "other", "other", "clock"]
    assert [total(relation, name) for name in ("decimal", "huge", "flag")] == [[1], [1], [1]]
    for column in list(kinds(relation))[:-3]:
        unit = PrivacyUnit.users(column, max_rows=1)
        assert DuckEngine(relation).counts([], unit).reveal() == (column != "nothing")
    assert DuckEngine(relation).occupied("enum", ROWS).reveal_labels() == ("a",)


def test_a_relation_hands_on_digests_of_long_texts():
    """DuckDB stops where the texts of a batch fill 2 GiB."""
    columns = "CASE range WHEN 0 THEN repeat('é', 5000) WHEN 1 THEN 'é' END AS t"
    relation = duckdb.connect().sql(
        f"SELECT t, encode(t) AS b, to_json(t) AS j FROM (SELECT {columns} FROM range(3))"
    )
    ((batch, _),) = DuckRelation(relation).batches(Columns(["t", "b", "j"]))
    text, json = "é" * 5000, '"' + "é" * 5000 + '"'
    assert batch["t"].to_pylist() == [shorten_text(text.encode()).decode(), "é", None]
    assert batch["b"].to_pylist() == [shorten_text(text.encode()), "é".encode(), None]
    assert batch["j"].to_pylist() == [shorten_text(json.encode()).decode(), '"é"', None]


def test_a_users_connection_is_left_as_it_was():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE visits AS SELECT range AS x, range % 3 AS u FROM range(99)")
    before = connection.execute("SELECT * FROM duckdb_settings()").fetchall()
    engine = DuckEngine(connection.table("visits"))
    keys = [Grid("x", Bounds(0, 99), 3)]
    for unit in (ROWS, PrivacyUnit.users("u"), PrivacyUnit.users("u", max_rows=2)):
        engine.counts(keys, unit)
    assert connection.execute("SHOW ALL TABLES").fetchall()[0][2] == "visits"
    assert len(connection.execute("SHOW ALL TABLES").fetchall()) == 1
    assert not connection.execute("FROM duckdb_views() WHERE NOT internal").fetchall()
    assert connection.execute("SELECT * FROM duckdb_settings()").fetchall() == before


@pytest.mark.parametrize("unit", [ROWS, PrivacyUnit.users("u"), PrivacyUnit.users("u", max_rows=2)])
def test_a_relation_over_python_objects_does_not_wait_for_itself(unit):
    """Two databases and a Python generator take turns here; none may hold the lock for ever."""
    frame = pd.DataFrame({"x": np.arange(500_000) % 7, "u": np.arange(500_000) % 1000})
    relation = duckdb.connect(config={"threads": 4}).from_df(frame)
    exact = DuckEngine(relation, threads=4).counts([Grid("x", Bounds(0, 7), 7)], unit)
    total = {1: 500_000, 2: 2000}.get(unit.weight, 1000 * (2**30 - 2**30 % 500))
    assert exact.reveal().sum() == total


def test_a_relation_that_samples_gives_each_person_its_weight_in_one_sample():
    """Two passes would see two samples, and a person could weigh more than one."""
    relation = duckdb.connect().sql(
        "SELECT range % 50 AS u FROM range(20000) WHERE random() < 0.05 + range % 50 * 0"
    )
    for _ in range(5):
        sum_of_weights = DuckEngine(relation).counts([], PrivacyUnit.users("u")).reveal()
        assert 50 * (2**30 - 2**12) < sum_of_weights <= 50 * 2**30


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT", "NFC", "NOCASE.NOACCENT"])
def test_a_person_whom_a_relation_takes_for_one_cannot_count_twice(collation):
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE visits (x DOUBLE, u VARCHAR COLLATE {collation}, v VARCHAR)")
    connection.execute("INSERT INTO visits VALUES (1.5, 'Bob', 'a'), (7.5, 'bob', 'b')")
    engine, grid = DuckEngine(connection.table("visits")), Grid("x", Bounds(0, 10), 10)
    assert engine.schema().folded == {"u"}
    with pytest.raises(SourceError, match="collation"):
        engine.counts([grid], PrivacyUnit.users("u"))
    assert engine.counts([grid], PrivacyUnit.users("v")).reveal().sum() == 2 * 2**30


def test_the_collation_of_a_whole_database_is_noticed():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE visits AS SELECT 'Bob' AS u, 1.5 AS x")
    assert DuckEngine(connection.table("visits")).schema().folded == frozenset()
    connection.execute("SET default_collation = 'nocase'")
    assert DuckEngine(connection.table("visits")).schema().folded == {"u"}


def test_to_look_for_a_collation_reads_no_row():
    connection = duckdb.connect()
    relation = connection.sql("SELECT error('read') AS u, range::VARCHAR AS v FROM range(3)")
    assert DuckEngine(relation).schema().folded == frozenset()
    connection.execute("CREATE SEQUENCE reads")
    counted = connection.sql("SELECT nextval('reads')::VARCHAR AS u FROM range(5)")
    taken = "SELECT last_value FROM duckdb_sequences()"
    before = connection.execute(taken).fetchall()
    assert DuckEngine(counted).schema().folded == frozenset()
    assert connection.execute(taken).fetchall() == before
