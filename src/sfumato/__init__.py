"""sfumato: charts of data that nobody may see.

    import sfumato as sf

    sf.histplot("visits.parquet", x="age", bounds=(0, 110), budget=1.0)

Importing the package loads none of the engines; each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato import testing
    from sfumato.api.charts import boxplot, heatmap, histplot, quantiles
    from sfumato.api.components import pca, scoreplot
    from sfumato.asking import private
    from sfumato.charts.boxplot import Boxplot
    from sfumato.charts.heatmap import Heatmap
    from sfumato.charts.histogram import Histogram
    from sfumato.charts.pca import PCA
    from sfumato.charts.quantiles import Quantiles
    from sfumato.charts.scoreplot import Scoreplot
    from sfumato.domain import Bounds, Categories, Domain
    from sfumato.engines.table import Table
    from sfumato.errors import (
        BudgetError,
        DomainError,
        LedgerError,
        ReleaseError,
        SfumatoError,
        SourceError,
    )
    from sfumato.privacy.budget import Budget
    from sfumato.privacy.guarantee import PrivacyUnit
    from sfumato.privacy.ledger import Ledger
    from sfumato.releases.document import load
    from sfumato.releases.release import Release
    from sfumato.session import Session

__version__ = "0.1.0"

__all__ = [
    "PCA",
    "Bounds",
    "Boxplot",
    "Budget",
    "BudgetError",
    "Categories",
    "Domain",
    "DomainError",
    "Heatmap",
    "Histogram",
    "Ledger",
    "LedgerError",
    "PrivacyUnit",
    "Quantiles",
    "Release",
    "ReleaseError",
    "Scoreplot",
    "Session",
    "SfumatoError",
    "SourceError",
    "Table",
    "boxplot",
    "heatmap",
    "histplot",
    "load",
    "pca",
    "private",
    "quantiles",
    "scoreplot",
    "testing",
]

_HOME = {
    "PCA": "charts.pca",
    "Bounds": "domain",
    "Boxplot": "charts.boxplot",
    "Budget": "privacy.budget",
    "BudgetError": "errors",
    "Categories": "domain",
    "Domain": "domain",
    "DomainError": "errors",
    "Heatmap": "charts.heatmap",
    "Histogram": "charts.histogram",
    "Ledger": "privacy.ledger",
    "LedgerError": "errors",
    "PrivacyUnit": "privacy.guarantee",
    "Quantiles": "charts.quantiles",
    "Release": "releases.release",
    "ReleaseError": "errors",
    "Scoreplot": "charts.scoreplot",
    "Session": "session",
    "SfumatoError": "errors",
    "SourceError": "errors",
    "Table": "engines.table",
    "boxplot": "api.charts",
    "heatmap": "api.charts",
    "histplot": "api.charts",
    "load": "releases.document",
    "pca": "api.components",
    "private": "asking",
    "quantiles": "api.charts",
    "scoreplot": "api.components",
}


def __getattr__(name: str) -> Any:
    if name == "testing":
        return import_module("sfumato.testing")
    if name in _HOME:
        return getattr(import_module(f"sfumato.{_HOME[name]}"), name)
    raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
