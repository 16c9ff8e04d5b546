"""What explains colours: a legend of series, or a strip of the colour scale."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Literal

from sfumato.figure import Clouds, Contour, Dots, Figure, Heat, Regions
from sfumato.render import theme
from sfumato.render.plane import EXPONENT, dashes, line_colour, ticks
from sfumato.render.scale import Coloured, colour_limits, colour_title, list_coloured, list_series
from sfumato.render.text import shorten, width
from sfumato.render.vega.axis import Canvas, Spec, convert_to_pixels


def scale_channel(figure: Figure, mark: Coloured, field: str) -> Spec:
    """Return the colour of a value."""
    scale: Spec = {
        "domain": list(colour_limits(figure)),
        "range": list(theme.choose_ramp(figure.look.ramp)),
        "interpolate": "rgb",
        **describe_spacing(mark),
    }
    return {"field": field, "type": "quantitative", "scale": scale, "legend": None}


def describe_spacing(mark: Coloured) -> Spec:
    """Return how values are spaced along the colours."""
    return {"type": "pow", "exponent": EXPONENT} if isinstance(mark, Heat) else {}


ChooseColour = Callable[[int, Sequence[str]], str]
"""From the place of a series, and the colours that were chosen."""

Symbol = Literal["square", "stroke", "circle"]


def colour_channel(
    canvas: Canvas, choose: ChooseColour = theme.bar_colour, *, symbol: Symbol = "square"
) -> Spec:
    """Return the colours of all series; they are numbers to Vega, so no name can be misread.

    The first panel has the legend for all of them, in the colours that `choose` gives.
    """
    figure = canvas.figure
    first = canvas.panel is figure.panels[0]
    names = [shorten(name, theme.LONGEST_SERIES) for name in list_series(figure)]
    numbers = list(range(len(names)))
    return {
        "field": "series",
        "type": "nominal",
        "scale": {
            "domain": numbers,
            "range": [choose(number, canvas.colours) for number in numbers],
        },
        "legend": _legend(canvas, names, symbol) if first else None,
    }


def name_layer(canvas: Canvas) -> list[tuple[int, Spec]]:
    """Return an unseen layer with the legend of groups in a plane, which all their marks share."""
    names = list_series(canvas.figure)
    grouped = any(isinstance(mark, Clouds | Contour | Dots) for mark in canvas.panel.marks)
    if not (names and grouped):
        return []
    # Where each group has a panel of its own, its title names it.
    if list_coloured(canvas.figure) or canvas.panel is not canvas.figure.panels[0]:
        return []
    x, y = (axis["scale"]["domain"][0] for axis in (canvas.x, canvas.y))
    line = colour_channel(canvas, line_colour)
    line["legend"]["symbolStrokeWidth"] = convert_to_pixels(1.2)
    numbers = line["scale"]["domain"]
    # Vega calls a line solid if its gaps are empty.
    drawn = [list(dashes(number)) or [1, 0] for number in numbers]
    shown: Spec = {
        "stroke": line,
        "fill": {
            **line,
            "scale": {
                **line["scale"],
                "range": [theme.box_colour(n, canvas.colours) for n in numbers],
            },
        },
        "strokeDash": {**line, "scale": {"domain": numbers, "range": drawn}},
    }
    layer: Spec = {
        "data": {"values": [{"x": x, "y": y, "series": number} for number in numbers]},
        "mark": {"type": "point", "opacity": 0, "aria": False},
        "encoding": {**canvas.positions("x", "y"), **shown},
    }
    return [(0, layer)]


def _legend(canvas: Canvas, names: list[str], symbol: Symbol) -> Spec:
    widest = convert_to_pixels(theme.TICK_SIZE) * (max(map(width, names)) + 3)
    stroke = convert_to_pixels(theme.OUTLINE_WIDTH) if symbol == "stroke" else 0
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


_WIDTH = 230
_HEIGHT = 9
_STEPS = 96
_BEAM = -6


def colour_strip(mark: Coloured, figure: Figure) -> Spec:
    """Return the strip with its numbers below and its title above."""
    bottom, top = colour_limits(figure)
    axis: Spec = {"title": None, "grid": False, "domain": False, "tickCount": 4, "tickSize": 3}
    axis["format"] = ",f" if top >= 10_000 else "f"
    if isinstance(mark, Heat):
        values, form = ticks(top), ",.1~r" if top >= 10_000 else ".1~r"
        axis |= {"values": values, "tickCount": len(values), "format": form, "labelOverlap": False}
    scale = {"domain": [bottom or 0, top], "nice": False, **describe_spacing(mark)}
    x: Spec = {"field": "left", "type": "quantitative", "scale": scale, "axis": axis}
    title = {"text": colour_title(mark), "fontSize": convert_to_pixels(theme.TICK_SIZE)}
    beam: list[Spec] = []
    if mark.coverage and not isinstance(mark, Regions):
        end = min(mark.noise, top)
        beam = [_make_noise_bar(end, x), _make_noise_bar_ends(end, x)]
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "title": {**title, "fontWeight": "normal", "frame": "group", "offset": 11},
        "layer": [_ramp(figure, mark, x), *beam],
    }


def _ramp(figure: Figure, mark: Coloured, x: Spec) -> Spec:
    bottom, top = colour_limits(figure)
    # Each step reaches to the end, under the next: steps that only meet show a seam.
    bend = 1 / EXPONENT if isinstance(mark, Heat) else 1.0
    values = [
        {"left": bottom + (top - bottom) * (step / _STEPS) ** bend, "right": top}
        for step in range(_STEPS)
    ]
    return {
        "data": {"values": values},
        "mark": {"type": "rect", "aria": False},
        "encoding": {
            "x": x,
            "x2": {"field": "right"},
            "color": scale_channel(figure, mark, "left"),
        },
    }


def _make_noise_bar(end: float, x: Spec) -> Spec:
    return {
        "data": {"values": [{"left": 0, "right": end}]},
        "mark": {"type": "rule", "stroke": theme.INK, "strokeWidth": 1.2, "aria": False},
        "encoding": {"x": x, "x2": {"field": "right"}, "y": {"value": _BEAM}},
    }


def _make_noise_bar_ends(end: float, x: Spec) -> Spec:
    ends = {"y": {"value": _BEAM - 3}, "y2": {"value": _BEAM + 3}}
    return {
        "data": {"values": [{"left": 0}, {"left": end}]},
        "mark": {"type": "rule", "stroke": theme.INK, "strokeWidth": 1.2, "aria": False},
        "encoding": {"x": x, **ends},
    }
