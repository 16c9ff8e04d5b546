"""What the type of a column tells: how far apart values lie, and whether text is meant."""

from datetime import date, datetime, time

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.engines.dispatch import DuckEngine

DAY = 86_400e6
TYPES = {
    "whole": (pa.int32(), 1.0),
    "flag": (pa.bool_(), 1.0),
    "day": (pa.date32(), DAY),
    "second": (pa.timestamp("s"), 1e6),
    "milli": (pa.timestamp("ms", "Europe/Paris"), 1e3),
    "nano": (pa.timestamp("ns"), 1.0),
    "real": (pa.float64(), None),
    "price": (pa.decimal128(9, 2), None),
    "text": (pa.string(), None),
    "clock": (pa.time64("us"), None),
}
TABLE = pa.table({name: pa.array([None], dtype) for name, (dtype, _) in TYPES.items()})
SPACINGS = {name: spacing for name, (_, spacing) in TYPES.items() if spacing is not None}
# DuckDB keeps times with a zone in microseconds, Polars no coarser ones than milliseconds.
DUCK, POLARS = {"milli": 1.0}, {"second": 1e3}


def schema(table):
    return DuckEngine(table).schema()


def test_arrow_types_tell(tmp_path):
    pq.write_table(TABLE, tmp_path / "table.parquet", store_schema=True)
    encoded = TABLE.select(["whole", "day"]).set_column(
        0, "whole", TABLE["whole"].dictionary_encode()
    )
    assert schema(TABLE).spacings == SPACINGS
    assert schema(tmp_path / "table.parquet").spacings == {**SPACINGS, "second": 1e3}
    assert schema(encoded).spacings == {"whole": 1.0, "day": DAY}


def test_duckdb_and_polars_types_tell():
    with duckdb.connect() as connection:
        assert schema(connection.from_arrow(TABLE)).spacings == SPACINGS | DUCK
        wide = connection.sql("SELECT 1::HUGEINT AS wide, 1.5::DECIMAL(4, 1) AS price")
        assert schema(wide).spacings == {"wide": 1.0}
    frame = pl.from_arrow(TABLE)
    assert schema(frame).spacings == schema(frame.lazy()).spacings == SPACINGS | POLARS


def test_pandas_types_tell_where_somebody_chose_them():
    columns = {
        "nullable": pd.array([1, None], dtype="Int16"),
        "flag": pd.array([True, None], dtype="boolean"),
        "arrow": pd.array([1, None], dtype=pd.ArrowDtype(pa.int64())),
        "day": pd.array([date(2026, 1, 1), None], dtype=pd.ArrowDtype(pa.date32())),
        "words": pd.array(["1", None], dtype="string"),
    }
    found = schema(pd.DataFrame(columns))
    assert found.spacings == {"nullable": 1.0, "flag": 1.0, "arrow": 1.0, "day": DAY}
    assert found.untyped == frozenset()


@pytest.mark.parametrize(
    ("values", "one_more"),
    [
        ([1, 2], None),  # whole numbers, of which one is missing
        ([1, 2], 2.5),
        (["1", "2"], None),
        (["1", "2"], 3),  # text, of which one is a number
        (["1", "2"], time(12)),
        ([True, False], None),
        ([date(2026, 1, 1)], datetime(2026, 1, 1, 12)),
        (pd.to_datetime([date(2026, 1, 1)]).tolist(), pd.Timestamp("2026-01-01 00:00:00.000001")),
        (pd.Categorical([1, 2]).tolist(), 2.5),
        ([None, None], "1"),
    ],
)
def test_what_pandas_infers_from_one_value_changes_nothing(values, one_more):
    whole, other = (
        schema(pd.DataFrame({"x": pd.Series(rows), "c": pd.Series(rows).astype("category")}))
        for rows in (values, [*values, one_more])
    )
    assert whole.spacings == other.spacings
    if whole.kind("x") == other.kind("x"):
        assert whole.untyped == other.untyped


def test_the_unit_that_pandas_infers_for_times_changes_nothing():
    days = pd.to_datetime(pd.Series([date(2026, 1, 1)]))
    moments = pd.to_datetime(pd.Series(["2026-01-01 00:00:00.000000001"]))
    assert days.dtype != moments.dtype
    for column in (days, moments, days.dt.tz_localize("UTC")):
        assert schema(pd.DataFrame({"day": column})).spacings == {"day": 1.0}


def test_text_has_no_type_in_csv_files_objects_and_names_of_folders(tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    assert schema(tmp_path / "table.csv").untyped == {"a", "b"}
    frame = pd.DataFrame({"object": pd.Series(["1"], dtype=object), "str": ["1"], "number": [1]})
    assert schema(frame).untyped == {"object", "str"}
    folder = tmp_path / "tables" / "year=2026"
    folder.mkdir(parents=True)
    pq.write_table(TABLE.select(["text", "whole"]), folder / "part.parquet")
    found = schema(tmp_path / "tables")
    assert found.untyped == {"year"}
    assert found.spacings == {"whole": 1.0}
    assert schema(TABLE).untyped == schema(pl.from_arrow(TABLE)).untyped == frozenset()
