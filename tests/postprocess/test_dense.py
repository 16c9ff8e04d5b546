import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from sfumato.postprocess.transport import project_by_transport

SEEDS, LEVELS = st.integers(0, 2**32), st.integers(0, 3)


def squares(levels):
    """Return the weighted sums over all squares of all levels, as one matrix."""
    rows = []
    for level in range(levels + 1):
        part = np.kron(np.eye(2**level), np.ones(2 ** (levels - level)))
        rows.append(2.0**-level * np.kron(part, part))
    return np.concatenate(rows)


def tree_norm(array):
    return abs(squares(len(array).bit_length() - 1) @ array.ravel()).sum()


def emd_norm(array, *, nearest_positive=False):
    """Return the norm of the paper, or how far in it the nearest non-negative masses are."""
    side, index = len(array), np.arange(array.size).reshape(array.shape)
    start = np.concatenate([index[:, :-1].ravel(), index[:-1].ravel()])
    end = np.concatenate([index[:, 1:].ravel(), index[1:].ravel()])
    edge = np.arange(len(start))
    flow = sparse.csr_matrix(
        (np.repeat([1.0, -1.0], len(edge)), (np.concatenate([start, end]), np.tile(edge, 2))),
        shape=(array.size, len(edge)),
    )
    unit = sparse.identity(array.size)
    parts = [unit, flow, -flow, unit, -unit]
    prices = np.repeat([0.0, 1 / side, 2.0], [array.size, 2 * len(edge), 2 * array.size])
    bounds = [(0, None if nearest_positive else 0)] * array.size
    bounds += [(0, None)] * (len(prices) - array.size)
    return linprog(prices, A_eq=sparse.hstack(parts), b_eq=array.ravel(), bounds=bounds).fun


def noisy(generator, levels):
    true = generator.poisson(0.7, (2**levels, 2**levels)).astype(float)
    return true, true + generator.laplace(0, 1, true.shape)


@settings(max_examples=50)
@given(SEEDS, LEVELS)
def test_no_non_negative_masses_are_nearer_in_the_tree(seed, levels):
    _, values = noisy(np.random.default_rng(seed), levels)
    rows = squares(levels)
    unit = np.eye(len(rows))
    best = linprog(
        np.repeat([0.0, 1.0], [values.size, 2 * len(rows)]),
        A_eq=np.hstack([rows, unit, -unit]),
        b_eq=rows @ values.ravel(),
    )
    masses = project_by_transport(values)
    assert (masses >= 0).all()
    assert tree_norm(masses - values) == pytest.approx(best.fun, rel=1e-9)


@settings(max_examples=25)
@given(SEEDS, LEVELS)
def test_the_tree_bounds_the_norm_of_the_paper(seed, levels):
    values = np.random.default_rng(seed).normal(0.3, 1, (2**levels, 2**levels))
    assert emd_norm(values) <= (1 + 2.0**-levels) * tree_norm(values) * (1 + 1e-9)


@given(SEEDS, LEVELS)
def test_the_error_is_at_most_twice_the_noise(seed, levels):
    true, values = noisy(np.random.default_rng(seed), levels)
    assert tree_norm(project_by_transport(values) - true) <= 2 * tree_norm(values - true) + 1e-9


def test_the_norm_of_the_paper_is_nearly_as_small_as_it_can_be():
    generator = np.random.default_rng(7)
    ratios = []
    for _ in range(20):
        _, values = noisy(generator, 4)
        ratios.append(
            emd_norm(values - project_by_transport(values))
            / emd_norm(values, nearest_positive=True)
        )
    assert np.mean(ratios) < 1.4


def test_masses_that_are_not_negative_stay_as_they_are():
    values = np.random.default_rng(2).random((16, 16))
    assert project_by_transport(values) == pytest.approx(values)


def test_where_all_is_negative_nothing_is_left():
    assert not project_by_transport(-np.ones((8, 8))).any()


def test_a_hole_is_filled_from_beside_it():
    values = np.zeros((8, 8))
    values[0, 0], values[0, 1], values[7, 7] = 10.0, -4.0, 10.0
    masses = project_by_transport(values)
    assert masses[0, 0] == pytest.approx(6)
    assert masses[7, 7] == pytest.approx(10)


def test_rows_and_columns_are_treated_alike():
    values = np.random.default_rng(4).laplace(0.2, 1, (16, 16))
    assert project_by_transport(values.T) == pytest.approx(project_by_transport(values).T)
    assert project_by_transport(values[::-1]) == pytest.approx(project_by_transport(values)[::-1])
