"""`Scatterplot` and `Jointplot`: what a heatmap measures, drawn as points or with its margins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from sfumato.charts.axes import HUE, HUE_ORDER, Order
from sfumato.charts.chart import Redrawn
from sfumato.charts.heatmap.chart import Heatmap
from sfumato.charts.heatmap.plan import HeatmapPlan
from sfumato.charts.option import About, Example, explained
from sfumato.charts.values import SEARCH
from sfumato.plane import Outside
from sfumato.private_search import Private
from sfumato.releases.heatmap import HeatmapRelease, View

X = About(help="The column along the x axis.", metavar="COLUMN", positional=True)
Y = About(help="The column along the y axis.", metavar="COLUMN", positional=True)
OUTSIDE = About(
    help="Rows outside the window are dropped, or clipped to its edge.",
    why="It decides what is counted.",
)


@dataclass(frozen=True)
class RedrawnHeatmap(Redrawn[HeatmapPlan, HeatmapRelease]):
    """What asks for the density of two columns, and draws it as its `view` says."""

    view: ClassVar[View]
    ranges = Heatmap.ranges
    endings = Heatmap.endings

    x: str = field(metadata=X)
    y: str = field(metadata=Y)
    bounds: Private | Mapping[str, Private] | None = field(default=None, metadata=SEARCH)
    hue: str | None = field(default=None, metadata=HUE)
    hue_order: Order | None = field(default=None, metadata=HUE_ORDER)
    outside: Outside = field(default="drop", metadata=OUTSIDE)

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.question  # which refuses what no heatmap can be asked

    @property
    def question(self) -> Heatmap:
        """The heatmap that is asked for."""
        return Heatmap(
            self.x,
            self.y,
            bounds=self.bounds,
            hue=self.hue,
            hue_order=self.hue_order,
            outside=self.outside,
            where=self.where,
        )

    def arrange(self, release: Any) -> Any:
        """Return a density drawn as this chart asks for it."""
        known = isinstance(release, HeatmapRelease)
        return replace(release, view=self.view) if known else release


@explained
@dataclass(frozen=True)
class Scatterplot(RedrawnHeatmap):
    """Synthetic points of the density of two columns, none of them anybody's: `Heatmap` of points.

    Examples
    --------
    >>> from sfumato import Budget, Domain, PrivacyUnit
    >>> chart = Scatterplot(x="age", y="income")
    >>> domain = Domain(age=(0, 100), income=(0, 200_000))
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1))
    >>> plan.label
    'heatmap of age and income'
    """

    verb = "scatterplot"
    view = "scatter"
    summary = "Draw synthetic points of the density of two columns, which say that they are."
    privacy = (
        "The points of all groups are charged once together, and nothing where a heatmap of the "
        "same columns was released."
    )
    example = Example(
        table="city(people=2000)",
        asks='x="age", y="income", hue="sex", hue_order=["female", "male"]',
        bounds='{"age": (0, 100), "income": (0, 150_000)}',
        domain='{"age": (0, 100), "income": (0, 150_000), "sex": ["female", "male"]}',
        budget="1.0",
        shows="release.view",
        gives="'scatter'",
        command="scatterplot visits.csv --x age --y income --bounds age=0,100 "
        "--bounds income=0,150000 --unit user_id --epsilon 1",
    )


@explained
@dataclass(frozen=True)
class Jointplot(RedrawnHeatmap):
    """The density of two columns with the distribution of each beside it: `Heatmap` with margins.

    Examples
    --------
    >>> from sfumato import Budget, Domain, PrivacyUnit
    >>> chart = Jointplot(x="age", y="income")
    >>> domain = Domain(age=(0, 100), income=(0, 200_000))
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1))
    >>> plan.label
    'heatmap of age and income'
    """

    verb = "jointplot"
    view = "joint"
    summary = "Show the density of two columns with the distribution of each beside it."
    privacy = (
        "Density and distributions are one measurement, charged once, and nothing where a heatmap "
        "of the same columns was released."
    )
    example = Example(
        table="city(people=2000)",
        asks='x="age", y="income"',
        bounds='{"age": (0, 100), "income": (0, 150_000)}',
        domain='{"age": (0, 100), "income": (0, 150_000)}',
        budget="1.0",
        shows="release.view",
        gives="'joint'",
        command="jointplot visits.csv --x age --y income --bounds age=0,100 "
        "--bounds income=0,150000 --unit user_id --epsilon 1",
    )
    endings = Heatmap.endings
