"""What Matplotlib draws of boxplots and quantiles is what the figure says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as Page

from render.samples import (
    SAMPLES,
    box_hue,
    box_time,
    boxes,
    boxplot,
    curves,
    few_at,
    histogram,
    rows,
    thirty_boxes,
    two_dimensional,
)
from sfumato.figure import Boxes, Figure, Orient
from sfumato.render import boxes as geometry
from sfumato.render import theme
from sfumato.render.boxes import BoxPart, Fineness
from sfumato.render.matplotlib import draw
from sfumato.render.matplotlib.lettering import choose_tones

LINES = {
    "_medians": geometry.medians,
    "_whiskers": geometry.whiskers,
    "_caps": geometry.caps,
}
SHADES = {
    "_soft_boxes": geometry.shade_boxes,
    "_soft_medians": geometry.shade_medians,
    "_soft_ends": geometry.shade_whisker_ends,
}


def drawn(figure: Figure, size: tuple[float, float] = (6.4, 4.8)) -> Axes:
    page = Page(figsize=size)
    ax = draw(figure, ax=page.add_subplot())
    FigureCanvasAgg(page).draw()
    return ax


def marks(figure: Figure) -> list[Boxes]:
    return [mark for mark in figure.panels[0].marks if isinstance(mark, Boxes)]


def collections(ax: Axes, label: str) -> list[Any]:
    return [c for c in ax.collections if c.get_label() == label]


def words(ax: Axes, label: str = "_count") -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_label() == label]


def ends(part: BoxPart, orient: str) -> list[tuple[float, float]]:
    corners = [(part.left, part.low), (part.right, part.high)]
    return corners if orient == "v" else [(value, place) for place, value in corners]


@pytest.mark.parametrize("name", ["boxes", "boxes_level", "box_hue", "box_hue_too_few"])
@pytest.mark.parametrize("label", LINES)
def test_lines_go_where_the_numbers_are(name: str, label: str) -> None:
    figure = SAMPLES[name]
    for lines, mark in zip(collections(drawn(figure), label), marks(figure), strict=True):
        wanted = [ends(part, mark.orient) for part in LINES[label](mark)]
        assert np.allclose(cast(LineCollection, lines).get_segments(), wanted)


@pytest.mark.parametrize("name", ["boxes", "boxes_level", "box_hue", "wide_intervals"])
@pytest.mark.parametrize("label", SHADES)
def test_shades_lie_as_deep_as_the_geometry_says(name: str, label: str) -> None:
    figure = SAMPLES[name]
    for shade, mark in zip(collections(drawn(figure), label), marks(figure), strict=True):
        parts = SHADES[label](mark, Fineness.of(figure.panels[0], mark))
        paths = [path.get_extents() for path in cast(PolyCollection, shade).get_paths()]
        boxes_drawn = [[(box.x0, box.y0), (box.x1, box.y1)] for box in paths]
        assert np.allclose(boxes_drawn, [ends(part, mark.orient) for part in parts])
        assert np.allclose(shade.get_facecolor()[:, 3], [part.opacity for part in parts])


def test_the_median_is_the_thickest_line() -> None:
    ax = drawn(boxplot(boxes(5)))
    thickness = {c.get_label(): c.get_linewidth()[0] for c in ax.collections}
    assert thickness["_medians"] > 1.5 * thickness["_outlines"]


def test_lines_grow_thinner_with_the_boxes() -> None:
    few, many = (
        collections(drawn(figure), "_medians")[0].get_linewidth()[0]
        for figure in (boxplot(boxes(5)), thirty_boxes())
    )
    assert few > 1.5 * many


def test_counts_are_written_in_words_where_there_is_room() -> None:
    assert words(drawn(boxplot(boxes(5)))) == [f"≈ {n} above" for n in (40, 80, 120, 160)]
    assert words(drawn(boxplot(boxes(5)), (3.3, 4.0))) == ["≈ 40", "≈ 80", "≈ 120", "≈ 160"]
    assert not any(words(drawn(thirty_boxes(), (2.0, 4.0))))


def test_turned_counts_stand_upright_above_narrow_boxes() -> None:
    ax = drawn(thirty_boxes())
    turned = [text for text in ax.texts if text.get_label() == "_count"]
    assert {text.get_rotation() for text in turned} == {90}


def test_a_group_too_small_is_said_to_be_so() -> None:
    figure = boxplot(boxes(5, too_few=(1, 3)))
    ax = drawn(figure)
    assert words(ax, "_too_few") == ["too few data"] * 2
    (span,) = collections(ax, "_too_few")
    assert span.get_linestyle()[0][1] is not None, "dashed"
    assert not words(drawn(boxplot(boxes(5))), "_too_few")


@pytest.mark.parametrize("end", [0.0, 2.0, 305.0, 310.0])
@pytest.mark.parametrize("orient", ["v", "h"])
@pytest.mark.parametrize("size", [(6.4, 4.8), (3.3, 3.0)])
def test_what_is_said_of_a_group_at_the_end_of_the_axis_is_not_cut(
    end: float, orient: Orient, size: tuple[float, float]
) -> None:
    ax = drawn(few_at(end, orient), size)
    (text,) = (text for text in ax.texts if text.get_label() == "_too_few")
    assert text.get_text() == "too few data"
    paper = text.get_bbox_patch()
    assert paper is not None
    inner, written = ax.get_window_extent().padded(0.5), paper.get_window_extent()
    assert inner.x0 <= written.x0 and written.x1 <= inner.x1
    assert inner.y0 <= written.y0 and written.y1 <= inner.y1


def test_what_is_said_of_a_group_stands_in_the_middle_of_what_is_seen_of_it() -> None:
    ax = drawn(boxplot(boxes(5, orient="h", too_few=(2,))))
    (text,) = (text for text in ax.texts if text.get_label() == "_too_few")
    assert text.get_position() == (155.0, 2.0)


def test_each_series_has_its_colour_and_its_name_in_the_legend() -> None:
    ax = drawn(box_hue(too_few=(0, 1, 2, 3, 4)))
    legend = ax.get_legend()
    assert legend is not None
    names = [text.get_text() for text in legend.get_texts()]
    assert names == ["Entire home", "Private room", "Shared room"]
    colours = [to_hex(patch.get_facecolor()) for patch in legend.get_patches()]
    assert colours == [theme.box_colour(index) for index in range(3)]


def test_time_runs_up_the_axis() -> None:
    figure = box_time()
    ax = drawn(figure)
    (lines,) = collections(ax, "_medians")
    days = [segment[0][1] for segment in cast(LineCollection, lines).get_segments()]
    wanted = [value / 86_400e6 for value in marks(figure)[0].median.value]
    assert days == pytest.approx(wanted)
    assert "May" in [text.get_text() for text in ax.get_yticklabels()]


@pytest.mark.parametrize("size", [(6.4, 4.8), (6.4, 2.2), (3.0, 2.2)])
@pytest.mark.parametrize("months", [1, 5, 13, 20, 23, 40])
def test_a_range_of_time_never_lacks_ticks_or_warns(size: tuple[float, float], months: int) -> None:
    figure = box_time()
    start = figure.panels[0].y.limits
    assert start is not None
    axis = replace(figure.panels[0].y, limits=(start[0], start[0] + months * 30.4 * 86_400e6))
    figure = replace(figure, panels=(replace(figure.panels[0], y=axis),))
    assert any(text.get_text() for text in drawn(figure, size).get_yticklabels())


def test_points_and_their_intervals_are_those_of_the_figure() -> None:
    figure = curves()
    ax = drawn(figure)
    for line, bars, mark in zip(
        ax.lines, collections(ax, "_intervals"), figure.panels[0].marks, strict=True
    ):
        assert tuple(np.asarray(line.get_xdata())) == mark.x.value  # type: ignore[union-attr]
        segments = np.array(bars.get_segments())
        assert tuple(segments[:, 0, 0]) == mark.x.low  # type: ignore[union-attr]
        assert tuple(segments[:, 1, 0]) == mark.x.high  # type: ignore[union-attr]
        assert np.allclose(segments[:, 0, 1], mark.y, atol=0.02)  # type: ignore[union-attr]


def test_points_that_share_a_row_stand_apart() -> None:
    first, second = (np.asarray(line.get_ydata()) for line in drawn(rows()).lines)
    assert np.all(first > second)
    assert np.allclose((first + second) / 2, [4, 3, 2, 1, 0])


def test_points_without_intervals_stand_where_they_belong() -> None:
    figure = rows()
    (panel,) = figure.panels
    marks = tuple(replace(mark, coverage=0.0) for mark in panel.marks)
    plain = replace(figure, panels=(replace(panel, marks=marks),))
    assert all(list(line.get_ydata()) == [4, 3, 2, 1, 0] for line in drawn(plain).lines)


@pytest.mark.parametrize("figure", [boxplot(boxes(5)), histogram(), two_dimensional(), box_hue()])
def test_what_is_drawn_on_dark_paper_is_light(figure: Figure) -> None:
    with mpl.rc_context({"figure.facecolor": "#101418", "axes.facecolor": "#101418"}):
        ax = drawn(figure)
    legend = ax.get_legend()
    texts = [
        *ax.texts,
        *ax.get_xticklabels(),
        ax.xaxis.label,
        *(legend.get_texts() if legend else ()),
    ]
    shown = [text for text in texts if text.get_text()]
    assert shown
    assert all(_lightness(text.get_color()) > 0.5 for text in shown)
    assert all(_lightness(c.get_edgecolor()) > 0.4 for c in collections(ax, "_medians"))


def test_what_is_drawn_on_light_paper_is_our_own_ink() -> None:
    ax = Page(facecolor="none").add_subplot()
    assert choose_tones(ax).ink == theme.INK
    ax.set_facecolor("black")
    assert _lightness(choose_tones(ax).ink) > 0.8


def _lightness(colour: Any) -> float:
    hexed = to_hex(np.asarray(colour)[0] if np.ndim(colour) > 1 else colour)
    return sum(int(hexed[k : k + 2], 16) for k in (1, 3, 5)) / 3 / 255
