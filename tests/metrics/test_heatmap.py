"""Similarity, Pearson and divergence: what they are where they are known, and what they refuse."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike

from sfumato.metrics.heatmap import Map, divergence, pearson, similarity

HERE = np.array([[1.0, 0.0], [0.0, 0.0]])
THERE = np.array([[0.0, 0.0], [0.0, 2.0]])
SOME = np.array([[4.0, 3.0, 2.0], [1.0, 0.0, 6.0]])


def test_a_map_agrees_with_itself_at_any_scale() -> None:
    assert similarity(SOME, 7 * SOME) == pytest.approx(1)
    assert pearson(SOME, 7 * SOME) == pytest.approx(1)
    assert divergence(SOME, 7 * SOME) == pytest.approx(0, abs=1e-14)


def test_disjoint_maps_share_nothing() -> None:
    assert similarity(HERE, THERE) == 0
    assert pearson(HERE, THERE) == pytest.approx(-1 / 3)
    assert divergence(HERE, THERE) == pytest.approx(math.log(2**52))


def test_similarity_is_one_less_half_the_absolute_difference() -> None:
    generator = np.random.default_rng(1)
    h, g = generator.exponential(size=(2, 5, 7))
    difference = np.abs(h / h.sum() - g / g.sum()).sum()
    assert similarity(h, g) == pytest.approx(1 - difference / 2)


def test_pearson_is_the_correlation_of_cells() -> None:
    h, g = np.random.default_rng(2).exponential(size=(2, 5, 7))
    assert pearson(h, g) == pytest.approx(np.corrcoef(h.ravel(), g.ravel())[0, 1])


def test_a_constant_map_correlates_with_nothing() -> None:
    assert pearson(SOME, np.full(SOME.shape, 0.1)) == 0
    assert pearson(np.full(SOME.shape, 0.1), np.full(SOME.shape, 0.1)) == 0


def test_divergence_is_that_of_the_second_map_from_the_first() -> None:
    assert divergence([[3, 1]], [[1, 1]]) == pytest.approx(
        0.75 * math.log(1.5) - 0.25 * math.log(2)
    )
    assert divergence([[1, 1]], [[3, 1]]) == pytest.approx(math.log(2) - 0.5 * math.log(3))


@pytest.mark.parametrize("metric", [similarity, pearson, divergence])
@pytest.mark.parametrize(
    ("h", "g"),
    [
        (HERE, SOME),
        (HERE[0], HERE[0]),
        (HERE, -THERE),
        (HERE, HERE - THERE),
        (HERE, np.zeros((2, 2))),
        (HERE, HERE * np.nan),
        (HERE, HERE + np.inf),
    ],
)
def test_what_is_no_pair_of_maps_is_refused(
    metric: Callable[[ArrayLike, ArrayLike], float], h: Map, g: Map
) -> None:
    with pytest.raises(ValueError, match="map"):
        metric(h, g)
