"""The Vega-Lite specification says what the figure says, and so what Matplotlib draws."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import vl_convert
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Page

from render.samples import (
    HOSTILE,
    SAMPLES,
    category,
    category_hue,
    histogram,
    hostile,
    noted,
    numeric_hue,
    panels,
    thirty,
    time,
    two_dimensional,
    watermarked,
)
from sfumato.figure import Bars, Cells, Figure
from sfumato.render import theme
from sfumato.render.matplotlib import draw
from sfumato.render.scale import place_error_bars
from sfumato.render.text import clean
from sfumato.render.vega import VERSION, build_vega

Spec = dict[str, Any]
MILLISECONDS_OF_A_DAY = 86_400_000


def views(spec: Spec) -> Iterator[Spec]:
    """Find every layered view."""
    if "layer" in spec:
        yield spec
    for part in (*spec.get("vconcat", ()), *spec.get("concat", ())):
        yield from views(part)


def panel_views(figure: Figure) -> list[Spec]:
    return [view for view in views(build_vega(figure)) if "title" not in view]


def layers(view: Spec, kind: str) -> list[Spec]:
    return [layer for layer in view["layer"] if layer["mark"]["type"] == kind]


def column(layer: Spec, field: str) -> list[float]:
    return [row[field] for row in layer["data"]["values"]]


def bars_of(figure: Figure) -> list[Bars]:
    return [mark for mark in figure.panels[0].marks if isinstance(mark, Bars)]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_figure_is_json_that_vega_draws(name: str) -> None:
    spec = json.loads(json.dumps(build_vega(SAMPLES[name]), allow_nan=False))
    drawn = vl_convert.vegalite_to_svg(spec, vl_version=VERSION)
    assert drawn.startswith("<svg")
    assert "NaN" not in drawn and "undefined" not in drawn


def test_a_broken_specification_is_noticed() -> None:
    spec = build_vega(histogram())
    spec["vconcat"] = [{"mark": "no such mark"}]
    with pytest.raises(ValueError, match="conversion failed"):
        vl_convert.vegalite_to_svg(spec, vl_version=VERSION)


@pytest.mark.parametrize("figure", [histogram(), category(), category_hue(), numeric_hue()])
def test_every_bar_has_its_ends_and_its_height(figure: Figure) -> None:
    (view,) = panel_views(figure)
    for layer, bars in zip(layers(view, "rect"), bars_of(figure), strict=True):
        assert tuple(column(layer, "left")) == bars.left
        assert tuple(column(layer, "right")) == bars.right
        assert tuple(column(layer, "height")) == bars.height


@pytest.mark.parametrize("figure", [histogram(), category_hue(), numeric_hue()])
def test_error_bars_are_rules_between_the_ends_of_the_intervals(figure: Figure) -> None:
    (view,) = panel_views(figure)
    rules = layers(view, "rule")
    pairs = zip(rules[::2], rules[1::2], bars_of(figure), strict=True)
    for simultaneous, pointwise, bars in pairs:
        for layer, interval in ((simultaneous, bars.simultaneous), (pointwise, bars.pointwise)):
            assert tuple(column(layer, "low")) == interval.low
            assert tuple(column(layer, "high")) == interval.high
            places = place_error_bars(figure.panels[0], bars)
            assert column(layer, "x") == pytest.approx(places)
        assert pointwise["mark"]["strokeWidth"] > 2 * simultaneous["mark"]["strokeWidth"]


def test_outlines_step_along_the_heights() -> None:
    figure = numeric_hue()
    (view,) = panel_views(figure)
    for layer, bars in zip(layers(view, "line"), bars_of(figure), strict=True):
        inner = column(layer, "y")[1:-1]
        assert tuple(inner[::2]) == tuple(inner[1::2]) == bars.height


def test_bars_clipped_at_zero_are_marked() -> None:
    (view,) = panel_views(histogram())
    (marks,) = layers(view, "point")
    (bars,) = bars_of(histogram())
    assert len(marks["data"]["values"]) == sum(bars.clipped) > 0
    assert set(column(marks, "y")) == {0}


@pytest.mark.parametrize("figure", [two_dimensional(), panels(2)])
def test_cells_and_strokes_are_those_of_the_figure(figure: Figure) -> None:
    for view, panel in zip(panel_views(figure), figure.panels, strict=True):
        (cells,) = panel.marks
        assert isinstance(cells, Cells)
        (grid,) = layers(view, "rect")
        assert column(grid, "value") == [value for row in cells.value for value in row]
        (strokes,) = layers(view, "rule")
        assert len(strokes["data"]["values"]) == sum(map(sum, cells.muted))


@pytest.mark.parametrize("name", [name for name in SAMPLES if "panels" not in name])
def test_both_renderers_agree_on_limits_and_names(name: str) -> None:
    figure = SAMPLES[name]
    page = Page(figsize=(8, 6))
    ax = draw(figure, ax=page.add_subplot())
    FigureCanvasAgg(page).draw()
    first = panel_views(figure)[0]["layer"][0]["encoding"]
    for side, axis in (("x", figure.panels[0].x), ("y", figure.panels[0].y)):
        shown = getattr(ax, f"get_{side}lim")()
        unit = MILLISECONDS_OF_A_DAY if axis.kind == "time" else 1
        assert [end / unit for end in first[side]["scale"]["domain"]] == pytest.approx(
            sorted(shown)
        )
        assert first[side]["scale"].get("reverse", False) == (shown[0] > shown[1])
    shown = ax.get_xlabel().replace("\n", " ").replace("\u00a0", " ")
    assert first["x"]["axis"]["title"] == shown


def test_both_renderers_agree_on_colours_and_the_legend() -> None:
    (view,) = panel_views(category_hue())
    channels = [layer["encoding"]["color"] for layer in layers(view, "rect")]
    assert [set(column(layer, "series")) for layer in layers(view, "rect")] == [{0}, {1}, {2}]
    assert channels[0]["scale"]["range"] == [theme.bar_colour(index) for index in range(3)]
    assert json.loads(channels[0]["legend"]["labelExpr"].removesuffix("[datum.value]")) == [
        "female",
        "male",
        "other",
    ]


def test_time_is_in_milliseconds_of_utc() -> None:
    (view,) = panel_views(time())
    x = view["layer"][0]["encoding"]["x"]
    assert x["scale"]["type"] == "utc"
    assert x["scale"]["domain"] == [1_704_067_200_000, 1_735_689_600_000]


def test_thirty_names_are_all_there() -> None:
    (view,) = panel_views(thirty())
    axis = view["layer"][0]["encoding"]["x"]["axis"]
    names = json.loads(axis["labelExpr"].removesuffix("[datum.value]"))
    assert [" ".join(lines) for lines in names] == list(thirty().panels[0].x.categories)


def test_a_tooltip_tells_the_released_numbers_and_nothing_else() -> None:
    (view,) = panel_views(histogram())
    (grid,) = layers(view, "rect")
    assert grid["encoding"]["tooltip"] == {"field": "words"}
    first = grid["data"]["values"][0]["words"]
    assert first == "age 0–5.5: count 28; 95 % 16 to 40; 95 % all together 2.8 to 53.2"


def test_title_notes_and_caption_are_text_of_the_picture() -> None:
    figure = noted()
    spec = build_vega(figure)
    below = " ".join(spec["title"]["text"]).replace("\u00a0", " ")
    assert below == " ".join([*figure.notes, figure.caption])
    assert spec["title"]["orient"] == "bottom"
    assert spec["vconcat"][0]["title"]["text"] == [figure.title]


def test_a_watermark_crosses_every_panel_and_a_private_chart_has_none() -> None:
    marked = panel_views(watermarked(panels(4)))
    for view in marked:
        texts = [" ".join(t["mark"]["text"]) for t in layers(view, "text") if "angle" in t["mark"]]
        assert texts == [watermarked().watermark]
    assert len(marked) == 4
    assert not layers(panel_views(histogram())[0], "text")


def test_names_are_data_and_never_code() -> None:
    drawn = vl_convert.vegalite_to_svg(build_vega(hostile()), vl_version=VERSION)
    assert "<script" not in drawn and "<b>" not in drawn
    assert "&lt;b&gt;bold&lt;/b&gt;" in drawn
    spec = json.dumps(build_vega(hostile()))
    assert json.loads(spec) == build_vega(hostile())
    assert "\\u0000" not in spec, "what cannot be printed is taken out"
    assert clean(HOSTILE[3]) in json.loads(spec)["title"]["text"][1]


def test_no_specification_refers_to_another_file() -> None:
    for figure in SAMPLES.values():
        spec = build_vega(figure)
        text = json.dumps({key: spec[key] for key in spec if key != "$schema"})
        assert text.count('"url"') == text.count('"url": "data:image/png;base64,')


def test_a_specification_that_is_changed_changes_no_other() -> None:
    build_vega(histogram())["config"]["view"]["stroke"] = "red"
    assert build_vega(histogram())["config"]["view"]["stroke"] is None
