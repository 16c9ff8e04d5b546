"""One function per chart: its options in, what is asked out."""

from __future__ import annotations

from typing import Any, cast

from sfumato.cli.join import Asked
from sfumato.cli.options import (
    Aspect,
    Bins,
    Bounds,
    BoundsOrSearch,
    BoxMethod,
    Decoder,
    HeatMethod,
    Hue,
    HueOrder,
    Levels,
    Order,
    Orient,
    Origin,
    Outside,
    QuantileMethod,
    Resolution,
    Stat,
    Step,
    Top,
    WeightColumn,
    Whis,
    X,
    XIfAny,
    Y,
    YToo,
)
from sfumato.cli.spelling import (
    read_bins,
    read_bounds,
    read_bounds_or_search,
    read_levels,
    read_order,
    read_resolution,
)


def histplot(
    *,
    x: X,
    y: Y = None,
    hue: Hue = None,
    bins: Bins = None,
    stat: Stat = "count",
    bounds: Bounds = None,
    order: Order = None,
    hue_order: HueOrder = None,
) -> Asked:
    """Count rows or people in bins or categories, in one dimension or two."""
    from sfumato.charts.declaring import histogram_domain
    from sfumato.charts.histogram import Histogram

    orders = read_order(order, "--order"), read_order(hue_order, "--hue-order")
    chart = Histogram(x, y, hue, cast(Any, read_bins(bins or [])), stat, *orders)
    return Asked(chart, histogram_domain(chart, read_bounds(bounds or [])))


def boxplot(
    *,
    x: XIfAny = None,
    y: Y = None,
    hue: Hue = None,
    orient: Orient = None,
    method: BoxMethod = "fence",
    whis: Whis = 1.5,
    step: Step = None,
    bounds: BoundsOrSearch = None,
    order: Order = None,
    hue_order: HueOrder = None,
) -> Asked:
    """Show quartiles, whiskers and outliers of a column, by groups."""
    from sfumato.charts.boxplot import Boxplot
    from sfumato.charts.declaring import box_domain

    declared, sought = read_bounds_or_search(bounds or [])
    if orient is None and isinstance(declared, dict):
        orient = "h" if x in declared and y is not None and y not in declared else None
    chart = Boxplot(
        x,
        y,
        hue,
        read_order(order, "--order"),
        read_order(hue_order, "--hue-order"),
        bounds=sought,
        method=method,
        whis=whis,
        step=step,
        orient=orient,
    )
    return Asked(chart, box_domain(chart, declared))


def heatmap(
    *,
    x: X,
    y: YToo,
    resolution: Resolution = "256",
    method: HeatMethod = "adaptive",
    decoder: Decoder = None,
    top: Top = None,
    weight: WeightColumn = None,
    outside: Outside = "drop",
    origin: Origin = "lower",
    aspect: Aspect = None,
    bounds: Bounds = None,
) -> Asked:
    """Show where rows or people are, on a map of two columns."""
    from sfumato.charts.declaring import heatmap_domain
    from sfumato.charts.heatmap import Heatmap

    chart = Heatmap(
        x,
        y,
        cast(Any, read_resolution(resolution)),
        method,
        decoder,
        top,
        weight=weight,
        outside=outside,
        origin=origin,
        aspect=aspect,
    )
    return Asked(chart, heatmap_domain(chart, read_bounds(bounds or [])), (".geojson",))


def quantiles(
    *,
    x: X,
    q: Levels = "0.25,0.5,0.75",
    hue: Hue = None,
    method: QuantileMethod = None,
    step: Step = None,
    bounds: BoundsOrSearch = None,
    hue_order: HueOrder = None,
) -> Asked:
    """Find the numbers below which given shares of a column lie, by groups."""
    from sfumato.charts.declaring import quantile_domain
    from sfumato.charts.quantiles import Quantiles

    declared, sought = read_bounds_or_search(bounds or [])
    order = read_order(hue_order, "--hue-order")
    chart = Quantiles(x, read_levels(q), hue, order, sought, method, step)
    return Asked(chart, quantile_domain(chart, declared))
