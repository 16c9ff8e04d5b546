"""Distances of score plots: what they are where they are known, and that turning changes none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import wasserstein_distance

from sfumato.metrics.plane import CellWindow, Cloud, Floats
from sfumato.metrics.scoreplot import (
    alignment,
    captured_variance,
    group_accuracy,
    sliced_wasserstein,
    total_variation,
)

UNIT = CellWindow((0.0, 4.0), (0.0, 4.0), 4)


def random(*shape: int) -> Floats:
    return np.random.default_rng(sum(shape)).normal(size=shape)


def turned(angle: float, *, mirrored: bool = False) -> Floats:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, -sine], [sine, cosine]]) @ np.diag([1.0, -1.0 if mirrored else 1.0])


def directions(columns: int) -> Floats:
    return np.linalg.qr(random(columns, 2))[0].T


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("angle", [0.0, 0.3, 2.0])
def test_a_turned_or_mirrored_pair_of_directions_is_turned_back(
    angle: float, mirrored: bool
) -> None:
    exact = directions(5)
    private = turned(angle, mirrored=mirrored) @ exact
    assert alignment(private, exact) @ private == pytest.approx(exact)


def test_alignment_is_orthogonal_and_nearer_than_any_other_turn() -> None:
    exact, private = directions(5), directions(7)[:, :5]
    found = alignment(private, exact)
    assert found @ found.T == pytest.approx(np.eye(2))
    best = np.linalg.norm(found @ private - exact)
    for angle in np.linspace(0, 2 * np.pi, 50):
        for mirrored in (False, True):
            other = turned(angle, mirrored=mirrored)
            assert best <= np.linalg.norm(other @ private - exact) + 1e-12


def test_a_picture_on_turned_directions_is_the_exact_one_after_alignment() -> None:
    rows = random(400, 5) * [3, 2, 1, 1, 1]
    exact = np.eye(5)[:2]
    private = turned(1.0, mirrored=True) @ exact
    truth = Cloud(rows @ exact.T)
    shown = Cloud(rows @ private.T)
    assert sliced_wasserstein(shown, truth) > 0.1
    assert sliced_wasserstein(shown.moved(alignment(private, exact)), truth) == pytest.approx(0)


def test_total_variation_is_0_for_equal_and_1_for_disjoint_densities() -> None:
    one, other = np.eye(3), np.eye(3)[::-1].copy()
    other[1, 1] = 0
    assert total_variation(one, 7 * one) == 0
    assert total_variation(np.diag([1, 0, 1]), other) == 1


@pytest.mark.parametrize("other", [np.ones((2, 3)), np.zeros((2, 2))])
def test_densities_that_cannot_be_compared_are_refused(other: Floats) -> None:
    with pytest.raises(ValueError, match="cell by cell"):
        total_variation(np.ones((2, 2)), other)


def test_a_shift_costs_its_length_times_two_over_pi() -> None:
    points = random(50, 2)
    moved = sliced_wasserstein(Cloud(points + np.array([3.0, 4.0])), Cloud(points), angles=64)
    assert moved == pytest.approx(5 * 2 / np.pi, rel=1e-3)


def test_along_each_direction_the_distance_is_that_of_scipy() -> None:
    one, other = random(30, 2), random(41, 2)
    light, heavy = abs(random(30)), abs(random(41))
    found = sliced_wasserstein(Cloud(one, light), Cloud(other, heavy), angles=2)
    turns = np.array([np.pi / 4, 3 * np.pi / 4])
    expected = [
        wasserstein_distance(one @ along, other @ along, light, heavy)
        for along in np.column_stack([np.cos(turns), np.sin(turns)])
    ]
    assert found == pytest.approx(np.mean(expected))


def test_weights_are_shares() -> None:
    points = random(9, 2)
    twice = Cloud(np.concatenate([points, points[:3]]))
    weighted = Cloud(points, [2] * 3 + [1] * 6)
    assert sliced_wasserstein(twice, weighted) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("points", "weights"),
    [([[1, 2, 3]], None), ([[1, 2]], [1, 1]), ([[1, 2]], [0]), ([[1, 2]], [np.nan]), ([], None)],
)
def test_what_is_no_cloud_is_refused(points: list[list[float]], weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights above 0"):
        Cloud(points, weights)


def test_every_point_is_counted_and_what_lies_beyond_lies_at_the_edge() -> None:
    cloud = Cloud([[-9, -9], [0, 0], [3.999, 0.5], [4.0, 9.0], [1.5, 2.5]])
    counts = 5 * UNIT.density(cloud)
    assert counts.sum() == pytest.approx(5)
    assert counts[0, 0] == pytest.approx(2)
    assert counts[0, 3] == counts[3, 3] == counts[2, 1] == pytest.approx(1)


def test_a_density_that_is_spread_and_counted_again_is_itself() -> None:
    density = abs(random(4, 4)) * (random(4, 4) > 0)
    again = UNIT.density(UNIT.spread(density))
    assert again == pytest.approx(density / density.sum())


def test_half_a_cell_to_the_side_half_the_mass_is_in_the_next() -> None:
    density = np.zeros((4, 4))
    density[1, 1] = 1
    moved = UNIT.density(UNIT.spread(density).moved(np.eye(2), (0.5, 0.0)))
    assert moved[1, 1] == moved[1, 2] == pytest.approx(0.5)


def test_a_window_holds_its_share_of_points_with_a_margin() -> None:
    points = random(1000, 2) + np.array([5.0, -3.0])
    window = CellWindow.around(points, level=0.9)
    middle = np.array([sum(window.x), sum(window.y)]) / 2
    assert middle == pytest.approx(np.median(points, axis=0))
    reach = window.width / 2 / 1.2
    assert np.mean(np.hypot(*(points - middle).T) <= reach) == pytest.approx(0.9, abs=2e-3)


def test_exact_directions_capture_all_and_any_basis_of_their_plane_does() -> None:
    rows = random(200, 6) * [4, 3, 1, 1, 1, 1]
    covariance = np.cov(rows.T)
    exact = np.linalg.eigh(covariance)[1][:, ::-1][:, :2].T
    assert captured_variance(exact, covariance) == pytest.approx(1)
    assert captured_variance(turned(0.7) @ exact, covariance) == pytest.approx(1)
    assert captured_variance(np.eye(6)[4:], covariance) < 0.2


def test_groups_are_told_by_the_largest_mass_in_the_cell_of_a_point() -> None:
    maps = np.zeros((2, 4, 4))
    maps[0, :, :2], maps[1, :, 2:] = 1, 2
    points = np.array([[0.5, 0.5], [1.5, 3.5], [2.5, 0.5], [3.5, 3.5]])
    whose: NDArray[np.int64] = np.array([0, 1, 1, 1])
    assert group_accuracy(maps, UNIT, points, whose) == 0.75


def test_an_empty_cell_is_read_as_the_nearest_that_is_not_or_as_wrong() -> None:
    maps = np.zeros((2, 4, 4))
    maps[1, 0, 0], maps[0, 3, 3] = 1, 1
    points, whose = [[1.5, 0.5], [2.5, 3.5], [0.5, 0.5]], [1, 0, 1]
    assert group_accuracy(maps, UNIT, points, whose) == 1
    assert group_accuracy(maps, UNIT, points, whose, nearest=False) == pytest.approx(1 / 3)
    assert group_accuracy(0 * maps, UNIT, points, whose, nearest=False) == 0
