"""Every request of the catalogue, for every unit: what is asked, and from which budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sfumato.catalogue import Roles, requests
from sfumato.charts.chart import Chart
from sfumato.domain import Domain
from sfumato.errors import BudgetError, DomainError
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit

DOMAIN = Domain(x=(0, 8), y=(-4, 4), z=(0, 1), w=(0, 3), g=["A", "B"], h=["A", "B", "C"])
"""What is public about the table that every chart here is asked of."""

ROLES = Roles(
    domain=DOMAIN,
    number="x",
    another="y",
    whole="x",
    day="z",  # dates are tried as bounds of all columns
    group="g",
    other="h",
    weight="w",
    east="x",
    north="y",
    columns=("x", "y", "z"),
    person="u",
    rows=120,
)
UNITS = (PrivacyUnit.rows(), ROLES.users, ROLES.few)


@dataclass(frozen=True)
class Asked:
    """One request, for one unit."""

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


@cache
def catalogue() -> tuple[Asked, ...]:
    """Return all that can be asked; what public facts forbid is left out."""
    found: list[Asked] = []
    for request in requests(ROLES):
        for unit in UNITS:
            name = type(request.chart).__name__.lower()
            asked = Asked(name, request.name, unit, request.chart, request.budget(2))
            try:
                asked.plan()
            except (BudgetError, DomainError):
                continue
            # What was released before is a number like others here: such scores are measured alike.
            if request.given is None:
                found.append(asked)
    return tuple(found)
