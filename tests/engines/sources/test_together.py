"""Rows read together are those read alone, and none decides whether reading fails.

Every source, in every encoding that its writers can choose, holds the same nasty rows. Each row is
read alone; then many tables of some of them, in any order and cut into blocks of any size, must
give for each row what it gave alone: its numbers, its places among categories, its identity, its
label.
"""

import gzip
import math
import random
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import partial
from itertools import product

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from engines.hostile import READABLE, UNREADABLE
from sfumato.domain import Categories
from sfumato.engines.columns import (
    find_positions,
    read_identities,
    read_labels,
    read_numbers,
    read_numbers_and_gaps,
)
from sfumato.engines.file_format import FileFormat
from sfumato.engines.sources import delimited
from sfumato.engines.sources.delimited import split_records
from sfumato.engines.sources.opening import open_table
from sfumato.engines.sources.source import Columns, read_blocks
from sfumato.engines.table import PLAIN

MARK = "\ufeff"
WORDS = [None, "", "A", "a", "A ", " A", MARK, f"{MARK}A", f"{MARK}{MARK}A", "A\x00", "\x00", "Å"]
WORDS += [
    "A\u030a",
    "\U0001f600",
    "1",
    "1.0",
    "true",
    " TRUE",
    "A,B",
    '"',
    '"A"',
    "A\nB",
    "A\r",
    "\n",
]
WORDS += ["x" * 255, "x" * 256, "x" * 257, "é" * 256, "x" * 3000, "NULL", "NaN", "None", "<NA>"]
NUMBERS = [0.0, -0.0, 5e-324, 1e308, math.inf, -math.inf, math.nan, None, 1.0, 2.0**53, 0.1, -7.25]
WHOLE = [None, 0, 1, -1, 7, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 255, 65536, -(2**31)]
EXACT = [None, *map(Decimal, ("0", "0.1", "-0.1", "99999999999.9999", "-99999999999.9999", "7"))]
TIMES = [None, datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59), datetime(1970, 1, 1)]
TIMES += [datetime(1677, 9, 21), datetime(2262, 4, 12), datetime(2026, 2, 3, 4, 5, 6, 789_012)]
DAYS = [None, date(1, 1, 1), date(9999, 12, 31), date(1970, 1, 1), date(2026, 2, 3)]
ROWS = len(WORDS)
NEAR = [datetime(1970, 1, 1), datetime(2026, 2, 3, 4, 5, 6, 789_012), None]


def around(values):
    return [values[row % len(values)] for row in range(ROWS)]


TABLE = pa.table(
    {
        "row": pa.array(range(ROWS), pa.int64()),
        "g": pa.array(WORDS, pa.string()),
        "t": pa.array(around(READABLE + UNREADABLE), pa.string()),
        "x": pa.array(around(NUMBERS), pa.float64(), from_pandas=False),
        "h": pa.array(
            around([1.5, None, math.nan, -math.inf, 6e-8]), pa.float32(), from_pandas=False
        ),
        "i": pa.array(around(WHOLE), pa.int64()),
        "d": pa.array(around(EXACT), pa.decimal128(15, 4)),
        "w": pa.array(around(EXACT), pa.decimal128(38, 10)),
        "f": pa.array(around([True, None, False]), pa.bool_()),
        "m": pa.array(around(TIMES), pa.timestamp("us")),
        "s": pa.array(around(TIMES), pa.timestamp("s")),
        "y": pa.array(around(DAYS), pa.date32()),
        "u": pa.array([None if word is None else word.encode() for word in WORDS], pa.binary()),
    }
)
BYTES = pa.array(
    [b"\xff", b"\xef\xbb", b"\xed\xa0\x80", b"1\xff", b"A", None, b"\xc0\x80", b"1.5"], pa.binary()
)
NO_UNICODE = pa.table({"row": pa.array(range(8), pa.int64()), "g": BYTES.view(pa.string())})

TEXTS = Categories(("A", f"{MARK}A", "1", "A\x00", "female", "Sex.F"))
LEVELS = Categories((0.0, 1.0, 1.5, 7.0, 2.0**53))
FLAGS = Categories((True, False))


