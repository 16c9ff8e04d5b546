"""The columns of a lattice as plain values: their ranges, and what one unit is in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.domain import Bounds
from sfumato.lattice import Lattice
from sfumato.releases import axes, strict


def write(lattice: Lattice) -> list[dict[str, Any]]:
    """Return the columns as plain JSON values."""
    columns = zip(lattice.columns, lattice.bounds, lattice.scales, strict=True)
    return [
        {
            "column": column,
            **axes.write_bounds(bounds),
            "scale": scale,
        }
        for column, bounds, scale in columns
    ]


def read(plain: Sequence[Mapping[str, Any]]) -> Lattice:
    """Rebuild a lattice from what `write` returned."""
    columns = tuple(each["column"] for each in plain)
    if not all(isinstance(column, str) for column in columns):
        raise ValueError("A column is named by a text.")
    scales = tuple(strict.number(each["scale"]) for each in plain)
    return Lattice(columns, tuple(map(_bounds, plain)), scales)


def _bounds(plain: Mapping[str, Any]) -> Bounds:
    _ = strict.number(plain["lower"]), strict.number(plain["upper"]), strict.flag(plain["time"])
    return axes.read_bounds(plain)
