"""Title, key, panels and caption, one below the other."""

from __future__ import annotations

import math
from typing import Any

from sfumato.figure import Axis, Figure, Panel, Points
from sfumato.render import theme
from sfumato.render.heat import ratio_of
from sfumato.render.scale import coloured, headlines, panels
from sfumato.render.text import clean, shorten, width, wrap
from sfumato.render.vega.key import colour_strip
from sfumato.render.vega.panel import PanelView, panel_spec
from sfumato.render.vega.settings import HEIGHT, LEFT, PANEL_GAP, TALLEST, WIDTH, pixels

_ROW = 15  # pixels that a name takes


def heading(figure: Figure) -> dict[str, Any]:
    """Return the title above everything."""
    lines = [shorten(line, 160) for line in headlines(figure)]
    return {
        "text": _lines(lines, theme.TITLE_SIZE * 1.12),
        "fontSize": pixels(theme.TITLE_SIZE),
        "fontWeight": "bold",
        "offset": 12,
        "anchor": "start",
    }


def caption_title(figure: Figure) -> dict[str, Any]:
    """Return notes and caption, as a second title below everything."""
    return {
        "text": _lines([*figure.notes, figure.caption], theme.CAPTION_SIZE),
        "orient": "bottom",
        "anchor": "start",
        "fontSize": pixels(theme.CAPTION_SIZE),
        "fontWeight": "normal",
        "lineHeight": pixels(theme.CAPTION_SIZE * theme.LINE_HEIGHT),
        "color": theme.SOFT_INK,
        "offset": 12,
    }


def stacked(figure: Figure, across: int = WIDTH, *, lively: bool) -> list[dict[str, Any]]:
    """Return the key, if colours measure something, and the panels, `across` pixels together."""
    marks = coloured(figure)
    key = [colour_strip(marks[0], figure)] if marks else []
    views = [panel_spec(figure, view) for view in _views(figure, across, lively)]
    if len(views) == 1:
        return [*key, *views]
    columns = _columns(len(views), across)
    return [*key, _grid(figure, {"concat": views, "columns": columns, "spacing": PANEL_GAP})]


def _grid(figure: Figure, grid: dict[str, Any]) -> dict[str, Any]:
    """Write below and beside all panels what their axes measure, where they agree on it."""
    x, y = _shared_axes(figure)
    if x is not None:
        grid = {**grid, "title": _axis_title(x, "bottom")}
    return {"vconcat": [grid], "title": _axis_title(y, "left")} if y is not None else grid


def _axis_title(axis: Axis, orient: str) -> dict[str, Any]:
    return {
        "text": shorten(axis.label, theme.LONGEST_LABEL),
        "orient": orient,
        "anchor": "middle",
        "fontSize": pixels(theme.LABEL_SIZE),
        "fontWeight": "normal",
        "color": theme.SOFT_INK,
        "offset": 6,
    }


def _views(figure: Figure, across: int, lively: bool) -> list[PanelView]:
    shown = panels(figure)
    count = len(shown)
    columns = _columns(count, across)
    wide = (across - PANEL_GAP * (columns - 1)) / columns
    x, y = _shared_axes(figure)
    views: list[PanelView] = []
    for place, panel in enumerate(shown):
        below = place + columns
        width, height = _size(panel, wide)
        x_labels = not (below < count and shown[below].x == panel.x)
        y_labels = not (place % columns and shown[place - 1].y == panel.y)
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


def _shared_axes(figure: Figure) -> tuple[Axis | None, Axis | None]:
    """Return the axes that several panels agree on."""
    if len(figure.panels) < 2:
        return None, None
    x, y = {panel.x for panel in figure.panels}, {panel.y for panel in figure.panels}
    return x.pop() if len(x) == 1 else None, y.pop() if len(y) == 1 else None


def _size(panel: Panel, across: float) -> tuple[int, int]:
    """Return the width and the height of a panel, which keeps its shape if it has one."""
    ratio = ratio_of(panel)
    if ratio is None:
        return round(across), min(HEIGHT, max(round(across * 0.75), _ROW * _named(panel)))
    width = min(across, TALLEST / ratio)
    return max(1, round(width)), max(1, round(width * ratio))


def _named(panel: Panel) -> int:
    """Count the rows of points that have a name beside them."""
    rows = any(isinstance(mark, Points) for mark in panel.marks)
    return len(panel.y.categories) if rows else 0


def _columns(count: int, across: int) -> int:
    columns = count if count <= 3 else math.ceil(math.sqrt(count))
    return columns if across >= WIDTH else min(columns, max(1, across // 150))


def _lines(paragraphs: list[str], size: float) -> list[str]:
    em = pixels(size)
    room = (WIDTH + LEFT) / em
    return [line for words in paragraphs for line in wrap(clean(words), room, width)]
