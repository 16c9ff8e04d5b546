"""Nothing overlaps and nothing is cut off, at any usual size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Page
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from render.samples import SAMPLES
from sfumato.render.matplotlib import draw

# Hairlines of rounding, in pixels.
TOLERANCE = 1.0

ALONE = {"column": (3.3, 3.0), "usual": (6.4, 4.8), "wide": (10.0, 4.0)}


def render(page: Page) -> RendererBase:
    canvas = FigureCanvasAgg(page)
    canvas.draw()
    return canvas.get_renderer()


def texts(ax: Axes) -> Iterator[tuple[str, Text]]:
    titles = (t for t in ax.get_children() if isinstance(t, Text) and t not in ax.texts)
    yield from (("title", text) for text in titles)
    if ax.axison:
        yield from (("x tick", text) for text in _shown(ax.xaxis))
        yield from (("y tick", text) for text in _shown(ax.yaxis))
        yield from (("label", label) for label in (ax.xaxis.label, ax.yaxis.label))
    yield from ((_kind(t), t) for t in ax.texts if "NOT PRIVATE" not in t.get_text())
    legend = ax.get_legend()
    if legend is not None:
        yield from (("legend", text) for text in [legend.get_title(), *legend.get_texts()])
    for child in ax.child_axes:
        yield from texts(child)


def _kind(text: Text) -> str:
    """Tell words upon a chart, which belong there, from those around it."""
    return "upon" if text.get_label() in ("_count", "_too_few", "_arrow_name") else "text"


def _shown(axis: Axis) -> list[Text]:
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    ticks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)  # none if they are off
    return [label for place, label in ticks if low - slack <= place <= high + slack]


def boxes(ax: Axes, renderer: RendererBase) -> list[tuple[str, Text, Bbox]]:
    found: list[tuple[str, Text, Bbox]] = []
    for kind, text in texts(ax):
        if not (text.get_visible() and text.get_text().strip()):
            continue
        found.append((kind, text, text.get_window_extent(renderer)))
    return found


def overlaps(ax: Axes, renderer: RendererBase) -> list[str]:
    """Name every pair of texts that touch, and every text upon the chart itself."""
    found = boxes(ax, renderer)
    charts = [child for child in (ax, *ax.child_axes) if child.axison]
    pairs = [
        f"{one.get_text()!r} touches {other.get_text()!r}"
        for (kind, one, box), (other_kind, other, other_box) in combinations(found, 2)
        if not (_slanted(kind, one) and other_kind.endswith("tick")) and _touch(box, other_box)
    ]
    return pairs + [
        f"{text.get_text()!r} lies on the chart"
        for kind, text, box in found
        for chart in charts
        if kind != "upon" and _touch(box, chart.get_window_extent(renderer))
    ]


def leaving(ax: Axes, renderer: RendererBase) -> list[str]:
    """Name every text that belongs upon the chart and reaches beyond it."""
    inner = ax.get_window_extent(renderer).padded(TOLERANCE)
    return [
        f"{text.get_text()!r} leaves the chart"
        for kind, text, box in boxes(ax, renderer)
        if kind == "upon" and not _holds(inner, box)
    ]


def _slanted(kind: str, text: Text) -> bool:
    """Tell whether the box around a text is much larger than the text."""
    return kind == "x tick" and text.get_rotation() != 0


def cut_off(ax: Axes, renderer: RendererBase, page: Page) -> list[str]:
    inner = page.bbox.padded(TOLERANCE)
    return [text.get_text() for _, text, box in boxes(ax, renderer) if not _holds(inner, box)]


def _holds(outer: Bbox, box: Bbox) -> bool:
    level = outer.x0 <= box.x0 and box.x1 <= outer.x1
    return level and outer.y0 <= box.y0 and box.y1 <= outer.y1


def _touch(one: Bbox, other: Bbox) -> bool:
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.y1, other.y1) - max(one.y0, other.y0)
    return across > TOLERANCE and down > TOLERANCE


def faults(page: Page) -> list[str]:
    renderer = render(page)
    return [
        fault
        for ax in page.axes
        for fault in (
            *overlaps(ax, renderer),
            *leaving(ax, renderer),
            *cut_off(ax, renderer, page),
        )
    ]


@pytest.mark.parametrize(
    # Where there is little room most goes wrong; where there is much, the same is drawn at ease.
    "size",
    ["column", "usual", pytest.param("wide", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in ("fine", "watermarked")])
def test_a_chart_alone_is_whole_and_nothing_touches(name: str, size: str) -> None:
    page = Page(figsize=ALONE[size])
    draw(SAMPLES[name], ax=page.add_subplot())
    assert faults(page) == []


@pytest.mark.parametrize("layout", [None, "constrained", "tight", "tight_layout()"])
@pytest.mark.parametrize(
    "pair",
    [
        ("histogram", "category_hue"),
        ("time", "two_dimensional"),
        ("thirty", "panels"),
        ("heat", "heat_over"),
    ],
)
def test_charts_side_by_side_leave_each_other_room(
    pair: tuple[str, str], layout: str | None
) -> None:
    page = Page(figsize=(10, 4.8), layout=None if layout == "tight_layout()" else layout)
    for ax, name in zip(page.subplots(1, 2), pair, strict=True):
        draw(SAMPLES[name], ax=ax)
    if layout == "tight_layout()":
        page.tight_layout()
    assert faults(page) == []


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_four_charts_share_a_page(layout: str | None) -> None:
    page = Page(figsize=(8, 8), layout=layout)
    names = ("histogram", "category_hue", "two_dimensional", "long_names")
    for ax, name in zip(page.subplots(2, 2).flat, names, strict=True):
        draw(SAMPLES[name], ax=ax)
    assert faults(page) == []


def test_neighbours_do_not_touch_each_other_without_a_layout_engine() -> None:
    page = Page(figsize=(6.4, 6.4))
    upper, lower = page.subplots(2, 1)
    draw(SAMPLES["histogram"], ax=upper)
    draw(SAMPLES["numeric_hue"], ax=lower)
    renderer = render(page)
    above = min(box.y0 for _, _, box in boxes(upper, renderer))
    below = max(box.y1 for _, _, box in boxes(lower, renderer))
    assert above >= below


def test_a_chart_in_a_subfigure_keeps_to_it() -> None:
    page = Page(figsize=(10, 4.8))
    left, right = page.subfigures(1, 2)
    for part, name in ((left, "histogram"), (right, "panels")):
        ax = draw(SAMPLES[name], ax=part.subplots())
        renderer = render(page)
        edge = part.bbox.padded(TOLERANCE)
        assert all(edge.x0 <= box.x0 and box.x1 <= edge.x1 for _, _, box in boxes(ax, renderer))
        assert overlaps(ax, renderer) == []


def test_the_check_sees_a_caption_that_is_not_kept_in_place() -> None:
    page = Page(figsize=(6.4, 4.8))
    ax = draw(SAMPLES["histogram"], ax=page.add_subplot())
    render(page)
    ax.set_axes_locator(None)  # type: ignore[arg-type]
    ax.texts[-1].set_position((0, 0))
    assert any("touches" in fault for fault in faults(page))
    ax.texts[-1].set_position((0, -0.3))
    assert any(fault.startswith("ε\u00a0=\u00a01") for fault in faults(page)), "cut off"


def test_a_chart_is_arranged_again_when_its_figure_is_resized() -> None:
    page = Page(figsize=(10, 5))
    ax = draw(SAMPLES["thirty"], ax=page.add_subplot())
    render(page)
    wide = ax.texts[-1].get_text().count("\n")
    page.set_size_inches(3.3, 5)
    assert faults(page) == []
    assert ax.texts[-1].get_text().count("\n") > wide


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_charts_that_share_a_figure_have_their_axes_aligned(layout: str | None) -> None:
    page = Page(figsize=(11, 9), layout=layout)
    axes = page.subplots(2, 2)
    for ax, name in zip(
        axes.flat, ("histogram", "category_hue", "two_dimensional", "time"), strict=True
    ):
        draw(SAMPLES[name], ax=ax)
    page.canvas.draw()
    (a, b), (c, d) = [[ax.get_position() for ax in row] for row in axes]
    for upper, lower in ((a, c), (b, d)):
        assert upper.intervalx == pytest.approx(lower.intervalx, abs=1e-3)
    for left, right in ((a, b), (c, d)):
        assert left.intervaly == pytest.approx(right.intervaly, abs=1e-3)
