"""An axis has as many numbers as stand apart, from each other and from those of its neighbours."""

from __future__ import annotations

from itertools import pairwise

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page

from render.samples import round_panels
from render.test_matplotlib_layout import ALONE, faults, render
from sfumato.figure import Axis
from sfumato.render.matplotlib import draw
from sfumato.render.matplotlib.axis import TickFitter, set_ticks

APART = 6.0  # points


def ticks(limits: tuple[float, float], overhang: float = 5.0) -> list[float]:
    """Choose ticks for an axis that is 150 points long."""
    page = Page(figsize=(150 / 72, 1))
    ax = page.add_axes((0, 0, 1, 1))
    ax.set_xlim(*limits)
    set_ticks(ax.xaxis, Axis("age", limits=limits))
    TickFitter(ax, overhang).fit(render(page))
    low, high = limits
    return [float(tick) for tick in ax.get_xticks() if low <= tick <= high]


def test_whole_numbers_have_no_ticks_between_them() -> None:
    page = Page(figsize=(4, 1))
    ax = page.add_axes((0, 0, 1, 1))
    ax.set_xlim(0.5, 3.5)
    set_ticks(ax.xaxis, Axis("quarter", limits=(0.5, 3.5), step=1.0))
    TickFitter(ax, 5.0).fit(render(page))
    assert [float(tick) for tick in ax.get_xticks() if 0.5 <= tick <= 3.5] == [1, 2, 3]


def shown(ax: Axes) -> list[tuple[float, float]]:
    """Return where each number below the x axis begins and ends, in pixels."""
    boxes = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    return [(box.x0, box.x1) for box in boxes]


def test_a_first_number_near_the_edge_is_not_measured_by_a_wider_one() -> None:
    assert ticks((45, 315)) == [50, 100, 150, 200, 250, 300]


def test_a_first_number_that_itself_would_reach_too_far_is_left_out() -> None:
    assert ticks((149, 415)) == [200, 300, 400]
    assert ticks((149, 415), overhang=20.0)[0] == 150


@pytest.mark.parametrize("limits", [(0, 100), (-1, 1), (0, 1000)])
def test_an_axis_that_ends_on_round_numbers_keeps_those_between(limits: tuple[int, int]) -> None:
    chosen = ticks(limits)
    assert len(chosen) > 2 and (chosen[0], chosen[-1]) == limits


@pytest.mark.parametrize("size", ALONE)
@pytest.mark.parametrize("end", [1, 100, 1000, 100_000, 10_000_000])
def test_numbers_of_neighbouring_panels_do_not_run_into_each_other(end: float, size: str) -> None:
    page = Page(figsize=ALONE[size])
    ax = draw(round_panels(end), ax=page.add_subplot())
    assert faults(page) == []
    rows = [shown(panel) for panel in ax.child_axes if panel.axison]
    for left, right in pairwise(row for row in rows if row):
        beside = right[0][0] > left[0][0]
        assert not beside or right[0][0] - left[-1][1] >= APART * page.dpi / 72
