"""What Matplotlib draws of groups in a plane."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as Page
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Text

from render.plane_samples import GROUPS, PLANE
from sfumato.figure import Arrows, Clouds, Contour, Dots, Figure
from sfumato.render.matplotlib import draw
from sfumato.render.matplotlib.drawing import natural_size
from sfumato.render.plane import line_colour, mix_colours
from sfumato.render.scale import list_marks
from sfumato.render.theme import series_colour


def drawn(figure: Figure, size: tuple[float, float] = (6, 6), paper: str = "white") -> Axes:
    page = Page(figsize=size, facecolor=paper)
    ax = draw(figure, ax=page.add_subplot(facecolor=paper))
    FigureCanvasAgg(page).draw()
    return ax


def labelled(ax: Axes, kind: type[Any], label: str) -> list[Any]:
    return [each for each in ax.findobj(kind) if each.get_label() == label]


def test_clouds_are_drawn_in_the_colours_both_renderers_mix() -> None:
    (clouds,) = list_marks(PLANE["clouds"], Clouds)
    (image,) = drawn(PLANE["clouds"]).images
    colours = [series_colour(place) for place in range(len(clouds.series))]
    assert (np.asarray(image.get_array()) == mix_colours(clouds, colours)).all()
    assert list(image.get_extent()) == [*clouds.x, *clouds.y]


@pytest.mark.parametrize("name", ["clouds", "clouds_ten", "biplot", "clouds_alone"])
@pytest.mark.parametrize("size", [(6, 6), (9, 4), (3.3, 5)])
def test_both_axes_have_one_scale_whatever_the_page(name: str, size: tuple[float, float]) -> None:
    ax = drawn(PLANE[name], size)
    box = ax.get_window_extent()
    assert box.width == pytest.approx(box.height, rel=0.01)


def test_the_legend_names_every_group_once() -> None:
    legend = drawn(PLANE["clouds_ten"]).get_legend()
    assert legend is not None
    names = [text.get_text() for text in legend.get_texts()]
    assert sorted(names) == sorted(GROUPS) and legend.get_title().get_text() == "class"


def test_a_group_without_a_name_is_not_in_a_legend() -> None:
    assert drawn(PLANE["clouds_alone"]).get_legend() is None


def test_lines_run_where_the_figure_has_them_and_are_closed() -> None:
    figure = PLANE["clouds_ten"]
    lines = labelled(drawn(figure), LineCollection, "_outline")
    marks = list_marks(figure, Contour)
    assert len(lines) == len(marks) >= 20
    for line, mark in zip(lines, marks, strict=True):
        paths = [path.vertices for path in line.get_paths()]
        assert [len(path) - 1 for path in paths] == [len(path) for path in mark.paths]
        for path, corners in zip(paths, mark.paths, strict=True):
            assert (path[0] == path[-1]).all() and (path[:-1] == np.array(corners)).all()
        assert to_hex(line.get_color()[0]) == line_colour(GROUPS.index(mark.series))
    dashed = {
        mark.series for line, mark in zip(lines, marks, strict=True) if line.get_linestyle()[0][1]
    }
    assert dashed == set(GROUPS[7:]), "where colours begin again"


def test_points_are_drawn_where_the_figure_has_them() -> None:
    figure = PLANE["dots"]
    found: list[Line2D] = labelled(drawn(figure), Line2D, "_dots")
    for line, mark in zip(found, list_marks(figure, Dots), strict=True):
        assert np.asarray(line.get_xdata()).tolist() == list(mark.x)
        assert np.asarray(line.get_ydata()).tolist() == list(mark.y)
        assert line.get_linestyle() == "None"


def test_arrows_point_from_the_origin_to_their_tips_and_bars_are_their_intervals() -> None:
    figure = PLANE["biplot"]
    ax = drawn(figure)
    (mark,) = list_marks(figure, Arrows)
    shafts: list[FancyArrowPatch] = labelled(ax, FancyArrowPatch, "_arrow")
    ends = [getattr(shaft, "_posA_posB") for shaft in shafts]  # noqa: B009 - untyped
    assert [tuple(map(float, end[0])) for end in ends] == [mark.origin] * len(mark.label)
    tips = list(zip(mark.x.value, mark.y.value, strict=True))
    assert [tuple(map(float, end[1])) for end in ends] == tips
    (bars,) = labelled(ax, LineCollection, "_bands")
    level, upright = np.split(np.array([path.vertices for path in bars.get_paths()]), 2)
    assert level[:, :, 0].tolist() == [
        [*pair] for pair in zip(mark.x.low, mark.x.high, strict=True)
    ]
    assert upright[:, :, 1].tolist() == [
        [*pair] for pair in zip(mark.y.low, mark.y.high, strict=True)
    ]


@pytest.mark.parametrize("size", [(6, 6), (9, 4), (3.3, 5), (3.3, 3.0)])
@pytest.mark.parametrize("name", ["biplot", "clouds_long"])
def test_names_of_arrows_lie_within_the_panel_and_apart(
    name: str, size: tuple[float, float]
) -> None:
    ax = drawn(PLANE[name], size)
    renderer = FigureCanvasAgg(ax.figure.figure).get_renderer()  # pyright: ignore[reportOptionalMemberAccess]
    texts: list[Text] = labelled(ax, Text, "_arrow_name")
    boxes = [text.get_window_extent(renderer) for text in texts if text.get_visible()]
    assert boxes and (size[1] < 5 or len(boxes) == len(texts))
    panel = ax.get_window_extent(renderer).padded(1)
    for place, box in enumerate(boxes):
        assert panel.x0 <= box.x0 and box.x1 <= panel.x1
        assert panel.y0 <= box.y0 and box.y1 <= panel.y1
        assert not any(box.padded(-1).overlaps(other) for other in boxes[:place])


def test_arrows_whose_names_are_hidden_are_drawn_all_the_same() -> None:
    (mark,) = list_marks(PLANE["clouds_long"], Arrows)
    ax = drawn(PLANE["clouds_long"], (2.2, 2.6))
    assert len(labelled(ax, FancyArrowPatch, "_arrow")) == len(mark.label)


def test_panels_that_keep_their_shape_stand_near_each_other() -> None:
    figure = PLANE["map_panels"]
    ax = drawn(figure, natural_size(figure))
    panels = [child for child in ax.child_axes if child.axison and child.images]
    assert len(panels) == len(figure.panels)
    boxes = [panel.get_window_extent() for panel in panels]
    assert all(box.width == pytest.approx(box.height, rel=0.01) for box in boxes)
    assert boxes[1].x0 - boxes[0].x1 < 0.3 * boxes[0].width
    assert boxes[0].width > 150, "pixels, of a page made for them"


def test_ink_is_light_on_dark_paper() -> None:
    ax = drawn(PLANE["biplot"], paper="#101014")
    (text, *_) = labelled(ax, Text, "_arrow_name")
    assert (
        np.mean([int(to_hex(text.get_color())[place : place + 2], 16) for place in (1, 3, 5)]) > 200
    )


def test_a_density_whose_noise_is_unknown_has_no_beam_beside_its_colours() -> None:
    figure = PLANE["map_panels"]
    known = drawn(figure)
    assert labelled(known, Line2D, "_noise")
    unknown = replace(
        figure,
        panels=tuple(
            replace(panel, marks=tuple(replace(mark, coverage=0.0) for mark in panel.marks))  # pyright: ignore[reportCallIssue]
            for panel in figure.panels
        ),
    )
    assert not labelled(drawn(unknown), Line2D, "_noise")
    assert not any("noise ±" in text.get_text() for text in drawn(unknown).findobj(Text))
