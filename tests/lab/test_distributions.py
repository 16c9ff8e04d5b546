"""The samples of the lab have the moments and the boxplots that they should."""

from __future__ import annotations

import numpy as np
import pytest

from boxplots.boxes import sample_box, scaled
from boxplots.distributions import Distribution, named, tuned, untuned
from sfumato.postprocess.box import Box

SIZE = 200_000


@pytest.fixture(params=[distribution.name for distribution in [*tuned(), *untuned()]])
def distribution(request: pytest.FixtureRequest) -> Distribution:
    return named(request.param)


def test_each_distribution_has_mean_0_and_variance_1(distribution: Distribution) -> None:
    values = distribution.draw(np.random.default_rng(0), SIZE)
    assert abs(values.mean()) < 0.01
    # The fourth moment of t3 is infinite, and that of the prices large.
    if distribution.name not in {"t3", "airbnb"}:
        assert values.var() == pytest.approx(1, abs=0.03)


def test_large_samples_have_the_box_and_the_outliers_of_the_population(
    distribution: Distribution,
) -> None:
    found = sample_box(distribution.draw(np.random.default_rng(1), SIZE))
    expected = distribution.expected(SIZE)
    for name in ("q1", "median", "q3"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=0.02)
    for name in ("outliers_below", "outliers_above"):
        wanted = getattr(expected, name)
        assert abs(getattr(found, name) - wanted) <= 0.05 * wanted + 5 * np.sqrt(wanted)


def test_whiskers_end_at_the_fence_or_where_the_tail_ends() -> None:
    normal, uniform = named("normal").population, named("uniform").population
    assert normal.upper_whisker == pytest.approx(normal.q3 + 1.5 * (normal.q3 - normal.q1))
    assert uniform.upper_whisker == pytest.approx(np.sqrt(3), abs=1e-6)
    assert uniform.outliers_above == 0
    skew = named("skew").population
    assert skew.lower_whisker > skew.q1 - 1.5 * (skew.q3 - skew.q1)
    assert (skew.outliers_below, skew.outliers_above > 0.01) == (0, True)


def test_a_sample_box_counts_what_lies_beyond_its_whiskers() -> None:
    box = sample_box(np.array([0.0, 1.0, 2.0, 3.0, 4.0, 100.0]))
    assert box == Box(0.0, 0.0, 1.25, 2.5, 3.75, 7.5, 1.0)


def test_a_box_is_scaled_and_shifted_with_its_data() -> None:
    values = np.random.default_rng(2).standard_normal(1000)
    moved, box = sample_box(3 * values + 40), scaled(sample_box(values), 3.0, 40.0)
    for name in vars(box):
        assert getattr(moved, name) == pytest.approx(getattr(box, name))
