"""What an auditor believes about noise is what the mechanisms draw."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.domain import Bounds
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms.joint import joint
from sfumato.mechanisms.sparse import sparse_delta, threshold_counts
from sfumato.testing import metered
from telling.components.scores import CLOUD
from telling.laws import (
    CERTAIN,
    chosen_chances,
    gaussian_says,
    laplace_says,
    sparse_says,
)
from telling.overhearing import Overhearing
from telling.pairs import CAPPED, Pair, Row
from telling.shuffled.drawing import noise_law, ways

Floats = NDArray[np.float64]

NOISE = np.arange(-400, 401)


def laplace_law(scale: float) -> Floats:
    weights = np.exp(-np.abs(NOISE) / scale)
    return weights / weights.sum()


def gaussian_law(scale: float) -> Floats:
    weights = np.exp(-(NOISE**2) / (2 * scale**2))
    return weights / weights.sum()


@pytest.mark.parametrize("released", [-3, 0, 2, 9])
def test_a_number_says_by_how_much_it_is_likelier_with_the_unit(released: int) -> None:
    for says, law in ((laplace_says, laplace_law), (gaussian_says, gaussian_law)):
        chances = law(2.5)
        without, joined = (chances[400 + released - true] for true in (1, 3))
        assert says([released], 2.5, [1], [3]) == pytest.approx(math.log(joined / without))


def test_numbers_of_one_release_add_up_and_releases_do_not() -> None:
    steps = np.array([[1, 5], [0, 2]])
    together = gaussian_says(steps, 2.0, [0, 1], [0, 3])
    assert together.tolist() == pytest.approx(
        [gaussian_says(row, 2.0, [0, 1], [0, 3]) for row in steps]
    )


def test_a_hidden_count_says_as_much_as_its_chance_and_a_new_one_all() -> None:
    scale, threshold = 1.5, 5
    shown = float(sparse_delta(1, scale, threshold))
    assert sparse_says([0], scale, threshold, [0], [1]) == pytest.approx(
        math.log1p(-shown), rel=1e-3
    )
    assert sparse_says([6], scale, threshold, [0], [1]) == CERTAIN
    assert sparse_says([6], scale, threshold, [1], [0]) == -CERTAIN
    assert sparse_says([6], scale, threshold, [3], [4]) == pytest.approx(
        float(gaussian_says([6], scale, [3], [4]))
    )
    assert sparse_says([6], scale, threshold, [0], [0]) == 0


def test_counts_are_shown_as_often_as_believed() -> None:
    draws, scale, threshold = 20_000, 1.5, 3
    exact = Exact(1, 1, 1.0, np.full(draws, 1))
    shown = metered(threshold_counts, exact, scale=scale, threshold=threshold).values > 0
    hidden = math.exp(float(sparse_says([0], scale, threshold, [0], [1])))
    assert abs(shown.mean() - (1 - hidden)) < 7 * math.sqrt(hidden * (1 - hidden) / draws)


@pytest.mark.parametrize("level", [Fraction(1, 2), Fraction(9, 10)])
def test_cells_are_chosen_as_often_as_believed(level: Fraction) -> None:
    draws, counts = 3000, np.array([3, 0, 1, 0, 2])
    exact = Exact(1, 1, 1.0, np.tile(counts, (draws, 1)))
    chosen = metered(joint, exact, levels=[level], epsilon=Fraction(1)).values[:, 0]
    chances = chosen_chances(counts, float(level), 1.0)
    found = np.bincount(chosen, minlength=5) / draws
    assert np.all(np.abs(found - chances) < 7 * np.sqrt(chances * (1 - chances) / draws) + 1e-4)
    # The twin: a belief in a quarter of the price would be noticed.
    wrong = chosen_chances(counts, float(level), 0.25)
    assert np.any(np.abs(found - wrong) > 7 * np.sqrt(wrong * (1 - wrong) / draws) + 1e-4)


def test_all_ways_to_divide_shares_between_two_are_counted() -> None:
    shares, modulus = np.array([[3, 3, 0, 7, 5, 1], [0, 0, 0, 0, 0, 0]]), 8
    for row, found in zip(shares, ways(shares, modulus), strict=True):
        sums = [sum(half) % modulus for half in itertools.combinations(row.tolist(), 3)]
        assert found.tolist() == np.bincount(sums, minlength=modulus).tolist()


@pytest.mark.parametrize("honest", [2, 8])
def test_the_noise_of_all_honest_participants_is_laplace_noise(honest: int) -> None:
    modulus, rate = 512, Fraction(1, 3)
    one = np.fft.fft(noise_law(rate, honest, modulus))
    together = np.fft.ifft(one**honest).real
    expected = np.bincount(NOISE % modulus, weights=laplace_law(3.0), minlength=modulus)
    assert together == pytest.approx(expected, abs=1e-9)


def test_whoever_listens_to_either_table_believes_the_same() -> None:
    scattered = Pair("scattered", CLOUD[:3], tuple(Row(float(x), float(x)) for x in range(9)))
    heard = [Overhearing(scattered, joined) for joined in (False, True)]
    for engine in heard:
        engine.counts([Grid("x", Bounds(0, 8), 8)], CAPPED)
    one, other = (engine.answers[-1] for engine in heard)
    for left, right in zip(one, other, strict=True):
        assert left.reveal().tolist() == right.reveal().tolist()
