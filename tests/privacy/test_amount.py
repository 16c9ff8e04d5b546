import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.privacy.budget import float_above, float_below, format_amount, to_fraction

fractions = st.fractions(min_value=0, max_value=10**6)


@pytest.mark.parametrize(
    ("amount", "meant"),
    [(0.1, Fraction(1, 10)), (1e-6, Fraction(1, 10**6)), (2, Fraction(2)), (0.3, Fraction(3, 10))],
)
def test_a_float_is_read_as_the_decimal_a_person_writes(amount, meant):
    assert to_fraction(amount) == meant


def test_ten_tenths_are_one_exactly_though_not_in_floats():
    assert sum([to_fraction(0.1)] * 10) == 1
    assert sum([0.1] * 10) != 1


@given(fractions)
def test_floats_bracket_a_fraction_as_tightly_as_floats_can(amount):
    below, above = float_below(amount), float_above(amount)
    assert Fraction(below) <= amount <= Fraction(above)
    assert above in (below, math.nextafter(below, math.inf))


def test_what_exceeds_every_float_is_infinite_above_and_finite_below():
    assert float_above(Fraction(10) ** 400) == math.inf
    assert float_above(Fraction(1, 10**400)) == 5e-324
    assert float_below(Fraction(1, 10**400)) == 0.0


@given(fractions)
def test_what_is_spent_is_never_shown_smaller_nor_what_is_left_larger(amount):
    assert (
        Fraction(format_amount(amount, up=True))
        >= amount
        >= Fraction(format_amount(amount, up=False))
    )


@given(fractions)
def test_a_shown_amount_is_off_by_less_than_one_in_the_last_digit(amount):
    gap = Fraction(format_amount(amount, up=True)) - Fraction(format_amount(amount, up=False))
    assert gap <= amount / 1000


def test_rounding_to_nearest_would_be_noticed():
    amount = Fraction(1, 3)
    assert Fraction(f"{float(amount):.4g}") < amount <= Fraction(format_amount(amount, up=True))


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (Fraction(5), "5"),
        (Fraction(5, 4), "1.25"),
        (Fraction(1, 10**6), "1e-06"),
        (Fraction(0), "0"),
    ],
)
def test_round_amounts_are_shown_as_they_are(amount, text):
    assert format_amount(amount, up=True) == format_amount(amount, up=False) == text
