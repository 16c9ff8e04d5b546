"""Cumulated masses fit what was measured best, and their errors are those of the noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.postprocess.cumulated import (
    CumulatedFit,
    MeasuredIntervals,
    make_band,
    make_intervals,
    make_rising,
)
from sfumato.postprocess.noise_law import NoiseLaw


def measured(cuts: list[int], steps: list[int], scale: float = 2.0) -> MeasuredIntervals:
    ends = np.array(cuts, dtype=np.int64)
    return MeasuredIntervals(
        ends[:-1], ends[1:], np.array(steps, dtype=np.int64), NoiseLaw("laplace", scale)
    )


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_masses_are_those_of_weighted_least_squares(seed: int) -> None:
    generator = np.random.default_rng(seed)
    rounds: list[MeasuredIntervals] = []
    for scale in (1.0, 3.0, 10.0):
        inner = generator.choice(np.arange(1, 20), size=4, replace=False)
        cuts = [0, *sorted(inner.tolist()), 20]
        rounds.append(measured(cuts, generator.integers(0, 50, 5).tolist(), scale))
    fit = CumulatedFit(rounds, 0.5)
    rows: list[np.ndarray] = []
    sides: list[float] = []
    for each in rounds:
        for first, end, steps in zip(each.first, each.end, each.steps, strict=True):
            row = (fit.knots == end).astype(float) - (fit.knots == first)
            rows.append(row[1:] / np.sqrt(each.law.variance))
            sides.append(steps * 0.5 / np.sqrt(each.law.variance))
    best = np.linalg.lstsq(np.array(rows), np.array(sides), rcond=None)[0]
    assert np.allclose(fit.estimate, [0, *best])


def test_errors_vary_as_least_squares_says() -> None:
    rounds = [measured([0, 8], [9]), measured([0, 2, 8], [1, 7]), measured([0, 4, 8], [3, 5], 1.0)]
    fit = CumulatedFit(rounds, 1.0)
    design = np.array([[0, 0, 1], [1, 0, 0], [-1, 0, 1], [0, 1, 0], [0, -1, 1]], dtype=float)
    variances = np.repeat([rounds[0].law.variance, rounds[2].law.variance], [3, 2])
    truth = np.linalg.inv(design.T @ (design / variances[:, None]))
    assert np.allclose(fit.errors[1:].var(axis=1), np.diag(truth), rtol=0.2)
    assert fit.errors[0].tolist() == [0.0] * fit.errors.shape[1]


def test_the_same_measurements_have_the_same_errors() -> None:
    first, second = (CumulatedFit([measured([0, 3, 8], [2, 9])], 1.0) for _ in range(2))
    assert (first.errors == second.errors).all()


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=30))
def test_rising_numbers_are_the_nearest_ones(values: list[int]) -> None:
    from scipy.optimize import isotonic_regression

    found = make_rising(np.array(values, dtype=np.float64))
    assert np.allclose(found, isotonic_regression(values).x)


def test_numbers_made_to_rise_are_no_further_off_than_the_worst_of_them() -> None:
    generator = np.random.default_rng(1)
    truth = np.cumsum(generator.random(50))
    noisy = truth + generator.normal(size=50)
    assert abs(make_rising(noisy) - truth).max() <= abs(noisy - truth).max()


@pytest.mark.parametrize("coverage", [0.8, 0.95])
def test_bands_hold_all_numbers_and_intervals_each_as_often_as_they_say(coverage: float) -> None:
    generator = np.random.default_rng(2)
    errors = np.cumsum(generator.normal(size=(20, 4000)), axis=0)
    known, tried = errors[:, :2000], errors[:, 2000:]
    band = make_band(np.zeros(20), known, coverage)
    inside = (abs(tried) <= band.high[:, None]).all(axis=0).mean()
    assert abs(inside - coverage) < 0.03
    each = make_intervals(np.zeros(20), known, coverage)
    assert abs((abs(tried) <= each.high[:, None]).mean() - coverage) < 0.03
    assert (band.high > each.high).all()


def test_a_band_is_narrower_than_intervals_that_hold_jointly_by_their_number() -> None:
    errors = np.cumsum(np.random.default_rng(3).normal(size=(60, 4000)), axis=0)
    band = make_band(np.zeros(60), errors, 0.95)
    envelope = make_intervals(np.zeros(60), errors, 1 - 0.05 / 60)
    assert band.high.max() < 0.9 * envelope.high.max()
