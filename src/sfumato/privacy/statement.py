"""What people read of a ledger: every charge, or who spent what, for what and when."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, Literal, get_args

from sfumato.errors import LedgerError, Setting
from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import (
    Cost,
    explain_weakness,
    float_above,
    format_amount,
)
from sfumato.privacy.guarantee import describe_protected
from sfumato.privacy.records import Account, Entry, Log, Terms, sum_costs
from sfumato.privacy.share import Share, find_pure

if TYPE_CHECKING:
    import pandas as pd

Row = tuple[str, ...]
By = Literal["who", "purpose", "day"]
CAPS = (
    "Accounts cap what people spend. They guarantee nothing by themselves: people see each "
    "other's charts, and only the ledger's budget bounds what all of them reveal."
)


@dataclass(frozen=True)
class Sheet:
    """A table for people: its first columns are words, its last row sums up, notes follow it."""

    title: str
    rows: tuple[Row, ...]
    words: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(*self.rows, strict=True)]
        head, *body, total = [self._format_line(row, widths) for row in self.rows]
        rule = "─" * len(head)
        return "\n".join([self.title, rule, head, rule, *body, rule, total, *self.notes])

    def _format_line(self, row: Row, widths: Sequence[int]) -> str:
        cells = enumerate(zip(row, widths, strict=True))
        put = [cell.ljust(w) if n < self.words else cell.rjust(w) for n, (cell, w) in cells]
        return "  ".join(put).rstrip()

    def _repr_html_(self) -> str:
        head, *body = self.rows
        table = _format_html_row(head, "th") + "".join(_format_html_row(row, "td") for row in body)
        foot = "<br>".join(map(escape, self.notes))
        return f"<table><caption>{escape(self.title)}</caption>{table}</table><p>{foot}</p>"


def _format_html_row(row: Row, tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"


def list_charges(terms: Terms, log: Log) -> Sheet:
    """Return every charge of a ledger and what is left; who and what for where someone said so."""
    spent, write = sum_costs(log.entries), _choose_amounts(terms, log)
    said = [name for name in ("who", "purpose") if any(getattr(e, name) for e in log.entries)]
    words = ("", "time (UTC)", "what for", *said)
    rows = [
        (str(e.number), f"{e.time:%Y-%m-%d %H:%M}", e.label, *(getattr(e, n) or "" for n in said))
        for e in log.entries
    ]
    costs = [write(entry.cost) for entry in log.entries]
    total = ("", "", "spent", *("" for _ in said), *write(spent))
    body = (row + cost for row, cost in zip(rows, costs, strict=True))
    left = [*describe_left(terms.rule, spent), describe_rule(terms.rule, spent)]
    notes = (*filter(None, left), *_describe_accounts(terms.rule, log))
    head = words + _name_amounts(terms)
    return Sheet(_write_title(terms), (head, *body, total), len(words), notes)


def _write_title(terms: Terms) -> str:
    protected = describe_protected(terms.protects)
    why = explain_weakness(terms.budget.epsilon, terms.budget.delta)
    weak = f". Protects little: {why}." if why else ""
    return f"Ledger of {terms.table}: {terms.budget!r}, protecting each {protected}{weak}"


def _name_amounts(terms: Terms) -> Row:
    # A pure budget has one currency; the others would only confuse.
    return ("share", "ε") if terms.budget.pure else ("share", "ε", "ρ", "δ")


_MOST = Fraction(10**6)


def _choose_amounts(terms: Terms, log: Log) -> Callable[[Cost], Row]:
    """Return what writes a cost in the columns of `_name_amounts`."""
    measure = terms.rule.choose_measure(sum_costs(log.entries))

    def write(cost: Cost) -> Row:
        # Of a stranger's ledger, which may say that all was spent any number of times.
        share = f"{math.ceil(1000 * min(measure(cost), _MOST)) / 10:.1f} %"
        return (share, *map(_format, (cost.epsilon, cost.rho, cost.delta)))[
            : len(_name_amounts(terms))
        ]

    return write


def _format(amount: Fraction | None) -> str:
    return "–" if amount is None else format_amount(amount, up=True)


def describe_left(rule: PrivacyFilter, spent: Cost) -> list[str]:
    """Say how much one more chart could have, with either kind of noise.

    Examples
    --------
    >>> from sfumato.privacy.budget import Budget
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
    of = f"{rule.word(rule.price(spent))}, of {format_amount(rule.limit, up=True)}"
    return f"counted as {of}" if rule.limit else ""


def _describe_accounts(rule: PrivacyFilter, log: Log) -> list[str]:
    accounts = log.current_accounts.values()
    lines = [
        f"account {account.name}: {account.budget!r}, {_describe_own(rule, log, account)}"
        for account in accounts
    ]
    return [*lines, CAPS] if lines else []


