"""Parquet files are one table, or refused."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.domain import Bounds, Categories
from sfumato.engines.duck import DuckEngine
from sfumato.errors import SourceError
from sfumato.grid import Grid, Labels
from sfumato.privacy.unit import PrivacyUnit


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
