"""What is public about columns: `Bounds`, `Categories`, and the `Domain` that declares them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum, EnumType
from typing import Any, Literal, Protocol, cast

from sfumato.ends import DAY, DURATIONS, End, choose_duration, format_clock, is_time_text, read_end
from sfumato.errors import LISTED, PAIR, BoundsOf, CategoriesOf, DomainError, PrivateSearch, Worded

Spelled = date | time | timedelta | str
"""An end of a range that is no number."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_MOMENT, LAST_MOMENT = -62_135_596_800e6, 253_402_300_799e6
"""The ends of the calendar, in microseconds since 1970."""
_ROUNDING = 1e-9
_MONTHS = Worded("range(1, 13)", in_shell="--bounds 1..12")


_MOST_EXACT = 2.0**44  # beyond it few floats lie between whole numbers


@dataclass(frozen=True)
class Bounds:
    """The public range of a column; values outside are moved to the nearer end.

    Dates are kept as microseconds since 1970 in UTC, marked by `time`; times of day as microseconds
    since midnight, marked by `time` and `clock`; durations as numbers of a unit.

    Parameters
    ----------
    step
        How far apart values lie, counted from `lower`; None where they may lie anywhere. `upper`
        is the last of them.
    parsed
        Whether the column holds text that is read as numbers, for want of a type.
    zone
        The zone on whose clocks dates are told; None where nobody named one, which is UTC.
    clock
        Whether values are times of day.
    duration
        The unit in which durations are told, if values are durations.

    Examples
    --------
    >>> Bounds.of((0, 240))
    Bounds(lower=0.0, upper=240.0)
    >>> Bounds.of(range(1, 13))
    Bounds(lower=1.0, upper=12.0, step=1.0)
    >>> Bounds.of(("0min", "90min"))
    Bounds(lower=0.0, upper=90.0, duration='minutes')
    """

    lower: float
    upper: float
    time: bool = False
    step: float | None = None
    parsed: bool = False
    zone: str | None = None
    clock: bool = False
    duration: str | None = None

    def __post_init__(self) -> None:
        for end in ("lower", "upper"):
            object.__setattr__(self, end, convert_to_float(getattr(self, end)))
        if not (math.isfinite(self.lower) and math.isfinite(self.upper)):
            raise DomainError(
                "Bounds must be two finite numbers, dates, times of day or durations.",
                "An open end would have to be read from the data, which leaks its extremes.",
                ("Declare both ends: ", PAIR, "."),
            )
        dated = not self.time or is_on_calendar(self.lower, self.upper)
        if self.clock:
            dated = self.time and self.lower >= 0 and self.upper <= DAY
        if self.duration not in (None, *DURATIONS) or (self.duration and self.time):
            raise ValueError("Durations have a unit that is known, and are no dates.")
        if not (self.lower < self.upper and math.isfinite(self.width) and dated):
            raise DomainError(
                f"Bounds from {self.lower:g} to {self.upper:g} are reversed, empty or too wide.",
                "All values would be clipped to the same end.",
                ("Declare lower < upper: ", PAIR, "."),
            )
        if self.step is not None:
            self._align_to_step(convert_to_float(self.step))

    def _align_to_step(self, step: float) -> None:
        if not (step >= self._finest and step <= self.width * (1 + _ROUNDING)):
            raise DomainError(
                f"A step of {self.step!r} must be a number above 0, no wider than the bounds and "
                "no finer than the precision of floats.",
                "It is the spacing of the values and must not depend on the data.",
                ("Write ", _MONTHS, " for whole numbers, or leave the step out."),
            )
        object.__setattr__(self, "step", step)
        # An end that is a step but for its rounding is that step.
        steps = math.floor(self.width / step + _ROUNDING)
        if not math.isclose(steps * step, self.width):
            object.__setattr__(self, "upper", self.lower + steps * step)

    def __repr__(self) -> str:
        step = "" if self.step is None else f", step={self.step!r}"
        if self.time:
            ends = [self.show(end) for end in (self.lower, self.upper)]
            if self.zone is None:  # and none is named when it is read again
                ends = [
                    end.replace(tzinfo=None) if isinstance(end, datetime) else end for end in ends
                ]
            return f"Bounds.of({tuple(ends)!r}{step})"
        unit = "" if self.duration is None else f", duration={self.duration!r}"
        return f"Bounds(lower={self.lower!r}, upper={self.upper!r}{step}{unit})"

    def show(self, value: float) -> float | datetime | str:
        """Return a number within these bounds as what it stands for.

        A moment is told on the clocks of its zone, a time of day as a text: no type of Python has
        24:00.

        Examples
        --------
        >>> Bounds.of(("08:00", "24:00")).show(86_400e6)
        '24:00'
        """
        if self.clock:
            return format_clock(value)
        return convert_to_datetime(value, self.zone) if self.time else value

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.upper - self.lower

    @property
    def _finest(self) -> float:
        # Sixteen ulps, as in a grid: half a step is then told from a rounding.
        return 16 * math.ulp(max(abs(self.lower), abs(self.upper)))

    @property
    def values(self) -> int | None:
        """How many values there are from one end to the other, where `step` tells."""
        return None if self.step is None else round(self.width / self.step) + 1

    @property
    def likely_step(self) -> float | None:
        """How far apart values lie by `step`, or may lie where it is unknown: 1 between whole ends.

        Many types are not public, as pandas' ``int64`` is not, though what they hold is whole.

        Examples
        --------
        >>> Bounds(0, 90).likely_step, Bounds(0, 0.5).likely_step
        (1.0, None)
        """
        if self.step is not None or self.time or self.duration or self.clock:
            return self.step
        ends = self.lower, self.upper
        whole = all(end.is_integer() and abs(end) < _MOST_EXACT for end in ends)
        return 1.0 if whole else None

    @classmethod
    def of(
        cls,
        spelling: Bounds | Sequence[float] | Sequence[date] | Sequence[Spelled],
        *,
        step: float | timedelta | None = None,
    ) -> Bounds:
        """Read `Bounds` from a pair of ends, or from a range of whole numbers.

        Ends are numbers, dates, durations or times of day; of NumPy, pandas or Python, or texts
        such as ``"2026-01-31"``, ``"90min"`` and ``"08:30"``.
        """
        if isinstance(step, timedelta):
            step = step / timedelta(microseconds=1)
        if isinstance(spelling, Bounds):
            return spelling if step is None else replace(spelling, step=step)
        if isinstance(spelling, range):
            return _read_range(spelling)
        ends = read_list(spelling)
        if len(ends) == 2:
            match read_end(ends[0]), read_end(ends[1]):
                case End() as lower, End() as upper if lower.kind == upper.kind:
                    return _bound(lower, upper, step)
                case End(), End():
                    pass
                case _:
                    return cls(cast(float, ends[0]), cast(float, ends[1]), step=step)
        raise DomainError(
            "Bounds are a pair of numbers, dates, times of day or durations, or a range of whole "
            "numbers.",
            "Without both ends a range would have to be read from the data.",
            ("Write ", PAIR, ", or for whole numbers ", _MONTHS, "."),
        )

    def located(self, known: ColumnType) -> Bounds:
        """Return these bounds where the type of their column puts them.

        In a column with a zone, ends that name none are meant on its clocks; ends that name one are
        that moment. A column without a zone is read in UTC, and text in the zone of its bounds.
        """
        bounds = replace(self, parsed=known.parsed)
        if not (self.time and known.time) or self.clock:
            return bounds
        if known.zone is None or self.zone is not None:
            return replace(bounds, zone=known.zone)
        from sfumato.zones import find_zone

        ends = find_zone(known.zone).to_moment([self.lower, self.upper]).tolist()
        lower, upper = (min(max(end, FIRST_MOMENT), LAST_MOMENT) for end in ends)
        return replace(bounds, lower=lower, upper=upper, zone=known.zone)

    def read_edges(self, spellings: Sequence[object]) -> tuple[float, ...] | None:
        """Return dates, times of day or durations as numbers within these bounds.

        Dates without a zone are meant on the clocks that the bounds are told on. None where one is
        something else.
        """
        ends = [read_end(each) for each in spellings]
        kind = "duration" if self.duration else "clock" if self.clock else "time"
        known = [end for end in ends if end is not None and end.kind == kind]
        if len(known) < len(ends):
            return None
        if self.duration:
            return tuple(end.value / DURATIONS[self.duration] for end in known)
        if self.zone is None:
            return tuple(end.value for end in known)
        from sfumato.zones import find_zone

        zone = find_zone(self.zone)
        return tuple(end.value if end.zone else float(zone.to_moment(end.value)) for end in known)

    def typed(self, known: ColumnType) -> Bounds:
        """Return these bounds with what the type of their column adds; what is declared stays.

        Examples
        --------
        >>> Bounds(0.5, 24).typed(ColumnType(spacing=1))
        Bounds(lower=1.0, upper=24.0, step=1.0)
        """
        bounds = self.located(known)
        if bounds.step is not None or known.spacing is None or known.time != bounds.time:
            return bounds
        if bounds.clock or bounds.duration:
            return bounds
        lower = math.ceil(bounds.lower / known.spacing) * known.spacing
        upper = math.floor(bounds.upper / known.spacing) * known.spacing
        if lower >= upper or known.spacing < bounds._finest:  # too few values, or too many
            return bounds
        return replace(bounds, lower=lower, upper=upper, step=known.spacing)


