"""What is said of groups in a plane: plainly, and only what was released."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from render.plane_samples import (
    GROUPS,
    arrows,
    biplot,
    clouds,
    dots,
    hill,
    map_panels,
    outlines,
    overlay,
    plane,
    ungrouped,
)
from render.samples import heat, histogram
from sfumato.figure import Clouds, Contour
from sfumato.render.description import (
    describe_aloud,
    describe_figure,
    overlaps,
    sort_by_length,
    summarise,
)
from sfumato.render.html import build_table

HERE = ((1.0, 0.0),)
THERE = ((0.0, 0.5),)
BOTH = ((0.1, 0.1),)
NOTHING = ((0.0, 0.0),)


def side_by_side(*values: tuple[tuple[float, ...], ...]) -> Clouds:
    return Clouds((0, 2), (0, 1), tuple("abcd"[: len(values)]), values)


def test_groups_overlap_by_what_lies_in_the_same_place_however_large_they_are() -> None:
    shared = overlaps(side_by_side(HERE, THERE, BOTH, NOTHING))
    wanted = [[1, 0, 0.5, 0], [0, 1, 0.5, 0], [0.5, 0.5, 1, 0], [0, 0, 0, 0]]
    assert shared == pytest.approx(np.array(wanted))


def test_every_group_says_where_it_is_densest_and_what_lies_most_where_it_does() -> None:
    said = [str(reading) for reading in describe_figure(plane(side_by_side(HERE, THERE, BOTH)))]
    x, y = "PC1 (38 ± 2 % of variance)", "PC2 (21 ± 3 % of variance)"
    assert said[0] == f"class a: densest at {x} 0; {y} 0; overlaps most with c (50 %)"
    assert said[1] == f"class b: densest at {x} 2; {y} 0; overlaps most with c (50 %)"


def test_a_group_that_is_nowhere_is_said_to_be() -> None:
    figure = plane(side_by_side(HERE, NOTHING))
    _, second = describe_figure(figure)
    assert second.value[0][1] == second.value[1][1] == "nowhere"
    assert "b is seen nowhere." in summarise(figure)


def test_a_border_says_how_far_it_reaches() -> None:
    first, second = describe_figure(plane(*outlines(("a",))))
    assert str(first).startswith(
        "class a, share inside 50 %: PC1 (38 ± 2 % of variance) −1.3 to 1.3"
    )
    assert second.place[1] == ("share inside", "90 %")
    (empty,) = describe_figure(plane(Contour((), 0.5, "a")))
    assert [words for _, words in empty.value] == ["nowhere", "nowhere"]


def test_points_are_counted_and_not_listed() -> None:
    first, *_ = describe_figure(plane(*dots(GROUPS[:2], 30)))
    assert first.value == (("points drawn from the density", "30"),)


def test_arrows_are_read_from_the_longest_to_the_shortest() -> None:
    mark = arrows(("short", "long"))
    mark = replace(mark, x=replace(mark.x, value=(1.0, -4.0)), y=replace(mark.y, value=(0.0, 3.0)))
    assert sort_by_length(mark) == [(1, 5.0), (0, 1.0)]
    longest, shortest = describe_figure(plane(mark))
    assert (longest.place, longest.value[0]) == ((("arrow", "long"),), ("length", "5"))
    assert shortest.value[0] == ("length", "1")
    assert longest.value[1][0] == "PC1 (38 ± 2 % of variance) (95 %)"


def test_the_summary_names_groups_overlaps_arrows_and_borders() -> None:
    told = summarise(biplot())
    assert "Densities of 3 groups of class over PC1 (38 ± 2 % of variance) and PC2" in told
    assert "Barbunya is densest at 2.8, −0.2." in told
    assert "Most overlap: " in told and "; least: " in told
    assert "Arrows by length: heart rate 4.5, systolic blood pressure 4, lactate 3.5" in told
    assert told.endswith("Lines enclose 50 % and 90 % of each group.")


def test_two_groups_overlap_each_other_and_one_alone_overlaps_nothing() -> None:
    assert "They overlap by 50 %." in summarise(plane(side_by_side(HERE, BOTH)))
    told = summarise(ungrouped())
    assert told.startswith("Density over PC1 (38 ± 2 % of variance) and PC2")
    assert "It is densest at −0.2, −0.2." in told and "verlap" not in told


def test_a_density_says_where_it_is_highest_and_whether_that_could_be_noise() -> None:
    told = summarise(map_panels(GROUPS[:2]))
    assert told.startswith("class = Barbunya: Density of people per cell, highest at PC1 (38")
    assert "class = Bombay: " in told and "noise" not in told
    muted = tuple((True,) * 36 for _ in range(24))
    assert summarise(heat(muted=muted)).endswith("(could be noise).")
    assert summarise(heat(value=((0.0,),), muted=((True,),))).endswith("zero everywhere.")


def test_marks_that_are_read_for_themselves_need_no_summary() -> None:
    assert summarise(histogram()) == ""
    assert describe_aloud(histogram()) == histogram().title
    assert describe_aloud(overlay()).startswith("Scores of beans. Densities of 3 groups")


def test_marks_that_say_different_things_have_tables_of_their_own() -> None:
    text = build_table(biplot())
    assert text.count("<table>") == 4 and text.count("<details>") == 1
    assert text.count("<tr>") == 4 + 3 + 6 + 3 + 6
    assert build_table(histogram()).count("<table>") == 1


def test_what_cannot_be_printed_is_not_said() -> None:
    figure = plane(clouds(("a\x00b\u202e", "c"), bins=4))
    assert "\x00" not in summarise(figure) and "\u202e" not in summarise(figure)
    assert "\x00" not in " ".join(map(str, describe_figure(figure)))


def test_the_hills_of_these_tests_are_hills() -> None:
    value = np.array(hill(3.0, 0.0))
    assert value.max() == pytest.approx(1.0, abs=0.1) and (value == 0).any()
