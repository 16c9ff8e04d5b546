"""Logarithmic axes: their ends, their ticks, and bars that have no zero to stand on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from statistics import median
from typing import cast

from sfumato.errors import ReleaseError, Worded, abbreviate
from sfumato.figure import (
    Axis,
    Bars,
    Boxes,
    Cells,
    Curve,
    Figure,
    Interval,
    LetterValues,
    Panel,
    Points,
    Summaries,
    Violins,
)

LogScale = bool | tuple[bool, bool]
BELOW_ZERO = "Hollow triangles: noisy counts below zero."
"""What a caption says of bars on an axis that begins there."""

_ROOM = 0.06  # of a logarithmic axis, left free beyond the last value
_COUNTS_ROOM = 0.14  # where numbers are written there
_FINE = ((1,), (1, 3), (1, 2, 5))
_WHY = "The logarithm of zero and below is not a number. Nothing was charged: drawing is free."


def make_logarithmic(figure: Figure, chosen: object) -> Figure:
    """Return a figure with logarithmic axes: those of values for True, or those of a pair."""
    pair = tuple(cast("Sequence[object]", chosen)) if isinstance(chosen, list | tuple) else chosen
    if pair not in (True, False, *product((True, False), repeat=2)):
        raise ReleaseError(
            "log_scale is True, False or a pair of these, for x and y.",
            "Nothing was charged: drawing is free.",
            "Pass log_scale=(False, True) for a logarithmic y axis.",
        )
    if pair in (False, (False, False)):
        return figure
    panels = tuple(_make_panel(panel, figure, pair) for panel in figure.panels)
    return replace(figure, panels=panels, caption=_tell_base(figure.caption, panels))


def _tell_base(caption: str, panels: Sequence[Panel]) -> str:
    """Say what triangles mark on an axis that does not begin at zero."""
    bars = [(panel, mark) for panel in panels for mark in panel.marks if isinstance(mark, Bars)]
    based = [(find_base(panel, mark), mark) for panel, mark in bars]
    marked = [base for base, mark in based if base and any(lift_bars(mark, base).clipped)]
    if not marked:
        return caption
    return f"{caption.replace(BELOW_ZERO, '').strip()} Hollow triangles: below {marked[0]:g}."


_DRAWN = Bars | Boxes | Cells | Points | Curve | Summaries | Violins | LetterValues


def _make_panel(panel: Panel, figure: Figure, chosen: object) -> Panel:
    if not all(isinstance(mark, _DRAWN) for mark in panel.marks):
        raise ReleaseError(
            "A density over a window is drawn on linear axes.",
            "Its colours tell how much lies in equal areas, which a logarithm makes unequal.",
            "Leave out log_scale, or draw a histogram of both columns.",
        )
    x, y = _choose_valued(panel) if chosen is True else cast("tuple[bool, bool]", chosen)
    return replace(
        panel,
        x=_make_axis(panel.x, "x", panel, figure) if x else panel.x,
        y=_make_axis(panel.y, "y", panel, figure) if y else panel.y,
    )


def _choose_valued(panel: Panel) -> tuple[bool, bool]:
    """Choose the axes of values, as seaborn does; or else that of counts."""
    numbers = {side for side, axis in (("x", panel.x), ("y", panel.y)) if axis.kind == "number"}
    if any(isinstance(mark, Points) for mark in panel.marks):
        numbers &= {"x"}
    curves = {mark.orient for mark in panel.marks if isinstance(mark, Curve)}
    numbers = numbers & {"x" if orient == "v" else "y" for orient in curves} or numbers
    chosen = numbers - set(_list_counted(panel)) or numbers
    return "x" in chosen, "y" in chosen


def _list_counted(panel: Panel) -> list[str]:
    """Return which axis counts are drawn along, if bars are."""
    bars = next((mark for mark in panel.marks if isinstance(mark, Bars)), None)
    return [] if bars is None else ["y" if bars.orient == "v" else "x"]


def _make_axis(axis: Axis, side: str, panel: Panel, figure: Figure) -> Axis:
    if axis.kind != "number":
        kind = "categories" if axis.kind == "category" else "dates"
        raise ReleaseError(
            f"The {side} axis has {kind}, and a logarithmic one needs numbers.",
            "Nothing was charged: drawing is free.",
            ("Choose the other axis: ", _spell_axis("y" if side == "x" else "x"), "."),
        )
    if side in _list_counted(panel):
        return replace(axis, log=True, limits=_limit_counts(figure))
    low = axis.lower if axis.lower is not None else (axis.limits or (0.0, 1.0))[0]
    if not low > 0:
        raise ReleaseError(
            f"The axis of {abbreviate(axis.label)} begins at {low:g}.",
            _WHY,
            ("Ask for bounds above 0, such as ", Worded("bounds=(1, 240)", "--bounds 1,240"), "."),
        )
    return replace(axis, log=True, limits=_limit_values(axis, side, figure))


def _spell_axis(side: str) -> Worded:
    return Worded(f"log_scale=({side == 'x'}, {side == 'y'})", in_shell=f"--log-scale {side}")


def _limit_counts(figure: Figure) -> tuple[float, float]:
    """Return the ends of an axis of counts: from the size of the noise to the longest error bar."""
    marks = [mark for panel in figure.panels for mark in panel.marks if isinstance(mark, Bars)]
    spans = [mark.pointwise or mark.simultaneous for mark in marks]
    noise = [
        high - height
        for mark, span in zip(marks, spans, strict=True)
        for height, high in zip(mark.height, span.high, strict=True)
        if height > 0 and high > height
    ]
    tops = [(*mark.height, *mark.simultaneous.high) for mark in marks]
    top = max((end for ends in tops for end in ends), default=0.0) or 1.0
    floor = _round_down(median(noise) if noise else top / 1000)
    floor = min(floor, _round_down(top / 3))
    return floor, top * (top / floor) ** _ROOM


def _limit_values(axis: Axis, side: str, figure: Figure) -> tuple[float, float]:
    """Return the ends of an axis of values: public ones, or around the numbers that are drawn."""
    if axis.lower is None and axis.limits is not None:
        return axis.limits
    ends = [
        end
        for panel in figure.panels
        for mark in panel.marks
        for end in _list_values(mark, side)
        if end > 0
    ]
    low, high = max(min(ends, default=1.0), axis.lower or 0.0), max(ends, default=10.0)
    high = max(high, 1.01 * low)
    beyond = (high / low) ** _COUNTS_ROOM
    return low / beyond, high * beyond


def _list_values(mark: object, side: str) -> Sequence[float]:
    match mark:
        case Points() if side == "x":
            return (*mark.x.value, *mark.x.low, *mark.x.high)
        case Curve() if side == ("x" if mark.orient == "v" else "y"):
            return mark.x
        case Boxes() | Curve() | Summaries() | LetterValues() | Violins():
            return _list_raised(mark) if side == ("y" if mark.orient == "v" else "x") else ()
        case _:
            return ()


def _list_raised(mark: Boxes | Curve | Summaries | LetterValues | Violins) -> Sequence[float]:
    """Return the numbers of a mark on the axis of its values."""
    match mark:
        case Boxes():
            below, above = mark.lower_whisker, mark.upper_whisker
            return (*below.value, *below.low, *above.value, *above.high)
        case Curve():
            return (*mark.y.value, *mark.y.low, *mark.y.high)
        case Summaries():
            return (*mark.value.value, *mark.value.low, *mark.value.high)
        case LetterValues():
            return [value for each in (*mark.low, *mark.high) for value in each.value]
        case Violins():
            return mark.at


def _round_down(value: float) -> float:
    """Return 1, 2 or 5 times a power of ten, not above a value."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in (1, 2, 5) if step * power <= value * (1 + 1e-9))


