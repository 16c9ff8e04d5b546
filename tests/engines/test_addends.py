"""Sums by groups are those of the oracle, and no unit moves them further than is stated."""

import math
from datetime import date
from itertools import combinations_with_replacement, product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines import oracle
from engines.forms import FORMS
from engines.hostile import GRID, hostile
from engines.oracle import SALT
from sfumato.addend import (
    FINEST,
    HEAVIEST,
    Addend,
    Member,
    addend_weight,
    count_steps,
)
from sfumato.domain import Bounds, Categories
from sfumato.engines import addends, bounding
from sfumato.engines import people as walking
from sfumato.engines import sums as tally
from sfumato.engines.cells import STRIP
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources.arrow import ArrowTable
from sfumato.errors import DomainError, SourceError
from sfumato.grid import Edges, Labels
from sfumato.lattice import SHARES
from sfumato.privacy.guarantee import PrivacyUnit

TABLE = hostile(3000)
ROWS = TABLE.to_pylist()
ROW, USER, FEW = PrivacyUnit.rows(), PrivacyUnit.users("u"), PrivacyUnit.users("u", max_rows=3)
UNITS = [ROW, USER, FEW, PrivacyUnit.users("v"), PrivacyUnit.users("v", max_rows=7)]
WARDS = Labels("g", Categories(("A", "B", "Å")))
DAYS = Bounds.of((date(2026, 1, 1), date(2026, 3, 1)))
BANDS = Edges("i", Bounds(-5, 25), (0.0, 5.0, 25.0))


def asking(unit):
    steps = count_steps(unit)
    own = tuple(Bounds(-1.0 - cell, 2.0 + cell) for cell in range(3))
    return {
        "by ward": ((WARDS,), Addend("x", (GRID.bounds,), steps)),
        "of all": ((), Addend("i", (Bounds(0, 20),), 7)),
        "text": ((WARDS, BANDS), Addend("t", (Bounds(-1, 1),), steps)),
        "days": ((WARDS,), Addend("m", (DAYS,), steps)),
        "own bounds": ((WARDS,), Addend("x", own, 1000)),
        "a category": ((BANDS,), Member(WARDS, 1, 3)),
        "flags": ((WARDS,), Member(Labels("f", Categories((False, True))), 1, 1)),
    }


def asked(table, keys, addend, unit, **options):
    engine = DuckEngine(table, **options)
    engine._salt = SALT
    found = engine.sums(keys, addend, unit).reveal()
    assert found.dtype == np.int64
    return found.reshape(-1, 2).tolist()


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("name", asking(ROW))
def test_sums_are_those_of_the_oracle(name, unit):
    keys, addend = asking(unit)[name]
    expected = oracle.sums(ROWS, keys, addend, unit)
    assert sum(map(sum, expected)) > 0
    assert asked(TABLE, keys, addend, unit) == expected


@pytest.mark.parametrize("unit", UNITS[:3], ids=repr)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_hostile_table_has_the_same_sums(form, unit, tmp_path):
    keys, addend = asking(unit)["text"]
    expected = oracle.sums(ROWS, keys, addend, unit)
    assert asked(FORMS[form](TABLE, tmp_path), keys, addend, unit) == expected


@pytest.mark.parametrize("unit", UNITS[:3], ids=repr)
def test_order_partition_and_threads_do_not_matter(unit, tmp_path, monkeypatch):
    keys, addend = asking(unit)["by ward"]
    expected = asked(TABLE, keys, addend, unit, threads=1)
    shuffled = TABLE.take(np.random.default_rng(5).permutation(TABLE.num_rows))
    for start in range(0, 3000, 611):
        pq.write_table(shuffled.slice(start, 611), tmp_path / f"{start}.parquet")
    for threads in (1, 2, 5):
        assert asked(tmp_path, keys, addend, unit, threads=threads) == expected
    monkeypatch.setattr(addends, "STRIP", 7)
    assert asked(TABLE, keys, addend, unit) == expected


def test_the_answer_states_what_one_unit_can_change():
    for unit in UNITS[:3]:
        keys, addend = asking(unit)["by ward"]
        exact = DuckEngine(TABLE).sums(keys, addend, unit)
        most = addend_weight(unit) * addend.steps
        assert (exact.l1, exact.l2_squared) == (most, most**2)
        assert exact.step == (1 / most if unit.shared else 1 / addend.steps)
        assert exact.reveal().shape == (3, 2)


def test_a_strip_of_the_heaviest_rows_stays_below_sixty_four_bits():
    rows = tally._MOST_ROWS * tally.MOST_EACH // HEAVIEST
    assert rows >= STRIP
    assert tally.CAP + rows * HEAVIEST < 2**63
    assert 2**24 * (FINEST + 1) < 2**62
    for unit in (*UNITS, PrivacyUnit.users("u", max_rows=2**20)):
        assert addend_weight(unit) * count_steps(unit) <= HEAVIEST


