"""The forms of types: how whatever a release is made of is written and read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
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

from sfumato.domain import Categories
from sfumato.releases.forms import (
    Converted,
    Either,
    Field,
    Flag,
    Form,
    Listed,
    Nullable,
    Number,
    Record,
    Several,
    Text,
    Whole,
    Words,
)
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
