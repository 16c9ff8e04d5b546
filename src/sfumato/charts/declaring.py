"""What a one-line chart declares: its bounds, and its orders as categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from sfumato.asking import Private
from sfumato.charts.order import Order
from sfumato.domain import Bounds

Range = Bounds | Sequence[float] | Sequence[date]
"""A public range: its two ends, or a ``range`` of whole numbers."""


def declare_bounds(
    column: str, bounds: Range | Private | Mapping[str, Range] | None
) -> dict[str, object]:
    """Return the bounds of named columns, or of the one that is meant where none is named."""
    if bounds is None or isinstance(bounds, Private):
        return {}
    return dict(bounds) if isinstance(bounds, Mapping) else {column: Bounds.of(bounds)}


def declare_categories(orders: Mapping[str | None, Order | None]) -> dict[str, object]:
    """Return the categories of columns whose order is given, and not searched for."""
    return {
        column: order
        for column, order in orders.items()
        if column is not None and order is not None and not isinstance(order, Private)
    }
