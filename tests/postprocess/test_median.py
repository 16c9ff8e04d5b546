from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.postprocess import median
from sfumato.postprocess.median import cost, find_centers


def blobs(generator, size, k):
    """Return points of a mixture, some of its parts small and far."""
    place, width = generator.random((k, 2)), np.exp(generator.normal(-3, 0.6, k))
    part = generator.choice(k, size, p=generator.dirichlet(np.ones(k)))
    points = place[part] + generator.normal(size=(size, 2)) * width[part, None]
    return points, generator.exponential(1, size)


def settled(points, weight, places):
    """Return places after they moved to the medians of their points a few times."""
    for _ in range(15):
        which = abs(points[:, None] - places).sum(axis=2).argmin(axis=1)
        for each, side in np.ndindex(len(places), 2):
            mine = np.flatnonzero(which == each)
            mine = mine[np.argsort(points[mine, side])]
            if len(mine):
                half = np.searchsorted(np.cumsum(weight[mine]), weight[mine].sum() / 2)
                places[each, side] = points[mine[min(half, len(mine) - 1)], side]
    return places


def best(points, weight, k):
    """Return the least cost, over all places that share each coordinate with some point."""
    columns, rows = np.unique(points[:, 0]), np.unique(points[:, 1])
    places = np.array([(x, y) for x in columns for y in rows])
    return min(cost(points, weight, np.array(each)) for each in combinations(places, k))


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 2), st.integers(1, 6))
def test_few_points_get_the_best_centers_or_nearly(seed, k, size):
    generator = np.random.default_rng(seed)
    points = generator.integers(0, 6, (size, 2)).astype(float)
    weight = generator.integers(0, 4, size).astype(float)
    found = cost(points, weight, find_centers(points, weight, k))
    least = best(points, weight, k) if k <= len(np.unique(points, axis=0)) else 0.0
    assert least - 1e-9 <= found <= 1.5 * least + 1e-9


def test_tiny_cases_are_nearly_always_solved():
    generator = np.random.default_rng(11)
    solved = []
    for _ in range(100):
        points, weight = generator.random((5, 2)), generator.random(5)
        least = best(points, weight, 2)
        solved.append(cost(points, weight, find_centers(points, weight, 2)) <= least * (1 + 1e-9))
    assert np.mean(solved) >= 0.9


def test_one_center_is_the_median_of_each_coordinate():
    generator = np.random.default_rng(3)
    points = generator.random((501, 2))
    middle = find_centers(points, np.ones(501), 1)
    assert middle[0] == pytest.approx(np.median(points, axis=0))


@pytest.mark.parametrize("k", [3, 7])
def test_as_many_centers_as_points_cost_nothing(k):
    points = np.array([[0.0, 1.0], [4.0, 2.0], [4.0, 2.0], [3.0, 3.0]])
    places = find_centers(points, np.array([1.0, 2.0, 1.0, 1.0]), k)
    assert places.shape == (k, 2)
    assert cost(points, np.ones(4), places) == 0.0


def test_points_that_weigh_nothing_attract_nothing():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [100.0, 100.0]])
    places = find_centers(points, np.array([1.0, 1.0, 0.0]), 2)
    assert sorted(places.tolist()) == [[0.0, 0.0], [1.0, 0.0]]


def test_where_nothing_weighs_anything_all_points_weigh_the_same():
    points = np.random.default_rng(6).random((50, 2))
    nothing = find_centers(points, np.zeros(50), 3)
    assert (nothing == find_centers(points, np.ones(50), 3)).all()


def test_duplicates_are_one_point_of_their_weight():
    points, weight = blobs(np.random.default_rng(5), 200, 4)
    whole = find_centers(points, 2 * weight, 4)
    assert whole == pytest.approx(find_centers(np.tile(points, (2, 1)), np.tile(weight, 2), 4))


def test_the_answer_does_not_depend_on_chance_or_order():
    generator = np.random.default_rng(8)
    points, weight = blobs(generator, 3000, 6)
    order = generator.permutation(3000)
    found = find_centers(points, weight, 6)
    assert (found == find_centers(points, weight, 6)).all()
    assert found == pytest.approx(find_centers(points[order], weight[order], 6))


def test_the_heaviest_neighbourhood_comes_first():
    points, weight = blobs(np.random.default_rng(9), 2000, 5)
    places = find_centers(points, weight, 5)
    which = abs(points[:, None] - places).sum(axis=2).argmin(axis=1)
    mass = np.bincount(which, weight)
    assert (np.diff(mass) <= 0).all()


@pytest.mark.parametrize("size", [400, 3000])
def test_the_search_is_no_worse_than_restarts_by_chance(size):
    generator = np.random.default_rng(size)
    ratios = []
    for k in (2, 5, 9):
        points, weight = blobs(generator, size, k + 2)
        restarts = [
            cost(points, weight, settled(points, weight, start))
            for start in points[[generator.choice(size, k, replace=False) for _ in range(10)]]
        ]
        ratios.append(cost(points, weight, find_centers(points, weight, k)) / min(restarts))
    assert max(ratios) < 1.02


def test_swaps_leave_a_bad_start():
    generator = np.random.default_rng(2)
    place = np.repeat([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0], [50.0, 50.0]], 100, axis=0)
    points, weight = place + generator.random((400, 2)), np.ones(400)
    crowded = points[:4]
    stuck = cost(points, weight, median._settle_centers(points, weight, crowded))
    assert cost(points, weight, median._swap_centers(points, weight, crowded)) < 0.1 * stuck


def test_condensing_keeps_mass_and_mean_and_loses_little():
    points, weight = blobs(np.random.default_rng(12), 20_000, 8)
    few, mass = median._condense_points(points, weight, 1024)
    assert len(few) == 1024
    assert mass.sum() == pytest.approx(weight.sum())
    assert mass @ few == pytest.approx(weight @ points)
    places = find_centers(points, weight, 5)
    assert cost(few, mass, places) == pytest.approx(cost(points, weight, places), rel=0.01)


def test_points_closer_than_numbers_can_tell_are_still_condensed():
    points = np.zeros((3000, 2))
    points[:, 0] = 1.0 + np.arange(3000) * np.spacing(1.0)
    assert find_centers(points, np.ones(3000), 2).shape == (2, 2)
