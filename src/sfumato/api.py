"""One-line charts: a table in, a release out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, cast

from sfumato.charts.bins import Bins
from sfumato.charts.chart import Chart
from sfumato.charts.histogram import Histogram, Order
from sfumato.domain import Bounds, Domain, Private
from sfumato.errors import DomainError
from sfumato.privacy.amount import plain_above
from sfumato.privacy.budget import Budget
from sfumato.privacy.unit import PrivacyUnit
from sfumato.releases.histogram import HistogramRelease, Stat
from sfumato.session import Session

Range = Bounds | Sequence[float] | Sequence[date]


def histplot(
    table: object,
    *,
    x: str,
    y: str | None = None,
    hue: str | None = None,
    bins: Bins | None = None,
    stat: Stat = "count",
    order: Order | None = None,
    hue_order: Order | None = None,
    bounds: Range | Mapping[str, Range] | None = None,
    unit: PrivacyUnit | str | None = None,
    budget: Budget | float,
) -> HistogramRelease:
    """Release a private histogram of a table.

    Parameters
    ----------
    table
        A path or glob of CSV or Parquet files, a pandas or Polars frame, an Arrow table or a
        DuckDB relation.
    x, y, hue, bins, stat
        As in `Histogram`, and as in seaborn.
    order, hue_order
        The public categories of `x` and of `hue`; or ``sf.private(delta=…)`` to search for them.
    bounds
        The public range of `x`; for two columns ``{"lon": (…), "lat": (…)}``.
    unit
        Whose presence is hidden; one row unless you say otherwise.
    budget
        What the chart may spend; a bare number is pure ε.

    Privacy
    -------
    ε-differentially private for one unit added or removed, or (ε, δ) where a δ is given. The
    release states its guarantee. Charts made one by one do not know of each other: to bound what
    several reveal together, use a `Session`.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = sf.testing.city(people=500)
    >>> release = sf.histplot(people, x="age", bounds=(0, 100), bins=10, budget=1.0)
    >>> len(release.counts)
    10
    """
    chart = Histogram(x, y, hue, bins, stat, order, hue_order)
    domain = declared(chart, bounds)
    unit, spending = PrivacyUnit.of(unit), Budget.of(budget)
    limit = room_for(chart, domain, unit, spending)
    session = Session(table, unit=unit, domain=domain, budget=limit)
    return session.release(chart, budget=spending)


def declared(chart: Histogram, bounds: Range | Mapping[str, Range] | None) -> Domain:
    """Return what a one-liner declares: bounds, and the orders as categories."""
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
    for column, order in ((chart.x, chart.order), (chart.hue, chart.hue_order)):
        if column is not None and order is not None and not isinstance(order, Private):
            facts[column] = order
    if chart.x not in facts and chart.y is None and isinstance(chart.bins, tuple):
        edges = cast(tuple[float, ...], chart.bins)
        facts[chart.x] = Bounds.of((*edges[:1], *edges[-1:]))
    return Domain(facts)


def room_for(chart: Chart[Any, Any], domain: Domain, unit: PrivacyUnit, budget: Budget) -> Budget:
    """Return a limit that this one chart fills: its thresholds take their δ, and no more."""
    reserve = plain_above(chart.plan(domain, unit, budget).cost.delta)
    return Budget(budget.epsilon, budget.delta or reserve, reserve=reserve)
