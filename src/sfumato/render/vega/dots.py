"""Points drawn from a density as layers."""

from __future__ import annotations

import math

from sfumato.figure import Dots
from sfumato.render import theme
from sfumato.render.dots import OPACITY, dot_colour, dot_size
from sfumato.render.scale import series
from sfumato.render.vega.axis import Spec, places
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.places import table
from sfumato.render.vega.settings import pixels


def dot_layers(canvas: Canvas, dots: Dots) -> list[tuple[int, Spec]]:
    """Return one group's points, with their depth."""
    if not dots.x:
        return []
    index = series(canvas.figure).index(dots.series) if dots.series else 0
    count = sum(len(mark.x) for mark in canvas.panel.marks if isinstance(mark, Dots))
    size = math.pi / 4 * pixels(dot_size(count)) ** 2
    look: Spec = {
        "color": dot_colour(index) if dots.series else theme.INK,
        "size": round(size, 2),
        "opacity": OPACITY,
        "aria": False,
    }
    columns = places(canvas.panel.x, dots.x), places(canvas.panel.y, dots.y)
    spec: Spec = {
        **table(("x", "y"), columns, digits=5),
        "mark": {"type": "circle", **look, **canvas.cut},
        "encoding": canvas.positions("x", "y"),
    }
    return [(1, spec)]
