"""Parquet files are one table, or refused."""

from functools import cache

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.domain import Bounds, Categories
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources import parquet
from sfumato.engines.sources.opening import open_table
from sfumato.engines.sources.source import Columns
from sfumato.errors import SourceError
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit


def written(folder, *tables):
    for number, table in enumerate(tables):
        pq.write_table(table, folder / f"{number}.parquet")
    return folder


@pytest.mark.parametrize(
    "other",
    [{"x": [1.0], "h": ["A"]}, {"g": ["A"], "x": [1.0]}, {"x": [1], "g": ["A"]}, {"x": [1.0]}],
)
def test_files_with_different_columns_are_refused_at_opening(other, tmp_path):
    folder = written(tmp_path, pa.table({"x": [1.0], "g": ["A"]}), pa.table(other))
    with pytest.raises(SourceError, match="different columns or types"):
        DuckEngine(folder)


def test_a_part_where_a_column_is_empty_takes_the_type_of_the_others(tmp_path):
    empty = pa.table({"x": pa.nulls(2), "u": pa.nulls(2), "g": pa.nulls(2)})
    full = pa.table({"x": [1.0], "u": [7], "g": ["A"]})
    engine = DuckEngine(written(tmp_path, empty, full, empty))
    assert engine.schema().columns == {"x": "number", "u": "number", "g": "text"}
    keys = [Grid("x", Bounds(0, 2), 2), Labels("g", Categories(("A",)))]
    for unit in (PrivacyUnit.rows(), PrivacyUnit.users("u", max_rows=1)):
        assert engine.counts(keys, unit).reveal().tolist() == [[0], [1]]


def test_columns_of_one_name_are_refused(tmp_path):
    twice = pa.table([pa.array([1]), pa.array([2])], names=["x", "x"])
    with pytest.raises(SourceError, match="more than one column 'x'"):
        DuckEngine(written(tmp_path, twice))


def test_text_that_is_not_unicode_stops_nobody(tmp_path):
    offsets = pa.py_buffer(np.array([0, 1, 3, 4], np.int32).tobytes())
    broken = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"A\xff\xfeB")])
    engine = DuckEngine(written(tmp_path, pa.table({"g": broken, "u": broken})))
    keys = [Labels("g", Categories(("A", "B")))]
    assert engine.counts(keys, PrivacyUnit.rows()).reveal().tolist() == [1, 1]
    assert engine.counts([], PrivacyUnit.users("u", max_rows=1)).reveal() == 3
    assert engine.occupied("g", PrivacyUnit.rows()).reveal_labels() == ("A", "B")


def test_a_file_that_changes_after_opening_is_an_error_without_words(tmp_path):
    engine = DuckEngine(written(tmp_path, pa.table({"x": [1.0]})))
    (tmp_path / "0.parquet").write_bytes(b"gone")
    with pytest.raises(SourceError, match="could not be read") as caught:
        engine.counts([], PrivacyUnit.rows())
    assert caught.value.__context__ is None


def test_opening_reads_no_rows(tmp_path):
    path = written(tmp_path, pa.table({"x": np.arange(200_000)})) / "0.parquet"
    intact = path.read_bytes()
    path.write_bytes(b"PAR1" + b"\0" * 100_000 + intact[100_004:])  # the footer is at the end
    assert DuckEngine(path).schema().columns == {"x": "number"}
    with pytest.raises(SourceError):
        DuckEngine(path).counts([Grid("x", Bounds(0, 1), 2)], PrivacyUnit.rows())


ROWS = PrivacyUnit.rows()
ENCODINGS = {
    "DELTA_BYTE_ARRAY": "gu",
    "DELTA_LENGTH_BYTE_ARRAY": "gu",
    "DELTA_BINARY_PACKED": "i",
    "BYTE_STREAM_SPLIT": "xi",
    "PLAIN": "guxi",
}
TABLE = pa.table(
    {
        "g": ["A", "B", None, "C"] * 300,
        "u": [f"person {row}" for row in range(1200)],
        "x": np.arange(1200) / 1200,
        "i": np.arange(1200),
    }
)
KEYS = [Labels("g", Categories(("A", "B", "D"))), Grid("x", Bounds(0, 1), 4)]


def answers(table):
    """Return what depends on every column of a table."""
    engine = DuckEngine(table)
    cells = engine.counts([*KEYS, Grid("i", Bounds(0, 1200), 5)], PrivacyUnit.users("u")).reveal()
    return cells.tolist(), engine.counts(KEYS, ROWS).reveal().tolist()


@cache
def expected():
    return answers(TABLE)


def assert_read(table):
    assert answers(table) == expected()


def encoded(table, path, encoding, **options):
    if encoding == "dictionary":
        pq.write_table(table, path, **options)
    else:
        columns = dict.fromkeys(ENCODINGS[encoding], encoding)
        pq.write_table(table, path, use_dictionary=False, column_encoding=columns, **options)


