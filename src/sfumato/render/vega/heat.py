"""A density as a picture between the scales, and an unseen grid that says its numbers.

The picture is a mark like any other, so it moves and grows with the axes. What can be pointed at
is kept short: a table of places, and formulas for everything that is said about them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from sfumato.figure import Axis, Heat, percent
from sfumato.render import theme
from sfumato.render.heat import colours, sample
from sfumato.render.png import address, png
from sfumato.render.scale import colour_limits
from sfumato.render.text import clean
from sfumato.render.vega.axis import Spec, places
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.settings import pixels
from sfumato.render.vega.tooltip import tooltip
from sfumato.render.words import DOUBT, MOST_PLACES, decimals

_MOST_LIVELY = 64
_ENDS = ("left", "right", "low", "high")


def heat_layers(canvas: Canvas, heat: Heat) -> list[tuple[int, Spec]]:
    """Return the density, layer by layer, each with its depth."""
    upward = colours(heat, colour_limits(canvas.figure)[1])
    # Pictures are told from the top, which is where a reversed axis begins.
    drawn = upward if canvas.panel.y.reversed else upward[::-1]
    layers = [(0, _picture(canvas, heat, address(png(drawn)))), (3, _touch(canvas, heat))]
    if heat.background:
        layers.insert(0, (0, _picture(canvas, heat, heat.background, theme.BACKGROUND_OPACITY)))
    if heat.leaves:
        layers.append((1, _leaves(canvas, heat)))
    return layers


def _picture(canvas: Canvas, heat: Heat, url: str, opacity: float = 1.0) -> Spec:
    ends = (*places(canvas.panel.x, heat.x), *places(canvas.panel.y, heat.y))
    look: Spec = {"url": url, "opacity": opacity, "aspect": False, "aria": False}
    return {
        "data": {"values": [dict(zip(_ENDS, ends, strict=True))]},
        "mark": {"type": "image", **look, **_cut(canvas)},
        "encoding": _box(canvas),
    }


def _leaves(canvas: Canvas, heat: Heat) -> Spec:
    ends = zip(*((leaf.left, leaf.right, leaf.low, leaf.high) for leaf in heat.leaves), strict=True)
    left, right, low, high = ends
    across = (places(canvas.panel.x, end) for end in (left, right))
    columns = (*across, *(places(canvas.panel.y, end) for end in (low, high)))
    look = {"fill": None, "stroke": theme.SOFT_INK, "strokeWidth": pixels(theme.LEAF_WIDTH)}
    mark = {"type": "rect", **look, "strokeOpacity": theme.LEAF_OPACITY, "aria": False}
    return {
        **_table(_ENDS, columns, digits=10),
        "mark": {**mark, **_cut(canvas)},
        "encoding": _box(canvas),
    }


def _touch(canvas: Canvas, heat: Heat) -> Spec:
    """Cover the window by unseen rectangles that say their numbers when pointed at."""
    taken = sample(heat, _MOST_LIVELY if canvas.lively else MOST_PLACES)
    columns = zip(*((place.value, place.low, place.high) for place in taken.places), strict=True)
    table = _table(("value", "least", "most"), tuple(columns), digits=3)
    panel = canvas.panel
    names = [clean(panel.x.label), clean(panel.y.label), clean(heat.label)]
    names.append(f"{percent(heat.coverage)} (noise)")
    said = ("across", "up", "density", "interval")
    pairs = list(zip(names, said, strict=True))
    words = " + '; ' + ".join(f"{json.dumps(name + ' ')} + datum.{field}" for name, field in pairs)
    return {
        "data": table["data"],
        "transform": [
            *table["transform"],
            {"window": [{"op": "row_number", "as": "number"}]},
            _formula("column", f"(datum.number - 1) % {taken.columns}"),
            _formula("row", f"floor((datum.number - 1) / {taken.columns})"),
            *_ends(panel.x, heat.x, taken.columns, ("column", "left", "right", "across")),
            *_ends(panel.y, heat.y, taken.rows, ("row", "low", "high", "up")),
            _formula("density", f"{_number('value')} + (datum.least <= 0 ? '{DOUBT}' : '')"),
            _formula("interval", f"{_number('least')} + ' to ' + {_number('most')}"),
            _formula("words", words),
        ],
        "mark": {"type": "rect", "opacity": 0, **_cut(canvas)},
        "encoding": {**_box(canvas), "description": {"field": "words"}, "tooltip": tooltip(pairs)},
        **({"params": [_MOVE]} if canvas.lively else {}),
    }


_MOVE: Spec = {"name": "move", "select": "interval", "bind": "scales"}


def _ends(
    axis: Axis, window: tuple[float, float], count: int, names: tuple[str, str, str, str]
) -> list[Spec]:
    """Return formulas for the ends of a place, and for its middle in words."""
    index, low, high, middle = names
    start, end = places(axis, window)
    width = (end - start) / count
    centre = f"(datum.{low} + datum.{high}) / 2"
    if axis.kind == "time":
        words = f"utcFormat({centre}, '%Y-%m-%d %H:%M')"
    else:
        words = f"format({centre}, '.{decimals(width)}f')"
    return [
        _formula(low, f"{start!r} + datum.{index} * {width!r}"),
        _formula(high, f"{start!r} + (datum.{index} + 1) * {width!r}"),
        _formula(middle, words),
    ]


def _number(field: str) -> str:
    return f"format(datum.{field}, '.3~r')"


def _formula(name: str, expression: str) -> Spec:
    return {"calculate": expression, "as": name}


def _table(names: Sequence[str], columns: Iterable[Sequence[float]], *, digits: int) -> Spec:
    """Return rows as columns of numbers, which are a fraction of their length."""
    rounded = [[float(f"{value:.{digits}g}") for value in column] for column in columns]
    return {
        "data": {"values": [dict(zip(names, rounded, strict=True))]},
        "transform": [{"flatten": list(names)}],
    }


def _box(canvas: Canvas) -> Spec:
    return canvas.positions("left", "low", x2={"field": "right"}, y2={"field": "high"})


def _cut(canvas: Canvas) -> Spec:
    """Cut marks at the axes where these can move; a page of many pictures has none that do."""
    return {"clip": True} if canvas.lively else {}
