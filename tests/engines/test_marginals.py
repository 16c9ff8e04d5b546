"""The counts of several columns, or tables of columns, at once are those of each for itself."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.forms import FORMS
from engines.hostile import GRID, hostile
from engines.oracle import SALT, counts
from sfumato.domain import Bounds, Categories
from sfumato.engines import bounding
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources.arrow import ArrowTable
from sfumato.errors import SourceError
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

TABLE = hostile(3000)
ROWS = TABLE.to_pylist()
KEYS = [
    GRID,
    Grid("i", Bounds(0, 20), 7),
    Grid("t", GRID.bounds, 5),
    Grid("d", Bounds(0, 3.3), 2**12),
    Grid("f", Bounds(0, 1), 2),
    Grid("v", Bounds(0, 90), 1),
]
IN_ALL_FORMS = [KEYS[1], KEYS[2], KEYS[5]]
USER, CAPPED = PrivacyUnit.users("u"), PrivacyUnit.users("u", max_rows=2)
UNITS = [PrivacyUnit.rows(), USER, CAPPED, PrivacyUnit.users("v")]


def asked(table, keys, unit, **options):
    engine = DuckEngine(table, **options)
    engine._salt = SALT
    return [exact.reveal().tolist() for exact in engine.marginals([[key] for key in keys], unit)]


def each(rows, keys, unit):
    return [counts(rows, [key], unit).tolist() for key in keys]


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_marginals_are_the_counts_of_each_column_for_itself(unit):
    engine = DuckEngine(TABLE)
    found = engine.marginals([[key] for key in KEYS], unit)
    for key, exact in zip(KEYS, found, strict=True):
        alone = engine.counts([key], unit)
        assert exact.reveal().tolist() == alone.reveal().tolist()
        assert (exact.l1, exact.l2_squared, exact.step) == (
            alone.l1,
            alone.l2_squared,
            alone.step,
        )


TABLES = [
    [KEYS[1], KEYS[3]],
    [],
    [KEYS[3], GRID, KEYS[5]],
    [KEYS[1]],
    [Labels("g", Categories(("A", "B"))), GRID],
]


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_tables_of_several_columns_are_counted_as_each_is_alone(unit):
    engine = DuckEngine(TABLE)
    engine._salt = SALT
    found = engine.marginals(TABLES, unit)
    for keys, exact in zip(TABLES, found, strict=True):
        assert exact.reveal().tolist() == engine.counts(keys, unit).reveal().tolist()
        assert exact.reveal().ravel().tolist() == counts(ROWS, keys, unit).ravel().tolist()


@pytest.mark.parametrize("unit", UNITS[:3], ids=repr)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_hostile_table_has_the_same_marginals(form, unit, tmp_path):
    table = FORMS[form](TABLE, tmp_path)
    assert asked(table, IN_ALL_FORMS, unit) == each(ROWS, IN_ALL_FORMS, unit)


@pytest.mark.parametrize("unit", UNITS[:3], ids=repr)
def test_order_partition_and_threads_do_not_matter(unit, tmp_path):
    expected = each(ROWS, KEYS, unit)
    shuffled = TABLE.take(np.random.default_rng(5).permutation(TABLE.num_rows))
    for start in range(0, 3000, 611):
        pq.write_table(shuffled.slice(start, 611), tmp_path / f"{start}.parquet")
    for threads in (1, 2, 5):
        assert asked(tmp_path, KEYS, unit, threads=threads) == expected


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_without_rows_or_columns_there_is_nothing_to_count(unit):
    zeros = [[0] * key.cells for key in IN_ALL_FORMS]
    assert asked(TABLE.slice(0, 0), IN_ALL_FORMS, unit) == zeros
    assert asked(TABLE, [], PrivacyUnit.rows()) == []


@pytest.mark.parametrize("unit", UNITS[:2], ids=repr)
def test_a_table_is_read_once_whatever_the_number_of_columns(unit, monkeypatch):
    read, batches = [], ArrowTable.batches

    def noted(self, columns):
        read.append(columns)
        return batches(self, columns)

    monkeypatch.setattr(ArrowTable, "batches", noted)
    asked(TABLE, KEYS, unit, threads=1)
    assert len(read) == 1


@pytest.mark.parametrize("key", [Grid("nobody", Bounds(0, 1), 2), Grid("m", Bounds(0, 1), 2)])
def test_what_a_table_cannot_answer_is_refused_before_it_is_read(key, monkeypatch):
    monkeypatch.setattr(ArrowTable, "batches", lambda *_: pytest.fail("the table was read"))
    with pytest.raises(SourceError):
        DuckEngine(TABLE).marginals([[GRID], [GRID, key]], PrivacyUnit.rows())


SMALL = [Grid("x", Bounds(0, 4), 4), Grid("y", Bounds(0, 4), 2)]
numbers = st.sampled_from([0.0, 1.5, 3.9, 4.0, -1.0, 9.0, float("nan"), None])
rows = st.tuples(numbers, numbers)
tables = st.lists(st.tuples(st.integers(0, 3) | st.none(), rows), max_size=12)
one_person = st.lists(rows, min_size=1, max_size=12)


def moved(table, added, unit):
    """Return how far the rows of one more unit move the counts of a column, against its weight."""
    schema = pa.schema([("u", pa.int64()), ("x", pa.float64()), ("y", pa.float64())])
    found = []
    for some in (table, table + added):
        listed = [dict(zip("uxy", (who, *row), strict=True)) for who, row in some]
        found.append(asked(pa.Table.from_pylist(listed, schema), SMALL, unit))
    changes = [np.array(after) - np.array(before) for before, after in zip(*found, strict=True)]
    return max(np.abs(change).sum() for change in changes) / unit.weight


@settings(max_examples=25)
@given(tables, one_person, st.sampled_from([USER, CAPPED]))
def test_a_person_moves_each_marginal_by_at_most_its_weight(table, mine, unit):
    assert moved(table, [(99, row) for row in mine], unit) <= 1


@settings(max_examples=100)
@given(tables, rows)
def test_a_row_moves_each_marginal_by_at_most_one(table, row):
    assert moved(table, [(99, row)], PrivacyUnit.rows()) <= 1


def test_a_person_of_too_much_weight_would_be_caught(monkeypatch):
    mine = [(99, (1.0, 1.0))] * 3
    assert moved([], mine, USER) <= 1
    shares = bounding._share_weight
    monkeypatch.setattr(bounding, "_share_weight", lambda *given: 1 + shares(*given))
    assert moved([], mine, USER) > 1