@dataclass(frozen=True)
class ColumnType:
    """What the type of a column tells of its values, where there is a type: it is public.

    Parameters
    ----------
    spacing
        How far apart values lie: 1 for whole numbers, microseconds for dates.
    time
        Whether they are dates.
    parsed
        Whether they are text without a type, which is read as what is declared.
    zone
        The zone on whose clocks dates are told, if the type names one.
    clock
        Whether they are times of day.
    """

    spacing: float | None = None
    time: bool = False
    parsed: bool = False
    zone: str | None = None
    clock: bool = False


def _bound(lower: End, upper: End, step: float | None) -> Bounds:
    match lower.kind:
        case "time":
            if (lower.zone is None) != (upper.zone is None):
                raise DomainError(
                    "One end of the bounds names a zone, and the other does not.",
                    "On whose clocks it is meant would be a guess.",
                    "Write both with a zone, or both without.",
                )
            zone = lower.zone if lower.zone == upper.zone else "UTC"
            return Bounds(lower.value, upper.value, time=True, step=step, zone=zone)
        case "clock":
            last = upper.value or DAY  # midnight ends a day, too
            return Bounds(lower.value, last, time=True, step=step, clock=True)
        case _:
            unit = choose_duration(lower.value, upper.value)
            worth = DURATIONS[unit]
            step = None if step is None else step / worth
            return Bounds(lower.value / worth, upper.value / worth, step=step, duration=unit)


