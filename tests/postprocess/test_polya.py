"""The Pólya-tree decoder: exact where it can be computed otherwise, sane everywhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from postprocess.polya_oracle import quarters_given_total, total_of_one
from sfumato.postprocess import polya
from sfumato.postprocess import polya as polya_split
from sfumato.postprocess.noise_law import NoiseKind
from sfumato.postprocess.polya import decode_polya_tree
from sfumato.postprocess.quadtree import MeasuredRound, Quadtree, build_quadtree

Array = NDArray[np.float64]
NOISES: list[NoiseKind] = ["laplace", "gaussian"]


def _level(depth: int, masses: Array, rate: float) -> MeasuredRound:
    return MeasuredRound(np.full(len(masses), depth), np.arange(len(masses)), masses, rate)


def _measured(depth: int, masses: Array, rate: float, random: np.random.Generator) -> MeasuredRound:
    return _level(depth, masses + random.laplace(0, 1 / rate, masses.shape), rate)


def _sparse(depth: int, units: int, random: np.random.Generator) -> Array:
    """Return the masses of units that live in a few places."""
    places = random.choice(1 << 2 * depth, 12)
    masses = np.zeros(1 << 2 * depth)
    np.add.at(masses, random.choice(places, units, p=random.dirichlet(np.ones(12))), 1.0)
    return masses


def _adds_up(tree: Quadtree, masses: Array) -> bool:
    inner = np.flatnonzero(tree.first >= 0)
    sums = masses[tree.first[inner, None] + np.arange(4)].sum(axis=1)
    return np.allclose(sums, masses[inner], rtol=1e-12, atol=0)


def _hostile() -> dict[str, Quadtree]:
    random = np.random.default_rng(5)
    largest = float(2**63)
    root = MeasuredRound(np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([7.0]), 0.1)
    noise = random.laplace(0, 10, 64)
    scattered = MeasuredRound(np.array([3, 3]), np.array([5, 40]), np.array([2.0, -90.0]), 2.0)
    extreme = np.array([largest, -largest, 0.0, 1.0])
    signs = np.where(random.random(64) < 0.5, largest, -largest)
    return {
        "one node": build_quadtree([root]),
        "one negative node": build_quadtree([replace(root, value=np.array([-1e6]))]),
        "inner nodes that nobody measured": build_quadtree([_level(3, noise, 0.1)]),
        "leaves that nobody measured": build_quadtree([root, scattered]),
        "only one leaf measured": build_quadtree([replace(scattered, level=np.array([9, 9]))]),
        "all negative": build_quadtree([root, _level(3, -abs(noise), 0.1)]),
        "all zero": build_quadtree([_level(2, np.zeros(16), 1.0)]),
        "the largest numbers": build_quadtree([root, _level(1, extreme, 1e-3)]),
        "the largest numbers of either sign": build_quadtree([_level(3, signs, 1e3)]),
        "all at the upper end": build_quadtree([_level(2, np.full(16, largest), 1e-6)]),
        "rounds that contradict each other": build_quadtree(
            [root, _level(2, np.full(16, 1e9), 5.0), _level(2, np.full(16, -1e9), 5.0)]
        ),
        "quarters that outweigh their window, all known exactly": build_quadtree(
            [
                MeasuredRound(root.level, root.code, np.array([100.0]), 1e20),
                _level(1, np.full(4, 1e6), 1e20),
            ]
        ),
        "hardly any budget": build_quadtree([root, _level(2, noise[:16] * 1e12, 1e-13)]),
    }


@pytest.mark.parametrize("name", list(_hostile()))
@pytest.mark.parametrize("noise", NOISES)
def test_masses_are_finite_and_add_up_whatever_was_measured(name: str, noise: NoiseKind) -> None:
    tree = replace(_hostile()[name], noise=noise)
    masses = decode_polya_tree(tree)
    assert np.isfinite(masses).all()
    assert (masses >= 0).all()
    assert _adds_up(tree, masses)


def test_where_nothing_was_measured_nothing_is_there() -> None:
    tree = build_quadtree([_level(1, np.ones(4), 1.0)])
    assert not decode_polya_tree(replace(tree, rate=np.zeros_like(tree.rate))).any()


@pytest.mark.parametrize("values", [[30, 0.5, -2, 4], [8, 9, 8, 8], [20, 13, -1, 0.5]])
@pytest.mark.parametrize("rate", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("noise", NOISES)
def test_quarters_equal_those_of_a_direct_integration(
    values: list[float], rate: float, noise: NoiseKind
) -> None:
    total = 33.0
    root = MeasuredRound(np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([total]), 1e4)
    masses = decode_polya_tree(build_quadtree([root, _level(1, np.array(values), rate)], noise))
    turned = [0, 2, 1, 3]  # the same squares with x and y exchanged
    expected = quarters_given_total(total, np.array(values), rate, noise)
    expected += quarters_given_total(total, np.array(values)[turned], rate, noise)[turned]
    expected /= 2
    assert masses[0] == pytest.approx(total, rel=1e-3)
    np.testing.assert_allclose(masses[1:], expected, atol=0.01 * total)


@pytest.mark.parametrize("value", [-2.0, 0.0, 2.0, 50.0])
@pytest.mark.parametrize("noise", NOISES)
def test_a_single_mass_equals_that_of_a_direct_integration(value: float, noise: NoiseKind) -> None:
    zero = np.zeros(1, np.int64)
    masses = decode_polya_tree(
        build_quadtree([MeasuredRound(zero, zero, np.array([value]), 0.7)], noise)
    )
    assert masses[0] == pytest.approx(total_of_one(value, 0.7, noise), rel=0.02)


def test_several_rounds_of_one_square_are_read_together() -> None:
    random = np.random.default_rng(1)
    truth = np.array([50.0, 20.0, 0.0, 5.0])
    rounds = [_measured(1, truth, 1.0, random) for _ in range(200)]
    np.testing.assert_allclose(decode_polya_tree(build_quadtree(rounds))[1:], truth, atol=0.5)


def test_a_mirrored_map_is_decoded_as_the_mirrored_masses() -> None:
    random = np.random.default_rng(2)
    masses = _sparse(3, 100, random) + random.laplace(0, 2, 64)
    tree = build_quadtree([_level(3, masses, 0.5)])
    for mask in (0b010101, 0b101010):  # columns, rows
        mirrored = build_quadtree([_level(3, masses[np.arange(64) ^ mask], 0.5)])
        found = decode_polya_tree(mirrored)[mirrored.leaves]
        np.testing.assert_allclose(
            found, decode_polya_tree(tree)[tree.leaves][np.arange(64) ^ mask]
        )


def test_masses_and_units_scale_together() -> None:
    random = np.random.default_rng(3)
    noisy = _sparse(3, 100, random) + random.laplace(0, 2, 64)
    plain = decode_polya_tree(build_quadtree([_level(3, noisy, 0.5)]))
    scaled = decode_polya_tree(build_quadtree([_level(3, 40 * noisy, 0.5 / 40)]), unit=40.0)
    np.testing.assert_allclose(scaled, 40 * plain, rtol=1e-9)


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    tree = build_quadtree([_measured(4, _sparse(4, 300, random), 1.0, random)])
    whole = decode_polya_tree(tree)
    monkeypatch.setattr(polya_split, "_BLOCK", 1)
    np.testing.assert_array_equal(decode_polya_tree(tree), whole)


def test_without_noise_the_truth_is_found() -> None:
    random = np.random.default_rng(6)
    truth = _sparse(4, 1000, random)
    tree = build_quadtree([_level(4, truth, 1e6)])
    np.testing.assert_allclose(decode_polya_tree(tree)[tree.leaves], truth, atol=1e-3)


@pytest.mark.parametrize(("units", "rate"), [(200, 0.3), (200, 1.0), (5000, 0.3), (20, 2.0)])
def test_sparse_maps_are_found_better_than_by_least_squares(units: int, rate: float) -> None:
    random = np.random.default_rng(7)
    ours, simple = 0.0, 0.0
    for _ in range(8):
        truth = _sparse(4, units, random)
        coarse = truth.reshape(16, 16).sum(axis=1)
        tree = build_quadtree(
            [_measured(2, coarse, rate, random), _measured(4, truth, rate, random)]
        )
        ours += abs(decode_polya_tree(tree)[tree.leaves] - truth).sum()
        simple += abs(_least_squares(tree) - truth).sum()
    assert ours < 0.6 * simple


def _least_squares(tree: Quadtree) -> Array:
    """Return leaves that agree best with both rounds, negative ones set to zero."""
    leaves = tree.value[1, tree.leaves].reshape(16, 16)
    above = tree.value[0, tree.level == 2]
    leaves = leaves + ((above - leaves.sum(axis=1)) / 17)[:, None]
    return np.maximum(leaves, 0).ravel()


def _thin(random: np.random.Generator) -> Quadtree:
    """Return a map as the prior least expects it: the same small mass everywhere."""
    return build_quadtree([_measured(5, np.full(1024, 0.5), 0.5, random)])


def test_many_small_masses_are_not_taken_for_noise() -> None:
    random = np.random.default_rng(9)
    totals = [decode_polya_tree(_thin(random))[0] for _ in range(10)]
    spread = np.sqrt(1024 * 2) / 0.5
    assert abs(np.mean(totals) - 512) < 2.5 * spread


def test_a_prior_with_a_free_hand_takes_them_for_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(9)
    monkeypatch.setattr(polya, "_FAITH", np.inf)
    assert np.mean([decode_polya_tree(_thin(random))[0] for _ in range(10)]) < 256


def test_empty_places_stay_almost_empty() -> None:
    random = np.random.default_rng(8)
    truth = np.zeros(256)
    truth[17] = 400.0
    tree = build_quadtree([_measured(4, truth, 0.5, random)])
    masses = decode_polya_tree(tree)[tree.leaves]
    assert masses[17] / masses.sum() > 0.95
    assert abs(tree.value[0, tree.leaves]).sum() > 800
