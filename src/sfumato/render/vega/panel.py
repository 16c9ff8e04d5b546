"""One panel: its marks in layers over shared scales."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.figure import (
    Arrows,
    Bars,
    Boxes,
    Cells,
    Clouds,
    Dots,
    Figure,
    Heat,
    Mark,
    Outline,
    Panel,
    Points,
)
from sfumato.render import theme
from sfumato.render.scale import ruled, title_of, x_limits, y_limits
from sfumato.render.text import shorten, width, wrap
from sfumato.render.vega.arrows import arrow_layers
from sfumato.render.vega.axis import Spec, channel, drawn_axis
from sfumato.render.vega.bars import bar_layers
from sfumato.render.vega.boxes import box_layers
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.cells import cell_layers
from sfumato.render.vega.clouds import cloud_layers
from sfumato.render.vega.counts import word_layers
from sfumato.render.vega.dots import dot_layers
from sfumato.render.vega.heat import heat_layers
from sfumato.render.vega.legend import name_layer
from sfumato.render.vega.outline import outline_layers
from sfumato.render.vega.points import point_layers
from sfumato.render.vega.settings import pixels
from sfumato.render.vega.watermark import watermark_layer

_TITLE_LINES = 2


@dataclass(frozen=True)
class PanelView:
    """A panel, its size in pixels, and which labels and titles are not said once for all.

    A `lively` one can be panned and zoomed, if it holds a density.
    """

    panel: Panel
    width: int
    height: int
    titled: bool
    x_labels: bool
    y_labels: bool
    x_titled: bool
    y_titled: bool
    lively: bool


def panel_spec(figure: Figure, view: PanelView) -> Spec:
    """Return the panel as a layered view."""
    canvas = _canvas(figure, view)
    layers = [layer for mark in view.panel.marks for layer in _layers(canvas, mark)]
    layers += [*word_layers(canvas), *name_layer(canvas)]
    drawn = [layer for _, layer in sorted(layers, key=lambda pair: pair[0])] or [_nothing(canvas)]
    if figure.watermark:
        drawn.append(watermark_layer(figure.watermark, view.width, view.height))
    if view.titled and view.panel.title:
        drawn.append(_title(title_of(figure, view.panel), view.width))
    return {"width": view.width, "height": view.height, "layer": drawn}


def _layers(canvas: Canvas, mark: Mark) -> list[tuple[int, Spec]]:
    match mark:
        case Bars():
            return bar_layers(canvas, mark)
        case Boxes():
            return box_layers(canvas, mark)
        case Points():
            return point_layers(canvas, mark)
        case Cells() | Heat() | Clouds():
            return _window_layers(canvas, mark) if mark.value and mark.value[0] else []
        case _:
            return _drawn_layers(canvas, mark)


def _window_layers(canvas: Canvas, mark: Cells | Heat | Clouds) -> list[tuple[int, Spec]]:
    match mark:
        case Cells():
            return cell_layers(canvas, mark)
        case Heat():
            return heat_layers(canvas, mark)
        case Clouds():
            return cloud_layers(canvas, mark)


def _drawn_layers(canvas: Canvas, mark: Outline | Dots | Arrows) -> list[tuple[int, Spec]]:
    match mark:
        case Outline():
            return outline_layers(canvas, mark)
        case Dots():
            return dot_layers(canvas, mark)
        case Arrows():
            return arrow_layers(canvas, mark)


def _canvas(figure: Figure, view: PanelView) -> Canvas:
    panel = view.panel
    level, upright = x_limits(panel), y_limits(panel, figure)
    below = drawn_axis(
        panel.x, level, "x", view.width, labelled=view.x_labels, titled=view.x_titled
    )
    beside = drawn_axis(
        panel.y, upright, "y", view.height, labelled=view.y_labels, titled=view.y_titled
    )
    lines = ruled(panel)
    if lines in ("y", "both"):
        beside |= {"grid": True, "ticks": False}
    if lines in ("x", "both"):
        below |= {"grid": True}
    lively = view.lively and any(isinstance(mark, Heat | Clouds) for mark in panel.marks)
    x = channel(panel.x, level, below, clamp=not lively)
    y = channel(panel.y, upright, beside, clamp=not lively)
    return Canvas(figure, panel, x, y, view.width, view.height, lively)


def _nothing(canvas: Canvas) -> Spec:
    """Return a layer that draws the axes alone."""
    values = [{"x": canvas.x["scale"]["domain"][0], "y": canvas.y["scale"]["domain"][0]}]
    mark = {"type": "point", "opacity": 0, "aria": False}
    return {"data": {"values": values}, "mark": mark, "encoding": canvas.positions("x", "y")}


def _title(words: str, room: int) -> Spec:
    """Return the title as a layer: a view's own title would rise with the ticks beside it."""
    size = pixels(theme.LABEL_SIZE)
    # Bold letters are wider than the estimate for plain ones.
    lines = wrap(shorten(words, 60), room / (1.12 * size), width)
    if len(lines) > _TITLE_LINES:
        lines = [*lines[: _TITLE_LINES - 1], " ".join(lines[_TITLE_LINES - 1 :])]
    height = round(size * theme.LINE_HEIGHT, 2)
    return {
        "data": {"values": [{}]},
        "mark": {
            "type": "text",
            "text": lines,
            "align": "left",
            "baseline": "bottom",
            "fontSize": size,
            "fontWeight": "bold",
            "lineHeight": height,
            "dy": -round(height * (len(lines) - 1), 2),
            "color": theme.INK,
            "limit": room,
        },
        "encoding": {"x": {"value": 0}, "y": {"value": -7}},
    }
