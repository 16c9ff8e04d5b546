"""A walk with Laplace steps that returns: against walks that were drawn, and one that is known."""

import numpy as np
import pytest

from sfumato.postprocess.rank_error import bridge_error


def drawn(levels, generator, size=2_000_000):
    """Mean distances of walks that came back, to within a little, after one more step."""
    steps = generator.laplace(size=(size // (levels + 1), levels + 1))
    walks = np.cumsum(steps, axis=1)
    returned = np.abs(walks[:, -1]) < 0.1
    return np.abs(walks[returned, :-1]).mean(axis=0)


def test_one_level_has_twice_the_rate():
    assert bridge_error(1, 1) == pytest.approx(0.5, rel=2e-3)


def test_three_levels_have_the_known_errors_of_quartiles():
    """2.7 and 2.25 over ε where the rate is ε/3: the integrals stand in `rank_error`."""
    assert bridge_error(3, 2) == pytest.approx(0.9, rel=1e-3)
    assert bridge_error(3, 1) == pytest.approx(0.75, rel=1e-3)


@pytest.mark.parametrize("levels", [2, 4, 6])
def test_the_errors_are_those_of_walks_that_return(levels):
    observed = drawn(levels, np.random.default_rng(7))
    expected = [bridge_error(levels, index + 1) for index in range(levels)]
    assert expected == pytest.approx(observed, rel=0.05)


@pytest.mark.parametrize("levels", [2, 3, 6])
def test_the_errors_are_the_same_from_both_ends_and_largest_in_the_middle(levels):
    errors = [bridge_error(levels, index + 1) for index in range(levels)]
    assert errors == pytest.approx(errors[::-1])
    assert errors[: (levels + 1) // 2] == sorted(errors[: (levels + 1) // 2])


def test_a_walk_that_need_not_return_would_be_noticed():
    """The twin: without the way back the last error would be far larger."""
    free = np.abs(np.cumsum(np.random.default_rng(7).laplace(size=(100_000, 3)), axis=1))
    assert bridge_error(3, 3) != pytest.approx(free[:, -1].mean(), rel=0.3)
