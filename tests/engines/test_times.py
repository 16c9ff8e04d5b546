"""Dates, times of day and durations: one public rule for every value, whatever stands beside it."""

from datetime import UTC, date, datetime, timedelta

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domain import Bounds, Categories
from sfumato.ends import CYCLES
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.times import find_parts, read_clock, read_durations, read_times, read_values
from sfumato.errors import SourceError
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

ROWS = PrivacyUnit.rows()
YEAR = Bounds.of(("2026-01-01", "2027-01-01"))
NASTY = [
    "2026-01-31",
    "2026-02-30",
    "2026-13-01",
    "2026-1-31",
    "2026-01-31T24:00",
    "2026-01-31 23:59:60",
    "2026-01-31 08:30:15.123456789",
    "2026-01-31T08:30+02",
    "2026-01-31T08:30+9999",
    "2026-01-31T08:30Z",
    "0000-01-01",
    "9999-12-31",
    "20260131",
    "31/01/2026",
    "２０２６-01-31",
    "2026-01-31\x00",
    "",
    "now",
    None,
]


def same(found, expected):
    return np.array_equal(found, np.array(expected, dtype=np.float64), equal_nan=True)


def test_texts_are_read_by_the_public_rule():
    day = 1_769_817_600e6
    clock = day + (8 * 60 + 30) * 60e6
    nowhere = float("nan")
    expected = [
        *(day, nowhere, nowhere, nowhere, nowhere, nowhere),
        *(clock + 15_123_456, clock - 7200e6, nowhere, clock, nowhere, 253_402_214_400e6),
        *[nowhere] * 7,
    ]
    assert same(read_times(pa.array(NASTY)), expected)


@given(st.lists(st.sampled_from(NASTY) | st.text(max_size=30), max_size=8))
def test_texts_are_read_together_as_each_alone(texts):
    column = pa.array(texts, pa.string())
    alone = [read_times(column.slice(row, 1))[0] for row in range(len(texts))]
    for form in (column, column.dictionary_encode(), column.cast(pa.large_string())):
        assert same(read_times(form), alone)


def test_a_reader_that_gives_up_on_a_column_is_noticed():
    def read_all_or_none(column):
        try:
            return column.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy().astype(np.float64)
        except pa.ArrowInvalid:
            return np.full(len(column), np.nan)

    column = pa.array(["2026-01-31", "now"])
    alone = [read_all_or_none(column.slice(row, 1))[0] for row in range(2)]
    assert not same(read_all_or_none(column), alone)
    assert same(read_times(column), alone)


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)))
def test_what_python_writes_is_read_to_the_microsecond(when):
    expected = float((when - datetime(1970, 1, 1)) // timedelta(microseconds=1))
    assert same(read_times(pa.array([when.isoformat(), str(when)])), [expected] * 2)
    aware = when.replace(tzinfo=UTC).isoformat()
    assert same(read_times(pa.array([aware]), zone="America/New_York"), [expected])


def test_text_without_an_offset_is_meant_on_the_clocks_of_a_zone():
    texts = pa.array(["2026-11-01 01:30", "2026-03-08 02:30", "2026-07-01"])
    hours = (read_times(texts, zone="America/New_York") - read_times(texts)) / 3600e6
    assert hours.tolist() == [4, 5, 4]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_of_every_unit_are_microseconds_and_none_fails(unit):
    ticks = [None, 0, 5, -5, 2**63 - 1, -(2**63) + 1]
    worth = {"s": 1e6, "ms": 1e3, "us": 1, "ns": 1e-3}[unit]
    read = read_durations(pa.array(ticks, pa.duration(unit)))
    expected = [np.nan if tick is None else np.floor(tick * worth) for tick in ticks]
    assert np.allclose(read, expected, equal_nan=True, rtol=1e-12, atol=0)
    assert same(read_durations(pa.nulls(2)), [np.nan] * 2)


def test_times_of_day_of_every_type_are_microseconds_since_midnight():
    half_past = (8 * 60 + 30) * 60
    columns = [
        pa.array([half_past, None], pa.time32("s")),
        pa.array([half_past * 10**9, None], pa.time64("ns")),
        pa.array(["08:30", "8:30"]),
        pa.array(["08:30:00.000", "24:01"]).dictionary_encode(),
    ]
    for column in columns:
        assert same(read_clock(column), [half_past * 1e6, np.nan])
    beyond = pa.array([-1, 2**62], pa.int64()).view(pa.time64("us"))
    assert same(read_clock(beyond), [np.nan, np.nan])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("part", CYCLES)
def test_parts_of_moments_that_no_calendar_holds_are_nowhere(part, unit):
    ends = pa.array([None, -(2**63) + 1, 2**63 - 1], pa.timestamp(unit))
    found = find_parts(ends, part, "America/New_York")
    assert found[0] == -1
    assert unit == "ns" or found.tolist() == [-1, -1, -1]
    assert (found < len(CYCLES[part])).all()


@given(st.lists(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)) | st.none(), max_size=6))
def test_parts_are_read_together_as_each_alone(moments):
    column = pa.array(moments, pa.timestamp("us", "UTC"))
    for part in CYCLES:
        found = find_parts(column, part, "Australia/Lord_Howe")
        alone = [
            find_parts(column.slice(row, 1), part, "Australia/Lord_Howe")[0]
            for row in range(len(moments))
        ]
        assert found.tolist() == alone


