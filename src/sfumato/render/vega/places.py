"""Places that can be pointed at, kept short: tables of numbers, and formulas for what is said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sfumato.figure import Axis
from sfumato.render.vega.axis import Spec, places
from sfumato.render.words.places import decimals

ENDS = ("left", "right", "low", "high")
MOST_LIVELY = 64
"""At how many places a side a density can be pointed at where a script draws it."""

MOVE: Spec = {"name": "move", "select": "interval", "bind": "scales"}


def formula(name: str, expression: str) -> Spec:
    """Return a step that computes a field."""
    return {"calculate": expression, "as": name}


def table(names: Sequence[str], columns: Iterable[Sequence[float]], *, digits: int) -> Spec:
    """Return rows as columns of numbers, which are a fraction of their length."""
    rounded = [[_rounded(value, digits) for value in column] for column in columns]
    return {
        "data": {"values": [dict(zip(names, rounded, strict=True))]},
        "transform": [{"flatten": list(names)}],
    }


def cell_ends(
    axis: Axis, window: tuple[float, float], count: int, names: tuple[str, str, str, str]
) -> list[Spec]:
    """Return formulas for the ends of a place, and for its middle in words.

    Parameters
    ----------
    count
        How many places divide the window.
    names
        The field with the number of the place, and those to compute: low end, high end, words.
    """
    index, low, high, middle = names
    start, end = places(axis, window)
    width = (end - start) / count
    centre = f"(datum.{low} + datum.{high}) / 2"
    if axis.kind == "time":
        words = f"utcFormat({centre}, '%Y-%m-%d %H:%M')"
    else:
        words = f"format({centre}, '.{decimals(width)}f')"
    return [
        formula(low, f"{start!r} + datum.{index} * {width!r}"),
        formula(high, f"{start!r} + (datum.{index} + 1) * {width!r}"),
        formula(middle, words),
    ]


def _rounded(value: float, digits: int) -> float:
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
