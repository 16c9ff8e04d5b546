"""The colour scale as a small view of its own, with a beam as long as the noise is wide."""

from __future__ import annotations

from sfumato.figure import Figure, Heat
from sfumato.render import theme
from sfumato.render.heat import EXPONENT, ticks
from sfumato.render.scale import Coloured, colour_limits, colour_title
from sfumato.render.vega.axis import Spec
from sfumato.render.vega.colouring import colour_channel, spacing
from sfumato.render.vega.settings import pixels

_WIDTH = 230
_HEIGHT = 9
_STEPS = 96
_BEAM = -6


def colour_strip(mark: Coloured, figure: Figure) -> Spec:
    """Return the strip with its numbers below and its title above."""
    top = colour_limits(figure)[1]
    axis: Spec = {"title": None, "grid": False, "domain": False, "tickCount": 4, "tickSize": 3}
    axis["format"] = ",f" if top >= 10_000 else "f"
    if isinstance(mark, Heat):
        values, form = ticks(top), ",.1~r" if top >= 10_000 else ".1~r"
        axis |= {"values": values, "tickCount": len(values), "format": form, "labelOverlap": False}
    scale = {"domain": [0, top], "nice": False, **spacing(mark)}
    x: Spec = {"field": "left", "type": "quantitative", "scale": scale, "axis": axis}
    title = {"text": colour_title(mark), "fontSize": pixels(theme.TICK_SIZE)}
    end = min(mark.noise, top)
    beam = [_beam(end, x), _beam_ends(end, x)] if mark.coverage else []
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "title": {**title, "fontWeight": "normal", "frame": "group", "offset": 11},
        "layer": [_ramp(figure, mark, x), *beam],
    }


def _ramp(figure: Figure, mark: Coloured, x: Spec) -> Spec:
    top = colour_limits(figure)[1]
    # Each step reaches to the end, under the next: steps that only meet show a seam.
    bend = 1 / EXPONENT if isinstance(mark, Heat) else 1.0
    values = [{"left": top * (step / _STEPS) ** bend, "right": top} for step in range(_STEPS)]
    return {
        "data": {"values": values},
        "mark": {"type": "rect", "aria": False},
        "encoding": {
            "x": x,
            "x2": {"field": "right"},
            "color": colour_channel(figure, mark, "left"),
        },
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