def _read_range(values: range) -> Bounds:
    if len(values) < 2:
        raise DomainError(
            f"{values!r} has fewer than two values.",
            "All rows would have the same value.",
            "Write the first value and the one after the last: range(1, 13) for months.",
        )
    return Bounds(min(values[0], values[-1]), max(values[0], values[-1]), step=abs(values.step))


def read_list(spelling: object) -> tuple[object, ...]:
    """Return the items of a list; none for a text, or for a set, which has no order to keep."""
    unordered = isinstance(spelling, Set) and not isinstance(spelling, KeysView)
    if isinstance(spelling, Iterable) and not isinstance(spelling, str | bytes | Mapping):
        if unordered:
            return ()
        with suppress(TypeError):  # an array without dimensions only looks like a list
            return tuple(cast(Iterable[object], spelling))
    return ()


def convert_to_float(number: object) -> float:
    """Return `number` as a float, and NaN for what is none: no comparison holds for it."""
    with suppress(TypeError, ValueError, OverflowError):
        return math.nan if isinstance(number, str) else float(cast(float, number))
    return math.nan


def convert_to_microseconds(moment: date) -> float:
    """Return how many microseconds after 1970 began a moment is; without a zone it is in UTC."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return float((aware - _EPOCH) // timedelta(microseconds=1))


def is_on_calendar(first: float, last: float) -> bool:
    """Tell whether a calendar holds both moments, given in microseconds since 1970."""
    return first >= FIRST_MOMENT and last <= LAST_MOMENT


def convert_to_datetime(microseconds: float, zone: str | None = None) -> datetime:
    """Return the moment that lies this many microseconds after 1970 began, in UTC or in a zone."""
    moment = _EPOCH + timedelta(microseconds=microseconds)
    if zone is None:
        return moment
    from sfumato.zones import find_zone

    try:
        return moment.astimezone(find_zone(zone).clock)
    except OverflowError:  # the first and the last day of the calendar, which are days in UTC
        return moment


WHOLE_DAY = Bounds(0.0, DAY, time=True, clock=True)
"""The bounds that times of day have by themselves."""

Value = str | int | float | bool
Kind = Literal["text", "number", "flag"]


class HasCategories(Protocol):
    """A type with fixed categories: pandas' ``CategoricalDtype``, Polars' ``Enum``."""

    @property
    def categories(self) -> Any:
        """The categories, in their order."""
        ...


Listed = Iterable[Value] | Iterable[Enum] | type[Enum] | HasCategories
"""Whatever lists values in an order: a range, an array, an index, an enum, a categorical."""


def list_values(spelling: object) -> tuple[object, ...]:
    """Return the values that a list of categories names, as Python's own; none if it is no list.

    An enum stands for the values of its members, and a categorical for all of its categories, in
    their order, whether they occur in it or not. A set has no order to keep, and is no list.

    Examples
    --------
    >>> list_values(range(1, 4)), list_values(Enum("Ward", {"NORTH": "N", "SOUTH": "S"}))
    ((1, 2, 3), ('N', 'S'))
    """
    if isinstance(spelling, EnumType):
        return tuple(map(_read_value, cast(Iterable[object], spelling)))
    for holder in (spelling, getattr(spelling, "dtype", None)):
        if known := read_list(getattr(holder, "categories", None)):
            return tuple(map(_read_value, known))
    if hasattr(spelling, "unify_dictionaries"):  # an Arrow column in chunks
        merged = cast(Any, spelling).unify_dictionaries()
        spelling = merged.chunk(0) if merged.num_chunks else ()
    values = read_list(getattr(spelling, "dictionary", spelling))
    return tuple(map(_read_value, values))


def _read_value(item: object) -> object:
    """Return a value as Python's own: what NumPy, Arrow and enums wrap is taken out."""
    if isinstance(item, Enum):
        return _read_value(item.value)
    for unwrap in ("as_py", "item"):  # of Arrow, of NumPy
        if callable(method := getattr(item, unwrap, None)):
            with suppress(TypeError, ValueError):
                return method()
    return item