def test_days_on_which_clocks_are_changed_have_23_and_25_hours():
    starts = pd.DatetimeIndex(["2026-03-08", "2026-11-01"], tz="America/New_York")
    for start, hours in zip(starts, (23, 25), strict=True):
        moments = pa.array(pd.date_range(start, periods=27, freq="h"))
        found = find_parts(moments, "weekday", "America/New_York")
        assert (found == 6).sum() == hours


FRAMES = {
    "arrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "duckdb": lambda table: duckdb.connect().from_arrow(table),
}


@pytest.mark.parametrize("form", FRAMES)
def test_every_table_says_the_zones_and_kinds_of_its_columns(form):
    table = pa.table(
        {
            "when": pa.array([0], pa.timestamp("us", "America/New_York")),
            "naive": pa.array([0], pa.timestamp("us")),
            "late": pa.array([5], pa.duration("us")),
            "at": pa.array([5], pa.time64("us")),
        }
    )
    if form == "duckdb":
        table = table.drop_columns(["late"])
    if form == "pandas":
        table = table.drop_columns(["at"])  # which pandas keeps as objects
    schema = DuckEngine(FRAMES[form](table)).schema()
    kinds = {"when": "time", "naive": "time", "late": "duration", "at": "clock"}
    assert schema.columns == {name: kinds[name] for name in table.column_names}
    assert set(schema.zones) == {"when"}
    assert form == "duckdb" or schema.zones["when"] == "America/New_York"


def test_the_zone_of_a_duckdb_column_is_that_of_its_connection():
    connection = duckdb.connect()
    connection.sql("SET TimeZone = 'Asia/Kathmandu'")
    relation = connection.sql("SELECT TIMESTAMPTZ '2026-01-01 00:00+00' AS t, 1 AS n")
    assert DuckEngine(relation).schema().zones == {"t": "Asia/Kathmandu"}


def test_a_zone_that_nobody_knows_is_drawn_in_utc():
    table = pa.table({"t": pa.array([0], pa.timestamp("us", "Nowhere/City"))})
    assert DuckEngine(table).schema().zones == {"t": "UTC"}


def test_text_of_no_type_is_read_as_dates_and_text_by_type_refused(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("when,at\n2026-01-05T10:00,08:30\nsoon,late\n2026-01-06 00:00Z,09:00\n")
    engine = DuckEngine(str(path))
    days = Grid("when", Bounds.of(("2026-01-05", "2026-01-07")), 2)
    hours = Grid("at", Bounds.of(("08:00", "10:00")), 2)
    weekdays = Labels("when", Categories(CYCLES["weekday"]), "weekday")
    engine.schema().check([days, hours, weekdays], ROWS)
    assert engine.counts([days], ROWS).reveal().tolist() == [1, 1]
    assert engine.counts([hours], ROWS).reveal().tolist() == [1, 1]
    assert engine.counts([weekdays], ROWS).reveal().tolist() == [1, 1, 0, 0, 0, 0, 0]
    typed = DuckEngine(pa.table({"when": ["2026-01-05"]})).schema()
    for key in (days, weekdays):
        with pytest.raises(SourceError, match="holds text, by its type"):
            typed.check([key], ROWS)


def test_values_outside_are_dropped_to_the_bit_and_clipped_otherwise():
    ends = [0.0, 1.0, np.nextafter(0, -1), np.nextafter(1, 2), -np.inf, np.inf, np.nan, None]
    table = pa.table({"x": pa.array(ends, pa.float64(), from_pandas=False)})
    keys = [Grid("x", Bounds(0, 1), 2), Grid("x", Bounds(0, 1), 2, drop=True)]
    clipped, dropped = (DuckEngine(table).counts([key], ROWS).reveal().tolist() for key in keys)
    assert (clipped, dropped) == ([3, 3], [1, 1])


def test_a_dropped_row_takes_its_share_of_a_person():
    table = pa.table({"x": [0.5, 0.5, 7.0, 8.0], "who": ["a"] * 4})
    key = Grid("x", Bounds(0, 1), 1, drop=True)
    assert DuckEngine(table).counts([key], PrivacyUnit.users("who")).reveal().tolist() == [2**29]


def test_dates_of_day_types_and_of_text_are_read_alike():
    days = [date(2026, 1, 31), None]
    columns = [
        pa.array(days, pa.date32()),
        pa.array(days, pa.date64()),
        pa.array(["2026-01-31", "x"]),
    ]
    read = [read_values(column, YEAR)[0] for column in columns]
    assert all(same(each, [1_769_817_600e6, np.nan]) for each in read)
