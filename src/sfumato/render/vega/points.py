"""Points with the intervals around them, and the line through them, as layers."""

from __future__ import annotations

import math
from itertools import islice

from sfumato.figure import Points
from sfumato.render import theme
from sfumato.render.counts import TOO_FEW
from sfumato.render.points import beside, dot_size, thickness
from sfumato.render.scale import series, x_limits, y_limits
from sfumato.render.vega.axis import Spec, places
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.legend import colour_channel
from sfumato.render.vega.settings import pixels
from sfumato.render.words.summaries import point_readings

_DASHES = [5, 4]


def point_layers(canvas: Canvas, mark: Points) -> list[tuple[int, Spec]]:
    """Return one series, layer by layer, each with its depth."""
    index = series(canvas.figure).index(mark.series) if mark.series else 0
    colour = theme.series_colour(index)
    low, high = y_limits(canvas.panel, canvas.figure)
    point = (high - low) / (0.75 * canvas.height)
    axis = canvas.panel.x
    words = islice(point_readings(canvas.figure, canvas.panel, mark), len(mark.y))
    rows = [
        {"x": x, "low": a, "high": b, "y": y, "series": index, "order": order, "words": str(said)}
        for order, (x, a, b, y, said) in enumerate(
            zip(
                places(axis, mark.x.value),
                places(axis, mark.x.low),
                places(axis, mark.x.high),
                beside(canvas.panel, mark, point),
                words,
                strict=True,
            )
        )
    ]
    soft: Spec = {"stroke": colour, "strokeOpacity": theme.INTERVAL_OPACITY, "aria": False}
    thick = thickness(canvas.panel, point)
    soft["strokeWidth"] = pixels(thick)
    layers = [(0, _layer(canvas, rows, {"type": "rule", **soft}, "low", x2={"field": "high"}))]
    if mark.joined:
        look: Spec = {"type": "line", "stroke": colour, "strokeWidth": pixels(1), "aria": False}
        layers.append((1, _layer(canvas, rows, look, "x", order={"field": "order"})))
    layers.append((2, _dots(canvas, mark, rows, pixels(dot_size(thick)))))
    return layers + (_too_few(canvas, mark) if mark.too_few else [])


def _too_few(canvas: Canvas, mark: Points) -> list[tuple[int, Spec]]:
    """Write across the panel that nothing can be said, on a dashed line."""
    low, high = places(canvas.panel.x, x_limits(canvas.panel))
    rows: list[Spec] = [
        {"low": low, "high": high, "x": (low + high) / 2, "y": place, "text": TOO_FEW}
        for place in mark.too_few
    ]
    line: Spec = {"type": "rule", "stroke": theme.SOFT_INK, "strokeDash": _DASHES, "aria": False}
    words: Spec = {"type": "text", "fontSize": pixels(theme.CAPTION_SIZE), "color": theme.SOFT_INK}
    paper: Spec = {"stroke": theme.PAPER, "strokeWidth": 6, "aria": False}
    text: Spec = {"text": {"field": "text", "type": "nominal"}}
    return [
        (3, _layer(canvas, rows, line, "low", x2={"field": "high"})),
        (3, _layer(canvas, rows, {**words, **paper}, "x", **text)),
        (3, _layer(canvas, rows, words, "x", **text)),
    ]


def _dots(canvas: Canvas, mark: Points, rows: list[Spec], across: float) -> Spec:
    named: Spec = (
        {"color": colour_channel(canvas, theme.series_colour, symbol="circle")}
        if mark.series
        else {}
    )
    look: Spec = {"type": "circle", "size": round(math.pi / 4 * across**2, 2), "opacity": 1}
    if not mark.series:
        look["color"] = theme.series_colour(0)
    said: Spec = {"description": {"field": "words"}, "tooltip": {"field": "words"}}
    return _layer(canvas, rows, look, "x", **named, **said)


def _layer(canvas: Canvas, rows: list[Spec], look: Spec, x: str, **more: Spec) -> Spec:
    return {"data": {"values": rows}, "mark": look, "encoding": canvas.positions(x, "y", **more)}
