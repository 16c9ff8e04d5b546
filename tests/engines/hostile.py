"""A table whose every column tries to be counted wrongly."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from decimal import Decimal

import numpy as np
import pyarrow as pa

from sfumato.domain import Bounds
from sfumato.grid import Grid

CANARY = "CANARY-7f3a"
GRID = Grid("x", Bounds(-0.7, 2.9), 23)

EDGES = GRID.edges.tolist()
NEXT = [math.nextafter(edge, end) for edge in EDGES for end in (-math.inf, math.inf)]
TINY = [0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308]
HUGE = [math.inf, -math.inf, 1e308, -1e308, math.nan, None]
READABLE = ["1.5", " 2 ", "\t-3e-1\n", "+.5", "5.", "1e999", "-1e999", "1e-999", "inf", "-Infinity"]
UNREADABLE = [
    "0x10",
    "1_0",
    "",
    "1,5",
    "--1",
    "1e",
    ".",
    "e5",
    "١٢",
    "NaN",
    "nan(1)",
    "2 .5",
    CANARY,
]
WORDS = ["A", "B", "C", "a", "A ", " A", "Å", "A\u030a", "A\x00", "\U0001f600", CANARY, None]
WHOLE = [None, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), *range(-5, 25)]
EXACT = [None, *map(Decimal, ("0.3", "3.3", "-0.0001", "0.1234", "99999999999.9999"))]
CENTS = [Decimal(cents) / 100 for cents in range(-50, 300)]
ENDS = [None, datetime(1, 1, 1), datetime(9999, 12, 31), datetime(1970, 1, 1)]
DAYS = [datetime(2026, 1, 1) + timedelta(seconds=271_828 * step) for step in range(40)]
LEVELS = [None, math.nan, math.inf, -0.0, 0.1 + 0.2, 0.3, 1.0, 2.0]


def floats(rows, generator):
    """Return floats of which most lie on an edge, one step beside it, or far away."""
    ordinary = generator.normal(1, 2, rows).tolist()
    odd = picked([*EDGES, *NEXT, *TINY, *HUGE], rows, generator)
    usual = generator.random(rows) < 0.3
    return [common if use else rare for common, rare, use in zip(ordinary, odd, usual, strict=True)]


def picked(values, rows, generator):
    return [values[index] for index in generator.integers(0, len(values), rows)]


def hostile(rows):
    """Return the table: numbers, texts, categories, flags, times and people."""
    generator = np.random.default_rng(0)
    people = [f"u{index}" for index in range(rows // 20)]
    values = {
        "i": (WHOLE, pa.int64()),
        "d": (EXACT + CENTS, pa.decimal128(15, 4)),
        "t": (READABLE + UNREADABLE + list(map(repr, EDGES)), pa.string()),
        "g": (WORDS + list("AABBC"), pa.string()),
        "n": (LEVELS, pa.float64()),
        "f": ([True, False, None], pa.bool_()),
        "m": (ENDS + DAYS, pa.timestamp("us")),
        "u": ([None, CANARY, *people], pa.string()),
        "v": ([None, *range(-3, rows // 30)], pa.int64()),
    }
    columns = {"x": pa.array(floats(rows, generator), from_pandas=False)}
    for name, (choices, dtype) in values.items():
        columns[name] = pa.array(picked(choices, rows, generator), dtype, from_pandas=False)
    return pa.table(columns)
