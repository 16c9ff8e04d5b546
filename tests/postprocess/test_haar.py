"""Shrinkage averages over all places of the cuts, treats borders fairly, and removes noise."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.postprocess.haar import shrink_coefficients

Array = NDArray[np.float64]
Span = tuple[int, int]


def levels_of(cells: int) -> int:
    return (cells - 1).bit_length() + 1 if cells > 1 else 0


class OnePlace:
    """The transform with cuts in one place, block by block from the whole window down."""

    def __init__(self, noisy: Array, cut: float, begin: Span) -> None:
        self.noisy, self.cut = noisy, cut
        self.levels = [levels_of(cells) for cells in noisy.shape]
        self.mass, self.variance = np.zeros_like(noisy), np.zeros_like(noisy)
        blocks = [
            range(-offset, -offset + 2**levels) if levels else range(1)
            for offset, levels in zip(begin, self.levels, strict=True)
        ]
        coefficient = noisy.sum() / np.sqrt(noisy.size)
        self._down(blocks[0], blocks[1], max(self.levels), coefficient, 1.0)

    def _down(self, rows: range, columns: range, level: int, mass: float, noise: float) -> None:
        if level == 0:
            self.mass[rows[0], columns[0]] = mass
            self.variance[rows[0], columns[0]] = noise
            return
        parts = [
            _halved(block, cells) if level <= levels else [block]
            for block, levels, cells in zip(
                (rows, columns), self.levels, self.noisy.shape, strict=True
            )
        ]
        inside = [
            [_within(part, cells) for part in parts[axis]]
            for axis, cells in enumerate(self.noisy.shape)
        ]
        turns = [_turn([len(part) for part in each]) for each in inside]
        found = np.array(
            [
                [_coefficient(self.noisy[np.ix_(down, across)]) for across in inside[1]]
                for down in inside[0]
            ]
        )
        differences = turns[0] @ found @ turns[1].T
        kept = (abs(differences) > self.cut).astype(float)
        differences *= kept
        differences[0, 0], kept[0, 0] = mass, noise
        masses = turns[0].T @ differences @ turns[1]
        noises = (turns[0] ** 2).T @ kept @ turns[1] ** 2
        for i, j in product(range(len(parts[0])), range(len(parts[1]))):
            if inside[0][i] and inside[1][j]:
                part = float(masses[i, j]), float(noises[i, j])
                self._down(parts[0][i], parts[1][j], level - 1, *part)


def _halved(block: range, cells: int) -> list[range]:
    half = len(block) // 2
    if not half:
        return [range(max(block.start, 0), min(block.stop, cells))]
    return [block[:half], block[half:]]


def _within(block: range, cells: int) -> list[int]:
    return [cell for cell in block if 0 <= cell < cells]


def _turn(sizes: list[int]) -> Array:
    if len(sizes) == 1:
        return np.ones((1, 1))
    u, v = np.sqrt(np.array(sizes) / sum(sizes))
    return np.array([[u, v], [v, -u]])


def _coefficient(part: Array) -> float:
    return float(part.sum() / np.sqrt(part.size)) if part.size else 0.0


def everywhere(noisy: Array, cut: float) -> tuple[Array, Array]:
    """Return masses and variances averaged over all places that the cuts may have."""
    choices = [
        range(2 ** (levels - 1)) if levels else range(1) for levels in map(levels_of, noisy.shape)
    ]
    results = [OnePlace(noisy, cut, (down, across)) for down, across in product(*choices)]
    return (
        np.mean([each.mass for each in results], axis=0),
        np.mean([each.variance for each in results], axis=0),
    )


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (1, 5), (4, 1), (3, 4), (2, 7), (6, 5), (8, 8)])
def test_results_are_the_mean_over_all_places_of_the_cuts(shape: Span) -> None:
    noisy = np.random.default_rng(shape).normal(0, 3, shape)
    found = shrink_coefficients(noisy, 1.0)
    mass, variance = everywhere(noisy, 2.5)
    np.testing.assert_allclose(found.mass, mass, atol=1e-12)
    np.testing.assert_allclose(found.deviation, np.sqrt(variance), atol=1e-12)


def test_cuts_in_one_place_alone_give_something_else() -> None:
    noisy = np.random.default_rng(4).normal(0, 3, (6, 5))
    assert abs(OnePlace(noisy, 2.5, (0, 0)).mass - shrink_coefficients(noisy, 1.0).mass).max() > 0.5


windows = st.tuples(st.integers(1, 40), st.integers(1, 40))


@given(windows, st.floats(-1e9, 1e9), st.floats(0, 1e6))
def test_a_constant_stays_what_it_is(shape: Span, value: float, sigma: float) -> None:
    found = shrink_coefficients(np.full(shape, value), sigma)
    np.testing.assert_allclose(found.mass, value, rtol=1e-9, atol=1e-9)


@given(windows, st.integers(0, 2**32))
def test_the_sum_stays_what_it_is(shape: Span, seed: int) -> None:
    noisy = np.random.default_rng(seed).normal(3, 5, shape)
    assert shrink_coefficients(noisy, 5.0).mass.sum() == pytest.approx(
        noisy.sum(), abs=1e-9 * noisy.size
    )


@given(windows, st.integers(0, 2**32))
def test_without_noise_nothing_is_changed(shape: Span, seed: int) -> None:
    exact = np.random.default_rng(seed).poisson(1.0, shape).astype(float)
    found = shrink_coefficients(exact, 0.0)
    np.testing.assert_allclose(found.mass, exact, atol=1e-9)
    assert (found.deviation == 0).all()


def test_deviations_span_all_from_one_cell_to_the_whole_window() -> None:
    noisy = np.random.default_rng(1).normal(0, 1, (20, 33))
    np.testing.assert_allclose(shrink_coefficients(noisy, 2.0, threshold=0.0).deviation, 2.0)
    np.testing.assert_allclose(
        shrink_coefficients(noisy, 2.0, threshold=1e9).deviation, 2 / np.sqrt(660)
    )
    np.testing.assert_allclose(shrink_coefficients(noisy, 2.0, threshold=1e9).mass, noisy.mean())


def blob(row: int, column: int, size: int = 48) -> Array:
    rows, columns = np.indices((size, size))
    return 30 * np.exp(-((rows - row) ** 2 + (columns - column) ** 2) / 30)


def test_what_moves_within_the_window_is_smoothed_alike() -> None:
    before, after = (
        shrink_coefficients(blob(20, 20), 4.0).mass,
        shrink_coefficients(blob(23, 25), 4.0).mass,
    )
    moved = np.roll(before, (3, 5), axis=(0, 1))
    inner = np.s_[12:36, 12:36]
    assert abs(moved[inner] - after[inner]).max() < 0.3
    fixed = [OnePlace(blob(*place), 10.0, (0, 0)).mass for place in ((20, 20), (23, 25))]
    assert abs(np.roll(fixed[0], (3, 5), axis=(0, 1))[inner] - fixed[1][inner]).max() > 3


def test_nothing_comes_in_from_the_other_side() -> None:
    noisy = np.zeros((8, 32))
    noisy[:, 0] = 15.0
    assert np.ptp(shrink_coefficients(noisy, 5.0).mass[:, -8:]) < 1e-9
    wrapped = np.roll(shrink_coefficients(np.roll(noisy, 8, axis=1), 5.0).mass, -8, axis=1)
    assert np.ptp(wrapped[:, -8:]) > 1


@pytest.mark.parametrize("shape", [(16, 16), (24, 20), (32, 32)])
def test_noise_alone_is_nearly_gone_at_the_borders_as_in_the_middle(shape: Span) -> None:
    random = np.random.default_rng(shape)
    left = np.mean(
        [shrink_coefficients(random.normal(0, 1, shape), 1.0).mass ** 2 for _ in range(60)], axis=0
    )
    assert left.mean() < 0.15
    border = np.concatenate([left[0], left[-1], left[:, 0], left[:, -1]]).mean()
    assert border < 2 * left[4:-4, 4:-4].mean()


def test_the_largest_window_takes_a_moment() -> None:
    noisy = np.random.default_rng(2).normal(0, 1, (256, 256))
    found = shrink_coefficients(noisy, 1.0)
    assert np.isfinite(found.mass).all() and np.isfinite(found.deviation).all()
