"""The smallest region that holds a share, and the line around it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.postprocess.contours import Path, find_densest_cells, trace_contour

masses = arrays(float, st.tuples(st.integers(1, 3), st.integers(1, 4)), elements=st.integers(0, 9))


def area(path: Path) -> float:
    """The area on the left of a closed line; below zero where that is outside."""
    x, y = np.array(path).T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def holds(paths: tuple[Path, ...], x: float, y: float) -> bool:
    """Whether a ray from a place crosses the lines an odd number of times."""
    crossed = 0
    for path in paths:
        for (a, b), (u, v) in zip(path, (*path[1:], path[0]), strict=True):
            if (b > y) != (v > y) and x < a + (y - b) / (v - b) * (u - a):
                crossed += 1
    return crossed % 2 == 1


TIED = np.array([[3.0, 4.0, 4.0, 4.0], [4.0, 3.0, 4.0, 4.0], [4.0, 4.0, 4.0, 4.0]])


@given(masses, st.sampled_from([0.1, 0.5, 0.9, 1.0]))
@example(TIED, 0.9)  # of which one line is but a point
def test_lines_enclose_the_cells_of_the_region_and_no_other(mass: np.ndarray, share: float) -> None:
    mask = find_densest_cells(mass, share)
    beyond = mass[~mask].max(initial=0.0)
    paths = trace_contour(mass, mask)
    for (row, column), inside in np.ndenumerate(mask):
        if mass[row, column] != beyond:  # a tie with the level may lie on the line itself
            assert holds(paths, column + 0.5, row + 0.5) == inside


def test_a_hole_has_its_own_line_which_runs_the_other_way() -> None:
    ring = np.ones((5, 5))
    ring[2, 2] = 0
    assert sorted(map(area, trace_contour(ring, ring > 0))) == [-0.5, 25]


def test_nothing_has_no_line() -> None:
    assert trace_contour(np.zeros((2, 2)), find_densest_cells(np.zeros((2, 2)), 0.5)) == ()


@given(masses, st.sampled_from([0.1, 0.5, 0.9, 1.0]))
@settings(max_examples=60)
def test_a_region_holds_its_share_and_no_smaller_one_does(mass: np.ndarray, share: float) -> None:
    chosen = find_densest_cells(mass, share)
    wanted = share * mass.sum()
    assert mass[chosen].sum() >= wanted * (1 - 1e-12)
    fewer = int(chosen.sum()) - 1
    if fewer >= 0:
        best = max((sum(some) for some in combinations(mass.ravel().tolist(), fewer)), default=0)
        assert best < wanted


def test_an_empty_density_has_an_empty_region() -> None:
    assert not find_densest_cells(np.zeros((3, 3)), 0.9).any()


def test_a_smooth_line_encloses_what_the_cornered_one_does_but_for_half_a_cell() -> None:
    generator = np.random.default_rng(5)
    mass = np.exp(generator.normal(size=(12, 12)))
    mask = find_densest_cells(mass, 0.5)
    paths = trace_contour(mass, mask)
    for (row, column), inside in np.ndenumerate(mask):
        assert holds(paths, column + 0.5, row + 0.5) == inside


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_the_line_around_a_share_of_a_round_hill_is_a_circle(share: float) -> None:
    middle = np.arange(60) - 29.5
    hill = np.exp(-(middle**2 + middle[:, None] ** 2) / (2 * 8.0**2))
    (path,) = trace_contour(hill, find_densest_cells(hill, share))
    radius = np.hypot(*(np.array(path) - 30).T)
    expected = 8.0 * np.sqrt(-2 * np.log(1 - share))
    assert radius == pytest.approx(expected, rel=0.02)


def test_at_the_end_of_the_grid_a_smooth_line_stays_there() -> None:
    (path,) = trace_contour(np.ones((2, 3)), np.ones((2, 3), dtype=bool))
    assert np.array(path).min() == 0 and np.array(path).max(axis=0).tolist() == [3, 2]
