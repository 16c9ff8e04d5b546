import math
import pickle
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.domain import Bounds, Categories, ColumnType, Domain, convert_to_datetime
from sfumato.errors import DomainError


def refused(attempt) -> str:
    """Return the words of a refusal, which must be of three sentences: what, why, what to type."""
    with pytest.raises(DomainError) as refusal:
        attempt()
    assert refusal.value.__context__ is None
    words = str(refusal.value)
    assert words.endswith(".")
    assert words.count(". ") >= 2
    return words


@pytest.mark.parametrize("spelling", [(0, 240), [0, 240], (0.0, 240.0), np.array([0, 240])])
def test_a_pair_of_numbers_is_bounds(spelling):
    assert Bounds.of(spelling) == Bounds(0, 240)


def test_bounds_are_floats_however_they_are_written():
    assert (
        repr(Bounds(0, 240))
        == repr(Bounds.of((np.int64(0), 240)))
        == "Bounds(lower=0.0, upper=240.0)"
    )
    assert Bounds.of(Bounds(1, 2)) == Bounds(1, 2)
    assert Bounds(-1, 3).width == 4


@pytest.mark.parametrize(
    "end", [math.inf, -math.inf, math.nan, "240", None, 10**400, date(2026, 1, 1)]
)
def test_an_end_that_is_no_finite_number_is_refused(end):
    assert "finite" in refused(lambda: Bounds(0, end))
    assert "finite" in refused(lambda: Bounds.of((0, end)))


@pytest.mark.parametrize("ends", [(1, 0), (1, 1), (-1.7e308, 1.7e308)])
def test_bounds_that_hold_nothing_or_too_much_are_refused(ends):
    assert "reversed, empty or too wide" in refused(lambda: Bounds.of(ends))


@pytest.mark.parametrize("spelling", [None, 5, "09", "ab", (1,), (1, 2, 3), {1, 2}, {1: 2, 3: 4}])
def test_what_is_no_pair_is_no_bounds(spelling):
    assert "pair" in refused(lambda: Bounds.of(spelling))


def test_dates_are_microseconds_in_utc():
    bounds = Bounds.of((date(1970, 1, 1), date(1970, 1, 2)))
    assert (bounds.lower, bounds.upper, bounds.time) == (0.0, 86_400e6, True)
    elsewhere = datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    moments = Bounds.of((elsewhere, datetime(1970, 1, 2, tzinfo=UTC)))
    assert (moments.lower, moments.upper, moments.zone) == (bounds.lower, bounds.upper, "UTC")
    assert "names a zone" in refused(lambda: Bounds.of((elsewhere, datetime(1970, 1, 2))))


@given(st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)))
def test_a_moment_survives_the_way_there_and_back(when):
    bounds = Bounds.of((when, datetime(2250, 1, 1)))
    assert convert_to_datetime(bounds.lower) == when.replace(tzinfo=UTC)


def test_bounds_of_dates_can_be_typed_as_they_are_shown():
    import datetime as calendar

    bounds = Bounds.of((date(2026, 1, 1), date(2027, 1, 1)))
    assert eval(repr(bounds), {"datetime": calendar, "Bounds": Bounds}) == bounds


def test_dates_beyond_the_calendar_are_refused():
    assert "too wide" in refused(lambda: Bounds(0, 1e18, time=True))
    assert "too wide" in refused(lambda: Bounds.of((date(2026, 1, 1), datetime.max)))


@pytest.mark.parametrize("spelling", [["A", "B"], ("A", "B"), np.array(["A", "B"])])
def test_a_list_is_categories_in_its_own_order(spelling):
    assert Categories.of(spelling) == Categories(("A", "B"))
    assert Categories.of(spelling) != Categories(("B", "A"))


@pytest.mark.parametrize(
    ("values", "kind"), [(["A"], "text"), ([1, 2.5], "number"), ([True, False], "flag")]
)
def test_the_kind_of_categories_follows_from_what_is_declared(values, kind):
    assert Categories.of(values).kind == kind


@pytest.mark.parametrize("spelling", [[], (), None, 5, {"A", "B"}, {"A": 1}])
def test_what_is_no_list_is_no_categories(spelling):
    assert "list of at least one" in refused(lambda: Categories.of(spelling))


