"""Curves, summaries, matrices, violins, nested boxes and regions are drawn as released."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, cast

import pytest
from matplotlib import pyplot

from render.shape_samples import (
    PLACES,
    list_samples,
    make_curve,
    make_letters,
    make_matrix,
    make_regions,
    make_summaries,
    make_violins,
    show,
)
from sfumato.figure import Axis, Curve, Estimates, Figure, Panel, Summaries
from sfumato.render.description import describe_aloud, describe_figure
from sfumato.render.logarithmic import make_logarithmic
from sfumato.render.matplotlib import draw, render_picture
from sfumato.render.scale import colour_limits, leave_room, x_limits, y_limits
from sfumato.render.shapes import MUTED, MUTED_FILL, list_lobes, list_nests, list_runs, list_strands
from sfumato.render.vega import build_vega

SAMPLES = list_samples()


def list_layers(figure: Figure) -> list[dict[str, Any]]:
    spec = json.loads(json.dumps(build_vega(figure)))
    found: list[dict[str, Any]] = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if "mark" in node:
                found.append(node)
            for each in node.values():
                walk(each)
        elif isinstance(node, list):
            for each in node:
                walk(each)

    walk(spec)
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_every_kind_is_drawn_in_both_ways_and_read_aloud(name: str) -> None:
    figure = SAMPLES[name]
    assert render_picture(figure, "svg", size=(5, 4)).startswith(b"<?xml")
    words = [str(said) for said in describe_figure(figure)]
    assert words and describe_aloud(figure)
    spoken = {row["words"] for layer in list_layers(figure)
              for row in layer.get("data", {}).get("values", []) if "words" in row}  # fmt: skip
    few = {said for said in words if "too few" in said}
    assert set(words) - few <= spoken | few


@pytest.mark.parametrize("name", SAMPLES)
def test_every_kind_is_drawn_into_small_axes(name: str) -> None:
    page, (_, ax) = pyplot.subplots(1, 2, figsize=(3, 2))
    draw(SAMPLES[name], ax=ax)
    page.savefig(io.BytesIO(), format="png")
    pyplot.close(page)


def test_a_curve_is_grey_where_noise_could_have_made_it() -> None:
    strands = list_strands(make_curve())
    assert [strand.muted for strand in strands] == [True, False, True]
    strokes = {layer["mark"].get("stroke") for layer in list_layers(SAMPLES["curve"])}
    assert MUTED in strokes


def test_a_line_is_broken_where_a_value_is_not_told_and_a_lone_one_keeps_its_band() -> None:
    told = Estimates((1.0, 2.0, 3.0, 4.0), (0.0,) * 4, (5.0,) * 4)
    curve = Curve((0.0, 1.0, 3.0, 5.0), told, (False,) * 4, 0.95, points=True, breaks=(2, 3))
    assert [strand.x for strand in list_strands(curve)] == [(0.0, 1.0), (2.8, 3.2), (4.8, 5.2)]
    assert [strand.y for strand in list_strands(curve)] == [(1.0, 2.0), (3.0, 3.0), (4.0, 4.0)]
    assert list_runs([0, 1, 4]) == [(0, 2), (2, 3)]


def test_points_are_not_joined_over_one_that_is_not_told() -> None:
    told = Estimates((1.0, 2.0, 3.0), (0.0,) * 3, (5.0,) * 3)
    mark = Summaries((0.0, 1.0, 2.0), 0.0, told, (True, False, True), (False,) * 3, 0.95, True)
    x = Axis("ward", "category", categories=("A", "B", "C"))
    figure = Figure("points", (Panel(x, Axis("wait"), (mark,)),), "")
    _, ax = pyplot.subplots()
    draw(figure, ax=ax)
    joined = [line for line in ax.get_lines() if line.get_label() == "_joined"]
    assert [len(cast(Any, line.get_xdata())) for line in joined] == [1, 1]
    pyplot.close()
    rows = [row for layer in list_layers(figure) if layer["mark"].get("type") == "line"
            for row in layer["data"]["values"] if "strand" in row]  # fmt: skip
    assert len({row["strand"] for row in rows}) == 2


@pytest.mark.parametrize("orient", ["v", "h"])
def test_sides_of_a_significant_step_are_drawn_as_it_is(orient: Literal["v", "h"]) -> None:
    peak = Estimates((1.0, 9.0, 2.0), (0.0, 8.0, 0.0), (2.0, 10.0, 4.0))
    curve = Curve((0.0, 1.0, 2.0, 3.0), peak, (True, False, True), 0.95, steps=True, orient=orient)
    (significant,) = (strand for strand in list_strands(curve) if not strand.muted)
    assert significant.x == (1.0, 1.0, 2.0, 2.0)
    assert significant.y == (1.0, 9.0, 9.0, 2.0)
    figure = show(curve, Axis("x"), Axis("y"))
    page, ax = pyplot.subplots()
    draw(figure, ax=ax)
    drawn = {len(line.get_xdata()): line.get_color() for line in ax.lines}
    pyplot.close(page)
    assert drawn[4] != MUTED == drawn[2]
    lines = [layer for layer in list_layers(figure) if layer["mark"]["type"] == "line"]
    (own,) = (each for each in lines if each["mark"].get("stroke") != MUTED)
    assert [row["y"] for row in own["data"]["values"]] == [1.0, 9.0, 9.0, 2.0]


def test_a_significant_valley_has_grey_sides_where_its_neighbours_are_grey() -> None:
    valley = Estimates((9.0, 3.0, 9.0), (0.0, 2.0, 0.0), (20.0, 4.0, 20.0))
    strands = list_strands(
        Curve((0.0, 1.0, 2.0, 3.0), valley, (True, False, True), 0.95, steps=True)
    )
    assert [(strand.muted, strand.x) for strand in strands][1] == (False, (1.0, 2.0))


def test_a_floor_lifts_a_curve() -> None:
    assert min(min(strand.low) for strand in list_strands(make_curve(), 0.01)) == 0.01


def test_a_lying_curve_has_its_values_on_the_x_axis() -> None:
    figure = SAMPLES["margin"]
    assert y_limits(figure.panels[0], figure) == (0.0, 100.0)
    low, high = x_limits(figure.panels[0], figure)
    assert low <= 0 < 1.08 <= high


def test_bars_hold_zero_and_leave_out_what_is_unknown() -> None:
    figure = show(make_summaries(), PLACES, Axis("change"))
    low, high = y_limits(figure.panels[0], figure)
    assert -6 < low < -5 and 12 < high < 13.5
    tones = {row.get("tone") for layer in list_layers(figure)
             for row in layer["data"]["values"]}  # fmt: skip
    assert MUTED_FILL in tones
    assert [str(said) for said in describe_figure(figure)][2].endswith("too few data")


def test_a_doubtful_summary_says_so() -> None:
    words = [str(said) for said in describe_figure(show(make_summaries(), PLACES, Axis("change")))]
    assert "could be noise" in words[1] and "could be noise" not in words[0]


def test_a_matrix_shows_its_lower_half_alone() -> None:
    words = [str(said) for said in describe_figure(SAMPLES["matrix"])]
    assert len(words) == 6
    assert words[0].endswith("age and age: correlation (95 %) 1.00 (0.90 to 1.00)")


def test_a_large_matrix_has_no_figures_in_it() -> None:
    names = tuple(f"column {number}" for number in range(40))
    across = Axis("", "category", categories=names)
    figure = show(make_matrix(40), across, replace(across, reversed=True))
    texts = [layer for layer in list_layers(figure) if layer["mark"]["type"] == "text"]
    assert not any(len(layer["data"]["values"]) > 100 for layer in texts)
    assert render_picture(figure, "png", size=(3, 3))


def test_a_violin_without_a_density_worth_it_has_words() -> None:
    assert {lobe.group for lobe in list_lobes(make_violins())} == {0, 1}
    assert any(lobe.muted for lobe in list_lobes(make_violins()))
    bare = replace(make_violins(), q1=None, median=None, q3=None)
    assert render_picture(show(bare, PLACES, Axis("age")), "svg")


def test_nested_boxes_are_as_deep_as_can_be_told() -> None:
    nests = list_nests(make_letters())
    assert [(nest.group, nest.depth) for nest in nests] == [(0, 2), (0, 1), (0, 0), (1, 1), (1, 0)]
    assert nests[0].low < nests[1].low < nests[2].low
    assert nests[0].right < nests[2].right


def test_a_region_has_its_colour_and_its_hole() -> None:
    figure = SAMPLES["regions"]
    assert colour_limits(figure) == (0.0, 40.0)
    rows = next(layer["data"]["values"] for layer in list_layers(figure)
                if layer["data"]["values"] and "region" in layer["data"]["values"][0])  # fmt: skip
    assert {row["tone"] for row in rows if row["region"] == 1} == {MUTED_FILL}
    first = [(row["x"], row["y"]) for row in rows if row["region"] == 0]
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(first)) / 2
    assert area == 3.0


def test_means_far_from_zero_use_the_whole_scale() -> None:
    value = Estimates((98.0, 99.0, 100.0), (97.0, 98.0, 99.0), (99.0, 100.0, 101.0))
    figure = show(replace(make_regions(), value=value), Axis("x"), Axis("y"))
    assert colour_limits(figure) == (98.0, 100.0)


@pytest.mark.parametrize("value", [1e16, -1e300, 0.0])
def test_one_number_of_any_size_has_a_colour(value: float) -> None:
    alike = Estimates((value,) * 3, (value,) * 3, (value,) * 3)
    figure = show(replace(make_regions(), value=alike), Axis("x"), Axis("y"))
    low, high = colour_limits(figure)
    assert low < value < high
    assert len(list_layers(figure)) > 0


def test_a_curve_and_summaries_have_logarithmic_axes() -> None:
    curve = make_curve(x=tuple(float(at) for at in range(1, 22)))
    figure = make_logarithmic(show(curve, Axis("age", limits=(1.0, 30.0)), Axis("density")), True)
    assert (figure.panels[0].x.log, figure.panels[0].y.log) == (True, False)
    assert render_picture(figure, "svg")
    rising = replace(
        make_summaries(), value=Estimates((1.0, 5.0, 9.0), (0.5, 4.0, 8.0), (2.0, 6.0, 10.0))
    )
    shown = make_logarithmic(
        show(rising, PLACES, Axis("cost", lower=0.1, limits=(0.1, 20.0))), True
    )
    assert shown.panels[0].y.log
    assert render_picture(shown, "svg") and list_layers(shown)


def test_a_curve_runs_along_time() -> None:
    day = 86400e6
    x = tuple(1.7e15 + number * day for number in range(21))
    figure = show(
        make_curve(x=x, points=True), Axis("day", "time", limits=(x[0], x[-1])), Axis("n")
    )
    assert render_picture(figure, "svg")
    rows = [row for layer in list_layers(figure) for row in layer["data"]["values"]]
    assert min(row["at"] for row in rows if "at" in row) == x[0] / 1000


def test_room_is_left_but_none_beyond_zero() -> None:
    assert leave_room((2.0, 2.0)) == (2.0, 2.0)
    assert leave_room((-4.0, -2.0)) == (-4.1, -1.9)


def test_panels_stand_on_a_grid() -> None:
    panel = SAMPLES["curve"].panels[0]
    panels = (replace(panel, place=(0, 0)), replace(panel, place=(1, 1)))
    figure = Figure("", panels, "", grid=((1.0, 3.0), (3.0, 1.0)))
    assert render_picture(figure, "svg")
    assert isinstance(figure.panels[0], Panel)
