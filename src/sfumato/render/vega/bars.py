"""Bars, stepped outlines, error bars and coloured cells as layers."""

from __future__ import annotations

from functools import partial
from statistics import median

from sfumato.figure import Axis, Bars, Cells, Interval
from sfumato.render import theme
from sfumato.render.description import describe_bars, describe_cells
from sfumato.render.logarithmic import find_base, lift_bars, measure_along
from sfumato.render.scale import (
    count_error_bars,
    list_series,
    list_strokes,
    place_error_bars,
    x_limits,
    y_limits,
)
from sfumato.render.vega.axis import Canvas, Spec, convert_positions, convert_to_pixels
from sfumato.render.vega.key import colour_channel, scale_channel

_CLIPPED_SIZE = 34


def bar_layers(canvas: Canvas, bars: Bars) -> list[tuple[int, Spec]]:
    """Return one series, layer by layer, each with its depth: fills lie below all lines."""
    names = list_series(canvas.figure)
    index = names.index(bars.series) if bars.series else 0
    own = theme.series_colour(index, canvas.colours)
    colour = own if bars.outline else theme.INK
    thick, thin = theme.whisker_widths(_measure_slot(canvas, bars))
    base = find_base(canvas.panel, bars)
    drawn = lift_bars(bars, base)
    layers = [
        (0, _boxes(canvas, bars, index)),
        (2, _rules(canvas, bars, drawn.simultaneous, colour, thin)),
    ]
    if drawn.pointwise is not None:
        layers.append((2, _rules(canvas, bars, drawn.pointwise, colour, thick)))
    if bars.outline:
        layers.append((1, _outline(canvas, drawn, index, base)))
    if any(drawn.clipped):
        layers.append((3, _clipped(canvas, bars, own)))
    return layers


def _boxes(canvas: Canvas, bars: Bars, index: int) -> Spec:
    left, right = (
        convert_positions(_along(canvas, bars), ends) for ends in (bars.left, bars.right)
    )
    words = describe_bars(canvas.figure, canvas.panel, bars)
    base = find_base(canvas.panel, bars)
    rows = zip(left, right, lift_bars(bars, base).height, words, strict=True)
    values = [
        {"left": a, "right": b, "height": h, "series": index, "words": str(w)}
        for a, b, h, w in rows
    ]
    named = {"color": colour_channel(canvas)} if bars.series and not bars.outline else {}
    return {
        "data": {"values": values},
        "mark": {"type": "rect", **_style_boxes(canvas, bars, index)},
        "encoding": {
            **_positions(canvas, bars, ("left", {"field": "right"}), ("height", {"datum": base})),
            **named,
            "description": {"field": "words"},
            "tooltip": {"field": "words"},
        },
    }


def _style_boxes(canvas: Canvas, bars: Bars, index: int) -> Spec:
    if bars.outline:
        return {
            "fill": theme.series_colour(index, canvas.colours),
            "fillOpacity": theme.FILL_OPACITY,
        }
    edge = 0.8 if len(bars.left) <= 60 else 0
    fill = {} if bars.series else {"fill": theme.bar_colour(index, canvas.colours)}
    return {"stroke": theme.PAPER, "strokeWidth": edge, **fill}


def _outline(canvas: Canvas, bars: Bars, index: int, base: float) -> Spec:
    left, right = (convert_positions(canvas.panel.x, ends) for ends in (bars.left, bars.right))
    steps = zip(left, right, bars.height, strict=True)
    corners = [corner for low, high, height in steps for corner in ((low, height), (high, height))]
    if corners:
        corners = [(corners[0][0], base), *corners, (corners[-1][0], base)]
    named: Spec = {}
    if bars.series:
        named = {"color": colour_channel(canvas, theme.series_colour, symbol="stroke")}
    look: Spec = {"strokeWidth": convert_to_pixels(theme.OUTLINE_WIDTH), "aria": False}
    if not bars.series:
        look["stroke"] = theme.series_colour(index, canvas.colours)
    values = [{"x": a, "y": b, "order": c, "series": index} for c, (a, b) in enumerate(corners)]
    return {
        "data": {"values": values},
        "mark": {"type": "line", **look},
        "encoding": {**canvas.positions("x", "y"), "order": {"field": "order"}, **named},
    }


