"""`PrivacyUnit` and `Guarantee`: whose presence is hidden, and how well."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal
from fractions import Fraction
from typing import cast

from sfumato.errors import (
    DomainError,
    ProtectedUsers,
    Setting,
    Worded,
    abbreviate,
    make_printable,
)
from sfumato.privacy.budget import explain_weakness, float_above, format_amount, to_fraction

SHARED_STEPS = 2**30
"""One person's whole weight, in integer steps, where its rows share it."""

MOST_MAX_ROWS = 2**20

MOST_COLUMNS = 8
"""How many columns may tell units apart together."""

LONGEST_NAME = 40
"""How many letters the name of units has at most."""


@dataclass(frozen=True)
class PrivacyUnit:
    """One row, or all rows of one user.

    Made by `rows` and `users`. Two tables are neighbours when one has all rows of one unit more
    than the other.

    Parameters
    ----------
    by
        Further columns, where a unit is told by several together: one household in one year.
    name
        What units are called in words: ``"aircraft"`` for a column of tail numbers. It decides
        nothing else.

    Examples
    --------
    >>> PrivacyUnit.users("user_id", max_rows=20)
    PrivacyUnit.users('user_id', max_rows=20)
    >>> print(PrivacyUnit.users("tailnum", name="aircraft"))
    each aircraft (total weight 1)
    >>> print(PrivacyUnit.users("household", "year"))
    each household × year (total weight 1), not each household as a whole
    """

    column: str | None = None
    max_rows: int | None = None
    by: tuple[str, ...] = ()
    name: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.column is not None and not _is_name(self.column):
            raise DomainError(
                "A user column is named by a text.",
                "Without one each row would be protected alone, which is less than was asked for.",
                ("Write ", ProtectedUsers("user_id"), "."),
            )
        if self.by and not _are_names(self.columns):
            raise DomainError(
                f"A unit of several columns names each once, {MOST_COLUMNS} at most.",
                "Together they say whose rows are protected.",
                ("Write ", ProtectedUsers(("household", "year")), "."),
            )
        if self.name is not None and (self.column is None or not _is_word(self.name)):
            raise DomainError(
                f"Units are called by a short text, of up to {LONGEST_NAME} printable letters, and "
                "where each row is protected alone they are rows.",
                "The name stands on figures, as what is protected.",
                ("Write ", Setting("unit_name", "aircraft"), " beside a user column."),
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
        words = [repr(column) for column in self.columns]
        words += [] if self.max_rows is None else [f"max_rows={self.max_rows}"]
        words += [] if self.name is None else [f"name={self.name!r}"]
        return f"PrivacyUnit.users({', '.join(words)})"

    def __str__(self) -> str:
        if self.column is None:
            return "each row"
        bound = "total weight 1" if self.max_rows is None else f"at most {self.max_rows} rows"
        whole = f", not each {_shorten(self.column)} as a whole" if self.by else ""
        return f"each {self.called} ({bound}){whole}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that tell units apart: none where each row is one."""
        return () if self.column is None else (self.column, *self.by)

    @property
    def called(self) -> str:
        """What one unit is called: by its own name, or by the names of its columns."""
        return self.name or " × ".join(map(_shorten, self.columns)) or "row"

    @property
    def people(self) -> str:
        """What units are called together."""
        return "rows" if self.column is None else self.name or "people"

    @property
    def counted(self) -> str:
        """What counts are of: units where each counts once, and rows otherwise."""
        return self.people if self.shared else "rows"

    @property
    def contribution(self) -> str:
        """What one unit contributes, the user column by its own name: files hold these words."""
        if self.column is None:
            return "one row"
        unit = " and ".join(self.columns)
        if self.max_rows is None:
            return f"all rows of one {unit}, which count once together"
        return f"all rows of one {unit}, of which {self.max_rows} count at most"

    @classmethod
    def rows(cls) -> PrivacyUnit:
        """Protect each row; each weighs 1."""
        return cls()

    @classmethod
    def users(
        cls, column: str, *by: str, max_rows: int | None = None, name: str | None = None
    ) -> PrivacyUnit:
        """Protect all rows that share a value of `column`, and of the columns in `by` if any.

        Without `max_rows` each person counts once, its rows sharing that weight equally. With
        ``max_rows=k`` rows weigh 1 and at most k of each person's are counted. Rows without a
        user are not counted; of a unit of several columns, rows without one of them.

        ``users("household", "year")`` protects each household in each year, which is less than the
        household: over ten years its rows may count ten times. `name` is what units are called.
        """
        # None means rows to the constructor; whoever asks for users must not get those.
        return cls(column if _is_name(column) else "", max_rows, by, name)

    @classmethod
    def of(
        cls, spelling: PrivacyUnit | str | Sequence[str] | None, name: str | None = None
    ) -> PrivacyUnit:
        """Read a unit from a user column's name, a list of several, or from None for rows."""
        if isinstance(spelling, list | tuple):
            spelling = cls.users(*(spelling or ("",)))
        unit = spelling if isinstance(spelling, PrivacyUnit) else cls(cast("str | None", spelling))
        return unit if name is None else replace(unit, name=name)

    @property
    def protects(self) -> str:
        """What is hidden, whatever way its weight is bounded: this is what a ledger is kept for.

        Columns are written so that no two units of other columns read alike, and sorted, since
        their order says nothing.
        """
        if self.by:
            return f"users {json.dumps(sorted(self.columns))}"
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


def _are_names(columns: Sequence[object]) -> bool:
    distinct = len(set(columns)) == len(columns) <= MOST_COLUMNS
    return distinct and all(map(_is_name, columns))


def _is_word(name: object) -> bool:
    short = isinstance(name, str) and 0 < len(name.strip()) == len(name) <= LONGEST_NAME
    return short and cast(str, name).isprintable()


def _shorten(column: str) -> str:
    return abbreviate(make_printable(column))


def describe_protected(protects: str) -> str:
    """Return in words what `PrivacyUnit.protects` wrote down.

    Examples
    --------
    >>> describe_protected(PrivacyUnit.users("year", "household").protects)
    'household × year'
    """
    with suppress(ValueError, RecursionError):  # what a stranger's ledger says may be anything
        columns = json.loads(protects.removeprefix("users ")) if protects[:6] == "users " else None
        if isinstance(columns, list):
            return " × ".join(_shorten(str(each)) for each in cast("list[object]", columns))
    return _shorten(protects.removeprefix("user "))


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
        The number of rows, where it is public. The guarantee is then a weaker one: it hides what
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
        """The neighbour relation of the guarantee, the unit's name as it is: files hold it."""
        if self.size is None:
            return f"add or remove {self.unit.contribution}"
        return f"replace {self.unit.contribution} of {self.size}"

    @property
    def replace_one(self) -> tuple[float, float]:
        """The guarantee (ε, δ) when one unit is replaced by another: 2ε and δ(1 + e^ε).

        Where the size is public, this is the guarantee itself.
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
