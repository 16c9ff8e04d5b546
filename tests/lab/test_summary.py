"""Ratios of means of the same samples, and their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from boxplots.summary import mean, ratio


def test_a_ratio_is_that_of_the_means() -> None:
    assert ratio(np.array([1.0, 3.0]), np.array([4.0, 4.0])).value == 0.5
    assert math.isnan(ratio(np.zeros(3), np.zeros(3)).value)
    assert math.isinf(ratio(np.ones(3), np.zeros(3)).low)


def test_what_both_share_cancels() -> None:
    shared = np.random.default_rng(0).exponential(1, 1000)
    found = ratio(0.5 * shared, shared)
    assert found.low == pytest.approx(0.5)
    assert found.high == pytest.approx(0.5)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    generator = np.random.default_rng(1)
    held = np.zeros(2)
    for _ in range(1000):
        shared = generator.exponential(1, 200)
        ours, theirs = shared + generator.exponential(1, 200), shared + 1
        both = ratio(ours, theirs), mean(ours)
        held += [
            found.low <= truth <= found.high for found, truth in zip(both, (1, 2), strict=True)
        ]
    assert (held > 930).all()
    assert (held < 970).all()
