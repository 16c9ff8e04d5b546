"""`Corrplot`: correlations of columns, from the second moments that components follow from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sfumato.charts.chart import Redrawn
from sfumato.charts.option import About, Example, explained
from sfumato.charts.pca.chart import COLUMNS, PCA, RANGES, Scale, declare_ranges, require_delta
from sfumato.charts.pca.plan import PcaPlan
from sfumato.domain import Domain
from sfumato.engines.engine import Engine
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import Private
from sfumato.releases.pca import PcaRelease

CALLED = "Correlations"

SHARE = 0.1
"""The part of the budget that finds the scale of each column, where nobody says."""


@explained
@dataclass(frozen=True)
class Corrplot(Redrawn[PcaPlan, PcaRelease]):
    """Correlations of all pairs of columns: `PCA` of columns in units of their own spread.

    Examples
    --------
    >>> from sfumato import Budget, Domain, PrivacyUnit
    >>> chart = Corrplot(columns=["age", "weight", "height"])
    >>> domain = Domain(age=(0, 100), weight=(0, 200), height=(100, 220))
    >>> plan = chart.plan(domain, PrivacyUnit.rows(), Budget(epsilon=1, delta=1e-6))
    >>> plan.label
    'principal components of age, weight, height'
    """

    verb = "corrplot"
    summary = "Draw the correlations of several columns, with intervals."
    privacy = (
        "Scales, centre and second moments together are charged once, and nothing where principal "
        "components of the same columns and scales were released."
    )
    ranges = RANGES
    example = Example(
        table="city(people=2000)",
        asks='columns=["heart_rate", "systolic", "bmi"]',
        bounds='{"heart_rate": (30, 200), "systolic": (70, 230), "bmi": (12, 60)}',
        domain='{"heart_rate": (30, 200), "systolic": (70, 230), "bmi": (12, 60)}',
        budget="sf.Budget(1, 1e-6)",
        shows="release.correlations.value.shape",
        gives="(3, 3)",
        command="corrplot visits.csv --columns pulse,pressure,sugar --bounds pulse=30,200 "
        "--bounds pressure=60,260 --bounds sugar=2,30 --epsilon 1 --delta 1e-6",
    )
    needs_delta = True

    columns: Sequence[str] = field(metadata=COLUMNS)
    scale: Scale | None = field(
        default=None,
        metadata=About(
            help="One scaled unit in each column, to cut rows alike in all of them; default: "
            "what a private search finds, with a tenth of the budget.",
            python='``{"age": 20, …}``, or ``sf.private(share=0.2)`` for another share.',
            typed="Repeat it for all columns, or write private:0.2 for another share.",
            metavar="COLUMN=NUMBER",
            spelled="scale",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "columns", self._components.columns)

    @property
    def question(self) -> PCA:
        """The components that the same second moments give, in whatever order columns stand."""
        return self._components.question

    @property
    def label(self) -> str:
        """What is asked, in words."""
        return self._components.label

    @property
    def _components(self) -> PCA:
        scale = Private(share=SHARE) if self.scale is None else self.scale
        return PCA(self.columns, scale=scale, where=self.where)

    def declare(self, bounds: object) -> Domain:
        """Return what correlations declare alone."""
        return Domain(declare_ranges(bounds, CALLED))

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> PcaPlan:
        """Return the cost and the expected error, or refuse. Knows public facts only."""
        require_delta(budget, CALLED)
        return self._components.plan(domain, unit, budget)

    def measure(self, engine: Engine, plan: PcaPlan, meter: Meter) -> PcaRelease:
        """Measure components, to be drawn as correlations.

        Privacy
        -------
        As `PCA.measure` states; how a release is drawn costs nothing.
        """
        return self.arrange(self._components.measure(engine, plan, meter))

    def arrange(self, release: Any) -> Any:
        """Return components drawn as correlations, with the columns in this order."""
        if isinstance(release, PcaRelease):
            return replace(release.reorder(self.columns), view="correlations")
        return release
