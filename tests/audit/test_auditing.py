"""The auditor itself: what it measures is there, and what is there it measures."""

from __future__ import annotations

import math

import numpy as np
import pytest

import telling
from telling.auditing import AT_MOST, DOUBT, measured, probabilities


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_laplace_noise_is_measured_at_nearly_what_it_costs(epsilon: float) -> None:
    generator = np.random.default_rng(1)
    one, other = (generator.laplace(true, 1 / epsilon, (40_000, 1)) for true in (0, 1))
    found = measured(one, other, epsilon=epsilon)
    assert 0.8 * epsilon < found.epsilon <= epsilon
    assert found.delta == 0
    assert found.trials == 80_000


def test_two_numbers_tell_more_than_either() -> None:
    generator = np.random.default_rng(2)
    one, other = (generator.laplace(true, 1.0, (40_000, 2)) for true in (0, 1))
    alone = measured(one[:, :1], other[:, :1], epsilon=1).epsilon
    assert alone <= 1 < 1.4 < measured(one, other, epsilon=2).epsilon <= 2


def test_a_delta_is_measured_where_a_rare_answer_gives_the_table_away() -> None:
    """One release in fifty says it outright, and all others say nothing."""
    generator = np.random.default_rng(5)
    one, other = (generator.laplace(size=(40_000, 1)) for _ in range(2))
    one[generator.random(40_000) < 0.02] = 1e9
    found = measured(one, other, epsilon=1.0, delta=0.02)
    assert 0.01 < found.delta <= 0.02
    assert found.within(1.0, 0.02) and not found.within(1.0, 0.01)
    assert measured(one, other, epsilon=1.0).epsilon > 1


@pytest.mark.parametrize("columns", [1, 8])
def test_where_there_is_nothing_to_tell_apart_nothing_is_measured(columns: int) -> None:
    """The event is chosen on other draws than it is counted on, so luck proves nothing."""
    generator = np.random.default_rng(3)
    found = [
        measured(*generator.laplace(size=(2, 400, columns)), epsilon=1.0, doubt=0.05)
        for _ in range(100)
    ]
    assert np.mean([each.epsilon > 0 for each in found]) <= 0.08


def test_choosing_and_counting_on_the_same_draws_would_find_something_in_nothing() -> None:
    """The twin: all parts of the draws are made the same."""
    generator = np.random.default_rng(4)
    few = np.round(generator.laplace(size=(2, 150, 8)), 9)
    draws = np.concatenate([few, few, *([few] * 4), few[:, :100]], axis=1)
    assert measured(*draws, epsilon=1.0, doubt=0.05).epsilon > 0.3


def test_the_bounds_are_those_of_clopper_and_pearson() -> None:
    least, most = probabilities((np.array([0, 100, 50]), np.array([100, 0, 50])), [100, 100], 0.025)
    assert least[0] == 0 and most[0] == 1
    assert least[1] == pytest.approx(0.025 ** (1 / 100))
    assert most[1] == pytest.approx(1 - 0.025 ** (1 / 100))
    assert (least[2], most[2]) == pytest.approx((0.3983, 0.6017), abs=1e-4)


def test_all_measurements_of_a_run_hold_together_but_for_one_in_a_million() -> None:
    assert 1000 < len(telling.cases()) <= AT_MOST and math.isclose(AT_MOST * DOUBT, 1e-6)
