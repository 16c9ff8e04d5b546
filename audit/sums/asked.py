"""Every chart, by every method, for every unit: what is asked of it, and from which budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sfumato.asking import private
from sfumato.charts.boxplot import Boxplot
from sfumato.charts.chart import Chart
from sfumato.charts.heatmap import Heatmap
from sfumato.charts.histogram import Histogram
from sfumato.charts.pca import PCA
from sfumato.charts.quantiles import Quantiles
from sfumato.charts.scoreplot import Scoreplot
from sfumato.domain import Domain
from sfumato.errors import BudgetError, DomainError
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.boxplot import METHODS as BOX_METHODS
from sfumato.releases.quantiles import METHODS as QUANTILE_METHODS
from sfumato.releases.score_method import METHODS as SCORE_METHODS

DOMAIN = Domain(x=(0, 8), y=(-4, 4), z=(0, 1), w=(0, 3), g=["A", "B"], h=["A", "B", "C"])
"""What is public about the table that every chart here is asked of."""

UNITS = (PrivacyUnit.rows(), PrivacyUnit.users("u"), PrivacyUnit.users("u", max_rows=3))
PURE, APPROXIMATE = Budget(epsilon=2), Budget(epsilon=2, delta=1e-6)


@dataclass(frozen=True)
class Asked:
    """One chart by one method for one unit."""

    name: str
    method: str
    unit: PrivacyUnit
    chart: Chart[Any, Any] = field(repr=False)
    budget: Budget = field(repr=False)

    def __str__(self) -> str:
        return f"{self.name}, {self.method}, {self.unit}"

    def plan(self) -> Any:
        """Return the plan, from public facts alone."""
        return self.chart.plan(DOMAIN, self.unit, self.budget)


def _charts() -> dict[tuple[str, str], tuple[Chart[Any, Any], Budget]]:
    found: dict[tuple[str, str], tuple[Chart[Any, Any], Budget]] = {
        ("histogram", "laplace"): (Histogram("x", hue="g", bins=4), PURE),
        ("histogram", "gaussian"): (Histogram("x", "y", bins=3), APPROXIMATE),
        ("histogram", "proportions"): (Histogram("x", bins=4, stat="density"), PURE),
        ("histogram", "private groups"): (Histogram("g", order=private(delta=1e-7)), APPROXIMATE),
        ("boxplot", "private bounds"): (Boxplot(y="x", bounds=private()), PURE),
        ("quantiles", "private bounds"): (Quantiles("x", bounds=private()), PURE),
        ("heatmap", "adaptive"): (Heatmap("x", "y", 8), PURE),
        ("heatmap", "pyramid"): (Heatmap("x", "y", 8, "pyramid"), PURE),
        ("heatmap", "pyramid, bayes"): (Heatmap("x", "y", 8, "pyramid", "bayes"), PURE),
        ("heatmap", "laplace"): (Heatmap("x", "y", 4, "laplace"), PURE),
        ("heatmap", "laplace, top"): (Heatmap("x", "y", 4, "laplace", top=0.5), PURE),
        ("heatmap", "dense"): (Heatmap("x", "y", 8, "dense"), PURE),
        ("heatmap", "adaptive, weighted"): (Heatmap("x", "y", 8, weight="w"), PURE),
        ("pca", "gaussian"): (PCA(["x", "y", "z"]), APPROXIMATE),
        ("pca", "private scale"): (PCA(["x", "y"], scale=private()), APPROXIMATE),
    }
    for method in BOX_METHODS:
        found["boxplot", method] = Boxplot("g", "x", method=method), PURE
    for method in QUANTILE_METHODS:
        found["quantiles", method] = Quantiles("x", hue="g", method=method), PURE
    for method in SCORE_METHODS:
        chart = Scoreplot(columns=["x", "y", "z"], bins=4, hue="g", method=method)
        found["scoreplot", method] = chart, APPROXIMATE
    return found


@cache
def catalogue() -> tuple[Asked, ...]:
    """Return all that can be asked; what public facts forbid is left out."""
    found: list[Asked] = []
    for (name, method), (chart, budget) in sorted(_charts().items(), key=lambda each: each[0]):
        for unit in UNITS:
            asked = Asked(name, method, unit, chart, budget)
            try:
                asked.plan()
            except (BudgetError, DomainError):
                continue
            found.append(asked)
    return tuple(found)
