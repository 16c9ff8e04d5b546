"""Pairs of columns are made to agree, without losing what was measured."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from sfumato.postprocess.pairs import (
    choose_bins,
    choose_levels,
    place_edges,
    project,
    reconcile,
    scale_to,
)

SHAPE = (6, 9, 7)


def make_truth(size: int = 4000, seed: int = 3):
    generator = np.random.default_rng(seed)
    first = generator.normal(0.5, 0.15, size)
    values = np.stack([first, first**2, generator.random(size)])
    edges = [np.linspace(0, 1, side + 1) for side in SHAPE]
    return {
        (i, j): np.histogram2d(*np.clip(values[[i, j]], 0, 1), [edges[i], edges[j]])[0]
        for i, j in combinations(range(3), 2)
    }


def make_noisy(truth, scale: float, generator):
    return {pair: each + generator.laplace(0, scale, each.shape) for pair, each in truth.items()}


@pytest.mark.parametrize("scale", [0.5, 20.0, 3000.0])
def test_sums_of_every_pair_are_the_distributions_of_its_columns(scale: float) -> None:
    found = reconcile(make_noisy(make_truth(), scale, np.random.default_rng(1)), 2 * scale**2)
    for (one, other), cells in found.pairs.items():
        assert (cells >= 0).all()
        assert cells.sum(axis=1) == pytest.approx(found.columns[one], abs=1e-6 * found.total)
        assert cells.sum(axis=0) == pytest.approx(found.columns[other], abs=1e-6 * found.total)
    for counts in found.columns:
        assert (counts >= 0).all()
        assert counts.sum() == pytest.approx(found.total)


def test_what_has_no_noise_stays_as_it_is() -> None:
    truth = make_truth()
    found = reconcile(truth, 1e-12)
    for pair, cells in truth.items():
        assert found.pairs[pair] == pytest.approx(cells, abs=0.5)


def test_intervals_of_columns_cover_the_truth_as_often_as_they_state() -> None:
    truth, generator = make_truth(), np.random.default_rng(8)
    exact = [truth[0, 1].sum(1), truth[0, 1].sum(0), truth[0, 2].sum(0)]
    held: list[list[bool]] = [[], [], []]
    for _ in range(400):
        found = reconcile(make_noisy(truth, 12.0, generator), 2 * 12.0**2)
        for column in range(3):
            far = np.abs(found.measured[column] - exact[column])
            held[column] += (far <= 1.96 * found.deviation[column]).tolist()
    for each in held:
        assert 0.93 <= np.mean(each) <= 0.97


def test_agreeing_is_better_than_not() -> None:
    truth, generator = make_truth(), np.random.default_rng(9)
    off = np.zeros(2)
    for _ in range(20):
        noisy = make_noisy(truth, 30.0, generator)
        found = reconcile(noisy, 2 * 30.0**2)
        for pair, cells in truth.items():
            off += [
                np.abs(found.pairs[pair] - cells).sum(),
                np.abs(np.maximum(noisy[pair], 0) - cells).sum(),
            ]
    assert off[0] < 0.8 * off[1]


def test_independence_is_what_remains_of_noise() -> None:
    truth = {pair: np.full(cells.shape, 1e4 / cells.size) for pair, cells in make_truth().items()}
    found = reconcile(make_noisy(truth, 200.0, np.random.default_rng(4)), 2 * 200.0**2)
    for (one, other), cells in found.pairs.items():
        alone = np.outer(found.columns[one], found.columns[other]) / found.total
        assert np.abs(cells - alone).sum() < 0.5 * np.abs(found.seen[one, other] - alone).sum()


def test_nothing_is_nothing() -> None:
    found = reconcile({(0, 1): np.full((3, 4), -2.0)}, 1.0)
    assert found.total == 0
    assert found.pairs[0, 1].sum() == 0


@pytest.mark.parametrize("bins", [4, 12, 48])
def test_edges_rise_between_the_bounds_whatever_quantiles_say(bins: int) -> None:
    generator = np.random.default_rng(2)
    for _ in range(200):
        wanted = generator.choice([0.0, 1e-9, 0.3, 0.7, 1.0], 5) * generator.random()
        levels = choose_levels(10 ** generator.uniform(0, 7), 0.05)
        edges = place_edges((0.0, 1.0), wanted.tolist(), levels, bins)
        assert (edges[0], edges[-1]) == (0.0, 1.0)
        assert all(low < high for low, high in pairwise(edges))
        assert len(edges) <= 3 * bins + 12


def test_bins_are_more_where_there_are_more_rows_or_less_noise() -> None:
    assert choose_bins(-5.0, 3.0) == choose_bins(10.0, 30.0) == 4
    assert choose_bins(1e4, 30.0) < choose_bins(1e5, 30.0) < choose_bins(1e5, 10.0)


def test_counts_are_projected_to_the_nearest_ones() -> None:
    generator = np.random.default_rng(6)
    for _ in range(50):
        counts, total = generator.normal(0, 3, 8), float(generator.random() * 20)
        found = project(counts, total)
        assert (found >= 0).all()
        assert found.sum() == pytest.approx(total)
        kept = found > 1e-12
        assert np.ptp((counts - found)[kept]) < 1e-9
        assert (counts[~kept] <= (counts - found)[kept].max() + 1e-9).all()


def test_scaling_meets_both_sums() -> None:
    generator = np.random.default_rng(7)
    wanted = generator.random((4, 5))
    found = scale_to(generator.random((4, 5)), wanted.sum(1), wanted.sum(0))
    assert found.sum(1) == pytest.approx(wanted.sum(1))
    assert found.sum(0) == pytest.approx(wanted.sum(0))
