"""Where the parts of boxplots stand: edges as soft as we are unsure of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.samples import box_hue, boxes, boxplot, thirty_boxes
from sfumato.figure import Boxes, Estimates
from sfumato.render import theme
from sfumato.render.boxes import (
    BoxPart,
    Fineness,
    caps,
    medians,
    outlines,
    reaches,
    shade_boxes,
    shade_medians,
    shade_whisker_ends,
    spacing,
    span_sides,
    spans,
    whiskers,
)

FINE = Fineness(310, 12)


def piles(parts: list[BoxPart]) -> list[list[BoxPart]]:
    """Group the rectangles of each shade, from the outermost in."""
    shades: list[list[BoxPart]] = []
    for _, group in groupby(parts, key=lambda part: part.left):
        for part in group:
            inner = shades and shades[-1][-1].left == part.left
            if inner and shades[-1][-1].low <= part.low <= part.high <= shades[-1][-1].high:
                shades[-1].append(part)
            else:
                shades.append([part])
    return shades


def seen(pile: list[BoxPart]) -> float:
    """Return how opaque rectangles are together."""
    through = 1.0
    for part in pile:
        through *= 1 - part.opacity
    return 1 - through


def outer(parts: list[BoxPart]) -> list[tuple[float, float]]:
    return [(pile[0].low, pile[0].high) for pile in piles(parts)]


def close(got: Iterable[tuple[float, float]], wanted: Iterable[tuple[float, float]]) -> bool:
    return np.allclose(list(got), list(wanted))


def test_the_outermost_rectangle_of_a_shade_is_the_interval() -> None:
    mark = boxes(3)
    median = zip(mark.median.low, mark.median.high, strict=True)
    assert close(outer(shade_medians(mark, FINE)), median)
    box = zip(mark.q1.low, mark.q3.high, strict=True)
    assert close(outer(shade_boxes(mark, FINE)), box)
    below, above = mark.lower_whisker, mark.upper_whisker
    ends = [*zip(below.low, below.high, strict=True), *zip(above.low, above.high, strict=True)]
    assert close(outer(shade_whisker_ends(mark, FINE)), ends)


def test_the_innermost_rectangle_of_a_box_is_where_it_surely_lies() -> None:
    mark = boxes(3)
    inner = [(pile[-1].low, pile[-1].high) for pile in piles(shade_boxes(mark, FINE))]
    assert close(inner, zip(mark.q1.high, mark.q3.low, strict=True))


@pytest.mark.parametrize("noise", [0.01, 6.0])
def test_shades_have_their_full_colour_where_all_rectangles_lie(noise: float) -> None:
    mark = boxes(4, noise=noise)
    for parts, full in (
        (shade_boxes(mark, FINE), theme.BOX_OPACITY),
        (shade_medians(mark, FINE), theme.MEDIAN_OPACITY),
        (shade_whisker_ends(mark, FINE), theme.END_OPACITY),
    ):
        assert [seen(pile) for pile in piles(parts)] == pytest.approx([full] * len(piles(parts)))


def test_a_box_we_are_unsure_of_is_pale() -> None:
    sure, unsure = (shade_boxes(boxes(1, noise=noise), FINE) for noise in (1, 90))
    assert seen(unsure) < 0.8 * seen(sure)


@given(st.lists(st.floats(0, 300), min_size=9, max_size=9))
def test_no_rectangle_leaves_the_intervals_whatever_they_are(numbers: list[float]) -> None:
    ends = sorted(numbers)
    q1, median, q3 = (Estimates((ends[k],), (ends[0],), (ends[8],)) for k in (3, 4, 5))
    mark = replace(boxes(1), q1=q1, median=median, q3=q3)
    for part in (*shade_boxes(mark, FINE), *shade_medians(mark, FINE)):
        assert ends[0] - 1e-9 <= part.low < part.high <= ends[8] + 1e-9
        assert 0 < part.opacity < 1


def test_without_intervals_a_box_has_hard_edges() -> None:
    mark = boxes(2, noise=0)
    assert shade_medians(mark, FINE) == shade_whisker_ends(mark, FINE) == []
    assert {(p.low, p.high) for p in shade_boxes(mark, FINE)} == {
        (p.low, p.high) for p in outlines(mark)
    }


def test_lines_stand_where_the_numbers_are() -> None:
    mark = boxes(2)
    box = outlines(mark)[1]
    assert (box.low, box.high) == (mark.q1.value[1], mark.q3.value[1])
    assert box.right - box.left == pytest.approx(mark.width)
    assert [line.low for line in medians(mark)] == list(mark.median.value)
    assert {(w.low, w.high) for w in whiskers(mark)} >= {
        (mark.lower_whisker.value[0], mark.q1.value[0]),
        (mark.q3.value[0], mark.upper_whisker.value[0]),
    }
    assert [cap.low for cap in caps(mark)] == [*mark.lower_whisker.value, *mark.upper_whisker.value]
    assert all(cap.low == cap.high for cap in caps(mark))


def test_the_shade_of_a_whisker_stays_outside_its_box() -> None:
    mark = boxes(3, noise=200)
    for part in shade_whisker_ends(mark, FINE):
        place = round((part.left + part.right) / 2)
        assert part.high <= mark.q1.value[place] or part.low >= mark.q3.value[place]


def test_a_group_too_small_has_a_span_and_no_box() -> None:
    mark = boxes(3, too_few=(1,))
    drawn = (outlines, medians, caps, whiskers)
    assert all(part.left != 1 - mark.width / 2 for draw in drawn for part in draw(mark))
    assert [(s.low, s.high) for s in spans(mark)] == [(0, 400)]
    assert len(outlines(mark)) == 2


def test_a_span_that_goes_on_beyond_the_axis_is_open_there() -> None:
    mark = boxes(3, too_few=(1,))
    ends = [line for line in span_sides(mark, (0, 310)) if line.low == line.high]
    assert [line.low for line in ends] == [0]
    assert len(span_sides(mark, (-10, 410))) == 4


def test_everything_drawn_for_a_group_can_be_pointed_at() -> None:
    for part, low, high in zip(
        reaches(mark := boxes(3)), mark.lower_whisker.low, mark.upper_whisker.high, strict=True
    ):
        assert (part.low, part.high) == (low, high)


def test_many_boxes_have_coarser_shades() -> None:
    few, many = boxplot(boxes(5)), thirty_boxes()
    fine, coarse = (Fineness.of(f.panels[0], _first(f.panels[0].marks)) for f in (few, many))
    assert fine.most > coarse.most
    lengths = [fine.steps(length) for length in (1, 10, 100)]
    assert all(a < b for a, b in pairwise(lengths))


def test_the_nearest_two_boxes_decide_the_room() -> None:
    assert spacing(boxplot(boxes(5)).panels[0]) == pytest.approx(1)
    assert spacing(box_hue().panels[0]) == pytest.approx(0.26)
    assert spacing(boxplot(boxes(1)).panels[0]) == 1


def _first(marks: tuple[object, ...]) -> Boxes:
    assert isinstance(marks[0], Boxes)
    return marks[0]


def test_a_shade_has_few_parts_however_long_it_is() -> None:
    assert Fineness(1.0, 12).steps(float("inf")) == 12
    assert Fineness(1e-300, 12).steps(1e300) == 12
