"""Title, key, panels and caption, one below the other; in each panel marks over shared scales."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.figure import (
    Arrows,
    Axis,
    Bars,
    Boxes,
    Cells,
    Clouds,
    Contour,
    Curve,
    Dots,
    Figure,
    Heat,
    LetterValues,
    Mark,
    Matrix,
    Panel,
    Points,
    Regions,
    Summaries,
    Violins,
)
from sfumato.render import theme
from sfumato.render.plane import find_ratio
from sfumato.render.scale import (
    choose_ruled_axes,
    count_columns,
    count_lying_rows,
    headlines,
    list_captions,
    list_coloured,
    list_panels,
    list_places,
    list_series,
    list_shares,
    list_titles,
    tell_labels_apart,
    title_of,
    x_limits,
    y_limits,
)
from sfumato.render.text import clean, fit_stamp, shorten, width, wrap
from sfumato.render.vega.arrows import arrow_layers
from sfumato.render.vega.axis import (
    HEIGHT,
    LEFT,
    PANEL_GAP,
    TALLEST,
    WIDTH,
    Canvas,
    Spec,
    channel,
    convert_to_pixels,
    make_axis,
)
from sfumato.render.vega.bars import bar_layers, cell_layers
from sfumato.render.vega.boxes import box_layers, word_layers
from sfumato.render.vega.key import colour_strip, name_layer
from sfumato.render.vega.plane import (
    cloud_layers,
    dot_layers,
    heat_layers,
    outline_layers,
    point_layers,
)
from sfumato.render.vega.shapes import (
    curve_layers,
    letter_layers,
    matrix_layers,
    region_layers,
    summary_layers,
    violin_layers,
)


def watermark_layer(words: str, across: int, down: int) -> Spec:
    """Return a layer of text that fills a panel of the given size in pixels."""
    # Bold letters are wider than the estimate for plain ones.
    chosen = fit_stamp(words, width=across, height=down, measure=lambda text: 1.12 * width(text))
    return {
        "data": {"values": [{}]},
        "mark": {
            "type": "text",
            "text": list(chosen.lines),
            "angle": round(360 - chosen.angle, 2),
            "fontSize": round(chosen.size, 1),
            "fontWeight": "bold",
            "lineHeight": round(chosen.size * theme.LINE_HEIGHT, 1),
            "align": "center",
            "baseline": "middle",
            # Two lines are set downwards from the first.
            "dy": -round((len(chosen.lines) - 1) * chosen.size * theme.LINE_HEIGHT / 2, 1),
            "color": theme.WATERMARK,
            "opacity": theme.WATERMARK_OPACITY,
        },
        "encoding": {"x": {"value": across / 2}, "y": {"value": down / 2}},
    }


_TITLE_LINES = 2


@dataclass(frozen=True)
class PanelView:
    """A panel, its size in pixels, and which labels and titles are not said once for all.

    A `lively` one can be panned and zoomed, if it holds a density.
    """

    panel: Panel
    width: int
    height: int
    titled: bool
    x_labels: bool
    y_labels: bool
    x_titled: bool
    y_titled: bool
    lively: bool


def panel_spec(figure: Figure, view: PanelView) -> Spec:
    """Return the panel as a layered view."""
    canvas = _canvas(figure, view)
    layers = [layer for mark in view.panel.marks for layer in _layers(canvas, mark)]
    layers += [*word_layers(canvas), *name_layer(canvas)]
    drawn = [layer for _, layer in sorted(layers, key=lambda pair: pair[0])] or [
        _make_empty_layer(canvas)
    ]
    if figure.watermark:
        drawn.append(watermark_layer(figure.watermark, view.width, view.height))
    if view.titled and title_of(figure, view.panel):
        drawn.append(_title(list_titles(figure, view.panel), view.width))
    return {"width": view.width, "height": view.height, "layer": drawn}


def _layers(canvas: Canvas, mark: Mark) -> list[tuple[int, Spec]]:
    match mark:
        case Bars():
            return bar_layers(canvas, mark)
        case Boxes():
            return box_layers(canvas, mark)
        case Points():
            return point_layers(canvas, mark)
        case Cells() | Heat() | Clouds():
            return _window_layers(canvas, mark) if mark.value and mark.value[0] else []
        case Contour() | Dots() | Arrows() | Regions():
            return _drawn_layers(canvas, mark)
        case _:
            return _shaped_layers(canvas, mark)


def _shaped_layers(
    canvas: Canvas, mark: Curve | Summaries | Matrix | Violins | LetterValues
) -> list[tuple[int, Spec]]:
    match mark:
        case Curve():
            return curve_layers(canvas, mark)
        case Summaries():
            return summary_layers(canvas, mark)
        case Matrix():
            return matrix_layers(canvas, mark)
        case Violins():
            return violin_layers(canvas, mark)
        case LetterValues():
            return letter_layers(canvas, mark)


def _window_layers(canvas: Canvas, mark: Cells | Heat | Clouds) -> list[tuple[int, Spec]]:
    match mark:
        case Cells():
            return cell_layers(canvas, mark)
        case Heat():
            return heat_layers(canvas, mark)
        case Clouds():
            return cloud_layers(canvas, mark)


def _drawn_layers(
    canvas: Canvas, mark: Contour | Dots | Arrows | Regions
) -> list[tuple[int, Spec]]:
    match mark:
        case Contour():
            return outline_layers(canvas, mark)
        case Dots():
            return dot_layers(canvas, mark)
        case Arrows():
            return arrow_layers(canvas, mark)
        case Regions():
            return region_layers(canvas, mark)


def _canvas(figure: Figure, view: PanelView) -> Canvas:
    panel = view.panel
    level, upright = x_limits(panel, figure), y_limits(panel, figure)
    below = make_axis(panel.x, level, "x", view.width, labelled=view.x_labels, titled=view.x_titled)
    beside = make_axis(
        panel.y, upright, "y", view.height, labelled=view.y_labels, titled=view.y_titled
    )
    lines = choose_ruled_axes(panel)
    if lines in ("y", "both"):
        beside |= {"grid": True, "ticks": False}
    if lines in ("x", "both"):
        below |= {"grid": True}
    lively = view.lively and any(isinstance(mark, Heat | Clouds) for mark in panel.marks)
    x = channel(panel.x, level, below, clamp=not lively)
    y = channel(panel.y, upright, beside, clamp=not lively)
    return Canvas(figure, panel, x, y, view.width, view.height, lively)


def _make_empty_layer(canvas: Canvas) -> Spec:
    """Return a layer that draws the axes alone."""
    values = [{"x": canvas.x["scale"]["domain"][0], "y": canvas.y["scale"]["domain"][0]}]
    mark = {"type": "point", "opacity": 0, "aria": False}
    return {"data": {"values": values}, "mark": mark, "encoding": canvas.positions("x", "y")}


def _title(choices: Sequence[str], room: int) -> Spec:
    """Return the title as a layer: a view's own title would rise with the ticks beside it."""
    size = convert_to_pixels(theme.LABEL_SIZE)
    # Bold letters are wider than the estimate for plain ones.
    wrapped = [wrap(shorten(words, 60), room / (1.12 * size), width) for words in choices]
    lines = next((lines for lines in wrapped if len(lines) == 1), wrapped[-1])
    if len(lines) > _TITLE_LINES:
        lines = [*lines[: _TITLE_LINES - 1], " ".join(lines[_TITLE_LINES - 1 :])]
    height = round(size * theme.LINE_HEIGHT, 2)
    return {
        "data": {"values": [{}]},
        "mark": {
            "type": "text",
            "text": lines,
            "align": "left",
            "baseline": "bottom",
            "fontSize": size,
            "fontWeight": "bold",
            "lineHeight": height,
            "dy": -round(height * (len(lines) - 1), 2),
            "color": theme.INK,
            "limit": room,
        },
        "encoding": {"x": {"value": 0}, "y": {"value": -7}},
    }


