from decimal import Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DomainError
from sfumato.privacy.budget import to_fraction
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit

ROWS = PrivacyUnit.rows()


def test_replacing_one_costs_two_steps():
    assert Guarantee(1.0, 0.0, ROWS).replace_one == (2.0, 0.0)
    assert Guarantee(0.1, 0.0, ROWS).replace_one[0] == 0.2


@given(st.floats(1e-6, 30), st.floats(1e-15, 1e-14))
def test_the_derived_promise_is_rounded_against_us_by_at_most_an_ulp(epsilon, delta):
    doubled, grown = Guarantee(epsilon, delta, ROWS).replace_one
    power = Fraction(Context(prec=60).exp(Decimal(repr(epsilon))))
    exact = to_fraction(delta) * (1 + power)
    assert Fraction(doubled) >= 2 * to_fraction(epsilon)
    assert exact <= Fraction(grown) <= exact * (1 + Fraction(1, 2**51))


@pytest.mark.parametrize("epsilon", [800.0, 1e308])
def test_a_promise_too_weak_to_compute_is_no_promise(epsilon):
    assert Guarantee(epsilon, 1e-300, ROWS).replace_one[1] == 1.0


def test_a_promise_is_never_stated_stronger_than_it_is():
    stated = str(Guarantee(1 / 3, 1.23456e-7, ROWS))
    assert stated == "ε = 0.3334, δ = 1.235e-07, protecting each row"


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ((10.5, 0.0), "ε = 10.5 is above 10"),
        ((1.0, 0.001), "δ = 0.001 is not below 0.001"),
        ((20.0, 0.5), "ε = 20 is above 10, δ = 0.5 is not below 0.001"),
    ],
)
def test_a_promise_that_protects_little_says_so(numbers, why):
    assert str(Guarantee(*numbers, ROWS)).endswith(f"each row. Protects little: {why}")
    assert "little" not in str(Guarantee(10.0, 0.00099, ROWS))


def test_a_promise_names_whom_it_protects():
    people = PrivacyUnit.users("user_id", max_rows=3)
    assert "user_id" in Guarantee(1.0, 0.0, people).neighbours
    assert "at most" in str(Guarantee(1.0, 0.0, people))


def test_where_the_size_is_public_replacing_is_what_is_promised():
    known = Guarantee(1.0, 1e-6, ROWS, size=12_000)
    assert known.replace_one == (1.0, 1e-6)
    assert known.neighbours == "replace one row of 12000"
    assert str(known) == (
        "ε = 1, δ = 1e-06, protecting what one of 12,000 rows says (their number is public)"
    )
    assert known != Guarantee(1.0, 1e-6, ROWS)


@pytest.mark.parametrize("size", [0, -1, True, 1.5, "900", 2**63 + 1])
def test_a_public_size_is_a_number_of_rows(size):
    with pytest.raises(DomainError, match="whole number of rows"):
        Guarantee(1.0, 0.0, ROWS, size=size)


def test_a_public_size_goes_with_rows_alone():
    with pytest.raises(DomainError, match="protect rows"):
        Guarantee(1.0, 0.0, PrivacyUnit.users("user_id"), size=900)


def test_a_name_is_cut_where_it_is_printed_and_whole_where_it_is_compared():
    unit = PrivacyUnit.users("user\x1b\u00a0" + "x" * 200)
    promise = Guarantee(1.0, 0.0, unit)
    assert "user  " + "x" * 113 + "… (total" in str(promise)
    assert (
        promise.neighbours
        == f"add or remove all rows of one {unit.column}, which count once together"
    )
