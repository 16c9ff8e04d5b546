"""What is taken of a person's rows is the same however they come, and never too much."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.oracle import SALT, contribution
from sfumato.engines import people as walking
from sfumato.engines.people import select_rows
from sfumato.privacy.guarantee import PrivacyUnit


def batch(rows):
    persons, cells = zip(*rows, strict=True) if rows else ((), ())
    arrays = [pa.array(persons, pa.int64()), pa.array(cells, pa.int64())]
    ones = pa.array([1] * len(rows), pa.int64())
    return pa.record_batch([*arrays, ones], names=["person", "cell", "amount"])


def taken(rows, most):
    found = select_rows(rows, most, SALT)[0].to_pylist()
    return Counter({(row["person"], row["cell"]): row["amount"] for row in found})


@pytest.mark.parametrize("most", [1, 2, 3])
def test_every_cut_of_every_small_table_gives_the_same(most):
    for cells in product(range(3), repeat=4):
        rows = [(place // 4, cell) for place, cell in enumerate([*cells, cells[0]])]
        expected = taken(batch(rows), most)
        for cut in range(1, 4):
            first, _ = select_rows(batch(rows[:cut]), most, SALT)
            again = pa.concat_batches([first, batch(rows[cut:])])
            assert taken(again, most) == expected


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 4)), max_size=30), st.integers(1, 6))
def test_what_is_taken_is_what_the_oracle_takes(rows, most):
    unit = PrivacyUnit.users("u", max_rows=most)
    expected = Counter()
    for person in {person for person, _ in rows}:
        cells = Counter(cell for whose, cell in rows if whose == person)
        for cell, amount in contribution(person, cells, unit).items():
            expected[person, cell] += amount
    found, people = select_rows(batch(rows), most, SALT)
    assert people == len({person for person, _ in rows})
    assert taken(batch(rows), most) == Counter({k: n for k, n in expected.items() if n})
    totals = Counter()
    for row in found.to_pylist():
        totals[row["person"]] += row["amount"]
    assert max(totals.values(), default=0) <= most


def test_each_cell_is_as_likely_as_any_other():
    """One row of ten is taken, by a thousand keys: 100 of each, and 10 for the dice."""
    rows = batch([(7, cell) for cell in range(10)])
    found = Counter(
        select_rows(rows, 1, f"key {n}")[0].column("cell")[0].as_py() for n in range(1000)
    )
    assert all(50 < found[cell] < 150 for cell in range(10))


def test_cells_that_draw_the_same_number_come_in_their_own_order(monkeypatch):
    """Whatever the order of rows and whoever else has some, the same cell is taken."""
    monkeypatch.setattr(
        walking, "_draw_order", lambda parts, salt: np.zeros(parts.num_rows, np.uint64)
    )
    mine = [(7, b"a"), (7, b"b"), (7, b"c")]
    for others in ([], [(8, b"c")], [(8, b"b"), (8, b"a")]):
        for rows in permutations(mine):
            table = [*others, *rows]
            persons, cells = zip(*table, strict=True)
            arrays = [pa.array(persons), pa.array(cells), pa.array([1] * len(table))]
            whole = pa.record_batch(arrays, names=["person", "cell", "amount"])
            found = select_rows(whole, 1, SALT)[0].to_pylist()
            assert [row["cell"] for row in found if row["person"] == 7] == [b"a"]