_GRID_GAP = 12  # pixels between panels that have places of their own
_UNIT = 120  # pixels that a column of such panels takes, where there are many
_ROW = 15  # pixels that a name takes
PIXELS = 96
"""How many are an inch."""

_PADDING = 8
_SMALLEST = 60  # pixels of a panel, however small a picture is asked for
_MOST_CAPTION = 0.3  # of the height: above, a shorter caption is taken, if there is one
_AROUND, _KEY, _BETWEEN = 90, 60, 60  # pixels of axes and gaps, of a key, and between rows
_LONGEST = 4000  # pixels of a panel
_NARROWEST = 60


def heading(figure: Figure) -> dict[str, Any]:
    """Return the title above everything."""
    lines = [shorten(line, 160) for line in headlines(figure)]
    return {
        "text": _lines(lines, theme.TITLE_SIZE * 1.12, measure_width(figure)),
        "fontSize": convert_to_pixels(theme.TITLE_SIZE),
        "fontWeight": "bold",
        "offset": 12,
        "anchor": "start",
    }


def caption_title(figure: Figure) -> dict[str, Any]:
    """Return notes and caption, as a second title below everything."""
    return {
        "text": list_caption_lines(figure),
        "orient": "bottom",
        "anchor": "start",
        "fontSize": convert_to_pixels(theme.CAPTION_SIZE),
        "fontWeight": "normal",
        "lineHeight": convert_to_pixels(theme.CAPTION_SIZE * theme.LINE_HEIGHT),
        "color": theme.SOFT_INK,
        "offset": 12,
    }


