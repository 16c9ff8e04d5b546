"""A density as a picture between the scales, and an unseen grid that says its numbers."""

from __future__ import annotations

import json

from sfumato.figure import Heat, percent
from sfumato.render import theme
from sfumato.render.heat import colours, sample
from sfumato.render.scale import colour_limits
from sfumato.render.text import clean
from sfumato.render.vega.axis import Spec, places
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.picture import picture, upright
from sfumato.render.vega.places import ENDS, MOST_LIVELY, MOVE, cell_ends, formula, table
from sfumato.render.vega.settings import pixels
from sfumato.render.vega.tooltip import tooltip
from sfumato.render.words.heat import DOUBT, places_aside


def heat_layers(canvas: Canvas, heat: Heat) -> list[tuple[int, Spec]]:
    """Return the density, layer by layer, each with its depth."""
    drawn = upright(canvas, colours(heat, colour_limits(canvas.figure)[1]))
    layers = [(0, picture(canvas, heat, drawn)), (3, _touch(canvas, heat))]
    if heat.background:
        layers.insert(0, (0, picture(canvas, heat, heat.background, theme.BACKGROUND_OPACITY)))
    if heat.leaves:
        layers.append((1, _leaves(canvas, heat)))
    return layers


def _leaves(canvas: Canvas, heat: Heat) -> Spec:
    ends = zip(*((leaf.left, leaf.right, leaf.low, leaf.high) for leaf in heat.leaves), strict=True)
    left, right, low, high = ends
    across = (places(canvas.panel.x, end) for end in (left, right))
    columns = (*across, *(places(canvas.panel.y, end) for end in (low, high)))
    look = {"fill": None, "stroke": theme.SOFT_INK, "strokeWidth": pixels(theme.LEAF_WIDTH)}
    mark = {"type": "rect", **look, "strokeOpacity": theme.LEAF_OPACITY, "aria": False}
    return {
        **table(ENDS, columns, digits=10),
        "mark": {**mark, **canvas.cut},
        "encoding": canvas.box(),
    }


def _touch(canvas: Canvas, heat: Heat) -> Spec:
    """Cover the window by unseen rectangles that say their numbers when pointed at."""
    taken = sample(heat, MOST_LIVELY if canvas.lively else places_aside(canvas.figure))
    columns = zip(*((place.value, place.low, place.high) for place in taken.places), strict=True)
    numbers = table(("value", "least", "most"), tuple(columns), digits=3)
    panel = canvas.panel
    names = (clean(panel.x.label), clean(panel.y.label), clean(heat.label))
    pairs: list[tuple[str, str]] = list(zip(names, ("across", "up", "density"), strict=True))
    doubt = ""
    if heat.coverage:
        pairs.append((f"{percent(heat.coverage)} (noise)", "interval"))
        doubt = f" + (datum.least <= 0 ? '{DOUBT}' : '')"
    words = " + '; ' + ".join(f"{json.dumps(name + ' ')} + datum.{field}" for name, field in pairs)
    return {
        "data": numbers["data"],
        "transform": [
            *numbers["transform"],
            {"window": [{"op": "row_number", "as": "number"}]},
            formula("column", f"(datum.number - 1) % {taken.columns}"),
            formula("row", f"floor((datum.number - 1) / {taken.columns})"),
            *cell_ends(panel.x, heat.x, taken.columns, ("column", "left", "right", "across")),
            *cell_ends(panel.y, heat.y, taken.rows, ("row", "low", "high", "up")),
            formula("density", _number("value") + doubt),
            formula("interval", f"{_number('least')} + ' to ' + {_number('most')}"),
            formula("words", words),
        ],
        "mark": {"type": "rect", "opacity": 0, **canvas.cut},
        "encoding": {
            **canvas.box(),
            "description": {"field": "words"},
            "tooltip": tooltip(pairs),
        },
        **({"params": [MOVE]} if canvas.lively else {}),
    }


def _number(field: str) -> str:
    return f"format(datum.{field}, '.3~r')"