def told(source, repetitive=()):
    """Return what every kernel makes of each row, by the number of the row."""
    names = [name for name in source.kinds if name != "row"]
    rows = {}
    for block in read_blocks(source, Columns(["row", *names], repetitive), lambda _: None):
        columns = [_told(block.column(name), source.kinds[name]) for name in names]
        order = read_numbers(block.column("row")).astype(int).tolist()
        rows |= zip(order, zip(*columns, strict=True), strict=True)
    return rows


def _told(column, kind):
    found = [[*map(repr, read_identities(column).to_pylist())]]
    if kind != "bytes":
        values, gaps = read_numbers_and_gaps(column)
        values = np.where(gaps, math.nan, values)
        assert np.array_equal(values, read_numbers(column), equal_nan=True)
        found += [[*map(repr, values.tolist())], find_positions(column, LEVELS).tolist()]
    if kind == "text":
        found += [find_positions(column, each).tolist() for each in (TEXTS, FLAGS)]
        found.append(read_labels(column).to_pylist())
    return list(zip(*found, strict=True))


# Tables in memory keep their types when some of their rows are taken, whatever these hold.


class Sex(str, Enum):  # noqa: UP042 - which str() writes otherwise than StrEnum
    F = "female"
    M = "A"


class Unwritable:
    def __str__(self):
        raise ValueError

    def __eq__(self, other):
        raise TypeError

    __hash__ = object.__hash__


OBJECTS = [
    None,
    math.nan,
    pd.NA,
    pd.NaT,
    1,
    1.0,
    True,
    "1",
    "true",
    "A",
    "\ud800",
    "A\udcff",
    Sex.F,
]
OBJECTS += [Decimal("0.1"), Decimal("sNaN"), 10**5000, 1e400, 1 + 2j, b"A", [1], {}, object(), Sex]
OBJECTS += [Unwritable(), date(2026, 2, 3), np.float32(0.1), np.int8(7), np.bool_(True), MARK]


def objects(table):
    del table
    return pd.DataFrame({"row": range(len(OBJECTS)), "o": pd.Series(OBJECTS, dtype=object)})


def pandas_texts(dtype, words, table):
    del table
    return pd.DataFrame({"row": range(len(words)), "g": pd.Series(words, dtype=dtype)})


def pandas_numpy(table):
    frame = table.select(["row", "x", "h", "f"]).to_pandas()
    near = pd.Series(around(NEAR), dtype="datetime64[ns]")
    return frame.assign(
        m=near, z=near.dt.tz_localize("Asia/Tokyo"), p=pd.Series(near).dt.to_period("D")
    )


def pandas_nullable(table):
    kinds = {"i": "Int64", "h": "Float32", "x": "Float64", "f": "boolean"}
    columns = {name: pd.array(table[name].to_pylist(), dtype=kind) for name, kind in kinds.items()}
    return pd.DataFrame({"row": range(table.num_rows), **columns})


def chunked(table):
    return pa.concat_tables([table.slice(start, 5) for start in range(0, table.num_rows, 5)])


def coded(table):
    columns = {name: table[name].combine_chunks() for name in table.column_names}
    return pa.table({name: column.dictionary_encode() for name, column in columns.items()})


def run_ends(table):
    names = ["g", "t", "x", "i", "f"]
    return pa.table({"row": table["row"], **{n: pc.run_end_encode(table[n]) for n in names}})


def viewed(table):
    types = {pa.string(): pa.string_view(), pa.binary(): pa.binary_view()}
    return table.cast(pa.schema([(f.name, types.get(f.type, f.type)) for f in table.schema]))


def wide(table):
    types = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
    return table.cast(pa.schema([(f.name, types.get(f.type, f.type)) for f in table.schema]))


def taken_from_pandas(frame, rows):
    return frame.iloc[rows]


def taken_from_arrow(table, rows):
    return pa.concat_tables([table.slice(row, 1) for row in rows])


def taken_from_polars(frame, rows):
    return frame[rows]


def taken_from_lazy(frame, rows):
    return frame.collect()[rows].lazy()


def taken_from_relation(relation, rows):
    wanted = ", ".join(map(str, rows))
    return relation.filter(f'"row" IN ({wanted})')


def relation_of(table):
    return duckdb.connect().from_arrow(table)


def polars_of(table):
    return pl.from_arrow(table)