def list_caption_lines(figure: Figure) -> list[str]:
    """Return notes and caption, as much of it as a picture of this size has room for."""
    height = convert_to_pixels(theme.CAPTION_SIZE * theme.LINE_HEIGHT)
    across, (_, down) = measure_width(figure), figure.look.size or (0.0, 100.0)
    most = max(2, _MOST_CAPTION * down * PIXELS / height)
    every = [
        _lines([*figure.notes, caption], theme.CAPTION_SIZE, across)
        for caption in list_captions(figure) or [""]
    ]
    return next((lines for lines in every if len(lines) <= most), every[-1])


def measure_width(figure: Figure) -> int:
    """Return the width of all panels together, in pixels."""
    if figure.look.size is None:
        return max(WIDTH, _UNIT * count_columns(figure)) if figure.grid else WIDTH
    return max(_SMALLEST, round(figure.look.size[0] * PIXELS) - LEFT - 2 * _PADDING)


def _measure_height(figure: Figure, rows: int) -> int | None:
    """Return the height of a panel, in pixels, where a size was asked for."""
    if figure.look.size is None:
        return None
    words = len(list_caption_lines(figure)) * theme.CAPTION_SIZE * theme.LINE_HEIGHT
    words += len(headlines(figure)) * theme.TITLE_SIZE * theme.LINE_HEIGHT
    key = _KEY if list_coloured(figure) or list_series(figure) else 0
    free = figure.look.size[1] * PIXELS - convert_to_pixels(words) - _AROUND - key
    return max(_SMALLEST, round((free - (rows - 1) * _BETWEEN) / rows))


def stack_panels(
    figure: Figure, across: int | None = None, *, lively: bool
) -> list[dict[str, Any]]:
    """Return the key, if colours measure something, and the panels, `across` pixels together."""
    across = measure_width(figure) if across is None else across
    marks = list_coloured(figure)
    key = [colour_strip(marks[0], figure)] if marks else []
    seen = _views(figure, across, lively)
    views = [panel_spec(figure, view) for view in seen]
    if figure.grid is not None:
        return [*key, _set_grid(figure, seen, views)]
    if len(views) == 1:
        return [*key, *views]
    columns = _columns(figure, across)
    return [
        *key,
        _arrange_panels(figure, {"concat": views, "columns": columns, "spacing": PANEL_GAP}),
    ]


def _set_grid(figure: Figure, seen: Sequence[PanelView], views: Sequence[Spec]) -> Spec:
    """Set panels in their places, with nothing where there is none."""
    columns = count_columns(figure)
    places = list_places(figure, columns)
    told = dict(zip(places, views, strict=True))
    sizes = dict(zip(places, seen, strict=True))
    rows = 1 + max((row for row, _ in places), default=0)
    spread = [(row, column) for row in range(rows) for column in range(columns)]
    width = {column: view.width for (_, column), view in sizes.items()}
    height = {row: view.height for (row, _), view in sizes.items()}
    return {
        "concat": [
            told.get(place) or _leave_blank(width[place[1]], height[place[0]]) for place in spread
        ],
        "columns": columns,
        "spacing": _GRID_GAP,
    }