def test_one_text_is_not_a_list_of_letters():
    assert "not a text" in refused(lambda: Categories.of("AB"))


@pytest.mark.parametrize("values", [["A", "A"], [1, 1.0], [True, 1], [0, False]])
def test_a_category_is_named_once(values):
    assert "once" in refused(lambda: Categories.of(values))


@pytest.mark.parametrize("values", [["A", 1], ["A", True], [2, True]])
def test_categories_are_of_one_kind(values):
    assert "Write one kind only" in refused(lambda: Categories.of(values))


@pytest.mark.parametrize(
    "value", [None, math.nan, math.inf, 2**53 + 1, b"A", ["A"], date(2026, 1, 1)]
)
def test_a_category_is_a_text_a_number_or_a_flag(value):
    assert "cannot be compared exactly" in refused(lambda: Categories.of([value]))


def test_an_order_selects_from_what_is_declared():
    declared = Categories(("A", "B", "C"))
    assert declared.select(None, "ward") is declared
    assert declared.select(Categories(("C", "A")), "ward").values == ("C", "A")
    assert "'D' is not a declared category of 'ward'" in refused(
        lambda: declared.select(Categories(("A", "D")), "ward")
    )


def test_a_flag_does_not_select_a_number():
    assert refused(lambda: Categories((0, 1)).select(Categories((False, True)), "ward"))


def test_a_flag_is_another_category_than_a_number_wherever_it_is_looked_up():
    flags, numbers = Categories.of([False, True]), Categories.of([0, 1])
    assert flags != numbers and hash(flags) != hash(numbers)
    assert numbers == Categories.of([0.0, 1.0]) and hash(numbers) == hash(Categories.of([0.0, 1.0]))
    assert {flags: "flags", numbers: "numbers"}[flags] == "flags"
    assert flags != (False, True)


def test_a_domain_reads_plain_spellings():
    domain = Domain(
        wait=(0, 240), ward=["A", "B"], sex=("F", "M"), smoker=(False, True), grade=[1, 2]
    )
    assert domain.bounds("wait") == Bounds(0, 240)
    assert domain.categories("ward").values == ("A", "B")
    assert domain.categories("sex").values == ("F", "M")
    assert domain.categories("smoker").kind == "flag"
    assert domain.categories("grade").kind == "number"
    assert list(domain) == ["wait", "ward", "sex", "smoker", "grade"]


def test_a_domain_is_read_from_a_mapping_too():
    assert Domain.of({"wait time": (0, 240)}).bounds("wait time").upper == 240
    assert Domain.of(None) == Domain()
    domain = Domain(wait=(0, 1))
    assert Domain.of(domain) is domain


def test_columns_may_have_any_name():
    assert Domain(columns=(0, 1), self=(0, 2)).bounds("columns") == Bounds(0, 1)


@pytest.mark.parametrize("spelling", [5, "A", None, {"A"}, 0.5])
def test_a_declaration_is_a_pair_or_a_list(spelling):
    assert "A declaration is" in refused(lambda: Domain(wait=spelling))


@pytest.mark.parametrize("spelling", [5, "wait", [("wait", (0, 1))]])
def test_a_domain_is_a_mapping(spelling):
    assert "A declaration is" in refused(lambda: Domain.of(spelling))


def test_a_column_without_a_declaration_says_what_to_type():
    domain = Domain(wait=(0, 240), ward=["A", "B"])
    assert refused(lambda: domain.fact("age")).endswith("Domain(age=['A', 'B']) for categories.")
    assert refused(lambda: domain.bounds("ward")).endswith("Domain(ward=(lower, upper)).")
    assert refused(lambda: domain.categories("wait")).endswith("Domain(wait=['A', 'B']).")
    assert domain.fact("ward") == Categories(("A", "B"))


def test_a_domain_is_shown_in_words_that_make_it_again():
    domain = Domain(wait=(0, 240), ward=["A", "B"])
    assert eval(repr(domain)) == domain
    assert pickle.loads(pickle.dumps(domain)) == domain


