"""Laplace noise costs what it says: by enumeration, by OpenDP's own account, and by attack."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetError
from sfumato.mechanisms.laplace import laplace, laplace_scale
from sfumato.mechanisms.meter import simulated
from sfumato.privacy.budget import Cost, to_fraction
from sfumato.testing import metered
from telling.enumerated.counts import largest_log_ratio, log_weight

fractions = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6)


@given(st.integers(1, 2**30), fractions)
def test_the_scale_is_the_smallest_float_that_costs_at_most_epsilon(l1, epsilon):
    scale = laplace_scale(l1, epsilon)
    assert Fraction(l1) / Fraction(scale) <= epsilon
    assert Fraction(l1) / Fraction(math.nextafter(scale, 0)) > epsilon


def test_a_scale_rounded_to_the_nearest_float_can_cost_too_much():
    """The twin: half of all quotients are rounded down."""
    epsilons = [Fraction(n, 100) for n in range(1, 100)]
    naive = [1 / float(epsilon) for epsilon in epsilons]
    assert any(1 / Fraction(scale) > e for scale, e in zip(naive, epsilons, strict=True))


@pytest.mark.parametrize("rows", [1, 3, 2**30])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.0])
def test_opendp_charges_the_same_up_to_its_rounding(rows, epsilon, exact_counts):
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance

    scale = laplace_scale(rows, to_fraction(epsilon))
    ours = metered(laplace, exact_counts([0], rows), scale=scale).cost.epsilon
    integers = vector_domain(atom_domain(T="i64"))
    theirs = Fraction(make_laplace(integers, l1_distance(T="i64"), scale).map(rows))
    assert ours <= theirs <= ours * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_no_outcome_tells_neighbours_apart_by_more_than_epsilon(rows, epsilon, exact_counts):
    scale = laplace_scale(rows, epsilon)
    cost = metered(laplace, exact_counts([0, 0, 0], rows), scale=scale).cost.epsilon
    assert largest_log_ratio(rows, log_weight(scale)) == cost <= epsilon


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_enumeration_rejects_half_the_sensitivity(rows):
    scale = laplace_scale(rows, Fraction(1, 2)) / 2
    assert largest_log_ratio(rows, log_weight(scale)) == 1


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_enumeration_rejects_a_scale_of_epsilon(rows):
    """The twin that multiplies where it should divide."""
    assert largest_log_ratio(rows, log_weight(rows * 0.5)) > Fraction(1, 2)


def test_the_enumeration_rejects_noise_made_of_floats():
    """Inverse sampling from 12 random bits has a largest value, and whoever exceeds it is seen."""
    uniforms = (np.arange(1, 2**12) / 2**12) - 0.5
    noise = np.rint(-2.0 * np.sign(uniforms) * np.log1p(-2 * np.abs(uniforms) + 2**-12))
    weights = Counter(noise.astype(int).tolist())

    def log_weight(z: int) -> float:
        return math.log(weights[z]) if weights[z] else -math.inf

    assert largest_log_ratio(1, log_weight, reach=20) == math.inf


@pytest.mark.parametrize("rows", [1, 4])
def test_an_attack_measures_less_than_the_promise_and_more_than_half(rows, exact_counts, interval):
    scale = laplace_scale(rows, Fraction(1))
    measured = _measured_epsilon(rows, scale, exact_counts, interval)
    assert 0.5 < measured <= 1


def test_the_attack_finds_half_the_sensitivity(exact_counts, interval):
    scale = laplace_scale(4, Fraction(1)) / 2
    assert _measured_epsilon(4, scale, exact_counts, interval) > 1


def test_the_cost_is_that_of_the_scale_in_use(exact_counts):
    noisy = metered(laplace, exact_counts([5, 6], 3), scale=4.0)
    assert noisy.cost == Cost.laplace(Fraction(3, 4), 3)
    assert noisy.private


def test_simulated_counts_cost_the_same_and_are_not_private(exact_counts):
    with simulated(np.random.default_rng(7)):
        noisy = metered(laplace, exact_counts([5, 6], 3), scale=4.0)
    assert noisy.cost == Cost.laplace(Fraction(3, 4), 3)
    assert not noisy.private


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1), Fraction(1, 2**56)])
def test_too_little_to_spend_is_refused(epsilon):
    with pytest.raises(BudgetError):
        laplace_scale(1, epsilon)


@pytest.mark.parametrize("scale", [0.0, -2.0, float("nan"), float("inf"), 2.0**56])
def test_a_scale_that_cannot_be_is_refused(scale, exact_counts):
    with pytest.raises(BudgetError):
        metered(laplace, exact_counts([1]), scale=scale)


def _measured_epsilon(rows, scale, exact_counts, interval):
    """A lower bound on ε: how much likelier a large count is with the unit than without."""
    trials = 50_000
    with_unit = metered(laplace, exact_counts(np.full(trials, rows), rows), scale=scale).values
    without = metered(laplace, exact_counts(np.zeros(trials), rows), scale=scale).values
    at_least, _ = interval(int((with_unit >= rows).sum()), trials)
    _, at_most = interval(int((without >= rows).sum()), trials)
    return math.log(at_least / at_most)
