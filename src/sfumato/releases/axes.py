"""Public cells as plain values: in a document, in a record, on an axis."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

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
            return {"column": column, "bounds": _write_bounds(bounds), "bins": cells}
        case Edges(column, bounds, values):
            return {"column": column, "bounds": _write_bounds(bounds), "edges": list(values)}


def read(plain: Mapping[str, Any] | None) -> Key | None:
    """Rebuild a key from what `write` returned."""
    if plain is None:
        return None
    column = str(plain["column"])
    if "categories" in plain:
        return Labels(column, Categories(tuple(plain["categories"])))
    lower, upper, time = (plain["bounds"][name] for name in ("lower", "upper", "time"))
    bounds = Bounds(float(lower), float(upper), time is True)
    if bounds.time:
        _ = moment(lower), moment(upper)  # refuses what no calendar holds
    if "bins" in plain:
        return Grid(column, bounds, int(plain["bins"]))
    return Edges(column, bounds, tuple(map(float, plain["edges"])))


def places(key: Key) -> list[dict[str, Any]]:
    """Return where each cell lies: its category, or its two ends."""
    if isinstance(key, Labels):
        return [{key.column: value} for value in key.categories.values]
    ends = [moment(end) if key.bounds.time else end for end in key.edges.tolist()]
    return [
        {f"{key.column}_left": left, f"{key.column}_right": right} for left, right in pairwise(ends)
    ]


def axis(key: Key) -> Axis:
    """Describe the axis a key is drawn on; its limits are public."""
    if isinstance(key, Labels):
        names = tuple(map(str, key.categories.values))
        return Axis(key.column, "category", (-0.5, len(names) - 0.5), names)
    kind = "time" if key.bounds.time else "number"
    return Axis(key.column, kind, (float(key.edges[0]), float(key.edges[-1])))


def edges(key: Key) -> tuple[float, ...]:
    """Return the ends of the cells on the axis; categories stand at 0, 1, 2, …."""
    if isinstance(key, Labels):
        return tuple(position - 0.5 for position in range(key.cells + 1))
    return tuple(key.edges.tolist())


def _write_bounds(bounds: Bounds) -> dict[str, Any]:
    return {"lower": bounds.lower, "upper": bounds.upper, "time": bounds.time}
