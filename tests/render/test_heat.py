"""What is drawn of a density: the same in every renderer, grey where noise could have made it."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
import vl_convert
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Page
from matplotlib.image import imread

from render.samples import PIXEL, heat, heat_over, heat_time, two_dimensional, watermarked
from sfumato.figure import Figure, Heat
from sfumato.render import theme
from sfumato.render.description import describe_figure
from sfumato.render.html import build_fragment
from sfumato.render.matplotlib import draw, render_picture
from sfumato.render.plane import (
    colour_density,
    encode_png,
    find_muted,
    make_data_address,
    sample_density,
    ticks,
)
from sfumato.render.scale import colour_limits
from sfumato.render.vega import VERSION, build_bare_vega, build_vega


def mark_of(figure: Figure) -> Heat:
    (mark,) = figure.panels[0].marks
    assert isinstance(mark, Heat)
    return mark


def layers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the layers of the only panel; the view before it is the key."""
    panel = spec["vconcat"][-1]
    return panel["layer"] if "layer" in panel else layers(panel)


def of_kind(spec: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [layer for layer in layers(spec) if layer["mark"]["type"] == kind]


def decoded(url: str) -> Any:
    return imread(BytesIO(b64decode(url.partition(",")[2])), format="png")


def drawn(figure: Figure, *, paper: str = "white") -> Any:
    page = Page(figsize=(6, 6), facecolor=paper)
    ax = draw(figure, ax=page.add_subplot(facecolor=paper))
    FigureCanvasAgg(page).draw()
    return ax


def spread_of(colour: Any) -> Any:
    """Return how far a colour is from grey."""
    plain = np.asarray(colour, dtype=float)[..., :3]
    return plain.max(axis=-1) - plain.min(axis=-1)


def test_a_png_holds_the_colours_it_was_made_of() -> None:
    wanted = np.random.default_rng(0).integers(0, 256, (7, 5, 4), dtype=np.uint8)
    assert (np.rint(255 * decoded(make_data_address(encode_png(wanted)))) == wanted).all()


@pytest.mark.parametrize("night", [False, True])
def test_where_noise_could_have_made_it_a_density_is_grey_and_elsewhere_coloured(
    night: bool,
) -> None:
    mark = mark_of(heat())
    shown = colour_density(mark, 900.0, night=night)
    doubtful = find_muted(mark)
    assert 0 < doubtful.sum() < doubtful.size
    assert (spread_of(shown[doubtful]) == 0).all()
    assert (spread_of(shown[~doubtful]) > 10).all()


def test_lightness_falls_by_day_and_rises_by_night_with_the_density() -> None:
    level = np.linspace(0, 1, 50)
    for night in (False, True):
        light = theme.greyed(theme.ramp(level, night=night))[:, 0]
        steps = np.diff(light) if night else -np.diff(light)
        assert (steps > 0).all()


def test_a_place_is_muted_where_the_figure_says_so() -> None:
    mark = replace(mark_of(heat(2, 1)), muted=((True, False),), value=((5.0, 5.0),))
    assert find_muted(mark).tolist() == [[True, False]]


def test_over_a_picture_little_and_doubtful_is_clear_and_much_is_not() -> None:
    mark = replace(mark_of(heat(background=PIXEL)), value=((0.0, 10.0, 900.0, 900.0),))
    mark = replace(mark, muted=((True, False, False, True),))
    opacity = colour_density(mark, 900.0)[0, :, 3]
    assert opacity.tolist() == [0, 0, round(255 * theme.HEAT_OPACITY), 0]


def test_ticks_are_round_and_stand_apart() -> None:
    for top in (0.0031, 1.0, 2.0, 260.0, 12_345.0):
        chosen = ticks(top)
        assert chosen[0] == 0 and len(chosen) >= 3 and max(chosen) <= top
        assert all(f"{tick:.0e}"[0] in "0125" for tick in chosen)
        assert (np.diff(np.sqrt(np.array(chosen) / top)) >= 0.17 - 1e-12).all()


def test_places_are_read_off_the_middle() -> None:
    mark = replace(mark_of(heat()), value=tuple((0.0, 1.0, 2.0) for _ in range(3)))
    mark = replace(mark, low=mark.value, high=mark.value)
    taken = sample_density(mark, 1)
    (place,) = taken.places
    assert place.value == 1.0
    assert taken.ends(mark, place) == (*mark.x, *mark.y)
    assert [place.value for place in sample_density(mark, 9).places] == [0, 1, 2] * 3


def test_a_reading_says_where_how_much_and_how_sure() -> None:
    first, *_ = (str(reading) for reading in describe_figure(heat(4, 4)))
    assert first.startswith("lon −74.2, lat 40.5")  # the digits that tell places apart
    assert first.endswith("people per km² 0 (could be noise); 90 % (noise) −150 to 150")


def test_the_picture_lies_between_the_ends_of_the_window_and_the_right_way_up() -> None:
    for figure, upper in ((heat(), True), (heat_over(), False)):
        mark = mark_of(figure)
        *_, image = of_kind(build_vega(figure), "image")
        (ends,) = image["data"]["values"]
        assert (ends["left"], ends["right"], ends["low"], ends["high"]) == (*mark.x, *mark.y)
        shown = decoded(image["mark"]["url"])
        wanted = colour_density(mark, colour_limits(figure)[1])
        assert (np.rint(255 * shown) == (wanted[::-1] if upper else wanted)).all()


def test_matplotlib_shows_the_same_picture_in_the_same_place() -> None:
    for figure in (heat(), heat_over()):
        mark = mark_of(figure)
        ax = drawn(figure)
        image = ax.images[-1]
        assert image.get_extent() == [*mark.x, *mark.y]
        assert image.origin == "lower"
        assert (image.get_array() == colour_density(mark, colour_limits(figure)[1])).all()
    assert ax.yaxis.get_inverted(), "of an image, the first row is the top"


def test_a_background_stands_upright_whichever_way_the_axis_runs() -> None:
    upright = np.zeros((2, 1, 4), dtype=np.uint8)
    upright[0] = 255
    for figure, first in ((heat(), 0.0), (heat_over(), 1.0)):
        (panel,) = figure.panels
        marks = (replace(mark_of(figure), background=make_data_address(encode_png(upright))),)
        ax = drawn(replace(figure, panels=(replace(panel, marks=marks),)))
        assert ax.images[0].get_array()[0, 0, 0] == first


def test_a_density_keeps_its_shape() -> None:
    for ratio in (0.5, 1.0, 2.5):
        box = drawn(heat(ratio=ratio)).get_window_extent()
        assert box.height / box.width == pytest.approx(ratio, rel=1e-3)
        view = build_vega(heat(ratio=ratio))["vconcat"][0]["vconcat"][-1]
        assert view["height"] / view["width"] == pytest.approx(ratio, rel=1e-2)
    assert drawn(heat(ratio=None)).get_aspect() == "auto"


def test_a_page_has_the_shape_of_its_map() -> None:
    sizes = [imread(BytesIO(render_picture(heat(ratio=r), "png"))).shape for r in (0.4, 1.0, 3.0)]
    assert sizes[0][0] < sizes[1][0] <= sizes[2][0]
    assert sizes[0][1] > sizes[2][1]


def test_on_dark_paper_much_is_light() -> None:
    day, night = (drawn(heat(), paper=paper).images[-1].get_array() for paper in ("white", "black"))
    peak = np.unravel_index(np.argmax(mark_of(heat()).value), day.shape[:2])
    assert day[peak][:3].mean() < 80 < 200 < night[peak][:3].mean()


def test_on_dark_paper_full_cells_and_the_watermark_are_light() -> None:
    axes = [drawn(watermarked(two_dimensional()), paper=paper) for paper in ("white", "black")]
    day, night = (np.mean(ax.collections[0].cmap(1.0)[:3]) for ax in axes)
    assert day < 0.4 < 0.7 < night
    warnings = [text for ax in axes for text in ax.texts if "NOT PRIVATE" in text.get_text()]
    day, night = (np.mean(to_rgb(text.get_color())) for text in warnings)
    assert day < 0.4 < 0.5 < night


def test_leaves_are_outlined_on_request_alone() -> None:
    assert of_kind(build_vega(heat()), "rect")[0]["encoding"].keys() >= {"tooltip"}
    outlines, touch = of_kind(build_vega(heat_over()), "rect")
    assert outlines["mark"]["fill"] is None
    assert outlines["data"]["values"] == [
        {"left": [0.0, 320.0], "right": [320.0, 640.0], "low": [0.0, 0.0], "high": [240.0, 240.0]}
    ]
    assert "tooltip" in touch["encoding"]
    (lines,) = (lines for lines in drawn(heat_over()).collections if lines.get_label() == "_leaves")
    assert len(lines.get_segments()) == 2


def test_only_a_specification_that_a_script_draws_can_be_moved_and_is_cut() -> None:
    lively, still = (json.dumps(spec) for spec in (build_vega(heat()), build_bare_vega(heat())))
    assert '"bind": "scales"' in lively and '"clip": true' in lively
    assert '"bind"' not in still and '"clip"' not in still
    assert "clip-path" not in build_fragment(heat()).replace('clip-path="url(#', "clip-path")


def test_the_key_has_the_scale_of_the_picture() -> None:
    figure = heat()
    key = build_vega(figure)["vconcat"][0]["vconcat"][0]
    assert key["title"]["text"] == "people per km², noise ± 150 (90 %)"
    scale = key["layer"][0]["encoding"]["color"]["scale"]
    assert (scale["type"], scale["exponent"], tuple(scale["range"])) == ("pow", 0.5, theme.RAMP)
    assert scale["domain"] == list(colour_limits(figure))
    svg = vl_convert.vegalite_to_svg(build_bare_vega(figure), vl_version=VERSION)
    for tick in ticks(colour_limits(figure)[1]):
        assert f">{tick:g}</text>" in svg


def test_what_is_pointed_at_is_a_short_table_and_formulas() -> None:
    spec = build_vega(heat(200, 200))
    (touch,) = of_kind(spec, "rect")
    (columns,) = touch["data"]["values"]
    assert [len(column) for column in columns.values()] == [64 * 64] * 3
    assert len(json.dumps(spec)) < 250_000
    svg = vl_convert.vegalite_to_svg(build_bare_vega(heat(8, 6)), vl_version=VERSION)
    spoken = re.findall(r'aria-label="(lon[^"]*)"', svg)
    assert len(spoken) == 8 * 6
    assert (
        spoken[0]
        == "lon −74.26; lat 40.53; people per km² 0 (could be noise); 90 % (noise) −150 to 150"
    )


def test_places_on_a_time_axis_are_moments() -> None:
    svg = vl_convert.vegalite_to_svg(build_bare_vega(heat_time()), vl_version=VERSION)
    assert 'aria-label="day 2024-01-0' in svg
    assert 'aria-label="lon' not in svg


def test_a_name_that_tries_to_break_out_of_a_formula_is_only_text() -> None:
    label = "\"'; + event.view.alert(1) + `${1}` \\"
    svg = vl_convert.vegalite_to_svg(build_bare_vega(heat(8, 6, label=label)), vl_version=VERSION)
    assert "event.view.alert(1)" in svg
