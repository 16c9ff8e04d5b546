"""Densities, groups, contours, synthetic points, and points with intervals, as layers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sfumato.figure import Axis, Clouds, Contour, Dots, Heat, Points, format_percent
from sfumato.render import theme
from sfumato.render.boxes import TOO_FEW
from sfumato.render.description import DOUBT, choose_places_aside, decimals, describe_points
from sfumato.render.plane import (
    OPACITY,
    Colours,
    colour_density,
    dashes,
    dot_colour,
    dot_size,
    encode_png,
    line_colour,
    line_width,
    make_data_address,
    mix_colours,
    place_beside,
    sample_density,
    synthetic_dot_size,
    thickness,
)
from sfumato.render.scale import colour_limits, list_series, x_limits, y_limits
from sfumato.render.text import clean, shorten
from sfumato.render.vega.axis import Canvas, Spec, convert_positions, convert_to_pixels, tooltip
from sfumato.render.vega.key import colour_channel

ENDS = ("left", "right", "low", "high")
MOST_LIVELY = 64
"""At how many places a side a density can be pointed at where a script draws it."""

MOVE: Spec = {"name": "move", "select": "interval", "bind": "scales"}


def formula(name: str, expression: str) -> Spec:
    """Return a step that computes a field."""
    return {"calculate": expression, "as": name}


def table(names: Sequence[str], columns: Iterable[Sequence[float]], *, digits: int) -> Spec:
    """Return rows as columns of numbers, which are a fraction of their length."""
    rounded = [[_round_to_digits(value, digits) for value in column] for column in columns]
    return {
        "data": {"values": [dict(zip(names, rounded, strict=True))]},
        "transform": [{"flatten": list(names)}],
    }


def cell_ends(
    axis: Axis, window: tuple[float, float], count: int, names: tuple[str, str, str, str]
) -> list[Spec]:
    """Return formulas for the ends of a place, and for its middle in words.

    Parameters
    ----------
    count
        How many places divide the window.
    names
        The field with the number of the place, and those to compute: low end, high end, words.
    """
    index, low, high, middle = names
    start, end = convert_positions(axis, window)
    width = (end - start) / count
    centre = f"(datum.{low} + datum.{high}) / 2"
    if axis.kind == "time":
        words = f"utcFormat({centre}, '%Y-%m-%d %H:%M')"
    else:
        words = f"format({centre}, '.{decimals(width)}f')"
    return [
        formula(low, f"{start!r} + datum.{index} * {width!r}"),
        formula(high, f"{start!r} + (datum.{index} + 1) * {width!r}"),
        formula(middle, words),
    ]


def _round_to_digits(value: float, digits: int) -> float:
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def picture(canvas: Canvas, mark: Heat | Clouds, url: str, opacity: float = 1.0) -> Spec:
    """Return the layer that shows a picture over the window of a mark."""
    ends = (*convert_positions(canvas.panel.x, mark.x), *convert_positions(canvas.panel.y, mark.y))
    look: Spec = {"url": url, "opacity": opacity, "aspect": False, "aria": False}
    return {
        "data": {"values": [dict(zip(ENDS, ends, strict=True))]},
        "mark": {"type": "image", **look, **canvas.cut},
        "encoding": canvas.box(),
    }


def encode_upright(canvas: Canvas, upward: Colours) -> str:
    """Return the address of a picture that is told row by row from the lowest y."""
    # Pictures are told from the top, which is where a reversed axis begins.
    return make_data_address(encode_png(upward if canvas.panel.y.reversed else upward[::-1]))


def heat_layers(canvas: Canvas, heat: Heat) -> list[tuple[int, Spec]]:
    """Return the density, layer by layer, each with its depth."""
    drawn = encode_upright(
        canvas,
        colour_density(heat, colour_limits(canvas.figure)[1], chosen=canvas.figure.look.ramp),
    )
    layers = [(0, picture(canvas, heat, drawn)), (3, _make_density_targets(canvas, heat))]
    if heat.background:
        layers.insert(0, (0, picture(canvas, heat, heat.background, theme.BACKGROUND_OPACITY)))
    if heat.leaves:
        layers.append((1, _leaves(canvas, heat)))
    if heat.lines:
        layers += [(1, _map(canvas, heat, paper=paper)) for paper in (True, False)]
    return layers


def _map(canvas: Canvas, heat: Heat, *, paper: bool) -> Spec:
    """Return the lines of a map, or the paper that keeps them apart from dark places."""
    corners = [(*corner, path) for path, line in enumerate(heat.lines) for corner in line]
    x, y, path = zip(*corners, strict=True)
    columns = convert_positions(canvas.panel.x, x), convert_positions(canvas.panel.y, y), path
    rows = table(("x", "y", "path"), columns, digits=7)
    look: Spec = {
        "stroke": theme.PAPER if paper else theme.INK,
        "strokeWidth": convert_to_pixels(theme.MAP_WIDTH * (3 if paper else 1)),
        "strokeOpacity": 0.4 if paper else theme.MAP_OPACITY,
        "strokeJoin": "round",
        "aria": False,
    }
    return {
        "data": rows["data"],
        "transform": [*rows["transform"], {"window": [{"op": "row_number", "as": "order"}]}],
        "mark": {"type": "line", **look, **canvas.cut},
        "encoding": {
            **canvas.positions("x", "y"),
            "detail": {"field": "path"},
            "order": {"field": "order"},
        },
    }


def _leaves(canvas: Canvas, heat: Heat) -> Spec:
    ends = zip(*((leaf.left, leaf.right, leaf.low, leaf.high) for leaf in heat.leaves), strict=True)
    left, right, low, high = ends
    across = (convert_positions(canvas.panel.x, end) for end in (left, right))
    columns = (*across, *(convert_positions(canvas.panel.y, end) for end in (low, high)))
    look = {
        "fill": None,
        "stroke": theme.SOFT_INK,
        "strokeWidth": convert_to_pixels(theme.LEAF_WIDTH),
    }
    mark = {"type": "rect", **look, "strokeOpacity": theme.LEAF_OPACITY, "aria": False}
    return {
        **table(ENDS, columns, digits=10),
        "mark": {**mark, **canvas.cut},
        "encoding": canvas.box(),
    }


def _make_density_targets(canvas: Canvas, heat: Heat) -> Spec:
    """Cover the window by unseen rectangles that say their numbers when pointed at."""
    taken = sample_density(
        heat, MOST_LIVELY if canvas.lively else choose_places_aside(canvas.figure)
    )
    columns = zip(*((place.value, place.low, place.high) for place in taken.places), strict=True)
    numbers = table(("value", "least", "most"), tuple(columns), digits=3)
    panel = canvas.panel
    names = (clean(panel.x.label), clean(panel.y.label), clean(heat.label))
    pairs: list[tuple[str, str]] = list(zip(names, ("across", "up", "density"), strict=True))
    doubt = ""
    if heat.coverage:
        pairs.append((f"{format_percent(heat.coverage)} (noise)", "interval"))
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
            formula("density", _format_field("value") + doubt),
            formula("interval", f"{_format_field('least')} + ' to ' + {_format_field('most')}"),
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


def _format_field(field: str) -> str:
    return f"format(datum.{field}, '.3~r')"


_SAID = "% of the densest place"


def cloud_layers(canvas: Canvas, clouds: Clouds) -> list[tuple[int, Spec]]:
    """Return all groups together, layer by layer, each with its depth."""
    names = list_series(canvas.figure)
    colours = [
        theme.series_colour(names.index(name) if name else 0, canvas.colours)
        for name in clouds.series
    ]
    drawn = encode_upright(canvas, mix_colours(clouds, colours))
    return [(0, picture(canvas, clouds, drawn)), (3, _make_group_targets(canvas, clouds))]


def _make_group_targets(canvas: Canvas, clouds: Clouds) -> Spec:
    """Cover what is not empty by unseen rectangles that say their numbers when pointed at."""
    most = MOST_LIVELY if canvas.lively else choose_places_aside(canvas.figure)
    taken = _sample_percent(clouds, most)
    _, rows, columns = taken.shape
    row, column = np.nonzero(taken.any(axis=0))
    groups = [f"group{place}" for place in range(len(clouds.series))]
    counted = [row.tolist(), column.tolist(), *taken[:, row, column].tolist()]
    numbers = table(("row", "column", *groups), counted, digits=3)
    panel = canvas.panel
    names = (clean(panel.x.label), clean(panel.y.label), _SAID)
    pairs = list(zip(names, ("across", "up", "density"), strict=True))
    words = " + '; ' + ".join(f"{json.dumps(name + ' ')} + datum.{field}" for name, field in pairs)
    return {
        "data": numbers["data"],
        "transform": [
            *numbers["transform"],
            *cell_ends(panel.x, clouds.x, columns, ("column", "left", "right", "across")),
            *cell_ends(panel.y, clouds.y, rows, ("row", "low", "high", "up")),
            formula("density", _write_density_formula(clouds, groups)),
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


def _sample_percent(clouds: Clouds, most: int) -> NDArray[np.int64]:
    """Return densities in percent of the highest, at evenly spaced places."""
    value = np.rint(100 * np.array(clouds.value, dtype=float)).astype(np.int64)
    _, rows, columns = value.shape
    up, across = min(most, rows), min(most, columns)
    middle = [
        (2 * np.arange(count) + 1) * whole // (2 * count)
        for count, whole in ((up, rows), (across, columns))
    ]
    return value[:, middle[0]][:, :, middle[1]]


def _write_density_formula(clouds: Clouds, groups: list[str]) -> str:
    """Return a formula that lists the groups found at a place, each with how dense it is there."""
    names = [shorten(name, theme.LONGEST_SERIES) for name in clouds.series]
    said = [
        f"(datum.{group} ? {json.dumps(f', {name} '.replace(',  ', ', '))} + datum.{group} : '')"
        for name, group in zip(names, groups, strict=True)
    ]
    return f"slice({' + '.join(said)}, 2)"


Path = Sequence[tuple[float, float]]


def outline_layers(canvas: Canvas, outline: Contour) -> list[tuple[int, Spec]]:
    """Return the border around a share of a group, with its depth."""
    index = list_series(canvas.figure).index(outline.series) if outline.series else 0
    width = convert_to_pixels(line_width(outline.share))
    look: Spec = {"stroke": line_colour(index, canvas.colours), "strokeWidth": width}
    if gaps := dashes(index):
        look["strokeDash"] = [round(width * gap, 2) for gap in gaps]
    return [(1, make_closed_lines(canvas, outline.paths, look))] if any(outline.paths) else []


def make_closed_lines(canvas: Canvas, paths: Sequence[Path], look: Spec) -> Spec:
    """Return closed lines through the corners of paths, in their order."""
    corners = [(x, y, n) for n, path in enumerate(paths) for x, y in path]
    x, y, number = zip(*corners, strict=True)
    columns = (convert_positions(canvas.panel.x, x), convert_positions(canvas.panel.y, y), number)
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


def dot_layers(canvas: Canvas, dots: Dots) -> list[tuple[int, Spec]]:
    """Return one group's points, with their depth."""
    if not dots.x:
        return []
    index = list_series(canvas.figure).index(dots.series) if dots.series else 0
    count = sum(len(mark.x) for mark in canvas.panel.marks if isinstance(mark, Dots))
    size = math.pi / 4 * convert_to_pixels(synthetic_dot_size(count)) ** 2
    look: Spec = {
        "color": dot_colour(index, canvas.colours) if dots.series else theme.INK,
        "size": round(size, 2),
        "opacity": OPACITY,
        "aria": False,
    }
    columns = convert_positions(canvas.panel.x, dots.x), convert_positions(canvas.panel.y, dots.y)
    spec: Spec = {
        **table(("x", "y"), columns, digits=5),
        "mark": {"type": "circle", **look, **canvas.cut},
        "encoding": canvas.positions("x", "y"),
    }
    return [(1, spec)]


