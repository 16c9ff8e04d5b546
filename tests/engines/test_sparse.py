"""Sums of few cells among many are those of all cells, in any order and of any size."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.engines import masses as sparse
from sfumato.engines.masses import SparseTally, merge_runs
from sfumato.engines.sums import CAP, Tally

blocks = st.lists(
    st.lists(st.tuples(st.integers(-1, 9), st.integers(0, 2**30)), max_size=20), max_size=12
)


def summed(*tallies):
    cells, sums = merge_runs([run for tally in tallies for run in tally.runs()])
    assert cells.dtype == sums.dtype == np.int64
    assert np.all(np.diff(cells) > 0)
    return dict(zip(cells.tolist(), sums.tolist(), strict=True))


def by_hand(rows):
    total = Counter()
    for cell, amount in rows:
        total[cell] += amount
    return {cell: min(total[cell], CAP) for cell in total if cell >= 0 and total[cell]}


@pytest.fixture
def small(monkeypatch):
    """Cut the work into pieces of a few rows, so that all ways are taken."""
    monkeypatch.setattr(sparse, "_FEW", 8)
    monkeypatch.setattr(sparse, "_STRIDE", 2)
    monkeypatch.setattr(sparse, "_MANY", 6)
    monkeypatch.setattr(sparse, "_RUNS", 3)


@pytest.mark.parametrize("kind", [SparseTally, lambda: Tally(10)])
@pytest.mark.usefixtures("small")
@given(some=blocks)
def test_sums_are_those_by_hand(kind, some):
    tallies = [kind(), kind()]
    for index, rows in enumerate(some):
        cells, amounts = np.array(rows, dtype=np.int64).reshape(-1, 2).T
        tallies[index % 2].weigh(cells.copy(), amounts)
    assert summed(*tallies) == by_hand(row for rows in some for row in rows)


def test_the_farthest_cells_are_told_apart():
    tally = SparseTally()
    tally.weigh(np.array([2**40 - 1, 0, 2**40 - 2, -1, 2**40 - 1]), 2**30)
    assert summed(tally) == {0: 2**30, 2**40 - 2: 2**30, 2**40 - 1: 2**31}


def test_one_amount_may_stand_for_all_rows():
    tally = SparseTally()
    tally.weigh(np.array([5, 3, 5]), 1)
    assert summed(tally) == {3: 1, 5: 2}


def test_nothing_sums_to_nothing():
    assert summed() == summed(SparseTally(), SparseTally()) == {}


def test_what_was_given_is_left_as_it_was():
    cells, amounts = np.array([3, 1, 2]), np.array([1, 2, 3])
    tally = SparseTally()
    tally.weigh(cells, amounts)
    assert summed(tally) == {1: 2, 2: 3, 3: 1}
    assert cells.tolist() == [3, 1, 2]
    assert amounts.tolist() == [1, 2, 3]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, CAP)), max_size=40))
@example([(1, CAP), (1, CAP), (1, CAP)])
def test_huge_sums_stop_at_the_cap_and_never_wrap(pieces):
    runs = [(np.array([cell]), np.array([amount])) for cell, amount in pieces]
    cells, sums = merge_runs(runs)
    assert dict(zip(cells.tolist(), sums.tolist(), strict=True)) == by_hand(pieces)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_do_not_matter(threads):
    generator = np.random.default_rng(0)
    runs = []
    for size in (400_000, 70_000, 3, 300_000):
        cells = np.unique(generator.integers(0, 600_000, size))
        runs.append((cells, generator.integers(0, 2**40, cells.size)))
    expected = np.zeros(600_000, dtype=np.int64)
    for cells, sums in runs:
        expected[cells] += sums
    cells, sums = merge_runs(runs, threads=threads)
    assert np.array_equal(cells, np.flatnonzero(expected))
    assert np.array_equal(sums, expected[cells])
