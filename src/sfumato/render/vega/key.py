"""The colour scale as a small view of its own, with a beam as long as the noise is wide."""

from __future__ import annotations

from sfumato.figure import Cells, Figure
from sfumato.render import theme
from sfumato.render.scale import colour_limits, colour_title
from sfumato.render.vega.axis import Spec
from sfumato.render.vega.cells import colour_channel
from sfumato.render.vega.settings import pixels

_WIDTH = 230
_HEIGHT = 9
_STEPS = 96
_BEAM = -6


def colour_strip(cells: Cells, figure: Figure) -> Spec:
    """Return the strip with its numbers below and its title above."""
    top = colour_limits(figure)[1]
    axis: Spec = {"title": None, "grid": False, "domain": False, "tickCount": 4, "tickSize": 3}
    axis["format"] = ",f" if top >= 10_000 else "f"
    scale = {"domain": [0, top], "nice": False}
    x: Spec = {"field": "left", "type": "quantitative", "scale": scale, "axis": axis}
    title = {"text": colour_title(cells), "fontSize": pixels(theme.TICK_SIZE)}
    end = min(cells.noise, top)
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "title": {**title, "fontWeight": "normal", "frame": "group", "offset": 11},
        "layer": [_ramp(figure, top, x), _beam(end, x), _beam_ends(end, x)],
    }


def _ramp(figure: Figure, top: float, x: Spec) -> Spec:
    # Each step reaches to the end, under the next: steps that only meet show a seam.
    values = [{"left": top * step / _STEPS, "right": top} for step in range(_STEPS)]
    return {
        "data": {"values": values},
        "mark": {"type": "rect", "aria": False},
        "encoding": {"x": x, "x2": {"field": "right"}, "color": colour_channel(figure, "left")},
    }


def _beam(end: float, x: Spec) -> Spec:
    return {
        "data": {"values": [{"left": 0, "right": end}]},
        "mark": {"type": "rule", "stroke": theme.INK, "strokeWidth": 1.2, "aria": False},
        "encoding": {"x": x, "x2": {"field": "right"}, "y": {"value": _BEAM}},
    }


def _beam_ends(end: float, x: Spec) -> Spec:
    ends = {"y": {"value": _BEAM - 3}, "y2": {"value": _BEAM + 3}}
    return {
        "data": {"values": [{"left": 0}, {"left": end}]},
        "mark": {"type": "rule", "stroke": theme.INK, "strokeWidth": 1.2, "aria": False},
        "encoding": {"x": x, **ends},
    }
