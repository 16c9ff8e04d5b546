"""Groups in a plane as Vega-Lite and on a page: clouds, borders, points and arrows."""

from __future__ import annotations

import json
import math
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import vl_convert
from matplotlib.image import imread

from render.plane_samples import (
    COLUMNS,
    GROUPS,
    LONG,
    WINDOW,
    arrows,
    biplot,
    clouds,
    dots,
    map_panels,
    outlines,
    overlay,
    plane,
    ungrouped,
)
from sfumato.figure import Clouds, Contour, Figure, Heat
from sfumato.render import theme
from sfumato.render.description import describe_figure
from sfumato.render.html import build_fragment, build_html
from sfumato.render.plane import dashes, line_colour, line_width, mix_colours
from sfumato.render.scale import colour_limits
from sfumato.render.vega import VERSION, build_bare_vega, build_vega
from sfumato.render.vega.axis import convert_to_pixels as in_pixels

Spec = dict[str, Any]


def views(spec: Spec) -> Iterator[Spec]:
    """Find every panel; the view with a title of its own is the key."""
    if "layer" in spec and "title" not in spec:
        yield spec
    for part in (*spec.get("vconcat", ()), *spec.get("concat", ())):
        yield from views(part)


def layers(figure: Figure, kind: str) -> list[Spec]:
    (view,) = views(build_bare_vega(figure))
    return [layer for layer in view["layer"] if layer["mark"]["type"] == kind]


def columns(layer: Spec) -> Spec:
    (values,) = layer["data"]["values"]
    return values


def legend_of(figure: Figure) -> Spec | None:
    found = [layer for layer in layers(figure, "point") if "strokeDash" in layer["encoding"]]
    return found[0]["encoding"] if found else None


def drawn(figure: Figure, **how: Any) -> str:
    return vl_convert.vegalite_to_svg(build_bare_vega(figure, **how), vl_version=VERSION)


def spoken(svg: str) -> list[str]:
    return re.findall(r'<path aria-label="([^"]*% of the densest place[^"]*)"', svg)


@pytest.mark.parametrize("turned", [False, True])
def test_all_clouds_are_one_picture_in_the_colours_both_renderers_mix(turned: bool) -> None:
    figure = overlay(4)
    (panel,) = figure.panels
    figure = replace(figure, panels=(replace(panel, y=replace(panel.y, reversed=turned)),))
    (image,) = layers(figure, "image")
    assert image["data"]["values"] == [
        {"left": WINDOW[0], "right": WINDOW[1], "low": WINDOW[0], "high": WINDOW[1]}
    ]
    content = b64decode(image["mark"]["url"].partition(",")[2])
    shown = np.rint(255 * imread(BytesIO(content), format="png"))
    wanted = mix_colours(clouds(GROUPS[:4]), [theme.series_colour(group) for group in range(4)])
    assert (shown == (wanted if turned else wanted[::-1])).all()


def test_the_legend_has_the_colours_and_dashes_of_the_groups() -> None:
    shown = legend_of(overlay(10))
    assert shown is not None
    assert shown["stroke"]["scale"]["range"] == [line_colour(n) for n in range(10)]
    assert shown["fill"]["scale"]["range"] == [theme.box_colour(n) for n in range(10)]
    gaps = shown["strokeDash"]["scale"]["range"]
    assert gaps[:7] == [[1, 0]] * 7 and gaps[7:] == [list(dashes(7))] * 3
    svg = drawn(overlay(10))
    assert all(f">{name}</text>" in svg for name in GROUPS)
    assert svg.count("role-legend-entry") == 1, "one legend for all marks"


def test_one_group_without_a_name_has_no_legend_nor_have_panels_with_titles() -> None:
    assert legend_of(ungrouped()) is None
    figure = map_panels()
    bordered = tuple(
        replace(panel, marks=(*panel.marks, outlines((panel.title,))[0])) for panel in figure.panels
    )
    found = views(build_vega(replace(figure, panels=bordered)))
    assert not any("strokeDash" in layer["encoding"] for view in found for layer in view["layer"])


def test_the_legend_stays_with_its_panel_below_the_title() -> None:
    compiled = vl_convert.vegalite_to_vega(build_vega(overlay()), vl_version=VERSION)
    assert "legends" not in compiled, "a legend of the whole would rise above the title"
    assert json.dumps(compiled).count('"legends"') == 1


def test_borders_are_closed_lines_in_the_order_of_their_corners() -> None:
    hole = tuple((x / 3, y / 3) for x, y in outlines(("",))[0].paths[0])
    outline = Contour((*outlines(("",))[0].paths, hole), 0.5)
    (line,) = layers(plane(outline), "line")
    values = columns(line)
    corners = [corner for path in outline.paths for corner in path]
    assert values["x"] == pytest.approx([x for x, _ in corners], abs=1e-4)
    assert values["y"] == pytest.approx([y for _, y in corners], abs=1e-4)
    assert values["path"] == [0] * 40 + [1] * 40
    assert line["mark"]["interpolate"] == "linear-closed"
    closed = re.findall(r'd="(M[^"]*Z)"', drawn(plane(outline)))
    assert len([path for path in closed if path.count("L") == 39]) == 2


