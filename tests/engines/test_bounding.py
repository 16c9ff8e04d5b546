"""One unit moves the counts by at most its weight; and a broken engine would be caught."""

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines import oracle
from engines.oracle import SALT
from sfumato.domain import Bounds, Categories
from sfumato.engines import bounding
from sfumato.engines import bounding as gathering
from sfumato.engines import people as walking
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sums import Totals
from sfumato.engines.table import MemoryLimits, Resources
from sfumato.grid import Grid, Labels
from sfumato.privacy.guarantee import PrivacyUnit

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


def rounded_up(weight, steps, who, wholes):
    return bounding_shares(weight, steps, who, wholes) + 1


def per_cell(who, amounts, most):
    return np.minimum(amounts, most)


def in_two_companies(whose):
    return np.arange(len(whose), dtype=np.uint8) % 2


bounding_shares = bounding._share_weight
ONCE, TWICE = PrivacyUnit.users("u"), PrivacyUnit.users("u", max_rows=2)


@pytest.mark.parametrize(
    ("target", "name", "broken", "unit"),
    [
        (bounding, "_share_weight", rounded_up, ONCE),
        (walking, "_allot_rows", per_cell, TWICE),
        (walking, "_allot_rows", lambda who, amounts, most: amounts, TWICE),
        (gathering.PartitionedRows.__init__, "__defaults__", (in_two_companies,), ONCE),
        (gathering.PartitionedRows.__init__, "__defaults__", (in_two_companies,), TWICE),
    ],
    ids=["rounded up", "per cell", "uncapped", "shared apart", "capped apart"],
)
def test_a_broken_bound_would_be_caught(target, name, broken, unit, monkeypatch):
    mine = [(99, value) for value in [("A", 0.0), ("A", 5.0), ("B", 0.0)] * 3]
    assert max(moved([], mine, unit)) <= 1
    monkeypatch.setattr(target, name, broken)
    assert max(moved([], mine, unit)) > 1


def test_shared_weight_is_divided_by_all_rows_and_not_by_those_that_are_counted():
    mine = [(1, ("A", 0.0)), (1, ("unknown", 0.0)), (1, ("A", None)), (1, (None, None))]
    assert counted(mine, PrivacyUnit.users("u"))[0].reveal().sum() == 2**28


def test_rows_that_are_counted_nowhere_use_up_nothing_of_max_rows():
    mine = [(1, ("unknown", 0.0))] * 9 + [(1, ("A", 0.0))]
    assert counted(mine, PrivacyUnit.users("u", max_rows=1))[0].reveal().sum() == 1


def test_sums_stop_at_the_cap(monkeypatch):
    rows = [(person, ("A", 0.0)) for person in range(5)]
    monkeypatch.setattr("sfumato.engines.sums.CAP", 2**31)
    assert counted(rows, PrivacyUnit.users("u"))[0].reveal().sum() == 2**31
    monkeypatch.setattr("sfumato.engines.sums.CAP", 2**31)
    pairs = pa.record_batch({"person": range(5), "cell": [7] * 5})
    found = bounding.sum_by_cell(
        iter([pairs]), PrivacyUnit.users("u"), salt="", resources=Resources()
    )
    assert found.to_pylist() == [{"cell": 7, "amount": 2**31}]


# What follows: rows are weighed alike, however little memory there is and however they come.

PEOPLE = {
    "numbers": lambda number: None if number is None else 32 * number - 64,
    "texts": lambda number: None if number is None else b"%d" % number * (1 + 12 * number),
    "floats": lambda number: None if number is None else number - 0.5,
}
pairs = st.lists(
    st.tuples(st.integers(0, 5) | st.none(), st.integers(0, 3) | st.none(), st.integers(0, 2**30)),
    max_size=40,
) | st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.just(1)), min_size=20, max_size=40)
CELLS = {"numbers": lambda cell: cell, "bytes": lambda cell: None if cell is None else b"c" * cell}
TYPES = {
    "numbers": pa.int64(),
    "texts": pa.large_binary(),
    "floats": pa.float64(),
    "bytes": pa.binary(),
}


def streamed(rows, block, types):
    """Return a stream of rows in blocks of so many."""
    names = ["person", "cell", "steps"][: len(types)]
    columns = list(zip(*rows, strict=True)) or [[], [], []]
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=False)]
    batch = pa.record_batch(arrays, names=names)
    return lambda _: (batch.slice(start, block) for start in range(0, len(rows), block))


