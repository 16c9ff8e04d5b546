"""On a cluster every question has the answer it has on one machine, to the last bit."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.hostile import CANARY, GRID
from engines.oracle import SALT
from engines.sources.test_together import TABLE as NASTY
from engines.sources.test_together import TEXTS
from engines.test_duck import GROUPS, LATTICE, QUERIES, TABLE, UNITS
from engines.test_marginals import KEYS
from sfumato.addend import Addend, Member, count_steps
from sfumato.domain import Bounds, Categories
from sfumato.engines.columns import shorten_text
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.spark.engine import SparkEngine
from sfumato.engines.spark.frames import SparkFrame
from sfumato.grid import Grid, Labels
from sfumato.lattice import Moments
from sfumato.plane import Plane, Weight
from sfumato.privacy.guarantee import PrivacyUnit

ROWS, USERS = PrivacyUnit.rows(), PrivacyUnit.users("u")
CAPPED = PrivacyUnit.users("u", max_rows=3)
MOMENTS = Moments(LATTICE, (5, 0, -7), 1000.0, 3)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return written(TABLE, tmp_path_factory.mktemp("hostile"), parts=3)


def written(table, folder, *, parts=2):
    rows = -(-table.num_rows // parts) or 1
    for part in range(parts):
        pq.write_table(table.slice(part * rows, rows), folder / f"part-{part}.parquet")
    return str(folder)


def salted(engine):
    engine._salt = SALT
    return engine


def both(spark, folder, ask):
    """Return the answers of a cluster and of one machine."""
    frame = spark.read.parquet(folder)
    return ask(salted(SparkEngine(frame))), ask(salted(DuckEngine(folder)))


def told(exact):
    """Return all there is to know of counts or of a map."""
    facts = (exact.l1, exact.l2_squared, exact.step, exact.reveal().dtype, exact.reveal_labels())
    return facts, exact.reveal().tolist(), exact.reveal_places().tolist()


def test_rows_of_one_partition_are_read_as_each_in_its_own(spark, tmp_path):
    nasty = NASTY.select(["row", "g", "t"]).slice(0, 12)
    frame = spark.read.parquet(written(nasty, tmp_path))
    keys = [Grid("row", Bounds(0, 12), 12), Labels("g", TEXTS), Grid("t", Bounds(0, 2), 3)]
    rows = [nasty.slice(row, 1) for row in range(nasty.num_rows)]
    alone = sum(DuckEngine(row).counts(keys, ROWS).reveal() for row in rows)
    assert alone.sum() > 1
    for partitions in (frame.coalesce(1), frame.repartition(12)):
        assert SparkEngine(partitions).counts(keys, ROWS).reveal().tolist() == alone.tolist()


# Which have most to do with every row: of keys that are read from one column each, rows show it.
FEW = ["several keys", "the person, too", "a group and two projections", "a distance"]
# Rows and people are read in two ways; units that read alike and differ in weights are for depth.
EVERY_DAY = {repr(ROWS), repr(CAPPED)}
EVERY_UNIT = [
    pytest.param(unit, marks=() if repr(unit) in EVERY_DAY else pytest.mark.slow, id=repr(unit))
    for unit in UNITS
]


@pytest.mark.parametrize("unit", EVERY_UNIT)
def test_every_count_of_a_hostile_table_is_the_same(spark, hostile, unit):
    check_counts(spark, hostile, unit, QUERIES if unit == ROWS else FEW)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [USERS, CAPPED], ids=repr)
def test_every_count_of_people_is_the_same(spark, hostile, unit):
    check_counts(spark, hostile, unit, QUERIES)


def test_counts_of_whole_people_are_the_same(spark, hostile):
    check_counts(spark, hostile, USERS, FEW[-2:])


def check_counts(spark, hostile, unit, names):
    for name in names:
        keys = QUERIES[name]
        cluster, machine = both(spark, hostile, lambda e, k=keys: told(e.counts(k, unit)))
        assert cluster == machine, name
        assert name == "flags as numbers" or any(np.ravel(machine[1])), "nothing was counted"


@pytest.mark.parametrize("unit", EVERY_UNIT)
def test_every_sum_behind_components_is_the_same(spark, hostile, unit):
    cluster, machine = both(spark, hostile, lambda e: told(e.gram(MOMENTS, unit)))
    assert cluster == machine
    cluster, machine = both(
        spark, hostile, lambda e: [*map(told, e.marginals([[key] for key in KEYS], unit))]
    )
    assert cluster == machine


@pytest.mark.parametrize("unit", EVERY_UNIT)
def test_sums_by_groups_are_the_same(spark, hostile, unit):
    group = Labels("g", Categories(("A", "B", "Å")))
    addend = Addend("x", (GRID.bounds,), count_steps(unit))
    for question in (addend, Member(group, 1, 3)):
        keys = (group, Grid("i", Bounds(0, 20), 4))
        cluster, machine = both(
            spark, hostile, lambda e, q=question, k=keys: told(e.sums(k, q, unit))
        )
        assert cluster == machine
        assert np.any(machine[1])


@pytest.mark.parametrize("unit", [ROWS, USERS], ids=repr)
@pytest.mark.parametrize("weight", [None, Weight("n", 2.0)])
def test_every_map_is_the_same(spark, hostile, unit, weight):
    for side, outside in ((8, "drop"), (1024, "edge")):
        plane = Plane(Grid("x", GRID.bounds, side), Grid("i", Bounds(0, 20), side), outside)
        cluster, machine = both(spark, hostile, lambda e, p=plane: told(e.masses(p, unit, weight)))
        assert cluster == machine


@pytest.mark.parametrize("unit", [ROWS, USERS], ids=repr)
def test_a_map_of_too_many_cells_to_travel_has_the_same_sums(spark, hostile, unit):
    side = 2**20
    plane = Plane(Grid("x", GRID.bounds, side), Grid("i", Bounds(0, 20), side), "edge")
    first = np.arange(4**5, dtype=np.int64) << 30
    asks = [(first[:1], first[-1:] + 2**30), (first, first + 2**30), (first + 5, first + 2**25)]

    def sums(engine):
        exact = engine.masses(plane, unit, Weight("n", 2.0))
        stated.append((exact.l1, exact.l2_squared, exact.step))
        return [exact.reveal_between(*ask).tolist() for ask in asks]

    stated = []
    cluster, machine = both(spark, hostile, sums)
    assert cluster == machine
    assert stated[0] == stated[1]  # how far one unit can move them
    assert sum(machine[0]) == sum(machine[1]) > sum(machine[2]) > 0


@pytest.mark.parametrize("unit", [ROWS, CAPPED], ids=repr)
def test_the_same_texts_are_found(spark, hostile, unit):
    cluster, machine = both(spark, hostile, lambda e: told(e.occupied("g", unit)))
    assert cluster == machine
    assert CANARY in machine[0][-1]


NUMBERS = [None, 0, 1, -1, 7, 100, 127, -128, 3, 3]
FIVE = datetime(2026, 1, 1, 5, tzinfo=UTC)
TIMES = pa.array([None, *(FIVE + timedelta(microseconds=1234 * tick) for tick in range(9))])
CENTS = [None, *(Decimal(cents) / 100 for cents in range(-3, 6))]
COLUMNS = {
    "int8": pa.array(NUMBERS, pa.int8()),
    "int16": pa.array(NUMBERS, pa.int16()),
    "int32": pa.array(NUMBERS, pa.int32()),
    "int64": pa.array([None, 2**63 - 1, -(2**63), 2**53 + 1, *range(6)], pa.int64()),
    "uint64": pa.array([None, 2**64 - 1, 2**53 + 1, *range(7)], pa.uint64()),
    "float32": pa.array([None, math.nan, math.inf, -0.0, 0.0, 0.1, 3.3, 1e-45, 9, 9], pa.float32()),
    "float64": pa.array([None, math.nan, -math.inf, -0.0, 0.0, 0.1, 3.3, 5e-324, 9, 9]),
    "cents": pa.array(CENTS, pa.decimal128(10, 2)),
    "exact": pa.array(CENTS, pa.decimal128(38, 17)),
    "flag": pa.array([None, True, False, True, *[False] * 6]),
    "day": pa.array([None, *(date(2026, 1, 1 + day) for day in range(9))]),
    "milliseconds": TIMES.cast(pa.timestamp("ms", "UTC"), False),
    "microseconds": TIMES,
    "zoneless": TIMES.cast(pa.timestamp("us")),
    "text": pa.array([None, "", "a", "a ", "A", "é", "e\u0301", "1", "a", "\U0001f600"]),
    "coded": pa.array([None, *"abcabcabc"]).dictionary_encode(),
    "nothing": pa.nulls(10, pa.int32()),
}
KINDS = {"flag": (0, 1), "day": (date(2026, 1, 2), date(2026, 1, 8))}
MOMENT = (FIVE, FIVE + timedelta(milliseconds=9))


def grid(name):
    wide = MOMENT if name in ("milliseconds", "microseconds", "zoneless") else (-2, 7)
    return Grid(name, Bounds.of(KINDS.get(name, wide)), 5)


@pytest.mark.parametrize("unit", [ROWS, USERS], ids=repr)
def test_every_type_of_column_is_read_alike(spark, tmp_path, unit):
    table = pa.table({**COLUMNS, "u": [1, 1, 1, 2, 2, 2, 3, None, 4, 4]})
    folder = written(table, tmp_path)
    texts = [Labels(name, Categories(("a", "é", "1"))) for name in ("text", "coded")]
    keys = [grid(name) for name in COLUMNS if name not in ("text", "coded")]
    cluster, machine = both(
        spark, folder, lambda e: [*map(told, e.marginals([[key] for key in keys], unit))]
    )
    for key, here, there in zip(keys, machine, cluster, strict=True):
        assert here == there, key.column
    cluster, machine = both(spark, folder, lambda e: told(e.counts(texts, unit)))
    assert cluster == machine


# Spark hands on the others as one of these.
PEOPLE = ("int64", "uint64", "float32", "float64", "exact", "day", "microseconds", "text")
OTHERS = tuple(name for name in COLUMNS if name not in PEOPLE)


@pytest.mark.parametrize("names", [PEOPLE, pytest.param(OTHERS, marks=pytest.mark.slow)])
def test_people_of_every_type_are_told_apart_alike(spark, tmp_path, names):
    folder = written(pa.table({**COLUMNS, "x": range(10)}), tmp_path)
    keys = [Grid("x", Bounds(0, 10), 10)]
    for name in names:
        unit = PrivacyUnit.users(name, max_rows=1)
        cluster, machine = both(spark, folder, lambda e, u=unit: told(e.counts(keys, u)))
        assert cluster == machine, name


def test_long_texts_are_people_of_whom_digests_travel(spark, tmp_path):
    long = [None, *("x" * 10**5 + end for end in "abcabcabc")]
    table = pa.table({"u": long, "b": [each and each.encode() for each in long], "x": range(10)})
    folder = written(table, tmp_path)
    for name in ("u", "b"):
        unit = PrivacyUnit.users(name)
        keys = [Grid("x", Bounds(0, 10), 10)]
        cluster, machine = both(spark, folder, lambda e, u=unit, k=keys: told(e.counts(k, u)))
        assert cluster == machine
    frame = SparkFrame(spark.read.parquet(folder))
    handed_on = frame.bare.selectExpr(*map(frame.expression, "ub")).collect()
    wanted = {each and shorten_text(each.encode()) for each in long}
    assert {row.c0 and row.c0.encode() for row in handed_on} == wanted
    assert {row.c1 and bytes(row.c1) for row in handed_on} == wanted


def test_bytes_that_are_no_text_are_people_and_groups_like_any_other(spark, tmp_path):
    raw = [b"\xff\xfe", b"\xff", b"a", b"a\x00", b"", None, b"\xff\xfe", b"a"]
    offsets = np.cumsum([0, *(len(each or b"") for each in raw)]).astype(np.int32)
    known = np.packbits([each is not None for each in raw], bitorder="little")
    stored = pa.py_buffer(b"".join(each or b"" for each in raw))
    buffers = [pa.py_buffer(known), pa.py_buffer(offsets), stored]
    columns = {
        "t": pa.Array.from_buffers(pa.string(), len(raw), buffers),
        "b": pa.array(raw, pa.binary()),
        "x": pa.array(range(len(raw))),
    }
    folder = written(pa.table(columns), tmp_path)
    keys = [Labels("t", Categories(("a", "a\x00"))), Grid("x", Bounds(0, 8), 8)]
    for unit in (ROWS, *(PrivacyUnit.users(name, max_rows=1) for name in "tb")):
        cluster, machine = both(spark, folder, lambda e, u=unit: told(e.counts(keys, u)))
        assert cluster == machine
    cluster, machine = both(spark, folder, lambda e: told(e.occupied("t", ROWS)))
    assert cluster == machine


@pytest.mark.parametrize(
    "unit",
    [CAPPED, *(pytest.param(unit, marks=pytest.mark.slow) for unit in (ROWS, USERS))],
    ids=repr,
)
def test_partitions_and_their_order_do_not_matter(spark, hostile, unit):
    keys = [GROUPS, GRID]
    expected = told(salted(DuckEngine(hostile)).counts(keys, unit))
    frame = spark.read.parquet(hostile)
    for other in (frame.repartition(5), frame.orderBy("x").coalesce(1), frame.repartition(3, "u")):
        assert told(salted(SparkEngine(other)).counts(keys, unit)) == expected


@pytest.mark.parametrize("unit", [ROWS, USERS, CAPPED], ids=repr)
def test_empty_partitions_and_empty_tables_are_counted_like_any_other(spark, hostile, unit):
    frame = spark.read.parquet(hostile)
    keys = [GROUPS, Grid("i", Bounds(0, 20), 7)]
    few = frame.where("u = 'u1'")
    rows = [row for row in TABLE.to_pylist() if row["u"] == "u1"]
    expected = told(salted(DuckEngine(pa.Table.from_pylist(rows, TABLE.schema))).counts(keys, unit))
    assert told(salted(SparkEngine(few.repartition(6))).counts(keys, unit)) == expected
    assert not SparkEngine(frame.where("false")).counts(keys, unit).reveal().any()
    assert not SparkEngine(frame.where("false")).gram(MOMENTS, unit).reveal().any()


def test_a_giant_and_a_crowd_weigh_what_they_weigh_on_one_machine(spark, tmp_path):
    generator = np.random.default_rng(1)
    people = np.where(np.arange(200_000) % 2, 0, generator.zipf(1.5, 200_000) % 5000)
    folder = written(pa.table({"x": np.arange(200_000) % 100, "u": people}), tmp_path, parts=4)
    keys = [Grid("x", Bounds(0, 100), 100)]
    for unit in (USERS, CAPPED):
        cluster, machine = both(spark, folder, lambda e, u=unit: told(e.counts(keys, u)))
        assert cluster == machine


def test_one_engine_chooses_the_same_rows_again_and_another_does_not(spark):
    frame = spark.range(64).selectExpr("id AS x", "0 AS u")
    keys = [Grid("x", Bounds(0, 64), 64)]
    unit = PrivacyUnit.users("u", max_rows=32)
    one, other = SparkEngine(frame), SparkEngine(frame)
    first = one.counts(keys, unit).reveal().tolist()
    assert sum(first) == 32
    assert one.counts(keys, unit).reveal().tolist() == first
    assert other.counts(keys, unit).reveal().tolist() != first  # equal once in 10^18 runs


def test_times_of_all_centuries_are_the_same_however_spark_stores_them(spark, tmp_path):
    times = "'9999-12-31', '0001-01-02', '1500-06-01', '2026-01-01', '1850-05-05'"
    frame = spark.sql(f"SELECT explode(array({times})) AS t").selectExpr(
        "CAST(t AS TIMESTAMP) AS t"
    )
    keys = [Grid("t", Bounds.of((datetime(1, 1, 1), datetime(9999, 1, 1))), 10)]
    for kind in ("INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS"):
        spark.conf.set("spark.sql.parquet.outputTimestampType", kind)
        frame.write.parquet(str(tmp_path / kind))
        cluster, machine = both(spark, str(tmp_path / kind), lambda e: told(e.counts(keys, ROWS)))
        assert cluster == machine
        assert machine[1] == [1, 2, 1, 0, 0, 0, 0, 0, 0, 1]
    spark.conf.unset("spark.sql.parquet.outputTimestampType")
