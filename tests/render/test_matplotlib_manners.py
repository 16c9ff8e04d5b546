"""A chart in someone else's Axes behaves like a guest."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from io import BytesIO
from typing import cast

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page
from matplotlib.image import imread

from render.samples import (
    CAPTION,
    SAMPLES,
    boxes,
    boxplot,
    category_hue,
    histogram,
    noted,
    panels,
    two_dimensional,
)
from render.test_matplotlib_layout import faults, render
from sfumato.figure import Figure
from sfumato.render.matplotlib import draw
from sfumato.render.matplotlib.drawing import natural_size


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


def captions(ax: Axes) -> list[str]:
    return [text.get_text().replace("\n", " ").replace("\u00a0", " ") for text in ax.texts]


def test_the_given_axes_are_drawn_into_and_returned() -> None:
    page = Page()
    left, right = page.subplots(1, 2)
    assert draw(histogram(), ax=left) is left
    assert left.patches and not right.patches
    assert page.axes == [left, right], "no Axes are added to the figure"


@pytest.mark.parametrize("figure", [two_dimensional(), panels(), category_hue()])
def test_keys_and_panels_are_not_added_to_the_figure_either(figure: Figure) -> None:
    page = Page()
    ax = page.add_subplot()
    draw(figure, ax=ax)
    render(page)
    assert page.axes == [ax]


def test_without_axes_pyplot_gives_its_current_ones() -> None:
    _, ax = plt.subplots()
    assert draw(histogram()) is ax


def test_a_second_chart_without_axes_gets_a_new_figure() -> None:
    first, second = draw(histogram()), draw(category_hue())
    assert first is not second
    assert len(plt.get_fignums()) == 2


@pytest.mark.parametrize("name", ["heat", "heat_tall", "map_panels", "clouds"])
def test_a_map_without_axes_gets_a_page_of_its_shape_to_itself(name: str) -> None:
    figure = SAMPLES[name]
    for _ in range(2):  # the second finds the first in its place
        ax = draw(figure)
        page = cast(Page, ax.get_figure())
        assert tuple(page.get_size_inches()) == natural_size(figure)
        assert faults(page) == []
    assert len(plt.get_fignums()) == 2


def test_a_map_with_a_page_to_itself_fills_it() -> None:
    ax = draw(SAMPLES["heat"])
    page = cast(Page, ax.get_figure())
    render(page)
    assert ax.get_window_extent().width > 0.8 * page.bbox.width


def test_a_page_that_is_open_keeps_its_size() -> None:
    page = plt.figure(figsize=(5, 3))
    assert draw(SAMPLES["heat"]).get_figure() is page
    assert tuple(page.get_size_inches()) == (5, 3)


def test_a_size_chosen_for_all_figures_is_kept() -> None:
    with mpl.rc_context({"figure.figsize": (9, 5)}):
        page = cast(Page, draw(SAMPLES["heat"]).get_figure())
    assert tuple(page.get_size_inches()) == (9, 5)


def test_what_has_no_shape_gets_the_usual_page() -> None:
    page = cast(Page, draw(histogram()).get_figure())
    assert tuple(page.get_size_inches()) == tuple(mpl.rcParamsDefault["figure.figsize"])


@pytest.mark.parametrize("setting", ["autolayout", "constrained_layout.use"])
def test_a_page_of_a_maps_own_leaves_room_to_a_layout_engine(setting: str) -> None:
    with mpl.rc_context({f"figure.{setting}": True}), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert faults(cast(Page, draw(SAMPLES["heat"]).get_figure())) == []


def test_a_page_of_a_maps_own_can_be_laid_out_afterwards() -> None:
    page = cast(Page, draw(SAMPLES["heat"]).get_figure())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page.tight_layout()
        assert faults(page) == []


def test_a_title_of_ones_own_replaces_ours() -> None:
    page = Page()
    ax = draw(two_dimensional(), ax=page.add_subplot())
    ax.set_title("Mine")
    assert faults(page) == [], "it stands above the colour strip"
    assert ax.get_title() == "Mine"
    assert ax.get_title(loc="left") == ""


def test_labels_and_ticks_of_ones_own_are_kept() -> None:
    page = Page()
    ax = draw(histogram(), ax=page.add_subplot())
    ax.set_xlabel("Years since birth, as the register has it on the first of January")
    ax.set_title("Left of centre", loc="left")
    ax.set_xticks([0, 50, 100], ["young", "middle", "old"])
    render(page)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["young", "middle", "old"]
    assert ax.get_xlabel().startswith("Years since birth")
    assert ax.get_title(loc="left") == "Left of centre"


def test_a_legend_moved_elsewhere_leaves_no_hole() -> None:
    page = Page()
    ax = draw(category_hue(), ax=page.add_subplot())
    render(page)
    before = ax.get_position().height
    ax.legend(loc="upper right")
    render(page)
    assert ax.get_position().height > before


def test_two_releases_on_one_axes_keep_both_captions_apart() -> None:
    page = Page(figsize=(6.4, 6))
    ax = page.add_subplot()
    draw(histogram(), ax=ax)
    draw(noted(), ax=ax)
    assert faults(page) == []
    assert captions(ax) == [CAPTION, *noted().notes, CAPTION]


def test_two_releases_on_one_axes_both_stay_in_view() -> None:
    page = Page()
    ax = page.add_subplot()
    draw(histogram(scale=10), ax=ax)
    high = ax.get_ylim()[1]
    draw(histogram(), ax=ax)
    assert ax.get_ylim()[1] == high


def test_the_first_of_two_releases_still_fits_its_size() -> None:
    page = Page()
    ax = page.add_subplot()
    draw(boxplot(boxes(5)), ax=ax)
    draw(boxplot(boxes(5, noise=9)), ax=ax)
    render(page)
    written = [text.get_text() for text in ax.texts if text.get_label() == "_count"]
    assert written == [f"≈ {number} above" for number in (40, 80, 120, 160)] * 2


def test_shared_axes_hold_every_release() -> None:
    page = Page()
    left, right = page.subplots(1, 2, sharey=True)
    draw(histogram(scale=10), ax=left)
    high = left.get_ylim()[1]
    draw(histogram(), ax=right)
    assert left.get_ylim()[1] == right.get_ylim()[1] == high


def test_fresh_axes_are_not_stretched_by_what_they_showed_before() -> None:
    page = Page()
    ax = page.add_subplot()
    ax.set_ylim(0, 1e9)
    draw(histogram(), ax=ax)
    assert ax.get_ylim()[1] < 1000


def test_cleared_axes_forget_the_release() -> None:
    page = Page()
    ax = page.add_subplot()
    draw(two_dimensional(), ax=ax)
    render(page)
    ax.clear()
    ax.plot([0, 1], [0, 1])
    render(page)
    assert ax.get_position().bounds == ax.get_position(original=True).bounds
    draw(histogram(), ax=ax)
    assert captions(ax) == [CAPTION]
    assert faults(page) == []


def test_panels_replace_what_was_there() -> None:
    page = Page(figsize=(8, 5))
    ax = page.add_subplot()
    draw(histogram(), ax=ax)
    draw(panels(), ax=ax)
    assert not ax.patches
    draw(histogram(), ax=ax)
    assert ax.axison
    assert faults(page) == []


def test_a_caption_may_be_removed() -> None:
    page = Page()
    ax = draw(histogram(), ax=page.add_subplot())
    render(page)
    height = ax.get_position().height
    ax.texts[-1].remove()
    render(page)
    assert ax.get_position().height > height


def test_a_tight_picture_is_cut_to_all_of_the_chart() -> None:
    page = Page(figsize=(6.4, 4.8))
    draw(two_dimensional(), ax=page.add_subplot())
    whole, tight = BytesIO(), BytesIO()
    page.savefig(whole, format="png")
    page.savefig(tight, format="png", bbox_inches="tight", pad_inches=0)
    whole.seek(0)
    tight.seek(0)
    assert imread(tight).shape[0] < imread(whole).shape[0]
    assert faults(page) == []


def test_a_page_with_a_chart_can_be_pickled() -> None:
    page = Page()
    draw(category_hue(), ax=page.add_subplot())
    again = pickle.loads(pickle.dumps(page))
    assert faults(again) == []


def test_no_warning_is_ever_given() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = Page(layout="constrained")
        for ax, figure in zip(page.subplots(1, 2), (panels(), category_hue()), strict=True):
            draw(figure, ax=ax)
        render(page)


def test_ones_own_style_of_type_is_kept() -> None:
    with mpl.rc_context({"font.family": "DejaVu Serif"}):
        ax = draw(histogram(), ax=Page().add_subplot())
    assert ax.texts[-1].get_fontfamily() == ["DejaVu Serif"]