def _describe_own(rule: PrivacyFilter, log: Log, account: Account) -> str:
    return ", ".join(describe_left(account.limit_rule(rule), log.sum_charges(account.name)))


@dataclass(frozen=True)
class Spent:
    """What one person, one purpose or one day has cost.

    Parameters
    ----------
    key
        Whose, what for, or when (a day in UTC); None where nobody said.
    account
        The account of that name, where a report is by person and there is one.
    """

    key: str | None
    charges: int
    cost: Cost
    account: Account | None = None


@dataclass(frozen=True)
class Report:
    """Who spent what of a ledger, or for what, or when. All parts together are the sum spent."""

    by: By
    parts: tuple[Spent, ...]
    sheet: Sheet

    def __str__(self) -> str:
        return str(self.sheet)

    def _repr_html_(self) -> str:
        return self.sheet._repr_html_()  # pyright: ignore[reportPrivateUsage]

    def records(self) -> list[dict[str, Any]]:
        """Return a plain record for each part; amounts are floats, rounded up."""
        return [
            {self.by: part.key, "charges": part.charges, **_list_amounts(part.cost)}
            for part in self.parts
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return a tidy pandas frame, one row for each part."""
        return make_frame(self.records(), [self.by, "charges", *_list_amounts(Cost.nothing())])


def make_report(terms: Terms, log: Log, by: By) -> Report:
    """Add up the charges of a ledger by who made them, what for, or on which day."""
    if by not in get_args(By):
        raise LedgerError(
            "A report is by who, by purpose or by day.",
            "These are what a ledger knows of its charges besides their labels.",
            ("Write ", Setting("by", "who"), "."),
        )
    parts = _add_up(log, by)
    write, total = _choose_amounts(terms, log), sum_costs(log.entries)
    capped = by == "who" and bool(log.accounts)
    rows = [
        (part.key or "–", str(part.charges), *write(part.cost))
        + (_describe_cap(terms.rule, part),) * capped
        for part in parts
    ]
    head = (by, "charges", *_name_amounts(terms), *["account"] * capped)
    last = ("spent", str(len(log.entries)), *write(total), *[""] * capped)
    title = f"{_write_title(terms)}, by {by}"
    return Report(by, parts, Sheet(title, (head, *rows, last), 1, (CAPS,) * capped))


def _add_up(log: Log, by: By) -> tuple[Spent, ...]:
    """Return the parts in alphabetical order, what nobody named last; accounts also if unused."""
    accounts = log.current_accounts if by == "who" else {}
    groups: dict[str | None, list[Entry]] = {name: [] for name in accounts}
    for entry in log.entries:
        groups.setdefault(_find_key(entry, by), []).append(entry)
    return tuple(
        Spent(key, len(groups[key]), sum_costs(groups[key]), accounts.get(key or ""))
        for key in sorted(groups, key=lambda key: (key is None, key or ""))
    )


def _find_key(entry: Entry, by: By) -> str | None:
    if by == "day":
        return f"{entry.time:%Y-%m-%d}"
    return entry.who if by == "who" else entry.purpose


def _describe_cap(rule: PrivacyFilter, part: Spent) -> str:
    if part.account is None:
        return "none"
    measure = part.account.limit_rule(rule).choose_measure(part.cost)
    return f"{math.ceil(1000 * measure(part.cost)) / 10:.1f} % of {part.account.budget!r}"


def list_records(terms: Terms, entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """Return a plain record for each charge; amounts are floats, rounded up."""
    order = terms.rule.order
    return [
        {
            "number": entry.number,
            "time": entry.time,
            "label": entry.label,
            "who": entry.who,
            "purpose": entry.purpose,
            **_list_amounts(entry.cost),
            "renyi": None if order is None else float_above(entry.cost.diverge(order)),
        }
        for entry in entries
    ]


COLUMNS = ("number", "time", "label", "who", "purpose", "epsilon", "rho", "delta", "renyi")


def _list_amounts(cost: Cost) -> dict[str, float | None]:
    return {
        "epsilon": None if cost.epsilon is None else float_above(cost.epsilon),
        "rho": float_above(cost.rho),
        "delta": float_above(cost.delta),
    }


def make_frame(records: list[dict[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return records as a pandas frame, which has its columns also where it has no rows."""
    try:
        import pandas as pd
    except ImportError:
        pd = None
    if pd is None:
        raise LedgerError(
            "to_frame() needs pandas, which is not installed.",
            "The numbers are at hand without it.",
            "Use entries, or records() of a report, or install pandas.",
        )
    return pd.DataFrame.from_records(records, columns=list(columns))
