"""`Ledger`: what was spent, written down before anyone looks."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from html import escape
from pathlib import Path
from sqlite3 import Connection

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
from sfumato.privacy.place import exists
from sfumato.privacy.share import Share
from sfumato.privacy.store import (
    Entry,
    FileStore,
    MemoryStore,
    Store,
    Terms,
    UnreadableError,
    create,
    inspect,
    read_entries,
    read_terms,
    sum_costs,
    write_entry,
)

Row = tuple[str, ...]


def as_text(terms: Terms, entries: Sequence[Entry]) -> str:
    """Write the ledger as lines of text."""
    rows = _list_rows(terms, entries)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_format_line(row, widths) for row in rows]
    rule = "─" * len(lines[0])
    return "\n".join([_write_title(terms), rule, lines[0], rule, *lines[1:-2], rule, *lines[-2:]])


def as_html(terms: Terms, entries: Sequence[Entry]) -> str:
    """Write the ledger as an HTML table."""
    head, *body = _list_rows(terms, entries)
    table = _format_html_row(head, "th") + "".join(_format_html_row(row, "td") for row in body)
    return f"<table><caption>{escape(_write_title(terms))}</caption>{table}</table>"


def _write_title(terms: Terms) -> str:
    protected = abbreviate(make_printable(terms.protects.removeprefix("user ")))
    why = explain_weakness(terms.budget.epsilon, terms.budget.delta)
    weak = f". Protects little: {why}." if why else ""
    return f"Ledger of {terms.table}: {terms.budget!r}, protecting each {protected}{weak}"


def _list_rows(terms: Terms, entries: Sequence[Entry]) -> list[Row]:
    spent = sum_costs(entries)
    left = Share.remaining(PrivacyFilter.of(terms.budget), spent)
    # A pure budget has one currency; the others would only confuse.
    columns = 1 if terms.budget.pure else 3

    def row(number: str, time: str, label: str, cost: Cost, *, up: bool = True) -> Row:
        return (number, time, label, *_format_amounts(cost, up=up)[:columns])

    return [
        ("", "time (UTC)", "what for", *("ε", "ρ", "δ")[:columns]),
        *(row(str(e.number), f"{e.time:%Y-%m-%d %H:%M}", e.label, e.cost) for e in entries),
        row("", "", "spent", spent),
        row("", "", "left", left, up=False),
    ]


def _format_amounts(cost: Cost, *, up: bool) -> Row:
    def shown(amount: Fraction | None) -> str:
        return "–" if amount is None else format_amount(amount, up=up)

    return shown(cost.epsilon), shown(cost.rho), shown(cost.delta)


def _format_line(row: Row, widths: Sequence[int]) -> str:
    words = [cell.ljust(width) for cell, width in zip(row[:3], widths[:3], strict=True)]
    numbers = [cell.rjust(width) for cell, width in zip(row[3:], widths[3:], strict=True)]
    return "  ".join(words + numbers).rstrip()


def _format_html_row(row: Row, tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"


class Ledger:
    """One budget for one table and one unit, and every charge against it.

    Made by `create`, `open`, `at` or `memory`. A charge is checked and written in one transaction
    and is on the disk when `charge` returns. Threads and processes may share the file; keep it on
    a local disk, where file locks can be relied on, and never put back an older copy: it has
    forgotten what was spent since.

    Examples
    --------
    >>> from fractions import Fraction
    >>> ledger = Ledger.memory(budget=1.0, table="visits")
    >>> ledger.charge("histogram of age", Cost.pure(Fraction(1, 4))).number
    1
    >>> ledger.remaining.epsilon
    Fraction(3, 4)
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._terms = store.read(inspect)

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        budget: Budget | float,
        unit: PrivacyUnit | str | None = None,
        table: str,
    ) -> Ledger:
        """Begin a ledger in a new file; an existing one is never touched."""
        place = _resolve_path(path)
        create(place, _make_terms(budget, unit, table))
        return cls(FileStore(place))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Ledger:
        """Open the ledger in an existing file."""
        place = _resolve_path(path)
        if not exists(place):
            raise LedgerError(
                f"There is no ledger at {place}.",
                "A new one would forget what was spent before.",
                (
                    "If nothing was, write ",
                    Worded(
                        f"Ledger.create({str(path)!r}, budget=Budget(epsilon=1), table='visits')",
                        in_shell=f"sfumato ledger create {typed(path)} --epsilon 1 --table visits",
                    ),
                    ".",
                ),
            )
        return cls(FileStore(place))

    @classmethod
    def at(
        cls,
        path: str | os.PathLike[str],
        *,
        budget: Budget | float,
        unit: PrivacyUnit | str | None = None,
        table: str,
    ) -> Ledger:
        """Open the ledger at `path`, or begin it; one with other terms is refused."""
        place, terms = _resolve_path(path), _make_terms(budget, unit, table)
        if not exists(place):
            try:
                create(place, terms)
            except LedgerError:
                # Another process may have begun it in the meantime.
                if not exists(place):
                    raise
        ledger = cls(FileStore(place))
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
        return cls(MemoryStore(_make_terms(budget, unit, table)))

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
    def path(self) -> Path | None:
        """The file; None in memory."""
        return self._store.path

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every charge so far."""
        return self._store.read(self._entries)

    @property
    def spent(self) -> Cost:
        """What all charges cost together."""
        return sum_costs(self.entries)

    @property
    def rule(self) -> PrivacyFilter:
        """The rule by which charges are admitted."""
        return PrivacyFilter.of(self.budget)

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

    def charge(self, label: str, cost: Cost) -> Entry:
        """Write down `cost`, or refuse it and leave the ledger as it was.

        Privacy
        -------
        When this returns the charge survives a crash of the process and of the machine, and all
        charges together keep the ledger's (ε, δ), however they were chosen (`accountant.md`).
        """
        label = shorten_label(label)

        def add(connection: Connection) -> Entry:
            entries = self._entries(connection)
            spent = sum_costs(entries)
            if not self.rule.admits(spent, cost):
                raise make_refusal(label, self.rule, spent, cost)
            entry = Entry(len(entries) + 1, datetime.now(UTC), label, cost)
            write_entry(connection, entry)
            return entry

        return self._store.write(add)

    def _entries(self, connection: Connection) -> tuple[Entry, ...]:
        if read_terms(connection) != self._terms:
            raise UnreadableError("It is not the ledger that was opened")
        return read_entries(connection)

    def __reduce__(self) -> tuple[object, ...]:
        if self.path is None:
            raise LedgerError(
                "A ledger in memory cannot be copied or sent to another process.",
                "Each copy could spend the same budget again.",
                ("Keep it in a file: ", Setting("ledger", "visits.ledger"), "."),
            )
        return Ledger.open, (self.path,)

    def __repr__(self) -> str:
        return f"Ledger({self._store.name!r}, table={self.table!r}, budget={self.budget!r})"

    def __str__(self) -> str:
        return as_text(self._terms, self.entries)

    def _repr_html_(self) -> str:
        return as_html(self._terms, self.entries)


def _resolve_path(path: str | os.PathLike[str]) -> Path:
    # Made absolute once: changing the working directory must not change the ledger.
    place = Path(path).absolute()
    # SQLite would stop reading the name there, and open another file.
    if "\0" in str(place):
        raise LedgerError(
            "A ledger's file name must not hold a NUL character.",
            "Another file might be opened in its place.",
            ("Write a plain name: ", Setting("ledger", "visits.ledger"), "."),
        )
    return place


def _make_terms(budget: Budget | float, unit: PrivacyUnit | str | None, table: str) -> Terms:
    protects = PrivacyUnit.of(unit).protects
    return Terms(Budget.of(budget), protects, table, secrets.token_hex(16))
