"""How values stand in a document, by their types: forms that write, and strictly read."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from sfumato.domain import Categories
from sfumato.releases.spelling import (
    SPELLED,
    Absent,
    As,
    AsArray,
    Length,
    Named,
    OneOf,
    Part,
    Pattern,
    Saved,
    Spelled,
    ToldOnce,
    Within,
)

Plain = Mapping[str, Any]


class Form(ABC):
    """How the values of one type stand in a document."""

    @abstractmethod
    def write(self, value: Any) -> Any:
        """Return a value as plain JSON."""

    @abstractmethod
    def read(self, plain: object) -> Any:
        """Return the value that stands there, or refuse what is none."""

    def write_all(self, values: Iterable[Any]) -> list[Any]:
        """Return values as plain JSON."""
        return [self.write(value) for value in values]

    def read_all(self, plain: list[Any]) -> Sequence[Any]:
        """Return the values of a list."""
        return [self.read(each) for each in plain]

    def completed(self, plain: Any) -> Any:
        """Return JSON with what older files do not say."""
        return plain


@dataclass(frozen=True)
class Number(Form):
    """A finite number, or a whole one. Lists of them are long, and read all at once."""

    whole: bool
    within: Within

    def write(self, value: Any) -> int | float:
        """Return a number of Python."""
        return int(value) if self.whole else float(value)

    def read(self, plain: object) -> Any:
        """Return a number; a flag is none."""
        return self.read_all([plain])[0]

    def write_all(self, values: Iterable[Any]) -> list[Any]:
        """Return numbers of Python."""
        return list(map(int if self.whole else float, values))

    def read_all(self, plain: list[Any]) -> list[Any]:
        """Return numbers, none of which is a flag."""
        if not set(map(type, plain)) <= ({int} if self.whole else {int, float}):
            raise ValueError("A number is a number.")
        numbers = plain if self.whole else list(map(float, plain))
        finite = self.whole or all(map(math.isfinite, numbers))
        if numbers and not (finite and all(map(self.within.holds, (min(numbers), max(numbers))))):
            raise ValueError("A number is finite, and lies where it should.")
        return numbers


@dataclass(frozen=True)
class Text(Form):
    """A text, of any letters or of those that a pattern knows."""

    length: Length
    pattern: Pattern | None

    def write(self, value: Any) -> str:
        """Return it as it is."""
        return value

    def read(self, plain: object) -> str:
        """Return a text."""
        if not isinstance(plain, str) or len(plain) < self.length.least:
            raise ValueError("A text is a text.")
        if self.pattern and not re.fullmatch(self.pattern.regex, plain):
            raise ValueError("A text looks otherwise.")
        return plain


@dataclass(frozen=True)
class Flag(Form):
    """True or false."""

    def write(self, value: Any) -> bool:
        """Return a flag of Python."""
        return bool(value)

    def read(self, plain: object) -> bool:
        """Return a flag; a number is none."""
        if isinstance(plain, bool):
            return plain
        raise ValueError("A flag is true or false.")


@dataclass(frozen=True)
class Words(Form):
    """One of a few texts or numbers."""

    values: tuple[Any, ...]

    def write(self, value: Any) -> Any:
        """Return a text as it is, and a number with its decimals."""
        return value if isinstance(value, str) else float(value)

    def read(self, plain: object) -> Any:
        """Return the one that is meant: 1 is 1.0, but no flag."""
        for value in self.values:
            if plain == value and not isinstance(plain, bool):
                return value
        raise ValueError("A word is one of those that are known.")


@dataclass(frozen=True)
class Listed(Form):
    """The values of `Categories`, which knows what they can be."""

    def write(self, value: Categories) -> list[Any]:
        """Return all values."""
        return list(value.values)

    def read(self, plain: object) -> Categories:
        """Return categories."""
        return Categories(tuple(_list(plain)))


@dataclass(frozen=True)
class Nullable(Form):
    """A value, or null."""

    inner: Form

    def write(self, value: Any) -> Any:
        """Return null for None."""
        return None if value is None else self.inner.write(value)

    def read(self, plain: object) -> Any:
        """Return None for null."""
        return None if plain is None else self.inner.read(plain)


@dataclass(frozen=True)
class Several(Form):
    """A list of values of one type."""

    item: Form
    length: Length
    dtype: type[np.generic] | None

    def write(self, value: Any) -> list[Any]:
        """Return all of them."""
        return self.item.write_all(value if self.dtype is None else value.tolist())

    def read(self, plain: object) -> Any:
        """Return a tuple or an array."""
        found = _list(plain)
        least, most = self.length.least, self.length.most
        if len(found) < least or (most is not None and len(found) > most):
            raise ValueError("A list has another length.")
        values = self.item.read_all(found)
        return tuple(values) if self.dtype is None else np.array(values, dtype=self.dtype)


@dataclass(frozen=True)
class Converted(Form):
    """A value that stands as one of another type."""

    inner: Form
    through: As

    def write(self, value: Any) -> Any:
        """Return what it stands as."""
        return self.inner.write(self.through.write(value))

    def read(self, plain: object) -> Any:
        """Return what is meant."""
        return self.through.read(self.inner.read(plain))


@dataclass(frozen=True)
class Whole(Form):
    """The document of another release."""

    kind: str

    def write(self, value: Any) -> Any:
        """Return it as it is."""
        return value

    def read(self, plain: object) -> Any:
        """Return a document of this kind, and no other: one within itself could go on for ever."""
        if isinstance(plain, dict) and cast(Plain, plain).get("kind") == self.kind:
            return cast(Plain, plain)
        raise ValueError("A release is of another kind.")


@dataclass(frozen=True)
class Field:
    """One field of a record.

    Parameters
    ----------
    key, attribute
        Its name in documents, and in memory.
    absent
        What a document means that lacks it, if it may.
    told
        The name of the table that its values stand in, if they do.
    follows
        Whether it follows from the others.
    marks
        All that its type says of it.
    """

    key: str
    attribute: str
    form: Form
    absent: Absent | None
    told: str
    follows: bool
    marks: tuple[Any, ...]

    @property
    def default(self) -> Any:
        """What it is where a document lacks it."""
        return self.absent and self.absent.default

    @property
    def keys(self) -> tuple[str, ...]:
        """All names that it takes in documents."""
        return (self.told, self.key) if self.told else (self.key,)

    def put(self, plain: dict[str, Any], value: Any) -> None:
        """Write the field into a record."""
        if self.told:
            table, which = np.unique(np.array(value, dtype=np.float64), return_inverse=True)
            plain[self.told], plain[self.key] = table.tolist(), which.tolist()
        elif self.absent is None or self.absent.older or value != self.default:
            plain[self.key] = self.form.write(value)

    def take(self, plain: Plain) -> Any:
        """Read the field from a record that has it, or may lack it."""
        if self.absent and self.key not in plain:
            return self.default
        if not self.told:
            return self.form.read(plain[self.key])
        table: tuple[float, ...] = self.form.read(plain[self.told])
        which: tuple[int, ...] = PLACES.read(plain[self.key])
        if which and max(which) >= len(table):
            raise ValueError("Every value stands in the table.")
        return tuple(table[place] for place in which)


@dataclass(frozen=True)
class Record(Form):
    """An object whose names are known: those of the annotations of a class."""

    words: type
    fields: tuple[Field, ...]
    make: Callable[..., Any]

    def write(self, value: Any) -> dict[str, Any]:
        """Return all fields by their names."""
        plain: dict[str, Any] = {}
        for field in self.fields:
            field.put(plain, getattr(value, field.attribute))
        return plain

    def read(self, plain: object) -> Any:
        """Make the noun of its fields, of which none is missing and none strange."""
        found = _object(plain)
        if not self.has_names_of(found):
            raise ValueError("A name is missing, or strange.")
        values = {field.attribute: field.take(found) for field in self.fields}
        for field in self.fields:
            if field.follows:
                del values[field.attribute]
        return self.make(**values)

    def has_names_of(self, plain: Plain) -> bool:
        """Tell whether an object has the names of this record."""
        return self._needed <= plain.keys() <= self._names

    def completed(self, plain: Any) -> Any:
        """Return an object with what older files do not say."""
        if not isinstance(plain, dict):
            return plain
        whole = {**self._older, **cast(dict[str, Any], plain)}
        for field in self.fields:
            if field.key in whole:
                whole[field.key] = field.form.completed(whole[field.key])
        return whole

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(key for field in self.fields for key in field.keys)

    @cached_property
    def _needed(self) -> frozenset[str]:
        return frozenset(key for field in self.fields if not field.absent for key in field.keys)

    @cached_property
    def _older(self) -> dict[str, Any]:
        missing = {field.key: field for field in self.fields if field.absent and field.absent.older}
        return {key: field.form.write(field.default) for key, field in missing.items()}


@dataclass(frozen=True)
class Either(Form):
    """One of several records, told by their names."""

    options: tuple[tuple[type, Record], ...]

    def write(self, value: Any) -> Any:
        """Return the record of a value's type."""
        return next(form for kind, form in self.options if isinstance(value, kind)).write(value)

    def read(self, plain: object) -> Any:
        """Return what has these names."""
        found = _object(plain)
        for _, form in self.options:
            if form.has_names_of(found):
                return form.read(found)
        raise ValueError("Nothing has these names.")


