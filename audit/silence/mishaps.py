"""Files in which something is wrong with one person's row alone."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from sfumato.privacy.guarantee import PrivacyUnit
from silence.columns import CANARY
from silence.fuzzing import SpokenError, Two, compare, told_of
from silence.requests import PURE, Request

End = Literal["a release each", "the same error", "an error for one of them"]

_HEADER, _ROW = b"x,g,u\n", b"1,A,p1\n"
_LATE = 200_000
_NAMES = ("with", "without")
REQUEST = Request(
    "histplot",
    {"x": "x", "bins": 4, "hue": "g", "budget": PURE},
    {"x": (0, 8), "g": ["A", "B"]},
    PrivacyUnit.rows(),
)


@dataclass(frozen=True)
class Mishap:
    """Something wrong, and how neighbours may end: where it speaks, the documentation says so."""

    name: str
    make: Callable[[Path], Two]
    end: End = "a release each"


def ended(mishap: Mishap, folder: Path) -> End:
    """Return how two files end that only a damaged row tells apart."""
    two = mishap.make(folder)
    (one, released), (other, also) = (told_of(REQUEST, table) for table in two)
    if CANARY in repr((one, other)):
        raise SpokenError("a value was quoted")
    if one.unlike(other) == []:
        compare(REQUEST, two)
        return "the same error" if released is None else "a release each"
    failed = [told for told, it in ((one, released), (other, also)) if it is None]
    if len(failed) != 1 or failed[0].raised[0] != "SourceError":
        raise SpokenError("neighbours differ by more than one failure to read")
    return "an error for one of them"


def _csv(record: bytes, before: int, folder: Path, *, end: str = ".csv") -> Two:
    """Write many good records, the odd one, and a few more; and the same without it."""
    pack = gzip.compress if end.endswith("gz") else bytes
    paths = [folder / f"{name}{end}" for name in _NAMES]
    for path, odd in zip(paths, (record, b""), strict=True):
        path.write_bytes(pack(_HEADER + _ROW * before + odd + _ROW * 3))
    return paths[0], paths[1]


def _last(record: bytes, folder: Path) -> Two:
    paths = [folder / f"{name}.csv" for name in _NAMES]
    for path, odd in zip(paths, (record, b""), strict=True):
        path.write_bytes(_HEADER + _ROW * 5 + odd)
    return paths[0], paths[1]


def _table(x: list[Any], g: list[bytes | None], u: list[str]) -> pa.Table:
    texts = pa.array(g, pa.binary()).view(pa.string())
    return pa.table({"x": pa.array(x, pa.float64()), "g": texts, "u": pa.array(u, pa.string())})


def _parquet(odd: pa.Table, folder: Path, **options: Any) -> Two:
    """Write the odd rows in row groups, or a file, of their own."""
    good = _table([1.0] * 50, [b"A"] * 50, ["p1"] * 50)
    tables = (pa.concat_tables([good, odd, good]), pa.concat_tables([good, good]))
    paths = [folder / f"{name}.parquet" for name in _NAMES]
    for path, table in zip(paths, tables, strict=True):
        pq.write_table(table, path, row_group_size=50, **options)
    return paths[0], paths[1]


def _own_file(folder: Path) -> Two:
    """Give a person a file of its own, in which a column has no type."""
    for name in _NAMES:
        (folder / name).mkdir()
        good = _table([1.0] * 5, [b"A"] * 5, ["p1"] * 5)
        pq.write_table(good, folder / name / "0.parquet")
    odd = pa.table({"x": pa.nulls(1), "g": pa.nulls(1), "u": [CANARY]})
    pq.write_table(odd, folder / "with" / "1.parquet")
    return folder / "with", folder / "without"


def _damaged(folder: Path, *, both: bool) -> Two:
    """Overwrite bytes of a page: that of one person alone, or one that both files have."""
    odd = _table([3.0] * 50, [CANARY.encode()] * 50, [CANARY] * 50)
    paths = _parquet(odd, folder, compression="NONE", use_dictionary=False)
    for path in paths if both else paths[:1]:
        group = pq.ParquetFile(path).metadata.row_group(0 if both else 1)
        start = group.column(0).data_page_offset
        content = bytearray(Path(str(path)).read_bytes())
        content[start : start + 40] = b"\xff" * 40
        Path(str(path)).write_bytes(content)
    return paths


def _cut(folder: Path) -> Two:
    """Cut off the end of both files, where the names of columns are."""
    paths = _parquet(_table([3.0], [b"A"], [CANARY]), folder)
    for path in (Path(str(each)) for each in paths):
        path.write_bytes(path.read_bytes()[:-9])
    return paths


def _far_times(folder: Path) -> Two:
    times = pa.array([-62_135_596_800 * 10**6, 253_402_300_799 * 10**6], pa.timestamp("us"))
    paths = [folder / f"{name}.parquet" for name in _NAMES]
    for path, rows in zip(paths, (2, 1), strict=True):
        columns = {"x": [1.0] * rows, "g": ["A"] * rows, "t": times.slice(0, rows)}
        pq.write_table(pa.table(columns), path, use_deprecated_int96_timestamps=True)
    return paths[0], paths[1]


_VIEWED = "x,g\n" + "1,A\n" * 2**19  # Arrow guesses from the first mebibyte


def _relation(folder: Path) -> Two:
    del folder
    texts = [pa.table({"x": ["1", odd], "g": ["A", "A"]}) for odd in (CANARY, "2")]
    relations = [duckdb.connect().from_arrow(table) for table in texts]
    first, second = (relation.project("CAST(x AS DOUBLE) AS x, g") for relation in relations)
    return first, second


def _lazy(folder: Path) -> Two:
    del folder
    frames = [pl.DataFrame({"x": ["1", odd], "g": ["A", "A"]}).lazy() for odd in (CANARY, "2")]
    first, second = (frame.with_columns(pl.col("x").cast(pl.Float64)) for frame in frames)
    return first, second


def _guessed(folder: Path) -> Two:
    """Let Arrow guess types from the first rows; a text comes long after them."""
    paths = [folder / f"{name}.csv" for name in _NAMES]
    for path, odd in zip(paths, (f"{CANARY},A\n", ""), strict=True):
        path.write_text(_VIEWED + odd)
    first, second = (ds.dataset(path, format="csv") for path in paths)
    return first, second


_C = CANARY.encode()
_LONG = b"9" * 2**20
_ODD = _table([None], [b"\xff\xfe" + _C], [CANARY])
MISHAPS = (
    Mishap("CSV, a text among numbers in row 200,001", partial(_csv, _C + b",A,p\n", _LATE)),
    Mishap("CSV, bytes that are not UTF-8", partial(_csv, b"1,\xff\xfe" + _C + b",\xed\xa0\n", 9)),
    Mishap("CSV, zero bytes", partial(_csv, b"\x00,\x00,\x00\n", 9)),
    Mishap("CSV, too few fields", partial(_csv, _C + b"\n", 9)),
    Mishap("CSV, too many fields", partial(_csv, b"1,A,p," + _C + b"\n", 9)),
    Mishap("CSV, an empty line", partial(_csv, b"\n", 9)),
    Mishap("CSV, a field of more than a mebibyte", partial(_csv, _LONG + b",A,p\n", 9)),
    Mishap("CSV, a number of 300,000 digits", partial(_csv, b"9" * 300_000 + b",A,p\n", 9)),
    Mishap("CSV, a line break in quotes", partial(_csv, b'"1\n2","A\r\n",p\n', 9)),
    Mishap("CSV, a carriage return", partial(_csv, b"1,A\r,p\n", 9)),
    Mishap("CSV, the header once more", partial(_csv, _HEADER, 9)),
    Mishap("CSV, an escape sequence of terminals", partial(_csv, b"\x1b[31m,A,\x07\n", 9)),
    Mishap("CSV, a last record that is not ended", partial(_last, b"1,A," + _C)),
    Mishap("CSV, a last quote that is not closed", partial(_last, b'1,"A,' + _C)),
    Mishap("CSV, a quote that is not closed amid others", partial(_csv, b'1,"A,p\n', 9)),
    Mishap("CSV, packed, bytes that are not UTF-8", partial(_csv, b"\xff,A,p\n", 9, end=".csv.gz")),
    Mishap("Parquet, text that is not Unicode", partial(_parquet, _ODD)),
    Mishap("Parquet, the same in a dictionary", partial(_parquet, _ODD, use_dictionary=["g"])),
    Mishap("Parquet, a text of 4 MiB", partial(_parquet, _table([1.0], [b"A" * 2**22], [CANARY]))),
    Mishap("Parquet, a person's own file, without types", _own_file),
    Mishap("Parquet, times of 96 bits far away", _far_times),
    Mishap("Parquet, a page damaged in both", partial(_damaged, both=True), "the same error"),
    Mishap("Parquet, the end missing in both", _cut, "the same error"),
    Mishap(
        "Parquet, a page damaged that only one person's rows are in",
        partial(_damaged, both=False),
        "an error for one of them",
    ),
    Mishap("DuckDB relation that casts", _relation, "an error for one of them"),
    Mishap("lazy Polars frame that casts", _lazy, "an error for one of them"),
    Mishap("Arrow dataset that guesses types of CSV", _guessed, "the same error"),
)