_LARGEST_WHOLE = 2**53
_EXAMPLE = Worded(
    "Domain(wait=(0, 240), month=range(1, 13), ward=['A', 'B'])",
    "bounds={'wait': (0, 240)}, order=['A', 'B']",
    "--bounds wait=0,240 --order A,B",
)


@dataclass(frozen=True, eq=False)
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
        kinds = {_find_kind(value) for value in self.values}
        if len(set(self.values)) != len(self.values):
            raise DomainError(
                "Categories must name each value once.",
                "A repeated category would be drawn twice.",
                ("Write ", LISTED, "."),
            )
        if len(kinds) > 1:
            raise DomainError(
                "Categories must be all texts, all numbers or all True/False.",
                "The kind decides how the column is read, and must not depend on the data.",
                "Write one kind only.",
            )

    def __eq__(self, other: object) -> bool:
        """Tell whether the same rows are counted: 1 == True, but as a number, not as a flag."""
        if not isinstance(other, Categories):
            return NotImplemented
        return (self.kind, self.values) == (other.kind, other.values)

    def __hash__(self) -> int:
        """Return a hash of the values and of how they are compared."""
        return hash((self.kind, self.values))

    @property
    def kind(self) -> Kind:
        """How the column is compared: as text, as number or as True/False."""
        return _find_kind(self.values[0]) if self.values else "text"

    @classmethod
    def of(cls, spelling: Categories | Listed) -> Categories:
        """Read `Categories` from whatever lists values: an array, an enum, a categorical.

        Privacy
        -------
        Whatever is passed is declared public by whoever passes it.
        """
        if isinstance(spelling, Categories):
            return spelling
        if values := list_values(spelling):
            return cls(cast(tuple[Value, ...], values))
        raise DomainError(
            "Categories are a list of at least one value, not a text or a set.",
            "Without it every row would be dropped.",
            ("Write ", LISTED, ", or ", PrivateSearch(delta=1e-6), "."),
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
                f"{strangers[0]!r} is not a declared category of {column!r}.",
                "Whether it occurs in the data is not public.",
                f"Choose from {list(self.values)!r}.",
            )
        return order


