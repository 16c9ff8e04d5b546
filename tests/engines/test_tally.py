"""Sums never overflow, and merge in any order to the same result."""

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.engines.sums import CAP, MOST_EACH, Tally, add_saturating

AMOUNT = st.integers(0, CAP) | st.sampled_from([CAP - 1, CAP, CAP // 2, CAP // 2 + 1])


def tally(amounts):
    made = Tally(len(amounts))
    made.add(np.arange(len(amounts)), np.array(amounts, dtype=np.int64))
    return made


@given(st.lists(st.tuples(AMOUNT, AMOUNT), min_size=1, max_size=4))
def test_sums_are_the_smaller_of_truth_and_cap_in_any_order(parts):
    wanted = [min(sum(column), CAP) for column in zip(*parts, strict=True)]
    for order in permutations(parts):
        merged = Tally(2)
        for part in order:
            merged.merge(tally(part))
        assert merged.total().tolist() == wanted


@given(AMOUNT, AMOUNT, AMOUNT)
def test_saturation_never_moves_sums_further_apart(one, other, added):
    near, far = add_saturating(np.array([one, other]), np.array([added, added])).tolist()
    assert abs(near - far) <= abs(one - other)


def test_a_plain_sum_would_be_caught():
    with np.errstate(over="ignore"):
        wrapped = np.array([CAP]) + np.array([CAP]) + np.array([CAP])
    assert wrapped[0] < 0


@given(st.lists(st.integers(-1, 4)))
def test_rows_are_counted_and_nowhere_is_not(cells):
    made = Tally(5)
    made.count(np.array(cells[:3], dtype=np.int64))
    made.count(np.array(cells[3:], dtype=np.int64))
    assert made.total().tolist() == [cells.count(place) for place in range(5)]


def test_weights_of_ever_more_rows_never_wrap(monkeypatch):
    monkeypatch.setattr("sfumato.engines.sums._MOST_ROWS", 4)
    found = Tally(2)
    found._sums[:] = CAP - 2
    for _ in range(3):
        found.weigh(np.array([0, 1, -1]), np.array([1, 2**30, 2**30]))
    assert found.total().tolist() == [CAP, CAP]
    assert found._sums.max() <= CAP + 4 * MOST_EACH  # it was cut back on the way


def test_weighed_rows_of_one_cell_add_up():
    found = Tally(3)
    found.weigh(np.array([2, 2, -1, 0]), np.array([5, 6, 7, 0]))
    ((cells, sums),) = found.runs()
    assert (cells.tolist(), sums.tolist()) == ([2], [11])
