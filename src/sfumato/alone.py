"""One chart that knows of no others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sfumato.charts.chart import Chart, P, Plan
from sfumato.domain import Domain
from sfumato.engines.dispatch import OpenedTable, choose_engine
from sfumato.engines.engine import Engine
from sfumato.engines.table import Table, with_rows
from sfumato.errors import BudgetError, Door, SfumatoError, Spending
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Budget, plain_above
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.privacy.share import Share, allot
from sfumato.releases.release import Release
from sfumato.session import Outcome, Session

R = TypeVar("R", bound=Release)


def release_alone(
    table: object,
    chart: Chart[Any, R],
    bounds: object,
    unit: PrivacyUnit | str | None,
    budget: Budget | Share | float,
    *,
    columns: Mapping[str, str] | None = None,
) -> R:
    """Release one chart of a table, with what it declares as all that is public.

    Privacy
    -------
    Costs `budget`; what other charts of the same table cost is not added up.
    """
    with Door.to_chart("function", chart, chart.one_range):
        if isinstance(budget, Share):
            raise BudgetError(
                "A share of a ledger can only be spent in its own session.",
                "A one-line chart has no ledger to charge.",
                ("Ask the session for the chart, or write ", Spending(0.5), "."),
            )
        unit, spending = PrivacyUnit.of(unit), Budget.of(budget)
        table = with_rows(Table.of(table), None, columns)
        ready = prepare(table, chart, bounds, unit, spending)
        session = Session(
            ready.table, unit=unit, domain=ready.domain, budget=ready.limit, size=chart.public_size
        )
        return session.release(ready.chart, budget=spending)


def prepare(
    table: object, chart: Chart[P, R], bounds: object, unit: PrivacyUnit, budget: Budget
) -> Prepared[P, R]:
    """Open the table and plan the chart, once each, for a session that releases it and no other.

    Privacy
    -------
    Reads the names and kinds of columns, and no row.
    """
    with Outcome():
        opened = open_table(table, lambda: chart.plan(chart.declare(bounds), unit, budget))
        chart, domain = declare_alone(opened, chart, bounds)
        public = choose_engine(opened).schema().refine(domain)
        plan = chart.plan(public, unit, budget)
    planned = Planned(chart, (public, unit, budget), plan)
    return Prepared(opened, planned, domain, room_for(plan, budget))


def declare_alone(
    table: OpenedTable, chart: Chart[P, R], bounds: object
) -> tuple[Chart[P, R], Domain]:
    """Return a chart with what the kinds of its columns tell, and what it declares.

    Privacy
    -------
    Names and kinds of columns are public; no row is read.
    """
    chart = chart.adapt(bounds, choose_engine(table).schema().kind)
    return chart, chart.declare(bounds)


def open_table(table: object, check: Callable[[], object]) -> OpenedTable:
    """Open a table; where that fails, what `check` has to say comes first.

    Privacy
    -------
    Reads the names and kinds of columns, and no row.
    """
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


def room_for(plan: Plan, budget: Budget) -> Budget:
    """Return a limit that this one chart fills: its thresholds take their δ, and no more."""
    reserve = plain_above(plan.cost.delta)
    # Whether the chart may protect little is asked by its own budget.
    return Budget(budget.epsilon, budget.delta or reserve, reserve=reserve, weak=True)


@dataclass(frozen=True)
class Prepared(Generic[P, R]):
    """An open table, a planned chart, and what a session needs that releases this chart alone."""

    table: OpenedTable
    chart: Planned[P, R]
    domain: Domain
    limit: Budget


@dataclass(frozen=True)
class Planned(Chart[P, R]):
    """A chart that was planned already, for the facts it will be asked for."""

    chart: Chart[P, R]
    facts: tuple[Domain, PrivacyUnit, Budget]
    planned: P

    def __post_init__(self) -> None:
        """Check nothing: its options are those of a chart that was checked when it was made."""
        object.__setattr__(self, "where", self.chart.where)

    @property
    def named_columns(self) -> frozenset[str]:
        """The columns that the chart names."""
        return self.chart.named_columns

    @property
    def label(self) -> str:
        """What is asked, in words."""
        return self.chart.label

    def declare(self, bounds: object) -> Domain:
        """Return the public facts that the chart declares if it stands alone."""
        return self.chart.declare(bounds)

    def plan(self, domain: Domain, unit: PrivacyUnit, budget: Budget) -> P:
        """Return the plan; facts that differ from those it was made for are planned anew."""
        if (domain, unit) == self.facts[:2] and self._affords_the_same(budget):
            return self.planned
        return self.chart.plan(domain, unit, budget)

    def _affords_the_same(self, budget: Budget) -> bool:
        thresholds, before = self.planned.cost.delta, self.facts[2]
        same = (budget.epsilon, budget.delta) == (before.epsilon, before.delta)
        return same and allot(budget, thresholds) == allot(before, thresholds)

    def measure(self, engine: Engine, plan: P, meter: Meter) -> R:
        """Pass the request on, with the meter.

        Privacy
        -------
        As the chart that was planned.
        """
        return self.chart.measure(engine, plan, meter)
