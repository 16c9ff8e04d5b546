import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.postprocess.density import Leaves, propagate_variance, rasterise, smooth

SIDES = st.integers(1, 13)
SIGMAS = st.sampled_from([0.0, 0.01, 0.4, 1.0, 3.0, 1e9])


def cut(generator, levels):
    """Return the leaves of a random quadtree."""
    found = []

    def visit(column, row, span):
        if span > 1 and generator.random() < 0.7:
            half = span // 2
            for step in np.ndindex(2, 2):
                visit(column + half * step[0], row + half * step[1], half)
        else:
            found.append((column, row, span))

    visit(0, 0, 2**levels)
    column, row, span = np.array(found).T
    return Leaves((2**levels, 2**levels), column, row, span, generator.random(len(found)) * 9)


def part(first, span, fine, cells):
    """Return how much of [first, first + span) lies in each cell, one by one."""
    edges = np.arange(cells + 1) * fine / cells
    ends = np.minimum(edges[1:], first + span), np.maximum(edges[:-1], first)
    return np.maximum(ends[0] - ends[1], 0) / span


def pictures(leaves, resolution):
    """Return one picture per leaf, for a mass of 1."""
    return np.array(
        [
            np.outer(
                part(row, span, leaves.shape[1], resolution[1]),
                part(column, span, leaves.shape[0], resolution[0]),
            )
            for column, row, span in zip(leaves.column, leaves.row, leaves.span, strict=True)
        ]
    )


def filtered(array, sigma):
    """Return the filter of the paper by its formula, with no thought of speed."""
    rows, columns = array.shape
    answer = np.zeros_like(array)
    high, wide = max(sigma[1], 1e-3), max(sigma[0], 1e-3)
    for row, column in np.ndindex(rows, columns):
        down = np.exp(-(((np.arange(rows) - row) / high) ** 2) / 2)
        along = np.exp(-(((np.arange(columns) - column) / wide) ** 2) / 2)
        bell = np.outer(down, along)
        answer += array[row, column] * bell / bell.sum()
    return answer


@given(st.integers(0, 2**32), st.integers(0, 4), SIDES, SIDES)
def test_leaves_divide_their_mass_by_area(seed, levels, columns, rows):
    leaves = cut(np.random.default_rng(seed), levels)
    expected = np.tensordot(leaves.mass, pictures(leaves, (columns, rows)), 1)
    picture = rasterise(leaves, (columns, rows))
    assert picture.shape == (rows, columns)
    assert picture == pytest.approx(expected)
    assert picture.sum() == pytest.approx(leaves.mass.sum())
    assert (picture >= 0).all()


def test_rows_follow_y_and_columns_follow_x():
    place = np.array([3]), np.array([1])
    leaf = Leaves((4, 2), *place, np.array([1]), np.array([7.0]))
    assert rasterise(leaf, (4, 2))[1, 3] == 7.0


def test_grids_that_are_no_squares_divide_by_area_too():
    column, row = (each.ravel() for each in np.meshgrid(np.arange(7), np.arange(3)))
    mass = np.arange(21.0)
    leaves = Leaves((7, 3), column, row, np.ones(21, dtype=np.int64), mass)
    assert (rasterise(leaves, (7, 3)) == mass.reshape(3, 7)).all()
    for resolution in [(2, 2), (5, 8), (14, 1), (1, 9)]:
        expected = np.tensordot(mass, pictures(leaves, resolution), 1)
        assert rasterise(leaves, resolution) == pytest.approx(expected)


def test_an_empty_leaf_leaves_no_trace():
    leaves = cut(np.random.default_rng(3), 4)
    silent = Leaves(leaves.shape, leaves.column, leaves.row, leaves.span, 0 * leaves.mass)
    assert not rasterise(silent, (7, 5)).any()


@given(st.integers(0, 2**32), SIDES, SIDES, SIGMAS, SIGMAS)
def test_the_filter_is_the_formula_of_the_paper_and_keeps_the_mass(seed, columns, rows, wide, high):
    picture = np.random.default_rng(seed).random((rows, columns))
    soft = smooth(picture, (wide, high))
    assert soft == pytest.approx(filtered(picture, (wide, high)))
    assert soft.sum() == pytest.approx(picture.sum())


def test_no_width_is_no_filter():
    picture = np.random.default_rng(1).random((5, 9))
    assert (smooth(picture, (0.0, 0.0)) == picture).all()


@given(st.integers(0, 2**32), st.integers(0, 3), SIDES, SIDES, SIGMAS, SIGMAS)
def test_ripples_are_the_squares_of_what_each_leaf_adds(seed, levels, columns, rows, wide, high):
    generator = np.random.default_rng(seed)
    leaves = cut(generator, levels)
    variance = generator.random(len(leaves.mass))
    alone = np.array([smooth(each, (wide, high)) for each in pictures(leaves, (columns, rows))])
    expected = np.tensordot(variance, alone**2, 1)
    assert propagate_variance(leaves, variance, (columns, rows), (wide, high)) == pytest.approx(
        expected
    )


def test_ripples_are_what_noise_does():
    generator = np.random.default_rng(8)
    leaves = cut(generator, 3)
    deviation = generator.random(len(leaves.mass)) + 0.5
    draws = [
        smooth(
            rasterise(Leaves(leaves.shape, leaves.column, leaves.row, leaves.span, noise), (6, 5)),
            (0.8, 0.5),
        )
        for noise in generator.laplace(0, deviation, (4000, len(deviation)))
    ]
    predicted = propagate_variance(leaves, 2 * deviation**2, (6, 5), (0.8, 0.5))
    assert np.var(draws, axis=0) == pytest.approx(predicted, rel=0.2)


def test_neither_picture_nor_ripple_depends_on_how_fine_the_grid_is():
    generator = np.random.default_rng(5)
    column, row = generator.integers(0, 2**8, (2, 100_000))
    for finer in (0, 12):
        span = np.full(100_000, 2**finer)
        place = column * span, row * span
        leaves = Leaves((2 ** (8 + finer),) * 2, *place, span, np.ones(100_000))
        picture = rasterise(leaves, (256, 256))
        variance = propagate_variance(leaves, np.ones(100_000), (256, 256), (3.0, 3.0))
        if not finer:
            expected = picture, variance
    assert picture == pytest.approx(expected[0])
    assert variance == pytest.approx(expected[1])
