"""Variances from a second sum: their intervals hold the truth, and tails do not fool them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.test_principal import REACH, of, released, symmetric, turned
from sfumato.postprocess.length_tail import Clipped, choose_length, fit_tail
from sfumato.postprocess.principal import (
    NoisySums,
    VarianceEstimates,
    estimate_variances,
    find_components,
)

SPECTRUM = [4.0, 2.0, 0.5, 0.5, 0.2]


def test_variances_of_exact_sums_are_those_of_the_scores():
    table = np.random.default_rng(1).normal(size=(200, 4)) * [3, 2, 1, 0.5] + [1, 2, 3, 4]
    directions = find_components(of(table)).directions
    found = estimate_variances(of(table), directions[:3])
    variances = ((table - table.mean(axis=0)) @ directions.T).var(axis=0)
    assert found.variance == pytest.approx(variances[:3])
    assert found.total == pytest.approx(variances.sum())
    assert found.ratio == pytest.approx(variances[:3] / variances.sum())


@settings(max_examples=150)
@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.floats(1e-6, 1e9), st.integers(0, 2**32))
def test_any_noise_gives_finite_numbers_and_shares(count, noise, counted, seed):
    generator = np.random.default_rng(seed)
    sums = NoisySums(
        count, generator.normal(0, noise, 3), symmetric(generator, 3, noise), noise, counted, noise
    )
    found = estimate_variances(sums, find_components(sums).directions)
    ends = [*found.variance_limits(REACH, 9.0), *found.ratio_limits(REACH)]
    numbers = [found.variance, found.variance_error, found.ratio_error, *ends]
    assert all(np.isfinite(each).all() for each in numbers)
    assert math.isfinite(found.total) and math.isfinite(found.total_error)
    assert ((found.ratio >= 0) & (found.ratio <= 1)).all()
    assert (ends[0] <= ends[1]).all() and (ends[2] <= ends[3]).all()


def coverage(hold, *, noise, counted, runs=1500, told=1.0):
    """How often each of three intervals holds the truth, in simulations with a known covariance."""
    generator, held = np.random.default_rng(2), []
    for _ in range(runs):
        covariance, directions = turned(generator, SPECTRUM)
        offset = generator.normal(0, 0.1, len(SPECTRUM))
        sums = released(generator, covariance, noise=noise, mean=offset, counted=counted)
        sums = replace(sums, noise=told * sums.noise, noise_count=told * sums.noise_count)
        held.append(hold(estimate_variances(sums, directions)))
    return np.mean(held, axis=0)


def by_limits(found: VarianceEstimates):
    pairs = [found.variance_limits(REACH, 99.0), found.ratio_limits(REACH)]
    first = [
        low[1] <= true <= high[1] for (low, high), true in zip(pairs, (2.0, 2 / 7.2), strict=True)
    ]
    low, high = found.total_limits(REACH, 99.0)
    return [*first, low <= 7.2 <= high]


def by_errors(found: VarianceEstimates):
    return [
        abs(found.variance[1] - 2.0) <= REACH * found.variance_error[1],
        abs(found.ratio[1] - 2 / 7.2) <= REACH * found.ratio_error[1],
        abs(found.total - 7.2) <= REACH * found.total_error,
    ]


@pytest.mark.parametrize("noise", [0.05, 0.5])
def test_limits_hold_the_truth_nineteen_times_of_twenty(noise):
    assert coverage(by_limits, noise=noise, counted=20.0) == pytest.approx(0.95, abs=0.02)


def test_limits_hold_the_truth_where_noise_may_be_all_there_is():
    for noise in (2.0, 5.0):
        assert (coverage(by_limits, noise=noise, counted=700.0, runs=800) >= 0.93).all()


def test_standard_deviations_do_so_where_noise_is_small():
    assert coverage(by_errors, noise=0.2, counted=60.0) == pytest.approx(0.95, abs=0.02)


def test_noise_that_is_not_what_was_added_is_noticed():
    assert (coverage(by_limits, noise=0.5, counted=100.0, told=0.7) < 0.9).all()


def test_noise_on_the_number_of_rows_counts_in_variances_and_not_in_shares():
    sums = NoisySums(1000.0, np.zeros(2), np.diag([900.0, 100.0]), 1.0, 10.0, 0.1)
    few, many = (
        estimate_variances(replace(sums, noise_count=each), np.eye(2)) for each in (10.0, 100.0)
    )
    assert many.variance_error[0] > 5 * few.variance_error[0]
    assert many.ratio_error == pytest.approx(few.ratio_error)


def test_a_number_of_rows_that_may_be_none_leaves_every_variance_and_share_open():
    sums = NoisySums(5.0, np.zeros(2), np.diag([3.0, 1.0]), 9.0, 10.0, 1.0)
    found = estimate_variances(sums, np.eye(2))
    assert found.variance_limits(REACH, 4.0) == (pytest.approx(0.0), pytest.approx(4.0))
    assert found.total_limits(REACH, 4.0) == (0.0, 4.0)
    assert found.ratio_limits(REACH) == (pytest.approx(0.0), pytest.approx(1.0))


def test_variances_of_heavy_tails_lie_in_their_limits_which_those_of_cut_rows_do_not():
    generator = np.random.default_rng(7)
    table = generator.normal(size=(20_000, 3)) * [0.2, 0.1, 0.05]
    table[:100, 0] += 0.9  # one row in two hundred, far out
    true, length = table.var(axis=0), np.linalg.norm(table, axis=1, keepdims=True)

    def cut_at(cut, noise=15.0):
        rows = table * np.minimum(1, cut / np.maximum(length, 1e-9))
        scale, counted = noise * cut**2, noise * 8
        return replace(
            of(rows),
            count=len(rows) + generator.normal(0, counted),
            second=rows.T @ rows + symmetric(generator, 3, scale),
            noise=scale,
            noise_count=counted,
            noise_first=1e-9,
        )

    def held(cut, *, allow):
        near, far = (Clipped(cut_at(each), each) for each in (0.5, cut))
        size = max(far.sums.count, 1.0)
        tail = fit_tail(near, far, np.zeros(3), size=size, beyond=200.0)
        low, high = estimate_variances(far.sums, np.eye(3)).variance_limits(REACH, 9.0)
        return low[0] <= true[0] <= high[0] + allow * tail.excess(cut)

    cut = choose_length(cut_at(0.5), length=0.5, beyond=200.0, farthest=6.0, noise=15.0)
    # A lump is not what a tail is taken for, and yet hardly missed.
    assert np.mean([held(cut, allow=1) for _ in range(100)]) > 0.8
    assert np.mean([held(0.5, allow=0) for _ in range(100)]) < 0.1
