"""`Session`: one table, one unit, one budget, one ledger."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, cast

from sfumato.charting import Charting
from sfumato.charts.chart import (
    Chart,
    P,
    Plan,
    R_co,
    declare_within,
    find_budget,
    find_largest,
)
from sfumato.charts.refinement import Refinement, RefinementPlan
from sfumato.domain import Domain
from sfumato.engines.dispatch import choose_engine
from sfumato.engines.engine import redact_errors
from sfumato.engines.snapshot import take_snapshot
from sfumato.engines.table import Table, with_rows
from sfumato.errors import (
    BudgetError,
    DomainError,
    LedgerError,
    OverspentError,
    PrivateSearch,
    ReleaseError,
    Worded,
    shorten_label,
)
from sfumato.expressions import Selection
from sfumato.kept import KeptReleases, Question
from sfumato.mechanisms.meter import Meter, require_process, simulation
from sfumato.privacy.accountant import proves
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.payment import Payment
from sfumato.privacy.records import Entry, require_short
from sfumato.privacy.share import Share, grant
from sfumato.privacy.store import UnansweredError
from sfumato.progress import show_progress, tell
from sfumato.releases.release import Release

R = TypeVar("R", bound=Release)

UNCHARGED = "Nothing was charged."
CHARGING = "The cost was just being charged: see the ledger. Nothing was released."
CHARGED = (
    "The cost was charged and stays charged, because the table may have been read. Nothing was "
    "released."
)
IN_HAND = "the release in hand, free of charge. To measure again, and pay, ask with fresh=True."
"""What is said when nothing is paid twice."""

OUTCOMES = (UNCHARGED, CHARGING, CHARGED)
"""What became of the cost of a release that did not come to its end."""


@dataclass(frozen=True, init=False, eq=False)
class Session(Charting):
    """Charts of one table, paid from one ledger.

    Parameters
    ----------
    table
        A path or glob of CSV or Parquet files, a pandas or Polars frame, an Arrow table, a DuckDB
        relation or a Spark DataFrame; or a `Table` with limits on threads and memory.
    unit
        Whose presence is hidden: a column of users, several that name them together, or a
        `PrivacyUnit`; one row unless you say otherwise.
    unit_name
        What users are called on figures, ``"aircraft"``; "people" unless you say otherwise.
    domain
        What is public about the columns.
    budget
        The most that all charts of this session may spend together.
    ledger
        A file that remembers what was spent, made if it is not there; or the address of a ledger
        on a server, ``"postgresql://user@host/database#name"``. Without one the session remembers
        by itself, and forgets when it ends.
    name
        What the ledger calls the table; the name of its file, or of the table in Spark, unless
        you say otherwise.
    size
        The number of rows, where it is public: neighbours then replace one row, and only charts
        that are asked for with the same number are released. Such a session keeps no file.
    who, purpose
        Who asks and why: short texts that are written into the ledger with every charge. Where
        the ledger has accounts, `who` says which one pays. Never data.
    where
        Which rows are there, as in pandas' ``query``: ``"borough == 'Queens' and price < 500"``.
        It costs nothing. A person's weight is shared among these rows; with a chart's own `where`,
        among all of its rows.
    columns
        Further columns, derived row by row: ``{"speed": "distance / air_time * 60"}``. Declare
        bounds or categories for them as for any column.

    Privacy
    -------
    Every release is planned from public facts, then charged, then measured, in this order. What
    all of them reveal together about one unit stays within `budget`; components that were released
    elsewhere come on top of it.

    Examples
    --------
    >>> from sfumato.testing import city
    >>> s = Session(city(people=500), domain=Domain(age=(0, 100)), budget=Budget(epsilon=1))
    >>> release = s.histplot(x="age", bins=10, budget=0.25)
    >>> s.remaining
    Share(ε = 0.75)
    """

    unit: PrivacyUnit
    domain: Domain
    ledger: Ledger
    size: int | None
    who: str | None
    purpose: str | None
    _table: Table = field(repr=False)
    _kept: KeptReleases = field(repr=False)

    def __init__(
        self,
        table: object,
        *,
        unit: PrivacyUnit | str | Sequence[str] | None = None,
        unit_name: str | None = None,
        domain: Domain | Mapping[str, object] | None = None,
        budget: Budget | float | None = None,
        ledger: Ledger | str | Path | None = None,
        name: str | None = None,
        size: int | None = None,
        who: str | None = None,
        purpose: str | None = None,
        where: str | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        require_short("who", who)
        require_short("purpose", purpose)
        table = with_rows(Table.of(table), where, columns)
        unit = PrivacyUnit.of(unit, unit_name)
        # A table that cannot be read, or a unit that is derived, is refused before a ledger exists.
        choose_engine(table).schema().check_stored(*unit.columns)
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_kept", KeptReleases())
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "domain", Domain.of(domain))
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "who", who)
        object.__setattr__(self, "purpose", purpose)
        if size is not None and ledger is not None:
            raise LedgerError(
                "A ledger's guarantee is for rows added or removed.",
                "Replacing rows of a public number is a weaker guarantee, and the two do not add "
                "up.",
                Worded("Leave out size, or ledger.", in_shell="Leave out --n, or --ledger."),
            )
        budget = None if budget is None else Budget.of(budget)
        name = name or table.name
        # Under its own name, so that no session with the other guarantee continues this ledger.
        kept_for = name if size is None else f"{name} of {size} rows"
        opened = _open_ledger(ledger, budget, unit, kept_for)
        object.__setattr__(self, "ledger", opened)

    @property
    def budget(self) -> Share:
        """All that the session's ledger began with, as something to divide: ``s.budget / 4``."""
        return Share.whole(self.ledger.rule)

    def __dir__(self) -> list[str]:
        """List what is public: editors complete it."""
        return [name for name in super().__dir__() if name[:1] != "_" or name[:2] == "__"]

    @property
    def remaining(self) -> Share:
        """What is left, as a budget that can be passed on and divided.

        A k-th of it is a k-th of what the ledger counts in: k charts of ``s.remaining / k`` fit,
        and nothing is left after them.

        Examples
        --------
        >>> from sfumato.testing import city
        >>> s = Session(city(people=500), domain=Domain(age=(0, 100)), budget=Budget(1, 1e-6))
        >>> quarter = s.remaining / 4
        >>> charts = [s.histplot(x="age", bins=bins, budget=quarter) for bins in (5, 10, 20, 50)]
        >>> s.remaining
        Share(nothing)
        """
        return self.ledger.stand(self.who).remaining

    def release(
        self,
        chart: Chart[P, R_co],
        *,
        bounds: object = None,
        budget: Budget | Share | float,
        fresh: bool = False,
    ) -> R_co:
        """Plan, charge, measure: the only place where these three steps are taken.

        What the session has released already is returned as it is, free, and a note says so: the
        same chart of the same table, with no more budget. With `fresh` it is measured again.
        `bounds` are declared for this chart alone.

        Privacy
        -------
        Refuses before charging, and charges before looking. An error or an interrupt after the
        charge wastes budget and reveals nothing; a note on it tells that the cost was charged.
        Errors that are not ours are replaced by one that always says the same. The meter, and not
        the chart, adds up what is spent and says whether the noise was real. Simulated noise is not
        charged to a file.
        """
        with Outcome() as outcome, show_progress(chart.label) as report:
            engine = choose_engine(self._table, report)
            schema, rule = engine.schema(), self.ledger.rule
            chart, declared = declare_within(self.domain, chart, bounds, schema.kind)
            asked, public = grant(rule, budget), schema.refine(declared)
            selection = self._select(chart)
            plan = _label(chart.plan(public, self.unit, asked), selection)
            self._require(plan, asked)
            self._require_real_noise(plan)
            plan.check(schema)
            counting = engine if chart.where is None else engine.restrict(chart.where)
            question = Question.of(chart, public, take_snapshot(self._table), plan.cost)
            if not fresh and (known := self._kept.find(question)) is not None:
                tell(f"{shorten_label(plan.label)}: {IN_HAND}")
                return cast(R_co, known)
            self._require_room(chart, plan, asked, public)
            outcome.note = CHARGING
            process = os.getpid()
            entry = self.ledger.charge(plan.label, plan.cost, who=self.who, purpose=self.purpose)
            outcome.note = CHARGED
            with Meter(plan.cost, plan.label, order=rule.order) as meter:
                release = redact_errors(lambda: chart.measure(counting, plan, meter))
            require_process(process)
            self._require_proof(plan, meter.spent)
            paid = (*chart.paid, *self._name_payment(entry))
            release = release.marked(private=meter.private, paid=paid, selection=selection)
            self._kept.keep(question, release, meter.left)
            return release

    def _select(self, chart: Chart[Any, Any]) -> Selection | None:
        """Return which rows and derived columns a chart is of, as its release will say."""
        where, derived = self._table.where, self._table.columns or {}
        if self.size is not None and (chart.where is not None or where is not None):
            raise DomainError(
                "Of some rows the number is not public.",
                "It is the number of all rows that was declared, and their neighbours replace one.",
                Worded("Leave out where, or size.", in_shell="Leave out --where, or --n."),
            )
        named = Selection.of(chart.where, where, derived, chart.named_columns)
        return None if named.empty else named

    def _name_payment(self, entry: Entry) -> tuple[Payment, ...]:
        # Nobody can look into a ledger that ends with this process, and older ones have no seals.
        if not self.ledger.lasting or entry.seal is None:
            return ()
        return (Payment(self.ledger.identity, entry.number, entry.seal),)

    def refine(self, release: R, *, budget: Budget | Share | float, fresh: bool = False) -> R:
        """Spend more on a histogram, or on a heatmap of every cell, and get a better one.

        It is measured again, and both measurements are combined by inverse variance: see
        `sfumato.combine`. Gaussian noise loses nothing that way; Laplace noise has up to twice the
        variance of one release at the summed ε. But in a ledger of pure ε, the Laplace noise of a
        histogram that this session has released is continued, and nothing is lost: the result is
        as accurate as one release at the summed ε, of the table as it was then.

        Parameters
        ----------
        release
            What this session has released, or another one of the same table, for the same unit.
        budget
            What may be spent besides.
        fresh
            Measure and pay, though the session has refined the same release for no less.

        Privacy
        -------
        Costs `budget`, charged before anything is drawn. The result states what both cost.

        Examples
        --------
        >>> from sfumato.testing import city
        >>> s = Session(city(people=500), domain=Domain(age=(0, 100)), budget=Budget(epsilon=1))
        >>> rough = s.histplot(x="age", bins=10, budget=0.25)
        >>> fine = s.refine(rough, budget=0.75)
        >>> fine.noise.scale, fine.guarantee.epsilon, s.remaining
        (1.0, 1.0, Share(nothing))
        """
        refined = self.release(self._refinement(release), budget=budget, fresh=fresh)
        self._kept.refine(release, refined)
        return refined

    def plan_refinement(
        self, release: Release, *, budget: Budget | Share | float
    ) -> RefinementPlan:
        """Tell what a second measurement would cost, and how wrong both would be. Spends nothing.

        Parameters
        ----------
        release
            What would be refined.
        budget
            What would be spent besides.
        """
        return self.plan(self._refinement(release), budget=budget)

    def _refinement(self, release: Release) -> Refinement:
        """Return the request for a second measurement; its noise is the session's to continue.

        Privacy
        -------
        Continued noise is paid for by the ledger that paid for its first draw, and in pure ε: see
        the argument beside `continue_laplace`.
        """
        if not release.private and simulation() is None:
            raise ReleaseError(
                "A simulated release cannot be refined with real noise.",
                "The result would seem private, and half of it is not.",
                "Release the chart without a seed first.",
            )
        again = Refinement(release)
        if self._select(again) != release.selection:
            raise ReleaseError(
                f"{shorten_label(release.label)} is of other rows or columns than this session's.",
                "A second measurement would be of these, and the mean of both of neither.",
                "Refine it in a session with the same where and columns.",
            )
        known = self._kept.find_entry(release)
        if known is None:
            return again
        if known.question.snapshot not in (None, take_snapshot(self._table)):
            raise ReleaseError(
                f"The table has changed since {shorten_label(release.label)} was released.",
                "A second measurement would be of other rows, and the mean of both of neither.",
                "Ask for the chart itself again, which measures the table as it is now.",
            )
        pure = self.ledger.budget.pure
        return Refinement(release, known.unfinished if pure else None)

    def _require(self, plan: Plan, budget: Budget) -> None:
        label = shorten_label(plan.label)
        if plan.guarantee.weakness and not budget.weak:
            meant = replace(budget.spelled, weak=True)
            raise BudgetError(
                f"{label} would promise {plan.guarantee}.",
                "Whoever sees it could become nearly sure of what one person's rows say.",
                (
                    "Ask for a smaller δ, ",
                    PrivateSearch(delta=1e-7),
                    ", or write that you mean it: ",
                    meant,
                    ".",
                ),
            )
        self._require_proof(plan, plan.cost)
        if plan.guarantee.size != self.size:
            raise LedgerError(
                f"{label} uses other neighbours than this session.",
                "Guarantees for replaced and for added rows differ, and their costs do not add up.",
                "Leave out neighbours, or use the one-line function.",
            )
        if any(promise.unit.protects != self.unit.protects for promise in plan.guarantees):
            raise LedgerError(
                f"{label} would show components that protect another unit than it does itself.",
                "They would reveal more about one unit than guaranteed.",
                (
                    "Release the components for the same unit: ",
                    Worded("session.pca(…)", "pca(…, unit=…)", "sfumato pca … --unit …"),
                    ".",
                ),
            )

    def _require_proof(self, plan: Plan, cost: Cost) -> None:
        """Withhold what does not keep its guarantee, although its cost was within the ledger's."""
        if not proves(cost, plan.guarantee.epsilon, plan.guarantee.delta):
            raise OverspentError(
                f"{shorten_label(plan.label)} would cost more than its guarantee allows.",
                "This is a bug in sfumato: the numbers are withheld.",
                "Please report it.",
            )

    def _require_real_noise(self, plan: Plan) -> None:
        if simulation() is not None and self.ledger.lasting:
            label = shorten_label(plan.label)
            raise LedgerError(
                f"{label} would be simulated, and its noise could be subtracted.",
                "A ledger file records real guarantees, and simulated noise gives none.",
                "Simulate with a session that has no ledger file, or leave the seeded block.",
            )

    def plan(
        self,
        chart: Chart[P, Any],
        *,
        bounds: object = None,
        budget: Budget | Share | float | None = None,
        error: float | None = None,
        size: float = math.inf,
        delta: float = 0.0,
    ) -> P:
        """Show the cost and the expected error of a chart. Spends nothing.

        Give a `budget`, or a wanted `error` to learn the smallest ε that reaches it; with `size`,
        the smallest ε that also draws groups of so many rows or people. Guess it, do not look.
        """
        if (budget is None) == (error is None):
            raise BudgetError(
                "A plan needs a budget or a wanted error, and not both.",
                "One follows from the other.",
                (
                    "Write ",
                    Worded(
                        "plan(chart, budget=0.5), or plan(chart, error=10)",
                        in_shell="--epsilon 0.5, or --error 10",
                    ),
                    ".",
                ),
            )
        engine = choose_engine(self._table)
        schema, selection = engine.schema(), self._select(chart)
        chart, declared = declare_within(self.domain, chart, bounds, schema.kind)
        domain = schema.refine(declared)
        if error is not None:
            budget = find_budget(chart, domain, self.unit, error=error, size=size, delta=delta)
        asked = grant(self.ledger.rule, budget or 0.0)
        plan = _label(chart.plan(domain, self.unit, asked), selection)
        self._require(plan, asked)
        plan.check(schema)
        if chart.where is not None:
            engine.restrict(chart.where)
        return replace(plan, standing=self._tell_standing(chart, plan, asked, domain))

    def _require_room(self, chart: Chart[P, Any], plan: P, asked: Budget, domain: Domain) -> None:
        """Refuse what the ledger would refuse, and say how much the chart could have."""
        standing = self.ledger.stand(self.who)
        if not standing.admits(plan.cost):
            largest = self._find_largest(chart, asked, domain)
            spelled = None if largest is None else largest.spelled
            raise standing.make_refusal(shorten_label(plan.label), plan.cost, spelled)

    def find_largest(self, chart: Chart[P, Any], asked: Budget | float) -> Budget | None:
        """Return the largest budget, up to the one asked for, that is left for such a chart.

        It has the δ that was asked for, and an ε of four digits; None where nothing is left.

        Examples
        --------
        >>> from sfumato.testing import city
        >>> from sfumato import Histogram
        >>> s = Session(city(people=500), domain=Domain(age=(0, 100)), budget=1)
        >>> chart = Histogram(x="age", bins=10)
        >>> release = s.release(chart, budget=0.7)
        >>> s.find_largest(chart, 1.0)
        Budget(epsilon=0.3)
        """
        domain = choose_engine(self._table).schema().refine(self.domain)
        return self._find_largest(chart, asked, domain)

    def _find_largest(
        self, chart: Chart[P, Any], asked: Budget | float, domain: Domain
    ) -> Budget | None:
        standing = self.ledger.stand(self.who)
        return find_largest(
            chart,
            domain,
            self.unit,
            Budget.of(asked),
            grant=partial(grant, standing.rule),
            fits=lambda plan: standing.admits(plan.cost),
        )

    def _tell_standing(self, chart: Chart[P, Any], plan: P, asked: Budget, domain: Domain) -> str:
        """Say whether what is left would pay for a plan, and what else it would pay for."""
        standing = self.ledger.stand(self.who)
        if standing.admits(plan.cost):
            left = standing.after(plan.cost).remaining
            return f"affordable; leaves {left}"
        largest = self._find_largest(chart, asked, domain)
        if largest is None:
            return "refused: nothing is left for this chart"
        most = Guarantee(largest.epsilon, largest.delta, self.unit).amounts
        return f"refused: at most {most} is left for this chart"


