"""Coins and picks: exact odds, by trying out all random numbers, and with the system's own."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mechanisms.branches import Script, Told, answers, coins
from sfumato.mechanisms.chance import Chance, pair_sums
from sfumato.mechanisms.meter import simulated
from telling.enumerated.coins import chance_of, largest_error

DRAWS = 40_000  # a tenth fewer of the least odds is seen but for a chance of 10⁻¹²
weights = st.floats(0, 1e300, allow_nan=False)


class Numbers(Chance):
    """Tries out every whole number below a limit."""

    def __init__(self, choices):
        script = Script(choices)
        self.below = lambda limit: script.choose(np.full(limit, 1 / limit))


@pytest.mark.parametrize(("yes", "no"), [(3.0, 1.0), (0.75, 0.5), (0.0, 2.0), (5.0, 0.0)])
def test_odds_are_exact(yes, no):
    found = answers(lambda chance: chance.odds(yes, no), Numbers)
    assert found.get(True, 0) == pytest.approx(yes / (yes + no), rel=1e-12)


@given(weights, weights.filter(bool))
def test_odds_of_any_floats_are_whole_numbers_in_that_ratio(yes, no):
    limits = []
    edge = Told(lambda limit: limits.append(limit) or 0)
    assert edge.odds(yes, no) == (yes > 0)
    share = Fraction(yes) / (Fraction(yes) + Fraction(no)) * limits[0]
    assert share.denominator == 1
    for value in (int(share) - 1, int(share)):
        told = Told(lambda _, value=value: value)
        assert told.odds(yes, no) == (value < share)


@pytest.mark.parametrize("exponent", [0.0, 0.25, 0.5, 1.0, 1.5])
def test_survival_is_exact(exponent):
    found = answers(lambda chance: chance.draw_bernoulli_exp(exponent), Numbers)
    assert found[True] == pytest.approx(math.exp(-exponent), rel=1e-12)


def test_what_rounding_puts_below_0_survives():
    nobody = Told(lambda limit: limit - 1)
    assert nobody.draw_bernoulli_exp(-1e-13)
    assert nobody.draw_bernoulli_exp(0.0)


def test_an_exponent_without_measure_does_not_take_for_ever():
    assert not coins().draw_bernoulli_exp(1e300)


@given(st.lists(weights, min_size=1, max_size=40).filter(any))
def test_every_weight_keeps_its_probability_however_small(given_weights):
    sums = pair_sums(np.array(given_weights))
    whole = sum(map(Fraction, given_weights))
    assert largest_error(given_weights, whole, lambda index: chance_of(sums, index)) < 2**-45


def test_the_check_notices_a_cumulative_table():
    """The twin: differences of running sums give nothing to what is below their last place."""
    small = [1.0, 1e-20, 1e-300]
    table = np.diff([0.0, *np.cumsum(small)])
    found = largest_error(small, sum(map(Fraction, small)), lambda k: Fraction(table[k]))
    assert found == 1


def test_nothing_is_picked_that_weighs_nothing():
    chance = coins()
    sums = pair_sums(np.array([0.0, 0.0, 1e-310, 0.0, 0.0]))
    assert {chance.pick(sums) for _ in range(50)} == {2}


def test_the_systems_randomness_gives_the_same_odds(rare):
    chance = coins()
    for yes, run in {
        0.3: lambda: chance.odds(0.75, 1.75),
        math.exp(-1.3): lambda: chance.draw_bernoulli_exp(1.3),
        math.exp(-0.2): lambda: chance.draw_bernoulli_exp(0.2),
    }.items():
        hits = sum(run() for _ in range(DRAWS))
        assert stats.binomtest(hits, DRAWS, yes).pvalue > rare
        assert stats.binomtest(hits, DRAWS, yes * 0.9).pvalue < rare


def test_the_systems_randomness_never_repeats_itself():
    drawn = [coins().below(2**64) for _ in range(200)]
    assert len(set(drawn)) == 200


@pytest.mark.parametrize("source", ["system", "simulation"])
def test_picks_follow_their_weights(source, rare):
    given_weights = np.array([1.0, 0.0, 3.0, 0.5, 8.0, 2.5, 1e-30])
    chance = coins() if source == "system" else _simulated()
    sums = pair_sums(given_weights)
    seen = np.bincount([chance.pick(sums) for _ in range(DRAWS)], minlength=7)
    kept = given_weights > 0.1
    assert seen[~kept].sum() == 0
    expected = given_weights[kept] / given_weights.sum() * DRAWS
    expected *= DRAWS / expected.sum()
    assert stats.chisquare(seen[kept], expected).pvalue > rare
    assert stats.chisquare(seen[kept][::-1], expected).pvalue < rare


@pytest.mark.parametrize("limit", [7, 2**63 - 1, 2**63, 10**40])
def test_simulated_numbers_are_uniform(limit, rare):
    chance = _simulated()
    drawn = [chance.below(limit) for _ in range(4000)]
    assert all(0 <= value < limit for value in drawn)
    sevenths = np.bincount([value * 7 // limit for value in drawn], minlength=7)
    assert stats.chisquare(sevenths).pvalue > rare


def test_a_simulation_can_be_repeated():
    one, other = _simulated(), _simulated()
    assert [one.below(10**30) for _ in range(5)] == [other.below(10**30) for _ in range(5)]


def _simulated():
    with simulated(np.random.default_rng(3)):
        return coins()
