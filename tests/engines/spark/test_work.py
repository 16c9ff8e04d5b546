"""Work on a partition fails without a word, and people who are not kept together are noticed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.logger import PySparkLogger

import sfumato
from engines.hostile import CANARY, GRID
from sfumato.domain import Bounds, Categories
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.reading import pair_with_persons
from sfumato.engines.spark import frames, task
from sfumato.engines.spark import jobs as preflight
from sfumato.engines.spark.engine import SparkEngine
from sfumato.engines.spark.frames import check_sums
from sfumato.engines.spark.people import ListedRows, WeighedPeopleSums
from sfumato.engines.spark.sums import AMOUNT, RowSums, SelectedRows
from sfumato.engines.spark.task import FAILED, OUTDATED
from sfumato.engines.sums import Counts
from sfumato.engines.table import Resources
from sfumato.errors import SourceError
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

KEYS = (Grid("x", Bounds(0, 4), 4),)
USERS = PrivacyUnit.users("u")
BLOCK = pa.record_batch({"x": [0.0, 1.0, 1.5, None], "u": ["a", "b", "b", CANARY]})
ROWS = RowSums(Counts(KEYS), SelectedRows(("x",)))
LISTED = ListedRows(
    partial(pair_with_persons, person=("u",), place=Counts(KEYS).place),
    SelectedRows(("x", "u")),
    {"x": pa.float64(), "u": pa.string()},
)
PEOPLE = WeighedPeopleSums(Resources(1, "100MB"), Counts(KEYS), USERS, "5a17")


def run(work, *batches):
    found = pa.Table.from_batches([*work(iter(batches))], work.schema)
    return found.to_pylist()


def broken(error):
    yield BLOCK
    raise error


def bucketed(listed, bucket):
    return listed.append_column("bucket", pa.array([bucket] * listed.num_rows, pa.int32()))


def test_rows_become_numbered_sums():
    rows = run(ROWS, BLOCK.select(["x"]), BLOCK.select(["x"]))
    assert [(row["cell"], int(row["amount"])) for row in rows[:-1]] == [(0, 2), (1, 4)]
    assert rows[-1]["cell"] is None  # the closing row
    assert {row["failed"] for row in rows} == {row["bucket"] for row in rows} == {None}


def test_people_become_numbered_sums_and_their_buckets_are_told_once():
    (listed,) = LISTED(iter([BLOCK]))
    rows = run(PEOPLE, bucketed(listed.slice(0, 1), 7), bucketed(listed.slice(1), 7))
    sums = {row["cell"]: int(row["amount"]) for row in rows if row["cell"] is not None}
    assert sums == {0: 2**30, 1: 2**30}
    assert [row["bucket"] for row in rows if row["bucket"] is not None] == [7]


def test_a_partition_without_rows_has_nothing_to_tell():
    assert run(PEOPLE) == []


@pytest.mark.parametrize(
    "error", [ValueError(CANARY), MemoryError(CANARY), pa.ArrowInvalid(CANARY)]
)
@pytest.mark.parametrize("work", [ROWS, LISTED, PEOPLE], ids=lambda work: type(work).__name__)
def test_work_that_fails_says_that_it_failed_and_nothing_else(work, error, capfd):
    rows = run(work, *[]) if work is PEOPLE else []
    rows += [row for batch in work(broken(error)) for row in batch.to_pylist()]
    assert rows[-1]["failed"] == FAILED
    assert {value for name, value in rows[-1].items() if name != "failed"} == {None}
    assert CANARY not in "".join(capfd.readouterr())


def test_what_failed_before_is_passed_on():
    (first, last) = ListedRows(LISTED.listing, LISTED.rows, LISTED.types)(broken(ValueError()))
    rows = run(PEOPLE, bucketed(first, 1), bucketed(last, 2))
    assert [row["failed"] for row in rows] == [FAILED]


def test_other_code_is_not_obeyed():
    (row,) = run(RowSums(Counts(KEYS), SelectedRows(("x",)), code="other"), BLOCK.select(["x"]))
    assert row["failed"] == OUTDATED


def answer(**columns):
    rows = {"failed": None, "bucket": None, "cell": 1, "amount": 5, "mark": 0, **columns}
    types = {"failed": pa.int32(), "bucket": pa.int32(), "cell": pa.int64(), "amount": AMOUNT}
    types["mark"] = pa.int64()
    return pa.table({name: pa.array([rows[name]], dtype) for name, dtype in types.items()})


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"failed": FAILED, "cell": None}, "could not sum"),
        ({"failed": OUTDATED, "cell": None}, "other code of sfumato"),
        ({"bucket": 3, "amount": 2}, "could not sum"),
        ({"amount": None}, "could not sum"),
        ({"mark": 4}, "gave other rows"),
    ],
)
def test_sums_that_tell_of_trouble_are_refused(columns, words):
    assert check_sums(answer()).cells.to_pylist() == [1]
    with pytest.raises(SourceError, match=words):
        check_sums(answer(**columns))


def test_a_person_whose_rows_are_not_brought_together_is_noticed(spark, monkeypatch):
    frame = spark.range(1000).selectExpr("id % 4 AS x", "0 AS u").repartition(4)
    whole = SparkEngine(frame).counts(KEYS, USERS).reveal()
    assert whole.sum() == 2**30 // 1000 * 1000

    def scattered(listed):
        return moved(listed).repartition(4)

    moved = frames.repartition_by_person
    monkeypatch.setattr("sfumato.engines.spark.engine.repartition_by_person", scattered)
    with pytest.raises(SourceError, match="could not sum"):
        SparkEngine(frame).counts(KEYS, USERS)
    # Without the receipts this person would weigh four times as much.
    monkeypatch.setattr(
        "sfumato.engines.spark.engine.add_by_cell",
        lambda partials: frames.add_by_cell(partials.where("bucket IS NULL")),
    )
    assert SparkEngine(frame).counts(KEYS, USERS).reveal().sum() > 2**30


@pytest.mark.parametrize("heard", [False, True])
def test_a_frame_that_fails_on_a_value_is_not_quoted(spark, monkeypatch, heard):
    SparkEngine(spark.range(1))
    logger, said = PySparkLogger.getLogger("SQLQueryContextLogger"), []
    if heard:  # the twin: Spark itself quotes the value here
        monkeypatch.setattr(logger, "filters", [])
    monkeypatch.setattr(logger, "handle", lambda each: logger.filter(each) and said.append(each))
    texts = spark.createDataFrame([("1",), (CANARY,)], "t string")
    frame = texts.selectExpr("CAST(t AS DOUBLE) AS x")
    with pytest.raises(SourceError, match="could not be read") as caught:
        SparkEngine(frame).counts(KEYS, PrivacyUnit.rows())
    assert (caught.value.__context__, caught.value.__cause__) == (None, None)
    assert (CANARY in "".join(record.getMessage() for record in said)) == heard


def test_people_whom_spark_takes_for_one_are_refused_as_two(spark):
    frame = spark.sql("SELECT 'Ann' COLLATE UTF8_LCASE AS who, 1.0 AS x")
    engine = SparkEngine(frame)
    with pytest.raises(SourceError, match="has a collation"):
        engine.counts(KEYS, PrivacyUnit.users("who"))
    assert engine.counts([Labels("who", Categories(("Ann",)))], PrivacyUnit.rows()).reveal() == [1]


def test_names_that_spark_takes_for_others_are_told_apart(spark):
    names = ["a", "A", "a.b", "`", "a`b", "c0", "sélf x"]
    frame = (
        spark.range(10).selectExpr(*(f"id + {n} AS n{n}" for n in range(len(names)))).toDF(*names)
    )
    engine = SparkEngine(frame)
    assert list(engine.schema().columns) == names
    keys = [Grid(name, Bounds(0, 16), 16) for name in names]
    for shift, exact in enumerate(engine.marginals([[key] for key in keys], PrivacyUnit.rows())):
        assert np.flatnonzero(exact.reveal()).tolist() == [*range(shift, shift + 10)]


def test_a_frame_that_would_change_is_refused(spark):
    for change in ("rand()", "uuid()", "monotonically_increasing_id()"):
        with pytest.raises(SourceError, match="random numbers"):
            SparkEngine(spark.range(9).selectExpr(f"{change} AS x"))
    SparkEngine(spark.range(9).sample(0.5, seed=1))


def test_kinds_are_those_of_one_machine_and_nested_columns_are_none(spark):
    frame = spark.sql(
        "SELECT array(1) AS many, map(1, 2) AS pairs, named_struct('a', 1) AS inner, NULL AS void, "
        "INTERVAL 1 DAY AS time, 1Y AS tiny, CAST(1 AS FLOAT) AS real, 1.5 AS exact, 'a' AS text, "
        "X'00' AS raw, true AS yes, DATE'2026-01-01' AS day, TIMESTAMP_NTZ'2026-01-01' AS hour"
    )
    schema = SparkEngine(frame).schema()
    found = schema.columns
    assert schema.spacings == {"tiny": 1.0, "yes": 1.0, "day": 86_400e6, "hour": 1.0}
    assert schema.untyped == frozenset()
    assert [name for name, kind in found.items() if kind == "other"] == ["many", "pairs", "inner"]
    kinds = {name: found[name] for name in ("void", "tiny", "real", "exact", "text", "raw")}
    kept = ["void", "tiny", "real", "exact", "text", "raw", "yes", "day", "hour"]
    assert kinds.items() <= DuckEngine(frame.select(*kept).toArrow()).schema().columns.items()
    assert SparkEngine(frame).counts([Grid("void", Bounds(0, 1), 2)], PrivacyUnit.rows()).l1 == 1


def test_sums_stop_where_they_stop_on_one_machine(spark, monkeypatch):
    monkeypatch.setattr("sfumato.engines.sums.CAP", 2**31)
    frame = spark.range(5).selectExpr("0.0 AS x", "id AS u")
    assert SparkEngine(frame).counts(KEYS, USERS).reveal().sum() == 2**31


def test_a_cluster_without_this_sfumato_is_refused_before_it_reads(spark, monkeypatch):
    monkeypatch.setattr(preflight, "_seen", {})
    monkeypatch.setattr(preflight, "fingerprint_code", lambda: "other")
    with pytest.raises(SourceError, match="does not run the sfumato of this machine"):
        SparkEngine(spark.range(9))


def test_the_fingerprint_is_of_all_code_that_decides_where_rows_count():
    """Imports of the engines, but for words: another zone's clocks would count other rows."""
    package = Path(sfumato.__file__).parent
    found = [
        line.split()[1].removeprefix("sfumato.").replace(".", "/")
        for source in (package / "engines").rglob("*.py")
        for line in source.read_text().splitlines()
        if line.startswith("from sfumato.") and "sfumato.engines" not in line
    ]
    words = {"errors", "exact", "privacy/budget"}  # what is said, and what is done on the driver
    assert {f"{name}.py" for name in {*found} - words} <= {*task._COUNTING}


def test_a_grid_that_is_asked_of_nobody_is_all_zeros(spark):
    frame = spark.range(5).selectExpr("0.5 AS x", "CAST(NULL AS STRING) AS u")
    for unit in (USERS, PrivacyUnit.users("u", max_rows=2)):
        assert not SparkEngine(frame).counts([GRID], unit).reveal().any()
