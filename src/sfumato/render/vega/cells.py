"""Cells shown by colour, as layers."""

from __future__ import annotations

from sfumato.figure import Cells
from sfumato.render import theme
from sfumato.render.scale import strokes
from sfumato.render.vega.axis import Spec, places
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.colouring import colour_channel
from sfumato.render.vega.settings import pixels
from sfumato.render.words.counts import cell_readings


def cell_layers(canvas: Canvas, cells: Cells) -> list[tuple[int, Spec]]:
    """Return the grid and the strokes through its muted cells, each with its depth."""
    return [(0, _grid(canvas, cells)), (1, _strokes(canvas, cells))]


def _grid(canvas: Canvas, cells: Cells) -> Spec:
    words = cell_readings(canvas.figure, canvas.panel, cells)
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
            "color": colour_channel(canvas.figure, cells, "value"),
            "description": {"field": "words"},
            "tooltip": {"field": "words"},
        },
    }


def _strokes(canvas: Canvas, cells: Cells) -> Spec:
    width = pixels(theme.stroke_width(len(cells.value) * len(cells.value[0])))
    look = {"stroke": theme.MUTED_STROKE, "strokeWidth": width, "aria": False}
    muted = [_corners(canvas, cells, row, column) for row, column in strokes(cells)]
    return {
        "data": {"values": muted},
        "mark": {"type": "rule", **look},
        "encoding": _box(canvas),
    }


def _corners(canvas: Canvas, cells: Cells, row: int, column: int) -> Spec:
    left, right = places(canvas.panel.x, cells.x_edges[column : column + 2])
    low, high = places(canvas.panel.y, cells.y_edges[row : row + 2])
    return {"left": left, "right": right, "low": low, "high": high}


def _box(canvas: Canvas) -> Spec:
    return canvas.positions("left", "low", x2={"field": "right"}, y2={"field": "high"})
