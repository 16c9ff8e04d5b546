"""Public facts about columns: what may be known without looking at the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from sfumato.bounds import Bounds, Typed, listed, microseconds, moment, on_calendar, real
from sfumato.errors import DomainError

__all__ = [
    "Bounds",
    "Categories",
    "Domain",
    "Kind",
    "Typed",
    "Value",
    "listed",
    "microseconds",
    "moment",
    "on_calendar",
    "real",
]

Value = str | int | float | bool
Kind = Literal["text", "number", "flag"]

_LARGEST_WHOLE = 2**53


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

    A ``range`` is `Bounds` of whole numbers.

    Examples
    --------
    >>> domain = Domain(wait=(0, 240), ward=["A", "B"])
    >>> domain.bounds("wait").upper
    240.0
    """

    columns: Mapping[str, Bounds | Categories]
    types: Mapping[str, Typed]

    def __init__(self, columns: Mapping[str, object] | None = None, /, **more: object) -> None:
        declared = {**_mapping(columns), **more}
        object.__setattr__(self, "columns", {name: _fact(declared[name]) for name in declared})
        object.__setattr__(self, "types", {})

    def __repr__(self) -> str:
        return f"Domain({', '.join(f'{name}={fact!r}' for name, fact in self.columns.items())})"

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    @classmethod
    def of(cls, spelling: Domain | Mapping[str, object] | None) -> Domain:
        """Read a `Domain` from a mapping of column names to declarations."""
        return spelling if isinstance(spelling, Domain) else cls(spelling)

    def with_types(self, types: Mapping[str, Typed]) -> Domain:
        """Return what is declared, and beside it what the types of a table's columns tell."""
        known = Domain(self.columns)
        object.__setattr__(known, "types", dict(types))
        return known

    def typed(self, column: str) -> Typed:
        """Return what the type of `column` tells, if anything."""
        return self.types.get(column, Typed())

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
            return replace(fact, parsed=self.typed(column).parsed)
        raise DomainError(
            f"Column {column!r} needs public bounds. Reading them from the data would leak its "
            f"extremes. Declare them: Domain({column}=(lower, upper))."
        )

    def spaced_bounds(self, column: str) -> Bounds:
        """Return the declared bounds of a column, cut to whole steps where its type has a step."""
        return self.bounds(column).typed(self.typed(column))

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
    if isinstance(spelling, range):
        return Bounds.of(spelling)
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
        "A declaration is a pair of numbers or a range (bounds), or a list of values (categories). "
        "Anything else would leave open what is public. Write Domain(wait=(0, 240), "
        "month=range(1, 13), ward=['A', 'B'])."
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