def _list(plain: object) -> list[Any]:
    if isinstance(plain, list):
        return cast(list[Any], plain)
    raise ValueError("A list is a list.")


def _object(plain: object) -> Plain:
    if isinstance(plain, dict):
        return cast(Plain, plain)
    raise ValueError("An object has names.")


PLACES = Several(Number(True, Within(0, 2**63 - 1)), Length(), None)


@cache
def form(annotation: Any) -> Form:
    """Return the form of a type."""
    base, marks = _parted(annotation)
    for mark in marks:
        match mark:
            case As(spelled):
                return Converted(form(spelled), mark)
            case OneOf(values):
                return Words(values)
            case Spelled(words, make):
                return record(words, make)
            case Saved(kind):
                return Whole(kind)
            case _:
                pass
    return _structured(base, marks) or _named(base) or _simple(base, marks)


def _structured(base: Any, marks: tuple[Any, ...]) -> Form | None:
    origin, inner = get_origin(base), get_args(base)
    if origin in (Union, UnionType):
        return _either(inner, marks)
    if origin is tuple:
        return _several(inner, marks)
    return Words(inner) if origin is Literal else None


def _named(kind: type) -> Form | None:
    match SPELLED.get(kind):
        case As(spelled) as through:
            return Converted(form(spelled), through)
        case Spelled(words, make):
            return record(words, make)
        case None:
            return record(kind, kind) if is_dataclass(kind) and kind is not Categories else None


