"""What a ledger holds, and how it is written: its terms, its entries, and the chain of seals."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, TypeVar, cast

from sfumato.errors import (
    LONGEST_LABEL,
    BudgetError,
    LedgerError,
    Setting,
    Spending,
    Worded,
    shorten_label,
    typed,
)
from sfumato.privacy.accountant import PrivacyFilter
from sfumato.privacy.budget import Budget, Cost, Loss, explain_weakness, plain_above, to_fraction
from sfumato.privacy.currency import Concentrated, Renyi
from sfumato.privacy.share import Grant, grant
from sfumato.privacy.store import Book, Row, UnreadableError

VERSION = 2
"""The version of the format that new ledgers are written in; version 1 had no seals."""


@dataclass(frozen=True)
class Entry:
    """One charge: its number, when it was made (UTC), what for and what it cost.

    Parameters
    ----------
    who, purpose
        Who asked for it and why, where they said so. Public texts, never data.
    seal
        A digest of this entry and of everything before it in the ledger; None in ledgers that
        were begun before there were seals.
    salt
        A random text within what is sealed. Releases show the seal to everybody, who could
        otherwise guess who asked, when and why, and see from the seal that they are right.
    """

    number: int
    time: datetime
    label: str
    cost: Cost
    who: str | None = None
    purpose: str | None = None
    seal: str | None = None
    salt: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        require_short("who", self.who)
        require_short("purpose", self.purpose)
        require_short("salt", self.salt)


def require_short(name: str, text: object) -> None:
    """Refuse what is said of `who` or `purpose` unless it is a short text, or nothing."""
    if text is not None and not _is_short(text):
        raise LedgerError(
            f"{name} must be a short text on one line.",
            "It is written into the ledger, which is read by whoever looks after it.",
            ("Write ", Setting(name, "analyst-1" if name == "who" else "quarterly report"), "."),
        )


def _is_short(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text) <= LONGEST_LABEL and text.isprintable()


@dataclass(frozen=True)
class Account:
    """What one person may spend of a ledger: a cap on their charges, and no guarantee.

    People see each other's releases, so what one of them learns about the table is bounded by the
    ledger's budget alone.

    Parameters
    ----------
    number, time
        Its place in the ledger, and when it was opened or last raised (UTC).
    name
        Whose it is: what charges have to say as `who`.
    budget
        The most that may be charged to this account.
    limit
        The same in what the ledger counts in besides ε.
    """

    number: int
    time: datetime
    name: str
    budget: Budget
    limit: Fraction = field(repr=False)
    seal: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not _is_short(self.name):
            raise LedgerError(
                "An account needs a name, a short text on one line.",
                "It is written into the ledger, which is read by whoever looks after it.",
                ("Write ", Worded("ledger.account('analyst-1', 0.5)", in_shell="analyst-1"), "."),
            )

    @classmethod
    def draft(cls, rule: PrivacyFilter, name: str, budget: Budget) -> Account:
        """Return an account that is not written yet, in the currency of a ledger's rule.

        Its δ is divided as the ledger's is, unless it says otherwise.
        """
        whole = rule.budget
        if budget.epsilon > whole.epsilon or budget.delta > whole.delta:
            raise BudgetError(
                ("An account of ", budget.spelled, " exceeds the table's ", whole.spelled, "."),
                "What all accounts spend together never exceeds the table's total.",
                "Give it less.",
            )
        if budget.reserve is None and whole.reserve is not None and budget.delta:
            part = to_fraction(budget.delta) / to_fraction(whole.delta)
            budget = replace(budget, reserve=plain_above(part * rule.reserve))
        granted = grant(rule, budget)
        limit = granted.amount if isinstance(granted, Grant) else Fraction(0)
        return cls(0, datetime.now(UTC), name, budget, limit)

    @property
    def amounts(self) -> tuple[Fraction, ...]:
        """All that it grants: ε, δ, the δ for thresholds, and the limit."""
        budget = self.budget
        pair = to_fraction(budget.epsilon), to_fraction(budget.delta)
        return *pair, budget.threshold_delta, self.limit

    def limit_rule(self, rule: PrivacyFilter) -> PrivacyFilter:
        """Return a ledger's rule, limited to this account."""
        return replace(rule, budget=self.budget, limit=self.limit)


