"""Score histograms come out non-negative, near the truth, and finite whatever the noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.postprocess import haar as scores
from sfumato.postprocess.haar import MOST_USUAL, Estimate, choose_score_bins, estimate_masses

Array = NDArray[np.float64]
METHODS: list[Estimate] = ["haar", "additive", "sparse"]
SIGMA = 5.0


def counted(points: Array, bins: int = 32) -> Array:
    return np.histogram2d(*points.T, bins=bins, range=[[-1, 1], [-1, 1]])[0]


def cloud(name: str) -> Array:
    random = np.random.default_rng(11)
    if name == "smooth":
        return random.normal(0, 0.3, (5000, 2))
    centres = random.uniform(-0.8, 0.8, (12, 2))
    return centres[random.integers(0, 12, 5000)] + random.normal(0, 0.01, (5000, 2))


def total_variation(one: Array, other: Array) -> float:
    return float(abs(one / one.sum() - other / other.sum()).sum() / 2)


def moved(one: Array, other: Array) -> float:
    """Return the mean distance in cells that mass must move, seen from both sides."""
    change = one / one.sum() - other / other.sum()
    sides = [np.cumsum(change.sum(axis=axis)) for axis in (0, 1)]
    return float(np.mean([np.abs(side).sum() for side in sides]))


def errors(exact: Array, method: Estimate) -> tuple[float, float]:
    random = np.random.default_rng(3)
    found = [
        estimate_masses(exact[None] + random.normal(0, SIGMA, exact.shape), SIGMA, method)[0]
        for _ in range(12)
    ]
    return (
        float(np.mean([total_variation(each, exact) for each in found])),
        float(np.mean([moved(each, exact) for each in found])),
    )


@pytest.mark.parametrize("name", ["smooth", "spiky"])
def test_smoothing_comes_far_nearer_than_counts_alone(name: str) -> None:
    exact = counted(cloud(name))
    smoothed, alone = errors(exact, "haar"), errors(exact, "additive")
    assert smoothed[0] < 0.6 * alone[0] and smoothed[1] < 0.5 * alone[1]


def test_masses_that_do_not_fade_carry_noise_far_out(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = counted(cloud("smooth"))
    fading = errors(exact, "haar")
    monkeypatch.setattr(scores, "_SURE", 0.0)
    assert errors(exact, "haar")[1] > 1.3 * fading[1]


def test_a_thin_and_even_crowd_does_not_fade_away() -> None:
    random = np.random.default_rng(5)
    exact = counted(random.uniform(-1, 1, (3000, 2)))  # about half of σ in a cell
    found = estimate_masses(exact[None] + random.normal(0, SIGMA, exact.shape), SIGMA, "haar")[0]
    assert found.sum() == pytest.approx(3000, rel=0.15)
    assert total_variation(found, np.ones_like(found)) < 0.15


@pytest.mark.parametrize("method", METHODS)
def test_without_noise_counts_stay_as_they_are(method: Estimate) -> None:
    exact = np.stack([counted(cloud("smooth"), 20), counted(cloud("spiky"), 20)])
    np.testing.assert_allclose(estimate_masses(exact, 0.0, method), exact, atol=1e-9)


def test_groups_do_not_know_of_each_other() -> None:
    random = np.random.default_rng(7)
    noisy = random.normal(3, SIGMA, (3, 9, 14))
    together = estimate_masses(noisy, SIGMA, "haar")
    for group, masses in zip(noisy, together, strict=True):
        np.testing.assert_array_equal(estimate_masses(group[None], SIGMA, "haar")[0], masses)


def test_a_group_without_anyone_has_next_to_no_mass() -> None:
    random = np.random.default_rng(8)
    noisy = random.normal(0, SIGMA, (50, 24, 24))
    masses = estimate_masses(noisy, SIGMA, "haar").sum(axis=(1, 2))
    assert np.median(masses) < 0.1 * np.median(np.maximum(noisy, 0).sum(axis=(1, 2)))


shapes = st.tuples(st.integers(0, 3), st.integers(1, 20), st.integers(1, 20))


@given(shapes, st.integers(0, 2**32), st.sampled_from([0.0, 1e-9, 1.0, 1e6, 2.0**55]))
def test_masses_are_finite_and_never_negative(
    shape: tuple[int, int, int], seed: int, sigma: float
) -> None:
    random = np.random.default_rng(seed)
    noisy = random.normal(0, 1, shape) * random.choice([0.0, 1.0, 1e3, 2.0**63])
    for method in METHODS:
        masses = estimate_masses(noisy, sigma, method)
        assert masses.shape == noisy.shape
        assert np.isfinite(masses).all() and (masses >= 0).all()


@given(st.floats(-1e30, 1e30), st.floats(0, 1e30))
def test_the_number_of_bins_is_sane_whatever_the_size(size: float, sigma: float) -> None:
    assert 8 <= choose_score_bins(size, sigma) <= MOST_USUAL
    assert choose_score_bins(size, sigma) <= choose_score_bins(2 * abs(size), sigma)


def test_the_usual_bins_beat_many_more_and_many_fewer() -> None:
    points = cloud("smooth")
    fine = counted(points, 96)

    def error(bins: int) -> float:
        random, exact = np.random.default_rng(9), counted(points, bins)
        found: list[float] = []
        for _ in range(8):
            noisy = exact[None] + random.normal(0, SIGMA, exact.shape)
            picture = estimate_masses(noisy, SIGMA, "haar")[0]
            found.append(moved(picture.repeat(96 // bins, 0).repeat(96 // bins, 1), fine))
        return float(np.mean(found))

    assert choose_score_bins(5000, SIGMA) == 23
    assert error(24) < error(96) / 2 and error(24) < error(4)