def test_the_border_of_half_a_group_is_wider_than_that_of_most_of_it() -> None:
    lines = layers(overlay(8), "line")
    assert [line["mark"]["stroke"] for line in lines[::2]] == [
        line_colour(group) for group in range(8)
    ]
    for half, most in zip(lines[::2], lines[1::2], strict=True):
        assert half["mark"]["strokeWidth"] == in_pixels(line_width(0.5))
        assert half["mark"]["strokeWidth"] > 1.4 * most["mark"]["strokeWidth"]
    assert ["strokeDash" in line["mark"] for line in lines] == [False] * 14 + [True] * 2


def test_a_border_without_a_path_is_not_drawn() -> None:
    assert layers(plane(Contour((), 0.5), Contour(((),), 0.9)), "line") == []


def test_points_are_small_circles_where_the_figure_has_them() -> None:
    groups = dots(GROUPS[:2])
    found = layers(plane(*groups), "circle")
    for layer, group in zip(found, groups, strict=True):
        values = columns(layer)
        assert values["x"] == pytest.approx(group.x, abs=1e-4)
        assert values["y"] == pytest.approx(group.y, abs=1e-4)
        assert layer["mark"]["size"] < 20
    assert found[0]["mark"]["color"] != found[1]["mark"]["color"]
    assert layers(plane(replace(groups[0], x=(), y=())), "circle") == []


def test_arrows_point_from_the_origin_to_their_tips() -> None:
    mark = arrows()
    figure = plane(mark)
    (heads,) = (layer for layer in layers(figure, "point") if "angle" in layer["encoding"])
    rows = heads["data"]["values"]
    assert tuple(row["x"] for row in rows) == mark.x.value
    assert tuple(row["y"] for row in rows) == mark.y.value
    for row in rows:  # the axes are drawn alike, so angles on paper are those of the scores
        assert row["turn"] == pytest.approx(
            math.degrees(math.atan2(row["x"], row["y"])) % 360, abs=0.2
        )
    lines = layers(figure, "rule")[-1]["data"]["values"]
    for row, line in zip(rows, lines, strict=True):
        assert (line["x"], line["y"]) == mark.origin
        assert math.hypot(line["x2"], line["y2"]) < math.hypot(row["x"], row["y"])
        assert line["x2"] * row["y"] == pytest.approx(line["y2"] * row["x"])


def test_bars_at_a_tip_are_as_long_as_its_intervals() -> None:
    mark = arrows(COLUMNS[:2])
    bars = layers(plane(mark), "rule")[0]["data"]["values"]
    level, upright = bars[:2], bars[2:]
    assert [(bar["x"], bar["x2"]) for bar in level] == list(
        zip(mark.x.low, mark.x.high, strict=True)
    )
    assert [(bar["y"], bar["y2"]) for bar in upright] == list(
        zip(mark.y.low, mark.y.high, strict=True)
    )
    assert (
        len(layers(plane(replace(mark, coverage=0.0)), "rule"))
        == len(layers(plane(mark), "rule")) - 1
    )


def test_names_of_arrows_are_written_within_the_panel_and_cut_if_monstrous() -> None:
    figure = plane(arrows((*COLUMNS[:2], *LONG)))
    *_, names = layers(figure, "text")
    rows = names["data"]["values"]
    assert [row["text"] for row in rows[:2]] == list(COLUMNS[:2])
    assert all(row["text"].endswith("…") for row in rows[2:])
    assert all(WINDOW[0] < row[side] < WINDOW[1] for row in rows for side in "xy")


@pytest.mark.parametrize("figure", [overlay(), biplot(), plane(*dots(GROUPS[:2])), plane(arrows())])
def test_scores_are_drawn_to_one_scale(figure: Figure) -> None:
    (view,) = views(build_vega(figure))
    assert view["width"] == view["height"]


def test_pointing_at_a_place_names_the_groups_found_there() -> None:
    value = (((1.0, 0.0),), ((0.2, 0.0),), ((0.001, 0.0),))
    mark = Clouds((0, 2), (0, 1), ("a", "b", "c"), value)
    (words,) = spoken(drawn(plane(mark)))
    assert words.endswith("; % of the densest place a 100, b 20"), "what is empty says nothing"
    (alone,) = spoken(drawn(plane(Clouds((0, 2), (0, 1), ("",), value[:1]))))
    assert alone.endswith("; % of the densest place 100")


def test_a_group_whose_name_tries_to_break_out_is_only_text() -> None:
    name = "\"'; + event.view.alert(1) + `${1}` \\ </script>"
    figure = plane(clouds((name, "b"), bins=4), arrows((name,)))
    for how in ({}, {"lively": True}):
        svg = drawn(figure, **how)
        assert "event.view.alert(1)" in svg and "<script" not in svg
    assert "</script>" not in build_html(figure)


