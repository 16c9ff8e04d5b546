"""The public rule for odd values, one value at a time."""

import decimal
import math
import uuid
import warnings
from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.hostile import CANARY
from engines.oracle import SALT, number
from sfumato.domain import Bounds, Categories
from sfumato.engines.columns import (
    find_kind,
    find_positions,
    read_identities,
    read_labels,
    read_numbers,
    read_numbers_and_gaps,
)
from sfumato.engines.dispatch import DuckEngine
from sfumato.grid import Grid
from sfumato.plane import Plane, Weight
from sfumato.privacy.guarantee import PrivacyUnit

NUMBERISH = st.text("0123456789+-.eEinftyaNI _x\t\n", max_size=12)


def same(found, wanted):
    wanted = np.array([math.nan if value is None else value for value in wanted])
    return np.array_equal(found, wanted, equal_nan=True)


@given(st.lists(NUMBERISH | st.floats().map(repr) | st.text(max_size=5) | st.none(), max_size=8))
def test_text_is_read_by_one_grammar(texts):
    for dtype in (pa.string(), pa.large_string(), pa.string_view()):
        column = pa.array(texts, dtype)
        assert same(read_numbers(column), [number(text) for text in texts])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[
            ("+5", 5),
            (" 5\n", 5),
            ("5.", 5),
            (".5e1", 5),
            ("1e400", math.inf),
            ("-1e400", -math.inf),
        ],
        *[("1e-400", 0), ("9" * 400, math.inf), ("INFinity", math.inf), ("-inf", -math.inf)],
        *[("nAn", None), ("-nan", None), ("nan(1)", None), ("infinit", None), ("∞", None)],
        *[("1_000", None), ("0x1p3", None), ("1,5", None), ("１", None), ("", None), (".", None)],
        *[("1e5.5", None), ("5 5", None), ("\u00a05", None), ("5\x00", None), ("True", None)],
        *[("2.2250738585072011e-308", 2.2250738585072011e-308), (CANARY, None)],
    ],
)
def test_numbers_in_text(text, value):
    assert same(read_numbers(pa.array([text])), [value])
    # A neighbour that cannot be read must not change how this one is.
    assert same(read_numbers(pa.array([text, CANARY])), [value, None])


def test_bytes_that_are_not_unicode_are_read_as_nothing():
    offsets = pa.py_buffer(np.array([0, 2, 4, 6], np.int32).tobytes())
    broken = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"12\xff\xfe34")])
    assert same(read_numbers(broken), [12, None, 34])
    assert find_positions(broken, Categories(("34",))).tolist() == [-1, -1, 0]
    assert find_positions(broken, Categories((True,))).tolist() == [-1, -1, -1]
    assert len(set(read_identities(broken).to_pylist())) == 3
    assert read_labels(broken).to_pylist() == [b"12", None, b"34"]


@given(st.integers(0, 38), st.lists(st.integers(-(10**38) + 1, 10**38 - 1) | st.none(), max_size=9))
def test_decimals_round_once(scale, digits):
    exact = decimal.Context(prec=80)
    values = [None if d is None else exact.scaleb(decimal.Decimal(d), -scale) for d in digits]
    wanted = [None if value is None else float(value) for value in values]
    assert same(read_numbers(pa.array(values, pa.decimal128(38, scale))), wanted)
    assert same(read_numbers(pa.array(values, pa.decimal256(76, scale))), wanted)


@given(st.integers(0, 15), st.lists(st.integers(-(10**15) + 1, 10**15 - 1) | st.none(), max_size=9))
def test_short_decimals_round_once_also_in_slices(scale, digits):
    values = [None if d is None else decimal.Decimal(d).scaleb(-scale) for d in digits]
    column = pa.array(values, pa.decimal128(15, scale))
    wanted = [None if value is None else float(value) for value in values]
    assert same(read_numbers(column), wanted)
    assert same(read_numbers(column.slice(1, 4)), wanted[1:5])
    few = [value for value in digits if value is not None and abs(value) < 10**7]
    assert same(read_numbers(pa.array(few, pa.decimal32(9, 0))), few)


@pytest.mark.parametrize("dtype", [pa.decimal128(5, 2), pa.decimal128(38, 2)], ids=str)
def test_a_decimal_may_have_more_digits_than_its_type_says(dtype):
    whole = [150, 2**64 + 5, -(2**64) - 5, 2**63, -(2**63) - 1, 2**53 + 1, 2**126, -(2**127)]
    bits = b"".join(value.to_bytes(16, "little", signed=True) for value in whole)
    column = pa.Array.from_buffers(dtype, len(whole), [None, pa.py_buffer(bits)])
    exact = decimal.Context(prec=80)
    assert same(read_numbers(column), [float(exact.scaleb(value, -2)) for value in whole])
    people = read_identities(column).to_pylist()
    assert people == [f"{exact.scaleb(value, -2):f}".encode() for value in whole]


