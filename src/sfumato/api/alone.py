"""One chart that knows of no others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sfumato.charts.chart import Chart, P, Plan
from sfumato.domain import Domain
from sfumato.engines.choosing import OpenedTable, engine_for
from sfumato.engines.engine import Engine
from sfumato.errors import SfumatoError
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Budget, plain_above
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.release import Release
from sfumato.session import Session

R = TypeVar("R", bound=Release)


def release_alone(
    table: object,
    chart: Chart[Any, R],
    domain: Domain,
    unit: PrivacyUnit | str | None,
    budget: Budget | float,
    *,
    size: int | None = None,
) -> R:
    """Release one chart that knows of no others.

    Privacy
    -------
    Costs `budget`; what other charts of the same table cost is not added up.
    """
    unit, spending = PrivacyUnit.of(unit), Budget.of(budget)
    ready = prepare(table, chart, domain, unit, spending)
    session = Session(ready.table, unit=unit, domain=domain, budget=ready.limit, size=size)
    return session.release(ready.chart, budget=spending)


def prepare(
    table: object, chart: Chart[P, R], domain: Domain, unit: PrivacyUnit, budget: Budget
) -> Prepared[P, R]:
    """Open the table and plan the chart, once each, for a session that releases it and no other.

    Privacy
    -------
    Reads the names and kinds of columns, and no row.
    """
    opened = _opened(table, lambda: chart.plan(domain, unit, budget))
    public = engine_for(opened).schema().refine(domain)
    plan = chart.plan(public, unit, budget)
    return Prepared(opened, Planned(chart, (public, unit, budget), plan), room_for(plan, budget))


def room_for(plan: Plan, budget: Budget) -> Budget:
    """Return a limit that this one chart fills: its thresholds take their δ, and no more."""
    reserve = plain_above(plan.cost.delta)
    # Whether the chart may protect little is asked by its own budget.
    return Budget(budget.epsilon, budget.delta or reserve, reserve=reserve, weak=True)


@dataclass(frozen=True)
class Prepared(Generic[P, R]):
    """An open table, a planned chart, and a limit for a session that releases this chart alone."""

    table: OpenedTable
    chart: Planned[P, R]
    limit: Budget


@dataclass(frozen=True)
class Planned(Generic[P, R]):
    """A chart that was planned already, for the facts it will be asked for."""

    chart: Chart[P, R]
    facts: tuple[Domain, PrivacyUnit, Budget]
    planned: P

    @property
    def label(self) -> str:
        """What is asked, in words."""
        return self.chart.label

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> P:
        """Return the plan; facts that differ from those it was made for are planned anew."""
        if (domain, unit, budget) == self.facts:
            return self.planned
        return self.chart.plan(domain, unit, budget)

    def measure(self, engine: Engine, plan: P, meter: Meter) -> R:
        """Pass the request on, with the meter.

        Privacy
        -------
        As the chart that was planned.
        """
        return self.chart.measure(engine, plan, meter)


def _opened(table: object, check: Callable[[], object]) -> OpenedTable:
    """Open a table; where that fails, what `check` has to say comes first."""
    problem: SfumatoError
    try:
        return OpenedTable.of(table)
    except SfumatoError as error:
        problem = error
    try:
        check()
        raise problem
    finally:
        del problem  # which would keep this frame, and with it the table, alive