_DASHES = [5, 4]


def point_layers(canvas: Canvas, mark: Points) -> list[tuple[int, Spec]]:
    """Return one series, layer by layer, each with its depth."""
    index = list_series(canvas.figure).index(mark.series) if mark.series else 0
    colour = theme.series_colour(index, canvas.colours)
    low, high = y_limits(canvas.panel, canvas.figure)
    point = (high - low) / (0.75 * canvas.height)
    axis = canvas.panel.x
    words = islice(describe_points(canvas.figure, canvas.panel, mark), len(mark.y))
    rows = [
        {"x": x, "low": a, "high": b, "y": y, "series": index, "order": order, "words": str(said)}
        for order, (x, a, b, y, said) in enumerate(
            zip(
                convert_positions(axis, mark.x.value),
                convert_positions(axis, mark.x.low),
                convert_positions(axis, mark.x.high),
                place_beside(canvas.panel, mark, point),
                words,
                strict=True,
            )
        )
    ]
    soft: Spec = {"stroke": colour, "strokeOpacity": theme.INTERVAL_OPACITY, "aria": False}
    thick = thickness(canvas.panel, point)
    soft["strokeWidth"] = convert_to_pixels(thick)
    layers = [(0, _layer(canvas, rows, {"type": "rule", **soft}, "low", x2={"field": "high"}))]
    if mark.joined:
        look: Spec = {
            "type": "line",
            "stroke": colour,
            "strokeWidth": convert_to_pixels(1),
            "aria": False,
        }
        layers.append((1, _layer(canvas, rows, look, "x", order={"field": "order"})))
    layers.append((2, _dots(canvas, mark, rows, convert_to_pixels(dot_size(thick)))))
    return layers + (_too_few(canvas, mark) if mark.too_few else [])


def _too_few(canvas: Canvas, mark: Points) -> list[tuple[int, Spec]]:
    """Write across the panel that nothing can be said, on a dashed line."""
    low, high = convert_positions(canvas.panel.x, x_limits(canvas.panel, canvas.figure))
    rows: list[Spec] = [
        {"low": low, "high": high, "x": (low + high) / 2, "y": place, "text": TOO_FEW}
        for place in mark.too_few
    ]
    line: Spec = {"type": "rule", "stroke": theme.SOFT_INK, "strokeDash": _DASHES, "aria": False}
    words: Spec = {
        "type": "text",
        "fontSize": convert_to_pixels(theme.CAPTION_SIZE),
        "color": theme.SOFT_INK,
    }
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
        look["color"] = theme.series_colour(0, canvas.colours)
    said: Spec = {"description": {"field": "words"}, "tooltip": {"field": "words"}}
    return _layer(canvas, rows, look, "x", **named, **said)


def _layer(canvas: Canvas, rows: list[Spec], look: Spec, x: str, **more: Spec) -> Spec:
    return {"data": {"values": rows}, "mark": look, "encoding": canvas.positions(x, "y", **more)}
