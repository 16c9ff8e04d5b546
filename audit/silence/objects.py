"""Neighbouring pandas frames of Python objects, and neighbouring CSV files (for Hypothesis)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from sfumato.privacy.guarantee import PrivacyUnit
from silence.columns import CANARY, TEXTS

COLUMNS = ("x", "y", "z", "w", "g", "u")


class Unwritable:
    """An object that raises whenever it is looked at."""

    def __str__(self) -> NoReturn:
        raise ValueError(CANARY)

    __repr__ = __str__

    def __float__(self) -> NoReturn:
        raise OverflowError(CANARY)


_NOTHING: list[object] = [None, math.nan, pd.NA, pd.NaT, Decimal("sNaN"), object(), Unwritable()]
_NUMBERS: list[object] = [
    *(math.inf, -0.0, 5e-324, 10**400, -(2**63), True, 3, 0.5, 1j, np.float32(1), np.int8(-1)),
    *(Decimal("1.5"), Decimal("1e9999"), np.array([1.0])),
]
_TEXTS: list[object] = [
    *("A", "B", "1.5", "nan", " 2 ", "true", "", "x" * 70_000, CANARY, "\ud800", b"\xff"),
]
_THINGS: list[object] = [
    *([1, [2]], {"a": CANARY}, (1,), slice(3), print, pd.Timestamp("2262-04-11")),
    *(pd.Timedelta(1), pd.Interval(0, 1), pd.Period("2026")),
]
OBJECTS = [*_NOTHING, *_NUMBERS, *_TEXTS, *_THINGS]


@dataclass(frozen=True, eq=False, repr=False)
class Frames:
    """Two frames that pandas itself cannot print."""

    with_it: pd.DataFrame
    without: pd.DataFrame


@st.composite
def frames(draw: Any, unit: PrivacyUnit) -> Frames:
    """Draw two frames of objects that nothing but one unit's rows tells apart."""
    own = 1 if unit.column is None else draw(st.integers(1, 3))
    others = draw(st.integers(0, 5))
    value = st.sampled_from(OBJECTS)
    rows: list[list[object]] = [
        [*(draw(value) for _ in COLUMNS[:-1]), CANARY if row < own else draw(_ID)]
        for row in range(own + others)
    ]
    kept = [row for row in range(own + others) if row >= own]
    return Frames(_frame(rows), _frame([rows[row] for row in kept]))


_ID = st.sampled_from([None, math.nan, 1, 1.0, "1", "p1", "p2"])


def _frame(rows: list[list[object]]) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    for index, name in enumerate(COLUMNS):
        column = np.empty(len(rows), dtype=object)
        for place, row in enumerate(rows):
            column[place] = row[index]
        columns[name] = pd.Series(column, dtype=object)
    return pd.DataFrame(columns)


@st.composite
def records(draw: Any, unit: PrivacyUnit) -> tuple[bytes, bytes]:
    """Draw two CSV files that nothing but one unit's records tells apart.

    The others are well written, as they must be. The unit's are so too, or are bytes of any kind
    but double quotes: a quote that is never closed reaches into other records, which the
    documentation says, and is looked at by itself.
    """
    own = 1 if unit.column is None else draw(st.integers(1, 3))
    mine = [draw(st.one_of(_quoted(CANARY.encode()), _RAW)) for _ in range(own)]
    others = draw(st.lists(st.one_of(*map(_quoted, (b"p1", b"p2", b""))), max_size=5))
    place = draw(st.integers(0, len(others)))
    end = draw(st.sampled_from([b"\n", b"\r\n"]))
    header = ",".join(COLUMNS).encode()
    return (
        end.join([header, *others[:place], *mine, *others[place:], b""]),
        end.join([header, *others, b""]),
    )


def _quoted(person: bytes) -> st.SearchStrategy[bytes]:
    fields = st.lists(st.sampled_from(TEXTS), min_size=5, max_size=5)
    return fields.map(lambda row: b",".join(map(_in_quotes, [*row, person])))


def _in_quotes(field: bytes) -> bytes:
    return b'"' + field.replace(b'"', b'""') + b'"'


_PIECES = [b",", b",,", b"\r", b"\n", b"\x00", b"\xff", b"1", b"\\", b"'", b"#", b" ", "é".encode()]
_RAW = st.lists(st.sampled_from([*_PIECES, b"x" * 2**20]), max_size=12).map(b"".join)


def written(contents: tuple[bytes, bytes], folder: Path) -> tuple[Path, Path]:
    """Write two CSV files of the same name."""
    paths = (folder / "with" / "table.csv", folder / "without" / "table.csv")
    for path, content in zip(paths, contents, strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return paths
