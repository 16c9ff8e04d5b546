"""Outliers are counted where they would be drawn, as long as there is room to write."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.samples import boxes
from sfumato.figure import Estimates
from sfumato.render.boxes import (
    TOO_FEW,
    OutlierCount,
    Side,
    TextSetting,
    format_compact,
    list_counts,
    margin,
    move_inside,
    round_to_noise,
    set_counts,
    set_too_few,
)
from sfumato.render.text import width

THREE = [
    OutlierCount(0, 10, "above", 120),
    OutlierCount(1, 10, "above", 12_300),
    OutlierCount(2, 0, "below", 7),
]


def setting(across: float, beyond: float = 60, *, upright: bool = True) -> TextSetting:
    return set_counts(THREE, across=across, beyond=beyond, upright=upright, measure=width)


def test_a_count_that_could_be_zero_is_not_written() -> None:
    outliers = Estimates((40.0, 40.0), (-2.0, 2.0), (82.0, 78.0))
    mark = replace(boxes(2), outliers_below=outliers, outliers_above=outliers)
    assert [(c.position, c.side) for c in list_counts(mark)] == [(1, "below"), (1, "above")]


def test_a_count_of_less_than_one_is_not_written() -> None:
    mark = replace(boxes(1), outliers_above=Estimates((0.3,), (0.3,), (0.3,)))
    assert list_counts(mark) == []


def test_a_group_too_small_has_no_counts() -> None:
    assert [c.position for c in list_counts(boxes(4, too_few=(2,)))] == [1, 3]


def test_counts_stand_beyond_the_whisker_and_its_shade() -> None:
    mark = boxes(2)
    (count,) = list_counts(mark)
    assert count.anchor == mark.upper_whisker.high[1]


def test_writing_grows_shorter_with_the_room() -> None:
    forms = [setting(across).texts[1] for across in (80, 45, 22)]
    assert forms == ["≈ 12\u202f300 above", "≈ 12\u202f300", "≈12k"]
    assert setting(80).texts[2] == "≈ 7 below"
    assert setting(12).angle == 90
    assert setting(4).texts == ()


def test_level_boxes_have_their_counts_beside_them() -> None:
    assert setting(20, 80, upright=False) == TextSetting(setting(80).texts, 0, setting(80).size)
    assert setting(8, 80, upright=False).texts[1] == "≈12k"
    assert setting(3, 80, upright=False).texts == ()


@given(st.floats(1, 200), st.floats(1, 200), st.booleans())
def test_what_is_written_always_fits(across: float, beyond: float, upright: bool) -> None:
    chosen = setting(across, beyond, upright=upright)
    for text in chosen.texts:
        level, high = chosen.size * width(text), chosen.size
        if chosen.angle:
            level, high = high, level
        room = (across, beyond) if upright else (beyond, across)
        assert level <= room[0] + 1e-9 and high <= room[1] + 1e-9


def test_words_in_place_of_a_box_are_turned_or_left_out() -> None:
    def angle(across: float, along: float = 200, upright: bool = True) -> int | None:
        chosen = set_too_few(2, across=across, along=along, upright=upright, measure=width)
        return chosen.angle if chosen.texts == (TOO_FEW, TOO_FEW) else None

    assert [angle(90), angle(20), angle(4), angle(20, 20)] == [0, 90, None, None]
    assert [angle(20, upright=False), angle(4, upright=False)] == [0, None]


def test_the_axis_leaves_room_for_what_will_be_written() -> None:
    def free(side: Side, *, upright: bool, many: bool) -> float:
        return margin(THREE, side, upright=upright, many=many)

    assert margin([], "above", upright=True, many=False) == 0.04
    level = free("above", upright=False, many=False)
    assert level > free("below", upright=False, many=False) > 0.04, "longer words, more room"
    assert level > free("above", upright=False, many=True)
    assert free("above", upright=True, many=False) < free("above", upright=True, many=True) <= 0.2


@pytest.mark.parametrize(("side", "place"), [("above", 90.0), ("below", 10.0)])
def test_a_text_that_would_be_cut_moves_into_the_axis(side: str, place: float) -> None:
    beyond = 100.0 if side == "above" else 0.0
    assert move_inside(beyond, 10, (0, 100), side) == place  # type: ignore[arg-type]
    assert move_inside(50, 10, (0, 100), side) == 50  # type: ignore[arg-type]


def test_a_count_has_no_digit_that_noise_made() -> None:
    assert [round_to_noise(1234.5, doubt) for doubt in (0.2, 4, 40, 400)] == [
        1234,
        1234,
        1230,
        1200,
    ]


def test_short_numbers_keep_their_size() -> None:
    written = [format_compact(n) for n in (7, 999, 1000, 1250, 9960, 45_000, 3.2e6, 2e9)]
    assert written == ["7", "999", "1k", "1.2k", "10k", "45k", "3.2M", "2G"]
