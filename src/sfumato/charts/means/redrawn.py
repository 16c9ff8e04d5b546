"""`Pointplot` and `Lineplot`: the numbers of `Barplot`, drawn as points and as a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sfumato.charts.chart import Redrawn
from sfumato.charts.means.chart import (
    RANGES,
    Barplot,
    MeansPlan,
    Summarised,
    check_drawing,
    draw_as,
)
from sfumato.charts.option import Example, explained
from sfumato.domain import Domain
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.means import MeansRelease, MeansView

_PRIVACY = (
    "The search for where to clip and all groups of all panels together are charged once, and "
    "nothing where the same was asked for before, as bars, points or a line."
)


@dataclass(frozen=True)
class _Redrawn(Summarised, Redrawn[MeansPlan, MeansRelease]):
    """The numbers of `Barplot`, drawn otherwise."""

    _view = "points"

    @property
    def question(self) -> Barplot:
        """The means that follow from the same sums."""
        return self._bars.question

    @property
    def _bars(self) -> Barplot:
        return Barplot(**{each.name: getattr(self, each.name) for each in fields(self)})

    @property
    def label(self) -> str:
        """What is asked, in words."""
        return self._bars.label

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> MeansPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        return self._bars.plan(domain, unit, budget)

    def arrange(self, release: Any) -> Any:
        """Return the same numbers, drawn as this chart asks for them."""
        view: MeansView = self._view  # pyright: ignore[reportAssignmentType]
        return draw_as(self._bars.arrange(release), self._bars, view)

    def check_view(self, plan: MeansPlan, view: Mapping[str, Any]) -> None:
        """Refuse a way to draw that the release does not have, before anything is charged."""
        super().check_view(plan, view)
        check_drawing(plan, view)


@explained
@dataclass(frozen=True)
class Pointplot(_Redrawn):
    """Means or sums of `y`, or counts, by the categories or bins of `x`, as points.

    Examples
    --------
    >>> from sfumato import Budget, Domain, PrivacyUnit
    >>> chart = Pointplot(x="ward", y="wait", hue="sex")
    >>> domain = Domain(wait=(0, 240), ward=["A", "B"], sex=["f", "m"])
    >>> chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1)).label
    'mean of wait by ward and sex'
    """

    verb = "pointplot"
    views = Barplot.views
    summary = "Show means, sums or counts of groups as points with error bars."
    privacy = _PRIVACY
    ranges = RANGES
    example = Example(
        table="city(people=2000)",
        asks='x="sex", y="age", order=["female", "male"]',
        bounds="(0, 110)",
        domain='{"age": (0, 110), "sex": ["female", "male"]}',
        budget="1.0",
        shows="len(release.estimates.value)",
        gives="2",
        command="pointplot visits.csv --x ward --order A,B --y wait --bounds 0,240 --epsilon 0.5",
    )


@explained
@dataclass(frozen=True)
class Lineplot(_Redrawn):
    """Means or sums of `y`, or counts, along the bins of `x`, as a line with a band.

    Examples
    --------
    >>> from sfumato import Budget, Domain, PrivacyUnit
    >>> chart = Lineplot(x="day", y="wait", bins="month")
    >>> domain = Domain(wait=(0, 240), day=("2026-01-01", "2027-01-01"))
    >>> chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1)).x.cells
    12
    """

    verb = "lineplot"
    views = ("merge",)
    summary = "Show means, sums or counts over time, or along bins, as lines with bands."
    privacy = _PRIVACY
    ranges = RANGES
    _view = "line"
    example = Example(
        table="city(people=2000)",
        asks='x="age", y="income", bins=10',
        bounds='{"age": (0, 110), "income": (0, 200_000)}',
        domain='{"age": (0, 110), "income": (0, 200_000)}',
        budget="1.0",
        shows="len(release.estimates.value)",
        gives="10",
        command="lineplot visits.csv --x age --y wait --bins 10 --bounds wait=0,240 "
        "--bounds age=0,110 --epsilon 0.5",
    )
