"""Masses by least squares: consistent, never negative, nearest to what was measured."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.postprocess import polya
from sfumato.postprocess.noise_law import NoiseKind
from sfumato.postprocess.quadtree import (
    MeasuredRound,
    Quadtree,
    build_quadtree,
    estimate_nodes,
    project_nonnegative,
)


def measured(level: int, values: np.ndarray, rate: float) -> MeasuredRound:
    codes = np.arange(4**level)
    return MeasuredRound(np.full(4**level, level), codes, np.asarray(values, dtype=float), rate)


def random_tree(seed: int, size: float = 20.0) -> Quadtree:
    generator = np.random.default_rng(seed)
    rounds = [
        measured(level, generator.laplace(0, size, 4**level) + 1, float(generator.uniform(0.1, 3)))
        for level in range(4)
        if level == 3 or generator.random() < 0.6
    ]
    return build_quadtree(rounds)


@given(st.integers(0, 2**32), st.sampled_from([1e-6, 1.0, 20.0, 1e9, 1e18]))
def test_masses_are_never_negative_and_add_up(seed: int, size: float) -> None:
    tree = random_tree(seed, size)
    masses = project_nonnegative(tree)
    inner = np.flatnonzero(tree.first >= 0)
    quarters = masses[tree.first[inner, None] + np.arange(4)]
    assert (masses >= 0).all() and np.isfinite(masses).all()
    assert quarters.sum(axis=1) == pytest.approx(masses[inner], rel=1e-9)


@given(st.integers(0, 2**32), st.sampled_from(["laplace", "gaussian"]))
def test_estimates_are_those_of_the_normal_equations(seed: int, noise: NoiseKind) -> None:
    tree = replace(random_tree(seed), noise=noise)
    holds = np.zeros((tree.size, len(tree.leaves)))
    for column, leaf in enumerate(tree.leaves):
        node = int(leaf)
        while node >= 0:
            holds[node, column] = 1
            node = int(tree.parent[node])
    variance = 2.0 if noise == "laplace" else 1.0  # of noise of scale 1
    weight = (tree.rate**2).sum(axis=0) / variance
    value = (tree.rate**2 * tree.value).sum(axis=0) / variance
    leaves = np.linalg.solve(holds.T @ (weight[:, None] * holds), holds.T @ value)
    # What lies above a node has not been heard of it: only the window has heard of everything.
    # Leaves are taken to be near 0 but for a very wide doubt, which biases them a little.
    found = estimate_nodes(tree)
    assert found.mean[0] == pytest.approx(leaves.sum(), rel=1e-3, abs=0.1)
    inverse = np.linalg.inv(holds.T @ (weight[:, None] * holds))
    assert found.variance[0] == pytest.approx(inverse.sum(), rel=1e-2)


@given(st.lists(st.floats(-30, 30), min_size=4, max_size=4), st.integers(0, 2**32))
def test_quarters_are_the_nearest_that_make_up_their_square(values: list[float], seed: int) -> None:
    rates = np.random.default_rng(seed).uniform(0.2, 3.0, 4)
    total, zero = 12.0, np.zeros(1, np.int64)
    rounds = [MeasuredRound(zero, zero, np.array([total]), 1e6)]
    one = np.ones(1, dtype=np.int64)
    rounds += [
        MeasuredRound(one, one * code, np.array([value]), float(rate))
        for code, (value, rate) in enumerate(zip(values, rates, strict=True))
    ]
    found = project_nonnegative(build_quadtree(rounds))[1:]

    def distance(parts: np.ndarray) -> float:
        return float((rates**2 * (parts - values) ** 2).sum())

    best = min(distance(parts) for parts in _candidates(np.array(values), rates, total))
    assert distance(found) == pytest.approx(best, rel=1e-4, abs=1e-4)


def _candidates(values: np.ndarray, rates: np.ndarray, total: float):
    """Yield, for every choice of parts that are not 0, the nearest ones if they are allowed."""
    for size in range(1, 5):
        for kept in combinations(range(4), size):
            chosen, variance = list(kept), rates**-2.0
            parts = np.zeros(4)
            lacking = total - values[chosen].sum()
            parts[chosen] = values[chosen] + variance[chosen] / variance[chosen].sum() * lacking
            if (parts >= 0).all():
                yield parts


def test_a_very_large_tree_is_decoded_by_least_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = random_tree(5)
    assert not np.allclose(polya.decode_polya_tree(tree), project_nonnegative(tree))
    monkeypatch.setattr(polya, "_MOST", tree.size - 1)
    assert polya.decode_polya_tree(tree) == pytest.approx(project_nonnegative(tree))


def test_a_large_tree_is_cut_in_one_order_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = random_tree(6)
    both = polya.decode_polya_tree(tree)
    monkeypatch.setattr(polya, "_MANY", tree.size - 1)
    one = polya.decode_polya_tree(tree)
    assert not np.allclose(one, both)
    assert one == pytest.approx(both, abs=0.2 * both[0])