@dataclass(frozen=True, init=False)
class Domain:
    """What is public about each column: a pair of numbers is `Bounds`, a list `Categories`.

    A ``range`` is `Bounds` of whole numbers; an enum or a categorical type is `Categories`. Two
    domains are joined by ``|``, where the right one wins.

    Examples
    --------
    >>> domain = Domain(wait=(0, 240), ward=["A", "B"])
    >>> domain["wait"].upper, "ward" in domain, len(domain)
    (240.0, True, 2)
    >>> domain | {"ward": ["C"]}
    Domain(wait=Bounds(lower=0.0, upper=240.0), ward=Categories(values=('C',)))
    """

    columns: Mapping[str, Bounds | Categories]
    types: Mapping[str, ColumnType]

    def __init__(self, columns: Mapping[str, object] | None = None, /, **more: object) -> None:
        declared = {**_read_mapping(columns), **more}
        object.__setattr__(self, "columns", {name: _read_fact(declared[name]) for name in declared})
        object.__setattr__(self, "types", {})

    def __repr__(self) -> str:
        return f"Domain({', '.join(f'{name}={fact!r}' for name, fact in self.columns.items())})"

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __bool__(self) -> bool:
        return True  # also where nothing is declared

    def __contains__(self, column: object) -> bool:
        return column in self.columns

    def __getitem__(self, column: str) -> Bounds | Categories:
        return self.fact(column)

    def keys(self) -> KeysView[str]:
        """Return the names of what is declared, so that ``dict(domain)`` works."""
        return self.columns.keys()

    def __or__(self, other: object) -> Domain:
        if not isinstance(other, Domain | Mapping):
            return NotImplemented
        more = Domain.of(cast(Domain | Mapping[str, object], other))
        both = Domain({**self.columns, **more.columns})
        return both.with_types({**self.types, **more.types})

    def __ror__(self, other: object) -> Domain:
        return (
            Domain.of(cast(Mapping[str, object], other)) | self
            if isinstance(other, Mapping)
            else NotImplemented
        )

    @classmethod
    def of(cls, spelling: Domain | Mapping[str, object] | None) -> Domain:
        """Read a `Domain` from a mapping of column names to declarations."""
        return spelling if isinstance(spelling, Domain) else cls(spelling)

    def with_types(self, types: Mapping[str, ColumnType]) -> Domain:
        """Return what is declared, and beside it what the types of a table's columns tell."""
        known = Domain(self.columns)
        object.__setattr__(known, "types", dict(types))
        return known

    def typed(self, column: str) -> ColumnType:
        """Return what the type of `column` tells, if anything."""
        return self.types.get(column, ColumnType())

    def fact(self, column: str) -> Bounds | Categories:
        """Return what is declared about `column`."""
        if column in self.columns:
            return self.columns[column]
        if self.typed(column).clock:
            return WHOLE_DAY
        raise DomainError(
            f"Column {column!r} has no public declaration.",
            "Reading its range or categories from the data would leak them.",
            (
                "Declare one: ",
                BoundsOf(column),
                " for numbers, ",
                CategoriesOf(column),
                " for categories.",
            ),
        )

    def bounds(self, column: str) -> Bounds:
        """Return the declared bounds of a numeric column."""
        fact = self.columns.get(column)
        if isinstance(fact, Bounds):
            return fact.located(self.typed(column))
        if fact is None and self.typed(column).clock:
            return WHOLE_DAY
        raise DomainError(
            f"Column {column!r} needs public bounds.",
            "Reading them from the data would leak its extremes.",
            ("Declare them: ", BoundsOf(column), "."),
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
            f"Column {column!r} needs public categories.",
            "Reading them from the data would leak who is in it.",
            ("Declare them: ", CategoriesOf(column), "."),
        )


def _read_fact(spelling: object) -> Bounds | Categories:
    if isinstance(spelling, Bounds | Categories):
        return spelling
    if isinstance(spelling, range):
        return Bounds.of(spelling)
    values = list_values(spelling)
    numbers = not any(
        isinstance(value, bool) or (isinstance(value, str) and not is_time_text(value))
        for value in values
    )
    if isinstance(spelling, tuple) and len(values) == 2 and numbers:
        return Bounds.of(cast(Sequence[float], spelling))
    if not values and not isinstance(spelling, list | tuple):
        raise _make_declaration_error()
    return Categories.of(cast(Sequence[Value], values))


def _read_mapping(columns: object) -> Mapping[str, object]:
    if columns is not None and not isinstance(columns, Mapping):
        raise _make_declaration_error()
    return cast(Mapping[str, object], columns or {})


def _make_declaration_error() -> DomainError:
    return DomainError(
        "A declaration is a pair of numbers or a range (bounds), or a list of values (categories).",
        "Otherwise it is ambiguous what is public.",
        ("Write ", _EXAMPLE, "."),
    )


def _find_kind(value: object) -> Kind:
    match value:
        case bool():
            return "flag"
        case str():
            return "text"
        case int() | float() if abs(value) <= _LARGEST_WHOLE:
            return "number"
        case _:
            raise DomainError(
                "A category is a text, a number up to 2^53 or True/False.",
                "Other values cannot be compared exactly on every engine.",
                ("Write ", LISTED, "."),
            )
