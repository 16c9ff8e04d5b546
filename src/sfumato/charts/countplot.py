"""`Countplot`: how many rows or people each category has, under the name people look for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sfumato.charts.axes import HUE, HUE_ORDER, Order, about_order
from sfumato.charts.chart import Redrawn
from sfumato.charts.facets import Faceted
from sfumato.charts.histogram import Histogram, HistogramPlan
from sfumato.charts.option import About, Example, Ranges, explained
from sfumato.domain import Bounds, Domain
from sfumato.errors import DomainError, Worded
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.histogram import HistogramRelease

CountStat = Literal["count", "proportion"]

_BINNED = Worded("histplot(x=…)", in_shell="sfumato histplot")


@explained
@dataclass(frozen=True)
class Countplot(Faceted, Redrawn[HistogramPlan, HistogramRelease]):
    """Counts of the categories of `x`, by `hue` and in panels if asked: `Histogram` of categories.

    Examples
    --------
    >>> chart = Countplot(x="ward", hue="sex")
    >>> domain = Domain(ward=["A", "B"], sex=["f", "m"])
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=0.5))
    >>> plan.noise.scale, round(plan.expected_error, 2)
    (2.0, 1.92)
    """

    verb = "countplot"
    views = Histogram.views
    summary = "Count rows or people in categories."
    privacy = (
        "All categories, groups and panels together are charged once, and nothing where a "
        "histogram has released the same counts."
    )
    ranges = Ranges(
        help="Public ranges of columns that `where` or panels need; categories have none.",
        typed="The range of a named column; categories have none.",
    )
    example = Example(
        table="city(people=500)",
        asks='x="sex", order=["f", "m"]',
        bounds="None",
        domain='{"sex": ["f", "m"]}',
        budget="1.0",
        shows="len(release.counts)",
        gives="2",
        command="countplot visits.csv --x ward --order A,B,C --unit user_id --epsilon 0.5",
    )

    x: str = field(
        metadata=About(
            help="The column whose categories are counted.", metavar="COLUMN", positional=True
        )
    )
    hue: str | None = field(default=None, metadata=HUE)
    stat: CountStat = field(
        default="count",
        metadata=About(
            help="What the numbers are: counts, or proportions of the noisy total.",
            why="It decides what the axis means.",
        ),
    )
    order: Order | None = field(default=None, metadata=about_order("`x`"))
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.question  # which refuses what no histogram can be asked

    @property
    def question(self) -> Histogram:
        """The histogram that counts the same."""
        return Histogram(
            self.x,
            hue=self.hue,
            stat=self.stat,
            order=self.order,
            hue_order=self.hue_order,
            where=self.where,
            **self._facet_options,
        )

    @property
    def _facet_options(self) -> dict[str, Any]:
        names = ("col", "row", "col_order", "row_order", "col_wrap")
        return {name: getattr(self, name) for name in names}

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> HistogramPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        if self.order is None and isinstance(domain.columns.get(self.x), Bounds):
            raise DomainError(
                f"{self.x!r} has bounds, and so no categories to count.",
                "Its values would have to be read from the data to be counted one by one.",
                ("Ask for bins with ", _BINNED, ", or declare categories."),
            )
        return super().plan(domain, unit, budget)

    def check_view(self, plan: HistogramPlan, view: Mapping[str, Any]) -> None:
        """Refuse a way to draw that the release does not have, before anything is charged."""
        self.question.check_view(plan, view)