def test_sums_stop_growing_at_their_cap_whichever_way_they_are_merged(monkeypatch):
    monkeypatch.setattr(tally, "CAP", 20)
    table = pa.table({"y": [1.0] * 9})
    addend = Addend("y", (Bounds(0, 1),), 3)
    assert asked(table, (), addend, ROW) == [[0, 20]]


def test_rows_without_a_number_a_group_or_a_person_are_nowhere():
    table = pa.table(
        {
            "y": pa.array([1.0, None, math.nan, 4.0, math.inf, -math.inf], from_pandas=False),
            "g": ["A", "A", "B", "other", "B", "B"],
            "u": [1, 1, 2, 2, 3, None],
        }
    )
    wards = Labels("g", Categories(("A", "B")))
    addend = Addend("y", (Bounds(0, 4),), 8)
    assert asked(table, (wards,), addend, ROW) == [[6, 2], [8, 8]]
    half = SHARES // 2
    assert asked(table, (wards,), addend, USER) == [[6 * half, 2 * half], [0, 8 * SHARES]]


def test_numbers_at_the_edge_of_what_floats_can_hold_cause_no_warning():
    signalling = np.array([0x7FF0000000000001], dtype=np.uint64).view(np.float64)[0]
    odd = [1e308, -1e308, 5e-324, -0.0, math.inf, -math.inf, signalling, math.nan]
    table = pa.table({"y": np.array(odd)})
    for bounds in (Bounds(-8e307, 8e307), Bounds(0, 1e-300), Bounds(2.0**53, 2.0**53 + 2)):
        addend = Addend("y", (bounds,), FINEST)
        assert asked(table, (), addend, ROW) == oracle.sums(table.to_pylist(), (), addend, ROW)


@pytest.mark.parametrize(
    ("keys", "addend", "unit", "error"),
    [
        ((WARDS,), Addend("nobody", (Bounds(0, 1),), 1), ROW, SourceError),
        ((WARDS,), Addend("m", (Bounds(0, 1),), 1), ROW, SourceError),
        ((WARDS,), Member(Labels("m", Categories(("A",))), 0, 1), ROW, SourceError),
        ((), Addend("x", (Bounds(0, 1),), 1), PrivacyUnit.users("nobody"), SourceError),
        ((), Addend("x", (Bounds(0, 1),), 2**17), USER, DomainError),
        ((WARDS,), Addend("x", (Bounds(0, 1),) * 2, 1), ROW, ValueError),
    ],
)
def test_what_cannot_be_answered_is_refused_before_a_row_is_read(
    keys, addend, unit, error, monkeypatch
):
    monkeypatch.setattr(ArrowTable, "batches", lambda *_: pytest.fail("the table was read"))
    with pytest.raises(error):
        DuckEngine(TABLE).sums(keys, addend, unit)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Addend("x", (), 1),
        lambda: Addend("x", (Bounds(0, 1),), 0),
        lambda: Addend("x", (Bounds(0, 1),), FINEST + 1),
        lambda: Member(WARDS, 3, 1),
    ],
)
def test_what_cannot_be_added_up_is_no_question(make):
    with pytest.raises(ValueError, match=r"bounds|steps|categories"):
        make()


NARROW = Bounds(-1.0, 3.0)
SCHEMA = pa.schema([("u", pa.int64()), ("g", pa.string()), ("y", pa.float64())])
numbers = st.floats(-2, 4) | st.sampled_from(
    [None, math.nan, math.inf, -math.inf, -1.0, 3.0, 1e300, 5e-324, -0.0]
)
values = st.tuples(st.sampled_from(["A", "B", "C", None]), numbers)
tables = st.lists(st.tuples(st.integers(0, 4) | st.none(), values), max_size=8)
one_person = st.lists(values, min_size=1, max_size=12)
PAIR = Labels("g", Categories(("A", "B")))


def moved(rows, added, addend, unit):
    """Return whether more rows move the sums by no more than is stated, and how far in L1."""
    found = []
    for some in (rows, rows + added):
        listed = [dict(zip("ugy", (person, *row), strict=True)) for person, row in some]
        engine = DuckEngine(pa.Table.from_pylist(listed, SCHEMA))
        engine._salt = SALT
        found.append(engine.sums((PAIR,), addend, unit))
    change = (found[1].reveal() - found[0].reveal()).astype(object).ravel().tolist()
    l1, l2 = sum(map(abs, change)), sum(step**2 for step in change)
    return l1 <= found[0].l1 and l2 <= found[0].l2_squared, l1 / found[0].l1


@settings(max_examples=100)
@given(tables, values, st.sampled_from([1, 7, FINEST]))
def test_a_row_moves_the_sums_by_at_most_its_steps(rows, row, steps):
    for addend in (Addend("y", (NARROW,), steps), Addend("y", (NARROW, Bounds(0, 1)), steps)):
        assert moved(rows, [(None, row)], addend, ROW)[0]


