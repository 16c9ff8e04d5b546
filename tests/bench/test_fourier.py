"""The rival of `bench/boxplot.py` is the published algorithm, and has its published flaw."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rivals.fourier import Weights, backward, forward

VALUES = np.array([-3.0, -1.0, -0.5, 0.25, 1.0, 4.0])
BOUNDS, LEVELS, EPSILON = (-5.0, 5.0), (0.25, 0.5, 0.75), 2.0


def enumerated() -> dict[tuple[int, ...], float]:
    """The probability of each choice of intervals, from the definition of the mechanism."""
    size, rate = len(VALUES), EPSILON / 3
    widths = np.diff([BOUNDS[0], *VALUES, BOUNDS[1]])
    weights: dict[tuple[int, ...], float] = {}
    for chosen in itertools.combinations_with_replacement(range(size + 1), 3):
        gaps = np.diff([0, *chosen, size])
        ways = math.prod(math.factorial(chosen.count(place)) for place in set(chosen))
        score = np.abs(gaps - size / 4).sum()
        weights[chosen] = math.prod(widths[list(chosen)]) / ways * math.exp(-rate * score)
    total = sum(weights.values())
    return {chosen: weight / total for chosen, weight in weights.items()}


def last_interval(weights: Weights) -> np.ndarray:
    """The distribution of the interval of the last quantile, which is drawn first."""
    size = len(VALUES)
    after = size - np.arange(size + 1)
    scores = weights.tables[-1] - weights.rate * np.abs(after - weights.targets[-1])
    odds = np.exp(scores).sum(axis=0)
    return odds / odds.sum()


def test_the_weights_are_those_of_the_definition() -> None:
    expected = np.zeros(len(VALUES) + 1)
    for chosen, probability in enumerated().items():
        expected[chosen[-1]] += probability
    found = last_interval(forward(VALUES, LEVELS, BOUNDS, EPSILON))
    assert found == pytest.approx(expected, rel=1e-9)


def test_all_quantiles_are_drawn_together_from_the_definition() -> None:
    weights = forward(VALUES, LEVELS, BOUNDS, EPSILON)
    generator, draws = np.random.default_rng(0), 20_000
    law = enumerated()
    seen = dict.fromkeys(law, 0)
    for _ in range(draws):
        found = np.searchsorted(VALUES, backward(weights, generator))
        seen[tuple(int(place) for place in found)] += 1
    usual = [chosen for chosen in law if law[chosen] * draws > 5]
    squares = [(seen[c] - draws * law[c]) ** 2 / (draws * law[c]) for c in usual]
    assert sum(squares) < len(usual) + 5 * math.sqrt(2 * len(usual))


def test_float_transforms_give_possible_outcomes_no_probability() -> None:
    values = np.sort(np.random.default_rng(0).standard_normal(5000))
    assert forward(VALUES, LEVELS, BOUNDS, EPSILON).zeros == 0
    assert forward(values, LEVELS, BOUNDS, EPSILON).zeros > 0.2
