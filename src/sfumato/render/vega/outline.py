"""The borders of groups as layers of closed lines."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.figure import Outline
from sfumato.render.clouds import dashes, line_colour, line_width
from sfumato.render.scale import series
from sfumato.render.vega.axis import Spec, places
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.places import table
from sfumato.render.vega.settings import pixels

Path = Sequence[tuple[float, float]]


def outline_layers(canvas: Canvas, outline: Outline) -> list[tuple[int, Spec]]:
    """Return the border around a share of a group, with its depth."""
    index = series(canvas.figure).index(outline.series) if outline.series else 0
    width = pixels(line_width(outline.share))
    look: Spec = {"stroke": line_colour(index), "strokeWidth": width}
    if gaps := dashes(index):
        look["strokeDash"] = [round(width * gap, 2) for gap in gaps]
    return [(1, closed(canvas, outline.paths, look))] if any(outline.paths) else []


def closed(canvas: Canvas, paths: Sequence[Path], look: Spec) -> Spec:
    """Return closed lines through the corners of paths, in their order."""
    corners = [(x, y, n) for n, path in enumerate(paths) for x, y in path]
    x, y, number = zip(*corners, strict=True)
    columns = (places(canvas.panel.x, x), places(canvas.panel.y, y), number)
    rows = table(("x", "y", "path"), columns, digits=5)
    mark: Spec = {"type": "line", "interpolate": "linear-closed", "aria": False}
    return {
        "data": rows["data"],
        "transform": [*rows["transform"], {"window": [{"op": "row_number", "as": "order"}]}],
        "mark": {**mark, **look, **canvas.cut},
        "encoding": {
            **canvas.positions("x", "y"),
            "detail": {"field": "path"},
            "order": {"field": "order"},
        },
    }
