"""A warning written across a chart that is not private."""

from __future__ import annotations

from sfumato.render import theme
from sfumato.render.stamp import stamp
from sfumato.render.text import width
from sfumato.render.vega.axis import Spec


def watermark_layer(words: str, across: int, down: int) -> Spec:
    """Return a layer of text that fills a panel of the given size in pixels."""
    # Bold letters are wider than the estimate for plain ones.
    chosen = stamp(words, width=across, height=down, measure=lambda text: 1.12 * width(text))
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
