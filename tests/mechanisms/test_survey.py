"""Answers about nested squares cost what their dearest path costs, and no more."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechanisms.branches import open_survey
from sfumato.errors import OverspentError
from sfumato.exact import Exact, Integers
from sfumato.mechanisms import survey as module
from sfumato.mechanisms.meter import simulated
from sfumato.mechanisms.noise import Family
from sfumato.mechanisms.survey import NoisySquares, split_into_maps, survey
from sfumato.privacy.budget import Cost
from sfumato.testing import metered
from telling.enumerated.squares import (
    LEVELS,
    WEIGHT,
    factor,
    heaviest,
    largest_loss,
    mass,
    together,
)

FAMILIES: list[Family] = ["laplace", "gaussian"]


def masses(cells: dict[int, int], l1: int = 1) -> Exact:
    places = np.array(sorted(cells), dtype=np.int64)
    values = np.array([cells[place] for place in sorted(cells)], dtype=np.int64)
    return Exact(l1, l1**2, 1 / l1, _values=values, _places=places)


def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    def quiet(receipt, values, family, scale):
        return values

    monkeypatch.setattr(module, "add_noise", quiet)


cells_of = st.dictionaries(st.integers(0, 63), st.integers(0, 2**62 - 1), max_size=20)


@given(cells=cells_of)
@settings(max_examples=200)
def test_a_square_holds_the_sum_of_its_cells(cells: dict[int, int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        without_noise(patch)
        survey = open_survey(masses(cells), 3, Fraction(4))
        for level in range(4):
            asked = survey.ask([level] * 4**level, range(4**level), Fraction(1))
            finer = 2 * (3 - level)
            for code, mass in zip(asked.code, asked.steps, strict=True):
                truth = sum(mass for cell, mass in cells.items() if cell >> finer == code)
                assert mass == min(truth, 2**62 - 1)


def elsewhere(cells: dict[int, int], asked: list[list[tuple[int, int]]]) -> Exact:
    """Return masses that are not listed, and note what ranges of them were asked for."""

    def between(first: Integers, end: Integers) -> Integers:
        ranges = list(zip(first.tolist(), end.tolist(), strict=True))
        asked.append(ranges)
        sums = [sum(cells[cell] for cell in cells if a <= cell < b) for a, b in ranges]
        return np.array([min(mass, 2**62 - 1) for mass in sums], dtype=np.int64)

    return Exact(1, 1, 1.0, _between=between)


@given(cells=cells_of)
@settings(max_examples=50)
def test_answers_do_not_depend_on_where_the_masses_lie(cells: dict[int, int]) -> None:
    answers: list[list[int]] = []
    for exact in (masses(cells), elsewhere(cells, [])):
        with simulated(np.random.default_rng(1)):
            survey = open_survey(exact, 3, Fraction(3))
            coarse = survey.ask([1] * 4, range(4), Fraction(1))
            fine = survey.ask([2, 3, 3], [7, 60, 2], Fraction(1))
        answers.append([*coarse.steps.tolist(), *fine.steps.tolist()])
    assert answers[0] == answers[1]


def test_a_survey_asks_for_its_squares_and_a_refused_ask_for_nothing() -> None:
    asked: list[list[tuple[int, int]]] = []
    survey = open_survey(elsewhere({5: 1}, asked), 2, Fraction(1))
    survey.ask([0], [0], Fraction(1, 2))
    survey.ask([2, 1], [3, 2], Fraction(1, 2))
    for level, code, price in [([1], [0], Fraction(1)), ([1, 1], [2, 2], Fraction(1, 8))]:
        with pytest.raises(OverspentError):
            survey.ask(level, code, price)
    assert asked == [[(0, 16)], [(3, 4), (8, 12)]]


@pytest.mark.parametrize("shape", [(8, 8), (1, 8, 8), (3, 8, 8)])
def test_counts_become_one_map_for_each_group(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    without_noise(monkeypatch)
    counts = np.random.default_rng(shape).integers(0, 100, shape)
    exact = Exact(5, 25, 0.2, _values=counts)
    found = split_into_maps(exact)
    assert len(found) == counts.size // 64
    for each, cells in zip(found, counts.reshape(-1, 8, 8), strict=True):
        assert (each.l1, each.l2_squared, each.step) == (5, 25, 0.2)
        quarters = open_survey(each, 3, Fraction(1)).ask([1] * 4, range(4), Fraction(1)).steps
        halves = [slice(0, 4), slice(4, 8)]
        # first along x, then along y: codes count columns before rows
        assert quarters.tolist() == [cells[y, x].sum() for y in halves for x in halves]


def test_an_empty_map_has_no_mass_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    without_noise(monkeypatch)
    assert open_survey(masses({}), 20, Fraction(1)).ask([0], [0], Fraction(1)).steps.tolist() == [0]


def test_a_path_is_paid_once_however_wide_the_map() -> None:
    survey = open_survey(masses({3: 5}), 5, Fraction(1))
    survey.ask([0], [0], Fraction(1, 4))
    survey.ask([3] * 64, range(64), Fraction(1, 4))
    assert survey.cost.epsilon == Fraction(1, 2)
    # half of the map is looked at more closely, and again: those paths are the dearest
    survey.ask([4] * 128, range(128), Fraction(1, 4))
    survey.ask([2] * 8, range(8, 16), Fraction(1, 8))
    assert survey.cost.epsilon == Fraction(3, 4)


squares = st.integers(0, 3).flatmap(
    lambda level: st.tuples(st.just(level), st.integers(0, 4**level - 1))
)


@st.composite
def rounds(draw: st.DrawFn) -> list[tuple[list[tuple[int, int]], Fraction]]:
    """Squares that do not overlap within a round, with a price that no scale has to round."""
    asks: list[tuple[list[tuple[int, int]], Fraction]] = []
    for _ in range(draw(st.integers(1, 5))):
        chosen: list[tuple[int, int]] = []
        held: set[int] = set()
        for level, code in draw(st.lists(squares, min_size=1, max_size=8)):
            cells = {cell for cell in range(64) if cell >> 2 * (3 - level) == code}
            if not cells & held:
                chosen.append((level, code))
                held |= cells
        asks.append((chosen, Fraction(1, 2 ** draw(st.integers(0, 6)))))
    return asks


def cost_by_hand(asks: list[tuple[list[tuple[int, int]], Fraction]]) -> Fraction:
    return max(
        sum(
            (
                epsilon
                for chosen, epsilon in asks
                if any(cell >> 2 * (3 - level) == code for level, code in chosen)
            ),
            Fraction(0),
        )
        for cell in range(64)
    )


@given(asks=rounds())
@settings(max_examples=200)
def test_the_cost_is_that_of_the_dearest_path(
    asks: list[tuple[list[tuple[int, int]], Fraction]],
) -> None:
    survey = open_survey(masses({5: 1}), 3, Fraction(10))
    for chosen, epsilon in asks:
        survey.ask([level for level, _ in chosen], [code for _, code in chosen], epsilon)
    assert survey.cost.epsilon == cost_by_hand(asks)


@given(asks=rounds())
@settings(max_examples=50)
def test_with_gaussian_noise_the_dearest_path_is_paid_in_rho(
    asks: list[tuple[list[tuple[int, int]], Fraction]],
) -> None:
    survey = open_survey(masses({5: 1}), 3, Fraction(10), "gaussian")
    for chosen, root in asks:
        rho = root**2 / 2  # whose scale is a power of two
        survey.ask([level for level, _ in chosen], [code for _, code in chosen], rho)
    paid = cost_by_hand([(chosen, root**2 / 2) for chosen, root in asks])
    assert survey.cost == Cost.gaussian(paid) and survey.cost.epsilon is None


def test_gaussian_noise_is_measured_by_all_of_a_persons_weight() -> None:
    exact = Exact(8, 16, 1 / 8, _values=np.array([4, 4]), _places=np.array([0, 1]))
    asked = open_survey(exact, 1, Fraction(1, 8), "gaussian").ask([0], [0], Fraction(1, 8))
    assert asked.scale == 16.0  # 8 / √(2ρ): both cells may hold the same person, in one square


@pytest.mark.parametrize(
    ("level", "code"),
    [([0, 1], [0, 3]), ([1, 1], [2, 2]), ([1], [4]), ([4], [0]), ([-1], [0]), ([2], [-1])],
)
def test_squares_that_overlap_or_do_not_exist_are_refused(
    level: list[int], code: list[int]
) -> None:
    with pytest.raises(OverspentError, match="withheld"):
        open_survey(masses({0: 1}), 3, Fraction(9)).ask(level, code, Fraction(1))


@pytest.mark.parametrize("family", FAMILIES)
def test_an_ask_beyond_the_budget_is_refused_and_draws_nothing(
    family: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = open_survey(masses({0: 1}), 3, Fraction(1), family)
    survey.ask([1] * 4, range(4), Fraction(1, 2))
    paid = survey.cost
    monkeypatch.delattr(module, "add_noise")
    with pytest.raises(OverspentError):
        survey.ask([3], [63], Fraction(5, 8))
    assert len(survey.asked) == 1 and survey.cost == paid
    assert paid == (Cost.pure if family == "laplace" else Cost.gaussian)(Fraction(1, 2))


def test_too_many_asks_are_refused_before_their_bits_run_out() -> None:
    survey = open_survey(masses({0: 1}), 1, Fraction(1000))
    for _ in range(module.MOST_ASKS):
        survey.ask([0], [0], Fraction(1))
    with pytest.raises(OverspentError):
        survey.ask([0], [0], Fraction(1))


def test_simulated_noise_is_not_called_private() -> None:
    def asked(meter):
        opened = survey(meter, masses({0: 1}), 1, Fraction(2))
        return [opened.ask([0], [0], Fraction(1)).steps.tolist() for _ in range(2)]

    assert metered(asked).private
    with simulated(np.random.default_rng(1)):
        once = metered(asked)
    with simulated(np.random.default_rng(1)):
        again = metered(asked)
    assert not once.private
    assert once.values == again.values


def priced(chosen: list[tuple[int, int]]) -> float:
    survey = open_survey(masses({}, l1=WEIGHT), LEVELS, Fraction(10))
    survey.ask([1, 1], [0, 3], Fraction(1, 2))
    survey.ask([level for level, _ in chosen], [code for _, code in chosen], Fraction(1, 2))
    assert all(asked.scale == 4.0 for asked in survey.asked)
    return float(survey.cost.epsilon or 0)


def test_over_all_neighbours_of_a_tiny_universe_the_loss_reaches_the_cost_and_no_more() -> None:
    cost = max(priced([(2, 0), (2, 1)]), priced([(2, 12)]))
    assert cost == 1.0
    assert cost * 0.999 < largest_loss(heaviest) <= cost + 1e-9


def test_a_twin_that_measures_a_path_three_times_at_the_same_price_loses_more() -> None:
    def greedy(answers: tuple[int, ...]) -> list[tuple[int, int]]:
        return [(2, 0), (1, 0)]

    assert largest_loss(greedy) > 1.4


def test_a_twin_that_answers_from_two_tables_loses_the_price_of_both() -> None:
    survey = open_survey(masses({}, l1=WEIGHT), LEVELS, Fraction(10))
    quarters = [(1, 0), (1, 3)]
    for level, code in quarters:
        survey.ask([level], [code], Fraction(1, 2))
    assert survey.cost.epsilon == Fraction(1, 2)

    def loss(*tables: dict[int, int]) -> float:
        return sum(
            math.log(factor(0, 0, 4.0) / factor(mass(table, *quarter), 0, 4.0))
            for table, quarter in zip(tables, quarters, strict=True)
        )

    here, moved = {0: WEIGHT}, {12: WEIGHT}
    assert loss(here, here) == loss(moved, moved) == pytest.approx(0.5)
    assert loss(here, moved) == pytest.approx(1.0)


# The same universe with Gaussian noise. The loss is a Rényi divergence: the sum over all answers of
# P^α Q^(1-α). Answers of the second round are independent of each other given those of the first,
# so their sums multiply, and the first two answers alone are enumerated.

FAR = 6.1  # standard errors, which true noise exceeds once in 10⁹ runs
ANSWERS = np.arange(-80, 140)
ORDERS = (1.5, 2.0, 4.0)
TABLES = ([], [{0: 2}], [{0: 2}] * 20, [{0: 1, 15: 1}, {12: 2}])
PEOPLE = [{0: 2}, {0: 1, 1: 1}, {0: 1, 12: 1}, {1: 2}, {15: 1}, {12: 2}, {12: 1, 13: 1}]


def terms(before: int, after: int, scale: float, order: float) -> np.ndarray:
    """Return P^α Q^(1-α) of every answer about a square that held this much, and then that."""
    exponents = [-((ANSWERS - each) ** 2) / (2 * scale**2) for each in (before, after)]
    logs = [each - np.log(np.exp(each).sum()) for each in exponents]
    return np.exp(order * logs[0] + (1 - order) * logs[1])


def divergence(
    fewer: dict[int, int], more: dict[int, int], follow, scale: float, order: float
) -> float:
    def of(level: int, code: int) -> np.ndarray:
        return terms(mass(fewer, level, code), mass(more, level, code), scale, order)

    first, second = np.meshgrid(ANSWERS, ANSWERS, indexing="ij")
    total = np.outer(of(1, 0), of(1, 3))
    for chosen, where in follow(first, second):
        total = np.where(where, total * np.prod([of(*square).sum() for square in chosen]), total)
    return float(np.log(total.sum()) / (order - 1))


def look_into_the_heavier(first: np.ndarray, second: np.ndarray):
    return [([(2, 0), (2, 1)], first >= second), ([(2, 12), (2, 13)], first < second)]


def largest_rho(follow, scale: float) -> float:
    """Return the largest divergence over its order, in both directions, over all neighbours."""
    return max(
        divergence(*pair, follow, scale, order) / order
        for table in TABLES
        for extra in PEOPLE
        for pair in [(together(table), together([*table, extra]))]
        for pair in (pair, pair[::-1])
        for order in ORDERS
    )


def gaussian_price(scale: float, asks: int) -> float:
    rho = Fraction(WEIGHT**2) / (2 * Fraction(scale) ** 2)
    survey = open_survey(masses({}, l1=WEIGHT), LEVELS, Fraction(10), "gaussian")
    survey.ask([1, 1], [0, 3], rho)
    for _ in range(asks - 1):
        survey.ask([2, 2], [0, 1], rho)
    assert all(asked.scale == scale for asked in survey.asked)
    return float(survey.cost.rho)


def test_with_gaussian_noise_no_neighbours_of_a_tiny_universe_diverge_by_more_than_the_cost() -> (
    None
):
    price = gaussian_price(4.0, asks=2)
    assert price * 0.999 < largest_rho(look_into_the_heavier, 4.0) <= price + 1e-9


def test_a_twin_that_measures_a_path_three_times_for_the_price_of_two_diverges_by_more() -> None:
    def greedy(first: np.ndarray, second: np.ndarray):
        return [([(2, 0), (1, 0)], np.ones_like(first, dtype=bool))]

    assert largest_rho(greedy, 4.0) > 1.4 * gaussian_price(4.0, asks=2)


def test_a_twin_that_counts_squares_over_the_finest_cells_promises_too_little() -> None:
    split = {0: 1, 1: 1}  # whose squares add up to 2, where its weight in one quarter has 4
    loss = divergence({}, split, lambda *_: [], 4.0, 2.0) / 2
    assert loss > 1.9 * 2 / (2 * 4.0**2)


def test_gaussian_noise_has_the_planned_scale() -> None:
    size = 4**7
    survey = open_survey(masses({}, l1=2**30), 7, Fraction(1), "gaussian")
    asked = survey.ask([7] * size, range(size), Fraction(1, 2))
    assert asked.scale == 2**30
    square = np.mean((asked.steps / asked.scale) ** 2)  # 1, with deviation √2
    off = FAR * math.sqrt(2 / size)
    assert abs(square - 1) < off
    assert abs(0.9**2 * square - 1) > off < abs(1.1**2 * square - 1)


def test_the_noise_has_the_planned_scale() -> None:
    size = 4**7
    survey = open_survey(masses({}, l1=2**30), 7, Fraction(1))
    asked: NoisySquares = survey.ask([7] * size, range(size), Fraction(1, 2))
    assert asked.scale == 2**31
    mean = np.abs(asked.steps / asked.scale).mean()  # 1 for Laplace noise, with deviation 1
    assert abs(mean - 1) < FAR / math.sqrt(size)
    assert abs(0.9 * mean - 1) > FAR / math.sqrt(size) < abs(1.1 * mean - 1)
