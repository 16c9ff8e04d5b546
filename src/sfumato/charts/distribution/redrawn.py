"""`Ecdfplot` and its sisters: a distribution under the names people look for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from sfumato.charts.axes import HUE, HUE_ORDER, Order
from sfumato.charts.chart import Redrawn
from sfumato.charts.distribution.chart import Distribution, DistributionPlan
from sfumato.charts.facets import Faceted
from sfumato.charts.option import About, Example, explained
from sfumato.charts.values import RANGES, SEARCH, STEP
from sfumato.private_search import Private
from sfumato.releases.distribution import DistributionRelease, View

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

    drawn: ClassVar[View]
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