Line = Entry | Account
AnyLine = TypeVar("AnyLine", Entry, Account)


def sum_costs(entries: Iterable[Entry]) -> Cost:
    """Add up what `entries` cost."""
    return Cost.sum(entry.cost for entry in entries)


@dataclass(frozen=True)
class Terms:
    """The total a ledger guards, whom it protects, and of which table.

    Parameters
    ----------
    protects
        What `PrivacyUnit.protects` says.
    identity
        A random text, so that a ledger put in the place of another is noticed.
    order, limit
        The order of the Rényi divergences that are added up, and how far; both fixed when the
        ledger is begun. None where the ledger adds up ρ, and where it has no δ.
    version
        The version of the format it is kept in.
    """

    budget: Budget
    protects: str
    table: str
    identity: str
    order: Fraction | None = None
    limit: Fraction | None = None
    version: int = VERSION

    def __post_init__(self) -> None:
        if not _is_short(self.table):
            raise LedgerError(
                "A ledger needs the name of its table, a short text on one line.",
                "Charges against one table must never be counted for another.",
                ("Write ", Setting("table", "visits"), "."),
            )

    @property
    def limits(self) -> tuple[Fraction, Fraction, Fraction]:
        """The budget as exact numbers: ε, δ and the part of δ kept for thresholds."""
        budget = self.budget
        return (
            to_fraction(budget.epsilon),
            to_fraction(budget.delta),
            budget.threshold_delta,
        )

    @property
    def rule(self) -> PrivacyFilter:
        """The rule by which charges are admitted; a ledger keeps the one it was begun with."""
        if self.version == 1:
            return PrivacyFilter.concentrated(self.budget)
        if self.order is None or self.limit is None:
            return PrivacyFilter(self.budget, Concentrated(), Fraction(0))
        return PrivacyFilter(self.budget, Renyi(self.order), self.limit)

    def agree(self, name: str, wanted: Terms) -> None:
        """Refuse a ledger that was created for something else than `wanted`."""
        if self.table != wanted.table:
            name_it = Worded(f"name={self.table!r}", in_shell=f"--table {typed(self.table)}")
            raise LedgerError(
                f"{name} is kept for the table {self.table!r}, not {wanted.table!r}.",
                "Its budget protects the people in that table.",
                ("If they are the same, pass ", name_it, "; if not, name another ledger file."),
            )
        if self.protects != wanted.protects:
            raise LedgerError(
                f"{name} is kept for the unit {self.protects!r}, not {wanted.protects!r}.",
                "Its budget protects that unit only.",
                "Protect the same unit, or name another ledger file.",
            )
        if self.limits != wanted.limits:
            raise LedgerError(
                (f"{name} guards ", self.budget.spelled, ", not ", wanted.budget.spelled, "."),
                "A limit that can be raised later guarantees nothing.",
                "Open it with the budget it was created with, or name another ledger file.",
            )


@dataclass(frozen=True)
class Mark:
    """A state of a ledger: how many lines it had, and the digest of them all."""

    number: int
    seal: str


@dataclass(frozen=True)
class Log:
    """Every line of a ledger, in the order they were written.

    Parameters
    ----------
    accounts
        Each as it was opened, and again as it was raised.
    seals
        The digest of the terms, and after it that of each line with everything before it.
    """

    entries: tuple[Entry, ...]
    accounts: tuple[Account, ...]
    seals: tuple[str, ...]

    @property
    def current_accounts(self) -> dict[str, Account]:
        """Every account as it stands, by name, in the order they were opened."""
        return {account.name: account for account in self.accounts}

    def sum_charges(self, who: str) -> Cost:
        """Add up what one person was charged."""
        return sum_costs(entry for entry in self.entries if entry.who == who)

    @property
    def mark(self) -> Mark:
        """Where the ledger stands."""
        return Mark(len(self.seals) - 1, self.seals[-1])

    def continues(self, mark: Mark) -> bool:
        """Tell whether the ledger once stood at `mark`."""
        return mark.number < len(self.seals) and self.seals[mark.number] == mark.seal


