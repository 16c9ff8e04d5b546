"""One chart that knows of no others."""

from __future__ import annotations

from typing import Any

from sfumato.charts.chart import Chart, R_co
from sfumato.domain import Domain
from sfumato.privacy.budget import Budget, plain_above
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.session import Session


def release_alone(
    table: object,
    chart: Chart[Any, R_co],
    domain: Domain,
    unit: PrivacyUnit | str | None,
    budget: Budget | float,
    *,
    size: int | None = None,
) -> R_co:
    """Release one chart that knows of no others.

    Privacy
    -------
    Costs `budget`; what other charts of the same table cost is not added up.
    """
    unit, spending = PrivacyUnit.of(unit), Budget.of(budget)
    limit = room_for(chart, domain, unit, spending)
    session = Session(table, unit=unit, domain=domain, budget=limit, size=size)
    return session.release(chart, budget=spending)


def room_for(chart: Chart[Any, Any], domain: Domain, unit: PrivacyUnit, budget: Budget) -> Budget:
    """Return a limit that this one chart fills: its thresholds take their δ, and no more."""
    reserve = plain_above(chart.plan(domain, unit, budget).cost.delta)
    # Whether the chart may protect little is asked by its own budget.
    return Budget(budget.epsilon, budget.delta or reserve, reserve=reserve, weak=True)
