"""Whether anybody is there: no empty table stands out more often than stated."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.postprocess.density import Leaves
from sfumato.postprocess.pairs import doubt_pairs
from sfumato.postprocess.presence import MANY, compute_tail, doubt_squares, find_present

RARE = 0.05 + 4.9 * math.sqrt(0.05 * 0.95 / 1000)
"""More of 1,000 empty tables than this stand out at most once in 10⁶ runs, if 5 % may."""


def make_leaves() -> Leaves:
    """Return a map of which one quarter was cut twice, and another once."""
    column = [0, 0, 4, 4, *(4 + 2 * (n % 2) for n in range(3)), *(6 + n % 2 for n in range(4))]
    row = [0, 4, 0, 2, *(4 + 2 * (n // 2) for n in range(3)), *(6 + n // 2 for n in range(4))]
    span = [4, 4, 2, 2, 2, 2, 2, 1, 1, 1, 1]
    column, row, span = ([*each, more] for each, more in ((column, 6), (row, 0), (span, 2)))
    column, row, span = ([*each, more] for each, more in ((column, 6), (row, 2), (span, 2)))
    return Leaves((8, 8), *map(np.array, (column, row, span)), np.zeros(len(span)))


@pytest.mark.parametrize("terms", [1, 2, 9, 100])
def test_tails_of_sums_of_laplace_noise_are_right_and_never_too_small(terms: int) -> None:
    random, draws = np.random.default_rng(1), 400_000
    halves = [random.gamma(terms, 1.0, draws) for _ in range(2)]
    reach = np.array([1.0, 1.645, 2.3, 3.0])
    seen = np.array([np.mean(halves[0] - halves[1] > x * math.sqrt(2 * terms)) for x in reach])
    told = compute_tail(reach, np.full(4, float(terms)))
    spread = np.sqrt(seen * (1 - seen) / draws)
    assert (told > seen - 5 * spread).all()
    assert (told < 1.05 * seen + 5 * spread).all()


def test_tails_of_one_noise_and_of_very_many_are_known() -> None:
    reach = np.array([1.0, 3.0, 6.0])
    one = compute_tail(reach, np.ones(3)) / (0.5 * np.exp(-math.sqrt(2) * reach))
    many = compute_tail(reach, np.full(3, MANY)) / [math.erfc(x / math.sqrt(2)) / 2 for x in reach]
    assert ((one >= 1) & (one < 1.05)).all()
    assert many == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("scale", [0.2, 1.0, 40.0])
def test_empty_maps_stand_out_no_more_often_than_stated(scale: float) -> None:
    random, leaves = np.random.default_rng(2), make_leaves()
    scales = np.full(len(leaves.span), scale)
    success = -np.expm1(-1 / scale)
    present = [
        find_present([doubt_squares(leaves, a - b, scales) for a, b in zip(*noises, strict=True)])
        for noises in random.geometric(success, (1000, 2, 6, len(scales))).astype(np.float64)
    ]
    assert np.mean(np.any(present, axis=1)) <= RARE


def test_a_rule_for_each_group_alone_would_show_more_empty_ones_than_stated() -> None:
    random, leaves = np.random.default_rng(2), make_leaves()
    scales = np.full(len(leaves.span), 40.0)
    doubts = [
        [doubt_squares(leaves, each, scales) for each in random.laplace(0, 40.0, (6, len(scales)))]
        for _ in range(300)
    ]
    assert np.mean([min(each) < 0.05 for each in doubts]) > RARE


@pytest.mark.parametrize("where", [slice(None), slice(0, 1), slice(-1, None)])
def test_people_are_noticed_whether_spread_or_together(where: slice) -> None:
    random, leaves = np.random.default_rng(3), make_leaves()
    noisy = random.laplace(0, 2.0, len(leaves.span))
    held = np.zeros(len(noisy))
    held[where] = 60 / len(held[where])
    assert doubt_squares(leaves, noisy + held, np.full(len(noisy), 2.0)) < 0.01


def test_a_map_without_squares_has_nobody() -> None:
    none = np.array([], dtype=np.int64)
    leaves = Leaves((8, 8), none, none, none, np.zeros(0))
    assert doubt_squares(leaves, np.zeros(0), np.zeros(0)) == 1


@pytest.mark.parametrize("terms", [1.0, MANY])
def test_empty_pairs_stand_out_no_more_often_than_stated(terms: float) -> None:
    random = np.random.default_rng(4)
    draw = random.laplace if terms == 1 else random.normal
    shapes = {(0, 1): (7, 12), (0, 2): (7, 4), (1, 2): (12, 4)}
    doubts = [
        [
            doubt_pairs(
                {pair: draw(0, 5.0, shape) for pair, shape in shapes.items()},
                5 * math.sqrt(2) if terms == 1 else 5.0,
                terms,
            )
            for _ in range(2)
        ]
        for _ in range(500)
    ]
    assert np.mean([any(find_present(each)) for each in doubts]) <= 0.10  # RARE for half as many


def test_people_in_one_bin_or_in_all_are_noticed_in_pairs() -> None:
    random = np.random.default_rng(5)
    for held in (np.full((8, 8), 3.0), np.diag([200.0, *[0.0] * 7])):
        noisy = {(0, 1): held + random.laplace(0, 5.0, (8, 8))}
        assert doubt_pairs(noisy, 5 * math.sqrt(2), 1.0) < 0.01


@pytest.mark.parametrize("terms", [1.0, 4.0, MANY])
def test_sums_beyond_all_noise_have_no_doubt_and_no_warning(terms: float) -> None:
    reach = np.array([1e3, 1e18, 1e300])
    assert compute_tail(reach, np.full(3, terms)).max() < 1e-100