def test_arrows_own_cast_of_decimals_would_be_caught():
    tenths = [decimal.Decimal(n) / 10 for n in range(100)]
    cast = pa.array(tenths).cast(pa.float64()).to_pylist()
    assert cast != [float(value) for value in tenths]


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.none(), max_size=9))
def test_whole_numbers_are_the_nearest_float(values):
    wanted = [None if value is None else float(value) for value in values]
    assert same(read_numbers(pa.array(values, pa.int64())), wanted)


@given(st.lists(st.floats() | st.none(), max_size=40), st.integers(0, 20), st.integers(0, 20))
def test_gaps_are_where_numbers_are_missing_also_in_slices(values, start, length):
    column = pa.array(values, pa.float64(), from_pandas=False).slice(start, length)
    found, gaps = read_numbers_and_gaps(column)
    filled = np.where(gaps, math.nan, found)
    assert same(filled, column.to_pylist())
    assert same(filled, read_numbers(column))


@pytest.mark.parametrize("dtype", [pa.int8(), pa.uint16(), pa.float16(), pa.float32(), pa.uint64()])
def test_numbers_of_every_width_are_read(dtype):
    assert same(read_numbers(pa.array([0, 1, None, 100], dtype)), [0, 1, None, 100])


def test_times_finer_than_a_microsecond_are_cut_off():
    ticks = [1_767_225_600_000_000_999, -1, 0, None, 999, 2**63 - 1]
    column = pa.array(ticks, pa.timestamp("ns"))
    wanted = [None if tick is None else float(tick // 1000) for tick in ticks]
    assert same(read_numbers(column), wanted)
    assert number(datetime(2026, 1, 1)) == wanted[0]


@given(
    st.lists(
        st.sampled_from([0.0, -0.0, 0.1 + 0.2, 0.3, 1.0, math.nan, math.inf, None]), max_size=9
    )
)
def test_number_categories_are_equal_as_floats(values):
    categories = Categories((1, 0.3, 0))
    found = find_positions(pa.array(values, pa.float64()), categories).tolist()
    wanted = [categories.values.index(v) if v in categories.values else -1 for v in values]
    assert found == wanted
    texts = pa.array([None if value is None else repr(value) for value in values], pa.string())
    assert find_positions(texts, categories).tolist() == wanted


@given(
    st.lists(st.text(max_size=4) | st.sampled_from(["A", "a", "A ", "Å", "A\u030a"]) | st.none())
)
def test_text_categories_are_equal_as_bytes(values):
    categories = Categories(("A", "Å", "", "\ud800"))
    wanted = [categories.values.index(v) if v in categories.values else -1 for v in values]
    column = pa.array(values, pa.string())
    for form in (column, column.cast(pa.string_view()), column.dictionary_encode()):
        assert find_positions(form, categories).tolist() == wanted


def test_flags_are_read_from_text_in_any_case():
    column = pa.array(["true", "FALSE", " True ", "1", "yes", "", None, CANARY])
    assert find_positions(column, Categories((True, False))).tolist() == [
        0,
        1,
        0,
        -1,
        -1,
        -1,
        -1,
        -1,
    ]


def test_runs_and_dictionaries_and_extensions_are_what_they_hold():
    runs = pa.compute.run_end_encode(pa.array([1.0, 1.0, None, 2.0]))
    coded = pa.array(["1", None, "x"]).dictionary_encode()
    assert same(read_numbers(runs), [1, 1, None, 2])
    assert same(read_numbers(coded), [1, None, None])
    assert find_kind(runs.type) == "number"
    assert find_kind(coded.type) == "text"
    ids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([uuid.uuid4().bytes], pa.binary(16)))
    assert find_kind(ids.type) == "bytes"
    assert read_identities(ids).to_pylist() == ids.storage.to_pylist()


def taken(people):
    """Return the cells in which a salt lets each of twenty people count once, of eight."""
    cells = np.tile(np.arange(8), len(people))
    whose = people.take(pa.array(np.repeat(np.arange(len(people)), 8)))
    engine = DuckEngine(pa.table({"x": cells, "who": whose}))
    engine._salt = SALT
    keys = [Grid("x", Bounds(0, 8), 8)]
    return engine.counts(keys, PrivacyUnit.users("who", max_rows=1)).reveal().tolist()


WHOLE = pa.array([*range(19), None])
HUGE = pa.array([2**64 - 1 - step for step in range(20)], pa.uint64())
CENTS = pa.array([decimal.Decimal(step) / 100 - 3 for step in range(0, 800, 40)])
HALVES = pa.array(np.arange(20) / 8)
DAYS = pa.array(range(-9, 11), pa.int32()).cast(pa.date32())
NOONS = pa.array([43_200 + 86_400 * day for day in range(-9, 11)]).cast(pa.timestamp("s"))
ALIKE = {
    "whole": (WHOLE, [pa.int8(), pa.int32(), pa.int64(), pa.uint64(), pa.decimal128(20, 0)]),
    "huge": (HUGE, [pa.uint64(), pa.decimal128(20, 0), pa.string()]),
    "cents": (CENTS, [pa.decimal128(10, 2), pa.decimal128(38, 2), pa.decimal32(9, 2)]),
    "floats": (HALVES, [pa.float64(), pa.float32(), pa.float16()]),
    "dates": (DAYS, [pa.date32(), pa.date64()]),
    "times": (NOONS, [pa.timestamp(unit) for unit in ("s", "ms", "us")]),
}


@pytest.mark.parametrize("case", ALIKE)
def test_however_ids_are_stored_the_same_rows_of_a_person_count(case):
    people, dtypes = ALIKE[case]
    first, *others = [taken(people.cast(dtype)) for dtype in dtypes]
    assert sum(first) == len(people) - people.null_count
    assert others == [first] * len(others)
    assert taken(pa.array(range(1000, 1020))) != first  # so that a wrong text would be noticed


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-99, 99) | st.none(), max_size=9))
def test_a_time_is_one_person_in_every_coarse_unit_or_nobody(ticks):
    for unit, scale in {"s": 10**6, "ms": 10**3, "us": 1}.items():
        found = read_identities(pa.array(ticks, pa.timestamp(unit)))
        assert found.type == pa.int64()
        times = [None if tick is None else tick * scale for tick in ticks]
        wanted = [t if t is not None and -(2**63) <= t < 2**63 else None for t in times]
        assert found.to_pylist() == wanted
    days = [None if tick is None else tick // 86_400_000 for tick in ticks]
    wanted = [day if day is not None and -(2**31) <= day < 2**31 else None for day in days]
    found = read_identities(pa.array(ticks, pa.int64()).cast(pa.date64()))
    assert (found.type, found.to_pylist()) == (pa.int32(), wanted)


@given(st.lists(st.none() | st.sampled_from(["1", " 2.5", "x", "inf", ""]), max_size=12))
def test_numbers_in_dictionaries_are_those_of_their_words(texts):
    column = pa.array(texts, pa.string())
    odd = pa.DictionaryArray.from_arrays([0, 1, None, 0, 0, 1], ["7", None])
    for form in (column.dictionary_encode(), column.dictionary_encode().slice(3)):
        assert same(read_numbers(form), [number(text) for text in form.to_pylist()])
    assert same(read_numbers(odd), [7, None, None, 7, 7, None])


@pytest.mark.parametrize(
    "dtype",
    [pa.list_(pa.int8()), pa.struct([("a", pa.int8())]), pa.month_day_nano_interval()],
    ids=str,
)
def test_what_has_no_place_on_an_axis_is_called_other(dtype):
    assert find_kind(dtype) == "other"


@given(st.lists(st.floats() | st.none(), max_size=20))
def test_no_float_warns(values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for dtype in (pa.float64(), pa.float32()):
            column = pa.array(values, dtype, from_pandas=False)
            read_numbers(column)
            find_positions(column, Categories((0, 1)))
            read_identities(column)


SIGNALLING = {
    "double": np.array([0x7FF0000000000001] * 40, dtype=np.uint64).view(np.float64),
    "single": np.array([0x7F800001] * 40, dtype=np.uint32).view(np.float32),
    "half": np.array([0x7C01] * 40, dtype=np.uint16).view(np.float16),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", SIGNALLING.values(), ids=SIGNALLING)
def test_a_nan_that_signals_has_no_label_without_a_word(values):
    assert read_labels(pa.array(values)).null_count == len(values)


@pytest.mark.parametrize("unit", [PrivacyUnit.rows(), PrivacyUnit.users("who")])
@pytest.mark.parametrize("column", ["x", "y", "weight", "who"])
@pytest.mark.parametrize("values", SIGNALLING.values(), ids=SIGNALLING)
def test_a_nan_that_signals_is_missing_without_a_word(values, column, unit):
    table = pa.table({name: np.full(40, 0.5) for name in ("x", "y", "weight", "who")})
    place = table.column_names.index(column)
    table = table.set_column(place, column, pa.array(values))
    x, y = (Grid(name, Bounds(0, 1), 4) for name in ("x", "y"))
    engine = DuckEngine(table)
    counted = column == "who" and unit.column is None
    assert engine.masses(Plane(x, y), unit, Weight("weight", 1.0)).reveal().sum() == (
        40 * 2**29 if counted else 0
    )
    engine.counts([x, y], unit)
