"""Folders named key=value are columns, and what they are named is data."""

import gzip
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.hostile import CANARY
from sfumato.domain import Bounds, Categories
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources.files import list_files
from sfumato.engines.sources.opening import open_table
from sfumato.engines.sources.source import Columns
from sfumato.errors import SourceError
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

ROWS = PrivacyUnit.rows()
X = pa.table({"x": [1.0, 2.0]})
# As Spark 4.3 wrote them with partitionBy.
WRITTEN_BY_SPARK = {
    "A": "A",
    "A%2FB": "A/B",
    "a%3Db": "a=b",
    "100%25": "100%",
    "%2541": "%41",
    "a+b": "a+b",
    "sp ace ": "sp ace ",
    "new%0Aline": "new\nline",
    "über😀": "über😀",
    "_x": "_x",
    ".y": ".y",
    "007": "007",
    "NULL": "NULL",
    "__HIVE_DEFAULT_PARTITION__": None,
}


def parquet(place, table=X):
    place.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, place / "part-0.snappy.parquet")


def packed(place, content="x\n1\n2\n"):
    place.mkdir(parents=True, exist_ok=True)
    (place / "part-0.csv.gz").write_bytes(gzip.compress(content.encode()))


def found(table, column):
    batches = open_table(table).batches(Columns([column, "x"]))
    return [value for batch, _ in batches for value in batch.column(column).to_pylist()]


def counts(table, *keys, unit=ROWS):
    return DuckEngine(table).counts(keys, unit).reveal().tolist()


@pytest.mark.parametrize("write", [parquet, packed])
def test_keys_are_columns_of_text_that_are_read_as_they_are_declared(write, tmp_path):
    for year in (2025, 2026):
        for region in ("north", "south")[: year - 2024]:
            write(tmp_path / f"year={year}" / f"region={region}")
    kinds = DuckEngine(tmp_path).schema().columns
    assert list(kinds) == ["x", "year", "region"]
    assert kinds["year"] == kinds["region"] == "text"
    years = Grid("year", Bounds(2024, 2027), 3)
    regions = Labels("region", Categories(("south", "north", "west")))
    assert counts(tmp_path, years, regions) == [[0, 0, 0], [0, 2, 0], [2, 2, 0]]
    assert counts(tmp_path, Labels("year", Categories((2026, 2025)))) == [4, 2]
    assert counts(tmp_path, unit=PrivacyUnit.users("year", max_rows=3)) == 2 + 3


@pytest.mark.parametrize("write", [parquet, packed])
def test_names_that_spark_wrote_are_the_values_that_it_had(write, tmp_path):
    for name in WRITTEN_BY_SPARK:
        write(tmp_path / f"g={name}")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "._SUCCESS.crc").write_text("")
    values = found(tmp_path, "g")
    assert sorted(map(str, values)) == sorted(map(str, 2 * list(WRITTEN_BY_SPARK.values())))
    assert values.count(None) == 2


def test_names_that_are_not_unicode_stop_nobody(tmp_path):
    for name in (b"g=A", b"g=\xff", b"g=%FF%FE", b"g=%", b"g=%zz", b"g="):
        place = tmp_path / os.fsdecode(name)
        place.mkdir()
        with (place / "0.parquet").open("wb") as file:
            pq.write_table(X, file)
    engine = DuckEngine(tmp_path)
    exact = engine.occupied("g", ROWS)
    assert (exact.reveal_labels(), exact.reveal().tolist()) == (("%", "%zz", "A"), [2, 2, 2])
    assert engine.counts([], PrivacyUnit.users("g", max_rows=1)).reveal() == 5


@pytest.mark.parametrize("write", [parquet, packed])
@pytest.mark.parametrize("other", ["", "g=A", "g=A/year=1/h=2", "year=1/g=A", "Year=1/g=A"])
def test_folders_with_other_keys_are_refused(other, write, tmp_path):
    write(tmp_path / "g=A" / "year=1")
    write(tmp_path / other)
    with pytest.raises(SourceError, match="different keys"):
        DuckEngine(tmp_path)


def test_folders_without_a_key_say_nothing(tmp_path):
    for place in ("new/g=A", "=x/g=A/2026", "g=A"):
        parquet(tmp_path / place)
    assert found(tmp_path, "g") == ["A"] * 6


@pytest.mark.parametrize("write", [parquet, packed])
def test_a_key_that_is_a_column_too_is_refused(write, tmp_path):
    write(tmp_path / f"x={CANARY}")
    with pytest.raises(SourceError, match="'x' is a column of the files and a key") as caught:
        DuckEngine(tmp_path)
    assert CANARY not in str(caught.value)


