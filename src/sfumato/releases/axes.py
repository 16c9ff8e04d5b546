"""Axes of pictures: public cells as plain values, and the part of an axis that is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np

from sfumato.domain import Bounds
from sfumato.ends import DAY
from sfumato.figure import Axis, Estimates
from sfumato.grid import Edges, Grid, Key, Labels
from sfumato.zones import find_zone


def places(key: Key) -> list[dict[str, Any]]:
    """Return where each cell lies: its category, its two ends, or its first and last value."""
    if isinstance(key, Labels):
        return [{name(key): value} for value in key.categories.values]
    spare = key.bounds.step / 2 if key.bounds.step and lies_between_values(key) else 0.0
    shown, column = key.bounds.show, key.column
    return [
        {f"{column}_left": shown(left + spare), f"{column}_right": shown(right - spare)}
        for left, right in pairwise(key.edges.tolist())
    ]


def axis(key: Key) -> Axis:
    """Describe the axis a key is drawn on; its limits are public."""
    if isinstance(key, Labels):
        names = tuple(map(str, key.categories.values))
        return Axis(label(key), "category", (-0.5, len(names) - 0.5), names)
    step = key.bounds.step if lies_between_values(key) else None
    limits = float(key.edges[0]), float(key.edges[-1])
    return value_axis(key.column, key.bounds, limits, step)


def value_axis(
    column: str,
    bounds: Bounds,
    limits: tuple[float, float],
    step: float | None = None,
    *,
    lower: float | None = None,
) -> Axis:
    """Describe the axis that values of a column are drawn on: in its unit, or in its zone.

    `lower` is the lower bound, where limits are around what was released.
    """
    told = bounds.duration or (bounds.zone and find_zone(bounds.zone).name)
    return Axis(
        f"{column} ({told})" if told else column,
        "time" if bounds.time else "number",
        limits,
        step=step,
        zone=bounds.zone or "",
        clock=bounds.clock,
        lower=lower,
    )


def label(key: Labels) -> str:
    """Return what an axis of categories is called: its column, and what is read of dates."""
    told = [key.part, key.zone and find_zone(key.zone).name] if key.part else []
    return f"{key.column} ({', '.join(filter(None, told))})" if told else key.column


def name(key: Labels) -> str:
    """Return what a column of results is called.

    Examples
    --------
    >>> from sfumato.domain import Categories
    >>> from sfumato.ends import CYCLES
    >>> name(Labels("when", Categories(CYCLES["weekday"]), "weekday"))
    'when_weekday'
    """
    return f"{key.column}_{key.part.replace(' ', '_')}" if key.part else key.column


def lies_between_values(key: Grid | Edges) -> bool:
    """Tell whether every edge lies half a step from the values next to it."""
    if key.bounds.step is None or key.bounds.time:
        return False
    positions = (key.edges - key.bounds.lower) / key.bounds.step + 0.5
    return bool(np.allclose(positions, np.rint(positions), rtol=0, atol=1e-6))


def edges(key: Key) -> tuple[float, ...]:
    """Return the ends of the cells on the axis; categories stand at 0, 1, 2, …."""
    if isinstance(key, Labels):
        return tuple(position - 0.5 for position in range(key.cells + 1))
    return tuple(key.edges.tolist())


_REACH = 0.5
_DAY = 86_400e6
_CALENDAR = (-62_135_596_800e6 + _DAY, 253_402_300_799e6 - _DAY)


@dataclass(frozen=True)
class Window:
    """The ends of an axis, and whether an interval goes on beyond them."""

    limits: tuple[float, float]
    cut: bool

    @classmethod
    def around(
        cls,
        numbers: Sequence[Estimates],
        bounds: Bounds,
        *,
        least: float,
        margins: tuple[float, float],
    ) -> Window:
        """Hold every value, and the intervals around them as far as they leave values legible.

        Parameters
        ----------
        least
            How much the axis spans at least, margins not counted.
        margins
            Which part of the axis is left free at its low and at its high end.
        """
        values = [value for estimates in numbers for value in estimates.value]
        if not values:
            return cls((bounds.lower, bounds.upper), cut=False)
        lowest, highest = min(values), max(values)
        floor, ceiling = min(bounds.lower, lowest), max(bounds.upper, highest)
        low = max(floor, min(end for estimates in numbers for end in estimates.low))
        high = min(ceiling, max(end for estimates in numbers for end in estimates.high))
        room = max(_REACH * (highest - lowest), _usual_length(numbers))
        seen = _widened(max(low, lowest - room), min(high, highest + room), least)
        limits = _with_margins(*seen, margins, bounds)
        if not all(map(math.isfinite, limits)):  # in a file whose numbers nobody measured
            limits = (bounds.lower, bounds.upper)
        return cls(limits, cut=low < limits[0] or high > limits[1])


def _usual_length(numbers: Sequence[Estimates]) -> float:
    ends = [pair for each in numbers for pair in zip(each.low, each.high, strict=True)]
    return median(high - low for low, high in ends)


def _widened(low: float, high: float, least: float) -> tuple[float, float]:
    lacking = max(0.0, least - (high - low)) / 2
    return low - lacking, high + lacking


def _with_margins(
    low: float, high: float, margins: tuple[float, float], bounds: Bounds
) -> tuple[float, float]:
    whole = (high - low) / (1 - sum(margins))
    low, high = low - margins[0] * whole, high + margins[1] * whole
    if bounds.clock:
        low, high = max(low, 0.0), min(high, DAY)
    elif bounds.time:
        low, high = max(low, _CALENDAR[0]), min(high, _CALENDAR[1])
    return low, high
