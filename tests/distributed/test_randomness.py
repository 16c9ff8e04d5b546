"""Orders are uniform, and come from the operating system."""

import itertools
import os
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from sfumato.distributed import randomness
from sfumato.distributed.randomness import draw_permutation, draw_words, is_private
from sfumato.testing import seeded

RARE = 1e-6


@pytest.mark.parametrize(("heap", "size", "times"), [(1, 3, 300), (2**20, 4, 12_000)])
def test_every_order_is_equally_likely(heap, size, times, monkeypatch):
    monkeypatch.setattr(randomness, "_HEAP", heap)
    with seeded(1):
        seen = Counter(tuple(draw_permutation(size).tolist()) for _ in range(times))
    orders = list(itertools.permutations(range(size)))
    assert stats.chisquare([seen[order] for order in orders]).pvalue > RARE


def test_keys_that_tie_would_be_noticed(monkeypatch):
    def coarse(count):
        return np.random.default_rng(count + len(seen)).integers(0, 4, count).astype(np.uint64)

    seen: list[tuple[int, ...]] = []
    for _ in range(4000):
        seen.append(tuple(np.argsort(coarse(3), kind="stable").tolist()))
    counts = Counter(seen)
    orders = list(itertools.permutations(range(3)))
    assert stats.chisquare([counts[order] for order in orders]).pvalue < RARE


def test_words_that_tie_are_drawn_again(monkeypatch):
    drawn = iter([[5, 5, 1], [7, 2, 9]])
    monkeypatch.setattr(
        randomness, "draw_words", lambda count: np.array(next(drawn), dtype=np.uint64)
    )
    assert draw_permutation(3).tolist() == [1, 0, 2]


def test_many_numbers_are_all_there(monkeypatch):
    monkeypatch.setattr(randomness, "_HEAP", 100)
    order = draw_permutation(5000)
    assert np.array_equal(np.sort(order), np.arange(5000))
    assert abs(stats.spearmanr(order, np.arange(5000)).statistic) < 0.1


def test_words_are_the_systems_unless_they_are_simulated(monkeypatch):
    asked = []

    def system(count):
        asked.append(count)
        return b"\x01" * count

    monkeypatch.setattr(os, "urandom", system)
    assert draw_words(3).tolist() == [0x0101010101010101] * 3
    assert is_private()
    assert asked == [24]
    with seeded(3):
        first = draw_words(4)
        assert not is_private()
    with seeded(3):
        assert np.array_equal(draw_words(4), first)
    assert asked == [24]
