"""What a one-line chart declares: its bounds, and its orders as categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import cast

from sfumato.asking import Private
from sfumato.charts.boxplot import Boxplot
from sfumato.charts.heatmap import Heatmap
from sfumato.charts.histogram import Histogram
from sfumato.charts.order import Order
from sfumato.charts.quantiles import Quantiles
from sfumato.domain import Bounds, Domain
from sfumato.errors import DomainError

Range = Bounds | Sequence[float] | Sequence[date]


def histogram_domain(chart: Histogram, bounds: Range | Mapping[str, Range] | None) -> Domain:
    """Return what a histogram declares; edges of bins are bounds too."""
    facts: dict[str, object] = dict(bounds) if isinstance(bounds, Mapping) else {}
    if any(isinstance(fact, Private) for fact in (bounds, *facts.values())):
        raise DomainError(
            "A histogram cannot search for its bounds. Bins found from the data would have to be "
            "paid for too. Declare a range you can defend: bounds=(lower, upper)."
        )
    if bounds is not None and not isinstance(bounds, Mapping):
        if chart.y is not None:
            raise DomainError(
                "One pair of bounds cannot serve x and y. Each column has its own public range. "
                f"Write bounds={{{chart.x!r}: (lower, upper), {chart.y!r}: (lower, upper)}}."
            )
        facts[chart.x] = Bounds.of(bounds)
    facts |= _categories({chart.x: chart.order, chart.hue: chart.hue_order})
    if chart.x not in facts and chart.y is None and isinstance(chart.bins, tuple):
        edges = cast(tuple[float, ...], chart.bins)
        facts[chart.x] = Bounds.of((*edges[:1], *edges[-1:]))
    return Domain(facts)


def box_domain(chart: Boxplot, bounds: Range | Private | Mapping[str, Range] | None) -> Domain:
    """Return what a boxplot declares."""
    values, by = (chart.x, chart.y) if chart.orient == "h" else (chart.y, chart.x)
    column = cast(str, values or by)
    facts = _bounds(column, bounds)
    groups = {by if values else None: chart.order, chart.hue: chart.hue_order}
    return Domain(facts | _categories(groups))


def quantile_domain(
    chart: Quantiles, bounds: Range | Private | Mapping[str, Range] | None
) -> Domain:
    """Return what quantiles declare."""
    return Domain(_bounds(chart.x, bounds) | _categories({chart.hue: chart.hue_order}))


def heatmap_domain(chart: Heatmap, bounds: object) -> Domain:
    """Return what a heatmap declares: its window, and how much a row may weigh."""
    if not isinstance(bounds, Mapping):
        raise DomainError(
            "A heatmap needs the public bounds of both columns. A window read from the data would "
            f"leak its extremes. Write bounds={{{chart.x!r}: (lower, upper), {chart.y!r}: (lower, "
            "upper)}."
        )
    return Domain(cast(Mapping[str, object], bounds))


def components_domain(
    bounds: object, hue: str | None = None, hue_order: Order | None = None
) -> Domain:
    """Return what principal components and their score plots declare."""
    if not isinstance(bounds, Mapping | None):
        raise DomainError(
            "Principal components need the public bounds of every column. A range read from the "
            "data would leak its extremes. Write bounds={'age': (0, 100), 'weight': (0, 200)}."
        )
    facts = dict(cast(Mapping[str, object], bounds or {}))
    return Domain(facts | _categories({hue: hue_order}))


def _bounds(column: str, bounds: Range | Private | Mapping[str, Range] | None) -> dict[str, object]:
    if bounds is None or isinstance(bounds, Private):
        return {}
    return dict(bounds) if isinstance(bounds, Mapping) else {column: Bounds.of(bounds)}


def _categories(orders: Mapping[str | None, Order | None]) -> dict[str, object]:
    return {
        column: order
        for column, order in orders.items()
        if column is not None and order is not None and not isinstance(order, Private)
    }
