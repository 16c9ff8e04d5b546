"""The auditor itself: what it measures is there, and what is there it measures."""

from __future__ import annotations

import math

import numpy as np
import pytest

from audit.measuring import epsilon_bound, measured_epsilon


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_laplace_noise_is_measured_at_nearly_what_it_costs(epsilon: float) -> None:
    generator = np.random.default_rng(1)
    one, other = (generator.laplace(true, 1 / epsilon, (20_000, 1)) for true in (0, 1))
    assert 0.85 * epsilon < measured_epsilon(one, other) <= epsilon


def test_two_numbers_tell_more_than_either() -> None:
    generator = np.random.default_rng(2)
    one, other = (generator.laplace(true, 1.0, (20_000, 2)) for true in (0, 1))
    alone = measured_epsilon(one[:, :1], other[:, :1])
    assert alone <= 1 < 1.6 < measured_epsilon(one, other) <= 2


@pytest.mark.parametrize("columns", [1, 8])
def test_where_there_is_nothing_to_tell_apart_nothing_is_measured(columns: int) -> None:
    """The event is chosen on other draws than it is counted on, so luck proves nothing."""
    generator = np.random.default_rng(3)
    bounds = [measured_epsilon(*generator.laplace(size=(2, 400, columns))) for _ in range(100)]
    assert np.mean(np.array(bounds) > 0) <= 0.08


def test_choosing_and_counting_on_the_same_draws_would_find_something_in_nothing() -> None:
    """The twin: both halves are made the same."""
    generator = np.random.default_rng(4)
    draws = np.repeat(generator.laplace(size=(2, 1, 500, 8)), 2, axis=1).reshape(2, 1000, 8)
    assert measured_epsilon(*draws) > 0.3


def test_the_bound_is_that_of_clopper_and_pearson() -> None:
    assert epsilon_bound(0, 100, 0, 100, 0.95) == -math.inf
    least, most = 0.025 ** (1 / 100), 1 - 0.025 ** (1 / 100)
    assert epsilon_bound(100, 100, 0, 100, 0.95) == pytest.approx(math.log(least / most))
    assert epsilon_bound(50, 100, 100, 100, 0.95) == pytest.approx(math.log(0.3983), rel=1e-3)
    assert epsilon_bound(500, 1000, 184, 1000, 0.95) < math.log(0.5 / 0.184)
