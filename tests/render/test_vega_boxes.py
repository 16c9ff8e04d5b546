"""The Vega-Lite of boxplots and quantiles draws what Matplotlib draws, and says all its numbers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from render.samples import (
    SAMPLES,
    box_hue,
    box_time,
    boxes,
    boxplot,
    curves,
    few_at,
    long_names,
    rows,
)
from render.test_vega import column, layers, panel_views
from sfumato.figure import Boxes, Figure, Orient, Points
from sfumato.render import boxes as geometry
from sfumato.render import theme
from sfumato.render.boxes import BoxPart, Fineness
from sfumato.render.html import build_fragment, build_table
from sfumato.render.text import width
from sfumato.render.vega.axis import HEIGHT, WIDTH

Spec = dict[str, Any]


def marks(figure: Figure) -> list[Boxes]:
    return [mark for mark in figure.panels[0].marks if isinstance(mark, Boxes)]


def parts(layer: Spec) -> list[tuple[float, ...]]:
    rows = layer["data"]["values"]
    return [tuple(row[end] for end in ("left", "right", "low", "high")) for row in rows]


def places(wanted: list[BoxPart]) -> list[tuple[float, ...]]:
    return [(part.left, part.right, part.low, part.high) for part in wanted]


@pytest.mark.parametrize("name", ["boxes", "boxes_level", "box_hue", "box_hue_too_few"])
def test_lines_go_where_the_numbers_are(name: str) -> None:
    figure = SAMPLES[name]
    (view,) = panel_views(figure)
    drawn = [parts(layer) for layer in layers(view, "rule")]
    frames = [parts(layer) for layer in layers(view, "rect") if "stroke" in layer["mark"]]
    for mark in marks(figure):
        for lines in (geometry.whiskers, geometry.caps, geometry.medians):
            assert places(lines(mark)) in drawn
        assert places(geometry.outlines(mark)) in frames


def test_level_boxes_have_their_values_on_the_x_axis() -> None:
    for name, channel in (("boxes", "y"), ("boxes_level", "x")):
        (view,) = panel_views(SAMPLES[name])
        for layer in (*layers(view, "rect"), *layers(view, "rule")):
            assert layer["encoding"][channel]["field"] == "low"
            assert layer["encoding"][f"{channel}2"]["field"] == "high"


def test_shades_are_those_of_the_geometry_as_finely_as_can_be_seen() -> None:
    figure = boxplot(boxes(5))
    (mark,) = marks(figure)
    fineness = Fineness.of(figure.panels[0], mark)
    (view,) = panel_views(figure)
    shades = [layer for layer in layers(view, "rect") if "fillOpacity" in layer["encoding"]]
    for layer, wanted in zip(
        shades[1:],
        (
            geometry.shade_whisker_ends(mark, fineness),
            geometry.shade_boxes(mark, fineness),
            geometry.shade_medians(mark, fineness),
        ),
        strict=True,
    ):
        assert column(layer, "low") == pytest.approx([p.low for p in wanted], abs=310 / 2000)
        assert column(layer, "opacity") == pytest.approx([p.opacity for p in wanted], abs=1e-3)


def test_counts_and_apologies_are_written_where_they_belong() -> None:
    (view,) = panel_views(boxplot(boxes(5, too_few=(1,))))
    texts = [row for layer in layers(view, "text") for row in layer["data"]["values"]]
    assert {row["text"] for row in texts} == {
        "≈ 80 above", "≈ 120 above", "≈ 160 above", "too few data"
    }  # fmt: skip
    assert {row["x"] for row in texts} == {1, 2, 3, 4}


@pytest.mark.parametrize("end", [0.0, 2.0, 305.0, 310.0])
@pytest.mark.parametrize(("orient", "side"), [("h", WIDTH), ("v", HEIGHT)])
def test_what_is_said_of_a_group_at_the_end_of_the_axis_is_not_cut(
    end: float, orient: Orient, side: int
) -> None:
    (view,) = panel_views(few_at(end, orient))
    layer = next(t for t in layers(view, "text") if "too few data" in column(t, "text"))
    (value,) = column(layer, "x" if orient == "h" else "y")
    size = layer["mark"]["fontSize"]
    half = 310 * size * (width("too few data") if orient == "h" else 1) / side / 2
    assert half <= value <= 310 - half


def test_a_tooltip_lists_seven_numbers_with_their_intervals() -> None:
    figure = boxplot(boxes(5))
    (view,) = panel_views(figure)
    layer = view["layer"][-1]
    assert layer["mark"]["opacity"] == 0, "seen only when pointed at"
    titles = [part["title"] for part in layer["encoding"]["tooltip"]]
    assert titles == [
        "borough",
        *(f"{name} (95 %)" for name in ("outliers below", "lower whisker", "q1", "median", "q3")),
        "upper whisker (95 %)",
        "outliers above (95 %)",
        "size",
    ]
    first = layer["data"]["values"][0]
    assert [first[part["field"]] for part in layer["encoding"]["tooltip"]][:5] == [
        "Bronx", "4 (−26 to 34)", "40 (28 to 52)", "65 (59 to 71)", "90 (85.2 to 94.8)"
    ]  # fmt: skip


def test_a_screen_reader_hears_every_group() -> None:
    spoken = re.findall(r"<title>(.*?)</title>", build_fragment(box_hue(too_few=(1,))))
    assert len(spoken) == 15
    assert spoken[0].startswith("borough Bronx, room type Entire home: outliers below (95 %) 4 (")
    assert "median (95 %) too few data (0 to 400)" in spoken[1]


def test_the_table_has_a_row_for_each_group() -> None:
    text = build_table(box_hue())
    assert text.count("<tr>") == 16
    assert '<th scope="col">upper whisker (95 %)</th>' in text
    assert "2024-0" in build_table(box_time())


def test_without_coverage_no_interval_is_told() -> None:
    figure = boxplot(replace(boxes(2), coverage=0.0), names=("A", "B"))
    assert "%" not in build_table(figure) and " to " not in build_table(figure)
    assert "<td>65</td>" in build_table(figure)


def test_series_are_told_apart_by_the_colours_of_their_boxes() -> None:
    (view,) = panel_views(box_hue())
    named = [layer["encoding"]["color"] for layer in view["layer"] if "color" in layer["encoding"]]
    assert named[0]["scale"]["range"] == [theme.box_colour(index) for index in range(3)]
    assert named[0]["legend"]["symbolType"] == "square"


@pytest.mark.parametrize("figure", [curves(), rows()])
def test_points_and_their_intervals_are_those_of_the_figure(figure: Figure) -> None:
    (view,) = panel_views(figure)
    rules, dots = layers(view, "rule"), layers(view, "circle")
    for rule, dot, mark in zip(rules, dots, figure.panels[0].marks, strict=True):
        assert isinstance(mark, Points)
        assert (tuple(column(rule, "low")), tuple(column(rule, "high"))) == (
            mark.x.low,
            mark.x.high,
        )
        assert tuple(column(dot, "x")) == mark.x.value
        assert column(dot, "y") == pytest.approx(mark.y, abs=0.2)
    assert len(layers(view, "line")) == (3 if figure == curves() else 0)


def test_a_point_tells_its_level_its_value_and_its_interval() -> None:
    (view,) = panel_views(curves())
    assert layers(view, "circle")[0]["data"]["values"][0]["words"] == (
        "level 0.1, ward A: wait (95 %) 29 (21 to 37)"
    )


def test_names_of_several_lines_stand_in_the_middle_of_their_row() -> None:
    names = long_names().panels[0].x.categories
    (view,) = panel_views(boxplot(boxes(5, orient="h"), names=names))
    axis = view["layer"][0]["encoding"]["y"]["axis"]
    lines = json.loads(axis["labelExpr"].removesuffix("[datum.value]"))
    tests = {
        tuple(json.loads(condition["test"].removesuffix("[datum.value]"))): condition["value"]
        for condition in axis["labelOffset"]["condition"]
    }
    assert any(len(name) > 1 for name in lines)
    for which, raised in tests.items():
        extra = {len(name) - 1 for name, chosen in zip(lines, which, strict=True) if chosen}
        assert raised == pytest.approx(-axis["labelLineHeight"] * extra.pop() / 2, abs=0.01)
        assert not extra
