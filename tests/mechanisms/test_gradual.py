"""Continued noise has the law of less noise, and both draws cost what the second alone would."""

import copy
import math
import os
import pickle
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from sfumato.errors import BudgetError, OverspentError
from sfumato.exact import Exact
from sfumato.mechanisms.chance import Chance
from sfumato.mechanisms.gradual import (
    Rates,
    UnfinishedNoise,
    continue_laplace,
    price_continuation,
)
from sfumato.mechanisms.meter import Meter, simulated
from sfumato.privacy.budget import Cost

WIDE, NARROW = 0.6, 0.35
FIRST, SECOND = 1 / WIDE, 1 / NARROW  # the ε of both, where one unit moves one count by 1
LISTED = 12  # values of a geometric law: all but e^{-1.19 · 12} < 10^-6 of the widest of them
REACH = range(-12, 14)
NEAR = range(-4, 6)  # where what is cut off of the lists is small against what is left


def laplace(scale: float, z: int) -> float:
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** abs(z)


class Scripted:
    """Deals out geometric numbers from a list, and tells how likely the list is."""

    def __init__(self, values: tuple[int, ...]) -> None:
        self.values, self.used, self.chance = values, 0, 1.0

    def draw_geometric(self, exponent: Fraction) -> int:
        if self.used == len(self.values):
            raise LookupError
        value = self.values[self.used]
        self.used += 1
        q = math.exp(-float(exponent))
        self.chance *= (1 - q) * q**value
        return value


Draw = Callable[[Scripted, int], int]


def outcomes(draw: Draw, before: int, script: tuple[int, ...] = ()) -> Iterator[tuple[int, float]]:
    """Yield every way in which the real code can go, and how likely it is."""
    dealt = Scripted(script)
    try:
        yield draw(dealt, before), dealt.chance
    except LookupError:
        for value in range(LISTED):
            yield from outcomes(draw, before, (*script, value))


RATES = Rates.of(WIDE, NARROW)


def real(dealt: Scripted, before: int) -> int:
    return RATES.draw(dealt, before)  # pyright: ignore[reportArgumentType]


def without_atom(dealt: Scripted, before: int) -> int:
    """A twin that forgets how often both draws are the same."""
    sign = -1 if before < 0 else 1
    inner = dealt.draw_geometric(RATES._inward) - dealt.draw_geometric(RATES._outward)
    if inner < sign * before:
        return sign * inner
    return sign * (sign * before + dealt.draw_geometric(RATES._outward))


def independent(dealt: Scripted, before: int) -> int:
    """A twin that draws anew, at the difference in ε, and charges for a continuation."""
    del before
    rate = Fraction(1 / NARROW)
    return dealt.draw_geometric(rate) - dealt.draw_geometric(rate)


@cache
def given(draw: Draw, before: int) -> dict[int, float]:
    law: dict[int, float] = {}
    for value, chance in outcomes(draw, before):
        law[value] = law.get(value, 0.0) + chance
    return law


@cache
def smaller(draw: Draw) -> dict[int, float]:
    """The law of the second noise, whatever the first was."""
    law: dict[int, float] = {}
    for before in REACH:
        for value, chance in given(draw, before).items():
            law[value] = law.get(value, 0.0) + laplace(WIDE, before) * chance
    return law


@pytest.mark.parametrize("before", NEAR)
def test_every_way_to_draw_adds_up_to_the_law_that_is_argued_for(before):
    q1, q2 = math.exp(-FIRST), math.exp(-SECOND)
    same = q2 / q1 * ((1 - q1) / (1 - q2)) ** 2
    for value in NEAR:
        between = (1 - same) * laplace(WIDE, before - value) + same * (before == value)
        wanted = laplace(NARROW, value) * between / laplace(WIDE, before)
        assert given(real, before).get(value, 0.0) == pytest.approx(wanted, abs=2e-6)


def test_the_second_noise_is_laplace_noise_of_its_scale():
    for value in NEAR:
        assert smaller(real)[value] == pytest.approx(laplace(NARROW, value), abs=2e-6)


def test_a_twin_without_the_atom_is_noticed():
    assert abs(smaller(without_atom)[0] - laplace(NARROW, 0)) > 1e-3


def worst(joint: Callable[[int, int, int], float]) -> float:
    """Return the largest log-ratio of two answers between a count of 0 and one of 1."""
    pairs = [(first, second) for first in NEAR for second in NEAR]
    return max(abs(math.log(joint(*pair, 0) / joint(*pair, 1))) for pair in pairs)


def test_both_draws_cost_what_the_second_alone_would():
    def joint(first: int, second: int, count: int) -> float:
        return laplace(WIDE, first - count) * given(real, first - count).get(second - count, 0.0)

    assert SECOND * 0.999 < worst(joint) < SECOND * 1.001


def test_the_second_draw_alone_given_the_first_costs_more():
    """Why ledgers that count divergences do not continue noise: the sum there is of such costs."""

    def conditional(first: int, second: int, count: int) -> float:
        return given(real, first - count).get(second - count, 0.0)

    assert worst(conditional) > SECOND > SECOND - FIRST
    assert worst(conditional) == pytest.approx(FIRST + SECOND, rel=1e-3)


@pytest.mark.parametrize("order", [2, 4])
def test_whoever_may_choose_to_continue_exceeds_a_sum_of_divergences(order):
    """With charges r₁ and r₂ − r₁, one who continues where it pays exceeds the filter's limit."""
    reach = range(-40, 42)
    q1, q2 = math.exp(-FIRST), math.exp(-SECOND)
    same = q2 / q1 * ((1 - q1) / (1 - q2)) ** 2

    def tilt(scale: float, place: int) -> float:
        return laplace(scale, place) ** order * laplace(scale, place - 1) ** (1 - order)

    alone = sum(tilt(WIDE, place) for place in reach)
    both = sum(tilt(NARROW, place) for place in reach)
    total = 0.0
    for first in reach:
        continued = sum(
            tilt(NARROW, second)
            * ((1 - same) * laplace(WIDE, first - second) + same * (first == second))
            for second in reach
        )
        total += max(tilt(WIDE, first) / alone, continued / both)
    assert total > 1.01