def _label(plan: P, selection: Selection | None) -> P:
    """Return a plan whose label says which rows are meant, as a ledger keeps it."""
    if selection is None or plan.label.endswith(selection.words):
        return plan
    return replace(plan, label=f"{plan.label}{selection.words}")


class Outcome:
    """Notes on whatever ends a release early what became of its cost."""

    def __init__(self) -> None:
        self.note = UNCHARGED

    def __enter__(self) -> Outcome:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # A refusal says itself what it is; an interrupt says nothing.
        if problem is not None and (self.note == CHARGED or not _is_refusal(problem)):
            problem.add_note(self.note)


def _is_refusal(problem: BaseException) -> bool:
    return isinstance(problem, Exception) and not isinstance(problem, UnansweredError)


def _open_ledger(
    ledger: Ledger | str | Path | None, budget: Budget | None, unit: PrivacyUnit, name: str
) -> Ledger:
    if isinstance(ledger, str | Path):
        if budget is not None:
            return Ledger.at(ledger, budget=budget, unit=unit, table=name)
        ledger = Ledger.open(ledger)
    if ledger is not None:
        ledger.require(budget=budget, unit=unit, table=name)
        return ledger
    if budget is None:
        raise BudgetError(
            "A session needs a budget.",
            "Without a limit, charts together reveal everything.",
            (
                "Write ",
                Worded("Session(table, budget=Budget(epsilon=1))"),
                ", or give it a ledger.",
            ),
        )
    return Ledger.memory(budget=budget, unit=unit, table=name)