def test_a_key_named_twice_is_refused(tmp_path):
    parquet(tmp_path / "g=A" / "g=B")
    with pytest.raises(SourceError, match="more than one column 'g'"):
        DuckEngine(tmp_path)


def test_keys_are_columns_where_they_are_found_and_not_where_they_are_typed(tmp_path):
    for year in (2025, 2026):
        parquet(tmp_path / f"year={year}" / "g=A")
    typed = tmp_path / "year=2026"
    for table, keys in {
        str(tmp_path): ["year", "g"],
        f"{tmp_path}/*/*/*.parquet": ["year", "g"],
        f"{tmp_path}/year=*/g=A/*": ["year", "g"],
        f"{tmp_path}/**/*.parquet": ["year", "g"],
        f"{typed}": ["g"],
        f"{typed}/*/*.parquet": ["g"],
        f"{typed}/g=A/*.parquet": [],
        f"{typed}/g=A/part-0.snappy.parquet": [],
        (f"{tmp_path}/year=2025", f"{typed}/*/*"): ["g"],
    }.items():
        assert list(DuckEngine(table).schema().columns) == ["x", *keys], table
    with pytest.raises(SourceError, match="different keys"):
        DuckEngine([f"{tmp_path}/year=2025", f"{typed}/g=A/*"])


def test_hidden_names_are_left_out_unless_they_name_a_key(tmp_path):
    for place in ("_year=2026", "_temporary/_year=2026", ".staging/_year=2026"):
        parquet(tmp_path / place)
    (tmp_path / "_year=2026" / ".part-0.snappy.parquet.crc").write_text("")
    (tmp_path / "_year=2026" / "_metadata").write_bytes(b"PAR1")
    (tmp_path / "_year=2026" / "_part-1.parquet").write_bytes(b"half written")
    assert found(tmp_path, "_year") == ["2026", "2026"]


def test_a_partition_that_is_missing_changes_no_kind(tmp_path):
    schema = pa.schema([("x", pa.float64()), ("u", pa.dictionary(pa.int8(), pa.string()))])
    words = pa.array([str(number) for number in range(500)]).dictionary_encode()
    kinds = []
    for place, table in {
        "g=12": pa.table({"x": [1.0], "u": pa.array(["A"]).cast(schema.field("u").type)}),
        "g=B": pa.table({"x": pa.nulls(500), "u": words}),
        "g=__HIVE_DEFAULT_PARTITION__": pa.table({"x": [2.0], "u": ["A"]}),
    }.items():
        parquet(tmp_path / place, table)
        kinds.append(DuckEngine(tmp_path).schema().columns)
    assert kinds == [{"x": "number", "u": "text", "g": "text"}] * 3


def test_counting_by_keys_alone_reads_no_columns(tmp_path):
    for group in ("A", "B"):
        parquet(tmp_path / f"g={group}", pa.table({"x": np.arange(200_000)}))
        path = tmp_path / f"g={group}" / "part-0.snappy.parquet"
        path.write_bytes(b"PAR1" + b"\0" * 100_000 + path.read_bytes()[100_004:])
    assert counts(tmp_path, Labels("g", Categories(("B", "A")))) == [200_000, 200_000]
    with pytest.raises(SourceError):
        counts(tmp_path, Grid("x", Bounds(0, 1), 2))


def _broken_parquet(place):
    (place / "0.parquet").write_bytes(b"PAR1 gone")


def _broken_packing(place):
    (place / "0.csv.gz").write_bytes(b"x\n1\n")


def _nameless(place):
    (place / "0.csv").write_bytes(b"\n1\n")


@pytest.mark.parametrize("write", [_broken_parquet, _broken_packing, _nameless])
def test_an_error_repeats_what_was_typed_and_nothing_that_was_found(write, tmp_path):
    place = tmp_path / "visits" / f"who={CANARY}"
    place.mkdir(parents=True)
    write(place)
    for table in (tmp_path / "visits", f"{tmp_path}/visits/**/*.*"):
        with pytest.raises(SourceError, match=r"A file of '.*/visits") as caught:
            DuckEngine(table)
        assert CANARY not in str(caught.value)
        assert caught.value.__context__ is None
        assert CANARY not in repr(list_files(table))
    with pytest.raises(SourceError, match=f"The file '.*{CANARY}"):  # which was typed
        DuckEngine(next(place.iterdir()))
