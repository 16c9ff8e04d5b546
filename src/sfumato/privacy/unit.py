"""`PrivacyUnit`: whose presence in the table is hidden."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import DomainError
from sfumato.names import brief, printable

SHARED_STEPS = 2**30
"""One person's whole weight, in integer steps, where its rows share it."""

MOST_ROWS = 2**20


@dataclass(frozen=True)
class PrivacyUnit:
    """One row, or all rows of one user.

    Made by `rows` and `users`. Two tables are neighbours when one has all rows of one unit more
    than the other.

    Examples
    --------
    >>> PrivacyUnit.users("user_id", max_rows=20)
    PrivacyUnit.users('user_id', max_rows=20)
    """

    column: str | None = None
    max_rows: int | None = None

    def __post_init__(self) -> None:
        if self.column is not None and not _named(self.column):
            raise DomainError(
                "A user column is named by a text. Without one each row would be protected alone, "
                "which is less than was asked for. Write PrivacyUnit.users('user_id')."
            )
        if self.max_rows is not None and (self.column is None or not _counted(self.max_rows)):
            raise DomainError(
                f"max_rows must be a whole number from 1 to {MOST_ROWS}, for a user column. It "
                "bounds how much one person can count. Write PrivacyUnit.users('user_id', "
                "max_rows=20)."
            )

    def __repr__(self) -> str:
        if self.column is None:
            return "PrivacyUnit.rows()"
        cap = "" if self.max_rows is None else f", max_rows={self.max_rows}"
        return f"PrivacyUnit.users({self.column!r}{cap})"

    def __str__(self) -> str:
        return self.words(brief(printable(self.column or "")))

    def words(self, name: str | None = None) -> str:
        """Say what is protected, with another name for the user column than its own."""
        if self.column is None:
            return "one row"
        name = self.column if name is None else name
        if self.max_rows is None:
            return f"all rows of one {name}, which count once together"
        return f"all rows of one {name}, of which {self.max_rows} count at most"

    @classmethod
    def rows(cls) -> PrivacyUnit:
        """Protect each row; each weighs 1."""
        return cls()

    @classmethod
    def users(cls, column: str, *, max_rows: int | None = None) -> PrivacyUnit:
        """Protect all rows that share a value of `column`.

        Without `max_rows` each person counts once, its rows sharing that weight equally. With
        ``max_rows=k`` rows weigh 1 and at most k of each person's are counted. Rows without a
        user are not counted.
        """
        # None means rows to the constructor; whoever asks for users must not get those.
        return cls(column if _named(column) else "", max_rows)

    @classmethod
    def of(cls, spelling: PrivacyUnit | str | None) -> PrivacyUnit:
        """Read a unit from a user column's name, or from None for rows."""
        return spelling if isinstance(spelling, PrivacyUnit) else cls(spelling)

    @property
    def protects(self) -> str:
        """What is hidden, whatever way its weight is bounded: this is what a ledger is kept for."""
        return "row" if self.column is None else f"user {self.column}"

    @property
    def shared(self) -> bool:
        """Whether a user's rows share one unit of weight."""
        return self.column is not None and self.max_rows is None

    @property
    def weight(self) -> int:
        """The most that one unit can add to all cells together, in integer steps."""
        return SHARED_STEPS if self.shared else self.max_rows or 1

    @property
    def step(self) -> float:
        """What one integer step is worth."""
        return 1 / SHARED_STEPS if self.shared else 1.0


def _named(column: object) -> bool:
    return isinstance(column, str) and column != ""


def _counted(rows: object) -> bool:
    return isinstance(rows, int) and not isinstance(rows, bool) and 1 <= rows <= MOST_ROWS
