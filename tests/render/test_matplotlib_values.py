"""What Matplotlib draws is what the figure says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.dates import num2date
from matplotlib.figure import Figure as Page
from matplotlib.patches import Rectangle, StepPatch

from render.samples import (
    CAPTION,
    HOSTILE,
    SAMPLES,
    category,
    category_cells,
    category_hue,
    histogram,
    hostile,
    noted,
    numeric_hue,
    panels,
    time,
    two_dimensional,
    watermarked,
)
from sfumato.figure import Bars, Cells, Figure
from sfumato.render import theme
from sfumato.render.matplotlib import draw
from sfumato.render.scale import place_error_bars


def drawn(figure: Figure, size: tuple[float, float] = (6.4, 4.8)) -> Axes:
    page = Page(figsize=size)
    ax = draw(figure, ax=page.add_subplot())
    FigureCanvasAgg(page).draw()
    return ax


def bars_of(figure: Figure) -> list[Bars]:
    return [mark for mark in figure.panels[0].marks if isinstance(mark, Bars)]


def lines(ax: Axes, label: str) -> list[np.ndarray[Any, Any]]:
    found = [c for c in ax.collections if c.get_label() == label]
    return [segment for c in found for segment in cast(LineCollection, c).get_segments()]


@pytest.mark.parametrize("figure", [histogram(), category(), category_hue(), histogram(100)])
def test_every_bar_stands_where_and_as_high_as_the_figure_says(figure: Figure) -> None:
    patches = [patch for patch in drawn(figure).patches if isinstance(patch, Rectangle)]
    expected = [
        (left, right, height)
        for bars in bars_of(figure)
        for left, right, height in zip(bars.left, bars.right, bars.height, strict=True)
    ]
    got = [(p.get_x(), p.get_x() + p.get_width(), p.get_height()) for p in patches]
    assert got == pytest.approx(np.array(expected))
    assert all(patch.get_y() == 0 for patch in patches)


def test_outlines_step_along_the_heights() -> None:
    figure = numeric_hue()
    steps = [patch for patch in drawn(figure).patches if isinstance(patch, StepPatch)]
    outlines = [patch for patch in steps if not patch.get_fill()]
    for patch, bars in zip(outlines, bars_of(figure), strict=True):
        assert tuple(patch.get_data().values) == bars.height
        assert tuple(patch.get_data().edges) == (*bars.left, bars.right[-1])
    assert len(steps) == 2 * len(outlines), "each outline has its light fill"


@pytest.mark.parametrize("figure", [histogram(), category_hue(), numeric_hue()])
@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_error_bars_end_where_the_intervals_do(figure: Figure, kind: str) -> None:
    segments = lines(drawn(figure), f"_{kind}")
    expected = [
        [(x, low), (x, high)]
        for bars in bars_of(figure)
        for x, low, high in zip(
            place_error_bars(figure.panels[0], bars),
            getattr(bars, kind).low,
            getattr(bars, kind).high,
            strict=True,
        )
    ]
    assert np.array(segments) == pytest.approx(np.array(expected))


def test_pointwise_error_bars_are_the_thicker_ones() -> None:
    thickness = {c.get_label(): c.get_linewidth()[0] for c in drawn(histogram()).collections}
    assert thickness["_pointwise"] > 2 * thickness["_simultaneous"]


def test_bars_clipped_at_zero_are_marked_and_no_others() -> None:
    figure = histogram()
    (bars,) = bars_of(figure)
    (marks,) = (line for line in drawn(figure).lines if line.get_label() == "_clipped")
    places = place_error_bars(figure.panels[0], bars)
    assert list(marks.get_xdata()) == [x for x, c in zip(places, bars.clipped, strict=True) if c]
    assert any(bars.clipped)
    assert to_hex(marks.get_markerfacecolor()) == theme.PAPER, "hollow"


def test_a_chart_without_clipped_bars_has_no_mark() -> None:
    figure = histogram()
    (bars,) = bars_of(figure)
    clean = replace(bars, clipped=(False,) * len(bars.height))
    panel = replace(figure.panels[0], marks=(clean,))
    assert not drawn(replace(figure, panels=(panel,))).lines


def test_the_axis_begins_at_zero_and_holds_the_longest_error_bar() -> None:
    figure = histogram()
    low, high = drawn(figure).get_ylim()
    assert low == 0
    assert high > max(bars_of(figure)[0].simultaneous.high)


def test_each_series_has_its_colour_and_its_name_in_the_legend() -> None:
    ax = drawn(category_hue())
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == "sex"
    assert [text.get_text() for text in legend.get_texts()] == ["female", "male", "other"]
    colours = [to_hex(container.patches[0].get_facecolor()) for container in ax.containers]
    assert colours == [theme.bar_colour(index) for index in range(3)]


def test_cells_have_their_values_and_muted_ones_a_stroke() -> None:
    figure = two_dimensional()
    ax = drawn(figure)
    (cells,) = figure.panels[0].marks
    assert isinstance(cells, Cells)
    (mesh,) = (c for c in ax.collections if isinstance(c, QuadMesh))
    array = mesh.get_array()
    assert array is not None
    assert np.array_equal(np.asarray(array), np.array(cells.value))
    assert mesh.get_clim() == (0, max(max(row) for row in cells.value))
    strokes = lines(ax, "_muted")
    assert len(strokes) == sum(map(sum, cells.muted))
    corner = {(x, y) for x in cells.x_edges for y in cells.y_edges}
    assert all(tuple(end) in corner for stroke in strokes for end in stroke)


def test_the_colour_strip_says_how_wide_the_noise_is() -> None:
    ax = drawn(two_dimensional())
    texts = [
        text.get_text().replace("\xa0", " ") for child in ax.child_axes for text in child.texts
    ]
    assert texts == ["check-ins, noise ± 14 (95 %)"]
    (beam,) = (
        line for child in ax.child_axes for line in child.lines if line.get_label() == "_noise"
    )
    assert list(beam.get_xdata()) == [0, 14]


def test_panels_share_colours_limits_and_labels() -> None:
    figure = panels(3)
    ax = drawn(figure, (8, 4))
    drawn_panels = [child for child in ax.child_axes if child.get_title(loc="left")]
    titles = [child.get_title(loc="left").replace("\u00a0", " ") for child in drawn_panels]
    assert titles == ["group = A", "group = B", "group = C"]
    meshes = [c for child in drawn_panels for c in child.collections if isinstance(c, QuadMesh)]
    assert len({mesh.get_clim() for mesh in meshes}) == 1
    words = [text.get_text() for text in ax.texts]
    assert words.count("longitude") == words.count("latitude") == 1


def test_time_is_drawn_in_utc() -> None:
    figure = time()
    ax = drawn(figure)
    start, end = (num2date(x) for x in ax.get_xlim())
    assert (start.isoformat(), end.isoformat()) == (
        "2024-01-01T00:00:00+00:00",
        "2025-01-01T00:00:00+00:00",
    )
    labels = [text.get_text() for text in ax.get_xticklabels()]
    assert "Jul" in labels


def test_categories_stand_on_both_axes_by_name() -> None:
    ax = drawn(category_cells())
    panel = category_cells().panels[0]
    assert [text.get_text() for text in ax.get_xticklabels()] == list(panel.x.categories)
    assert [text.get_text() for text in ax.get_yticklabels()] == list(panel.y.categories)


def test_large_counts_have_thin_separators_and_no_offset() -> None:
    ax = drawn(SAMPLES["tiny_noise"])
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert "10\u202f000\u202f000" in labels
    assert ax.yaxis.get_offset_text().get_text() == ""


def test_title_notes_and_caption_are_all_there() -> None:
    figure = noted()
    ax = drawn(figure)
    below = [text.get_text().replace("\n", " ").replace("\u00a0", " ") for text in ax.texts]
    assert below == [*figure.notes, CAPTION]
    assert ax.get_title(loc="left") == figure.title


def test_a_watermark_crosses_every_panel_and_a_private_chart_has_none() -> None:
    words = watermarked().watermark
    assert words in [text.get_text().replace("\n", " ") for text in drawn(watermarked()).texts]
    assert words not in [text.get_text() for text in drawn(histogram()).texts]
    marked = drawn(watermarked(panels(4)), (8, 6))
    stamps = [
        text.get_text().replace("\n", " ") for child in marked.child_axes for text in child.texts
    ]
    assert stamps.count(words) == 4


def test_a_watermark_is_as_large_as_its_panel_allows() -> None:
    ax = drawn(watermarked())
    (stamp,) = (text for text in ax.texts if "NOT PRIVATE" in text.get_text())
    box, panel = stamp.get_window_extent(), ax.get_window_extent()
    assert 0.8 < max(box.width / panel.width, box.height / panel.height) <= 1


def test_dollars_and_angle_brackets_are_drawn_as_they_are_spelled() -> None:
    ax = drawn(hostile(), (10, 6))
    texts = [*ax.texts, *ax.get_xticklabels(), ax.xaxis.label, ax.yaxis.label]
    assert not any(text.get_parse_math() for text in texts)
    assert ax.get_ylabel() == HOSTILE[1]
    labels = [text.get_text().replace("\n", " ") for text in ax.get_xticklabels()]
    assert HOSTILE[1] in labels
    assert "$unclosed" in labels


@pytest.mark.parametrize("name", ["empty", "no_groups", "no_cells"])
def test_a_chart_of_nothing_is_an_empty_chart(name: str) -> None:
    empty = {
        "empty": category(()),
        "no_groups": replace(panels(1), panels=()),
        "no_cells": replace(two_dimensional(), panels=(_no_cells(),)),
    }[name]
    assert drawn(empty).get_title(loc="left") == empty.title


def _no_cells() -> Any:
    panel = two_dimensional().panels[0]
    (cells,) = panel.marks
    axis = replace(panel.x, kind="category", limits=None, categories=())
    none = replace(cast(Cells, cells), x_edges=(-0.5,), value=((),) * 18, muted=((),) * 18)
    return replace(panel, x=axis, marks=(none,))