def polars_categories(table):
    return polars_of(table).with_columns(pl.col("g", "t").cast(pl.Categorical))


LONE = [*WORDS, "\ud800", "A\udcff"]
IN_MEMORY = {
    "Arrow table": (lambda table: table, taken_from_arrow),
    "Arrow chunks": (chunked, taken_from_arrow),
    "Arrow dictionaries": (coded, taken_from_arrow),
    "Arrow run ends": (run_ends, taken_from_arrow),
    "Arrow views": (viewed, taken_from_arrow),
    "Arrow large": (wide, taken_from_arrow),
    "Arrow, not Unicode": (lambda table: NO_UNICODE, taken_from_arrow),
    "Arrow, not Unicode, coded": (lambda table: coded(NO_UNICODE), taken_from_arrow),
    "pandas objects": (objects, taken_from_pandas),
    "pandas NumPy": (pandas_numpy, taken_from_pandas),
    "pandas nullable": (pandas_nullable, taken_from_pandas),
    "pandas on Arrow": (partial(pa.Table.to_pandas, types_mapper=pd.ArrowDtype), taken_from_pandas),
    "pandas str": (partial(pandas_texts, "str", WORDS), taken_from_pandas),
    "pandas string[python]": (
        partial(pandas_texts, "string[python]", [*LONE, Sex.F]),
        taken_from_pandas,
    ),
    "pandas string[pyarrow]": (partial(pandas_texts, "string[pyarrow]", WORDS), taken_from_pandas),
    "pandas categories": (partial(pandas_texts, "category", WORDS), taken_from_pandas),
    "pandas categories of objects": (
        partial(pandas_texts, "category", [*LONE, Sex.F, 1, 1.5]),
        taken_from_pandas,
    ),
    "Polars": (polars_of, taken_from_polars),
    "Polars categories": (polars_categories, taken_from_polars),
    "Polars lazy": (lambda table: polars_of(table).lazy(), taken_from_lazy),
    "DuckDB relation": (relation_of, taken_from_relation),
    "Arrow stream": (coded, lambda table, rows: taken_from_arrow(table, rows).to_reader()),
}


# Files are written anew, since their writers choose by what they hold.


def csv_file(pack, ending, table, folder):
    lines = [table.column_names] + [[*row.values()] for row in table.to_pylist()]
    text = "".join(",".join(map(csv_field, line)) + "\n" for line in lines)
    path = folder / f"table.csv{ending}"
    path.write_bytes(pack(text.encode()))
    return path


def encoded_file(encoding, table, folder):
    path = csv_file(bytes, "", table, folder)
    text = path.read_bytes().decode()
    if encoding == "utf-16-le":  # with a mark that its name does not ask for
        text = MARK + text
    path.write_bytes(text.encode(encoding, "replace"))
    return path, PLAIN, FileFormat(encoding)


def csv_field(value):
    if value is None or value == "":
        return "" if value is None else '""'
    text = (
        value if isinstance(value, str) else repr(value) if isinstance(value, float) else str(value)
    )
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if set(text) & set('",\r\n') else text


def parquet_file(options, table, folder):
    pq.write_table(table, folder / "table.parquet", **options)
    return folder / "table.parquet"


def parquet_of_polars(options, table, folder):
    pl.from_arrow(table).write_parquet(folder / "table.parquet", **options)
    return folder / "table.parquet"


def parquet_of_duckdb(options, table, folder):
    path = folder / "table.parquet"
    with duckdb.connect() as connection:
        connection.register("here", table)
        connection.execute(f"COPY (FROM here) TO '{path}' (FORMAT parquet, {options})")
    return path


def dataset(table, folder):
    pq.write_table(table, folder / "table.parquet", row_group_size=3)
    return ds.dataset(folder / "table.parquet")


ENCODINGS = {
    "PLAIN": TABLE.column_names,
    "DELTA_BINARY_PACKED": ["row", "i", "m", "s", "y"],
    "DELTA_LENGTH_BYTE_ARRAY": ["g", "u"],
    "DELTA_BYTE_ARRAY": ["g", "u", "d", "w"],
    "BYTE_STREAM_SPLIT": ["row", "x", "h", "i", "d", "w", "m", "s", "y"],
    "RLE": ["f"],
}
CODECS = ("none", "snappy", "gzip", "brotli", "lz4", "zstd")
SMALL = {"dictionary_pagesize_limit": 20, "data_page_size": 64, "write_batch_size": 2}
FEW = ["row", "g", "x"]


