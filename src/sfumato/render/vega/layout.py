"""Title, key, panels and caption, one below the other."""

from __future__ import annotations

import math
from typing import Any

from sfumato.figure import Figure
from sfumato.render import theme
from sfumato.render.scale import filled, headlines, panels
from sfumato.render.text import clean, shorten, width, wrap
from sfumato.render.vega.key import colour_strip
from sfumato.render.vega.panel import PanelView, panel_spec
from sfumato.render.vega.settings import HEIGHT, LEFT, PANEL_GAP, WIDTH, pixels


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


def stacked(figure: Figure, across: int = WIDTH) -> list[dict[str, Any]]:
    """Return the key, if colours measure something, and the panels, `across` pixels together."""
    cells = filled(figure)
    key = [colour_strip(cells[0], figure)] if cells else []
    views = [panel_spec(figure, view) for view in _views(figure, across)]
    if len(views) == 1:
        return [*key, *views]
    columns = _columns(len(views), across)
    return [*key, {"concat": views, "columns": columns, "spacing": PANEL_GAP}]


def _views(figure: Figure, across: int) -> list[PanelView]:
    shown = panels(figure)
    count = len(shown)
    columns = _columns(count, across)
    wide = (across - PANEL_GAP * (columns - 1)) / columns
    views: list[PanelView] = []
    for place, panel in enumerate(shown):
        below = place + columns
        views.append(
            PanelView(
                panel,
                width=round(wide),
                height=min(HEIGHT, round(wide * 0.75)),
                titled=count > 1,
                x_labels=not (below < count and shown[below].x == panel.x),
                y_labels=not (place % columns and shown[place - 1].y == panel.y),
            )
        )
    return views


def _columns(count: int, across: int) -> int:
    columns = count if count <= 3 else math.ceil(math.sqrt(count))
    return columns if across >= WIDTH else min(columns, max(1, across // 150))


def _lines(paragraphs: list[str], size: float) -> list[str]:
    em = pixels(size)
    room = (WIDTH + LEFT) / em
    return [line for words in paragraphs for line in wrap(clean(words), room, width)]
