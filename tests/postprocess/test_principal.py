"""Components from noisy sums: exact without noise, honest bands with it, finite numbers always."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.postprocess.principal import (
    NoisySums,
    estimate_captured,
    find_components,
    find_distinct,
    loading_bands,
)

FLAT = [4.0, 2.0, *[0.5] * 8]
REACH = 1.96


def symmetric(generator, size, scale):
    """Noise as on a sum of outer products: smaller by √2 beside the diagonal."""
    above = np.triu(generator.normal(0, scale / math.sqrt(2), (size, size)), 1)
    return above + above.T + np.diag(generator.normal(0, scale, size))


def turned(generator, spectrum):
    """A covariance with these variances, and its directions as rows."""
    directions = np.linalg.qr(generator.normal(size=(len(spectrum), len(spectrum))))[0]
    return directions.T * np.array(spectrum) @ directions, directions


def released(generator, covariance, *, noise, rows=2000, mean=None, counted=20.0):
    """Sums as released of rows with this covariance; `noise` is that on a variance."""
    mean = np.zeros(len(covariance)) if mean is None else mean
    first = counted * math.sqrt(noise)
    return NoisySums(
        count=rows + generator.normal(0, counted),
        first=rows * mean + generator.normal(0, first, len(mean)),
        second=rows * (covariance + np.outer(mean, mean))
        + symmetric(generator, len(mean), rows * noise),
        noise=rows * noise,
        noise_count=counted,
        noise_first=first,
    )


def of(table):
    return NoisySums(len(table), table.sum(axis=0), table.T @ table, 1e-9, 1e-9, 1e-12)


def test_components_of_exact_sums_are_those_of_the_table():
    table = np.random.default_rng(1).normal(size=(300, 5)) * [3, 2, 1, 0.5, 0.1] + [5, 0, -2, 1, 0]
    found = find_components(of(table))
    assert found.mean == pytest.approx(table.mean(axis=0))
    assert found.covariance == pytest.approx(np.cov(table.T, bias=True))
    scores = (table - found.mean) @ found.directions.T
    assert scores.var(axis=0) == pytest.approx(found.variances)
    assert (np.diff(found.variances) < 0).all()


def test_directions_are_unit_rows_whose_largest_entry_is_positive():
    found = find_components(of(np.random.default_rng(2).normal(size=(50, 6))))
    assert found.directions @ found.directions.T == pytest.approx(np.eye(6))
    assert (found.directions.max(axis=1) == abs(found.directions).max(axis=1)).all()


def test_the_first_of_equal_entries_decides_the_sign_whatever_the_rounding():
    for tiny in (-1e-13, 1e-13):
        second = np.array([[2.0, -1.0], [-1.0, 2.0 + tiny]])
        found = find_components(NoisySums(1.0, np.zeros(2), second, 0.1, 0.1, 0.0))
        assert (found.directions[:, 0] > 0).all()


@settings(max_examples=150)
@given(
    st.integers(2, 6),
    st.floats(-1e9, 1e9),
    st.floats(1e-9, 1e9),
    st.floats(1e-9, 1e9),
    st.integers(0, 2**32),
)
def test_any_noise_gives_finite_numbers(columns, count, noise, counted, seed):
    generator = np.random.default_rng(seed)
    first, second = generator.normal(0, noise, columns), symmetric(generator, columns, noise)
    found = find_components(NoisySums(count, first, second, noise, counted, noise))
    bands = loading_bands(found)
    for numbers in (found.mean, found.covariance, found.variances, found.directions, bands):
        assert np.isfinite(numbers).all()
    assert found.size >= counted
    assert ((bands >= 0) & (bands <= 1)).all() and len(find_distinct(found)) == columns


def test_no_rows_and_columns_that_never_change_are_no_error():
    for table in (np.empty((0, 3)), np.ones((40, 3)), np.repeat([[1.0, 2.0, 0.0]], 40, axis=0)):
        found = find_components(replace(of(table), noise=5.0, noise_count=3.0, noise_first=1.0))
        assert np.isfinite(found.directions).all()
        assert not any(find_distinct(found))


def misses(spectrum, noise, told=1.0, runs=300, shown=2):
    """How many loadings of the first components lie outside bands made with `told` of the noise."""
    generator, missed = np.random.default_rng(3), []
    for _ in range(runs):
        covariance, true = turned(generator, spectrum)
        sums = released(generator, covariance, noise=noise)
        found = find_components(replace(sums, noise=told * sums.noise))
        signs = np.sign((true * found.directions).sum(axis=1, keepdims=True))
        outside = abs(found.directions - signs * true) > REACH * loading_bands(found)
        missed.append(outside[:shown].mean())
    return float(np.mean(missed))


def test_bands_hold_nineteen_of_twenty_loadings_where_components_are_distinct():
    for noise in (0.01, 0.1):
        assert 0.03 <= misses(FLAT, noise) <= 0.07


def test_bands_hold_at_least_as_many_where_they_are_not():
    assert misses([4.0, 3.95, 0.5], 0.2) <= 0.07
    assert misses([4.0, 3.95], 0.5) <= 0.07
    assert misses(FLAT, 1.0) <= 0.07


def test_bands_with_two_thirds_of_the_noise_are_noticed():
    assert misses(FLAT, 0.1, told=2 / 3) > 0.15


def test_components_are_distinct_where_the_gap_exceeds_the_stretch_of_the_noise():
    generator = np.random.default_rng(4)
    covariance, _ = turned(generator, FLAT)
    stretch = math.sqrt(2 * len(FLAT))
    near, far = 2.5 / stretch, 0.25 / stretch
    assert find_distinct(find_components(released(generator, covariance, noise=far)))[:3] == (
        True,
        True,
        False,
    )
    assert find_distinct(find_components(released(generator, covariance, noise=near)))[1] is False


def test_noise_alone_is_hardly_ever_called_distinct():
    generator = np.random.default_rng(5)
    for columns in (2, 3, 6, 40):
        called = [
            find_distinct(
                find_components(released(generator, np.zeros((columns, columns)), noise=1.0))
            )[0]
            for _ in range(200)
        ]
        assert np.mean(called) < 0.08


def share(generator, spectrum, noise, runs=100):
    """The share of the first two variances that noisy components capture, on average."""
    shares: list[float] = []
    for _ in range(runs):
        covariance, _ = turned(generator, spectrum)
        two = find_components(
            released(generator, covariance, noise=noise, counted=1e-3)
        ).directions[:2]
        shares.append(np.trace(two @ covariance @ two.T) / sum(spectrum[:2]))
    return float(np.mean(shares))


SPECTRA = {
    "flat": FLAT,
    "falling": (0.7 ** np.arange(20)).tolist(),
    "pair": [3.0, 2.9, *[0.4] * 18],
    "no gap": [3.0, 1.0, 1.0, 1.0, 0.5],
}


@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
def test_a_plan_expects_what_is_lost_within_a_quarter(spectrum):
    generator = np.random.default_rng(6)
    for noise in (0.02 * spectrum[0], 0.06 * spectrum[0]):
        lost = 1 - share(generator, spectrum, noise)
        assert 0.8 <= (1 - estimate_captured(spectrum, noise)) / lost <= 1.25
    assert estimate_captured(spectrum, spectrum[0]) == pytest.approx(
        share(generator, spectrum, spectrum[0]), abs=0.15
    )


def test_what_is_captured_falls_with_the_noise_to_that_of_random_directions():
    shares = [estimate_captured(FLAT, noise) for noise in np.geomspace(1e-3, 1e3, 40)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == pytest.approx(1, abs=1e-5)
    assert shares[-1] == pytest.approx(2 / 10 * 10 / 6)
    assert estimate_captured([2.0, 1.0], 5.0) == estimate_captured([0.0, 0.0, 0.0], 1.0) == 1
