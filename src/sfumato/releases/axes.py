"""Public cells as plain values: in a document, in a record, on an axis."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, cast

import numpy as np

from sfumato.domain import Bounds, Categories, moment
from sfumato.figure import Axis
from sfumato.grid import Edges, Grid, Key, Labels


def write(key: Key | None) -> dict[str, Any] | None:
    """Return a key as plain JSON values."""
    match key:
        case None:
            return None
        case Labels(column, categories):
            return {"column": column, "categories": list(categories.values)}
        case Grid(column, bounds, cells):
            return {"column": column, "bounds": write_bounds(bounds), "bins": cells}
        case Edges(column, bounds, values):
            return {"column": column, "bounds": write_bounds(bounds), "edges": list(values)}


def read(plain: Mapping[str, Any] | None) -> Key | None:
    """Rebuild a key from what `write` returned."""
    if plain is None:
        return None
    column = str(plain["column"])
    if "categories" in plain:
        return Labels(column, Categories(tuple(plain["categories"])))
    bounds = read_bounds(plain["bounds"])
    if "bins" in plain:
        return Grid(column, bounds, int(plain["bins"]))
    return Edges(column, bounds, tuple(map(float, plain["edges"])))


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


def write_bounds(bounds: Bounds) -> dict[str, Any]:
    """Return bounds as plain JSON values; what few of them have is written where they have it."""
    plain = {"lower": bounds.lower, "upper": bounds.upper, "time": bounds.time}
    if bounds.step is not None:
        plain["step"] = bounds.step
    return {**plain, "parsed": True} if bounds.parsed else plain


def read_bounds(plain: Mapping[str, Any]) -> Bounds:
    """Rebuild bounds from what `write_bounds` returned."""
    lower, upper, step = (plain.get(name) for name in ("lower", "upper", "step"))
    bounds = Bounds(
        float(cast(float, lower)),
        float(cast(float, upper)),
        plain["time"] is True,
        None if step is None else float(step),
        plain.get("parsed") is True,
    )
    if bounds.time:
        _ = moment(bounds.lower), moment(bounds.upper)  # refuses what no calendar holds
    return bounds
