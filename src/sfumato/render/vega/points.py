"""Points with the intervals around them, and the line through them, as layers."""

from __future__ import annotations

import math

from sfumato.figure import Points
from sfumato.render import theme
from sfumato.render.points import beside, dot_size, thickness
from sfumato.render.scale import series, y_limits
from sfumato.render.vega.axis import Spec, places
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.legend import colour_channel
from sfumato.render.vega.settings import pixels
from sfumato.render.words.summaries import point_readings


def point_layers(canvas: Canvas, mark: Points) -> list[tuple[int, Spec]]:
    """Return one series, layer by layer, each with its depth."""
    index = series(canvas.figure).index(mark.series) if mark.series else 0
    colour = theme.series_colour(index)
    low, high = y_limits(canvas.panel, canvas.figure)
    point = (high - low) / (0.75 * canvas.height)
    axis = canvas.panel.x
    words = point_readings(canvas.figure, canvas.panel, mark)
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
    return [*layers, (2, _dots(canvas, mark, rows, pixels(dot_size(thick))))]


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
