"""The look and the sizes of Vega-Lite pictures."""

from __future__ import annotations

from typing import Any

from sfumato.render import theme
from sfumato.render.text import MINUS, THIN_SPACE

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH = 540
HEIGHT = 310
TALLEST = 520
"""How high a panel that keeps its shape may get, in pixels."""

PANEL_GAP = 24
LEFT = 60
"""Roughly what the y axis takes, in pixels."""

_FONT = ", ".join(theme.FONTS)


def pixels(points: float) -> float:
    """Convert points to CSS pixels."""
    return round(points * 4 / 3, 2)


CONFIG: dict[str, Any] = {
    "background": theme.PAPER,
    "font": _FONT,
    "padding": 8,
    "view": {"stroke": None},
    "locale": {
        "number": {
            "decimal": ".",
            "thousands": THIN_SPACE,
            "grouping": [3],
            "currency": ["", ""],
            "minus": MINUS,
        }
    },
    "axis": {
        "domainColor": theme.INK,
        "gridColor": theme.GRID,
        "labelColor": theme.INK,
        "labelFontSize": pixels(theme.TICK_SIZE),
        "tickColor": theme.INK,
        "titleColor": theme.SOFT_INK,
        "titleFontSize": pixels(theme.LABEL_SIZE),
        "titleFontWeight": "normal",
    },
    "legend": {
        "labelColor": theme.INK,
        "labelFontSize": pixels(theme.TICK_SIZE),
        "titleColor": theme.SOFT_INK,
        "titleFontSize": pixels(theme.TICK_SIZE),
        "titleFontWeight": "normal",
    },
    "title": {"anchor": "start", "color": theme.INK},
}