@settings(max_examples=40)
@given(tables, one_person, st.sampled_from([USER, FEW]))
def test_a_person_moves_the_sums_of_all_groups_by_at_most_one_weight(rows, mine, unit):
    addend = Addend("y", (NARROW,), count_steps(unit))
    assert moved(rows, [(99, row) for row in mine], addend, unit)[0]


def test_over_all_tables_of_a_tiny_universe_no_row_moves_more_and_one_moves_as_much():
    """Every neighbour: all tables of up to two rows, over all values that differ, and one more."""
    universe = list(product(("A", "B", "C"), (-math.inf, -1.0, 0.0, 1.0, 3.0, math.inf, math.nan)))
    addend, farthest = Addend("y", (NARROW,), 4), 0.0
    for size in (0, 1):
        for rows in combinations_with_replacement(universe, size):
            for row in universe[::2] if size else universe:
                table = [(0, each) for each in rows]
                kept, share = moved(table, [(0, row)], addend, ROW)
                assert kept
                farthest = max(farthest, share)
    assert farthest == 1.0


def counted_as_zero(block, addend, cells):
    steps = SPLIT(block, addend, cells)
    return np.where(steps < 0, 0, steps)


def given_and_kept(self, sums, found, weights):
    """Give steps to the upper end that the lower one keeps."""
    cells, above = np.divmod(found[found >= 0], self.addend.steps + 1)
    sums.weigh(2 * cells, np.full(cells.size, self.addend.steps) * weights)
    sums.weigh(2 * cells + 1, above * weights)


def rows_given_and_kept(self, sums, rows):
    cells = addends.find_cells(rows, self.keys)
    steps = SPLIT(rows, self.addend, cells).astype(np.int64)
    self._add_found(sums, cells * (self.addend.steps + 1) + steps, 1)
    sums.weigh(2 * cells, steps)


SPLIT = addends.split_rows
SHARE = bounding._share_weight


@pytest.mark.parametrize(
    ("target", "broken", "unit", "mine"),
    [
        ((addends.GroupSums, "_add_rows"), rows_given_and_kept, ROW, [("A", 1e300)]),
        ((addends.GroupSums, "_add_found"), given_and_kept, USER, [("A", 1e300)]),
        ((addends, "addend_weight"), lambda unit: 2 * addend_weight(unit), USER, [("A", 3.0)]),
        ((bounding, "_share_weight"), lambda *a: 1 + SHARE(*a), USER, [("A", 3.0)] * 1000),
        ((walking, "_allot_rows"), lambda w, amounts, m: amounts, FEW, [("A", 3.0)] * 9),
    ],
    ids=["rows given and kept", "given and kept", "weighs twice", "rounded up", "uncapped"],
)
def test_sums_that_move_too_far_would_be_caught(target, broken, unit, mine, monkeypatch):
    addend = Addend("y", (NARROW,), count_steps(unit))
    added = [(99, row) for row in mine]
    assert moved([], added, addend, unit)[0]
    monkeypatch.setattr(*target, broken)
    assert not moved([], added, addend, unit)[0]


def test_a_row_without_a_number_that_counts_would_be_caught(monkeypatch):
    addend = Addend("y", (NARROW,), 4)
    table = pa.Table.from_pylist([{"u": 1, "g": "A", "y": None}], SCHEMA)
    assert asked(table, (PAIR,), addend, ROW) == [[0, 0], [0, 0]]
    monkeypatch.setattr(addends, "split_rows", counted_as_zero)
    assert asked(table, (PAIR,), addend, ROW) != [[0, 0], [0, 0]]


@pytest.mark.parametrize("unit", UNITS[:3], ids=repr)
def test_rows_that_do_not_meet_a_condition_are_nowhere_and_take_their_share(unit):
    keys, addend = asking(unit)["by ward"]
    engine = DuckEngine(TABLE)
    engine._salt = SALT
    engine._where = None
    found = engine.restrict("i > 3").sums(keys, addend, unit).reveal().tolist()
    rows = [{**row, "g": row["g"] if (row["i"] or 0) > 3 else None} for row in ROWS]
    assert found == oracle.sums(rows, keys, addend, unit)


def test_few_sums_and_many_are_added_alike(monkeypatch):
    addend = Addend("y", (NARROW,), 1000)
    rows = [{"u": 1, "g": g, "y": y} for g in ("A", "B", None, "C") for y in (-9.0, 0.3, 7.0, None)]
    table = pa.Table.from_pylist(rows * 50, SCHEMA)
    few = asked(table, (PAIR,), addend, ROW)
    monkeypatch.setattr(addends, "_DENSE", 0)
    assert asked(table, (PAIR,), addend, ROW) == few
    assert sum(map(sum, few)) > 0
