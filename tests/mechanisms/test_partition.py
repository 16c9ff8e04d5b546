"""Cells added up into bins: no unit moves the bins further than it moved the cells."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.exact import Exact
from sfumato.mechanisms.partition import partition, sum_groups

MOST = 2**62 - 1
amounts = st.one_of(st.integers(0, 9), st.integers(0, 2**63 - 1), st.just(2**62 - 1))


@st.composite
def tables(draw, amounts=amounts):
    groups, cells = draw(st.integers(1, 3)), draw(st.integers(1, 9))
    row = st.lists(amounts, min_size=cells, max_size=cells)
    return draw(st.lists(row, min_size=groups, max_size=groups))


@st.composite
def divisions(draw):
    """A table, and for each group starts that rise, some of them twice or beyond the grid."""
    table = draw(tables())
    starts = st.lists(st.integers(0, len(table[0]) + 1), min_size=1, max_size=8).map(sorted)
    return table, [draw(starts) for _ in table]


def bins(table, starts, l1=1):
    exact = Exact(l1, l1**2, 1.0, _values=np.array(table, dtype=np.int64))
    return partition(exact, starts)


@given(divisions())
def test_a_bin_holds_the_cells_from_its_start_to_the_next(division):
    table, starts = division
    found = bins(table, starts).reveal().tolist()
    for row, begins, sums in zip(table, starts, found, strict=True):
        ends = [*begins[1:], len(row)]
        expected = [sum(row[b:e]) for b, e in zip(begins, ends, strict=True)]
        padding = [0] * (len(sums) - len(expected))
        assert sums == [*(min(one, MOST) for one in expected), *padding]


@given(divisions(), st.lists(st.integers(0, 5), min_size=27, max_size=27))
def test_a_unit_moves_the_bins_no_further_than_the_cells(division, unit):
    table, starts = division
    one = np.array(table, dtype=np.int64)
    added = np.array(unit[: one.size]).reshape(one.shape)
    other = np.where(one > MOST, one, one + added)
    change = bins(other, starts).reveal() - bins(one, starts).reveal()
    assert abs(change).sum() <= (other - one).sum()


@given(divisions(), st.data())
def test_a_row_that_is_replaced_moves_the_bins_by_what_they_carry(division, data):
    """It leaves one cell and comes to another; the bins may hold both, or neither."""
    table, starts = division
    one = np.minimum(np.array(table[:1], dtype=np.int64), 9) + 1
    cells = st.integers(0, one.size - 1)
    other = one.copy()
    other[0, data.draw(cells)] -= 1
    other[0, data.draw(cells)] += 1
    before, after = (
        partition(Exact(1, 1, 1.0, _values=rows), starts[:1], replaced=True)
        for rows in (one, other)
    )
    change = after.reveal() - before.reveal()
    assert abs(change).sum() <= before.l1 == 2
    assert (change**2).sum() <= before.l2_squared == 4


def test_noise_for_one_bin_where_two_change_would_be_noticed():
    """The twin: what the bins would carry where a row is added."""
    one, other = np.array([[1, 0]]), np.array([[0, 1]])
    change = partition(Exact(1, 1, 1.0, _values=other), [[0, 1]]).reveal() - one
    assert abs(change).sum() > partition(Exact(1, 1, 1.0, _values=one), [[0, 1]]).l1


def test_the_check_notices_a_cell_that_lies_in_two_bins():
    """What NumPy gives a bin that ends where it begins: the cell there, which the next has too."""
    row = np.ones(4, dtype=np.int64)
    assert np.add.reduceat(row, [0, 2, 2]).sum() == 5
    assert bins([row], [[0, 2, 2]]).reveal().sum() == 4


def test_a_sum_near_the_end_of_64_bits_never_falls_when_a_cell_grows():
    """In halves of 31 bits a carry must not be lost: 2⁶² − 1 and one more is not 2⁶² − 2³¹."""
    for more in range(3):
        assert bins([[MOST, more]], [[0]]).reveal().tolist() == [[MOST]]


def test_starts_that_fall_give_bins_that_do_not_overlap():
    assert bins([[1, 2, 4, 8]], [[0, 3, 1]]).reveal().tolist() == [[7, 0, 8]]


def test_the_answer_keeps_what_one_unit_can_do():
    found = bins([[1, 2, 3]], [[0, 1]], l1=4)
    assert (found.l1, found.l2_squared, found.step) == (4, 16, 1.0)


def test_cells_added_up_may_move_together():
    """A unit in many cells moves each a little, and one bin by all of it."""
    spread = Exact(4, 4, 1.0, _values=np.ones((1, 4), dtype=np.int64))
    assert partition(spread, [[0]]).l2_squared == 16


def test_totals_are_one_bin_of_all_cells():
    exact = Exact(1, 1, 1.0, _values=np.array([[1, 2], [3, 4]]))
    assert sum_groups(exact).reveal().tolist() == [[3], [7]]
