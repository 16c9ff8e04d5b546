"""One unit moves the counts by at most its weight; and a broken engine would be caught."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.oracle import SALT
from sfumato.domain import Bounds, Categories
from sfumato.engines import bounding
from sfumato.engines.connection import Resources
from sfumato.engines.duck import DuckEngine
from sfumato.grid import Grid, Labels
from sfumato.privacy.unit import PrivacyUnit

KEYS = [Labels("g", Categories(("A", "B", "C"))), Grid("x", Bounds(0, 10), 4)]
SCHEMA = pa.schema([("u", pa.int64()), ("g", pa.string()), ("x", pa.float64())])

values = st.tuples(
    st.sampled_from(["A", "A", "B", "C", "unknown", None]),
    st.sampled_from([0.0, 2.5, 5.0, 9.9, -1.0, 11.0, float("nan"), None]),
)
people = st.integers(0, 4) | st.none()
tables = st.lists(st.tuples(people, values), max_size=25)
one_person = st.lists(values, min_size=1, max_size=25)


def counted(rows, unit):
    columns = list(zip(*[(person, g, x) for person, (g, x) in rows], strict=True)) or [[], [], []]
    engine = DuckEngine(pa.table(dict(zip("ugx", columns, strict=True)), SCHEMA))
    engine._salt = SALT  # the secret is drawn once, whoever is in the table
    return engine.counts(KEYS, unit), engine


def moved(rows, added, unit):
    """Return how far the rows of one more unit move the counts, against what is stated."""
    with_unit, _ = counted(rows + added, unit)
    without, _ = counted(rows, unit)
    change = with_unit.reveal() - without.reveal()
    assert (with_unit.l1, with_unit.l2_squared) == (without.l1, without.l2_squared)
    return np.abs(change).sum() / with_unit.l1, (change**2).sum() / with_unit.l2_squared


@settings(deadline=None, max_examples=60)
@given(tables, st.tuples(people, values))
def test_a_row_moves_the_counts_by_at_most_one(rows, row):
    assert max(moved(rows, [row], PrivacyUnit.rows())) <= 1


@settings(deadline=None, max_examples=60)
@given(tables, one_person)
def test_a_person_moves_the_shared_counts_by_at_most_one_weight(rows, mine):
    added = [(99, value) for value in mine]
    assert max(moved(rows, added, PrivacyUnit.users("u"))) <= 1


def test_people_of_any_number_of_rows_weigh_no_more_than_their_number():
    rows = [(person, ("A", 0.0)) for person in range(1, 40) for _ in range(person)]
    exact = counted(rows, PrivacyUnit.users("u"))[0]
    assert 39 * (exact.l1 - 39) < exact.reveal().sum() <= 39 * exact.l1


@settings(deadline=None, max_examples=60)
@given(tables, one_person, st.integers(1, 6))
def test_a_person_moves_the_capped_counts_by_at_most_max_rows(rows, mine, most):
    added = [(99, value) for value in mine]
    assert max(moved(rows, added, PrivacyUnit.users("u", max_rows=most))) <= 1


@settings(deadline=None, max_examples=30)
@given(tables, one_person, st.integers(1, 4))
def test_a_person_opens_and_moves_at_most_max_rows_texts(rows, mine, most):
    unit = PrivacyUnit.users("u", max_rows=most)
    found = []
    for table in (rows, rows + [(99, value) for value in mine]):
        exact = counted(table, unit)[1].occupied("g", unit)
        found.append(dict(zip(exact.reveal_labels(), exact.reveal().tolist(), strict=True)))
    before, after = found
    assert sum(abs(after.get(g, 0) - before.get(g, 0)) for g in before | after) <= most
    assert len(before.keys() ^ after.keys()) <= most


ROUNDED_UP = bounding._SHARED.replace("{weight} // count(*)", "1 + {weight} // count(*)")
AFTER_A_FILTER = bounding._SHARED.replace("FROM found GROUP", "FROM found WHERE cell = 0 GROUP")
PER_CELL = bounding._CAPPED.replace("PARTITION BY person", "PARTITION BY person, cell")
PER_GROUP = bounding._CAPPED.replace("PARTITION BY person", "PARTITION BY person, cell // 4")
UNCAPPED = bounding._CAPPED.replace("least(n, {weight} - taken)", "n")


@pytest.mark.parametrize(
    ("name", "broken", "unit"),
    [
        ("_SHARED", ROUNDED_UP, PrivacyUnit.users("u")),
        ("_SHARED", AFTER_A_FILTER, PrivacyUnit.users("u")),
        ("_CAPPED", PER_CELL, PrivacyUnit.users("u", max_rows=2)),
        ("_CAPPED", PER_GROUP, PrivacyUnit.users("u", max_rows=2)),
        ("_CAPPED", UNCAPPED, PrivacyUnit.users("u", max_rows=2)),
    ],
    ids=["rounded up", "after a filter", "per cell", "per group", "uncapped"],
)
def test_a_broken_bound_would_be_caught(name, broken, unit, monkeypatch):
    mine = [(99, value) for value in [("A", 0.0), ("A", 5.0), ("B", 0.0)] * 3]
    assert max(moved([], mine, unit)) <= 1
    assert broken != getattr(bounding, name)
    monkeypatch.setattr(bounding, name, broken)
    assert max(moved([], mine, unit)) > 1


def test_shared_weight_is_divided_by_all_rows_and_not_by_those_that_are_counted():
    mine = [(1, ("A", 0.0)), (1, ("unknown", 0.0)), (1, ("A", None)), (1, (None, None))]
    assert counted(mine, PrivacyUnit.users("u"))[0].reveal().sum() == 2**28


def test_rows_that_are_counted_nowhere_use_up_nothing_of_max_rows():
    mine = [(1, ("unknown", 0.0))] * 9 + [(1, ("A", 0.0))]
    assert counted(mine, PrivacyUnit.users("u", max_rows=1))[0].reveal().sum() == 1


def test_sums_stop_at_the_cap(monkeypatch):
    rows = [(person, ("A", 0.0)) for person in range(5)]
    monkeypatch.setattr("sfumato.engines.tally.CAP", 2**31)
    assert counted(rows, PrivacyUnit.users("u"))[0].reveal().sum() == 2**31
    monkeypatch.setattr(bounding, "CAP", 2**31)
    pairs = pa.record_batch({"person": range(5), "cell": [7] * 5})
    found = bounding.amounts(iter([pairs]), PrivacyUnit.users("u"), salt="", resources=Resources())
    assert found.to_pylist() == [{"cell": 7, "amount": 2**31}]
