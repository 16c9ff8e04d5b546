"""`Ecdfplot` and its sisters: a distribution under the names people look for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from sfumato.charts.axes import HUE, HUE_ORDER, Order, about_order
from sfumato.charts.chart import Redrawn
from sfumato.charts.distribution.chart import Distribution, DistributionPlan
from sfumato.charts.facets import Faceted
from sfumato.charts.option import About, Example, explained
from sfumato.charts.values import RANGES, SEARCH, STEP
from sfumato.errors import DomainError, Setting
from sfumato.private_search import Private
from sfumato.releases.distribution import DistributionRelease, Drawn

_X = About(help="The column of numbers or dates.", metavar="COLUMN", positional=True)
_CHARGED = (
    "All groups and panels together are charged once, and nothing where the same distribution was "
    "released, however it was drawn."
)


@dataclass(frozen=True, kw_only=True)
class DrawnDistribution(Faceted, Redrawn[DistributionPlan, DistributionRelease]):
    """A chart that draws a distribution in one way.

    Attributes
    ----------
    drawn
        Which way.
    """

    drawn: ClassVar[Drawn]
    privacy = _CHARGED
    ranges = RANGES

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.question  # which refuses what no distribution can be asked

    def arrange(self, release: Any) -> Any:
        """Return a distribution drawn in this way, in panels as they are asked for."""
        arranged = super().arrange(release)
        if isinstance(arranged, DistributionRelease) and arranged.view != self.drawn:
            return replace(arranged, view=self.drawn, signature=None)
        return arranged

    @property
    def _shared_options(self) -> dict[str, Any]:
        names = ("where", "col", "row", "col_order", "row_order", "col_wrap")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class _OfOneColumn(DrawnDistribution):
    """A chart with the values along x, and a colour for each group."""

    x: str = field(metadata=_X)
    hue: str | None = field(default=None, metadata=HUE)
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)
    bounds: Private | None = field(default=None, metadata=SEARCH)
    step: float | None = field(default=None, metadata=STEP)

    @property
    def question(self) -> Distribution:
        """The distribution that it draws."""
        return Distribution(
            self.x,
            hue=self.hue,
            hue_order=self.hue_order,
            bounds=self.bounds,
            step=self.step,
            **self._shared_options,
        )


@explained
@dataclass(frozen=True)
class Ecdfplot(_OfOneColumn):
    """How large a share of `x` lies at or below each value: `Distribution` as a curve.

    Examples
    --------
    >>> from sfumato import Budget, Domain, PrivacyUnit
    >>> chart = Ecdfplot("wait", hue="ward")
    >>> domain = Domain(wait=(0, 240), ward=["A", "B"])
    >>> chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1)).label
    'distribution of wait by ward'
    """

    verb = "ecdfplot"
    drawn = "ecdf"
    summary = "Draw how large a share of a column lies at or below each value, with a band."
    example = Example(
        table="city(people=2000)",
        asks='x="age"',
        bounds="(0, 100)",
        domain='{"age": (0, 100)}',
        budget="1.0",
        shows="release.reliable",
        gives="(True,)",
        command="ecdfplot visits.csv --x wait --bounds 0,240 --epsilon 0.5",
    )


@explained
@dataclass(frozen=True)
class Kdeplot(_OfOneColumn):
    """A smooth density of `x`: `Distribution` through a kernel whose width follows the noise.

    Examples
    --------
    >>> from sfumato import Budget, Domain, PrivacyUnit
    >>> chart = Kdeplot("wait", hue="ward")
    >>> domain = Domain(wait=(0, 240), ward=["A", "B"])
    >>> chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1)).label
    'distribution of wait by ward'
    """

    verb = "kdeplot"
    drawn = "kde"
    summary = "Draw a smooth density of a column, grey where noise could have made it."
    example = Example(
        table="city(people=2000)",
        asks='x="age"',
        bounds="(0, 100)",
        domain='{"age": (0, 100)}',
        budget="1.0",
        shows="release.reliable",
        gives="(True,)",
        command="kdeplot visits.csv --x wait --bounds 0,240 --epsilon 0.5",
    )


@dataclass(frozen=True)
class _OfCategories(DrawnDistribution):
    """A chart with the values along y, and a place on x for each category."""

    x: str | None = field(
        default=None,
        metadata=About(
            help="The column of categories along the x axis, if any.",
            metavar="COLUMN",
            positional=True,
        ),
    )
    y: str | None = field(
        default=None,
        metadata=About(
            help="The column of numbers or dates along the y axis.",
            metavar="COLUMN",
            positional=True,
        ),
    )
    hue: str | None = field(default=None, metadata=HUE)
    order: Order | None = field(default=None, metadata=about_order("`x`"))
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)
    bounds: Private | None = field(default=None, metadata=SEARCH)
    step: float | None = field(default=None, metadata=STEP)

    @property
    def question(self) -> Distribution:
        """The distribution that it draws."""
        if self.y is None:
            raise DomainError(
                "A y is missing: the column whose distribution is drawn.",
                "Without one there is nothing to measure.",
                ("Write ", Setting("y", "wait"), "."),
            )
        if self.hue is None and self.hue_order is not None:
            raise DomainError(
                (Setting("hue_order"), " needs a hue."),
                "Without one there are no groups to put in order.",
                ("Write ", Setting("hue", "ward"), ", or leave ", Setting("hue_order"), " out."),
            )
        if self.x is None and self.order is not None:
            raise DomainError(
                (Setting("order"), " needs an x."),
                "Without one there are no categories to put in order.",
                ("Write ", Setting("x", "ward"), ", or leave ", Setting("order"), " out."),
            )
        groups: dict[str, Any] = {"hue": self.hue, "hue_order": self.hue_order}
        if self.hue is None:
            groups = {"hue": self.x, "hue_order": self.order}
        elif self.x is not None:
            groups |= {"by": self.x, "by_order": self.order}
        return Distribution(
            self.y,
            **groups,
            bounds=self.bounds,
            step=self.step,
            **self._shared_options,
        )


@explained
@dataclass(frozen=True)
class Violinplot(_OfCategories):
    """Smooth densities of `y` side by side, with quartiles: `Distribution` by categories.

    Examples
    --------
    >>> from sfumato import Budget, Domain, PrivacyUnit
    >>> chart = Violinplot(x="ward", y="wait")
    >>> domain = Domain(wait=(0, 240), ward=["A", "B"])
    >>> chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1)).label
    'distribution of wait by ward'
    """

    verb = "violinplot"
    drawn = "violin"
    summary = "Draw smooth densities of a column by category, with quartiles."
    example = Example(
        table="city(people=2000)",
        asks='y="age"',
        bounds="(0, 100)",
        domain='{"age": (0, 100)}',
        budget="1.0",
        shows="release.reliable",
        gives="(True,)",
        command="violinplot visits.csv --x ward --order A,B --y wait --bounds 0,240 --epsilon 0.5",
    )


@explained
@dataclass(frozen=True)
class Boxenplot(_OfCategories):
    """Boxes between quantiles of `y` ever further out: `Distribution` by categories.

    Examples
    --------
    >>> from sfumato import Budget, Domain, PrivacyUnit
    >>> chart = Boxenplot(x="ward", y="wait")
    >>> domain = Domain(wait=(0, 240), ward=["A", "B"])
    >>> chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1)).label
    'distribution of wait by ward'
    """

    verb = "boxenplot"
    drawn = "boxen"
    summary = "Draw nested boxes between quantiles of a column by category."
    example = Example(
        table="city(people=2000)",
        asks='y="age"',
        bounds="(0, 100)",
        domain='{"age": (0, 100)}',
        budget="1.0",
        shows="release.reliable",
        gives="(True,)",
        command="boxenplot visits.csv --x ward --order A,B --y wait --bounds 0,240 --epsilon 0.5",
    )
