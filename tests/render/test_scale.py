"""Limits that every renderer shares."""

from __future__ import annotations

from dataclasses import replace

import pytest

from render.samples import category, histogram, numeric_hue, panels
from sfumato.figure import Axis, Bars, Cells, Figure
from sfumato.render.scale import (
    HEADROOM,
    choose_time_ticks,
    colour_limits,
    list_series,
    place_error_bars,
    x_limits,
    y_limits,
)
from sfumato.zones import find_zone


def test_public_limits_are_kept_and_counts_begin_at_zero() -> None:
    figure = histogram()
    (panel,) = figure.panels
    (bars,) = panel.marks
    assert isinstance(bars, Bars)
    assert x_limits(panel) == (0, 110)
    highest = max(bars.simultaneous.high)
    assert y_limits(panel, figure) == (0, pytest.approx(HEADROOM * highest))


def test_categories_have_half_a_place_to_either_side() -> None:
    assert x_limits(category(("A", "B", "C")).panels[0]) == (-0.5, 2.5)


def test_panels_with_the_same_axis_share_its_limits() -> None:
    low, high = histogram().panels[0], histogram(scale=10).panels[0]
    together = Figure("", (low, high), "")
    assert y_limits(low, together) == y_limits(high, together)
    apart = Figure("", (low, replace(high, y=Axis("other"))), "")
    assert y_limits(low, apart) != y_limits(apart.panels[1], apart)


def test_all_panels_share_one_colour_scale_from_zero() -> None:
    figure = panels()
    cells = [mark for panel in figure.panels for mark in panel.marks]
    highest = max(v for mark in cells if isinstance(mark, Cells) for row in mark.value for v in row)
    assert colour_limits(figure) == (0.0, highest)


def test_error_bars_of_overlapping_outlines_stand_apart() -> None:
    (panel,) = numeric_hue().panels
    first, second, third = (place_error_bars(panel, bars) for bars in panel.marks)
    left, right = panel.marks[0].left[0], panel.marks[0].right[0]
    assert left < first[0] < second[0] < third[0] < right


def test_series_are_listed_once_in_order() -> None:
    assert list_series(numeric_hue(("B", "A"))) == ["B", "A"]
    assert list_series(histogram()) == []


def test_an_axis_that_ends_with_the_calendar_has_no_ticks_beyond_it() -> None:
    end = 253402300799e6
    assert choose_time_ticks((end - 9e6, end), find_zone("Asia/Tokyo"), 5) == []
    assert choose_time_ticks((end - 3600e6, end), find_zone("UTC"), 5)


def test_an_empty_chart_still_has_limits() -> None:
    figure = category(())
    assert x_limits(figure.panels[0]) == (-0.5, 0.5)
    assert y_limits(figure.panels[0], figure)[1] > 0
    assert colour_limits(figure) == (0.0, 1.0)