def test_a_page_of_ten_groups_is_small_even_if_noise_is_everywhere() -> None:
    everywhere = clouds(GROUPS, bins=64, floor=0.0)
    value = tuple(
        tuple(tuple(0.02 + 0.98 * cell for cell in row) for row in rows)
        for rows in everywhere.value
    )
    figure = plane(replace(everywhere, value=value), *outlines(GROUPS))
    assert len(json.dumps(build_vega(figure))) < 300_000
    page = build_html(figure)
    assert len(page) < 500_000
    shown = 1 + 2 * 24 * 24  # its own, and each place for a desk and for a phone
    assert "<script" not in page and page.count("<title>") == shown


def test_a_screen_reader_is_told_what_is_seen() -> None:
    figure = biplot()
    label = re.findall(r'<svg [^>]*aria-label="([^"]*)"', build_fragment(figure))[0]
    assert label.startswith("Scores of beans. Densities of 3 groups of class over PC1")
    assert build_vega(figure)["description"] == label


def test_what_has_words_can_be_pointed_at_and_what_has_none_lets_through() -> None:
    text = build_fragment(biplot())
    groups = re.findall(
        r"<g ([^>]*mark-(?:rule|symbol|text|line) role-mark[^>]*)>(<path[^>]*>(?:<title>)?)?", text
    )
    heads = [attributes for attributes, first in groups if first.endswith("<title>")]
    assert len(heads) == 1 and "pointer-events" not in heads[0]
    assert all("pointer-events" in a for a, first in groups if not first.endswith("<title>"))
    assert "arrow heart rate: length 4.5" in text


def test_only_what_a_script_draws_can_be_moved_and_is_cut() -> None:
    lively, still = (json.dumps(spec) for spec in (build_vega(biplot()), build_bare_vega(biplot())))
    assert '"bind": "scales"' in lively and '"clip": true' in lively
    assert '"bind"' not in still and '"clip"' not in still


def test_panels_of_densities_share_one_key_one_colour_scale_and_one_pair_of_labels() -> None:
    figure = map_panels(GROUPS)
    spec = build_vega(figure)
    text = json.dumps(spec, ensure_ascii=False)
    assert text.count("noise ± 20") == 1
    top = colour_limits(figure)[1]
    assert text.count(f'"domain": [0.0, {top!r}]') == 1
    titles = [
        view["layer"][0]["encoding"][side]["axis"]["title"] for view in views(spec) for side in "xy"
    ]
    assert set(titles) == {None}
    for axis in (figure.panels[0].x, figure.panels[0].y):
        assert text.count(f'"text": "{axis.label}"') == 1
    assert '"bind"' not in text, "what moves is cut, and the titles of panels with it"


def test_panels_with_axes_of_their_own_keep_their_labels() -> None:
    figure = map_panels(GROUPS[:2])
    first, second = figure.panels
    figure = replace(figure, panels=(first, replace(second, x=replace(second.x, label="PC3"))))
    titles = [
        view["layer"][0]["encoding"]["x"]["axis"]["title"] for view in views(build_vega(figure))
    ]
    assert titles == [first.x.label, "PC3"]


def test_titles_of_panels_have_two_lines_where_they_need_them() -> None:
    for view, name in zip(views(build_vega(map_panels(LONG))), LONG, strict=True):
        lines = view["layer"][-1]["mark"]["text"]
        assert len(lines) == 2
        assert lines[0].startswith("class\u00a0=") and name[:20] in " ".join(lines)
        assert view["layer"][-1]["mark"]["dy"] < 0


def test_many_panels_are_read_at_fewer_places_each() -> None:
    counts = [build_fragment(map_panels(GROUPS[:n])).count("<title>") for n in (1, 4, 10)]
    assert counts == [24 * 24, 4 * 12 * 12, 10 * 7 * 7]
    page = build_html(map_panels(GROUPS))
    assert "<script" not in page and len(page) < 400_000


def test_a_density_whose_noise_is_unknown_claims_no_interval_anywhere() -> None:
    figure = map_panels()
    unknown = replace(
        figure,
        panels=tuple(
            replace(panel, marks=tuple(replace(heat, coverage=0.0) for heat in marks))
            for panel in figure.panels
            if (marks := [mark for mark in panel.marks if isinstance(mark, Heat)])
        ),
    )
    assert "(noise)" in json.dumps(build_vega(figure)) and "(noise)" not in json.dumps(
        build_vega(unknown)
    )
    assert "noise ±" in json.dumps(build_vega(figure), ensure_ascii=False)
    assert "noise ±" not in json.dumps(build_vega(unknown), ensure_ascii=False)
    assert not any("noise" in str(reading) for reading in describe_figure(unknown))


def test_names_of_arrows_that_would_lie_upon_each_other_are_left_out() -> None:
    crowded = plane(clouds(GROUPS[:2]), arrows(tuple(f"column {place}" for place in range(60))))
    written = layers(crowded, "text")[0]["data"]["values"]
    assert 5 < len(written) < 60
