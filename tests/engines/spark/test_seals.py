"""Sums of a task that was done twice, and not in the same way, are noticed."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.engines.spark import sums as seals
from sfumato.engines.spark.frames import CheckedSums, check_sums
from sfumato.engines.spark.sums import AMOUNT, fingerprint_rows, seal_sums
from sfumato.errors import SourceError

Sums = dict[int, int]
Row = tuple[int | None, int, int]

sums = st.dictionaries(st.integers(0, 9), st.integers(-(2**90), 2**90), max_size=6)


def task(found: Sums, carried: int = 0) -> list[Row]:
    """Return what a task hands back, with the closing row, whose cell is None, last."""
    cells = pa.array(sorted(found), pa.int64())
    amounts = pa.array([found[cell] for cell in sorted(found)], AMOUNT)
    rows = {"bucket": pa.nulls(len(cells), pa.int32()), "cell": cells, "amount": amounts}
    done = seal_sums(pa.table(rows), fingerprint_rows(cells, amounts), carried=carried)
    return [(row["cell"], int(row["amount"]), row["mark"]) for row in done.to_pylist()]


def grouped(rows: list[Row]) -> pa.Table:
    """Add up rows as the cluster does."""
    amounts, marks = defaultdict[int | None, int](int), defaultdict[int | None, int](int)
    for cell, amount, mark in rows:
        amounts[cell] += amount
        marks[cell] ^= mark
    nothing = pa.nulls(len(amounts), pa.int32())
    columns = {
        "cell": pa.array([*amounts], pa.int64()),
        "amount": pa.array([*amounts.values()], AMOUNT),
        "mark": pa.array([*marks.values()], pa.int64()),
    }
    return pa.table({"failed": nothing, "bucket": nothing, **columns})


def found(rows: list[Row]) -> Sums:
    answer: CheckedSums = check_sums(grouped(rows))
    cells, amounts = answer.cells.to_pylist(), answer.amounts.to_pylist()
    return dict(zip(cells, map(int, amounts), strict=True))


@given(tasks=st.lists(sums, max_size=5))
def test_sums_of_whole_tasks_can_be_used(tasks: list[Sums]) -> None:
    expected = {cell: sum(each.get(cell, 0) for each in tasks) for cell in set[int]().union(*tasks)}
    assert found([row for each in tasks for row in task(each)]) == expected


@given(old=sums, new=sums, others=st.lists(sums, max_size=3), data=st.data())
def test_a_task_of_which_others_read_two_runs_is_refused(
    old: Sums, new: Sums, others: list[Sums], data: st.DataObject
) -> None:
    late = data.draw(st.sets(st.sampled_from([None, *old, *new])))
    mixed = [row for row in task(old) if row[0] not in late]
    mixed += [row for row in task(new) if row[0] in late]
    rows = mixed + [row for each in others for row in task(each)]
    if set(mixed) in (set(task(old)), set(task(new))):
        found(rows)
    else:
        with pytest.raises(SourceError, match="gave other rows"):
            found(rows)


def test_a_twin_whose_marks_do_not_depend_on_all_its_sums_lets_two_runs_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old, new = {0: 5, 1: 0}, {0: 0, 1: 5}  # a person who moved, and would be in both places
    with pytest.raises(SourceError):
        found([task(old)[0], *task(new)[1:]])
    monkeypatch.setattr("engines.spark.test_seals.fingerprint_rows", lambda *_: bytes(16))
    monkeypatch.setitem(task.__globals__, "fingerprint_rows", lambda *_: bytes(16))
    assert found([task(old)[0], *task(new)[1:]]) == {0: 5, 1: 5}


@pytest.mark.parametrize("broken", ["marks", "closing"])
def test_a_lost_row_is_noticed(broken: str) -> None:
    rows = task({3: 1, 5: 2, 7: 0})
    rows.pop(-1 if broken == "closing" else 0)
    with pytest.raises(SourceError, match="gave other rows"):
        found(rows)


def test_marks_that_a_task_has_read_are_carried_on() -> None:
    assert found(task({1: 2}, carried=0)) == {1: 2}
    with pytest.raises(SourceError, match="gave other rows"):
        found(task({1: 2}, carried=5))
    assert found([*task({1: 2}, carried=5), *task({2: 3}, carried=5)]) == {1: 2, 2: 3}


SAME = [
    (pa.array([1, None, 3]), pa.array([0, 1, None, 3, 9]).slice(1, 3)),
    (pa.array([b"a", b"", None]), pa.array([b"x", b"a", b"", None]).slice(1)),
    (pa.array([1, -2], AMOUNT), pa.array([7, 1, -2, 7], AMOUNT).slice(1, 2)),
    (pa.array([], AMOUNT), pa.array([7], AMOUNT).slice(1)),
]
OTHER = [
    (pa.array([1, 0]), pa.array([1, None])),
    (pa.array([1, 2]), pa.array([2, 1])),
    (pa.array([b"ab", b""]), pa.array([b"a", b"b"])),
    (pa.array([b"", b"a"]), pa.array([None, b"a"])),
    (pa.array([2**70], AMOUNT), pa.array([2**71], AMOUNT)),
    (pa.array([1], AMOUNT), pa.array([-1], AMOUNT)),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_fingerprint_is_that_of_the_values_however_they_are_stored(
    one: pa.Array, other: pa.Array
) -> None:
    assert fingerprint_rows(one, pa.array([1])) == fingerprint_rows(other, pa.array([1]))


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_values_have_another_fingerprint(one: pa.Array, other: pa.Array) -> None:
    assert fingerprint_rows(one) != fingerprint_rows(other)
    assert fingerprint_rows(one, other) != fingerprint_rows(other, one)


@given(rows=st.lists(st.tuples(st.integers(0, 2**40), st.integers(0, 2**62 - 1))), data=st.data())
def test_rows_are_alike_in_any_order_and_any_parts(
    rows: list[tuple[int, int]], data: st.DataObject
) -> None:
    def taken(some: list[tuple[int, int]]) -> int:
        return seals.fingerprint_set(99, *np.array(some, dtype=np.int64).reshape(-1, 2).T)

    shuffled = data.draw(st.permutations(rows))
    cut = data.draw(st.integers(0, len(rows)))
    assert (taken(shuffled[:cut]) + taken(shuffled[cut:])) % seals.TOLD == taken(rows)


@pytest.mark.parametrize(
    "others", [[(1, 2)], [(1, 2), (3, 5)], [(1, 4), (3, 2)], [(1, 2), (4, 4)], [(2, 1), (3, 4)]]
)
def test_other_rows_are_not_alike(others: list[tuple[int, int]]) -> None:
    one, other = np.array([(1, 2), (3, 4)]).T, np.array(others).T
    assert seals.fingerprint_set(99, *one) != seals.fingerprint_set(99, *other)


def test_rows_that_tell_buckets_have_no_marks() -> None:
    rows = {"bucket": pa.array([None, 7], pa.int32()), "cell": pa.array([3, None], pa.int64())}
    table = pa.table({**rows, "amount": pa.array([5, 1], AMOUNT)})
    sums, told, closing = seal_sums(table, b"any").column("mark").to_pylist()
    assert (told, closing) == (0, sums)
    assert sums != 0
    assert seals.xor_marks(np.array([sums, closing])) == 0