def read_terms(book: Book) -> Terms:
    """Return the terms of the ledger in `book`, or refuse what are none."""
    facts = book.read_facts()
    try:
        terms = _parse_terms(facts, book.version)
    except (KeyError, OverflowError, BudgetError, LedgerError):
        terms = None
    if terms is None or write_terms(terms) != facts:
        raise UnreadableError("Its terms are damaged")
    return terms


def write_terms(terms: Terms) -> dict[str, str]:
    """Return the public facts that a ledger is begun with, in texts."""
    facts = {
        **_write_budget(terms.budget),
        "protects": terms.protects,
        "table": terms.table,
        "identity": terms.identity,
    }
    if terms.version == 1:
        return facts
    facts["version"] = str(terms.version)
    if terms.order is not None and terms.limit is not None:
        facts |= {"order": write_amount(terms.order), "limit": write_amount(terms.limit)}
    return facts


def _parse_terms(facts: Mapping[str, str], version: int) -> Terms:
    if not re.match(r"row$|user .|users \[", facts["protects"], re.DOTALL):
        raise UnreadableError("Its terms are damaged")
    order, limit = (
        parse_amount(facts[name]) if name in facts else None for name in ("order", "limit")
    )
    named = facts["protects"], facts["table"], facts["identity"]
    terms = Terms(_parse_budget(facts), *named, order, limit, version)
    if not terms.rule.keeps_its_promise:
        raise UnreadableError("Its terms allow more than they guarantee")
    return terms


def _write_budget(budget: Budget) -> dict[str, str]:
    """Return the budget in exact numbers; a reserve that was left out stays out."""
    numbers = {"epsilon": budget.epsilon, "delta": budget.delta, "reserve": budget.reserve}
    return {
        name: write_amount(to_fraction(value))
        for name, value in numbers.items()
        if value is not None
    }


def _parse_budget(facts: Mapping[str, str]) -> Budget:
    kept = {name: facts[name] for name in ("epsilon", "delta", "reserve") if name in facts}
    numbers = {name: float(parse_amount(text)) for name, text in kept.items()}
    # Whether it may protect little was asked when it was created.
    weak = explain_weakness(numbers["epsilon"], numbers["delta"]) != ""
    return Budget(numbers["epsilon"], numbers["delta"], numbers.get("reserve"), weak=weak)


def inspect(book: Book) -> tuple[Terms, Mark]:
    """Return the terms of a ledger and where it stands, after a look at everything in it."""
    terms = read_terms(book)
    book.check()
    return terms, read_log(book, terms).mark


def read_log(book: Book, terms: Terms) -> Log:
    """Return every line, after a look at whether each is the one that was sealed."""
    lines: list[Line] = []
    seals = [_seal_terms(terms)]
    for number, row in enumerate(book.read_rows(), 1):
        if row.number != number:
            raise UnreadableError("An entry is missing")
        seals.append(_seal(seals[-1], row.body))
        if terms.version > 1 and row.seal != seals[-1]:
            raise UnreadableError("Its entries are not as they were sealed")
        lines.append(line := _parse_line(row))
        # Version 1 had no body to compare with.
        if terms.version > 1 and write_body(line) != row.body:
            raise UnreadableError("An entry is damaged")
    entries = tuple(line for line in lines if isinstance(line, Entry))
    accounts = tuple(line for line in lines if isinstance(line, Account))
    return Log(entries, accounts, tuple(seals))


def write_entry(book: Book, log: Log, line: AnyLine) -> tuple[AnyLine, Mark]:
    """Add a charge or an account to `log`; return it as it is kept, and where that ends."""
    before, body = log.mark, write_body(line)
    after = Mark(before.number + 1, _seal(before.seal, body))
    seal = after.seal if book.version > 1 else None
    book.append(Row(after.number, body, seal))
    return replace(line, number=after.number, seal=seal), after


def write_body(line: Line) -> str:
    """Return what a line says, in the one way it can be written."""
    said = _describe_charge(line) if isinstance(line, Entry) else _describe_account(line)
    return write_canonical({**said, "time": line.time.isoformat()})