def _rules(canvas: Canvas, bars: Bars, interval: Interval, colour: str, width: float) -> Spec:
    centre = convert_positions(_along(canvas, bars), place_error_bars(canvas.panel, bars))
    rows = zip(centre, interval.low, interval.high, strict=True)
    look = {"stroke": colour, "strokeWidth": convert_to_pixels(width), "aria": False}
    return {
        "data": {"values": [{"x": a, "low": b, "high": c} for a, b, c in rows]},
        "mark": {"type": "rule", **look},
        "encoding": _positions(canvas, bars, ("x", None), ("low", {"field": "high"})),
    }


def _clipped(canvas: Canvas, bars: Bars, colour: str) -> Spec:
    centre = convert_positions(_along(canvas, bars), place_error_bars(canvas.panel, bars))
    base = find_base(canvas.panel, bars)
    marked = lift_bars(bars, base).clipped
    at = [place for place, clipped in zip(centre, marked, strict=True) if clipped]
    look = {"fill": theme.PAPER, "stroke": colour, "strokeWidth": 1.2, "opacity": 1}
    shape: Spec = {"shape": "triangle-down", "size": _CLIPPED_SIZE, "yOffset": -5}
    if bars.orient == "h":
        shape = {"shape": "triangle-left", "size": _CLIPPED_SIZE, "xOffset": 5}
    return {
        "data": {"values": [{"x": place, "y": base} for place in at]},
        "mark": {"type": "point", "filled": True, "aria": False, **shape, **look},
        "encoding": _positions(canvas, bars, ("x", None), ("y", None)),
    }


def _along(canvas: Canvas, bars: Bars) -> Axis:
    """Return the axis that bars stand on."""
    return canvas.panel.x if bars.orient == "v" else canvas.panel.y


def _positions(
    canvas: Canvas, bars: Bars, along: tuple[str, Spec | None], up: tuple[str, Spec | None]
) -> Spec:
    """Return the position channels of fields along the axis that bars stand on, and up from it."""
    x, y = (along, up) if bars.orient == "v" else (up, along)
    ends = {name: end for name, end in (("x2", x[1]), ("y2", y[1])) if end is not None}
    return canvas.positions(x[0], y[0], **ends)


def _measure_slot(canvas: Canvas, bars: Bars) -> float:
    """Return the room for one error bar on most bars, in points."""
    upright = bars.orient == "v"
    limits = x_limits(canvas.panel) if upright else y_limits(canvas.panel, canvas.figure)
    length = canvas.width if upright else canvas.height
    measure = partial(measure_along, _along(canvas, bars))
    low, high = map(measure, limits)
    ends = zip(bars.left, bars.right, strict=True)
    widths = [measure(right) - measure(left) for left, right in ends]
    abreast = count_error_bars(canvas.panel, bars)
    return 0.75 * length * median(widths or [1.0]) / (high - low) / abreast


def cell_layers(canvas: Canvas, cells: Cells) -> list[tuple[int, Spec]]:
    """Return the grid and the strokes through its muted cells, each with its depth."""
    return [(0, _grid(canvas, cells)), (1, _strokes(canvas, cells))]


def _grid(canvas: Canvas, cells: Cells) -> Spec:
    words = describe_cells(canvas.figure, canvas.panel, cells)
    values = [
        {**_corners(canvas, cells, row, column), "value": value, "words": str(next(words))}
        for row, amounts in enumerate(cells.value)
        for column, value in enumerate(amounts)
    ]
    return {
        "data": {"values": values},
        "mark": {"type": "rect"},
        "encoding": {
            **_box(canvas),
            "color": scale_channel(canvas.figure, cells, "value"),
            "description": {"field": "words"},
            "tooltip": {"field": "words"},
        },
    }


def _strokes(canvas: Canvas, cells: Cells) -> Spec:
    width = convert_to_pixels(theme.stroke_width(len(cells.value) * len(cells.value[0])))
    look = {"stroke": theme.MUTED_STROKE, "strokeWidth": width, "aria": False}
    muted = [_corners(canvas, cells, row, column) for row, column in list_strokes(cells)]
    return {
        "data": {"values": muted},
        "mark": {"type": "rule", **look},
        "encoding": _box(canvas),
    }


def _corners(canvas: Canvas, cells: Cells, row: int, column: int) -> Spec:
    left, right = convert_positions(canvas.panel.x, cells.x_edges[column : column + 2])
    low, high = convert_positions(canvas.panel.y, cells.y_edges[row : row + 2])
    return {"left": left, "right": right, "low": low, "high": high}


def _box(canvas: Canvas) -> Spec:
    return canvas.positions("left", "low", x2={"field": "right"}, y2={"field": "high"})
