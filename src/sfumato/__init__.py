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
    from sfumato.api import boxplot, heatmap, histplot, quantiles
    from sfumato.asking import private
    from sfumato.charts.boxplot import Boxplot
    from sfumato.charts.heatmap import Heatmap
    from sfumato.charts.histogram import Histogram
    from sfumato.charts.quantiles import Quantiles
    from sfumato.domain import Bounds, Categories, Domain
    from sfumato.errors import (
        BudgetError,
        DomainError,
        LedgerError,
        ReleaseError,
        SfumatoError,
        SourceError,
    )
    from sfumato.privacy.budget import Budget
    from sfumato.privacy.ledger import Ledger
    from sfumato.privacy.unit import PrivacyUnit
    from sfumato.releases.document import load
    from sfumato.releases.release import Release
    from sfumato.session import Session

__version__ = "0.1.0"

__all__ = [
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
    "Session",
    "SfumatoError",
    "SourceError",
    "boxplot",
    "heatmap",
    "histplot",
    "load",
    "private",
    "quantiles",
    "testing",
]

_HOME = {
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
    "PrivacyUnit": "privacy.unit",
    "Quantiles": "charts.quantiles",
    "Release": "releases.release",
    "ReleaseError": "errors",
    "Session": "session",
    "SfumatoError": "errors",
    "SourceError": "errors",
    "boxplot": "api",
    "heatmap": "api",
    "histplot": "api",
    "load": "releases.document",
    "private": "asking",
    "quantiles": "api",
}


def __getattr__(name: str) -> Any:
    if name == "testing":
        return import_module("sfumato.testing")
    if name in _HOME:
        return getattr(import_module(f"sfumato.{_HOME[name]}"), name)
    raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
