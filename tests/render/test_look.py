"""Titles, sizes, colours, captions, styles, logarithmic axes and legibility."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import matplotlib.style
import pytest
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as Page
from PIL import Image

from contact_sheet import SEABORN_TALK, list_faults
from render.samples import SAMPLES, bars
from sfumato.errors import ReleaseError
from sfumato.figure import Axis, Figure, Panel
from sfumato.render import theme
from sfumato.render.html import build_html
from sfumato.render.logarithmic import choose_log_ticks
from sfumato.render.look import dress
from sfumato.render.matplotlib import draw, render_picture
from sfumato.render.vega import build_vega

LONG = "the quick brown fox jumps over a lazy old dog"
SHORT, LEAST = "Privacy: ε = 1. Protects each row.", "ε = 1, protecting each row."


def told(name: str = "histogram") -> Figure:
    return replace(SAMPLES[name], short=SHORT, least=LEAST)


def counts(heights: list[float], names: list[str] | None = None, noise: float = 3.0) -> Figure:
    names = names or [str(place) for place in range(len(heights))]
    places = [float(place) for place in range(len(heights))]
    drawn = bars(heights, [p - 0.4 for p in places], [p + 0.4 for p in places], noise=noise)
    x = Axis("place", "category", (-0.5, len(names) - 0.5), tuple(names))
    panel = Panel(x, Axis("rows"), (drawn,))
    return Figure("Histogram of place", (panel,), told().caption, short=SHORT, least=LEAST)


def written(page: Page) -> str:
    FigureCanvasAgg(page).draw()
    return " ".join(" ".join(text.get_text() for ax in page.axes for text in ax.texts).split())


@pytest.mark.parametrize(
    ("length", "wanted", "missing"),
    [(False, LEAST, SHORT), ("short", SHORT, "Laplace"), ("full", "Laplace noise", SHORT)],
)
def test_the_caption_is_as_long_as_asked_and_never_without_epsilon_and_unit(
    length, wanted, missing
) -> None:
    figure = dress(told(), {"caption": length})
    page = Page(figsize=(6.4, 4.4))
    draw(figure, ax=page.add_subplot())
    for text in (written(page), str(build_vega(figure)["title"]["text"]), build_html(figure)):
        said = text.replace("\xa0", " ").partition("<figcaption")[2] or text
        assert "ε" in said and "each row" in said
    assert wanted in written(page) and missing not in written(page)


def test_the_whole_caption_is_in_every_file_however_short_the_one_that_is_drawn() -> None:
    figure = dress(told(), {"caption": False})
    png = Image.open(BytesIO(render_picture(figure, "png")))
    assert png.info["Description"] == figure.caption
    assert "Thick lines" in render_picture(figure, "svg").decode()
    assert b"/Subject" in render_picture(figure, "pdf")
    assert build_vega(figure)["usermeta"]["caption"] == figure.caption
    assert f'name="description" content="{figure.caption[:5]}' in build_html(figure)


def test_a_small_picture_has_a_short_caption_and_a_usual_one_all_of_it() -> None:
    for size, wanted in (((2.5, 1.8), False), ((6.4, 4.4), True)):
        page = Page(figsize=size)
        draw(told(), ax=page.add_axes((0, 0, 1, 1)))
        assert ("Laplace" in written(page)) is wanted
        assert "each row" in written(page)


def test_title_size_and_dpi_are_what_was_asked_for() -> None:
    figure = dress(told(), {"title": "Ages", "figsize": (3, 2), "dpi": 50})
    assert Image.open(BytesIO(render_picture(figure, "png"))).size == (150, 100)
    ax = draw(figure)
    assert tuple(ax.get_figure().get_size_inches()) == (3, 2)
    plt.close("all")
    assert build_vega(figure)["vconcat"][0]["title"]["text"] == ["Ages"]
    with pytest.raises(ReleaseError, match="figsize and dpi belong to a figure"):
        draw(figure, ax=Page().add_subplot())


@pytest.mark.parametrize(
    "palette",
    ["Set2", "deep", "viridis", ["red", "#00ff00", (0, 0, 1)], plt.get_cmap("tab10")],
)
def test_palettes_are_names_lists_and_maps(palette) -> None:
    colours = dress(SAMPLES["category_hue"], {"palette": palette}).look.colours
    assert len(colours) >= 3 and len(set(colours)) == len(colours)
    assert all(len(colour) == 7 and colour.startswith("#") for colour in colours)


def test_a_palette_by_category_colours_each_by_its_name() -> None:
    names = [mark.series for mark in SAMPLES["category_hue"].panels[0].marks]
    by_name = dict(zip(reversed(names), ["#111111", "#222222", "#333333"], strict=True))
    figure = dress(SAMPLES["category_hue"], {"palette": by_name})
    assert dict(zip(names, figure.look.colours, strict=True)) == by_name
    page = Page()
    draw(figure, ax=page.add_subplot())
    shown = {to_hex(patch.get_facecolor()) for patch in page.axes[0].patches}
    assert shown >= {theme.bar_colour(0, [colour]) for colour in by_name.values()}


def test_a_colour_map_colours_a_scale_of_numbers() -> None:
    figure = dress(SAMPLES["two_dimensional"], {"cmap": "magma"})
    assert figure.look.ramp[0] == "#000004"
    assert '"#000004"' in str(build_vega(figure)).replace("'", '"')


@pytest.mark.parametrize(
    "looks",
    [
        {"title": 3},
        {"figsize": 5},
        {"figsize": (0, 1)},
        {"dpi": "many"},
        {"caption": "long"},
        {"palette": "no such"},
        {"palette": 3},
        {"palette": {"nobody": "red"}},
        {"palette": ["no colour"]},
        {"log_scale": "x"},
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(looks) -> None:
    with pytest.raises(ReleaseError) as refused:
        dress(SAMPLES["category_hue"], looks)
    assert refused.value.what and refused.value.why and refused.value.advice


def test_counts_on_a_logarithmic_axis_begin_at_the_noise() -> None:
    figure = dress(counts([20_000, 900, 40, 2, -5]), {"log_scale": True})
    axis, (drawn,) = figure.panels[0].y, figure.panels[0].marks
    assert axis.log and axis.limits[0] == 2 and axis.limits[1] > 20_000
    assert drawn.height[-1] == 0  # descriptions say what was released
    page = Page()
    ax = draw(figure, ax=page.add_subplot())
    assert ax.get_yscale() == "log"
    assert min(patch.get_height() for patch in ax.patches) == 0
    (marked,) = (line for line in ax.lines if line.get_label() == "_clipped")
    assert list(marked.get_xdata()) == [3, 4] and set(marked.get_ydata()) == {2}
    assert "below 2" in figure.caption
    spec = str(build_vega(figure))
    assert "'type': 'log'" in spec and "'datum': 2" in spec


def test_values_need_public_bounds_above_zero() -> None:
    for name in ("histogram", "boxes"):
        with pytest.raises(ReleaseError, match="begins at"):
            dress(SAMPLES[name], {"log_scale": True})
    with pytest.raises(ReleaseError, match="needs numbers"):
        dress(counts([1, 2]), {"log_scale": (True, False)})
    with pytest.raises(ReleaseError, match="linear axes"):
        dress(SAMPLES["heat"], {"log_scale": True})


def test_ticks_of_a_logarithmic_axis_are_round_and_no_more_than_there_is_room_for() -> None:
    for most in range(1, 9):
        ticks = choose_log_ticks(0.02, 3e6, most)
        assert 0 < len(ticks) <= most and ticks == sorted(ticks)


MANY = [f"place {number:03d}" for number in range(221)]
LONGEST = [f"{number} {LONG}"[:45] for number in range(12)]
SKEWED = [9_000.0 / (1 + place) for place in range(40)]
HARD = {
    "long names": counts(
        [50.0 + place for place in range(12)], [f"{n} {LONG}"[:45] for n in range(12)]
    ),
    "221 categories": counts([50.0 + place % 40 for place in range(221)], MANY),
    "logarithmic": dress(
        counts([9_000.0 / (1 + place) for place in range(40)]), {"log_scale": True}
    ),
}
SMALL = ["histogram", "category_hue", "two_dimensional", "time", "boxes", "heat"]


@pytest.mark.parametrize("name", [*SMALL, *HARD])
def test_nothing_is_cut_off_and_nothing_overlaps_on_a_page_of_two_inches(name: str) -> None:
    figure = HARD.get(name) or told(name)
    page = Page(figsize=(2.5, 1.8), dpi=100)
    draw(figure, ax=page.add_axes((0, 0, 1, 1)))
    assert list_faults(page) == ([], [])


@pytest.mark.parametrize("style", ["dark_background", "ggplot", SEABORN_TALK], ids=str)
def test_styles_are_heeded_and_can_be_read(style) -> None:
    with matplotlib.style.context(style):
        page = plt.figure(figsize=(4.5, 3.4))
        ax = draw(told("category_hue"), ax=page.add_axes((0, 0, 1, 1)))
        size, paper = ax.xaxis.label.get_size(), to_hex(page.get_facecolor())
    assert list_faults(page) == ([], [])
    assert (size > theme.LABEL_SIZE) is isinstance(style, dict) or style == "ggplot"
    for text in (*ax.texts, ax.xaxis.label, *ax.get_xticklabels()):
        if text.get_alpha() is None:
            assert theme.contrast(to_hex(text.get_color()), paper) >= 4.5
    plt.close(page)


def test_text_in_a_colour_that_cannot_be_read_is_in_ours() -> None:
    with matplotlib.style.context({"text.color": "#eeeeee", "axes.labelcolor": "#ffffff"}):
        page = Page()
        ax = draw(told(), ax=page.add_subplot())
    assert to_hex(ax.xaxis.label.get_color()) == theme.SOFT_INK


def test_a_page_for_a_phone_has_letters_as_large_as_a_page_for_a_desk() -> None:
    text = build_html(told())
    assert text.count('class="desk"') == text.count('class="phone"') == 1
    phone = text.partition('class="phone"')[2]
    width = float(phone.partition('width="')[2].partition('"')[0])
    assert width <= 350  # so that 360 pixels show it unshrunk