@pytest.mark.parametrize("coded", [False, True], ids=["texts", "categories"])
@pytest.mark.parametrize("encoding", [*ENCODINGS, "dictionary"])
def test_a_file_is_read_whatever_encodings_its_writer_chose(encoding, coded, tmp_path):
    version = "1.0" if coded else "2.0"
    texts = TABLE["g"].dictionary_encode() if coded else TABLE["g"]
    table = TABLE.set_column(0, "g", texts)
    encoded(table, tmp_path / "t.parquet", encoding, row_group_size=500, data_page_version=version)
    assert_read(tmp_path / "t.parquet")


def test_a_folder_may_mix_all_encodings(tmp_path):
    for part, encoding in enumerate([*ENCODINGS, "dictionary"]):
        table = TABLE.slice(200 * part, 200)
        coded = table.set_column(0, "g", table["g"].dictionary_encode())
        encoded(coded if part % 2 else table, tmp_path / f"{part}.parquet", encoding)
    assert_read(tmp_path)


@pytest.mark.parametrize("version", ["V1", "V2"])
def test_row_groups_of_one_file_may_be_encoded_each_in_its_own_way(version, tmp_path):
    """DuckDB chooses by how many texts are different, in each row group anew."""
    path = tmp_path / "t.parquet"
    connection = duckdb.connect()
    options = f"FORMAT parquet, PARQUET_VERSION {version}, ROW_GROUP_SIZE 2048"
    connection.execute(
        "COPY (SELECT CASE WHEN range < 4096 THEN 'A' ELSE 'p' || range END AS g, range AS x "
        f"FROM range(8192)) TO '{path}' ({options})"
    )
    groups = [pq.ParquetFile(path).metadata.row_group(group) for group in range(4)]
    assert len({group.column(0).encodings for group in groups}) == 2
    engine = DuckEngine(path)
    keys = [Labels("g", Categories(("A", "p5000")))]
    assert engine.counts(keys, ROWS).reveal().tolist() == [4096, 1]
    assert engine.counts([], PrivacyUnit.users("g", max_rows=1)).reveal() == 4097


@pytest.mark.parametrize("rows", [5, 11, 12, 13, 1000])
def test_how_many_texts_differ_does_not_decide_whether_they_are_read(rows, tmp_path):
    connection = duckdb.connect()
    query = f"SELECT 'p' || range AS g FROM range({rows})"
    connection.execute(f"COPY ({query}) TO '{tmp_path}/t.parquet' (PARQUET_VERSION V2)")
    engine = DuckEngine(tmp_path / "t.parquet")
    assert engine.counts([Labels("g", Categories(("p3",)))], ROWS).reveal().tolist() == [1]
    assert len(engine.occupied("g", ROWS).reveal_labels()) == rows


def test_a_file_of_polars_is_read(tmp_path):
    frame = pl.from_arrow(TABLE)
    frame.with_columns(pl.col("g").cast(pl.Categorical)).write_parquet(tmp_path / "t.parquet")
    assert_read(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    "limit", [{"_MOST_WORDS": 1}, {"LARGEST": 400}, {"LARGEST": 5000, "_MOST_WORDS": 99}], ids=str
)
def test_how_much_is_read_at_once_shows_in_nothing(limit, tmp_path, monkeypatch):
    pq.write_table(TABLE, tmp_path / "t.parquet", row_group_size=500)
    for name, value in limit.items():
        monkeypatch.setattr(parquet, name, value)
    assert_read(tmp_path / "t.parquet")


def test_long_texts_are_read_a_few_at_once_and_only_small_row_groups_as_dictionaries(tmp_path):
    texts = pa.table({"g": [f"{row:05}" * 20_000 for row in range(200)]})
    pq.write_table(texts, tmp_path / "long.parquet", use_dictionary=False)
    footer = pq.read_metadata(tmp_path / "long.parquet")
    words, rows = parquet._choose_reading(footer, {"g": [0]}, ["g"], ["g"], 0)
    assert words == []  # of all rows, 2 GiB of words would not fit
    assert rows * 100_000 < 2**27
    pq.write_table(TABLE, tmp_path / "short.parquet")
    footer = pq.read_metadata(tmp_path / "short.parquet")
    assert parquet._choose_reading(footer, {"g": [0], "x": [2]}, ["g"], ["g"], 0) == (
        ["g"],
        parquet.BLOCK,
    )


def test_a_column_may_bear_the_name_of_arrows_own_key(tmp_path):
    table = pa.table({"ARROW:schema": TABLE["g"].dictionary_encode(), "x": TABLE["x"]})
    pq.write_table(table, tmp_path / "t.parquet")
    engine = DuckEngine(tmp_path / "t.parquet")
    keys = [Labels("ARROW:schema", Categories(("A",)))]
    assert engine.counts(keys, ROWS).reveal().tolist() == [300]


@pytest.mark.parametrize("encoding", ["dictionary", "DELTA_BYTE_ARRAY"])
def test_a_long_text_that_is_stored_once_is_never_written_out_on_many_rows(encoding, tmp_path):
    table = pa.table({"u": ["u" * 2**16] * 2000 + ["v"] * 100, "x": [1.0] * 2100})
    encoded(table, tmp_path / "t.parquet", encoding, store_schema=False)
    source = open_table(tmp_path / "t.parquet")
    rows = 0
    for batch, _ in source.batches(Columns(["u"])):
        rows += batch.num_rows
        assert batch.column("u").nbytes < 2**25
    assert rows == 2100
