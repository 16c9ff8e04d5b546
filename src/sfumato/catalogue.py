"""Every request worth trying, once: demonstration, tests, audit and benchmarks ask for these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from sfumato.charts.boxplot.chart import BoxMethod, Boxplot
from sfumato.charts.chart import Chart
from sfumato.charts.choropleth.chart import Choropleth
from sfumato.charts.countplot import Countplot
from sfumato.charts.distribution.chart import Distribution
from sfumato.charts.distribution.redrawn import Boxenplot, Ecdfplot, Kdeplot, Violinplot
from sfumato.charts.heatmap.chart import Heatmap, HeatMethod
from sfumato.charts.heatmap.redrawn import Jointplot, Scatterplot
from sfumato.charts.histogram import Histogram
from sfumato.charts.means.chart import Barplot
from sfumato.charts.means.redrawn import Lineplot, Pointplot
from sfumato.charts.pairplot.chart import Pairplot
from sfumato.charts.pca.chart import PCA
from sfumato.charts.pca.corrplot import Corrplot
from sfumato.charts.quantiles import QuantileMethod, Quantiles
from sfumato.charts.scoreplot.chart import Scoreplot
from sfumato.domain import Domain, Value
from sfumato.expressions import spell_column
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import Private, private
from sfumato.regions import Region, Ring
from sfumato.releases.pca import PcaRelease
from sfumato.releases.release import Release
from sfumato.releases.scoreplot import Method as ScoreMethod

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.session import Session


@dataclass(frozen=True)
class Roles:
    """Which column of a table plays which part in a chart, and what is public about them.

    Parameters
    ----------
    number, another
        Columns with bounds.
    whole
        One whose bounds leave room for whole numbers, a step apart.
    day
        A column of dates with bounds.
    group, other
        Columns with two categories or more.
    weight
        A column with bounds from 0.
    east, north
        The columns of a map.
    columns
        Three columns with bounds or more, whose components are looked for.
    person
        Whose row it is.
    rows
        How many rows there are, where that is public.
    """

    domain: Domain
    number: str
    another: str
    whole: str
    day: str
    group: str
    other: str
    weight: str
    east: str
    north: str
    columns: tuple[str, ...]
    person: str
    rows: int

    @property
    def edges(self) -> tuple[float, ...]:
        """Edges of unequal bins of `number`."""
        bounds = self.domain.bounds(self.number)
        return bounds.lower, bounds.lower + bounds.width / 3, bounds.upper

    @property
    def scale(self) -> dict[str, float]:
        """What one unit is worth in each of `columns`."""
        return {name: self.domain.bounds(name).width / 4 for name in self.columns}

    @property
    def within(self) -> tuple[float, float]:
        """A range to look for bounds of `whole` in."""
        return self.around(self.whole)

    @property
    def regions(self) -> tuple[Region, ...]:
        """Three regions of the map: two halves of its west, and what is left of a larger one."""
        east, north = (self.domain.bounds(name) for name in (self.east, self.north))
        x = [east.lower + share * east.width for share in (0, 0.5, 0.9)]
        y = [north.lower + share * north.width for share in (0, 0.5, 0.9)]
        corners = {"south": (0, 0, 1, 1), "north": (0, 1, 1, 2), "rest": (0, 0, 2, 2)}
        return tuple(
            Region(name, ((_draw_box(x[left], y[low], x[right], y[high]),),))
            for name, (left, low, right, high) in corners.items()
        )

    def around(self, column: str) -> tuple[float, float]:
        """Return a range to look for bounds of a column in."""
        bounds = self.domain.bounds(column)
        return bounds.lower - bounds.width, bounds.upper + bounds.width

    @property
    def users(self) -> PrivacyUnit:
        """All rows of a person, which count once together."""
        return PrivacyUnit.users(self.person)

    @property
    def few(self) -> PrivacyUnit:
        """All rows of a person, of whom three rows count."""
        return PrivacyUnit.users(self.person, max_rows=3)

    @property
    def where(self) -> str:
        """A condition that some rows meet."""
        number, group = spell_column(self.number), spell_column(self.group)
        bounds = self.domain.bounds(self.number)
        return f"{number} < {(bounds.lower + bounds.upper) / 2!r} or {group}.isna()"

    def backwards(self, column: str) -> list[Value]:
        """Return the first two categories of a column, the second one first."""
        first, second, *_ = self.domain.categories(column).values
        return [second, first]


def _draw_box(left: float, low: float, right: float, high: float) -> Ring:
    return ((left, low), (right, low), (right, high), (left, high), (left, low))


@dataclass(frozen=True)
class Request:
    """A chart, whom it protects, and what it needs to be paid and drawn.

    Parameters
    ----------
    gaussian
        Whether it is paid for with a δ, so that its noise is Gaussian.
    given
        Where a score plot is drawn in components that are released before it: the options that it
        has then.
    view
        How its figure is drawn, where a release has several.
    typical
        Whether it stands for its chart where one of each is all that there is time for.
    """

    name: str
    chart: Chart[Any, Any]
    unit: PrivacyUnit = field(default_factory=PrivacyUnit.rows)
    gaussian: bool = False
    given: Mapping[str, Any] | None = None
    view: Mapping[str, Any] = field(default_factory=dict[str, Any])
    typical: bool = False

    @property
    def verb(self) -> str:
        """How it is asked for, in Python and in a shell."""
        return self.chart.verb

    @property
    def method(self) -> str | None:
        """The method that is asked for, where a chart has several."""
        return getattr(self.chart, "method", None)

    @property
    def options(self) -> dict[str, Any]:
        """What a person would have to type."""
        asked = unusual(self.chart)
        if self.given is None:
            return asked
        del asked["columns"]
        return {"pca": self.components, **asked, **self.given}

    @property
    def size(self) -> int | None:
        """The number of rows, where it is public and they are replaced."""
        return getattr(self.chart, "n", None)

    @property
    def searches(self) -> dict[str, Private]:
        """The options that ask for a private search."""
        return {name: each for name, each in self.options.items() if isinstance(each, Private)}

    def budget(self, epsilon: float, delta: float = 1e-6, *, weak: bool = False) -> Budget:
        """Return a budget for it, with a δ where it needs one."""
        return Budget(epsilon, delta if self.gaussian else 0.0, weak=weak)

    @property
    def components(self) -> PCA | None:
        """What is to be released before, if anything is."""
        return None if self.given is None else cast(Scoreplot, self.chart).asked

    def drawn_in(self, components: PcaRelease) -> Request:
        """Return the same score plot in components that were released."""
        new: dict[str, Any] = {"pca": components, "columns": None, **(self.given or {})}
        return replace(self, chart=replace(cast(Scoreplot, self.chart), **new), given=None)

    def session(
        self, table: object, domain: Domain, ledger: Path | None = None, name: str | None = None
    ) -> Session:
        """Open a session that has room for it."""
        room = Budget(100, 0.1, weak=True)
        kept: dict[str, Any] = {"ledger": ledger, "name": name, "size": self.size}
        from sfumato.session import Session

        return Session(table, unit=self.unit, domain=domain, budget=room, **kept)

    def release(self, session: Session, budget: Budget) -> Release:
        """Ask a session to measure it, and the components that it is drawn in before.

        Privacy
        -------
        Costs `budget`, and as much again for components, both charged by the session.
        """
        if self.components is None:
            return session.release(self.chart, budget=budget, fresh=True)
        components = session.release(self.components, budget=budget, fresh=True)
        return self.drawn_in(components).release(session, budget)

    def like(self, **options: Any) -> Chart[Any, Any]:
        """Return the same chart with other values of the options that it has, and no other ones."""
        if strangers := options.keys() - self.options:
            raise TypeError(f"{self.name} is tried without {', '.join(sorted(strangers))}")
        return replace(cast(Any, self.chart), **options)


def unusual(noun: Any) -> dict[str, Any]:
    """Return what a person would have to type: all that is not left at its default."""
    return {
        field.name: value
        for field in fields(noun)
        # A noun may keep one number as a pair.
        if (value := getattr(noun, field.name)) not in (field.default, (field.default,) * 2)
    }


def requests(roles: Roles) -> tuple[Request, ...]:
    """Return every request worth trying, of a table whose columns play these roles.

    Every chart is here by every method, with every option and every word that an option may have,
    for every unit, and with every search for what was not declared. A test says so.
    """
    kinds = (
        _histograms,
        _counts,
        _means,
        _points,
        _lines,
        _boxplots,
        _quantiles,
        _distributions,
        _heatmaps,
        _planes,
        _maps,
        _components,
        _scores,
    )
    return tuple(request for kind in kinds for request in kind(roles))


def by_method(roles: Roles) -> tuple[Request, ...]:
    """Return the first request of each chart by each method, where there is time for no more."""
    found: dict[tuple[str, str | None], Request] = {}
    for request in requests(roles):
        found.setdefault((request.verb, request.method), request)
    return tuple(found.values())


def request(name: str, roles: Roles) -> Request:
    """Return the request of this name."""
    return next(request for request in requests(roles) if request.name == name)


def like(name: str, **options: Any) -> Chart[Any, Any]:
    """Return the chart of a request that is tried everywhere, of columns that you name."""
    return request(name, CITY).like(**options)


_SEARCH = private(share=0.3, delta=1e-7)


def _histograms(t: Roles) -> Iterator[Request]:
    n, m, g, h = t.number, t.another, t.group, t.other
    yield Request("histplot", Histogram(n))
    yield Request("histplot-whole", Histogram(t.whole), t.users, gaussian=True)
    yield Request("histplot-bins", Histogram(n, bins=20))
    yield Request("histplot-edges", Histogram(n, bins=t.edges, where=t.where), t.few)
    yield Request("histplot-hue", Histogram(n, bins=20, hue=g), typical=True)
    yield Request("histplot-hues", Histogram(n, bins=4, hue=g, hue_order=t.backwards(g)), t.users)
    yield Request("histplot-groups", Histogram(g, hue=h, hue_order=t.backwards(h)))
    yield Request("histplot-order", Histogram(h, order=t.backwards(h)), gaussian=True)
    yield Request("histplot-density", Histogram(n, bins=8, stat="density"), gaussian=True)
    yield Request("histplot-share", Histogram(g, stat="proportion"), t.users)
    yield Request("histplot-plane", Histogram(n, m, bins=8), t.users)
    yield Request("histplot-pair", Histogram(n, m, bins=(t.edges, 4)), gaussian=True)
    yield Request("histplot-days", Histogram(t.day, bins=17), t.few)
    yield Request("histplot-day-hues", Histogram(t.day, bins=7, hue=g, hue_order=t.backwards(g)))
    yield Request("histplot-calendar", Histogram(t.day), t.users)
    col = Histogram(n, bins=4, col=g, col_order=t.backwards(g), col_wrap=2)
    yield Request("histplot-col", col, t.users)
    grid = Histogram(n, bins=4, row=g, row_order=t.backwards(g), col=h)
    yield Request("histplot-panels", grid, t.few, gaussian=True)
    if t.domain.bounds(t.day).time:  # tables of the audit may have numbers in place of dates
        yield Request("histplot-weeks", Histogram(t.day, bins="week", outside="drop"), t.users)
        cycle = Histogram(t.day, t.day, bins=("weekday", "month of year"))
        yield Request("histplot-cycle", cycle)
    yield Request("histplot-search", Histogram(g, order=private(delta=1e-7)))
    search = Histogram(n, hue=g, bins=4, hue_order=_SEARCH)
    yield Request("histplot-search-hue", search, t.few, gaussian=True)


def _counts(t: Roles) -> Iterator[Request]:
    g, h = t.group, t.other
    ordered = Countplot(g, hue=h, order=t.backwards(g), hue_order=t.backwards(h), where=t.where)
    yield Request("countplot", Countplot(g), typical=True)
    yield Request("countplot-hue", ordered, t.users)
    col = Countplot(g, stat="proportion", col=h, col_order=t.backwards(h), col_wrap=2)
    yield Request("countplot-col", col, t.few)
    row = Countplot(g, row=h, row_order=t.backwards(h))
    yield Request("countplot-row", row, gaussian=True)
    yield Request("countplot-search", Countplot(g, order=private(delta=1e-7)))
    search = Countplot(g, hue=h, hue_order=_SEARCH)
    yield Request("countplot-search-hue", search, gaussian=True)


def _means(t: Roles) -> Iterator[Request]:
    n, g, h = t.number, t.group, t.other
    yield Request("barplot", Barplot(g, n), typical=True)
    yield Request("barplot-gauss", Barplot(g, n, h, clip="bounds"), gaussian=True)
    ordered = Barplot(g, n, h, order=t.backwards(g), hue_order=t.backwards(h), where=t.where)
    yield Request("barplot-hue", ordered, t.users)
    yield Request("barplot-lying", Barplot(g, n), t.few, view={"orient": "h"})
    yield Request("barplot-sum", Barplot(g, n, estimator="sum", clip="bounds"), t.users)
    yield Request("barplot-median", Barplot(g, n, estimator="median"), t.users)
    search = Barplot(g, n, estimator="median", bounds=private())
    yield Request("barplot-median-search", search, gaussian=True)
    yield Request("barplot-count", Barplot(g, n, estimator="count"), t.few)
    yield Request("barplot-share", Barplot(g, h, estimator="proportion"), t.users)
    levels = Barplot(g, h, estimator="proportion", levels=t.backwards(h))
    yield Request("barplot-levels", levels, gaussian=True)
    yield Request("barplot-bins", Barplot(n, t.another, bins=t.edges))
    col = Barplot(g, n, col=h, col_order=t.backwards(h), col_wrap=2)
    yield Request("barplot-col", col, t.users, gaussian=True)
    yield Request("barplot-row", Barplot(y=n, row=g, row_order=t.backwards(g)), t.few)
    within = private(within=t.within, share=0.2)
    yield Request("barplot-bounds", Barplot(g, t.whole, bounds=within))
    yield Request("barplot-search", Barplot(g, n, order=_SEARCH), gaussian=True)
    yield Request(
        "barplot-search-hue", Barplot(y=n, hue=h, hue_order=_SEARCH), t.few, gaussian=True
    )


def _points(t: Roles) -> Iterator[Request]:
    n, g, h = t.number, t.group, t.other
    yield Request("pointplot", Pointplot(g, n, h), typical=True)
    ordered = Pointplot(g, n, h, order=t.backwards(g), hue_order=t.backwards(h), where=t.where)
    yield Request("pointplot-hue", ordered, t.users)
    yield Request("pointplot-sum", Pointplot(n, t.another, bins=4, estimator="sum"), t.few)
    yield Request("pointplot-median", Pointplot(g, n, estimator="median"), t.few)
    yield Request("pointplot-count", Pointplot(g, estimator="count"))
    levels = Pointplot(g, h, estimator="proportion", levels=t.backwards(h))
    yield Request("pointplot-levels", levels, t.few)
    col = Pointplot(g, n, clip="bounds", col=h, col_order=t.backwards(h), col_wrap=2)
    yield Request("pointplot-col", col, gaussian=True)
    yield Request("pointplot-row", Pointplot(y=n, row=g, row_order=t.backwards(g)), t.users)
    yield Request("pointplot-bounds", Pointplot(g, n, bounds=private()), view={"orient": "v"})
    yield Request("pointplot-search", Pointplot(g, n, order=_SEARCH))
    yield Request("pointplot-search-hue", Pointplot(y=n, hue=h, hue_order=_SEARCH), gaussian=True)


def _lines(t: Roles) -> Iterator[Request]:
    n, g, h = t.number, t.group, t.other
    yield Request("lineplot", Lineplot(t.day, n, g, bins=7), t.users, typical=True)
    ordered = Lineplot(t.day, n, g, bins=3, hue_order=t.backwards(g), where=t.where)
    yield Request("lineplot-hue", ordered, gaussian=True)
    yield Request("lineplot-sum", Lineplot(n, t.another, estimator="sum", clip="bounds"))
    yield Request("lineplot-median", Lineplot(t.day, n, bins=4, estimator="median"))
    yield Request("lineplot-count", Lineplot(t.day, estimator="count"), t.few, view={"merge": True})
    levels = Lineplot(t.day, h, bins=4, estimator="proportion", levels=t.backwards(h))
    yield Request("lineplot-levels", levels)
    yield Request("lineplot-order", Lineplot(g, n, order=t.backwards(g)))
    col = Lineplot(t.day, n, bins=4, col=h, col_order=t.backwards(h), col_wrap=2)
    yield Request("lineplot-col", col)
    yield Request("lineplot-row", Lineplot(t.day, n, bins=4, row=g, row_order=t.backwards(g)))
    if t.domain.bounds(t.day).time:  # tables of the audit may have numbers in place of dates
        yield Request("lineplot-cycle", Lineplot(t.day, n, bins="weekday"), t.users)
    yield Request("lineplot-bounds", Lineplot(g, n, bounds=private()))
    yield Request("lineplot-search", Lineplot(g, n, order=_SEARCH), gaussian=True)
    yield Request("lineplot-search-hue", Lineplot(t.day, n, h, bins=4, hue_order=_SEARCH))


def _boxplots(t: Roles) -> Iterator[Request]:
    n, g, h = t.number, t.group, t.other
    for method in get_args(BoxMethod):
        chart = Boxplot(x=g, y=n, method=method)
        yield Request(f"boxplot-{method}", chart, typical=method == "fence")
    yield Request("boxplot", Boxplot(y=n), gaussian=True)
    yield Request("boxplot-across", Boxplot(x=n, y=g), t.users)
    yield Request("boxplot-upright", Boxplot(x=g, y=n, orient="v"), t.few)
    yield Request("boxplot-lying", Boxplot(x=n, y=g, orient="h"))
    yield Request("boxplot-hue", Boxplot(x=g, y=n, hue=h, step=1), gaussian=True)
    ordered = Boxplot(g, n, h, order=t.backwards(g), hue_order=t.backwards(h), whis=1.0)
    yield Request("boxplot-order", ordered, t.users)
    col = Boxplot(x=g, y=n, col=h, col_order=t.backwards(h), col_wrap=2)
    yield Request("boxplot-col", col, t.few)
    yield Request("boxplot-row", Boxplot(y=n, row=g, row_order=t.backwards(g)), t.users)
    yield Request("boxplot-step", Boxplot(y=t.whole, step=1, where=t.where), t.few)
    yield Request("boxplot-days", Boxplot(x=t.day, y=g, order=t.backwards(g)), t.users)
    yield Request("boxplot-buffer", Boxplot(x=g, y=n, method="dpboxplot", buffer=0.5))
    yield Request("boxplot-bounds", Boxplot(y=n, bounds=private(share=0.2)), t.users)
    within = private(within=t.within)
    yield Request("boxplot-within", Boxplot(y=t.whole, step=1, bounds=within), gaussian=True)
    yield Request("boxplot-search", Boxplot(x=g, y=n, order=_SEARCH), gaussian=True)
    yield Request("boxplot-search-hue", Boxplot(x=g, y=n, hue=h, hue_order=_SEARCH), t.few)


def _quantiles(t: Roles) -> Iterator[Request]:
    n, g, h = t.number, t.group, t.other
    for method in get_args(QuantileMethod):
        chart = Quantiles(n, method=method)
        yield Request(f"quantiles-{method}", chart, typical=method == "joint")
    yield Request("quantiles", Quantiles(n, q=[level / 10 for level in range(1, 10)]), t.users)
    yield Request("quantiles-median", Quantiles(n, q=0.5), gaussian=True)
    yield Request("quantiles-hue", Quantiles(n, hue=g, method="approx"), t.users)
    steps = Quantiles(t.whole, q=(0.1, 0.9), hue=g, hue_order=t.backwards(g), step=1)
    yield Request("quantiles-hues", replace(steps, where=t.where), t.few)
    col = Quantiles(n, q=(0.1, 0.9), hue=g, col=h, col_order=t.backwards(h), col_wrap=2)
    yield Request("quantiles-col", col, t.users, gaussian=True)
    yield Request("quantiles-row", Quantiles(n, row=g, row_order=t.backwards(g)), t.few)
    yield Request("quantiles-days", Quantiles(t.day, hue=g), gaussian=True)
    yield Request("quantiles-bounds", Quantiles(n, bounds=private()), t.users)
    yield Request("quantiles-search", Quantiles(n, hue=g, hue_order=_SEARCH))
    yield Request("quantiles-replace", Quantiles(n, neighbours="replace", n=t.rows))


def _distributions(t: Roles) -> Iterator[Request]:
    n, g, h = t.number, t.group, t.other
    yield Request("distribution", Distribution(n), t.users, typical=True)
    hue = Distribution(n, hue=g, hue_order=t.backwards(g), where=t.where)
    yield Request("distribution-hue", hue, t.few, gaussian=True)
    yield Request("distribution-step", Distribution(t.whole, step=1))
    yield Request("distribution-days", Distribution(t.day, hue=g), gaussian=True)
    col = Distribution(n, hue=g, col=h, col_order=t.backwards(h), col_wrap=2)
    yield Request("distribution-col", col, t.users)
    by = Distribution(n, hue=g, by=h, by_order=t.backwards(h))
    yield Request("distribution-by", by, t.users)
    yield Request("distribution-by-search", Distribution(n, hue=h, by=g, by_order=_SEARCH), t.few)
    yield Request("distribution-row", Distribution(n, row=g, row_order=t.backwards(g)), t.few)
    yield Request("distribution-bounds", Distribution(n, bounds=private()), t.users)
    yield Request("distribution-search", Distribution(n, hue=g, hue_order=_SEARCH))
    for chart in (Ecdfplot, Kdeplot):
        yield from _curves(t, chart)
    for chart in (Violinplot, Boxenplot):
        yield from _violins(t, chart)


def _curves(t: Roles, chart: type[Ecdfplot | Kdeplot]) -> Iterator[Request]:
    n, g, h, verb = t.number, t.group, t.other, chart.verb
    yield Request(verb, chart(n), typical=True)
    hue = chart(x=n, hue=g, hue_order=t.backwards(g), where=t.where)
    yield Request(f"{verb}-hue", hue, t.users)
    yield Request(f"{verb}-step", chart(x=t.whole, step=1), t.few, gaussian=True)
    col = chart(x=n, col=h, col_order=t.backwards(h), col_wrap=2)
    yield Request(f"{verb}-col", col, t.users)
    yield Request(f"{verb}-row", chart(x=n, row=g, row_order=t.backwards(g)), gaussian=True)
    yield Request(f"{verb}-bounds", chart(x=n, bounds=private(share=0.2)), t.users)
    yield Request(f"{verb}-search", chart(x=n, hue=g, hue_order=_SEARCH), t.few)


def _violins(t: Roles, chart: type[Violinplot | Boxenplot]) -> Iterator[Request]:
    n, g, h, verb = t.number, t.group, t.other, chart.verb
    yield Request(verb, chart(y=n), t.users)
    ordered = chart(x=g, y=n, order=t.backwards(g), where=t.where)
    yield Request(f"{verb}-order", ordered, typical=True)
    hue = chart(x=g, y=n, hue=h, hue_order=t.backwards(h))
    yield Request(f"{verb}-hue", hue, gaussian=True)
    found = chart(x=h, y=n, hue=g, hue_order=_SEARCH)
    yield Request(f"{verb}-hue-search", found, t.few)
    yield Request(f"{verb}-step", chart(y=t.whole, step=1), t.few, gaussian=True)
    col = chart(x=g, y=n, col=h, col_order=t.backwards(h), col_wrap=2)
    yield Request(f"{verb}-col", col, t.users)
    yield Request(f"{verb}-row", chart(y=n, row=g, row_order=t.backwards(g)), gaussian=True)
    yield Request(f"{verb}-bounds", chart(y=n, bounds=private(share=0.2)), t.users)
    yield Request(f"{verb}-search", chart(x=g, y=n, order=_SEARCH), t.few)


def _heatmaps(t: Roles) -> Iterator[Request]:
    e, n = t.east, t.north
    for method in get_args(HeatMethod):
        chart = Heatmap(e, n, 16, method)
        yield Request(f"heatmap-{method}", chart, t.users, typical=method == "adaptive")
    yield Request("heatmap", Heatmap(e, n), t.users, view={"leaves": True})
    yield Request("heatmap-smooth", Heatmap(e, n, 16), gaussian=True, view={"smooth": 1})
    yield Request("heatmap-lp", Heatmap(e, n, 16, "pyramid", "lp"), t.users)
    yield Request("heatmap-bayes", Heatmap(e, n, 16, "pyramid", "bayes"), t.users)
    paper = Heatmap(e, n, 16, "pyramid", width=4, decay=0.5, levels=3)
    yield Request("heatmap-levels", paper, t.users)
    yield Request("heatmap-top", Heatmap(e, n, 8, "laplace", top=0.5), gaussian=True)
    yield Request("heatmap-gauss", Heatmap(e, n, 16, "dense"), gaussian=True)
    yield Request("heatmap-weight", Heatmap(e, n, 16, weight=t.weight))
    edge = Heatmap(e, n, (16, 8), outside="edge", aspect="equal")
    yield Request("heatmap-edge", edge, gaussian=True)
    image = Heatmap(t.number, t.another, 8, "laplace", origin="upper", aspect="free")
    yield Request("heatmap-image", image)
    yield Request("heatmap-map", Heatmap(e, n, 16, aspect="map", where=t.where), t.users)
    yield Request("heatmap-days", Heatmap(t.day, n, 8))
    hue = Heatmap(e, n, 16, hue=t.group, hue_order=t.backwards(t.group))
    yield Request("heatmap-hue", hue, t.users, view={"view": "scatter"})
    yield Request("heatmap-panels", replace(hue, hue_order=None), view={"panels": True})
    yield Request("heatmap-search", Heatmap(e, n, 16, hue=t.group, hue_order=_SEARCH))
    yield Request("heatmap-window", Heatmap(e, n, 16, bounds=private()), t.users)
    within = {name: private(share=0.1, within=t.around(name)) for name in (e, n)}
    yield Request("heatmap-sides", replace(hue, bounds=within), t.users)


def _maps(t: Roles) -> Iterator[Request]:
    e, n, g, h = t.east, t.north, t.group, t.other
    apart = t.regions[:2]
    yield Request("choropleth", Choropleth(e, n, t.regions), t.users, typical=True)
    dense = Choropleth(e, n, apart, stat="density", aspect="equal")
    col = Choropleth(e, n, t.regions, col=g, col_order=t.backwards(g), col_wrap=2)
    yield Request("choropleth-col", col, t.users)
    yield Request("choropleth-row", replace(dense, row=h, row_order=t.backwards(h)), gaussian=True)
    yield Request("choropleth-rows", Choropleth(e, n, t.regions, where=t.where), gaussian=True)
    named = Choropleth(e, n, t.regions, "district", "proportion", "free")
    yield Request("choropleth-share", named, t.few)
    yield Request("choropleth-density", dense, t.users)
    yield Request("choropleth-map", Choropleth(e, n, apart, stat="density", aspect="map"))
    yield from _maps_of_values(t)


def _maps_of_values(t: Roles) -> Iterator[Request]:
    g, h = t.group, t.other
    mean = Choropleth(t.east, t.north, t.regions, value=t.number)
    yield Request("choropleth-mean", mean, t.users)
    summed = replace(mean, estimator="sum", clip="bounds", aspect="free")
    yield Request("choropleth-sum", summed, t.few, gaussian=True)
    yield Request("choropleth-median", replace(mean, estimator="median", where=t.where))
    searched = replace(mean, bounds=private(within=t.around(t.number)), col=g)
    yield Request("choropleth-bounds", searched)
    shared = replace(mean, value=h, estimator="proportion", levels=t.backwards(h))
    yield Request("choropleth-levels", shared, t.users)


def _planes(t: Roles) -> Iterator[Request]:
    e, n, g = t.east, t.north, t.group
    for chart in (Scatterplot, Jointplot):
        verb = chart.verb
        yield Request(verb, chart(e, n), typical=True)
        hue = chart(e, n, hue=g, hue_order=t.backwards(g), where=t.where)
        yield Request(f"{verb}-hue", hue, t.users)
        edge = chart(t.day, n, outside="edge")
        yield Request(f"{verb}-days", edge, gaussian=True)
        search = chart(e, n, hue=g, hue_order=_SEARCH)
        yield Request(f"{verb}-search", search)
        yield Request(f"{verb}-window", chart(e, n, bounds=private()), t.users)
    yield Request("pairplot", Pairplot(t.columns), typical=True)
    days = Pairplot((t.number, t.day), where=t.where)
    yield Request("pairplot-days", days, t.users, gaussian=True)
    hue = Pairplot(t.columns, hue=g, hue_order=t.backwards(g))
    yield Request("pairplot-hue", hue, t.users)
    yield Request("pairplot-search", replace(hue, hue_order=_SEARCH), gaussian=True)


def _components(t: Roles) -> Iterator[Request]:
    c = t.columns
    yield Request("pca", PCA(c), t.users, gaussian=True, typical=True)
    yield Request("pca-few", PCA(c, n_components=2), t.few, True, view={"view": "loadings"})
    yield Request("pca-scale", PCA(c, scale=t.scale, where=t.where), gaussian=True)
    yield Request("pca-search", PCA(c, scale=private()), gaussian=True)
    yield Request("corrplot", Corrplot(c), t.users, gaussian=True, typical=True)
    yield Request("corrplot-scale", Corrplot(c, scale=t.scale, where=t.where), gaussian=True)
    yield Request("corrplot-search", Corrplot(c, scale=private(share=0.2)), t.few, True)


def _scores(t: Roles) -> Iterator[Request]:
    c, g = t.columns, t.group
    for method in get_args(ScoreMethod):
        chart = Scoreplot(columns=c, bins=8, hue=g, method=method)
        # A person of many rows could fill any number of cells that nobody else is in.
        unit = t.few if method == "sparse" else t.users
        yield Request(f"scoreplot-{method}", chart, unit, True, typical=method == "haar")
    yield Request("scoreplot", Scoreplot(columns=c), gaussian=True, view={"points": 50})
    clouds = Scoreplot(columns=c, hue=g)
    yield Request("scoreplot-hue", clouds, gaussian=True, view={"loadings": 3, "panels": False})
    hues = Scoreplot(columns=c, bins=(8, 6), axes=(2, 1), hue=g, hue_order=t.backwards(g))
    yield Request("scoreplot-hues", hues, t.users, gaussian=True)
    search = Scoreplot(columns=c, bins=4, hue=g, hue_order=_SEARCH)
    yield Request("scoreplot-search", search, gaussian=True)
    thirds = Scoreplot(columns=c, bins=4, split="thirds")
    yield Request("scoreplot-thirds", thirds, gaussian=True)
    shares = Scoreplot(columns=c, bins=4, split=(0.5, 0.1, 0.4), where=t.where)
    yield Request("scoreplot-shares", shares, gaussian=True)
    scaled = Scoreplot(columns=c, bins=4, scale=t.scale)
    yield Request("scoreplot-scale", scaled, t.few, gaussian=True)
    yield Request("scoreplot-scaled", replace(scaled, scale=private()), gaussian=True)
    drawn = Scoreplot(columns=c, bins=8)
    yield Request("scoreplot-given", drawn, t.users, gaussian=True, given={"split": "halves"})


CITY = Roles(
    domain=Domain(
        age=(0, 104),
        income=(0, 150_000),
        systolic=(80, 200),
        glucose=(60, 220),
        bmi=(10, 60),
        commute_minutes=(0, 90),
        moved_in=(date(1985, 1, 1), date(2026, 1, 1)),
        sex=["female", "male", "other"],
        health=["well", "athletic", "hypertension", "diabetes"],
        lon=(-30.10, -29.90),
        lat=(44.94, 45.06),
    ),
    number="systolic",
    another="income",
    whole="age",
    day="moved_in",
    group="sex",
    other="health",
    weight="commute_minutes",
    east="lon",
    north="lat",
    columns=("systolic", "glucose", "bmi"),
    person="person_id",
    rows=1000,
)
"""The roles that columns of the invented city play."""


def citizens(people: int) -> pa.Table:
    """Return where people of the invented city went, each visit with whose it was."""
    from sfumato.city import checkins, city

    return city(people).join(checkins(people), "person_id", use_threads=False)
