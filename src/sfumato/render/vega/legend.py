"""The colours of series, and the legend that names them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal

from sfumato.figure import Clouds, Dots, Outline
from sfumato.render import theme
from sfumato.render.clouds import dashes, line_colour
from sfumato.render.scale import coloured, series
from sfumato.render.text import shorten, width
from sfumato.render.vega.axis import Spec
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.settings import pixels

Symbol = Literal["square", "stroke", "circle"]


def colour_channel(
    canvas: Canvas, choose: Callable[[int], str] = theme.bar_colour, *, symbol: Symbol = "square"
) -> Spec:
    """Return the colours of all series; they are numbers to Vega, so no name can be misread.

    The first panel has the legend for all of them, in the colours that `choose` gives.
    """
    figure = canvas.figure
    first = canvas.panel is figure.panels[0]
    names = [shorten(name, theme.LONGEST_SERIES) for name in series(figure)]
    numbers = list(range(len(names)))
    return {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": numbers, "range": [choose(number) for number in numbers]},
        "legend": _legend(canvas, names, symbol) if first else None,
    }


def name_layer(canvas: Canvas) -> list[tuple[int, Spec]]:
    """Return an unseen layer with the legend of groups in a plane, which all their marks share."""
    names = series(canvas.figure)
    grouped = any(isinstance(mark, Clouds | Outline | Dots) for mark in canvas.panel.marks)
    if not (names and grouped):
        return []
    # Where each group has a panel of its own, its title names it.
    if coloured(canvas.figure) or canvas.panel is not canvas.figure.panels[0]:
        return []
    x, y = (axis["scale"]["domain"][0] for axis in (canvas.x, canvas.y))
    line = colour_channel(canvas, line_colour)
    line["legend"]["symbolStrokeWidth"] = pixels(1.2)
    numbers = line["scale"]["domain"]
    # Vega calls a line solid if its gaps are empty.
    drawn = [list(dashes(number)) or [1, 0] for number in numbers]
    shown: Spec = {
        "stroke": line,
        "fill": {**line, "scale": {**line["scale"], "range": list(map(theme.box_colour, numbers))}},
        "strokeDash": {**line, "scale": {"domain": numbers, "range": drawn}},
    }
    layer: Spec = {
        "data": {"values": [{"x": x, "y": y, "series": number} for number in numbers]},
        "mark": {"type": "point", "opacity": 0, "aria": False},
        "encoding": {**canvas.positions("x", "y"), **shown},
    }
    return [(0, layer)]


def _legend(canvas: Canvas, names: list[str], symbol: Symbol) -> Spec:
    widest = pixels(theme.TICK_SIZE) * (max(map(width, names)) + 3)
    stroke = pixels(theme.OUTLINE_WIDTH) if symbol == "stroke" else 0
    return {
        "title": shorten(canvas.figure.legend, 60) or None,
        "orient": "top",
        "direction": "horizontal",
        "columns": max(1, int(canvas.width / widest)),
        "symbolType": symbol,
        "symbolStrokeWidth": stroke,
        "symbolOpacity": 1,
        "labelExpr": f"{json.dumps(names)}[datum.value]",
        "labelLimit": 0,
        "offset": 8,
    }
