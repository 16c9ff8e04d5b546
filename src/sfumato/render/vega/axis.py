"""Axes and sizes of a Vega-Lite panel: the same limits, names and numbers as in Matplotlib."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from sfumato.figure import Axis, Figure, Panel
from sfumato.render import theme
from sfumato.render.logarithmic import choose_log_ticks
from sfumato.render.scale import Limits, choose_time_ticks
from sfumato.render.text import (
    MINUS,
    THIN_SPACE,
    LabelSetting,
    set_below,
    set_beside,
    shorten,
    width,
)
from sfumato.zones import find_zone

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH = 540
HEIGHT = 310
TALLEST = 520
"""How high a panel that keeps its shape may get, in pixels."""

PANEL_GAP = 24
LEFT = 60
"""Roughly what the y axis takes, in pixels."""

_NARROW = 150  # pixels of an axis whose numbers may touch each other
_ROOM, _ROOM_BESIDE = 75, 115  # points for names of categories; beside lying bars

_FONT = ", ".join(theme.FONTS)


def convert_to_pixels(points: float) -> float:
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
        "labelFontSize": convert_to_pixels(theme.TICK_SIZE),
        "tickColor": theme.INK,
        "titleColor": theme.SOFT_INK,
        "titleFontSize": convert_to_pixels(theme.LABEL_SIZE),
        "titleFontWeight": "normal",
    },
    "legend": {
        "labelColor": theme.INK,
        "labelFontSize": convert_to_pixels(theme.TICK_SIZE),
        "titleColor": theme.SOFT_INK,
        "titleFontSize": convert_to_pixels(theme.TICK_SIZE),
        "titleFontWeight": "normal",
    },
    "title": {"anchor": "start", "color": theme.INK},
}


Spec = dict[str, Any]
Side = Literal["x", "y"]


def channel(axis: Axis, limits: Limits, drawn: Spec, *, clamp: bool = True) -> Spec:
    """Return what every layer says about one axis, so that all of them share it."""
    # Clamping ends error bars at the edge; clipping would need ids, which clash on a page.
    ends: Spec = {"domain": list(convert_positions(axis, limits)), "nice": False, "clamp": clamp}
    if axis.reversed:
        ends["reverse"] = True
    if axis.kind == "time":
        scale: Spec = {"type": "utc", **ends}
        return {"type": "temporal", "scale": scale, "axis": drawn}
    scale = {**ends, "type": "log"} if axis.log else {**ends, "zero": False}
    return {"type": "quantitative", "scale": scale, "axis": drawn}


def convert_positions(axis: Axis, values: tuple[float, ...]) -> tuple[float, ...]:
    """Return values in the unit of Vega's scales: milliseconds for time."""
    return tuple(value / 1000 for value in values) if axis.kind == "time" else values


def make_axis(
    axis: Axis, limits: Limits, side: Side, length: int, *, labelled: bool, titled: bool
) -> Spec:
    """Describe the ticks, labels and title of an axis that is `length` pixels long."""
    return {
        "title": shorten(axis.label, theme.LONGEST_LABEL) if titled else None,
        "titleLimit": length,
        "titlePadding": 8,
        "grid": False,
        "domain": side == "x",
        "ticks": axis.kind != "category" and axis.labelled,
        "tickSize": 4,
        "labels": labelled,
        "labelPadding": 4,
        **_ticks(axis, limits, side, length),
    }


