import pytest

from sfumato.errors import DomainError
from sfumato.privacy.guarantee import MOST_MAX_ROWS, SHARED_STEPS, PrivacyUnit


def test_plain_spellings_of_a_unit():
    assert PrivacyUnit.of(None) == PrivacyUnit.rows()
    assert PrivacyUnit.of("user_id") == PrivacyUnit.users("user_id")
    unit = PrivacyUnit.users("user_id", max_rows=20)
    assert PrivacyUnit.of(unit) is unit


@pytest.mark.parametrize(
    ("unit", "weight", "worth"),
    [
        (PrivacyUnit.rows(), 1, 1.0),
        (PrivacyUnit.users("u"), SHARED_STEPS, 1.0),
        (PrivacyUnit.users("u", max_rows=7), 7, 7.0),
    ],
)
def test_the_weight_of_a_unit_in_steps_and_in_rows(unit, weight, worth):
    assert unit.weight == weight
    assert unit.weight * unit.step == worth


def test_what_is_protected_does_not_depend_on_how_its_weight_is_bounded():
    assert PrivacyUnit.users("u").protects == PrivacyUnit.users("u", max_rows=3).protects
    assert PrivacyUnit.users("u").protects != PrivacyUnit.users("v").protects
    assert PrivacyUnit.users("row").protects != PrivacyUnit.rows().protects


@pytest.mark.parametrize("rows", [0, -1, MOST_MAX_ROWS + 1, 2.5, 2.0, True, float("nan"), "3"])
def test_a_bound_on_rows_is_a_whole_number(rows):
    with pytest.raises(DomainError, match=r"max_rows=20\)\.$"):
        PrivacyUnit.users("user_id", max_rows=rows)


def test_rows_have_no_bound_on_rows():
    with pytest.raises(DomainError, match="user column"):
        PrivacyUnit(None, 3)


@pytest.mark.parametrize("column", [None, "", 5])
def test_whoever_asks_for_users_does_not_get_rows(column):
    with pytest.raises(DomainError, match=r"PrivacyUnit\.users\('user_id'\)\.$"):
        PrivacyUnit.users(column)


@pytest.mark.parametrize(
    "unit", [PrivacyUnit.rows(), PrivacyUnit.users("u"), PrivacyUnit.users("u", max_rows=2)]
)
def test_a_unit_can_be_typed_as_it_is_shown(unit):
    assert eval(repr(unit)) == unit
    assert "user" not in str(PrivacyUnit.rows())
