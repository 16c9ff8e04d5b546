"""One function per chart: its options in, what is asked out."""

from __future__ import annotations

from typing import Any, cast

from sfumato.cli.join import Asked
from sfumato.cli.options import Bins, Bounds, Hue, HueOrder, Order, Stat, X, Y
from sfumato.cli.spelling import read_bins, read_bounds, read_order


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
    from sfumato.api import declared
    from sfumato.charts.histogram import Histogram

    orders = read_order(order, "--order"), read_order(hue_order, "--hue-order")
    chart = Histogram(x, y, hue, cast(Any, read_bins(bins or [])), stat, *orders)
    return Asked(chart, declared(chart, read_bounds(bounds or [])))
