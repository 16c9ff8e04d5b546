"""Public cells as plain values: in a record, on an axis."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from sfumato.domain import moment
from sfumato.figure import Axis
from sfumato.grid import Edges, Grid, Key, Labels


def places(key: Key) -> list[dict[str, Any]]:
    """Return where each cell lies: its category, its two ends, or its first and last value."""
    if isinstance(key, Labels):
        return [{key.column: value} for value in key.categories.values]
    spare = key.bounds.step / 2 if key.bounds.step and lies_between_values(key) else 0.0
    shown = moment if key.bounds.time else float
    return [
        {f"{key.column}_left": shown(left + spare), f"{key.column}_right": shown(right - spare)}
        for left, right in pairwise(key.edges.tolist())
    ]


def axis(key: Key) -> Axis:
    """Describe the axis a key is drawn on; its limits are public."""
    if isinstance(key, Labels):
        names = tuple(map(str, key.categories.values))
        return Axis(key.column, "category", (-0.5, len(names) - 0.5), names)
    kind = "time" if key.bounds.time else "number"
    step = key.bounds.step if lies_between_values(key) else None
    return Axis(key.column, kind, (float(key.edges[0]), float(key.edges[-1])), step=step)


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
