"""Frames, Arrow and Parquet: blocks that were read otherwise than their rows."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

import sfumato as sf
from found.find import Find, ReproducedError
from report import Size

_BUDGET = sf.Budget(8)
_EACH_ROW = sf.PrivacyUnit.rows()
_LONG = 70_000
_ROWS: dict[Size, int] = {"fast": 400, "full": 32_000}
"""How many rows of 70 kB a block holds: in the full form together more than 2 GiB."""


class Sex(str, Enum):  # noqa: UP042 - which prints as Sex.F
    """Texts whose class prints something else."""

    F = "female"
    M = "male"


def _counted(table: Any, categories: list[str], unit: Any = _EACH_ROW) -> list[float]:
    release = sf.Session(table, domain={"g": categories}, budget=_BUDGET, unit=unit).histplot(
        x="g", budget=_BUDGET
    )
    return [float(value) for value in release.to_frame()["count"]]


def _refused(ask: Any) -> str:
    try:
        ask()
    except sf.SourceError as error:
        return str(error)
    return ""


def _surrogate(size: Size) -> str:
    del size
    seen: list[list[float]] = []
    for odd in ([], ["\ud800"]):
        column = pd.Series([Sex.F, Sex.M] * 500 + odd, dtype=pd.StringDtype("python"))
        seen.append(_counted(pd.DataFrame({"g": column}), ["female", "male"]))
    if any(abs(count - 500) > 20 for counts in seen for count in counts):
        raise ReproducedError("one text that is not Unicode changes how others are read")
    return "500/500 with and without it"


def _missing_categories(size: Size) -> str:
    del size
    told: set[str] = set()
    for values in ([None, None], ["A", None]):
        frame = pd.DataFrame({"g": pd.Categorical(values)})
        told.add(_refused(lambda frame=frame: _counted(frame, ["A"])))
    if len(told) > 1:
        raise ReproducedError("whether a value is there decides whether it is refused")
    return "released either way"


def _delta(size: Size) -> str:
    del size
    with TemporaryDirectory() as folder:
        place = Path(folder) / "t.parquet"
        for rows in (11, 12, 2_000):
            texts = f"SELECT 'p' || range AS g FROM range({rows})"
            duckdb.execute(f"COPY ({texts}) TO '{place}' (PARQUET_VERSION V2)")
            _readable(place, "DuckDB's version 2")
        for encoding in ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"):
            for column in (pa.array(["p3", "B"] * 50), pa.array(["p3"] * 99).dictionary_encode()):
                options = {"use_dictionary": False, "column_encoding": {"g": encoding}}
                pq.write_table(pa.table({"g": column}), place, **options)
                _readable(place, encoding)
    return "11, 12 and 2,000 rows are charted, in every encoding"


def _readable(table: Any, what: str, unit: Any = _EACH_ROW) -> None:
    if _refused(lambda: _counted(table, ["p3"], unit)):
        raise ReproducedError(f"{what} cannot be read")


def _long_texts(size: Size) -> str:
    rows = _ROWS[size]
    word, code = pa.array(["x" * _LONG]), pa.array(np.zeros(rows, dtype=np.int32))
    coded = pa.table({"g": pa.DictionaryArray.from_arrays(code, word)})
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([rows], pa.int32()), word)
    with TemporaryDirectory() as folder:
        place = Path(folder) / "t.parquet"
        pq.write_table(coded, place, store_schema=False)
        tables = {
            "a DuckDB relation": duckdb.sql(f"SELECT repeat('x', {_LONG}) AS g FROM range({rows})"),
            "pandas": pd.DataFrame({"g": pd.Series(["x" * _LONG] * rows, dtype=object)}),
            "Parquet": place,
            "Arrow dictionaries": coded,
            "Arrow runs": pa.table({"g": runs}),
        }
        for name, table in tables.items():
            _readable(table, f"long texts in {name}")
            _readable(table, f"long ids in {name}", sf.PrivacyUnit.users("g"))
    return f"{rows:,} rows of 70 kB are charted from {len(tables)} sources, as texts and as ids"


def _fragments(size: Size) -> str:
    del size
    told: set[str] = set()
    for value in ("1", "one"):
        with TemporaryDirectory() as folder:
            for number, values in enumerate(([1, 2], [value])):
                pq.write_table(pa.table({"x": values}), Path(folder) / f"{number}.parquet")
            told.add(_refused(lambda folder=folder: _histogram(ds.dataset(folder))))
    if len(told) > 1 or "" in told:
        raise ReproducedError("a value decides whether files of two types are read")
    return "refused before the charge, whatever the values"


def _histogram(table: Any) -> object:
    return sf.histplot(table, x="x", bounds=(0, 4), bins=4, budget=_BUDGET)


def _decimals(size: Size) -> str:
    del size
    bits = b"".join(value.to_bytes(16, "little", signed=True) for value in (150, 2**100))
    column = pa.Array.from_buffers(pa.decimal128(5, 2), 2, [None, pa.py_buffer(bits)])
    if _refused(lambda: _histogram(pa.table({"x": column}))):
        raise ReproducedError("a decimal of more digits than its type stops the release")
    return "read from its digits"


def _runs_of_dictionaries(size: Size) -> str:
    del size
    words = pa.array(["A", "B"]).dictionary_encode()
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([3, 5], pa.int32()), words)
    if _refused(lambda: _counted(pa.table({"g": runs}), ["A", "B"])):
        raise ReproducedError("runs of a dictionary fail after the charge")
    return "charted"


FINDS: tuple[Find, ...] = (
    Find(
        "pandas: one lone surrogate among texts that print otherwise",
        "critical",
        "500/500 becomes 0/0 by one row",
        _surrogate,
    ),
    Find(
        "pandas: a categorical without a value, and with one",
        "critical",
        "refused before the charge or released: a free bit",
        _missing_categories,
    ),
    Find(
        "Parquet: texts in delta encodings",
        "major",
        "11 rows are charted, 12 fail",
        _delta,
    ),
    Find(
        "2 GiB of text in a block",
        "major",
        "30,679 rows of 70 kB fail, Arrow's runs end the process",
        _long_texts,
    ),
    Find(
        "Arrow dataset: files of different types",
        "major",
        "a value decides whether a cast fails",
        _fragments,
    ),
    Find(
        "Arrow: decimals beyond their precision",
        "major",
        "fail after the charge",
        _decimals,
    ),
    Find(
        "Arrow: run-end-encoded dictionaries",
        "major",
        "fail after the charge",
        _runs_of_dictionaries,
    ),
)