def test_a_twin_that_reads_a_changed_table_costs_more():
    def joint(first: int, second: int, count: int) -> float:
        now = count + 2  # two rows were added in between, to either table
        return laplace(WIDE, first - count) * given(real, first - now).get(second - now, 0.0)

    assert SECOND + FIRST < worst(joint) < (SECOND + 2 * FIRST) * 1.001


def test_a_twin_that_continues_one_draw_twice_costs_more():
    def law(first: int, second: int, third: int, count: int) -> float:
        again = given(real, first - count)
        return laplace(WIDE, first - count) * again[second - count] * again[third - count]

    charged = FIRST + 2 * (SECOND - FIRST)
    ratio = law(3, -2, -2, 0) / law(3, -2, -2, 1)
    assert abs(math.log(ratio)) > charged + FIRST


def test_a_twin_that_draws_anew_costs_more():
    def joint(first: int, second: int, count: int) -> float:
        return laplace(WIDE, first - count) * given(independent, 0).get(second - count, 0.0)

    assert worst(joint) > SECOND + FIRST * 0.99


DRAWS = 40_000


@pytest.mark.parametrize("exponent", [Fraction(1, 3), Fraction(7, 5), Fraction(3)], ids=str)
def test_geometric_numbers_have_their_law(exponent):
    """Seeded; each frequency lies within six standard deviations."""
    with simulated(np.random.default_rng(3)), Meter(Cost.pure(Fraction(1))) as meter:
        chance = Chance(meter.pay(Cost.pure(Fraction(1))))
        drawn = np.array([chance.draw_geometric(exponent) for _ in range(DRAWS)])
    q = math.exp(-float(exponent))
    for value in range(4):
        wanted = (1 - q) * q**value
        spread = math.sqrt(wanted * (1 - wanted) / DRAWS)
        assert abs((drawn == value).mean() - wanted) < 6 * spread


def measured(values: list[int], scale: float, seed: int) -> UnfinishedNoise:
    exact = Exact(l1=1, l2_squared=1, step=1.0, _values=np.array(values))
    generator = np.random.default_rng(seed)
    success = -math.expm1(-1 / scale)
    noise = generator.geometric(success, len(values)) - generator.geometric(success, len(values))
    return UnfinishedNoise(exact, np.array(values) + noise, scale)


def continued(unfinished: UnfinishedNoise, scale: float, seed: int) -> np.ndarray:
    more = Fraction(1) / Fraction(scale) - unfinished.spent
    price = price_continuation(unfinished.spent, more)
    with simulated(np.random.default_rng(seed)), Meter(price) as meter:
        noisy = continue_laplace(meter, unfinished, scale=scale)
    assert noisy is not None
    return noisy


@pytest.mark.parametrize("scales", [(10.0, 4.0), (2.0, 1.9), (1000.3, 1.0)])
def test_continued_counts_have_the_scale_that_was_paid_for(scales):
    truth = [7] * 20_000
    noise = continued(measured(truth, scales[0], 5), scales[1], 6) - 7
    q = math.exp(-1 / scales[1])
    deviation = math.sqrt(2 * q) / (1 - q)
    assert abs(noise.std() / deviation - 1) < 0.06
    assert abs(noise.mean()) < 6 * deviation / math.sqrt(len(truth))


def test_noise_is_continued_once_and_paid_before_it_is_drawn():
    unfinished = measured([3, 5], 2.0, 1)
    assert unfinished.ready
    with Meter(Cost.pure(Fraction(1, 4))) as meter, pytest.raises(OverspentError):
        continue_laplace(meter, unfinished, scale=1.0)
    assert not unfinished.ready  # it was given out, and nothing came of it
    with Meter(price_continuation(Fraction(1, 2), Fraction(1, 2))) as meter:
        assert continue_laplace(meter, unfinished, scale=1.0) is None
    assert meter.spent == Cost.nothing()


def test_what_was_continued_can_be_continued():
    unfinished = measured([3, 5], 4.0, 1)
    with Meter(price_continuation(Fraction(1, 4), Fraction(1, 4))) as meter:
        noisy = continue_laplace(meter, unfinished, scale=2.0)
    (left,) = meter.left
    assert isinstance(left, UnfinishedNoise) and noisy is not None
    assert left.ready and left.belongs_to(noisy.tolist(), 2.0)
    assert left.spent == Fraction(1, 2)


def test_noise_cannot_become_more():
    with Meter(Cost.pure(Fraction(1))) as meter, pytest.raises(BudgetError, match="less noise"):
        continue_laplace(meter, measured([3], 2.0, 1), scale=2.0)


def test_numbers_that_were_cut_at_the_ends_are_not_continued():
    exact = Exact(l1=1, l2_squared=1, step=1.0, _values=np.array([3]))
    assert not UnfinishedNoise(exact, np.array([2**63 - 1]), 2.0).ready
    assert UnfinishedNoise(exact, np.array([2**63 - 2]), 2.0).ready


def test_true_numbers_stay_sealed():
    unfinished = measured([31337], 2.0, 1)
    assert "31337" not in repr(unfinished)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="true numbers"):
            copied(unfinished)


def test_a_forked_process_does_not_continue():
    unfinished = measured([3], 2.0, 1)
    child = os.fork()
    if child == 0:
        os._exit(0 if unfinished.take() is None and not unfinished.ready else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert unfinished.ready