def record(words: type, make: Callable[..., Any], part: str = "") -> Record:
    """Return the form of a class by its annotations: of all fields, or of those in one part."""
    hints = get_type_hints(words, include_extras=True)
    chosen = [name for name in _names(words, hints) if _part(hints[name]) == part]
    return Record(words, tuple(_field(name, hints[name]) for name in chosen), make)


def _names(words: type, hints: dict[str, Any]) -> list[str]:
    return [each.name for each in fields(words)] if is_dataclass(words) else list(hints)


def _field(name: str, annotation: Any) -> Field:
    _, marks = _parted(annotation)
    named, told = _marked(marks, Named) or Named(), _marked(marks, ToldOnce)
    return Field(
        key=named.key or name,
        attribute=named.attribute or name,
        form=form(annotation),
        absent=_marked(marks, Absent),
        told=told.table if told else "",
        follows=named.follows,
        marks=marks,
    )


def _part(annotation: Any) -> str:
    part = _marked(_parted(annotation)[1], Part)
    return part.name if part else ""


def _either(options: tuple[Any, ...], marks: tuple[Any, ...]) -> Form:
    """Return the form of a union: of null and one type, of records, or of all of these."""
    others = tuple(option for option in options if option is not NoneType)
    if len(others) == 1:
        inner = form(Annotated[others[0], *marks]) if marks else form(others[0])
    else:
        inner = Either(tuple((option, cast(Record, form(option))) for option in others))
    return inner if len(others) == len(options) else Nullable(inner)


def _several(items: tuple[Any, ...], marks: tuple[Any, ...]) -> Form:
    length, array = _marked(marks, Length) or Length(), _marked(marks, AsArray)
    if items[-1] is not Ellipsis:
        length = Length(len(items), len(items))
    return Several(form(items[0]), length, array.dtype if array else None)


def _simple(kind: type, marks: tuple[Any, ...]) -> Form:
    if kind in (int, float):
        return Number(kind is int, _marked(marks, Within) or Within())
    if kind is str:
        return Text(_marked(marks, Length) or Length(), _marked(marks, Pattern))
    if kind is bool:
        return Flag()
    if kind is Categories:
        return Listed()
    raise TypeError(f"{kind} has no form in a document.")


def _parted(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return a type, and all that is said of it besides."""
    marks: tuple[Any, ...] = getattr(annotation, "__metadata__", ())
    return (get_args(annotation)[0] if marks else annotation), marks


Mark = TypeVar("Mark")


def _marked(marks: tuple[Any, ...], kind: type[Mark]) -> Mark | None:
    return next((mark for mark in marks if isinstance(mark, kind)), None)
