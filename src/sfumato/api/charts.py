"""One-line charts: a table in, a release out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.api.alone import release_alone
from sfumato.asking import Private
from sfumato.charts.bins import Bins
from sfumato.charts.boxplot import Boxplot
from sfumato.charts.declaring import (
    Range,
    box_domain,
    heatmap_domain,
    histogram_domain,
    quantile_domain,
)
from sfumato.charts.heat.window import Resolution
from sfumato.charts.heatmap import Heatmap
from sfumato.charts.histogram import Histogram
from sfumato.charts.order import Order
from sfumato.charts.quantiles import Neighbours, Quantiles
from sfumato.engines.choosing import engine_for
from sfumato.figure import Orient
from sfumato.plane import Outside
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.area import Aspect
from sfumato.releases.boxplot import BoxplotRelease
from sfumato.releases.heatmap import HeatmapRelease, Origin
from sfumato.releases.histogram import HistogramRelease, Stat
from sfumato.releases.quantiles import QuantilesRelease


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
        A path or glob of CSV or Parquet files, a pandas or Polars frame, an Arrow table, a DuckDB
        relation or a Spark DataFrame; or a `Table`, which says what may be spent on reading it.
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
    return release_alone(table, chart, histogram_domain(chart, bounds), unit, budget)


def boxplot(
    table: object,
    *,
    x: str | None = None,
    y: str | None = None,
    hue: str | None = None,
    order: Order | None = None,
    hue_order: Order | None = None,
    bounds: Range | Private | Mapping[str, Range] | None = None,
    method: str = "fence",
    whis: float = 1.5,
    step: float | None = None,
    orient: Orient | None = None,
    unit: PrivacyUnit | str | None = None,
    budget: Budget | float,
) -> BoxplotRelease:
    """Release a private boxplot of a table.

    Parameters
    ----------
    table
        As in `histplot`.
    x, y, hue, method, whis, step, orient
        As in `Boxplot`, and as in seaborn. Without `orient`, the kinds of the columns tell which
        has the values.
    order, hue_order
        The public categories of the other axis and of `hue`; or ``sf.private(delta=…)``.
    bounds
        The public range of the values; or ``sf.private()`` to search for it.
    unit, budget
        As in `histplot`.

    Privacy
    -------
    As in `histplot`. All boxes together are charged once.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = sf.testing.city(people=2000)
    >>> release = sf.boxplot(people, y="age", bounds=(0, 100), step=1, budget=1.0)
    >>> release.boxes[0].q1 <= release.boxes[0].median <= release.boxes[0].q3
    True
    """
    orient = orient or _orientation(table, x, y, bounds)
    sought = bounds if isinstance(bounds, Private) else None
    chart = Boxplot(x, y, hue, order, hue_order, sought, method, whis, step, orient=orient)
    return release_alone(table, chart, box_domain(chart, bounds), unit, budget)


def heatmap(
    table: object,
    *,
    x: str,
    y: str,
    resolution: Resolution = 256,
    method: str = "adaptive",
    decoder: str | None = None,
    top: float | None = None,
    width: int = 20,
    decay: float = 2**-0.5,
    levels: int | None = None,
    weight: str | None = None,
    outside: Outside = "drop",
    origin: Origin = "lower",
    aspect: Aspect | None = None,
    bounds: Mapping[str, Range],
    unit: PrivacyUnit | str | None = None,
    budget: Budget | float,
) -> HeatmapRelease:
    """Release a private heatmap of a table.

    Parameters
    ----------
    table
        As in `histplot`.
    x, y, resolution, method, weight, outside, origin, aspect
        As in `Heatmap`.
    decoder, top, width, decay, levels
        For the methods that others published; as in `Heatmap`.
    bounds
        The public window, ``{"lon": (…), "lat": (…)}``, and the public range of `weight` if any.
    unit, budget
        As in `histplot`.

    Privacy
    -------
    As in `histplot`. The whole map is charged once, at any resolution.

    Examples
    --------
    >>> import sfumato as sf
    >>> visits = sf.testing.checkins(people=500)
    >>> window = {"lon": (-30.10, -29.90), "lat": (44.94, 45.06)}
    >>> heat = sf.heatmap(visits, x="lon", y="lat", bounds=window, unit="person_id", budget=1.0)
    >>> heat.to_array(resolution=(4, 3)).shape
    (3, 4)
    """
    options = (method, decoder, top, width, decay, levels, weight, outside, origin, aspect)
    chart = Heatmap(x, y, resolution, *options)
    return release_alone(table, chart, heatmap_domain(chart, bounds), unit, budget)


def quantiles(
    table: object,
    *,
    x: str,
    q: Sequence[float] | float = (0.25, 0.5, 0.75),
    hue: str | None = None,
    hue_order: Order | None = None,
    bounds: Range | Private | Mapping[str, Range] | None = None,
    method: str | None = None,
    step: float | None = None,
    neighbours: Neighbours = "add-remove",
    n: int | None = None,
    unit: PrivacyUnit | str | None = None,
    budget: Budget | float,
) -> QuantilesRelease:
    """Release private quantiles of a column.

    Parameters
    ----------
    table
        As in `histplot`.
    x, q, hue, hue_order, method, step, neighbours, n
        As in `Quantiles`.
    bounds
        The public range of `x`; or ``sf.private()`` to search for it.
    unit, budget
        As in `histplot`.

    Privacy
    -------
    As in `histplot`. With ``neighbours="replace"`` the promise is weaker, and the release says so.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = sf.testing.city(people=2000)
    >>> release = sf.quantiles(people, x="age", q=[0.1, 0.5, 0.9], bounds=(0, 100), budget=1.0)
    >>> release.quantiles.shape
    (1, 3)
    """
    sought = bounds if isinstance(bounds, Private) else None
    chart = Quantiles(x, q, hue, hue_order, sought, method, step, neighbours, n)
    domain = quantile_domain(chart, bounds)
    return release_alone(table, chart, domain, unit, budget, size=n)


def _orientation(table: object, x: str | None, y: str | None, bounds: object) -> Orient | None:
    """Tell by the kinds of two columns, which are public, which one has the values."""
    if x is None or y is None:
        return None
    if isinstance(bounds, Mapping):
        return "h" if x in bounds and y not in bounds else "v"
    schema = engine_for(table).schema()
    measured = [schema.kind(column) in ("number", "time") for column in (x, y)]
    return "h" if measured == [True, False] else "v"