@pytest.mark.parametrize(
    ("spelling", "bounds"),
    [
        (range(1, 13), Bounds(1, 12, step=1)),
        (range(0, 100, 5), Bounds(0, 95, step=5)),
        (range(12, 0, -1), Bounds(1, 12, step=1)),
        (range(-3, 4), Bounds(-3, 3, step=1)),
    ],
)
def test_a_range_is_bounds_of_whole_numbers_wherever_bounds_are(spelling, bounds):
    assert Bounds.of(spelling) == bounds
    assert Domain(month=spelling).bounds("month") == bounds
    assert bounds.values == len(spelling)


@pytest.mark.parametrize("spelling", [range(0), range(5, 6), range(5, 1)])
def test_a_range_of_fewer_than_two_values_is_refused(spelling):
    assert "fewer than two values" in refused(lambda: Bounds.of(spelling))
    refused(lambda: Domain(month=spelling))


@pytest.mark.parametrize("step", [0, -1, math.nan, math.inf, 11, "1", 1e-300, 5e-324])
def test_a_step_that_no_values_can_have_is_refused(step):
    assert "must be a number above 0" in refused(lambda: Bounds(0, 10, step=step))


def test_bounds_end_on_their_last_value():
    assert Bounds(0, 10, step=3).upper == 9
    assert Bounds(0, 0.3, step=0.1).upper == 0.3  # which is three steps but for its rounding
    assert Bounds(0, 0.3, step=0.1).values == 4


def test_bounds_with_a_step_are_written_as_they_are_read():
    assert eval(repr(Bounds(1, 12, step=1))) == Bounds(1, 12, step=1)
    days = Bounds.of((date(2026, 1, 1), date(2026, 1, 31)), step=timedelta(days=1))
    assert days.values == 31
    readable = repr(days).replace("datetime.", "")
    assert eval(readable, {**globals(), "timezone": timezone}) == days


def test_old_bounds_are_equal_to_those_without_a_step():
    assert repr(Bounds(0, 1)) == "Bounds(lower=0.0, upper=1.0)"
    assert Bounds(0, 1).step is None and not Bounds(0, 1).parsed


WHOLE, DAYS = ColumnType(spacing=1.0), ColumnType(spacing=86_400e6, time=True)


def test_a_type_adds_a_step_and_cuts_bounds_to_whole_values():
    assert Bounds(0.5, 24.9).typed(WHOLE) == Bounds(1, 24, step=1)
    assert Bounds(-0.5, 23.5).typed(WHOLE) == Bounds(0, 23, step=1)
    year = Bounds.of((date(2026, 1, 1), datetime(2026, 12, 31, 18)))
    assert year.typed(DAYS).values == 365


@pytest.mark.parametrize(
    ("bounds", "known"),
    [
        (Bounds(0, 100, step=5), WHOLE),  # what is declared stays
        (Bounds(0.2, 0.8), WHOLE),  # which holds no whole number
        (Bounds(0.2, 1.8), WHOLE),  # which holds one
        (Bounds(1e17, 1.1e17), WHOLE),  # where floats do not tell whole numbers apart
        (Bounds(0, 1e300), WHOLE),
        (Bounds.of((date(2026, 1, 1), date(2027, 1, 1))), ColumnType(spacing=1.0, time=True)),
        (Bounds(0, 24), DAYS),  # numbers declared where there are dates, which is refused later
        (Bounds.of((date(2026, 1, 1), date(2027, 1, 1))), WHOLE),
        (Bounds(0, 24), ColumnType()),
    ],
)
def test_a_type_that_adds_no_step_leaves_bounds_as_they_are(bounds, known):
    assert bounds.typed(known) == bounds


def test_types_stand_beside_what_is_declared():
    domain = Domain(age=(0.5, 90), ward=["A"]).with_types(
        {"age": WHOLE, "pay": ColumnType(parsed=True)}
    )
    assert domain.bounds("age") == Bounds(0.5, 90)  # a window stays where it was put
    assert domain.spaced_bounds("age") == Bounds(1, 90, step=1)
    assert domain.typed("pay").parsed and domain.typed("ward") == ColumnType()
    assert Domain.of(domain).types == domain.types


@given(
    lower=st.integers(-(10**6), 10**6),
    more=st.integers(1, 10**6),
    off=st.floats(0, 0.99),
)
def test_a_whole_number_within_bounds_stays_within_them_under_its_type(lower, more, off):
    bounds = Bounds(lower - off, lower + more + off).typed(WHOLE)
    assert (bounds.lower, bounds.upper) == (lower, lower + more)
