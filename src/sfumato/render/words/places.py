"""Places on an axis in words."""

from __future__ import annotations

import math

from sfumato.figure import Axis
from sfumato.render.text import moment, number


def between(axis: Axis, low: float, high: float) -> str:
    """Print the middle of two places on an axis, with the digits that tell them apart."""
    middle = (low + high) / 2
    if axis.kind == "time":
        return moment(middle)
    return number(round(middle, decimals(high - low)))


def decimals(width: float) -> int:
    """Return how many decimals tell apart two places as far apart as `width`.

    Examples
    --------
    >>> decimals(0.02), decimals(7)
    (2, 0)
    """
    return max(0, math.ceil(-math.log10(width)))


def at(axis: Axis, value: float) -> str:
    """Print one place on an axis."""
    match axis.kind:
        case "category":
            return axis.categories[round(value)]
        case "time":
            return moment(value)
        case "number":
            return number(value)


def span(axis: Axis, low: float, high: float) -> str:
    """Print the interval or the category between two places on an axis.

    Examples
    --------
    >>> span(Axis("age"), 20, 25), span(Axis("ward", "category", categories=("A", "B")), 0.6, 1.4)
    ('20–25', 'B')
    >>> span(Axis("age", step=1), 19.5, 24.5), span(Axis("hour", step=1), 6.5, 7.5)
    ('20–24', '7')
    """
    if axis.step is not None:
        low, high = low + axis.step / 2, high - axis.step / 2
        if math.isclose(low, high):
            return number(low)
    match axis.kind:
        case "category":
            return axis.categories[round((low + high) / 2)]
        case "time":
            return f"{moment(low)} – {moment(high)}"
        case "number":
            return f"{number(low)}–{number(high)}"