def find_base(panel: Panel, bars: Bars) -> float:
    """Return where bars begin: at zero, or where a logarithmic axis does."""
    axis = panel.y if bars.orient == "v" else panel.x
    return axis.limits[0] if axis.log and axis.limits else 0.0


def lift_bars(bars: Bars, base: float) -> Bars:
    """Return bars as they are drawn above a base: what lies below it stands on it, marked.

    Examples
    --------
    >>> sure = Interval((1.0,), (3.0,), 0.95)
    >>> lifted = lift_bars(Bars((0.0,), (1.0,), (2.0,), (False,), sure, sure), 5.0)
    >>> lifted.height, lifted.clipped, lifted.pointwise.low
    ((5.0,), (True,), (5.0,))
    """
    if base == 0:
        return bars
    return replace(
        bars,
        height=_at_least(bars.height, base),
        clipped=tuple(
            clipped or height <= base
            for clipped, height in zip(bars.clipped, bars.height, strict=True)
        ),
        pointwise=_lift_interval(bars.pointwise, base) if bars.pointwise else None,
        simultaneous=_lift_interval(bars.simultaneous, base),
    )


def _lift_interval(interval: Interval, base: float) -> Interval:
    low, high = _at_least(interval.low, base), _at_least(interval.high, base)
    return Interval(low, high, interval.coverage)


def _at_least(values: Sequence[float], base: float) -> tuple[float, ...]:
    return tuple(max(value, base) for value in values)


def choose_log_ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most so many round numbers between two ends.

    Examples
    --------
    >>> choose_log_ticks(1, 1000, 4), choose_log_ticks(2, 60, 6)
    ([1.0, 10.0, 100.0, 1000.0], [2.0, 5.0, 10.0, 20.0, 50.0])
    """
    for steps in reversed(_FINE):
        ticks = _list_round(low, high, steps)
        if len(ticks) <= most:
            return ticks
    powers = _list_round(low, high, (1,))
    every = -(-len(powers) // max(1, most))
    return powers[::every]


def _list_round(low: float, high: float, steps: Sequence[int]) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [float(f"{step}e{power}") for power in powers for step in steps]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def measure_along(axis: Axis, value: float) -> float:
    """Return how far along an axis a value stands, in a unit of which equal parts look equal."""
    return math.log10(value) if axis.log else value


def find_value(axis: Axis, place: float) -> float:
    """Return the value that stands so far along an axis."""
    return 10.0**place if axis.log else place