def by_hand(rows, unit, weight, *, steps):
    total, people = Counter(), defaultdict(list)
    for person, cell, heavy in rows:
        if person is not None:
            people[person].append((cell, heavy if steps else 1))
    for person, mine in people.items():
        if unit.shared:
            whole = sum(heavy for _, heavy in mine)
            for cell, heavy in mine:
                total[cell] += weight * heavy // whole if whole else 0
        else:
            total.update(oracle.contribution(person, Counter(cell for cell, _ in mine), unit))
    return {cell: amount for cell, amount in total.items() if cell is not None and amount}


@pytest.mark.parametrize(
    "room",
    [
        MemoryLimits(1, 1),
        MemoryLimits(100, 40),
        MemoryLimits(10**6, 100),
        MemoryLimits(10**6, 10**6),
    ],
)
@pytest.mark.parametrize("unit", [ONCE, TWICE], ids=repr)
@settings(deadline=None, max_examples=25)
@given(pairs, st.integers(2, 9), st.sampled_from([*PEOPLE]), st.sampled_from([*CELLS]))
def test_people_are_weighed_alike_however_little_room_there_is(
    room, unit, rows, block, people, cells
):
    rows = [(PEOPLE[people](person), CELLS[cells](cell), heavy) for person, cell, heavy in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounding, "compute_room", lambda *_: room)
        patch.setattr(gathering, "BLOCK", block)
        for steps in (False, True) if unit.shared else (False,):
            found, types = Counter(), [TYPES[people], TYPES[cells], pa.int64()][: 2 + steps]
            for totals in bounding.sum_contributions(
                [streamed(part, block, types) for part in (rows[::2], rows[1::2])],
                bounding.make_rule(unit, unit.weight, SALT),
                Totals,
                Totals.take,
                resources=Resources(threads=2),
                report=lambda _: None,
            ):
                values, sums = totals.all()
                found.update(dict(zip(values.to_pylist(), sums.tolist(), strict=True)))
            found = {cell: amount for cell, amount in found.items() if amount}
            assert found == by_hand(rows, unit, unit.weight, steps=steps)


def test_one_person_with_all_rows_and_everyone_with_one_need_no_more_than_the_room(monkeypatch):
    """A company is divided while many people are in it; one person's rows pass by."""
    monkeypatch.setattr(bounding, "compute_room", lambda *_: MemoryLimits(2**14, 2**14))
    monkeypatch.setattr(gathering, "_MESSAGE", 2**12)
    monkeypatch.setattr(gathering, "BLOCK", 500)
    largest = []
    joined, walked, size = gathering.concatenate_batches, bounding.select_rows, Totals.size

    def noted(amount):
        largest.append(amount)
        return amount

    monkeypatch.setattr(
        gathering, "concatenate_batches", lambda batches: noted_rows(joined(batches))
    )
    monkeypatch.setattr(bounding, "select_rows", lambda rows, *how: walked(noted_rows(rows), *how))
    monkeypatch.setattr(Totals, "size", lambda totals: noted(size(totals)))

    def noted_rows(rows):
        noted(rows.nbytes)
        return rows

    rows = 20_000
    for who in (np.zeros(rows, np.int64), np.arange(rows), np.arange(rows) * 32):
        for unit in (ONCE, PrivacyUnit.users("u", max_rows=5)):
            block = pa.record_batch({"person": who, "cell": np.arange(rows)})
            blocks = [block.slice(start, 500) for start in range(0, rows, 500)]
            found = bounding.sum_by_cell(iter(blocks), unit, salt=SALT, resources=Resources(1))
            people = len(np.unique(who))
            whole = people * (rows // people * (2**30 // (rows // people)))
            expected = whole if unit.shared else min(rows, 5 * people)
            assert sum(found.column("amount").to_pylist()) == expected
    assert 2**14 < max(largest) < 3 * 2**14


def test_a_person_who_weighs_more_than_64_bits_hold_gets_nothing_and_takes_nothing():
    """What a person's rows weigh together stops at the cap, by which any of them is nothing."""
    totals = Totals()
    totals.add(pa.array([1, 1]), np.array([2**30, 2**30]))
    for _ in range(40):
        totals.merge(totals)
    ((whole,), who) = totals.all()[1], np.array([0])
    assert whole == 2**62 - 1
    assert bounding._share_weight(2**30, np.array([2**30]), who, np.array([whole])) == 0


def test_rows_that_come_one_by_one_are_not_held_one_by_one():
    """An object takes a kilobyte, and a row in it 16 bytes."""
    held = gathering.PartitionedRows(Path("nowhere"), 2**30)
    row = pa.record_batch({"person": [1], "cell": [2]})
    for _ in range(3000):
        held.add(row)
        assert len(held._waiting) <= 257
    held.finish()
    assert [batch.num_rows for batch in held.read_partition(1)] == [3000]