def _ticks(axis: Axis, limits: Limits, side: Side, length: int) -> Spec:
    if axis.kind == "category":
        return _names(axis, side, length)
    # Numbers on top of each other need less room, but a tall axis need not have more of them.
    apart = 45 if side == "y" and length <= HEIGHT else 75
    ticks: Spec = {"tickCount": max(2, length // apart), "labelFlush": False}
    if side == "x" and length < _NARROW:
        ticks["labelSeparation"] = 8
    if axis.kind == "time":
        return ticks | _make_time_ticks(axis, limits, ticks["tickCount"])
    if axis.log:
        plain = "~r" if max(limits) < 10_000 else ",~r"
        return {"values": choose_log_ticks(*limits, ticks["tickCount"]), "format": plain}
    if axis.kind == "number":
        # The form Matplotlib's ticks have: separators from five digits on.
        ticks["format"] = ",f" if max(map(abs, limits)) >= 10_000 else "f"
        if axis.step is not None:
            ticks["tickMinStep"] = axis.step
    return ticks


def _make_time_ticks(axis: Axis, limits: Limits, most: int) -> Spec:
    """Return ticks on the clocks of a zone other than UTC, which Vega cannot tell by itself."""
    if axis.clock:
        return {"format": "%H:%M"}
    zone = find_zone(axis.zone)
    if zone.name == "UTC":
        return {}
    ticks = choose_time_ticks(limits, zone, most)
    labels = {str(round(place / 1000)): lines for place, lines in ticks}
    return {
        "values": [round(place / 1000) for place, _ in ticks],
        "labelExpr": f"{json.dumps(labels)}[time(datum.value)]",
    }


def _names(axis: Axis, side: Side, length: int) -> Spec:
    slot = 0.75 * length / max(1, len(axis.categories))
    set_names = set_below if side == "x" else set_beside
    setting = set_names(
        axis.categories,
        slot=slot,
        room=_ROOM_BESIDE if axis.reversed else _ROOM,
        measure=lambda text: width(text) * theme.TICK_SIZE,
    )
    lines = [text.split("\n") for text in setting.texts]
    return {
        "values": list(range(len(lines))),
        "labelExpr": f"{json.dumps(lines)}[datum.value]",
        "labelOverlap": False,
        "labelLimit": 0,
        "labelFontSize": convert_to_pixels(setting.size),
        "labelLineHeight": convert_to_pixels(setting.size * theme.LINE_HEIGHT),
        **_slant_names(setting, side),
        **(_raise_names(setting) if side == "y" else {}),
    }


def _raise_names(setting: LabelSetting) -> Spec:
    """Raise names of several lines, which are set downwards from the first."""
    extra = [text.count("\n") for text in setting.texts]
    conditions = [
        {
            "test": f"{json.dumps([lines == more for lines in extra])}[datum.value]",
            "value": -round(more * convert_to_pixels(setting.size * theme.LINE_HEIGHT) / 2, 2),
        }
        for more in sorted(set(extra) - {0})
    ]
    return {"labelOffset": {"condition": conditions, "value": 0}} if conditions else {}


def _slant_names(setting: LabelSetting, side: Side) -> Spec:
    if side == "y" or not setting.angle:
        return {"labelAngle": 0}
    slant = {"labelAngle": -setting.angle, "labelAlign": "right", "labelBaseline": "middle"}
    return {**slant, "labelPadding": 8} if setting.angle == 45 else slant


@dataclass(frozen=True)
class Canvas:
    """A panel's position channels, its size in pixels, and whether its axes can be moved."""

    figure: Figure
    panel: Panel
    x: Spec
    y: Spec
    width: int
    height: int
    lively: bool = False

    def positions(self, x: str, y: str, **ends: Spec) -> Spec:
        """Return the position channels of a layer over two fields, with ``x2`` or ``y2``."""
        return {"x": {**self.x, "field": x}, "y": {**self.y, "field": y}, **ends}

    def box(self) -> Spec:
        """Return the position channels of rectangles, by the fields that hold their ends."""
        return self.positions("left", "low", x2={"field": "right"}, y2={"field": "high"})

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours that were chosen for series, if any were."""
        return self.figure.look.colours

    @property
    def cut(self) -> Spec:
        """Cut marks at the axes where these can move; a page of many pictures has none that do."""
        return {"clip": True} if self.lively else {}


def tooltip(named: Iterable[tuple[str, str]]) -> list[Spec]:
    """Return a channel from pairs of a name and the field that holds its words."""
    return [
        {"field": field, "type": "nominal", "title": _escape_name(name)} for name, field in named
    ]


def _escape_name(name: str) -> str:
    # Vega-Lite writes titles into an expression and escapes the quotes in them, but nothing else.
    return name.replace("\\", "\\\\")
