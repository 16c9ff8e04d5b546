from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.privacy.budget import epsilon_of, rho_within

GOLDEN = Decimal("0.6180339887498948482045868343656381177203")

epsilons = st.floats(-3, 2).map(lambda exponent: Fraction(10**exponent))
deltas = st.floats(-12, -0.5).map(lambda exponent: Fraction(10**exponent))


def log_delta(epsilon: Fraction, rho: Fraction) -> Decimal:
    """The least ln δ over all orders α, found in 60 digits by golden section in ln(α − 1)."""
    with localcontext(prec=60):
        e = Decimal(epsilon.numerator) / epsilon.denominator
        r = Decimal(rho.numerator) / rho.denominator

        def at(point: Decimal) -> Decimal:
            less = point.exp()
            a = less + 1
            return less * (a * r - e) - point - a * (1 + 1 / less).ln()

        low, high = Decimal(-20), Decimal(40)
        while high - low > Decimal("1e-18"):
            left = high - GOLDEN * (high - low)
            right = low + GOLDEN * (high - low)
            low, high = (low, right) if at(left) < at(right) else (left, high)
        return at(low)


def ln(delta: Fraction) -> Decimal:
    with localcontext(prec=60):
        return (Decimal(delta.numerator) / delta.denominator).ln()


@settings(max_examples=30, deadline=None)
@given(epsilons, deltas)
def test_the_rho_of_a_budget_is_as_large_as_is_safe_and_no_larger(epsilon, delta):
    rho = rho_within(epsilon, delta)
    assert log_delta(epsilon, rho) <= ln(delta)
    assert log_delta(epsilon, rho * (1 + Fraction(1, 10**9))) > ln(delta)


@settings(max_examples=30, deadline=None)
@given(epsilons, deltas)
def test_the_epsilon_of_a_rho_is_as_small_as_is_safe_and_no_smaller(rho, delta):
    epsilon = epsilon_of(rho, delta)
    assert log_delta(epsilon, rho) <= ln(delta)
    smaller = epsilon * (1 - Fraction(1, 10**9))
    assert epsilon == 0 or log_delta(smaller, rho) > ln(delta)


@settings(max_examples=50, deadline=None)
@given(epsilons, deltas)
def test_there_and_back_gains_nothing(epsilon, delta):
    tiny = Fraction(1, 10**9)
    assert epsilon_of(rho_within(epsilon, delta), delta) >= epsilon * (1 - tiny)
    assert rho_within(epsilon_of(epsilon, delta), delta) <= max(
        epsilon * (1 + tiny), rho_at_zero(delta)
    )


def rho_at_zero(delta: Fraction) -> Fraction:
    """So small a ρ that δ alone covers it: its ε is 0, and many share that."""
    return rho_within(Fraction(1, 10**12), delta) * 2


@given(epsilons, deltas, st.fractions(1, 3))
def test_more_epsilon_or_more_delta_never_buys_less(epsilon, delta, factor):
    assert rho_within(epsilon * factor, delta) >= rho_within(epsilon, delta)
    assert rho_within(epsilon, delta * factor) >= rho_within(epsilon, delta)
    assert epsilon_of(epsilon * factor, delta) >= epsilon_of(epsilon, delta)


def test_nothing_spent_is_nothing_lost():
    assert epsilon_of(Fraction(0), Fraction(1, 10**15)) == 0


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-2])
@pytest.mark.parametrize("rho", [1e-4, 0.01, 0.5, 8.0])
def test_google_s_accountant_is_never_below_ours_by_more_than_its_choice_of_orders(rho, delta):
    accounting = pytest.importorskip("dp_accounting")
    rdp = pytest.importorskip("dp_accounting.rdp")
    orders = [1 + 10 ** (step / 400) for step in range(-1200, 2400)]
    accountant = rdp.RdpAccountant(orders).compose(accounting.dp_event.ZCDpEvent(rho))
    ours = float(epsilon_of(Fraction(rho), Fraction(delta)))
    assert ours <= accountant.get_epsilon(delta) * (1 + 1e-12)
    assert ours == pytest.approx(accountant.get_epsilon(delta), rel=1e-4)


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-2])
@pytest.mark.parametrize("scale", [0.5, 3.0, 50.0])
def test_opendp_converts_gaussian_noise_to_the_same_epsilon(scale, delta):
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    noise = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=scale)
    theirs = dp.c.make_zCDP_to_approxDP(noise).map(1).epsilon(delta)
    ours = float(epsilon_of(Fraction(noise.map(1)), Fraction(delta)))
    assert ours == pytest.approx(theirs, rel=1e-9)
    assert ours >= theirs * (1 - 1e-12)
