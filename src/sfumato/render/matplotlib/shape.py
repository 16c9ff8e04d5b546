"""How large a page should be for a figure that has it to itself."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import math

from matplotlib import rcParams, rcParamsDefault

from sfumato.figure import Figure
from sfumato.render.heat import ratio_of

_WIDEST, _NARROWEST, _TALLEST = 5.5, 3.4, 5.8  # inches of a panel that keeps its shape
_BESIDE, _ABOVE_AND_BELOW = 0.9, 2.2


def shaped_size(figure: Figure) -> tuple[float, float] | None:
    """Return the size of a page for what keeps its shape, and None where any page will do.

    A size that someone has set for all their figures is left to them.
    """
    theirs = rcParams["figure.figsize"] != rcParamsDefault["figure.figsize"]
    shaped = any(ratio_of(panel) is not None for panel in figure.panels)
    return natural_size(figure) if shaped and not theirs else None


def natural_size(figure: Figure) -> tuple[float, float]:
    """Return a width and a height, in inches, that suit the number of panels."""
    count = len(figure.panels)
    if count == 1 and (ratio := ratio_of(figure.panels[0])) is not None:
        return _around(ratio)
    if count <= 1:
        return 6.4, 4.4
    columns = count if count <= 3 else math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    ratio = ratio_of(figure.panels[0])
    if ratio is None:
        return max(6.4, 2.4 * columns), 1.6 + 2.2 * rows
    return max(6.4, 0.7 + 2.3 * columns), 2.2 + (0.5 + 2.1 * min(ratio, 2.0)) * rows


def _around(ratio: float) -> tuple[float, float]:
    """Return the size of a page around a panel that keeps its shape."""
    width = min(_WIDEST, max(_NARROWEST, _TALLEST / ratio))
    return width + _BESIDE, min(_TALLEST, width * ratio) + _ABOVE_AND_BELOW
