"""`Ledger`: what was spent, written down before anyone looks."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from html import escape
from pathlib import Path

from sfumato.errors import (
    LedgerError,
    Setting,
    Worded,
    abbreviate,
    make_printable,
    shorten_label,
    typed,
)
from sfumato.privacy.accountant import PrivacyFilter, make_refusal
from sfumato.privacy.budget import Budget, Cost, explain_weakness, format_amount
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.privacy.records import (
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
from sfumato.privacy.share import Share, find_pure
from sfumato.privacy.store import Book, Store, UnreadableError
from sfumato.privacy.stores import (
    Place,
    create_in_memory,
    create_store,
    find_store,
    name_place,
    spell_place,
)

Row = tuple[str, ...]


def as_text(terms: Terms, entries: Sequence[Entry]) -> str:
    """Write the ledger as lines of text."""
    rows = _list_rows(terms, entries)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_format_line(row, widths) for row in rows]
    rule = "─" * len(lines[0])
    table = [rule, lines[0], rule, *lines[1:-1], rule, lines[-1]]
    return "\n".join([_write_title(terms), *table, *_write_foot(terms, entries)])


def as_html(terms: Terms, entries: Sequence[Entry]) -> str:
    """Write the ledger as an HTML table."""
    head, *body = _list_rows(terms, entries)
    table = _format_html_row(head, "th") + "".join(_format_html_row(row, "td") for row in body)
    foot = "<br>".join(map(escape, _write_foot(terms, entries)))
    return f"<table><caption>{escape(_write_title(terms))}</caption>{table}</table><p>{foot}</p>"


def _write_foot(terms: Terms, entries: Sequence[Entry]) -> list[str]:
    rule, spent = terms.rule, sum_costs(entries)
    return list(filter(None, [*describe_left(rule, spent), describe_rule(rule, spent)]))


def _write_title(terms: Terms) -> str:
    protected = abbreviate(make_printable(terms.protects.removeprefix("user ")))
    why = explain_weakness(terms.budget.epsilon, terms.budget.delta)
    weak = f". Protects little: {why}." if why else ""
    return f"Ledger of {terms.table}: {terms.budget!r}, protecting each {protected}{weak}"


def _list_rows(terms: Terms, entries: Sequence[Entry]) -> list[Row]:
    # A pure budget has one currency; the others would only confuse.
    columns = slice(2) if terms.budget.pure else slice(4)
    spent = sum_costs(entries)
    measure = terms.rule.choose_measure(spent)

    def row(number: str, time: str, label: str, cost: Cost) -> Row:
        share = f"{math.ceil(1000 * measure(cost)) / 10:.1f} %"
        return (number, time, label, *(share, *_format_amounts(cost))[columns])

    return [
        ("", "time (UTC)", "what for", *("share", "ε", "ρ", "δ")[columns]),
        *(row(str(e.number), f"{e.time:%Y-%m-%d %H:%M}", e.label, e.cost) for e in entries),
        row("", "", "spent", spent),
    ]


def _format_amounts(cost: Cost) -> Row:
    def shown(amount: Fraction | None) -> str:
        return "–" if amount is None else format_amount(amount, up=True)

    return shown(cost.epsilon), shown(cost.rho), shown(cost.delta)


def describe_left(rule: PrivacyFilter, spent: Cost) -> list[str]:
    """Say how much one more chart could have, with either kind of noise.

    Examples
    --------
    >>> rule = PrivacyFilter.of(Budget(1, 1e-6))
    >>> describe_left(rule, Cost.pure(Fraction(1, 4)))
    ['left for a chart with a δ: ε = 0.7481, δ = 1e-06', 'left for a pure chart: ε = 0.75']
    """
    left, pure = Share.remaining(rule, spent), find_pure(rule, spent)
    if rule.budget.pure:
        return [f"left: ε = {format_amount(pure, up=False)}"]
    return [
        f"left for a chart with a δ: {replace(left, epsilon=None)}",
        f"left for a pure chart: ε = {format_amount(pure, up=False)}",
    ]


def describe_rule(rule: PrivacyFilter, spent: Cost) -> str:
    """Say what is counted, for those who want to know."""
    of = f"{rule.word(rule.price(spent))}, of {format_amount(rule.limit, up=False)}"
    return f"counted as {of}" if rule.limit else ""


def _format_line(row: Row, widths: Sequence[int]) -> str:
    words = [cell.ljust(width) for cell, width in zip(row[:3], widths[:3], strict=True)]
    numbers = [cell.rjust(width) for cell, width in zip(row[3:], widths[3:], strict=True)]
    return "  ".join(words + numbers).rstrip()


def _format_html_row(row: Row, tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"


class Ledger:
    """One budget for one table and one unit, and every charge against it.

    Made by `create`, `at` or `memory`; `Ledger("visits.ledger")` opens one that is there. A charge
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
        unit: PrivacyUnit | str | None = None,
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
        unit: PrivacyUnit | str | None = None,
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
        unit: PrivacyUnit | str | None = None,
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
        self, *, budget: Budget | float | None = None, unit: PrivacyUnit | str | None, table: str
    ) -> None:
        """Refuse to pay for another table, unit or total than this ledger was created for.

        A unit's `max_rows` may differ: it changes prices, not whom they protect. A budget that is
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
            Who asks and why: short texts for those who look after the ledger. Never data.

        Privacy
        -------
        When this returns the charge survives a crash of the process and of the machine, and all
        charges together keep the ledger's (ε, δ), however they were chosen (`accountant.md`).
        """
        if self._terms.version == 1:  # which has no room for more than these
            cost = Cost(cost.epsilon, cost.rho, cost.delta)
        draft = Entry(0, datetime.now(UTC), shorten_label(label), cost, who, purpose)
        self._require_room_for(draft)
        seen = self._seen

        def add(book: Book) -> tuple[Entry, Mark]:
            log = self._look(book, seen)
            spent = sum_costs(log.entries)
            if not self.rule.admits(spent, cost):
                raise make_refusal(draft.label, self.rule, spent, cost)
            return write_entry(book, log, draft)

        entry, mark = self._store.write(add)
        self._remember(mark)
        return entry

    def _require_room_for(self, entry: Entry) -> None:
        if self._terms.version == 1 and (entry.who or entry.purpose):
            raise LedgerError(
                f"{self._store.name} was begun by an older sfumato, which kept neither who asked "
                "nor what for.",
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
        return as_text(self._terms, self.entries)

    def _repr_html_(self) -> str:
        return as_html(self._terms, self.entries)


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


def _make_terms(budget: Budget | float, unit: PrivacyUnit | str | None, table: str) -> Terms:
    budget, protects = Budget.of(budget), PrivacyUnit.of(unit).protects
    total = Budget.of(budget)
    rule = PrivacyFilter.of(total)
    limit = None if rule.order is None else rule.limit
    return Terms(total, protects, table, secrets.token_hex(16), rule.order, limit)
