"""Arrow datasets are read, or refused for their types."""

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from sfumato.domain import Bounds, Categories
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import SourceError
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

ROWS = PrivacyUnit.rows()
FIRST = pa.table({"x": [1, 2], "g": ["A", "B"]})


def written(folder, *tables):
    for number, table in enumerate(tables):
        pq.write_table(table, folder / f"{number}.parquet")
    return ds.dataset(folder)


@pytest.mark.parametrize("ending", ["csv", "json"])
@pytest.mark.parametrize("value", ["1", "one"])
def test_text_files_are_refused_whatever_stands_in_them(ending, value, tmp_path):
    text = {"csv": f"x,g\n1,A\n{value},B\n", "json": f'{{"x": 1}}\n{{"x": "{value}"}}\n'}
    (tmp_path / f"t.{ending}").write_text(text[ending])
    dataset = ds.dataset(tmp_path, schema=pa.schema({"x": pa.int64()}), format=ending)
    with pytest.raises(SourceError, match="reads CSV or JSON"):
        DuckEngine(dataset)


@pytest.mark.parametrize("value", ["1", "one"])
def test_files_of_other_types_are_refused_whatever_stands_in_them(value, tmp_path):
    other = pa.table({"x": [value], "g": ["A"]})
    with pytest.raises(SourceError, match="Column 'x' has another type"):
        DuckEngine(written(tmp_path, FIRST, other))


@pytest.mark.parametrize(
    "dtype", [pa.float64(), pa.uint64(), pa.decimal128(5, 2), pa.timestamp("us")], ids=str
)
def test_a_type_that_might_not_fit_is_refused(dtype, tmp_path):
    with pytest.raises(SourceError, match="Column 'x' has another type"):
        DuckEngine(written(tmp_path, FIRST, pa.table({"x": pa.array([1], dtype)})))


def test_narrower_numbers_and_columns_that_are_missing_or_empty_are_read(tmp_path):
    narrow = pa.table({"x": pa.array([1], pa.int8()), "g": pa.nulls(1)})
    engine = DuckEngine(written(tmp_path, FIRST, narrow, pa.table({"x": [7]})))
    assert engine.counts([Grid("x", Bounds(0, 9), 3)], ROWS).reveal().tolist() == [3, 0, 1]
    assert engine.counts([Labels("g", Categories(("A",)))], ROWS).reveal().tolist() == [1]


def test_a_filter_is_refused_as_long_as_it_is_not_applied():
    dataset = ds.dataset(FIRST).filter(pc.field("x") > 1)
    with pytest.raises(SourceError, match="has a filter"):
        DuckEngine(dataset)
    assert DuckEngine(dataset.to_table()).counts([], ROWS).reveal() == 1


def test_categories_are_refused_where_an_encoding_decides_whether_they_are_read(tmp_path):
    coded = FIRST.set_column(1, "g", FIRST["g"].dictionary_encode())
    keys = [Labels("g", Categories(("A",)))]
    engine = DuckEngine(written(tmp_path, coded))
    assert engine.schema().columns == {"x": "number", "g": "other"}
    assert engine.counts([Grid("x", Bounds(0, 9), 1)], ROWS).reveal().tolist() == [2]
    feather.write_feather(coded, tmp_path / "t.feather")
    for readable in (ds.dataset(coded), ds.dataset(tmp_path / "t.feather", format="feather")):
        assert DuckEngine(readable).counts(keys, ROWS).reveal().tolist() == [1]
