"""What can be done about a chart that was asked for: release it, or plan it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from sfumato.cli import options
from sfumato.cli.options import Asked
from sfumato.cli.output import check_outputs, publish, say, show
from sfumato.cli.spelling import read_dates, read_definitions, read_delimiter, read_unit

if TYPE_CHECKING:
    from sfumato import Table
    from sfumato.charts.chart import Chart
    from sfumato.domain import Domain
    from sfumato.privacy.budget import Budget
    from sfumato.privacy.guarantee import PrivacyUnit
    from sfumato.session import Session

T = TypeVar("T")

_NO_LEDGER = (
    "No ledger: the cost of this chart is not recorded. To limit the total cost of several charts, "
    "create one: sfumato ledger create --help"
)


def release(
    asked: Asked,
    table: options.Table,
    unit: options.Unit = None,
    *,
    unit_name: options.UnitName = None,
    epsilon: options.Price,
    delta: options.Delta = 0.0,
    weak: options.Weak = False,
    ledger: options.LedgerPlace = None,
    table_name: options.TableName = None,
    who: options.Who = None,
    purpose: options.Purpose = None,
    threads: options.Threads = None,
    memory_limit: options.MemoryLimit = None,
    decimal: options.Decimal = ".",
    thousands: options.Thousands = None,
    encoding: options.Encoding = "utf-8",
    delimiter: options.Delimiter = None,
    dates: options.Dates = None,
    column: options.Derived = None,
    output: options.Output = None,
    looks: dict[str, Any],
    views: dict[str, Any],
) -> None:
    """Pay for the chart, and write or print it.

    Privacy
    -------
    Costs ε, and δ if given; charged to the ledger before the table is read.
    """
    from sfumato import Table
    from sfumato.alone import prepare
    from sfumato.privacy.budget import Budget

    outputs = output or []
    check_outputs(outputs, asked.chart.endings)
    options.check_basemap(looks, drawn=asked.chart.verb == "heatmap")
    budget = Budget(epsilon, delta, weak=weak)
    source = Table(
        sys.stdin.buffer if table == "-" else table,
        threads=threads,
        memory_limit=memory_limit,
        decimal=decimal,
        thousands=thousands,
        encoding=encoding,
        delimiter=read_delimiter(delimiter),
        dates=read_dates(dates),
        columns=read_definitions(column or []),
    )
    protected = read_unit(unit, unit_name)
    ready = _told(lambda: prepare(source, asked.chart, asked.bounds, protected, budget))
    ready.chart.chart.check_view(ready.chart.planned, views)
    session = _session(
        ready.table,
        ready.domain,
        unit=protected,
        ledger=ledger,
        name=table_name,
        limit=ready.limit,
        size=asked.chart.public_size,
        who=who,
        purpose=purpose,
    )
    drawn = _told(lambda: session.release(ready.chart, budget=budget)).styled(**looks, **views)
    publish(drawn, outputs)
    say(_NO_LEDGER if ledger is None else _tell_left(session, ready.chart, budget))


def plan(
    asked: Asked,
    table: options.Table,
    unit: options.Unit = None,
    *,
    unit_name: options.UnitName = None,
    epsilon: options.PriceToTry = None,
    error: options.Error = None,
    delta: options.Delta = 0.0,
    weak: options.Weak = False,
    ledger: options.LedgerPlace = None,
    table_name: options.TableName = None,
    who: options.Who = None,
    purpose: options.Purpose = None,
    threads: options.Threads = None,
    memory_limit: options.MemoryLimit = None,
    decimal: options.Decimal = ".",
    thousands: options.Thousands = None,
    encoding: options.Encoding = "utf-8",
    delimiter: options.Delimiter = None,
    dates: options.Dates = None,
    column: options.Derived = None,
) -> None:
    """Print what the chart would cost and how wrong it would be."""
    from sfumato import Table
    from sfumato.alone import declare_alone, open_table
    from sfumato.privacy.budget import Budget

    budget = None if epsilon is None else Budget(epsilon, delta, weak=weak)
    any_limit = Budget(epsilon=1)
    source = Table(
        sys.stdin.buffer if table == "-" else table,
        threads=threads,
        memory_limit=memory_limit,
        decimal=decimal,
        thousands=thousands,
        encoding=encoding,
        delimiter=read_delimiter(delimiter),
        dates=read_dates(dates),
        columns=read_definitions(column or []),
    )
    opened = open_table(source, lambda: asked.chart.declare(asked.bounds))
    chart, domain = declare_alone(opened, asked.chart, asked.bounds)
    session = _session(
        opened,
        domain,
        unit=read_unit(unit, unit_name),
        ledger=ledger,
        name=table_name,
        limit=any_limit,
        size=chart.public_size,
        who=who,
        purpose=purpose,
    )
    planned = session.plan(chart, budget=budget, error=error, delta=delta)
    # Without a ledger there is nothing that could pay or refuse.
    show(str(planned if ledger else replace(planned, standing="")))


def _session(
    table: Table,
    domain: Domain,
    *,
    unit: PrivacyUnit,
    ledger: str | None,
    name: str | None,
    limit: Budget,
    size: int | None,
    who: str | None,
    purpose: str | None,
) -> Session:
    """Open a session on the ledger's budget; without a ledger, on `limit`."""
    from sfumato.errors import LedgerError, Setting
    from sfumato.session import Session

    if ledger is None and (who or purpose):
        raise LedgerError(
            "Who asks, and what for, is recorded in a ledger, and none was given.",
            "Without a ledger nothing records what was spent.",
            ("Name it: ", Setting("ledger", "visits.ledger"), "."),
        )
    return Session(
        table,
        unit=unit,
        domain=domain,
        budget=limit if ledger is None else None,
        ledger=ledger,
        name=name,
        size=size,
        who=who,
        purpose=purpose,
    )


def _told(act: Callable[[], T]) -> T:
    """Return what `act` returns; if it fails or is interrupted, say what became of the charge."""
    from sfumato.session import OUTCOMES

    problem: BaseException
    try:
        return act()
    except BaseException as error:  # noqa: BLE001
        problem = error
    interrupted = "Interrupted. " if isinstance(problem, KeyboardInterrupt) else ""
    # Other libraries write notes too, and may quote the table in them.
    for note in getattr(problem, "__notes__", ()):
        if note in OUTCOMES:
            say(f"{interrupted}{note}")
    raise problem


def _tell_left(session: Session, chart: Chart[Any, Any], budget: Budget) -> str:
    """Say what was spent of a ledger, and how much one more such chart could have."""
    from sfumato.errors import SHELL
    from sfumato.privacy.guarantee import Guarantee

    ledger = session.ledger
    whole = replace(budget, epsilon=ledger.budget.epsilon, weak=True)
    largest = session.find_largest(chart, whole)
    left = "nothing" if largest is None else replace(largest.spelled, weak=False).spell(SHELL)
    spent = Guarantee(budget.epsilon, budget.delta, session.unit).amounts
    return f"Spent: {spent}. Left in {ledger.name} for charts like this: {left}."
