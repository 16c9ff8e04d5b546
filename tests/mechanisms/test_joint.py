"""Quantiles together: what their law tells about neighbours, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest

from sfumato.errors import BudgetError, DomainError
from sfumato.exact import Exact
from sfumato.mechanisms.joint import (
    MOST_LEVELS,
    ROUNDING,
    DecayRates,
    compute_usable_epsilon,
    count_touched_draws,
    joint,
)
from sfumato.mechanisms.meter import simulated
from sfumato.privacy.budget import Cost
from sfumato.testing import metered
from telling.enumerated import ideal
from telling.enumerated.ideal import joint_law, largest_loss, rate

HALF, TENTH = [Fraction(1, 2)], [Fraction(1, 10)]
THIRDS = [Fraction(1, 3), Fraction(2, 3)]
QUARTILES = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
UNEVEN = [Fraction(1, 10), Fraction(1, 2)]
ALL = [HALF, TENTH, THIRDS, QUARTILES, UNEVEN]
SLACK = 1e-11


def counts(rows, unit=1):
    return Exact(unit, unit**2, 1 / unit, _values=np.atleast_2d(np.array(rows, dtype=np.int64)))


@pytest.mark.parametrize("epsilon", [0.5, 4.0, 8.0])
@pytest.mark.parametrize("levels", ALL, ids=len)
@pytest.mark.parametrize("score", ["balanced", "published"])
def test_no_answer_tells_of_an_added_row_more_than_epsilon(score, levels, epsilon):
    factor = rate(levels, epsilon, score)
    for cells, rows, positions in ((3, 7, 1), (4, 5, 1), (4, 4, 2)):
        pairs = ideal.added(cells, rows)
        worst = largest_loss(pairs, levels, score, factor, positions)
        assert 0.35 * epsilon < worst <= epsilon + SLACK


@pytest.mark.parametrize(
    ("score", "levels", "positions"),
    [
        ("balanced", HALF, 1),
        ("balanced", THIRDS, 1),
        ("balanced", QUARTILES, 1),
        ("balanced", UNEVEN, 1),
        ("published", HALF, 1),
        ("published", THIRDS, 2),
    ],
)
def test_what_is_charged_is_needed(score, levels, positions):
    factor = rate(levels, 8, score)
    assert largest_loss(ideal.added(3, 6), levels, score, factor, positions) > 0.99 * 8


@pytest.mark.parametrize("levels", ALL, ids=len)
def test_no_answer_tells_of_a_replaced_row_more_than_epsilon(levels):
    factor = rate(levels, 8, "published", replaced=True)
    for positions in (2, 1):
        pairs = ideal.replaced(4, 6)
        worst = largest_loss(pairs, levels, "published", factor, positions, size=6)
        assert 0.55 * 8 < worst <= 8 + SLACK
    assert levels != HALF or worst > 0.98 * 8


@pytest.mark.parametrize("score", ["balanced", "published"])
@pytest.mark.parametrize("levels", [HALF, THIRDS, QUARTILES], ids=len)
def test_no_answer_tells_of_a_person_in_several_cells_more_than_epsilon(levels, score):
    """Three steps are one unit, divided among cells in every way."""
    factor = rate(levels, 4, score)
    pairs = list(ideal.added(3, 4, weight=3))
    worst = largest_loss(pairs, levels, score, factor, 2, unit=3)
    assert 0.35 * 4 < worst <= 4 + SLACK
    assert largest_loss(pairs, levels, score, factor, 2, unit=1) > 4


@pytest.mark.parametrize("score", ["balanced", "published"])
def test_a_person_in_several_groups_is_charged_once(score):
    """Two groups, a unit of two steps: in one of them, or one step in each."""
    factor = rate(HALF, 8, score)

    @cache
    def law(table):
        return joint_law(table, HALF, score, factor, 2, unit=2)

    @cache
    def ends(one, other):
        change = law(other) - law(one)
        return change.min(), change.max()

    tables, units = ideal.tables(3, 4), [(0, 0, 0), *ideal.units(3, 2)]
    worst = {False: 0.0, True: 0.0}
    for first, second, one, other in product(tables, tables, units, units):
        if 0 < sum(one) + sum(other) <= 2:
            low, high = ends(first, ideal.moved_by(first, one))
            lower, higher = ends(second, ideal.moved_by(second, other))
            in_both = any(one) and any(other)
            worst[in_both] = max(worst[in_both], high + higher, -low - lower)
    assert max(worst.values()) <= 8 + SLACK
    assert min(worst.values()) > 0.8 * 8


def test_the_enumeration_rejects_a_size_that_is_taken_as_public():
    """Were n public, an added row would move the published score by 1."""
    for levels in (THIRDS, QUARTILES):
        assert largest_loss(ideal.added(3, 5), levels, "published", 8 / 2, 2) > 8


def test_the_enumeration_rejects_twice_the_rate():
    for levels in ALL:
        factor = 2 * rate(levels, 8, "balanced")
        assert largest_loss(ideal.added(3, 5), levels, "balanced", factor) > 8


def test_the_enumeration_rejects_a_replaced_row_at_the_price_of_an_added_one():
    for levels in (HALF, THIRDS):
        factor = rate(levels, 8, "published")
        assert largest_loss(ideal.replaced(4, 6), levels, "published", factor, size=6) > 1.4 * 8


def test_the_enumeration_rejects_the_balanced_score_for_a_replaced_row():
    """One row leaves and one enters: the gaps move by 2, and the score has paid for 1."""
    pairs = [(one, other) for one, other in ideal.replaced(4, 6) if sum(one) == sum(other) == 6]
    assert largest_loss(pairs, THIRDS, "balanced", 8 / 2) > 1.7 * 8


def test_rates_are_epsilon_over_twice_the_sensitivity():
    for levels, score in product(ALL, ("balanced", "published")):
        for replaced in (False, True):
            found = DecayRates.of(levels, Fraction(3), score, replaced=replaced)
            assert found.published == pytest.approx(rate(levels, 3, "published", replaced=replaced))
            balanced = score == "balanced" and not replaced
            assert found.balanced == (rate(levels, 3, "balanced") if balanced else None)


def test_where_the_published_law_proposes_badly_sizes_are_drawn():
    """Five ratings on a fine grid: one path in 40,000 would be accepted."""
    table = np.zeros(2**20, dtype=np.int64)
    table[[0, 2**18, 2**19, 3 * 2**18, 2**20 - 1]] = 14, 42, 81, 40, 23
    exact = counts(table)
    with simulated(np.random.default_rng(7)):
        chosen = metered(joint, exact, levels=QUARTILES, epsilon=Fraction(1))
    assert (np.diff(chosen.values) >= 0).all()


EXTREME_TABLES = {
    "nothing": np.zeros(1),
    "nothing on a fine grid": np.zeros(2**20),
    "one row": np.eye(1, 8)[0],
    "one cell": np.full(1, 10**6),
    "all that fits": np.full(1, np.iinfo(np.int64).max),
    "all that fits everywhere": np.full(512, 2**62),
    "far apart": np.array([2**62, *[0] * 1000, 1, *[0] * 1000, 2**62]),
    "a row in each cell": np.ones(5000),
}
EXTREME_LEVELS = {
    "low": [Fraction(1, 1000)],
    "near": [Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**9)],
    "six": [Fraction(k, 7) for k in range(1, 7)],
    "both ends": [
        *(Fraction(k, 1000) for k in (1, 2, 3)),
        Fraction(998, 1000),
        Fraction(999, 1000),
    ],
}


@pytest.mark.parametrize("epsilon", [1e-5, 1, 64, 10**6])
@pytest.mark.parametrize("levels", EXTREME_LEVELS.values(), ids=EXTREME_LEVELS.keys())
@pytest.mark.parametrize("table", EXTREME_TABLES.values(), ids=EXTREME_TABLES.keys())
def test_no_table_is_too_extreme(table, levels, epsilon):
    with simulated(np.random.default_rng(8)):
        for unit, score in ((1, "balanced"), (2**30, "balanced"), (1, "published")):
            exact = counts(table, unit)
            chosen = metered(joint, exact, levels=levels, epsilon=Fraction(epsilon), score=score)
            _lies_within(chosen, len(table), len(levels))
        small = metered(joint, counts(table), levels=levels, epsilon=Fraction(epsilon), size=100)
        _lies_within(small, len(table), len(levels))


def _lies_within(chosen, cells, number):
    assert chosen.values.shape == (1, number)
    assert chosen.values.dtype == np.int64
    assert all(low <= high for low, high in pairwise([0, *chosen.values[0].tolist(), cells - 1]))


def test_with_much_to_spend_quantiles_are_nearly_those_of_the_table():
    table = np.random.default_rng(9).poisson(20, 400)
    chosen = metered(joint, counts(table), levels=QUARTILES, epsilon=Fraction(64))
    below = np.append(0, table.cumsum())
    for cell, level in zip(chosen.values[0].tolist(), QUARTILES, strict=True):
        target = float(level) * table.sum()
        assert below[cell] - 3 <= target <= below[cell + 1] + 3


def test_the_answer_says_what_it_cost_and_whether_it_is_private():
    exact = counts([[1, 2, 3], [4, 5, 6]], unit=2)
    chosen = metered(joint, exact, levels=THIRDS, epsilon=Fraction(1, 3))
    assert chosen.cost == Cost.exponential(Fraction(1, 3))
    assert (chosen.cost.epsilon, chosen.cost.rho) == (Fraction(1, 3), Fraction(1, 72))
    assert chosen.values.shape == (2, 2)
    assert chosen.private
    with simulated(np.random.default_rng(1)):
        assert not metered(joint, exact, levels=THIRDS, epsilon=Fraction(1, 3)).private


def test_rounding_is_paid_for_in_every_group_a_unit_can_touch():
    rows = [[1, 2]] * 5
    assert count_touched_draws(counts(rows)) == 1
    assert count_touched_draws(counts(rows, 3)) == 3
    assert count_touched_draws(counts(rows, 2**30)) == 5
    assert count_touched_draws(counts(rows, 2**30), nodes=4) == 20
    assert compute_usable_epsilon(Fraction(1), 5) == 1 - 5 * ROUNDING
    assert compute_usable_epsilon(Fraction(1000), 5) == 64


def test_too_little_to_spend_is_refused():
    exact = counts([[1, 2]] * 5, 2**30)
    with pytest.raises(BudgetError, match="rounding alone"):
        metered(joint, exact, levels=THIRDS, epsilon=5 * ROUNDING)
    assert metered(joint, exact, levels=THIRDS, epsilon=6 * ROUNDING).values.shape == (5, 2)


def test_more_levels_than_floats_can_hold_are_refused():
    levels = [Fraction(k, MOST_LEVELS + 2) for k in range(1, MOST_LEVELS + 2)]
    with pytest.raises(DomainError, match="7 quantiles are too many"):
        metered(joint, counts([1, 2]), levels=levels, epsilon=Fraction(1))
    assert metered(joint, counts([1, 2]), levels=levels[1:], epsilon=Fraction(1)).values.shape == (
        1,
        6,
    )


@pytest.mark.parametrize(
    "levels",
    [[], [Fraction(0)], [Fraction(1)], THIRDS[::-1], [*THIRDS, Fraction(2, 3)]],
    ids=str,
)
def test_levels_that_do_not_rise_between_0_and_1_are_refused(levels):
    with pytest.raises(DomainError, match="must rise between 0 and 1"):
        metered(joint, counts([1, 2]), levels=levels, epsilon=Fraction(1))


def test_more_cells_than_sums_are_precise_for_are_refused():
    with pytest.raises(DomainError, match="too many for one group"):
        metered(joint, counts(np.zeros(2**22 + 1)), levels=HALF, epsilon=Fraction(1))


def test_a_public_size_needs_rows_of_one_group():
    """A row that changes its group would change two answers, at twice the price."""
    two_groups, people = counts([[1, 2], [3, 4]]), counts([1, 2], unit=3)
    for exact, size in ((two_groups, 10), (people, 10), (counts([1]), -1), (counts([1]), 2**37)):
        with pytest.raises(DomainError, match="rows of one group"):
            metered(joint, exact, levels=HALF, epsilon=Fraction(1), size=size)
    left = [(one, other) for one, other in ideal.replaced(4, 6) if sum(other) < sum(one) == 6]
    factor = rate(HALF, 8, "published", replaced=True)
    assert 2 * largest_loss(left, HALF, "published", factor, size=6) > 1.9 * 8
