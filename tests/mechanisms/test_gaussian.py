"""Gaussian noise costs what it says: by enumeration, by OpenDP's own account, and by attack."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetError
from sfumato.mechanisms.gaussian import gaussian, gaussian_scale
from sfumato.mechanisms.meter import simulated
from sfumato.privacy.budget import Cost, epsilon_of
from sfumato.testing import metered

ORDERS = [Decimal("1.5"), Decimal(2), Decimal("2.7"), Decimal(8), Decimal(32)]
CLOSE = Decimal("1e-30")

pytestmark = pytest.mark.usefixtures("precise")


@given(
    st.integers(1, 2**60),
    st.fractions(min_value=Fraction(1, 10**9), max_value=10**9),
)
def test_the_scale_is_the_smallest_float_that_costs_at_most_rho(l2_squared, rho):
    scale = gaussian_scale(l2_squared, rho)
    assert Fraction(l2_squared) / (2 * Fraction(scale) ** 2) <= rho
    assert Fraction(l2_squared) / (2 * Fraction(math.nextafter(scale, 0)) ** 2) > rho


def test_a_root_rounded_to_the_nearest_float_can_cost_too_much():
    """The twin: half of all roots are rounded down."""
    rhos = [Fraction(1, n) for n in range(3, 100)]
    naive = [math.sqrt(float(1 / (2 * rho))) for rho in rhos]
    assert any(1 / (2 * Fraction(scale) ** 2) > rho for scale, rho in zip(naive, rhos, strict=True))


@pytest.mark.parametrize("rho", [Fraction(10**700), Fraction(1, 10**30)])
def test_extreme_prices_have_a_scale(rho):
    assert Fraction(1, 2) / Fraction(gaussian_scale(1, rho)) ** 2 <= rho


@pytest.mark.parametrize("rows", [1, 3, 2**30])
@pytest.mark.parametrize("rho", [Fraction(1, 50), Fraction(3, 2)])
def test_opendp_charges_the_same_up_to_its_rounding(rows, rho, exact_counts):
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance

    scale = gaussian_scale(rows**2, rho)
    ours = metered(gaussian, exact_counts([0], rows), scale=scale).cost.rho
    integers = vector_domain(atom_domain(T="i64"))
    theirs = Fraction(make_gaussian(integers, l2_distance(T="f64"), scale).map(float(rows)))
    assert ours <= theirs <= ours * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("rho", [Fraction(1, 8), Fraction(1)])
def test_no_divergence_between_neighbours_exceeds_alpha_rho(rows, rho, exact_counts, neighbours):
    scale = gaussian_scale(rows**2, rho)
    cost = metered(gaussian, exact_counts([0, 0], rows), scale=scale).cost
    assert cost.rho <= rho
    assert cost.epsilon is None
    price = _decimal(cost.rho)
    for order in ORDERS:
        assert _largest_divergence(neighbours, rows, scale, order) <= order * price * (1 + CLOSE)
    # At an integer order the bound is attained.
    attained = _largest_divergence(neighbours, rows, scale, Decimal(2))
    assert attained >= 2 * price * (1 - CLOSE)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_enumeration_rejects_half_the_sensitivity(rows, neighbours):
    rho = Fraction(1, 8)
    scale = gaussian_scale(rows**2, rho) / 2
    assert _largest_divergence(neighbours, rows, scale, Decimal(2)) > 2 * _decimal(rho)


@pytest.mark.parametrize("rows", [2, 3])
def test_the_enumeration_rejects_a_sensitivity_of_rows_in_cells_of_their_own(rows, neighbours):
    """The twin that forgets that all rows of a unit may lie in one cell."""
    rho = Fraction(1, 8)
    scale = gaussian_scale(rows, rho)
    assert _largest_divergence(neighbours, rows, scale, Decimal(2)) > 2 * _decimal(rho)


def test_an_attack_measures_less_than_the_promise_and_more_than_half(exact_counts, interval):
    rho = Fraction(1, 2)
    measured = _measured_epsilon(gaussian_scale(1, rho), exact_counts, interval)
    promised = float(epsilon_of(rho, Fraction(1, 100)))
    assert 0.5 * promised < measured <= promised


def test_the_attack_finds_half_the_sensitivity(exact_counts, interval):
    rho = Fraction(1, 2)
    measured = _measured_epsilon(gaussian_scale(1, rho) / 2, exact_counts, interval)
    assert measured > float(epsilon_of(rho, Fraction(1, 100)))


def test_the_cost_is_that_of_the_scale_in_use(exact_counts):
    noisy = metered(gaussian, exact_counts([5, 6], 3), scale=3.0)
    assert noisy.cost == Cost.gaussian(Fraction(1, 2))
    assert noisy.private


def test_simulated_counts_cost_the_same_and_are_not_private(exact_counts):
    with simulated(np.random.default_rng(7)):
        noisy = metered(gaussian, exact_counts([5, 6], 3), scale=3.0)
    assert noisy.cost == Cost.gaussian(Fraction(1, 2))
    assert not noisy.private


@pytest.mark.parametrize("rho", [Fraction(0), Fraction(-1), Fraction(1, 2**120)])
def test_too_little_to_spend_is_refused(rho):
    with pytest.raises(BudgetError):
        gaussian_scale(1, rho)


@pytest.mark.parametrize("scale", [0.0, -2.0, float("nan"), float("inf"), 2.0**56])
def test_a_scale_that_cannot_be_is_refused(scale, exact_counts):
    with pytest.raises(BudgetError):
        metered(gaussian, exact_counts([1]), scale=scale)


def _decimal(amount: Fraction) -> Decimal:
    return Decimal(amount.numerator) / Decimal(amount.denominator)


def _largest_divergence(neighbours, rows, scale, order):
    """The largest Rényi divergence over all small tables and neighbours, in both directions."""
    known: dict[int, Decimal] = {}

    def divergence(shift: int) -> Decimal:
        if shift not in known:
            known[shift] = _divergence(shift, scale, order)
        return known[shift]

    return max(
        sum(divergence(sign * (b - a)) for a, b in zip(one, other, strict=True))
        for one, other in neighbours(2, [0, 1, 2], rows)
        for sign in (1, -1)
    )


def _divergence(shift, scale, order):
    """The Rényi divergence between the noise and itself moved by `shift`, term by term."""
    reach = math.ceil(16 * scale + 40 * abs(shift))
    spread = 2 * Decimal(scale) ** 2
    total = sum((-(Decimal(z) ** 2) / spread).exp() for z in range(-reach, reach + 1)).ln()
    terms = (
        (
            order * (-(Decimal(z) ** 2) / spread - total)
            + (1 - order) * (-(Decimal(z - shift) ** 2) / spread - total)
        ).exp()
        for z in range(-reach, reach + 1)
    )
    return sum(terms).ln() / (order - 1)


def _measured_epsilon(scale, exact_counts, interval):
    """A lower bound on ε at δ = 1/100, from how much likelier a count of 3 is with the unit."""
    trials = 50_000
    with_unit = metered(gaussian, exact_counts(np.ones(trials)), scale=scale).values
    without = metered(gaussian, exact_counts(np.zeros(trials)), scale=scale).values
    largest = 0.0
    for level in (1, 2, 3):
        at_least, _ = interval(int((with_unit >= level).sum()), trials)
        _, at_most = interval(int((without >= level).sum()), trials)
        largest = max(largest, math.log(max(at_least - 0.01, 1e-9) / at_most))
    return largest
