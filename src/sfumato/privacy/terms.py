"""What a ledger was created for, and its entries: one for each charge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from sfumato.errors import LedgerError
from sfumato.names import brief
from sfumato.names import printable as harmless
from sfumato.privacy.budget import Budget
from sfumato.privacy.cost import Cost, exactly

LONGEST_LABEL = 300


@dataclass(frozen=True)
class Entry:
    """One charge: its number, when it was made (UTC), what for and what it cost."""

    number: int
    time: datetime
    label: str
    cost: Cost


def total(entries: Iterable[Entry]) -> Cost:
    """Add up what `entries` cost."""
    return sum((entry.cost for entry in entries), Cost.nothing())


def shorten_label(text: str) -> str:
    r"""Return `text` on one line, of bounded length, safe for any terminal and any encoding.

    Examples
    --------
    >>> printable("histogram of wait\n by ward")
    'histogram of wait by ward'
    """
    # A name may have a million letters, of which few are kept.
    return brief(" ".join(harmless(text[: 4 * LONGEST_LABEL]).split()), LONGEST_LABEL)


@dataclass(frozen=True)
class Terms:
    """The total a ledger guards, whom it protects, and of which table.

    Parameters
    ----------
    protects
        What `PrivacyUnit.protects` says.
    identity
        A random text, so that a ledger put in the place of another is noticed.
    """

    budget: Budget
    protects: str
    table: str
    identity: str

    def __post_init__(self) -> None:
        if not _short(self.table):
            raise LedgerError(
                "A ledger needs the name of its table, a short text on one line. Charges against "
                "one table must never be counted for another. Write table='visits'."
            )

    @property
    def limits(self) -> tuple[Fraction, Fraction, Fraction]:
        """The budget as exact numbers: ε, δ and the part of δ kept for thresholds."""
        budget = self.budget
        return exactly(budget.epsilon), exactly(budget.delta), budget.threshold_delta

    def agree(self, name: str, wanted: Terms) -> None:
        """Refuse a ledger that was created for something else than `wanted`."""
        for what, kept, asked in (
            ("the table", self.table, wanted.table),
            ("the unit", self.protects, wanted.protects),
        ):
            if kept != asked:
                raise LedgerError(
                    f"{name} is kept for {what} {kept!r}, not {asked!r}. Its sum is a promise "
                    "about that alone. Ask as it was created (a table of the same people under its "
                    f"name, name={self.table!r}), or, for other people, name another ledger file."
                )
        if self.limits != wanted.limits:
            raise LedgerError(
                f"{name} guards {self.budget!r}, not {wanted.budget!r}. A total that grows "
                "afterwards is no promise. Open it with the budget it was created with, or name "
                "another ledger file."
            )


def _short(table: object) -> bool:
    return isinstance(table, str) and 0 < len(table) <= LONGEST_LABEL and table.isprintable()