def encoded(names, encoding, version):
    options = {"column_encoding": dict.fromkeys(names, encoding), "data_page_version": version}
    return partial(parquet_file, {"use_dictionary": False, "row_group_size": 10, **options})


def packed(codec, version):
    return partial(parquet_file, {"compression": codec, "data_page_version": version})


PARQUET = {
    **{
        f"Parquet {encoding}, pages {version}": (names, encoded(names, encoding, version))
        for (encoding, names), version in product(ENCODINGS.items(), ("1.0", "2.0"))
    },
    **{
        f"Parquet {codec}, pages {version}": (FEW, packed(codec, version))
        for codec, version in zip(CODECS, ("1.0", "2.0") * 3, strict=True)
    },
    "Parquet, small dictionaries and pages": (TABLE.column_names, partial(parquet_file, SMALL)),
    "Parquet, Spark's times": (
        ["m", "s"],
        partial(parquet_file, {"use_deprecated_int96_timestamps": True}),
    ),
    "Parquet without Arrow's schema": (FEW, partial(parquet_file, {"store_schema": False})),
    "Parquet by Polars": (FEW, partial(parquet_of_polars, {"row_group_size": 7})),
    "Parquet by DuckDB": (["g", "x", "i", "d"], partial(parquet_of_duckdb, "PARQUET_VERSION v1")),
    "Parquet by DuckDB, version 2": (
        ["g", "x", "i", "d"],
        partial(parquet_of_duckdb, "PARQUET_VERSION v2"),
    ),
}
TEXT = ["row", "g", "t", "i"]
ZSTD = partial(pa.compress, codec="zstd", asbytes=True)
WRITTEN = {
    "CSV": (TEXT, partial(csv_file, bytes, "")),
    "CSV, gzip": (TEXT, partial(csv_file, gzip.compress, ".gz")),
    "CSV, zstd": (TEXT, partial(csv_file, ZSTD, ".zst")),
    **{
        f"CSV, {encoding}": (TEXT, partial(encoded_file, encoding))
        for encoding in ("latin-1", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "shift_jis")
    },
    "Arrow dataset": (TABLE.column_names, dataset),
    **PARQUET,
}


def opened(form, folder):
    """Return how many rows a form has, and a function that opens some of them."""
    if form in WRITTEN:
        names, write = WRITTEN[form]
        table = TABLE.select(dict.fromkeys(["g", "row", *names]))  # texts begin a record
        return table.num_rows, lambda rows: open_written(write(table.take(rows), folder))
    make, take = IN_MEMORY[form]
    made = make(TABLE)
    count = ROWS if isinstance(made, pl.LazyFrame | duckdb.DuckDBPyRelation) else len(made)
    return count, lambda rows: open_table(take(made, rows))


def open_written(place):
    return open_table(*place) if isinstance(place, tuple) else open_table(place)


def in_blocks(patch, size):
    """Let sources cut rows into blocks, and CSV files into pieces, of about this many."""
    for module in ("arrow", "frames", "parquet", "relation"):
        patch.setattr(f"sfumato.engines.sources.{module}.BLOCK", size)
    patch.setattr("sfumato.engines.sources.source.BLOCK", size)
    patch.setattr(delimited, "split_records", partial(split_records, chunk=40 * size))


def draws(count):
    """Return some of the rows, in any order and blocks: all of them, and many by chance."""
    generator = random.Random(0)
    yield list(range(count)), 2**15
    for _ in range(4):
        rows = generator.sample(range(count), generator.randint(count // 2, count))
        yield rows, generator.randint(1, 9)


@pytest.mark.parametrize("form", [*IN_MEMORY, *WRITTEN])
def test_rows_read_together_are_those_read_alone(form, tmp_path, monkeypatch):
    count, some = opened(form, tmp_path)
    alone = [told(some([row]))[row] for row in range(count)]
    for rows, size in draws(count):
        in_blocks(monkeypatch, size)
        source, expected = some(rows), {row: alone[row] for row in rows}
        assert told(source) == expected
        if form in PARQUET:
            assert told(source, repetitive=["g"]) == expected
