"""The way from released values to colours, which panels and key share."""

from __future__ import annotations

from sfumato.figure import Figure, Heat
from sfumato.render import theme
from sfumato.render.heat import EXPONENT
from sfumato.render.scale import Coloured, colour_limits
from sfumato.render.vega.axis import Spec


def colour_channel(figure: Figure, mark: Coloured, field: str) -> Spec:
    """Return the colour of a value."""
    scale: Spec = {
        "domain": list(colour_limits(figure)),
        "range": list(theme.RAMP),
        "interpolate": "rgb",
        **spacing(mark),
    }
    return {"field": field, "type": "quantitative", "scale": scale, "legend": None}


def spacing(mark: Coloured) -> Spec:
    """Return how values are spaced along the colours."""
    return {"type": "pow", "exponent": EXPONENT} if isinstance(mark, Heat) else {}
