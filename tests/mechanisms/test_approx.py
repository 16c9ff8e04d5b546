"""Quantiles one after the other: the law of the whole tree by enumeration."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import stats

from mechanisms.branches import answers, rising
from sfumato.errors import BudgetError, DomainError
from sfumato.exact import Exact
from sfumato.mechanisms import approx as module
from sfumato.mechanisms.approx import approx, single
from sfumato.mechanisms.joint import ROUNDING
from sfumato.mechanisms.meter import simulated
from sfumato.mechanisms.ranks import paths as chain
from sfumato.mechanisms.ranks import paths as wanted
from sfumato.mechanisms.ranks import profile
from sfumato.mechanisms.ranks import profile as stretch
from sfumato.privacy.budget import Cost
from sfumato.testing import metered
from telling.enumerated import ideal
from telling.enumerated.trees import doubled, largest_loss, tree

THIRDS = (Fraction(1, 3), Fraction(2, 3))
QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
UNEVEN = (Fraction(1, 10), Fraction(1, 5), Fraction(1, 2))
ALL = [THIRDS, QUARTILES, UNEVEN]
TENTHS = [Fraction(k, 10) for k in range(1, 10)]
SLACK = 1e-11


def counts(rows, unit=1):
    return Exact(unit, unit**2, 1 / unit, _values=np.atleast_2d(np.array(rows, dtype=np.int64)))


@pytest.mark.parametrize("levels", ALL, ids=str)
def test_no_answer_tells_of_an_added_row_more_than_epsilon(levels):
    depth = len(levels).bit_length()
    for rows, positions in ((6, 1), (5, 2)):
        places, cells = largest_loss(ideal.added(3, rows), levels, 8 / depth, positions)
        assert cells <= places <= 8 + SLACK
        assert places > 0.45 * 8
        # And what is charged is needed.
        assert levels != QUARTILES or places > 0.99 * 8


def test_no_answer_tells_of_a_replaced_row_more_than_epsilon():
    for levels in ALL:
        part = 8 / (2 * len(levels).bit_length())
        places, _ = largest_loss(ideal.replaced(4, 6), levels, part, 1)
        assert 0.35 * 8 < places <= 8 + SLACK
        assert levels != QUARTILES or places > 0.75 * 8


@pytest.mark.parametrize("positions", [1, 2])
def test_no_answer_tells_of_a_person_in_several_cells_more_than_epsilon(positions):
    """Two steps are one unit; where a cell is cut they may go to both sides of it."""
    pairs = list(ideal.added(3, 5, weight=2))
    places, _ = largest_loss(pairs, QUARTILES, 8 / 2, positions, unit=2)
    assert 0.8 * 8 < places <= 8 + SLACK
    assert largest_loss(pairs, QUARTILES, 8 / 2, positions, unit=1)[0] > 8


def test_the_enumeration_rejects_a_tree_that_is_thought_less_deep():
    for levels in ALL:
        assert largest_loss(ideal.added(4, 4), levels, 8.0, 1)[0] > 1.3 * 8


def test_the_enumeration_rejects_a_replaced_row_at_the_price_of_an_added_one():
    assert largest_loss(ideal.replaced(4, 6), QUARTILES, 8 / 2, 1)[0] > 1.5 * 8


def test_the_enumeration_rejects_a_cell_that_either_side_takes_whole():
    """Its rows would be paid for once and counted in two nodes of one depth."""
    assert largest_loss(ideal.added(3, 5), QUARTILES, 16 / 2, 2)[0] <= 16 + SLACK
    assert largest_loss(ideal.added(3, 5), QUARTILES, 16 / 2, 2, share=doubled)[0] > 1.05 * 16


def drawn_law(table, levels, part, positions, unit):
    one = profile.read_profiles(counts(table, unit))[0]

    def run(chance):
        places = module._choose_recursively(one, levels, Fraction(part), chance)
        return tuple(place.cell * positions + place.position for place in places)

    return answers(run)


@pytest.fixture
def few_positions(monkeypatch):
    monkeypatch.setattr(wanted, "draw_rising_sequence", rising)

    def change(number):
        for place in (profile, stretch, chain, wanted):
            monkeypatch.setattr(place, "POSITIONS", number)

    return change


TREES = [
    ((1, 4, 0), THIRDS, 1, 1),
    ((3, 0, 5), THIRDS, 2, 1),
    ((4, 5), QUARTILES, 2, 3),
    ((9,), QUARTILES, 4, 1),
    ((2, 0, 3), UNEVEN, 1, 1),
]


@pytest.mark.parametrize(("table", "levels", "positions", "unit"), TREES, ids=str)
def test_the_code_grows_the_tree_that_was_enumerated(
    table, levels, positions, unit, few_positions, monkeypatch
):
    few_positions(positions)
    # With slices of one position each, nothing is ever rejected, and all chances are exact.
    monkeypatch.setattr(chain, "SLICES", 1000)
    drawn = drawn_law(table, levels, 4, positions, unit)
    assert drawn == pytest.approx(tree(table, levels, 4, positions, unit), rel=1e-9)


@pytest.mark.parametrize(("size", "touched"), [(None, 1), (5, 2)], ids=["added", "replaced"])
def test_epsilon_is_divided_among_depths_and_among_the_nodes_of_a_depth_that_a_row_touches(
    size, touched, few_positions, monkeypatch
):
    few_positions(1)
    monkeypatch.setattr(chain, "SLICES", 1000)

    def run(chance):
        monkeypatch.setattr(module, "Chance", lambda receipt: chance)
        chosen = metered(approx, counts((1, 4, 0)), levels=THIRDS, epsilon=Fraction(8), size=size)
        return tuple(chosen.values[0].tolist())

    law = tree((1, 4, 0), THIRDS, 8 / (2 * touched), 1)
    assert answers(run) == pytest.approx(law, rel=1e-4)  # rounding takes some of ε


def test_the_comparison_notices_a_cell_that_either_side_takes_whole(few_positions, monkeypatch):
    few_positions(2)
    monkeypatch.setattr(chain, "SLICES", 1000)
    drawn = drawn_law((3, 0, 5), THIRDS, 4, 2, 1)
    assert drawn != pytest.approx(tree((3, 0, 5), THIRDS, 4, 2, share=doubled), rel=1e-3)


def test_single_quantiles_are_drawn_apart_from_each_other():
    """Two of them, each with half: their pairs of cells against the product of two laws."""
    table, draws = (3, 0, 11, 4), 1500
    with simulated(np.random.default_rng(1)):
        exact = counts([table] * draws)
        cells = metered(single, exact, levels=THIRDS, epsilon=Fraction(4)).values
    chances = np.zeros((4, 4))
    for first, second in product(range(160), repeat=2):
        low, high = sorted((first // 40, second // 40))
        laws = [_alone(table, level, 2.0) for level in THIRDS]
        chances[low, high] += math.exp(laws[0][first] + laws[1][second])
    seen = np.zeros((4, 4))
    np.add.at(seen, (cells[:, 0], cells[:, 1]), 1)
    likely = chances * draws >= 5
    expected = np.append(chances[likely], chances[~likely].sum()) * draws
    counted = np.append(seen[likely], seen[~likely].sum())
    assert stats.chisquare(counted, expected).pvalue > 1e-6


@cache
def _alone(table, level, epsilon):
    rate = epsilon / 4 / float(max(level, 1 - level))
    return ideal.law(ideal.published(table, [level], 40), rate)


@pytest.mark.parametrize("mechanism", [approx, single])
@pytest.mark.parametrize("epsilon", [1e-4, 1, 10**6])
def test_no_table_is_too_extreme(mechanism, epsilon):
    tables = [
        np.zeros(1),
        np.eye(1, 8)[0],
        np.full(3, 2**62),
        np.array([2**62, *[0] * 100, 1, *[0] * 100, np.iinfo(np.int64).max]),
        np.ones(2000),
    ]
    with simulated(np.random.default_rng(2)):
        for table, unit in product(tables, (1, 2**30)):
            exact = counts(table, unit)
            chosen = metered(mechanism, exact, levels=TENTHS, epsilon=Fraction(epsilon))
            cells = chosen.values[0].tolist()
            assert all(low <= high for low, high in pairwise([0, *cells, len(table) - 1]))


@pytest.mark.parametrize("mechanism", [approx, single])
def test_with_much_to_spend_quantiles_are_nearly_those_of_the_table(mechanism):
    table = np.random.default_rng(3).poisson(20, 400)
    below = np.append(0, table.cumsum())
    for size in (None, int(table.sum())):
        chosen = metered(mechanism, counts(table), levels=TENTHS, epsilon=Fraction(400), size=size)
        for cell, level in zip(chosen.values[0].tolist(), TENTHS, strict=True):
            target = float(level) * table.sum()
            assert below[cell] - 9 <= target <= below[cell + 1] + 9


def test_each_depth_costs_the_same_and_rho_is_the_sum_of_all():
    exact = counts([1, 2])
    third = Fraction(1, 3)
    half = Cost.exponential(third / 2)
    assert (half + half).rho == third**2 / 16
    assert metered(approx, exact, levels=QUARTILES, epsilon=third).cost == half + half
    of_tenths = metered(approx, exact, levels=TENTHS, epsilon=third).cost
    assert of_tenths == sum([Cost.exponential(third / 4)] * 4, Cost.nothing())
    assert of_tenths.rho == third**2 / 32
    of_each = metered(single, exact, levels=TENTHS, epsilon=third).cost
    assert of_each == sum([Cost.exponential(third / 9)] * 9, Cost.nothing())
    assert of_each.rho == third**2 / 72
    assert metered(single, exact, levels=TENTHS, epsilon=third, size=3).cost.rho == third**2 / 72


def test_a_replaced_row_costs_in_rho_what_two_changes_of_one_node_do():
    """Both parts of ε at one node: log ratios in an interval twice as long, at four times ρ."""
    cost = metered(approx, counts([1, 2]), levels=QUARTILES, epsilon=Fraction(1), size=3).cost
    assert cost == Cost.exponential(Fraction(1, 2)) + Cost.exponential(Fraction(1, 2))
    assert (cost.epsilon, cost.rho) == (1, 2 * 4 * Fraction(1, 4) ** 2 / 8)


@pytest.mark.parametrize(("mechanism", "parts"), [(approx, 4), (single, 9)])
def test_too_little_to_spend_is_refused(mechanism, parts):
    exact = counts([[1, 2]] * 5, 2**30)
    nodes = 8 if mechanism is approx else 1
    with pytest.raises(BudgetError, match="rounding alone"):
        metered(mechanism, exact, levels=TENTHS, epsilon=parts * 5 * nodes * ROUNDING)
    enough = parts * (5 * nodes + 1) * ROUNDING
    assert metered(mechanism, exact, levels=TENTHS, epsilon=enough).values.shape == (5, 9)


@pytest.mark.parametrize("mechanism", [approx, single])
def test_what_joint_refuses_is_refused_here(mechanism):
    for levels in ([], [Fraction(1)], [Fraction(1, 2)] * 2):
        with pytest.raises(DomainError, match="must rise between 0 and 1"):
            metered(mechanism, counts([1, 2]), levels=levels, epsilon=Fraction(1))
    with pytest.raises(DomainError, match="rows of one group"):
        metered(mechanism, counts([[1, 2], [3, 4]]), levels=TENTHS, epsilon=Fraction(1), size=10)
