"""The colours of series, and the legend that names them."""

from __future__ import annotations

import json

from sfumato.render import theme
from sfumato.render.scale import series
from sfumato.render.text import shorten, width
from sfumato.render.vega.axis import Spec
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.settings import pixels


def colour_channel(canvas: Canvas, *, outline: bool = False) -> Spec:
    """Return the colours of all series; they are numbers to Vega, so no name can be misread.

    The first panel has the legend for all of them.
    """
    figure = canvas.figure
    first = canvas.panel is figure.panels[0]
    names = [shorten(name, theme.LONGEST_SERIES) for name in series(figure)]
    choose = theme.series_colour if outline else theme.bar_colour
    numbers = list(range(len(names)))
    return {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": numbers, "range": [choose(number) for number in numbers]},
        "legend": _legend(canvas, names, outline=outline) if first else None,
    }


def _legend(canvas: Canvas, names: list[str], *, outline: bool) -> Spec:
    widest = pixels(theme.TICK_SIZE) * (max(map(width, names)) + 3)
    stroke = pixels(theme.OUTLINE_WIDTH) if outline else 0
    return {
        "title": shorten(canvas.figure.legend, 60) or None,
        "orient": "top",
        "direction": "horizontal",
        "columns": max(1, int(canvas.width / widest)),
        "symbolType": "stroke" if outline else "square",
        "symbolStrokeWidth": stroke,
        "symbolOpacity": 1,
        "labelExpr": f"{json.dumps(names)}[datum.value]",
        "labelLimit": 0,
        "offset": 8,
    }
