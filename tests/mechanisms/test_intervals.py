"""Answers about intervals of a line cost what the dearest cell costs, and no more."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import OverspentError
from sfumato.exact import Exact
from sfumato.mechanisms import survey as module
from sfumato.mechanisms.meter import Meter, simulated
from sfumato.mechanisms.survey import IntervalSurvey, NoisyIntervals, survey_intervals
from sfumato.privacy.budget import Cost
from sfumato.testing import ample_meter

CELLS = 6


def count(cells: list[list[int]], l1: int = 1) -> Exact:
    return Exact(l1, l1**2, 1.0, _values=np.array(cells, dtype=np.int64))


def open_lines(
    cells: list[list[int]], price: Fraction = Fraction(1), l1: int = 1, family: str = "laplace"
) -> list[IntervalSurvey]:
    meter = ample_meter().__enter__()
    exact = count(cells, l1)
    return survey_intervals(meter, exact, len(cells[0]), price, family, groups=len(cells))  # type: ignore[arg-type]


def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "add_noise", lambda receipt, values, family, scale: values)


def test_an_interval_holds_the_cells_of_its_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    without_noise(monkeypatch)
    one, other = open_lines([[1, 2, 3, 4], [10, 20, 30, 40]])
    assert one.ask([0, 3], [2, 4], Fraction(1, 2)).steps.tolist() == [3, 4]
    assert other.ask([0, 1], [1, 4], Fraction(1, 2)).steps.tolist() == [10, 90]


@pytest.mark.parametrize(
    ("first", "end"),
    [([0, 1], [2, 3]), ([2], [2]), ([-1], [2]), ([3], [5]), ([0], [1, 2]), ([1, 0], [2, 2])],
)
def test_intervals_that_overlap_or_leave_their_line_are_refused(
    first: list[int], end: list[int]
) -> None:
    line, _ = open_lines([[1, 2, 3, 4], [5, 6, 7, 8]])
    with pytest.raises(OverspentError):
        line.ask(first, end, Fraction(1, 8))
    assert line.asked == ()


intervals = st.tuples(st.integers(0, CELLS - 1), st.integers(1, CELLS)).filter(
    lambda ends: ends[0] < ends[1]
)


@st.composite
def asks(draw: st.DrawFn) -> list[tuple[list[tuple[int, int]], Fraction]]:
    """Rounds of intervals that do not overlap, with prices that no scale has to round."""
    rounds: list[tuple[list[tuple[int, int]], Fraction]] = []
    for _ in range(draw(st.integers(1, 5))):
        chosen: list[tuple[int, int]] = []
        for first, end in draw(st.lists(intervals, min_size=1, max_size=4)):
            if all(end <= a or b <= first for a, b in chosen):
                chosen.append((first, end))
        rounds.append((chosen, Fraction(1, 2 ** draw(st.integers(0, 4)))))
    return rounds


@given(asks())
@settings(max_examples=100, deadline=None)
def test_the_price_is_that_of_the_dearest_cell(
    rounds: list[tuple[list[tuple[int, int]], Fraction]],
) -> None:
    (line,) = open_lines([[0] * CELLS], Fraction(8))
    with simulated(np.random.default_rng(0)):
        for chosen, price in rounds:
            line.ask(*zip(*chosen, strict=True), price)
    dearest = max(
        sum((p for chosen, p in rounds if any(a <= cell < b for a, b in chosen)), Fraction(0))
        for cell in range(CELLS)
    )
    assert line.cost.epsilon == dearest
    assert line.left == 8 - dearest
    with pytest.raises(OverspentError):
        line.ask([0], [CELLS], line.left + Fraction(1, 16))


def largest_loss(rounds: list[NoisyIntervals], l1: int, lines: int) -> Fraction:
    """Return the largest log-ratio of Laplace answers that one unit can cause, anywhere.

    A unit of weight `l1` is put in every way over the cells of all lines. The answers that speak
    most for it are those beyond every true sum, so the loss is the sum of all shifts over scales.
    """
    losses: list[Fraction] = []
    for held in product(range(l1 + 1), repeat=3 * lines):
        if sum(held) <= l1:
            own = [held[3 * line : 3 * line + 3] for line in range(lines)]
            losses.append(
                sum(
                    (
                        Fraction(sum(unit[a:b])) / Fraction(each.scale)
                        for unit in own
                        for each in rounds
                        for a, b in zip(each.first.tolist(), each.end.tolist(), strict=True)
                    ),
                    Fraction(0),
                )
            )
    return max(losses)


ROUNDS = [([0], [3]), ([0, 2], [2, 3]), ([0, 1], [1, 3]), ([1], [2])]


@pytest.mark.parametrize("l1", [1, 2])
def test_no_unit_anywhere_can_tell_more_than_was_paid_and_one_can_tell_all(l1: int) -> None:
    lines = open_lines([[0, 0, 0], [0, 0, 0]], Fraction(1), l1)
    for line in lines:
        for first, end in ROUNDS:
            line.ask(first, end, Fraction(1, 4))
    loss = largest_loss(list(lines[0].asked), l1, 2)
    assert loss == lines[0].cost.epsilon == 1


def test_a_survey_that_charges_only_its_dearest_round_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The broken twin: what is held several times is paid for once."""
    monkeypatch.setattr(
        module, "compute_path_price", lambda ranges, prices: max(prices, default=Fraction(0))
    )
    (line,) = open_lines([[0, 0, 0]], Fraction(1, 4))
    for first, end in ROUNDS:
        line.ask(first, end, Fraction(1, 4))
    assert largest_loss(list(line.asked), 1, 1) > line.cost.epsilon


def test_lines_of_all_groups_are_paid_for_once() -> None:
    with Meter(Cost.pure(Fraction(1))) as meter:
        lines = survey_intervals(meter, count([[0, 1]] * 5), 2, Fraction(1), groups=5)
        for line in lines:
            line.ask([0], [2], Fraction(1, 2))
            line.ask([0, 1], [1, 2], Fraction(1, 2))
    assert meter.spent.epsilon == 1


def test_gaussian_answers_cost_what_their_cells_do() -> None:
    (line,) = open_lines([[0, 0, 0]], Fraction(1, 2), l1=3, family="gaussian")
    line.ask([0], [3], Fraction(1, 4))
    line.ask([0, 1], [1, 3], Fraction(1, 4))
    rho = line.cost.rho
    assert Fraction(49, 100) < rho <= Fraction(1, 2)
    with pytest.raises(OverspentError):
        line.ask([2], [3], Fraction(1, 100))
