import numpy as np
import pytest

from postprocess.released import rank_errors
from sfumato.postprocess.box_counts import find_rank_distance, rank_surplus


def gaps_of(errors):
    """Return the four gaps, less a quarter of all units, of quartiles that err so in rank."""
    return np.diff(np.concatenate([[0], errors, [0]]))


def test_exact_counts_tell_the_rank_errors():
    errors = np.array([3.0, -2.0, 5.0])
    gaps = 250 + gaps_of(errors)
    assert rank_surplus(gaps, np.full(4, 1e-9), 1.0) == pytest.approx(errors, abs=1e-6)


def test_noise_beyond_measure_moves_nothing():
    gaps = np.array([900.0, 0, 0, 100])
    assert rank_surplus(gaps, np.full(4, 1e15), 1.0) == pytest.approx(0, abs=1e-6)


def test_the_number_of_units_is_not_asked_for():
    gaps, variances = np.array([40.0, 35, 20, 44]), np.array([9.0, 1, 2, 30])
    more = rank_surplus(gaps + 1000, variances, 0.7)
    assert more == pytest.approx(rank_surplus(gaps, variances, 0.7))


def test_polished_ranks_err_less():
    generator = np.random.default_rng(4)
    errors = rank_errors(0.7, generator, size=4000)
    noise = np.array([6.0, 1.0, 1.0, 6.0])
    left = [
        error - rank_surplus(gaps_of(error) + generator.normal(0, noise), noise**2, 0.7)
        for error in errors
    ]
    assert (abs(np.array(left)).mean(axis=0) < 0.9 * abs(errors).mean(axis=0)).all()


def test_a_walk_passes_as_many_ranks_as_it_should():
    distances, counts = np.array([0.5, 4.0, 10.0]), np.array([8.0, 12.0])
    assert find_rank_distance(distances, counts, 0.0, 4.0) == 2.0
    assert find_rank_distance(distances, counts, 0.0, 14.0) == 7.0
    assert find_rank_distance(distances, counts, 0.0, 99.0) == 10.0
    assert find_rank_distance(distances, np.array([8.0, -12.0]), 0.0, 9.0) == 10.0


def test_a_heavy_atom_is_not_left():
    distances, counts = np.array([0.5, 4.0]), np.array([8.0])
    assert find_rank_distance(distances, counts, atom=20.0, ranks=9.0) == 0.0
    assert find_rank_distance(distances, counts, atom=20.0, ranks=14.0) == 2.0


def test_at_the_bound_there_is_nowhere_to_walk():
    assert find_rank_distance(np.array([0.5]), np.empty(0), 0.0, 7.0) == 0.0
