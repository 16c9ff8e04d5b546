"""Arrow columns of every type, with the worst that each can hold (for Hypothesis)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import strategies as st

CANARY = "CANARY-41c7"
"""A value that must show up nowhere."""

Build = Callable[[Sequence[Any]], pa.Array]

TEXTS = (
    *(b"A", b"B", b"A ", b"a", b"", b" ", b"1.5", b" 2\t", b"-1e308", b"1e999", b"5e-324", b"nan"),
    *(b"-inf", b"true", b"FALSE", b"1_0", b"0x1", b"\x00", b"A\x00", b"\xff\xfe", b"\xed\xa0\x80"),
    *("é".encode(), "e\u0301".encode(), "١".encode(), "\U0001f600".encode(), b"\xc3", b"{}", b"'"),
    *(b'a,b\n"c"', b"$1", b"%s{0}", CANARY.encode(), b"9" * 400, b"x" * 70_000),
)
_FLOATS = (0.0, -0.0, 5e-324, 1e308, -1e308, math.inf, -math.inf, math.nan, 0.5, 3.0, 8.0)
_TICKS = (0, 1, -1, 2**63 - 1, -(2**63), -(2**63) + 1, 1_700_000_000, 1_700_000_000_000_000)


@dataclass(frozen=True)
class Kind:
    """A type of column: values to pick from, and how to make a column of them; None is NULL."""

    name: str
    values: st.SearchStrategy[Any]
    build: Build

    def rows(self, number: int) -> st.SearchStrategy[list[Any]]:
        """Return the values of so many rows."""
        one = st.one_of(st.none(), self.values)
        return st.lists(one, min_size=number, max_size=number)


def _texts(dtype: pa.DataType) -> Build:
    """Make texts without asking whether they are Unicode."""
    stored = {
        pa.string(): pa.binary(),
        pa.large_string(): pa.large_binary(),
        pa.string_view(): pa.binary_view(),
    }[dtype]
    return lambda values: pa.array(values, stored).view(dtype)


def _plain(dtype: pa.DataType) -> Build:
    return lambda values: pa.array(values, dtype, from_pandas=False)


def _viewed(stored: pa.DataType, dtype: pa.DataType) -> Build:
    return lambda values: pa.array(values, stored).view(dtype)


def _halves(values: Sequence[Any]) -> pa.Array:
    with np.errstate(over="ignore"):
        halves = [None if value is None else np.float16(value) for value in values]
    return pa.array(halves, pa.float16())


def _singles(values: Sequence[Any]) -> pa.Array:
    with np.errstate(over="ignore"):
        singles = [None if value is None else float(np.float32(value)) for value in values]
    return pa.array(singles, pa.float32(), from_pandas=False)


def _coded(build: Build) -> Build:
    return lambda values: build(values).dictionary_encode()


def _runs(build: Build) -> Build:
    return lambda values: pc.run_end_encode(build(values))


_TEXT = st.one_of(st.sampled_from(TEXTS), st.binary(max_size=8))
_NUMBER = st.one_of(st.sampled_from(_FLOATS), st.floats(), st.floats(-1, 9))
_TICK = st.one_of(st.sampled_from(_TICKS), st.integers(-(2**63), 2**63 - 1))
_CENTS = st.integers(-(10**5), 10**5).map(lambda cents: Decimal(cents) / 100)


def _integers(dtype: pa.DataType) -> Kind:
    ends = np.iinfo(str(dtype))
    low, high = int(ends.min), int(ends.max)
    values = st.one_of(st.sampled_from([low, high, 0, 1, 7]), st.integers(low, high))
    return Kind(str(dtype), values, _plain(dtype))


def _times() -> list[Kind]:
    zones = (None, "UTC", "Asia/Kathmandu", "+05:45")
    types = [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in zones]
    days = st.one_of(st.sampled_from([0, 2**31 - 1, -(2**31)]), st.integers(-(2**31), 2**31 - 1))
    return [
        *(Kind(str(dtype), _TICK, _viewed(pa.int64(), dtype)) for dtype in types),
        Kind("date32", days, _viewed(pa.int32(), pa.date32())),
        Kind("date64", _TICK, _viewed(pa.int64(), pa.date64())),
    ]


TEXTUAL = [
    *(
        Kind(str(dtype), _TEXT, _texts(dtype))
        for dtype in (pa.string(), pa.large_string(), pa.string_view())
    ),
    Kind("dictionary of string", _TEXT, _coded(_texts(pa.string()))),
    Kind("runs of string", _TEXT, _runs(_texts(pa.string()))),
]
NUMERIC = [
    Kind("double", _NUMBER, _plain(pa.float64())),
    Kind("float", _NUMBER, _singles),
    Kind("halffloat", _NUMBER, _halves),
    Kind("dictionary of double", _NUMBER, _coded(_plain(pa.float64()))),
    Kind("runs of double", _NUMBER, _runs(_plain(pa.float64()))),
    *map(_integers, (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
    *map(_integers, (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())),
    *(
        Kind(str(dtype), _CENTS, _plain(dtype))
        for dtype in (pa.decimal128(7, 2), pa.decimal128(38, 10), pa.decimal256(76, 3))
    ),
    Kind("bool", st.booleans(), _plain(pa.bool_())),
    Kind("null", st.none(), _plain(pa.null())),
]
OTHER = [
    *_times(),
    Kind("binary", _TEXT, _plain(pa.binary())),
    Kind("list", st.lists(_NUMBER, max_size=2), _plain(pa.list_(pa.float64()))),
    Kind("struct", st.fixed_dictionaries({"a": _NUMBER}), _plain(pa.struct({"a": pa.float64()}))),
    Kind("duration", _TICK, _plain(pa.duration("us"))),
]
VALUES = st.one_of(*map(st.sampled_from, (NUMERIC, TEXTUAL, OTHER)))
"""What a column of values may be; most of them can be charted."""

GROUPS = st.sampled_from([*TEXTUAL, *NUMERIC[:1], OTHER[-1]])
