"""Words and numbers as they are printed."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.render.text import (
    clean,
    format_moment,
    format_number,
    format_numbers,
    shorten,
    width,
    wrap,
)


@given(st.text())
def test_cleaned_text_is_always_valid_xml(text: str) -> None:
    element = ElementTree.fromstring(f"<t>{escape(clean(text))}</t>")
    assert (element.text or "") == clean(text)


def test_a_text_that_is_not_cleaned_can_break_xml() -> None:
    with pytest.raises(ElementTree.ParseError):
        ElementTree.fromstring("<t>\x00</t>")


def test_letters_that_turn_the_line_around_are_taken_out() -> None:
    assert clean("abc\u202egnp.exe") == "abc gnp.exe"
    assert clean("a\u200db") == "a\u200db", "joiners shape letters in many scripts"


@given(st.text(), st.integers(1, 30))
def test_no_line_is_wider_than_asked_and_no_letter_is_lost(text: str, room: int) -> None:
    lines = wrap(text, room, len)
    assert all(len(line) <= room for line in lines)
    kept = "".join("".join(lines).split())
    assert kept == "".join(clean(text.replace("\n", " ")).split())


def test_a_number_stays_with_its_per_cent_sign() -> None:
    assert wrap("held with 95 % probability", 12, len) == ["held with", "95\u00a0%", "probability"]


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1234.0, "1234"),
        (12345.0, "12\u202f345"),
        (-1234567.0, "\u22121\u202f234\u202f567"),
        (12.3456, "12.35"),
        (0.05, "0.05"),
        (99.99999, "100"),
        (12345.678, "12\u202f346"),
        (1e-9, "1e\u221209"),
        (3e20, "3e+20"),
    ],
)
def test_a_number_is_printed_plainly(value: float, printed: str) -> None:
    assert format_number(value) == printed


@given(st.floats(-1e300, 1e300))
def test_every_finite_number_can_be_printed(value: float) -> None:
    plain = format_number(value).replace("\u202f", "").replace("\u2212", "-")
    assert float(plain) == pytest.approx(value, rel=5e-3, abs=1e-300)


def test_the_ticks_of_one_axis_look_alike() -> None:
    assert format_numbers([0, 5000, 10000]) == ["0", "5\u202f000", "10\u202f000"]
    assert format_numbers([1990, 2000, 2010]) == ["1990", "2000", "2010"]
    assert format_numbers([-1.0, -1e-17, 1.0]) == ["\u22121", "0", "1"]
    assert format_numbers([-0.5, 0, 0.5]) == ["\u22120.5", "0.0", "0.5"]
    assert format_numbers([0.0, 2.5e-5]) == ["0.000000", "0.000025"]
    assert format_numbers([]) == []


def test_a_moment_beyond_the_calendar_is_its_end() -> None:
    assert format_moment(1e300) == format_moment(300_000 * 365 * 86_400e6) == "9999-12-31"
    assert format_moment(-1e300).lstrip("0") == "1-01-01"


def test_a_moment_is_printed_in_utc_as_finely_as_it_is_meant() -> None:
    assert format_moment(1_704_067_200_000_000) == "2024-01-01"
    assert format_moment(1_704_067_200_000_000 + 90 * 60_000_000) == "2024-01-01 01:30"
    assert format_moment(-86_400_000_000) == "1969-12-31"


def test_a_long_name_is_cut_and_says_so() -> None:
    assert shorten("a" * 50, 10) == "a" * 9 + "…"
    assert shorten("short", 10) == "short"


def test_a_name_of_thousands_of_letters_is_measured_a_few_times_over() -> None:
    measured: list[str] = []
    lines = wrap("a" * 5000, 50, lambda text: measured.append(text) or float(len(text)))
    assert lines == ["a" * 50] * 100
    assert sum(map(len, measured)) < 20 * 5000


def test_the_estimated_width_grows_with_every_letter() -> None:
    assert width("illi") < width("mmmm") < width("mmmmm")
    assert width("漢字") > width("ab")
