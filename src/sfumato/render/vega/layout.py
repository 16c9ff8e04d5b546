"""Title, key, panels and caption, one below the other."""

from __future__ import annotations

import math
from typing import Any

from sfumato.figure import Figure, Panel
from sfumato.render import theme
from sfumato.render.heat import ratio_of
from sfumato.render.scale import coloured, headlines, panels
from sfumato.render.text import clean, shorten, width, wrap
from sfumato.render.vega.key import colour_strip
from sfumato.render.vega.panel import PanelView, panel_spec
from sfumato.render.vega.settings import HEIGHT, LEFT, PANEL_GAP, TALLEST, WIDTH, pixels


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
    return [*key, {"concat": views, "columns": columns, "spacing": PANEL_GAP}]


def _views(figure: Figure, across: int, lively: bool) -> list[PanelView]:
    shown = panels(figure)
    count = len(shown)
    columns = _columns(count, across)
    wide = (across - PANEL_GAP * (columns - 1)) / columns
    views: list[PanelView] = []
    for place, panel in enumerate(shown):
        below = place + columns
        width, height = _size(panel, wide)
        views.append(
            PanelView(
                panel,
                width=width,
                height=height,
                titled=count > 1,
                x_labels=not (below < count and shown[below].x == panel.x),
                y_labels=not (place % columns and shown[place - 1].y == panel.y),
                lively=lively,
            )
        )
    return views


def _size(panel: Panel, across: float) -> tuple[int, int]:
    """Return the width and the height of a panel, which keeps its shape if it has one."""
    ratio = ratio_of(panel)
    if ratio is None:
        return round(across), min(HEIGHT, round(across * 0.75))
    width = min(across, TALLEST / ratio)
    return max(1, round(width)), max(1, round(width * ratio))


def _columns(count: int, across: int) -> int:
    columns = count if count <= 3 else math.ceil(math.sqrt(count))
    return columns if across >= WIDTH else min(columns, max(1, across // 150))


def _lines(paragraphs: list[str], size: float) -> list[str]:
    em = pixels(size)
    room = (WIDTH + LEFT) / em
    return [line for words in paragraphs for line in wrap(clean(words), room, width)]
