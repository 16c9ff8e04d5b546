"""`PrivacyUnit` and `Guarantee`: whose presence is hidden, and how well."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from sfumato.errors import DomainError, ProtectedUsers, Worded, abbreviate, make_printable
from sfumato.privacy.budget import explain_weakness, float_above, format_amount, to_fraction

SHARED_STEPS = 2**30
"""One person's whole weight, in integer steps, where its rows share it."""

MOST_MAX_ROWS = 2**20


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
        if self.column is not None and not _is_name(self.column):
            raise DomainError(
                "A user column is named by a text.",
                "Without one each row would be protected alone, which is less than was asked for.",
                ("Write ", ProtectedUsers("user_id"), "."),
            )
        if self.max_rows is not None and (self.column is None or not _count_rows(self.max_rows)):
            raise DomainError(
                f"Of each user from 1 to {MOST_MAX_ROWS} rows may count, given a user column.",
                "It bounds the contribution of one person.",
                ("Write ", ProtectedUsers("user_id", 20), "."),
            )

    def __repr__(self) -> str:
        if self.column is None:
            return "PrivacyUnit.rows()"
        cap = "" if self.max_rows is None else f", max_rows={self.max_rows}"
        return f"PrivacyUnit.users({self.column!r}{cap})"

    def __str__(self) -> str:
        if self.column is None:
            return "each row"
        name = abbreviate(make_printable(self.column))
        bound = "total weight 1" if self.max_rows is None else f"at most {self.max_rows} rows"
        return f"each {name} ({bound})"

    @property
    def contribution(self) -> str:
        """What one unit contributes, the user column by its own name: files hold these words."""
        if self.column is None:
            return "one row"
        if self.max_rows is None:
            return f"all rows of one {self.column}, which count once together"
        return f"all rows of one {self.column}, of which {self.max_rows} count at most"

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
        return cls(column if _is_name(column) else "", max_rows)

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


def _is_name(column: object) -> bool:
    return isinstance(column, str) and column != ""


def _count_rows(rows: object) -> bool:
    return isinstance(rows, int) and not isinstance(rows, bool) and 1 <= rows <= MOST_MAX_ROWS


MOST_ROWS = 2**63
"""More than any table has."""


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy for one unit added to or removed from the table.

    Parameters
    ----------
    size
        The number of rows, where it is public. The promise is then a weaker one: it hides what
        one row says, and not that the row is there.

    Examples
    --------
    >>> Guarantee(1.0, 0.0, PrivacyUnit.rows()).replace_one
    (2.0, 0.0)
    >>> print(Guarantee(1.0, 0.0, PrivacyUnit.rows(), size=900))
    ε = 1, protecting what one of 900 rows says (their number is public)
    >>> print(Guarantee(100.0, 0.0, PrivacyUnit.rows()))
    ε = 100, protecting each row. Protects little: ε = 100 is above 10
    """

    epsilon: float
    delta: float
    unit: PrivacyUnit
    size: int | None = None

    def __post_init__(self) -> None:
        if self.size is not None and (self.unit.column is not None or not _is_row_count(self.size)):
            raise DomainError(
                "A public size is a whole number of rows from 1 up, where each row is protected "
                "alone.",
                "How many rows the users have together is not public.",
                (
                    "Leave it out, or protect rows: ",
                    Worded("PrivacyUnit.rows()", in_shell="no --unit"),
                    ".",
                ),
            )

    @property
    def neighbours(self) -> str:
        """The neighbour relation the promise is about, the unit's name as it is: files hold it."""
        if self.size is None:
            return f"add or remove {self.unit.contribution}"
        return f"replace {self.unit.contribution} of {self.size}"

    @property
    def replace_one(self) -> tuple[float, float]:
        """The promise (ε, δ) when one unit is replaced by another: 2ε and δ(1 + e^ε).

        Where the size is public, this is the promise itself.
        """
        if self.size is not None:
            return self.epsilon, self.delta
        epsilon = to_fraction(self.epsilon)
        delta = min(Fraction(1), to_fraction(self.delta) * (1 + _exp_above(epsilon)))
        return float_above(2 * epsilon), float_above(delta)

    @property
    def weakness(self) -> str:
        """Why this protects little, as a sentence after the one that is said; or nothing."""
        why = explain_weakness(self.epsilon, self.delta)
        return why and f". Protects little: {why}"

    def __str__(self) -> str:
        return f"{self.amounts}, protecting {self.protected}{self.weakness}"

    @property
    def amounts(self) -> str:
        """The ε and the δ, as they are printed: never too small."""
        delta = f", δ = {format_amount(to_fraction(self.delta), up=True)}" if self.delta else ""
        return f"ε = {format_amount(to_fraction(self.epsilon), up=True)}{delta}"

    @property
    def protected(self) -> str:
        """Whose presence is hidden, in words."""
        if self.size is None:
            return str(self.unit)
        return f"what one of {self.size:,} rows says (their number is public)"


def _is_row_count(rows: object) -> bool:
    return isinstance(rows, int) and not isinstance(rows, bool) and 1 <= rows <= MOST_ROWS


def _exp_above(epsilon: Fraction) -> Fraction:
    """Return at least e^ε, or at least e^1000: times any δ, that is more than 1."""
    context = Context(prec=40)
    exponent = min(epsilon, Fraction(1000))
    power = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    return Fraction(context.exp(power)) * (1 + Fraction(1, 10**30))
