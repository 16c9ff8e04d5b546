"""A picture between the ends of a window: a mark like any other, which moves with the axes."""

from __future__ import annotations

from sfumato.figure import Clouds, Heat
from sfumato.render.png import Colours, address, png
from sfumato.render.vega.axis import Spec, places
from sfumato.render.vega.canvas import Canvas
from sfumato.render.vega.places import ENDS


def picture(canvas: Canvas, mark: Heat | Clouds, url: str, opacity: float = 1.0) -> Spec:
    """Return the layer that shows a picture over the window of a mark."""
    ends = (*places(canvas.panel.x, mark.x), *places(canvas.panel.y, mark.y))
    look: Spec = {"url": url, "opacity": opacity, "aspect": False, "aria": False}
    return {
        "data": {"values": [dict(zip(ENDS, ends, strict=True))]},
        "mark": {"type": "image", **look, **canvas.cut},
        "encoding": canvas.box(),
    }


def upright(canvas: Canvas, upward: Colours) -> str:
    """Return the address of a picture that is told row by row from the lowest y."""
    # Pictures are told from the top, which is where a reversed axis begins.
    return address(png(upward if canvas.panel.y.reversed else upward[::-1]))