def _describe_account(account: Account) -> dict[str, Any]:
    limit = {"limit": write_amount(account.limit)}
    return {"kind": "account", "name": account.name, **_write_budget(account.budget), **limit}


def _describe_charge(entry: Entry) -> dict[str, Any]:
    named = {"who": entry.who, "purpose": entry.purpose, "salt": entry.salt}
    said = {name: text for name, text in named.items() if text is not None}
    return {"kind": "charge", "label": entry.label, **write_cost(entry.cost), **said}


_DAMAGES = (
    KeyError, TypeError, ValueError, OverflowError, RecursionError, BudgetError, LedgerError,
)  # fmt: skip
"""What a damaged line may lead to."""


def _parse_line(row: Row) -> Line:
    try:
        match json.loads(row.body):
            case {"kind": "charge", "time": str(time), "label": str(label), **fields}:
                moment, cost = _parse_moment(time), parse_cost(fields)
                said = {name: fields.get(name) for name in ("who", "purpose", "salt")}
                return Entry(row.number, moment, shorten_label(label), cost, seal=row.seal, **said)
            case {"kind": "account", "time": str(time), "name": str(name), **fields}:
                moment, limit = _parse_moment(time), parse_amount(fields.get("limit"))
                budget = _parse_budget(fields)
                return Account(row.number, moment, name, budget, limit, row.seal)
            case _:
                pass
    except _DAMAGES:
        pass
    raise UnreadableError("An entry is damaged")


def write_cost(cost: Cost) -> dict[str, Any]:
    """Return a cost in texts, amount by amount, and what is known of its parts."""
    losses = [{**vars(loss), "epsilon": write_amount(loss.epsilon)} for loss in cost.losses]
    return ({"losses": losses} if losses else {}) | {
        "epsilon": None if cost.epsilon is None else write_amount(cost.epsilon),
        "rho": write_amount(cost.rho),
        "delta": write_amount(cost.delta),
    }


def parse_cost(fields: Mapping[str, object]) -> Cost:
    """Return the cost that `write_cost` wrote, whatever else is among `fields`."""
    epsilon = fields.get("epsilon")
    pure = None if epsilon is None else parse_amount(epsilon)
    losses = tuple(map(_parse_loss, cast(Iterable[object], fields.get("losses", ()))))
    return Cost(pure, parse_amount(fields.get("rho")), parse_amount(fields.get("delta")), losses)


def _parse_loss(fields: object) -> Loss:
    match cast(Any, fields):
        case {
            "family": "exponential" | "laplace" as family,
            "epsilon": str(epsilon),
            "steps": int(steps),
            "times": int(times),
        } if min(steps, times) > 0:
            return Loss(family, parse_amount(epsilon), steps, times)
        case _:
            raise UnreadableError("An entry is damaged")


def write_canonical(fields: Mapping[str, object]) -> str:
    """Return JSON in which the same fields are always the same bytes."""
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _seal_terms(terms: Terms) -> str:
    return _digest(f"sfumato ledger\n{write_canonical(write_terms(terms))}")


def _seal(before: str, body: str) -> str:
    # A digest has always 64 digits, so that no two pairs are one text.
    return _digest(f"sfumato entry\n{before}\n{body}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# Python may refuse to read integers of more than 640 digits; every float's fraction has fewer.
_FRACTION = re.compile(r"[0-9]{1,640}/[1-9][0-9]{0,639}")
_FINEST = 10**640


def parse_amount(text: object) -> Fraction:
    """Return the fraction that `write_amount` wrote."""
    if isinstance(text, str) and _FRACTION.fullmatch(text):
        return Fraction(text)
    raise UnreadableError("An amount in it is not a fraction of at least 0")


def write_amount(amount: Fraction) -> str:
    """Return an exact amount as a text, or refuse one that is too long to be read again."""
    if max(amount.numerator, amount.denominator) > _FINEST:
        raise LedgerError(
            "A cost is written in more digits than a ledger keeps.",
            "A rounded one would not add up.",
            ("Ask for a rounder amount: ", Spending(0.5), "."),
        )
    return f"{amount.numerator}/{amount.denominator}"


def _parse_moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise UnreadableError("A time in it is damaged")
