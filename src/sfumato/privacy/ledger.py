"""`Ledger`: what was spent, written down before anyone looks."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import BudgetError, LedgerError, Setting, Worded, shorten_label, typed
from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.privacy.records import (
    Account,
    AnyLine,
    Entry,
    Log,
    Mark,
    Terms,
    inspect,
    read_log,
    read_terms,
    sum_costs,
    write_entry,
)
from sfumato.privacy.share import Share
from sfumato.privacy.standing import Standing
from sfumato.privacy.statement import (
    COLUMNS,
    By,
    Report,
    list_charges,
    list_records,
    make_frame,
    make_report,
)
from sfumato.privacy.store import Book, Store, UnreadableError
from sfumato.privacy.stores import (
    Place,
    create_in_memory,
    create_store,
    find_store,
    name_place,
    spell_place,
)
from sfumato.privacy.verification import Paid, Verification, verify

if TYPE_CHECKING:
    import pandas as pd


class Ledger:
    """One budget for one table and one unit, and every charge against it.

    Made by `create`, `at` or `memory`; `Ledger("visits.ledger")` opens one that is there, and
    `Ledger("postgresql://user@host/database#visits")` one on a server, which several machines
    share (the extra ``sfumato[postgres]``; passwords are not kept in copies). A charge
    is checked and written in one transaction and is on the disk when `charge` returns. Threads and
    processes may share the file; keep it on a local disk, where file locks can be relied on, and
    never put back an older copy: it has forgotten what was spent since. Whoever saw more of it
    refuses to go on with it; whoever opens it afterwards cannot know.

    Examples
    --------
    >>> from fractions import Fraction
    >>> ledger = Ledger.memory(budget=1.0, table="visits")
    >>> ledger.charge("histogram of age", Cost.pure(Fraction(1, 4))).number
    1
    >>> ledger.remaining.epsilon
    Fraction(3, 4)
    """

    def __init__(self, place: Place | Store) -> None:
        self._store = place if isinstance(place, Store) else _require_store(place)
        self._terms, self._seen = self._store.read(inspect)

    @classmethod
    def create(
        cls,
        place: Place,
        *,
        budget: Budget | float,
        unit: PrivacyUnit | str | Sequence[str] | None = None,
        table: str,
    ) -> Ledger:
        """Begin a ledger in a new file; an existing one is never touched."""
        return cls(create_store(place, _make_terms(budget, unit, table)))

    @classmethod
    def open(cls, place: Place) -> Ledger:
        """Open the ledger in an existing file."""
        return cls(place)

    @classmethod
    def at(
        cls,
        place: Place,
        *,
        budget: Budget | float,
        unit: PrivacyUnit | str | Sequence[str] | None = None,
        table: str,
    ) -> Ledger:
        """Open the ledger at `place`, or begin it; one with other terms is refused."""
        terms = _make_terms(budget, unit, table)
        store = find_store(place)
        if store is None:
            try:
                store = create_store(place, terms)
            except LedgerError:
                # Another process may have begun it in the meantime.
                store = find_store(place)
                if store is None:
                    raise
        ledger = cls(store)
        ledger.require(budget=budget, unit=unit, table=table)
        return ledger

    @classmethod
    def memory(
        cls,
        *,
        budget: Budget | float,
        unit: PrivacyUnit | str | Sequence[str] | None = None,
        table: str = "table",
    ) -> Ledger:
        """Begin a ledger that lives as long as this process."""
        return cls(create_in_memory(_make_terms(budget, unit, table)))

    @property
    def budget(self) -> Budget:
        """The total that may be spent."""
        return self._terms.budget

    @property
    def protects(self) -> str:
        """Whom the budget is kept for, as `PrivacyUnit.protects` says it."""
        return self._terms.protects

    @property
    def table(self) -> str:
        """The name of the table the budget is kept for."""
        return self._terms.table

    @property
    def identity(self) -> str:
        """A random text that no other ledger has."""
        return self._terms.identity

    @property
    def path(self) -> Path | None:
        """The file; None where it is kept in none."""
        return self._store.path

    @property
    def name(self) -> str:
        """Where it is kept, as errors say it: the file, or the server's address and no password."""
        return self._store.name

    @property
    def lasting(self) -> bool:
        """Whether it outlives this process, as all do but those in memory."""
        return self._store.address is not None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every charge so far."""
        return self._read().entries

    @property
    def spent(self) -> Cost:
        """What all charges cost together."""
        return sum_costs(self.entries)

    @property
    def rule(self) -> PrivacyFilter:
        """The rule by which charges are admitted."""
        return self._terms.rule

    @property
    def remaining(self) -> Share:
        """What is left, to be spent or divided."""
        return Share.remaining(self.rule, self.spent)

    def require(
        self,
        *,
        budget: Budget | float | None = None,
        unit: PrivacyUnit | str | Sequence[str] | None,
        table: str,
    ) -> None:
        """Refuse to pay for another table, unit or total than this ledger was created for.

        A unit's `max_rows` may differ: it changes costs, not whom they protect. A budget that is
        not named is not compared.
        """
        wanted = self.budget if budget is None else budget
        self._terms.agree(self._store.name, _make_terms(wanted, unit, table))

    def charge(
        self, label: str, cost: Cost, *, who: str | None = None, purpose: str | None = None
    ) -> Entry:
        """Write down `cost`, or refuse it and leave the ledger as it was.

        Parameters
        ----------
        who, purpose
            Who asks and why: short texts for those who look after the ledger. Never data. In a
            ledger with accounts, `who` says which one pays.

        Privacy
        -------
        When this returns the charge survives a crash of the process and of the machine, and all
        charges together keep the ledger's (ε, δ), however they were chosen (`accountant.md`).
        """
        if self._terms.version == 1:  # which has no room for more than these
            self._refuse_news(who, purpose)
            cost = Cost(cost.epsilon, cost.rho, cost.delta)
        salt = secrets.token_hex(16) if self._terms.version > 1 else None
        draft = Entry(0, datetime.now(UTC), shorten_label(label), cost, who, purpose, salt=salt)

        def add(book: Book, log: Log) -> tuple[Entry, Mark]:
            standing = Standing.find(self.rule, log, who)
            if not standing.admits(cost):
                raise standing.make_refusal(draft.label, cost)
            return write_entry(book, log, draft)

        return self._add(add)

    def account(self, name: str, budget: Budget | float) -> Account:
        """Open an account, or raise the one of that name, and return it.

        From then on every charge has to say whose it is (`who`), and fits that account and the
        ledger, or is refused. Charges of that name that were made before count too. All accounts
        together may have more than there is: whoever comes first is served first.

        Parameters
        ----------
        name
            Whose it is. A ledger does not know who speaks: it takes people by their word.
        budget
            The most that may be charged to this account. It counts as the ledger does, and its δ is
            divided as the ledger's is. It can be raised later, and never lowered.

        Privacy
        -------
        An account is a spending cap, and no guarantee: people see each other's charts, and what all
        of them reveal together is bounded by the ledger's budget, which no account changes.

        Examples
        --------
        >>> from fractions import Fraction
        >>> ledger = Ledger.memory(budget=2.0, table="visits")
        >>> ledger.account("analyst-1", 0.5).budget
        Budget(epsilon=0.5)
        >>> entry = ledger.charge("histogram", Cost.pure(Fraction(1, 2)), who="analyst-1")
        >>> ledger.stand("analyst-1").remaining
        Share(nothing)
        """
        if self._terms.version == 1:
            self._refuse_news(name)
        draft = Account.draft(self.rule, name, Budget.of(budget))

        def add(book: Book, log: Log) -> tuple[Account, Mark]:
            before = log.current_accounts.get(name)
            if before is None or _is_raised(before, draft):
                return write_entry(book, log, draft)
            return before, log.mark

        return self._add(add)

    @property
    def accounts(self) -> tuple[Account, ...]:
        """Every account as it stands, in the order they were opened."""
        return tuple(self._read().current_accounts.values())

    def stand(self, who: str | None = None) -> Standing:
        """Return what was spent, and what is left for `who`; with accounts they need one."""
        return Standing.find(self.rule, self._read(), who)

    def report(self, by: By) -> Report:
        """Add up all charges by who made them, by purpose, or by day (UTC).

        Examples
        --------
        >>> from fractions import Fraction
        >>> ledger = Ledger.memory(budget=2.0, table="visits")
        >>> cost = Cost.pure(Fraction(1, 4))
        >>> for who in ("Ada", "Grace", "Ada"):
        ...     entry = ledger.charge("histogram of age", cost, who=who)
        >>> print(ledger.report(by="who"))
        Ledger of visits: Budget(epsilon=2.0), protecting each row, by who
        ────────────────────────────
        who    charges   share     ε
        ────────────────────────────
        Ada          2  25.0 %   0.5
        Grace        1  12.5 %  0.25
        ────────────────────────────
        spent        3  37.5 %  0.75
        """
        return make_report(self._terms, self._read(), by)

    def to_frame(self) -> pd.DataFrame:
        """Return a tidy pandas frame, one row per charge; amounts are rounded up."""
        return make_frame(list_records(self._terms, self.entries), COLUMNS)

    def verify(self, *releases: Paid) -> Verification:
        """Tell whether this ledger paid for each of `releases`, and whether it is whole itself.

        A release was paid for if it names an entry by number and seal that is here, has the label
        and the cost of that entry, and noise that costs no more; and if no other release names the
        same. A release that names what is not here was paid for elsewhere, or this is an older copy
        of the ledger. A ledger whose chain is broken cannot be opened at all.

        Privacy
        -------
        Compares what is public; no table is read, and nothing is charged.
        """
        return verify(self._terms, self._read(), releases)

    def _add(self, action: Callable[[Book, Log], tuple[AnyLine, Mark]]) -> AnyLine:
        """Let `action` add a line in a transaction of its own, and remember where that ends."""
        seen = self._seen
        line, mark = self._store.write(lambda book: action(book, self._look(book, seen)))
        self._remember(mark)
        return line

    def _refuse_news(self, *said: str | None) -> None:
        if any(word is not None for word in said):
            raise LedgerError(
                f"{self._store.name} was begun by an older sfumato, and keeps neither accounts nor "
                "who asked and what for.",
                "A ledger keeps the format, and the rule, that it was begun with.",
                "Leave them out, or begin a new ledger with what is left in this one.",
            )

    def _read(self) -> Log:
        # What was seen is asked before the ledger is: another thread may charge in between.
        seen = self._seen
        log = self._store.read(lambda book: self._look(book, seen))
        self._remember(log.mark)
        return log

    def _look(self, book: Book, seen: Mark) -> Log:
        if read_terms(book) != self._terms:
            raise UnreadableError("It is not the ledger that was opened")
        log = read_log(book, self._terms)
        if not log.continues(seen):
            raise LedgerError(
                f"{self._store.name} has lost entries that it had before.",
                "An older copy has forgotten what was spent since, and would let it be spent "
                "again.",
                "Put the newest copy back; if there is none, count the budget as spent.",
            )
        return log

    def _remember(self, mark: Mark) -> None:
        # Without a lock, which a fork could leave locked: at worst a little less is remembered.
        if mark.number > self._seen.number:
            self._seen = mark

    def __reduce__(self) -> tuple[object, ...]:
        if self._store.address is None:
            raise LedgerError(
                "A ledger in memory cannot be copied or sent to another process.",
                "Each copy could spend the same budget again.",
                ("Keep it in a file: ", Setting("ledger", "visits.ledger"), "."),
            )
        return Ledger.open, (self._store.address,)

    def __repr__(self) -> str:
        return f"Ledger({self._store.name!r}, table={self.table!r}, budget={self.budget!r})"

    def __str__(self) -> str:
        return str(list_charges(self._terms, self._read()))

    def _repr_html_(self) -> str:
        return list_charges(self._terms, self._read())._repr_html_()  # pyright: ignore[reportPrivateUsage]


def _require_store(place: Place) -> Store:
    store = find_store(place)
    if store is None:
        place = spell_place(place)
        raise LedgerError(
            f"There is no ledger at {name_place(place)}.",
            "A new one would forget what was spent before.",
            (
                "If nothing was, write ",
                Worded(
                    f"Ledger.create({place!r}, budget=Budget(epsilon=1), table='visits')",
                    in_shell=f"sfumato ledger create {typed(place)} --epsilon 1 --table visits",
                ),
                ".",
            ),
        )
    return store


def _is_raised(before: Account, after: Account) -> bool:
    """Tell whether an account would get more; refuse to let it have less."""
    if any(new < old for old, new in zip(before.amounts, after.amounts, strict=True)):
        raise BudgetError(
            (f"The account {after.name!r} has ", before.budget.spelled, " already."),
            "An account can be raised and never lowered: its charts were planned with what it has.",
            "Leave it as it is, or ask for more in ε and in δ.",
        )
    return before.amounts != after.amounts


def _make_terms(
    budget: Budget | float, unit: PrivacyUnit | str | Sequence[str] | None, table: str
) -> Terms:
    budget, protects = Budget.of(budget), PrivacyUnit.of(unit).protects
    total = Budget.of(budget)
    rule = PrivacyFilter.of(total)
    limit = None if rule.order is None else rule.limit
    return Terms(total, protects, table, secrets.token_hex(16), rule.order, limit)
