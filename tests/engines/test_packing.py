"""Numbers are packed and unpacked without loss, through SQL too."""

import duckdb
import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.engines.columns import pack_numbers, unpack_numbers

rows = st.integers(1, 5).flatmap(
    lambda lines: st.lists(
        st.lists(st.integers(-(2**24), 2**24), min_size=lines, max_size=lines), min_size=1
    )
)


@settings(max_examples=50)
@given(rows, st.integers(0, 3))
def test_what_is_packed_is_unpacked_also_from_a_slice(rows, start):
    lines = np.array(rows, dtype=np.float64).T
    found = pack_numbers(lines).slice(start)
    assert unpack_numbers(found, len(lines)).T.tolist() == rows[start:]


@settings(max_examples=20)
@given(rows)
def test_numbers_pass_through_sql_and_equal_ones_are_one(rows):
    lines = np.array(rows, dtype=np.float64).T
    table = pa.table({"cell": pack_numbers(lines)})
    with duckdb.connect() as database:
        database.register("pairs", table)
        answer = database.sql("SELECT cell, count(*) AS n FROM pairs GROUP BY cell")
        found = answer.to_arrow_table().combine_chunks().to_batches()[0]
    pairs = zip(
        unpack_numbers(found.column("cell"), len(lines)).T.tolist(), found.column("n"), strict=True
    )
    assert sorted((row, n.as_py()) for row, n in pairs) == sorted(
        (list(row), rows.count(list(row))) for row in {tuple(row) for row in rows}
    )


def test_a_row_that_lacks_a_number_is_null():
    found = pack_numbers(np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 4.0]]))
    assert found.is_valid().to_pylist() == [False, False, True]
    assert unpack_numbers(found.drop_null(), 2).tolist() == [[3], [4]]


def test_no_rows_are_no_numbers():
    assert unpack_numbers(pack_numbers(np.empty((3, 0))), 3).shape == (3, 0)
    assert unpack_numbers(pa.array([], pa.binary()), 3).shape == (3, 0)
