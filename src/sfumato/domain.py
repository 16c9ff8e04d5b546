"""Public facts about columns: what may be known without looking at the data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal, cast

from sfumato.errors import DomainError

Value = str | int | float | bool
Kind = Literal["text", "number", "flag"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_MOMENT, _LAST_MOMENT = -62_135_596_800e6, 253_402_300_799e6
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
        for end in ("lower", "upper"):
            object.__setattr__(self, end, real(getattr(self, end)))
        if not (math.isfinite(self.lower) and math.isfinite(self.upper)):
            raise DomainError(
                "Bounds must be finite numbers. An open end would have to be read from the data, "
                "which leaks its extremes. Declare both ends: Bounds(lower, upper)."
            )
        dated = not self.time or (self.lower >= _FIRST_MOMENT and self.upper <= _LAST_MOMENT)
        if not (self.lower < self.upper and math.isfinite(self.width) and dated):
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
        ends = listed(spelling)
        if len(ends) == 2:
            lower, upper = ends
            if isinstance(lower, date) and isinstance(upper, date):
                return cls(_microseconds(lower), _microseconds(upper), time=True)
            return cls(cast(float, lower), cast(float, upper))
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
        object.__setattr__(self, "values", tuple(self.values))
        kinds = {_kind(value) for value in self.values}
        if len(set(self.values)) != len(self.values):
            raise DomainError(
                "Categories must name each value once. A list that repeats itself would draw the "
                "same people twice. Write Categories(('A', 'B'))."
            )
        if len(kinds) > 1:
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
        if values := listed(spelling):
            return cls(cast(tuple[Value, ...], values))
        raise DomainError(
            "Categories are a list of at least one value, not a text or a set. Every row would be "
            "left out without it. Write ['A', 'B'], or order=sf.private(delta=1e-6)."
        )

    def select(self, order: Categories | None, column: str) -> Categories:
        """Keep the categories named in `order`, in that order."""
        if order is None:
            return self
        # 1 == True, but a column is read as numbers or as flags, not as both.
        known = self.values if order.kind == self.kind else ()
        strangers = [value for value in order.values if value not in known]
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

    def __init__(self, columns: Mapping[str, object] | None = None, /, **more: object) -> None:
        declared = {**_mapping(columns), **more}
        object.__setattr__(self, "columns", {name: _fact(declared[name]) for name in declared})

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


def _fact(spelling: object) -> Bounds | Categories:
    if isinstance(spelling, Bounds | Categories):
        return spelling
    if not isinstance(spelling, list | tuple):
        raise _undeclared()
    items = cast(Sequence[Value], spelling)
    numbers = not any(isinstance(item, str | bool) for item in items)
    pair = isinstance(spelling, tuple) and len(items) == 2
    return Bounds.of(cast(Sequence[float], items)) if pair and numbers else Categories.of(items)


def _mapping(columns: object) -> Mapping[str, object]:
    if columns is not None and not isinstance(columns, Mapping):
        raise _undeclared()
    return cast(Mapping[str, object], columns or {})


def _undeclared() -> DomainError:
    return DomainError(
        "A declaration is a pair of numbers (bounds) or a list of values (categories). Anything "
        "else would leave open what is public. Write Domain(wait=(0, 240), ward=['A', 'B'])."
    )


def listed(spelling: object) -> tuple[object, ...]:
    """Return the items of a list; none for a text, or for a set, which has no order to keep."""
    if isinstance(spelling, Iterable) and not isinstance(spelling, str | bytes | Set | Mapping):
        with suppress(TypeError):  # an array without dimensions only looks like a list
            return tuple(cast(Iterable[object], spelling))
    return ()


def real(number: object) -> float:
    """Return `number` as a float, and NaN for what is none: no comparison holds for it."""
    with suppress(TypeError, ValueError, OverflowError):
        return math.nan if isinstance(number, str) else float(cast(float, number))
    return math.nan


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
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return float((aware - _EPOCH) // timedelta(microseconds=1))


def moment(microseconds: float) -> datetime:
    """Return the moment that lies this many microseconds after 1970 began, in UTC."""
    return _EPOCH + timedelta(microseconds=microseconds)
