"""Walks over a ladder: their exact law on tiny tables, and what it tells about neighbours."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sfumato.errors import BudgetError, DomainError
from sfumato.exact import Exact
from sfumato.mechanisms import threshold as module
from sfumato.mechanisms.meter import simulated
from sfumato.mechanisms.noise import add_noise
from sfumato.mechanisms.threshold import extremes, threshold, threshold_scale
from sfumato.privacy.budget import Cost
from sfumato.testing import metered
from telling.enumerated.walks import (
    CELLS,
    added,
    both_ends,
    gains,
    largest_loss,
    law,
    loss,
    moved,
)

LEVELS = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)]
SLACK = Decimal("1e-25")
HALF, ONE = Fraction(1, 2), Fraction(1)

pytestmark = pytest.mark.usefixtures("precise")


def decimal(amount):
    return Decimal(amount.numerator) / Decimal(amount.denominator)


@pytest.mark.parametrize("epsilon", [HALF, Fraction(2)], ids=str)
@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_no_answer_tells_of_an_added_row_more_than_epsilon(level, epsilon):
    scale = threshold_scale(1, level, epsilon)
    worst = largest_loss(added(3), level, scale)
    assert worst <= decimal(epsilon) + SLACK
    # And what is charged is needed: nearly all of it is lost somewhere, if noise is not tiny.
    assert worst > decimal(epsilon) * Decimal("0.97" if epsilon < 1 else "0.7")


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_the_more_rungs_a_row_lies_beyond_the_nearer_its_loss_comes_to_epsilon(level):
    scale = threshold_scale(1, level, Fraction(2))
    for rungs, share in ((10, "0.9"), (1000, "0.99")):
        behind = (0,) * rungs + (1, 0)
        laws = [law(gains(table, level, 2), scale) for table in (behind, (0,) * (rungs + 2))]
        assert 2 * Decimal(share) < loss(*laws) <= 2 + SLACK


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_no_answer_tells_of_a_replaced_row_more_than_epsilon(level):
    scale = threshold_scale(1, level, ONE, replace=True)
    worst = largest_loss(moved(3), level, scale, public=True)
    assert Decimal("0.9") < worst <= 1 + SLACK
    # Nor of one that comes from nowhere, as a NULL does.
    assert largest_loss(added(2), level, scale, public=True) <= 1 + SLACK


@pytest.mark.parametrize("level", LEVELS, ids=str)
@pytest.mark.parametrize(("bar_scale", "scale"), [(3, 9), (9, 3)])
def test_noise_of_two_scales_costs_what_is_stated(level, bar_scale, scale):
    share, parts = level.as_integer_ratio()
    price = max(
        Fraction(share, bar_scale) + Fraction(parts, scale), (1 - level) * parts / bar_scale
    )
    worst = largest_loss(added(3), level, scale, bar_scale=bar_scale)
    assert decimal(price) * Decimal("0.8") < worst <= decimal(price) + SLACK


@given(st.fractions(min_value=0, max_value=1, max_denominator=100))
def test_a_quantile_costs_by_the_level_as_it_is_walked_to(quantile):
    upward, downward = (
        threshold_scale(1, level, ONE) / level.denominator for level in (quantile, 1 - quantile)
    )
    assert upward == pytest.approx(1 + float(quantile))
    assert downward == pytest.approx(2 - float(quantile))


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("level", [Fraction(0), Fraction(2, 3), ONE], ids=str)
def test_no_answer_tells_of_a_person_of_several_rows_more_than_epsilon(level, rows, neighbours):
    scale = threshold_scale(rows, level, ONE)
    worst = largest_loss(neighbours(3, [0, 2], rows), level, scale)
    assert Decimal("0.9") < worst <= 1 + SLACK


@pytest.mark.parametrize("level", [Fraction(0), HALF, ONE], ids=str)
def test_a_person_in_several_groups_is_charged_once(level, neighbours):
    """A person has two rows, in one group or in two; the answer is one rung for each group."""
    scale = threshold_scale(2, level, ONE)
    worst = {False: Decimal(0), True: Decimal(0)}
    for one, other in neighbours(6, [0, 1], 2):
        laws = [
            [a * b for a, b in product(*(law(gains(t, level, 1), scale) for t in (t[:3], t[3:])))]
            for t in (one, other)
        ]
        in_both = one[:3] != other[:3] and one[3:] != other[3:]
        worst[in_both] = max(worst[in_both], loss(*laws))
    assert max(worst.values()) <= 1 + SLACK
    assert min(worst.values()) > Decimal("0.85")


@pytest.mark.parametrize("epsilon", [HALF, Fraction(2)], ids=str)
@pytest.mark.parametrize("least", [0, 1, 3])
def test_both_ends_cost_no_more_than_one(least, epsilon):
    scale = threshold_scale(1, Fraction(0), epsilon)
    worst = max(
        loss(both_ends(one, least, scale).values(), both_ends(other, least, scale).values())
        for one, other in added(3)
    )
    assert decimal(epsilon) * Decimal("0.97") < worst <= decimal(epsilon) + SLACK


def test_both_ends_of_a_person_in_several_cells_cost_no_more_than_one(neighbours):
    scale = threshold_scale(2, Fraction(0), ONE)
    worst = max(
        loss(both_ends(one, 1, scale).values(), both_ends(other, 1, scale).values())
        for one, other in neighbours(3, [0, 1, 2], 2)
    )
    assert Decimal("0.97") < worst <= 1 + SLACK


def test_the_enumeration_rejects_half_the_noise():
    for level in LEVELS:
        scale = threshold_scale(1, level, ONE) / 2
        assert largest_loss(added(3), level, scale) > 1


def test_the_enumeration_rejects_a_bar_without_noise():
    """Where the bar is known, a rung that is passed for certain tells of a row without limit."""
    for level in (Fraction(0), HALF, ONE):
        scale = threshold_scale(1, level, ONE)
        assert largest_loss(added(2), level, scale, bar_scale=0) == math.inf


def test_the_enumeration_rejects_a_threshold_that_is_taken_as_public():
    """With n public, an added row would cost what it costs with a level of 0."""
    for level in (HALF, ONE):
        scale = float(level.denominator)
        assert largest_loss(added(3), level, scale, public=True) <= 1 + SLACK
        assert largest_loss(added(3), level, scale) > Decimal("1.3")


def test_the_enumeration_rejects_the_level_seen_from_the_other_end():
    for level in (Fraction(3, 4), ONE):
        assert largest_loss(added(3), level, threshold_scale(1, 1 - level, ONE)) > 1


def test_the_enumeration_rejects_rungs_out_of_order():
    scale = threshold_scale(1, Fraction(0), ONE)
    assert largest_loss(added(3), Fraction(0), scale, out_of_order=True) > Decimal("1.8")


def test_the_enumeration_rejects_a_moved_row_at_the_price_of_an_added_one():
    for level in (Fraction(0), HALF):
        scale = threshold_scale(1, level, ONE)
        assert largest_loss(moved(3), level, scale, public=True) > Decimal("1.2")


def test_the_enumeration_rejects_a_second_walk_over_all_rungs():
    scale = threshold_scale(1, Fraction(0), ONE)
    laws = [[both_ends(t, 1, scale, all_rungs=True).values() for t in pair] for pair in added(3)]
    assert max(loss(*pair) for pair in laws) > Decimal("1.9")


@pytest.mark.parametrize("upward", [True, False])
@pytest.mark.parametrize(("level", "allowance"), [(0, -3), (HALF, 0), (Fraction(2, 3), 1), (1, 2)])
def test_simulated_walks_follow_the_enumerated_law(level, allowance, upward, rare):
    level = Fraction(level)
    with simulated(np.random.default_rng(3)):
        fit = _fit_of_walks(6_000, level, allowance, upward)
    assert fit > rare


@pytest.mark.parametrize("upward", [True, False])
def test_real_walks_follow_the_enumerated_law(upward, rare):
    assert _fit_of_walks(2_500, Fraction(2, 3), 1, upward) > rare


def test_the_fit_rejects_a_walk_in_the_other_direction(rare):
    with simulated(np.random.default_rng(3)):
        assert _fit_of_walks(6_000, HALF, 0, True, told=False) < rare


@pytest.mark.parametrize("source", ["simulated", "real"])
def test_both_ends_follow_the_enumerated_law(source, rare):
    table, least, walks = (3, 0, 2, 1), 3, {"simulated": 6_000, "real": 1500}[source]
    exact = Exact(1, 1, 1.0, np.tile(np.array(table), (walks, 1)))
    if source == "simulated":
        with simulated(np.random.default_rng(4)):
            chosen = metered(extremes, exact, ladder=np.arange(CELLS), least=least, epsilon=HALF)
    else:
        chosen = metered(extremes, exact, ladder=np.arange(CELLS), least=least, epsilon=HALF)
    chances = both_ends(table, least, threshold_scale(1, Fraction(0), HALF))
    counted = [int((chosen.values == pair).all(axis=1).sum()) for pair in chances]
    assert sum(counted) == walks
    assert stats.chisquare(counted, _expected(chances.values(), walks)).pvalue > rare


def test_rungs_between_cells_count_all_that_lies_behind_them(rare):
    """Only every third cell is a rung; the cells between count for the next."""
    weights = np.array([1, 0, 2, 0, 1, 3, 0, 0, 1])
    exact = Exact(1, 1, 1.0, np.tile(weights, (6_000, 1)))
    rungs = np.array([0, 3, 6, 8])
    for upward, walked in ((True, (1, 2, 4, 1)), (False, (1, 0, 4, 3))):
        with simulated(np.random.default_rng(5)):
            chosen = metered(threshold, exact, ladder=rungs, level=HALF, epsilon=ONE, upward=upward)
        places = np.searchsorted(rungs, chosen.values[:, 0])
        counted = np.bincount(places if upward else 3 - places, minlength=4)
        chances = law(gains(walked, HALF), threshold_scale(1, HALF, ONE))
        assert stats.chisquare(counted, _expected(chances, 6_000)).pvalue > rare


def test_geometric_noise_is_geometric(draw, rare):
    """Folded at −½, both halves of the Laplace law are geometric."""
    for source in ("real", "simulated"):
        values = draw("laplace", 3.0, source)
        folded = values ^ (values >> 63)
        for half in (folded[values >= 0], folded[values < 0]):
            counted = np.bincount(half.clip(max=12), minlength=13)
            ratio = math.exp(-1 / 3)
            chances = np.array([(1 - ratio) * ratio**v for v in range(12)] + [ratio**12])
            assert stats.chisquare(counted, chances * half.size).pvalue > rare


def test_a_saturated_draw_goes_on_where_it_stopped(monkeypatch):
    largest = np.iinfo(np.int64).max
    answers = [[largest, 5, -largest - 1], [largest], [7], [2]]

    def saturated(receipt, values, family, scale):
        assert len(answers[0]) == values.size
        return np.array(answers.pop(0))

    monkeypatch.setattr(module, "add_noise", saturated)
    draws = module._draw_geometric(None, 2.0**55, 3)
    assert draws == [2 * largest + 7, 5, largest + 2]


@pytest.mark.parametrize("upward", [True, False])
@pytest.mark.parametrize("level", [Fraction(0), Fraction(1, 3), Fraction(999, 1000), ONE], ids=str)
@pytest.mark.parametrize(
    "weights",
    [[2**60, 2**59, 0, 2**59 - 1, 2**60], [2**62 - 1] * 5],
    ids=["in one sum", "in one cell"],
)
def test_counts_near_the_end_of_64_bits_do_not_wrap(weights, level, upward):
    exact = Exact(2**30, 2**60, 2.0**-30, np.array([weights]))
    cells = metered(
        threshold,
        exact,
        ladder=np.arange(5),
        level=level,
        epsilon=ONE,
        upward=upward,
        allowance=-(2**50),
    ).values
    order = range(5) if upward else range(4, -1, -1)
    behind, wanted = 0, level * sum(weights) + 2**50
    for cell in order:
        behind += weights[cell]
        if behind >= wanted:
            break
    assert cells.tolist() == [[cell]]


@given(
    weight=st.integers(1, 2**30),
    level=st.fractions(min_value=0, max_value=1, max_denominator=1000),
    epsilon=st.fractions(min_value=Fraction(1, 1000), max_value=1000),
)
def test_the_scale_is_the_smallest_float_that_costs_at_most_epsilon(weight, level, epsilon):
    scale = threshold_scale(weight, level, epsilon)
    price = (1 + level) * level.denominator * weight
    assert price / Fraction(scale) <= epsilon
    assert price / Fraction(math.nextafter(scale, 0)) > epsilon


def test_the_cost_is_that_of_the_scale_in_use():
    exact = Exact(3, 9, 1.0, np.zeros((2, CELLS), dtype=np.int64))
    epsilon, level = Fraction(1, 3), Fraction(2, 7)
    scale = threshold_scale(3, level, epsilon)
    walk = metered(threshold, exact, ladder=np.arange(CELLS), level=level, epsilon=epsilon)
    assert walk.cost == Cost.pure(27 / Fraction(scale))
    ends = metered(extremes, exact, ladder=np.arange(CELLS), least=5, epsilon=epsilon)
    assert ends.cost == Cost.pure(3 / Fraction(threshold_scale(3, Fraction(0), epsilon)))
    rows = Exact(1, 1, 1.0, np.zeros((1, CELLS), dtype=np.int64))
    public = metered(threshold, rows, ladder=np.arange(CELLS), level=level, epsilon=epsilon, size=5)
    scale = threshold_scale(1, level, epsilon, replace=True)
    assert public.cost == Cost.pure(14 / Fraction(scale))
    for chosen in (walk, ends, public):
        assert chosen.private
        assert chosen.cost.within(Cost.pure(epsilon))


def test_simulated_walks_are_not_private():
    exact = Exact(1, 1, 1.0, np.zeros((2, CELLS), dtype=np.int64))
    with simulated(np.random.default_rng(7)):
        walk = metered(threshold, exact, ladder=np.arange(CELLS), level=HALF, epsilon=ONE)
        ends = metered(extremes, exact, ladder=np.arange(CELLS), least=5, epsilon=ONE)
    assert not walk.private
    assert not ends.private


def test_noise_is_drawn_in_blocks_and_no_further_than_the_walk_went(monkeypatch):
    sizes = []

    def counting(receipt, values, family, scale):
        sizes.append(values.size)
        return add_noise(receipt, values, family, scale)

    monkeypatch.setattr(module, "add_noise", counting)
    weights = np.zeros((1, 5000), dtype=np.int64)
    weights[0, 700] = 10**6
    exact = Exact(1, 1, 1.0, weights)
    with simulated(np.random.default_rng(7)):
        chosen = metered(threshold, exact, ladder=np.arange(5000), level=HALF, epsilon=ONE)
    assert chosen.values.tolist() == [[700]]
    assert sizes == [1, 512, 512]


def test_an_empty_table_has_an_answer():
    exact = Exact(1, 1, 1.0, np.zeros((3, CELLS), dtype=np.int64))
    ladder = np.arange(CELLS)
    cells = metered(
        threshold, exact, ladder=ladder, level=HALF, epsilon=ONE, allowance=-(10**6)
    ).values
    assert cells.tolist() == [[3]] * 3
    below = metered(
        threshold, exact, ladder=ladder, level=HALF, epsilon=ONE, allowance=-(10**6), upward=False
    )
    assert below.values.tolist() == [[0]] * 3
    ends = metered(extremes, exact, ladder=ladder, least=10**6, epsilon=ONE)
    assert ends.values.tolist() == [[0, 0]] * 3


def test_a_ladder_of_one_rung_is_its_own_answer():
    exact = Exact(1, 1, 1.0, np.array([[5, 5, 5, 5]]))
    one = np.array([2])
    assert metered(threshold, exact, ladder=one, level=HALF, epsilon=ONE).values.tolist() == [[2]]
    assert metered(extremes, exact, ladder=one, least=1, epsilon=ONE).values.tolist() == [[2, 2]]


def test_ends_never_cross():
    exact = Exact(1, 1, 1.0, np.tile(np.array([2, 0, 0, 2]), (5000, 1)))
    with simulated(np.random.default_rng(2)):
        cells = metered(
            extremes, exact, ladder=np.arange(CELLS), least=1, epsilon=Fraction(1, 5)
        ).values
    assert (np.diff(cells, axis=1) >= 0).all()
    assert {tuple(pair) for pair in cells.tolist()} == {
        (low, high) for low in range(CELLS) for high in range(low, CELLS)
    }


@pytest.mark.parametrize("least", [0, 1, 7])
def test_an_early_stop_is_as_rare_as_stated(least):
    scale = threshold_scale(1, Fraction(0), HALF)
    ratio = (-1 / Decimal(scale)).exp()
    stated = ratio**least / (1 + ratio)
    assert abs(law((-least,), scale)[0] - stated) < SLACK


@pytest.mark.parametrize(
    ("level", "stated"), [(0.0, 1.5), (0.25, 1.9), (0.5, 2.4), (0.75, 2.8), (1.0, 3.2)]
)
def test_the_rank_where_a_walk_stops_spreads_as_stated(level, stated):
    rate = 1 / (1 + level)
    assert _error(rate, rate, 0.5)[1] == pytest.approx(stated, abs=0.06)


def test_dense_rungs_stop_a_walk_early_and_sparse_ones_late():
    for level in (0.0, 0.5, 1.0):
        rate = 1 / (1 + level)
        assert _error(rate, rate, 0.1)[0] < -1
        assert _error(rate, rate, 5.0)[0] > 1


@pytest.mark.parametrize("level", [0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0])
def test_one_scale_for_all_noise_is_nearly_the_best(level):
    for spacing in (0.1, 0.5, 5.0):
        divided = []
        for share in np.linspace(0.3, 3, 28):
            bar = min(share / (1 + share * level), 1 / (1 - level) if level < 1 else math.inf)
            divided.append(_error(bar, 1 - level * bar, spacing)[1])
        rate = 1 / (1 + level)
        assert _error(rate, rate, spacing)[1] < 1.06 * min(divided)


@pytest.mark.parametrize("ladder", [[], [2, 1], [1, 1], [-1, 2], [0, 4]])
def test_a_ladder_that_is_none_is_refused(ladder):
    exact = Exact(1, 1, 1.0, np.zeros((1, CELLS), dtype=np.int64))
    rungs = np.array(ladder, dtype=np.int64)
    with pytest.raises(DomainError, match="rising"):
        metered(threshold, exact, ladder=rungs, level=HALF, epsilon=ONE)
    with pytest.raises(DomainError, match="rising"):
        metered(extremes, exact, ladder=rungs, least=1, epsilon=ONE)


@pytest.mark.parametrize("level", [Fraction(-1, 9), Fraction(10, 9)], ids=str)
def test_a_level_that_is_no_share_is_refused(level):
    exact = Exact(1, 1, 1.0, np.zeros((1, CELLS), dtype=np.int64))
    with pytest.raises(DomainError, match="share"):
        metered(threshold, exact, ladder=np.arange(CELLS), level=level, epsilon=ONE)


@pytest.mark.parametrize(("groups", "weight", "step"), [(2, 1, 1.0), (1, 3, 1.0), (1, 1, 0.5)])
def test_a_public_size_is_for_rows_of_one_group(groups, weight, step):
    exact = Exact(weight, weight**2, step, np.zeros((groups, CELLS), dtype=np.int64))
    with pytest.raises(DomainError, match="public size"):
        metered(threshold, exact, ladder=np.arange(CELLS), level=HALF, epsilon=ONE, size=9)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1), Fraction(1, 2**56)])
def test_too_little_to_spend_is_refused(epsilon):
    with pytest.raises(BudgetError):
        threshold_scale(1, HALF, epsilon)


def _fit_of_walks(walks, level, allowance, upward, told=None):
    """How well walks over many equal groups fit the law that is told of one."""
    table = (2, 0, 3, 1)
    exact = Exact(1, 1, 1.0, np.tile(np.array(table), (walks, 1)))
    chosen = metered(
        threshold,
        exact,
        ladder=np.arange(CELLS),
        level=level,
        epsilon=HALF,
        allowance=allowance,
        upward=upward,
    )
    told = upward if told is None else told
    chances = law(gains(table, level, allowance, upward=told), threshold_scale(1, level, HALF))
    places = chosen.values[:, 0] if told else CELLS - 1 - chosen.values[:, 0]
    counted = np.bincount(places, minlength=CELLS)
    return stats.chisquare(counted, _expected(chances, walks)).pvalue


def _expected(chances, draws):
    shares = np.array([float(chance) for chance in chances])
    return shares / shares.sum() * draws


def _error(bar_rate, rung_rate, spacing):
    """Mean and spread of rank minus target where a walk stops, with rungs evenly spaced in rank.

    In units of 1/ε, for exponential noise, to which geometric noise comes close for small ε.
    """
    ranks = np.arange(-120.0, 120.0, spacing)
    bars = -np.log1p(-(np.arange(100) + 0.5) / 100) / bar_rate
    passes = np.exp(-rung_rate * np.maximum(bars[:, np.newaxis] - ranks, 0))
    alive = np.cumprod(1 - passes, axis=1)
    stops = -np.diff(alive, axis=1, prepend=1).mean(axis=0)
    stops /= stops.sum()
    mean = float((stops * ranks).sum())
    return mean, math.sqrt((stops * (ranks - mean) ** 2).sum())
