"""Shares of one number hide among those of others, as far as the theorem says."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from sfumato.distributed import noise_part as splitting
from sfumato.distributed.noise_part import bound_distance, find_fewest_shares

TINY = [(2, 2, 2), (2, 3, 2), (2, 3, 3), (2, 2, 4), (3, 3, 2), (3, 3, 3), (2, 5, 3), (4, 4, 2)]


def shuffled(numbers, modulus, shares):
    """Return the exact law of all shares in random order, as a law of sorted shares."""
    law = Counter({(): 1})
    for number in numbers:
        ways = [
            way
            for way in itertools.product(range(modulus), repeat=shares)
            if (sum(way) - number) % modulus == 0
        ]
        grown = Counter()
        for seen, count in law.items():
            for way in ways:
                grown[tuple(sorted(seen + way))] += count
        law = grown
    return normalised(law)


def uniform(total, modulus, size):
    law = Counter()
    for multiset in itertools.combinations_with_replacement(range(modulus), size):
        if (sum(multiset) - total) % modulus == 0:
            orders = math.factorial(size)
            for count in Counter(multiset).values():
                orders //= math.factorial(count)
            law[multiset] = orders
    return normalised(law)


def normalised(law):
    whole = sum(law.values())
    return {key: Fraction(count, whole) for key, count in law.items()}


def apart(one, other):
    return sum(abs(one.get(key, 0) - other.get(key, 0)) for key in one.keys() | other.keys()) / 2


@pytest.mark.parametrize(("honest", "modulus", "shares"), TINY)
def test_no_numbers_can_be_told_apart_better_than_the_bound_says(honest, modulus, shares):
    worst = max(
        apart(
            shuffled(numbers, modulus, shares),
            uniform(sum(numbers), modulus, honest * shares),
        )
        for numbers in itertools.combinations_with_replacement(range(modulus), honest)
    )
    assert worst <= bound_distance(honest, modulus, shares)
    # A bound for one share more would be too small for one of these at least: it is no slack.
    assert worst > bound_distance(honest, modulus, shares + 2)


@pytest.mark.parametrize(("honest", "modulus", "parts"), [(2, 3, 2), (3, 3, 1), (3, 4, 2)])
def test_the_mean_square_is_that_of_random_graphs(honest, modulus, parts):
    spread = sum(
        Fraction(1, modulus**honest)
        * sum(
            chance**2 / uniform(sum(numbers), modulus, honest * parts)[key]
            for key, chance in shuffled(numbers, modulus, parts).items()
        )
        for numbers in itertools.product(range(modulus), repeat=honest)
    )
    _, excess = splitting._components(honest, modulus, parts)
    assert math.exp(excess) == pytest.approx(float(spread) - 1, rel=1e-12)


def test_published_counts_of_shares_are_enough_and_ours_are_never_more():
    for honest in (19, 50, 200, 1000, 10_000):
        for bits, security in itertools.product((21, 32, 40), (20, 40, 60)):
            published = math.ceil(
                (2 * security + bits) / (math.log2(honest) - math.log2(math.e)) + 1
            )
            ours = find_fewest_shares(honest, 2**bits, 2.0 ** -(security + 1))
            assert ours <= published


def test_the_sum_over_few_and_the_bound_for_many_meet(monkeypatch):
    summed = bound_distance(512, 2**20, 8)
    monkeypatch.setattr(splitting, "SUMMED", 64)
    bound_distance.cache_clear()
    bound = bound_distance(512, 2**20, 8)
    bound_distance.cache_clear()
    assert summed <= bound <= 1.01 * summed < 1e-6


def test_more_shares_and_more_people_hide_better_and_a_lone_one_not_at_all():
    assert bound_distance(1, 2**10, 9) == 1.0
    assert np.all(np.diff([bound_distance(30, 2**16, shares) for shares in range(8, 40)]) < 0)
    assert np.all(np.diff([bound_distance(honest, 2**16, 12) for honest in range(12, 60)]) < 0)
    assert bound_distance(3, 2**10, 2) == 1.0
