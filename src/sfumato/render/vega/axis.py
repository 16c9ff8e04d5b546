"""Axes of a Vega-Lite panel: the same limits, names and numbers as in Matplotlib."""

from __future__ import annotations

import json
from typing import Any, Literal

from sfumato.figure import Axis
from sfumato.render import theme
from sfumato.render.labels import LabelSetting, set_below, set_beside
from sfumato.render.scale import Limits
from sfumato.render.text import shorten, width
from sfumato.render.vega.settings import HEIGHT, pixels

Spec = dict[str, Any]
Side = Literal["x", "y"]


def channel(axis: Axis, limits: Limits, drawn: Spec, *, clamp: bool = True) -> Spec:
    """Return what every layer says about one axis, so that all of them share it."""
    # Clamping ends error bars at the edge; clipping would need ids, which clash on a page.
    ends: Spec = {"domain": list(places(axis, limits)), "nice": False, "clamp": clamp}
    if axis.reversed:
        ends["reverse"] = True
    if axis.kind == "time":
        scale: Spec = {"type": "utc", **ends}
        return {"type": "temporal", "scale": scale, "axis": drawn}
    scale = {**ends, "zero": False}
    return {"type": "quantitative", "scale": scale, "axis": drawn}


def places(axis: Axis, values: tuple[float, ...]) -> tuple[float, ...]:
    """Return values in the unit of Vega's scales: milliseconds for time."""
    return tuple(value / 1000 for value in values) if axis.kind == "time" else values


def drawn_axis(
    axis: Axis, limits: Limits, side: Side, length: int, *, labelled: bool, titled: bool
) -> Spec:
    """Describe the ticks, labels and title of an axis that is `length` pixels long."""
    return {
        "title": shorten(axis.label, theme.LONGEST_LABEL) if titled else None,
        "titleLimit": length,
        "titlePadding": 8,
        "grid": False,
        "domain": side == "x",
        "ticks": axis.kind != "category",
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
    if axis.kind == "number":
        # The form Matplotlib's ticks have: separators from five digits on.
        ticks["format"] = ",f" if max(map(abs, limits)) >= 10_000 else "f"
        if axis.step is not None:
            ticks["tickMinStep"] = axis.step
    return ticks


def _names(axis: Axis, side: Side, length: int) -> Spec:
    slot = 0.75 * length / max(1, len(axis.categories))
    set_names = set_below if side == "x" else set_beside
    setting = set_names(
        axis.categories, slot=slot, room=75, measure=lambda text: width(text) * theme.TICK_SIZE
    )
    lines = [text.split("\n") for text in setting.texts]
    return {
        "values": list(range(len(lines))),
        "labelExpr": f"{json.dumps(lines)}[datum.value]",
        "labelOverlap": False,
        "labelLimit": 0,
        "labelFontSize": pixels(setting.size),
        "labelLineHeight": pixels(setting.size * theme.LINE_HEIGHT),
        **_slant(setting, side),
        **(_raised(setting) if side == "y" else {}),
    }


def _raised(setting: LabelSetting) -> Spec:
    """Raise names of several lines, which are set downwards from the first."""
    extra = [text.count("\n") for text in setting.texts]
    conditions = [
        {
            "test": f"{json.dumps([lines == more for lines in extra])}[datum.value]",
            "value": -round(more * pixels(setting.size * theme.LINE_HEIGHT) / 2, 2),
        }
        for more in sorted(set(extra) - {0})
    ]
    return {"labelOffset": {"condition": conditions, "value": 0}} if conditions else {}


def _slant(setting: LabelSetting, side: Side) -> Spec:
    if side == "y" or not setting.angle:
        return {"labelAngle": 0}
    slant = {"labelAngle": -setting.angle, "labelAlign": "right", "labelBaseline": "middle"}
    return {**slant, "labelPadding": 8} if setting.angle == 45 else slant
