"""Public facts about columns: what may be known without looking at the data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal, cast

from sfumato.errors import DomainError

Value = str | int | float | bool
Kind = Literal["text", "number", "flag"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LARGEST_WHOLE = 2**53


@dataclass(frozen=True)
class Bounds:
    """The public range of a column; values outside are moved to the nearer end.

    Dates are kept as microseconds since 1970 in UTC, marked by `time`.

    Examples
    --------
    >>> Bounds.of((0, 240))
    Bounds(lower=0.0, upper=240.0)
    """

    lower: float
    upper: float
    time: bool = False

    def __post_init__(self) -> None:
        ends = (self.lower, self.upper)
        if not all(math.isfinite(end) for end in ends):
            raise DomainError(
                "Bounds must be finite numbers. An open end would have to be read from the data, "
                "which leaks its extremes. Declare both ends: Bounds(lower, upper)."
            )
        if not (self.lower < self.upper and math.isfinite(self.upper - self.lower)):
            raise DomainError(
                f"Bounds({self.lower:g}, {self.upper:g}) are reversed, empty or too wide. Every "
                "value would land on one end. Declare lower < upper: Bounds(lower, upper)."
            )

    def __repr__(self) -> str:
        if self.time:
            return f"Bounds.of(({moment(self.lower)!r}, {moment(self.upper)!r}))"
        return f"Bounds(lower={self.lower!r}, upper={self.upper!r})"

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.upper - self.lower

    @classmethod
    def of(cls, spelling: Bounds | Sequence[float] | Sequence[date]) -> Bounds:
        """Read `Bounds` from a pair of numbers or of dates."""
        if isinstance(spelling, Bounds):
            return spelling
        try:
            lower, upper = spelling
            if isinstance(lower, date) and isinstance(upper, date):
                return cls(_microseconds(lower), _microseconds(upper), time=True)
            return cls(float(cast(float, lower)), float(cast(float, upper)))
        except (TypeError, ValueError):
            pass
        raise DomainError(
            "Bounds are a pair of numbers or a pair of dates. Without both ends a range would have "
            "to be read from the data. Write (lower, upper), for example (0, 240)."
        )


@dataclass(frozen=True)
class Categories:
    """The public values of a column; a value that is not listed is counted nowhere.

    The list is empty only where a private search found no category large enough to show.

    Examples
    --------
    >>> Categories.of(["A", "B"])
    Categories(values=('A', 'B'))
    """

    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        if len(set(self.values)) != len(self.values):
            raise DomainError(
                "Categories must name each value once. A list that repeats itself would draw the "
                "same people twice. Write Categories(('A', 'B'))."
            )
        if len({_kind(value) for value in self.values}) > 1:
            raise DomainError(
                "Categories must be all texts, all numbers or all True/False. The kind decides how "
                "the column is read, and must not depend on the data. Write one kind only."
            )

    @property
    def kind(self) -> Kind:
        """How the column is compared: as text, as number or as True/False."""
        return _kind(self.values[0]) if self.values else "text"

    @classmethod
    def of(cls, spelling: Categories | Sequence[Value]) -> Categories:
        """Read `Categories` from a list of values."""
        if isinstance(spelling, Categories):
            return spelling
        if isinstance(spelling, str):
            raise DomainError(
                "Categories are a list, not one text. One text could only mean one category. "
                f"Write [{spelling!r}], or the full list of public values."
            )
        if len(spelling) == 0:
            raise DomainError(
                "A list of categories must not be empty. Every row would be left out, and the "
                "budget spent on nothing. Write ['A', 'B'], or order=sf.private(delta=1e-6)."
            )
        return cls(tuple(spelling))

    def select(self, order: Categories | None, column: str) -> Categories:
        """Keep the categories named in `order`, in that order."""
        if order is None:
            return self
        strangers = [value for value in order.values if value not in self.values]
        if strangers:
            raise DomainError(
                f"{strangers[0]!r} is not a declared category of {column!r}. Whether it occurs in "
                f"the data is not public. Choose from {list(self.values)!r}."
            )
        return order


@dataclass(frozen=True, init=False)
class Domain:
    """What is public about each column: a pair of numbers is `Bounds`, a list `Categories`.

    Examples
    --------
    >>> domain = Domain(wait=(0, 240), ward=["A", "B"])
    >>> domain.bounds("wait").upper
    240.0
    """

    columns: Mapping[str, Bounds | Categories]

    def __init__(
        self,
        columns: Mapping[str, object] | None = None,
        **more: object,
    ) -> None:
        declared = {**(columns or {}), **more}
        facts = {name: _fact(spelling) for name, spelling in declared.items()}
        object.__setattr__(self, "columns", facts)

    def __repr__(self) -> str:
        return f"Domain({', '.join(f'{name}={fact!r}' for name, fact in self.columns.items())})"

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    @classmethod
    def of(cls, spelling: Domain | Mapping[str, object] | None) -> Domain:
        """Read a `Domain` from a mapping of column names to declarations."""
        return spelling if isinstance(spelling, Domain) else cls(spelling)

    def fact(self, column: str) -> Bounds | Categories:
        """Return what is declared about `column`."""
        if column in self.columns:
            return self.columns[column]
        raise DomainError(
            f"Column {column!r} has no public declaration. Reading its range or categories from "
            f"the data would leak them. Declare one: Domain({column}=(lower, upper)) for numbers, "
            f"Domain({column}=['A', 'B']) for categories."
        )

    def bounds(self, column: str) -> Bounds:
        """Return the declared bounds of a numeric column."""
        fact = self.columns.get(column)
        if isinstance(fact, Bounds):
            return fact
        raise DomainError(
            f"Column {column!r} needs public bounds. Reading them from the data would leak its "
            f"extremes. Declare them: Domain({column}=(lower, upper))."
        )

    def categories(self, column: str) -> Categories:
        """Return the declared categories of a column."""
        fact = self.columns.get(column)
        if isinstance(fact, Categories):
            return fact
        raise DomainError(
            f"Column {column!r} needs public categories. Reading them from the data would leak who "
            f"is in it. Declare them: Domain({column}=['A', 'B'])."
        )


@dataclass(frozen=True)
class Private:
    """A request to estimate bounds or categories from the data, for a share of the budget."""

    share: float = 0.1
    delta: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise DomainError(
                f"private(share={self.share!r}) must lie between 0 and 1. The share is what the "
                "estimate may spend; the rest pays for the chart. Write private(share=0.1)."
            )
        if self.delta is not None and not 0 < self.delta < 1:
            raise DomainError(
                f"private(delta={self.delta!r}) must lie between 0 and 1. δ is the probability "
                "that a person's own category is shown. Write private(delta=1e-6)."
            )


def private(*, share: float = 0.1, delta: float | None = None) -> Private:
    """Ask for a private estimate in place of a public declaration.

    Parameters
    ----------
    share
        The part of the chart's ε that the estimate may spend.
    delta
        The probability of showing a category that belongs to one person alone; required where
        categories are estimated.

    Examples
    --------
    >>> private(delta=1e-6)
    Private(share=0.1, delta=1e-06)
    """
    return Private(share, delta)


def _fact(spelling: object) -> Bounds | Categories:
    if isinstance(spelling, Bounds | Categories):
        return spelling
    if isinstance(spelling, tuple) and len(cast(tuple[object, ...], spelling)) == 2:
        pair = cast(tuple[object, object], spelling)
        if not any(isinstance(end, str | bool) for end in pair):
            return Bounds.of(cast(tuple[float, float], pair))
    if isinstance(spelling, list | tuple):
        return Categories.of(cast(Sequence[Value], spelling))
    raise DomainError(
        "A declaration is a pair of numbers (bounds) or a list of values (categories). Anything "
        "else would leave open what is public. Write Domain(wait=(0, 240), ward=['A', 'B'])."
    )


def _kind(value: object) -> Kind:
    match value:
        case bool():
            return "flag"
        case str():
            return "text"
        case int() | float() if abs(value) <= _LARGEST_WHOLE:
            return "number"
        case _:
            raise DomainError(
                "A category is a text, a number up to 2^53 or True/False. Other values cannot be "
                "compared exactly on every engine. Write Categories(('A', 'B'))."
            )


def _microseconds(moment: date) -> float:
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return float((moment - _EPOCH) // timedelta(microseconds=1))


def moment(microseconds: float) -> datetime:
    """Return the moment that lies this many microseconds after 1970 began, in UTC."""
    return _EPOCH + timedelta(microseconds=microseconds)
