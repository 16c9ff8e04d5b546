"""Tables that hold ordinary and extreme numbers, under the names that charts ask for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime, timedelta

import numpy as np
import pyarrow as pa

_LARGEST, _SMALLEST = np.finfo(np.float64).max, 5e-324
EXTREMES: tuple[float | None, ...] = (
    *(0.0, -0.0, 1.0, -1.0, _SMALLEST, -_SMALLEST, 2.2250738585072014e-308),
    *(1e308, -1e308, float(_LARGEST), -float(_LARGEST), math.inf, -math.inf, math.nan, None),
)
WHOLE = (-(2**63), 2**63 - 1, 0, 1, 2**53 + 1, None)
DAYS = (date.min, date.max, date(1970, 1, 1), date(2026, 6, 1), None)


def ordinary(rows: int, seed: int) -> pa.Table:
    """Return people of whom each has a few rows."""
    generator = np.random.default_rng(seed)
    groups = np.array(["A", "B", "C"])
    return pa.table(
        {
            "x": generator.normal(4, 3, rows),
            "y": generator.normal(0, 2, rows),
            "z": generator.random(rows),
            "w": generator.random(rows) * 4,
            "g": groups[generator.integers(0, 3, rows)],
            "h": groups[generator.integers(0, 3, rows)],
            "u": generator.integers(0, 1 + rows // 3, rows),
        }
    )


def extreme(values: Sequence[object], rows: int = 60) -> pa.Table:
    """Return a table whose numbers are all picked from `values`, by a fixed rule."""
    generator = np.random.default_rng(0)
    numbers = {name: _picked(values, rows, generator) for name in "xyzw"}
    others = {name: ["A", "B", None] * (rows // 3) for name in "gh"}
    others["u"] = [f"u{row // 4}" for row in range(rows)]
    columns = {**numbers, **{name: pa.array(column) for name, column in others.items()}}
    return pa.table(columns)


def _picked(values: Sequence[object], rows: int, generator: np.random.Generator) -> pa.Array:
    chosen = [values[index] for index in generator.integers(0, len(values), rows)]
    return pa.array(chosen, from_pandas=False)


def midnights(days: Sequence[date | None]) -> list[datetime | None]:
    """Return the first and last microsecond of days, which is as far as times go."""
    ends = timedelta(days=1) - timedelta(microseconds=1)
    firsts = [None if day is None else datetime(day.year, day.month, day.day) for day in days]
    return [*firsts, *(None if first is None else first + ends for first in firsts)]