def _leave_blank(width: int, height: int) -> Spec:
    mark = {"type": "text", "text": "", "aria": False}
    return {"width": width, "height": height, "data": {"values": [{}]}, "mark": mark}


def _arrange_panels(figure: Figure, grid: dict[str, Any]) -> dict[str, Any]:
    """Write below and beside all panels what their axes measure, where they agree on it."""
    x, y = _find_shared_axes(figure)
    if x is not None:
        grid = {**grid, "title": _axis_title(x, "bottom")}
    return {"vconcat": [grid], "title": _axis_title(y, "left")} if y is not None else grid


def _axis_title(axis: Axis, orient: str) -> dict[str, Any]:
    return {
        "text": shorten(axis.label, theme.LONGEST_LABEL),
        "orient": orient,
        "anchor": "middle",
        "fontSize": convert_to_pixels(theme.LABEL_SIZE),
        "fontWeight": "normal",
        "color": theme.SOFT_INK,
        "offset": 6,
    }


def _views(figure: Figure, across: int, lively: bool) -> list[PanelView]:
    shown = list_panels(figure)
    count = len(shown)
    columns = _columns(figure, across)
    wide = (across - PANEL_GAP * (columns - 1)) / columns
    high = _measure_height(figure, math.ceil(count / columns))
    x, y = _find_shared_axes(figure)
    places = list_places(figure, columns)
    views: list[PanelView] = []
    told = tell_labels_apart(figure, places)
    for place, panel, (x_labels, y_labels) in zip(places, shown, told, strict=True):
        width, height = _size(panel, wide, high)
        if figure.grid is not None:
            width, height = _measure_place(figure, across, place)
        views.append(
            PanelView(
                panel,
                width=width,
                height=height,
                titled=count > 1,
                x_labels=x_labels,
                y_labels=y_labels,
                x_titled=x_labels and x is None,
                y_titled=y_labels and y is None,
                lively=lively and count == 1,
            )
        )
    return views


def _measure_place(figure: Figure, across: int, place: tuple[int, int]) -> tuple[int, int]:
    """Return the width and the height of a panel with a place on a grid."""
    tall, wide = list_shares(figure, count_columns(figure))
    whole = across - _GRID_GAP * (len(wide) - 1)
    asked = _measure_height(figure, 1)
    down = round(0.75 * across) if asked is None else asked
    return (
        max(1, round(wide[place[1]] * whole)),
        max(1, round(tall[place[0]] * (down - _GRID_GAP * (len(tall) - 1)))),
    )


def _find_shared_axes(figure: Figure) -> tuple[Axis | None, Axis | None]:
    """Return the axes that several panels agree on."""
    if len(figure.panels) < 2 or figure.grid is not None:
        return None, None
    x, y = {panel.x for panel in figure.panels}, {panel.y for panel in figure.panels}
    return x.pop() if len(x) == 1 else None, y.pop() if len(y) == 1 else None


def _size(panel: Panel, across: float, down: int | None) -> tuple[int, int]:
    """Return the width and the height of a panel, which keeps its shape if it has one.

    `down` is the height that was asked for, if one was.
    """
    ratio = find_ratio(panel)
    if ratio is None and down is not None:
        return round(across), down
    if ratio is None:
        tall = min(_LONGEST, _ROW * count_lying_rows(panel))
        usual = min(HEIGHT, max(round(across * 0.75), _ROW * _count_named_rows(panel)))
        return round(across), max(usual, tall)
    width = min(across, (down or TALLEST) / ratio)
    return max(1, round(width)), max(1, round(width * ratio))


def _count_named_rows(panel: Panel) -> int:
    """Count the rows of points that have a name beside them."""
    rows = any(isinstance(mark, Points) for mark in panel.marks)
    return len(panel.y.categories) if rows else 0


def _columns(figure: Figure, across: int) -> int:
    columns = count_columns(figure)
    if across >= WIDTH:
        return min(columns, across // _NARROWEST)
    return min(columns, max(1, across // 150))


def _lines(paragraphs: list[str], size: float, across: int) -> list[str]:
    em = convert_to_pixels(size)
    room = (across + LEFT) / em
    return [line for words in paragraphs for line in wrap(clean(words), room, width)]
