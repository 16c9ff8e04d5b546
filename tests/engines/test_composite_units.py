"""Units that several columns name together: told apart exactly, and worth no more than one."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.domain import Bounds, Categories
from sfumato.engines import people
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.people import read_units
from sfumato.errors import SourceError
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

UNITS = [
    PrivacyUnit.users("house", "year"),
    PrivacyUnit.users("house", "year", max_rows=2),
    PrivacyUnit.users("year", "house", "flat", max_rows=1),
]
TRICKY = [
    "",
    "a",
    "b",
    "c",
    "ab",
    "a|b",
    "b|c",
    "a\0",
    "\0a",
    "1",
    "01",
    "x" * 70,
    "\x01" + "\0" * 7,
]
KEYS = [Grid("v", Bounds(0, 3), 3), Labels("g", Categories(("p", "q")))]


def block(**columns: object) -> pa.RecordBatch:
    return pa.record_batch({name: pa.array(values) for name, values in columns.items()})  # pyright: ignore[reportArgumentType]


def tell_apart(rows: pa.RecordBatch) -> int:
    return len(set(read_units(rows, rows.schema.names).to_pylist()))


def test_no_two_pairs_of_texts_become_one() -> None:
    pairs = list(product(TRICKY, TRICKY))
    rows = block(a=[a for a, _ in pairs], b=[b for _, b in pairs])
    assert tell_apart(rows) == len(pairs)
    coded = pa.record_batch({name: rows.column(name).dictionary_encode() for name in "ab"})
    assert read_units(coded, ["a", "b"]).equals(read_units(rows, ["a", "b"]))


def test_texts_joined_without_their_lengths_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        people, "_write_lengths", lambda texts: pa.array([b"|"] * len(texts), pa.large_binary())
    )
    with pytest.raises(AssertionError):
        test_no_two_pairs_of_texts_become_one()


@pytest.mark.parametrize(
    "values",
    [
        pa.array([0, 1, -1, 2**63 - 1, -(2**63)]),
        pa.array([0, 1, 2**64 - 1, 2**63], pa.uint64()),
        pa.array([0.0, 1.0, 1.0 + 2**-52, float("inf"), 5e-324]),
        pa.array([False, True]),
        pa.array([date(2025, 1, 1), date(2025, 1, 2)]),
        pa.array([Decimal("1.50"), Decimal("15.00")]),
        pa.array([b"\xff", b"\xff\x00"]),
    ],
    ids=lambda values: str(values.type),
)
def test_values_of_every_type_stay_apart_beside_texts(values: pa.Array) -> None:
    places = [*product(range(len(values)), range(len(TRICKY)))]
    first, second = values.take(pa.array([a for a, _ in places])), [TRICKY[b] for _, b in places]
    rows = pa.record_batch({"a": first, "b": pa.array(second)})
    assert tell_apart(rows) == len(places)
    assert tell_apart(rows.select(["b", "a"])) == len(places)


def test_a_row_that_lacks_one_of_its_columns_is_nobody_s() -> None:
    rows = block(a=["x", None, "x", None], b=[1.0, 1.0, float("nan"), None])
    assert read_units(rows, ["a", "b"]).is_null().to_pylist() == [False, True, True, True]
    table = pa.table({"house": ["x", "x", None], "year": [1, None, 1], "v": [1, 1, 1]})
    found = DuckEngine(table).counts(KEYS[:1], UNITS[1]).reveal()
    assert found.sum() == 1


def test_zeros_of_either_sign_are_one_and_so_is_a_row_that_is_cut_elsewhere() -> None:
    rows = block(a=[0.0, -0.0, 1.0], b=["x", "x", "x"])
    one, other, third = read_units(rows, ["a", "b"]).to_pylist()
    assert one == other != third
    assert read_units(rows.slice(2), ["a", "b"]).to_pylist() == [third]
    assert read_units(rows.slice(0, 0), ["a", "b"]).type == pa.large_binary()


def rows_of(houses: list[tuple[str, int, int, str]]) -> pa.Table:
    names, years, values, groups = zip(*houses, strict=True) if houses else ([], [], [], [])
    return pa.table(
        {
            "house": pa.array(names, pa.string()),
            "year": pa.array(years, pa.int64()),
            "flat": pa.array(["f"] * len(names), pa.string()),
            "v": pa.array(values, pa.int64()),
            "g": pa.array(groups, pa.string()),
        }
    )


ROW = st.tuples(
    st.sampled_from(TRICKY), st.integers(1, 3), st.integers(0, 2), st.sampled_from("pq")
)


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@settings(max_examples=25)
@given(
    rows=st.lists(ROW, max_size=12),
    own=st.lists(st.tuples(st.integers(0, 2), st.sampled_from("pq")), min_size=1, max_size=6),
)
def test_one_unit_moves_all_counts_together_by_its_weight_and_no_more(
    unit: PrivacyUnit, rows: list[tuple[str, int, int, str]], own: list[tuple[int, str]]
) -> None:
    others = [row for row in rows if row[:2] != ("a|b", 1)]
    assert move(unit, others, [("a|b", 1, *each) for each in own]) <= unit.weight


def move(
    unit: PrivacyUnit, others: list[tuple[str, int, int, str]], own: list[tuple[str, int, int, str]]
) -> int:
    def count(rows: list[tuple[str, int, int, str]]) -> np.ndarray:
        engine = DuckEngine(rows_of(rows), threads=1)
        engine._salt = "salt"  # pyright: ignore[reportPrivateUsage]
        return engine.counts(KEYS, unit).reveal()

    return int(np.abs(count([*others, *own]) - count(others)).sum())


def test_a_unit_that_is_split_in_two_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    own = [("a|b", 1, 0, "p"), ("a|b", 1, 2, "q"), ("a|b", 1, 1, "q")]
    for unit in UNITS:
        assert move(unit, [], own) <= unit.weight
    split = lambda rows, _: pc.cast(rows.column("v"), pa.int64())  # noqa: E731
    monkeypatch.setattr("sfumato.engines.reading.read_units", split)
    assert all(move(unit, [], own) > unit.weight for unit in UNITS)


def test_a_household_may_count_once_a_year_and_not_once_for_all() -> None:
    table = rows_of([("h", year, 0, "p") for year in (1, 2, 3) for _ in range(4)])
    assert DuckEngine(table).counts(KEYS, UNITS[1]).reveal().sum() == 6
    whole = DuckEngine(table).counts(KEYS, UNITS[0])
    assert whole.reveal().sum() == 3 * whole.l1
    alone = DuckEngine(table).counts(KEYS, PrivacyUnit.users("house", max_rows=2))
    assert alone.reveal().sum() == 2


def test_every_column_of_a_unit_must_tell_people_apart() -> None:
    nested = pa.table({"house": ["a"], "year": pa.array([[1]]), "v": [1], "g": ["p"]})
    with pytest.raises(SourceError, match="'year' cannot identify people"):
        DuckEngine(nested).counts(KEYS, UNITS[0])
    with pytest.raises(SourceError, match="no column 'year'"):
        DuckEngine(nested.drop_columns(["year"])).counts(KEYS, UNITS[0])


def test_units_of_several_columns_are_the_same_on_spark(spark, tmp_path) -> None:
    from pyarrow import parquet

    from sfumato.engines.spark.engine import SparkEngine

    rows = [
        (house, year, (len(house) + year) % 3, "pq"[year % 2])
        for house, year in product(TRICKY, (1, 2, 2, 3))
    ]
    parquet.write_table(rows_of(rows), tmp_path / "rows.parquet")
    frame = spark.read.parquet(str(tmp_path / "rows.parquet"))
    for unit in UNITS[:2]:
        machine, cluster = DuckEngine(rows_of(rows)), SparkEngine(frame.repartition(3))
        machine._salt = cluster._salt = "salt"  # pyright: ignore[reportPrivateUsage]
        assert (
            machine.counts(KEYS, unit).reveal().tolist()
            == cluster.counts(KEYS, unit).reveal().tolist()
        )
