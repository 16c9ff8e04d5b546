"""`Option`: what there is to know of a chart's option, said once, at its field.

A chart is a frozen dataclass, and its fields are all that can be asked of it. Each field says
about itself what doors and pages need: the one-line function, the method of a session, the command
and the reference are made from it.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from functools import cache
from inspect import cleandoc
from textwrap import fill, indent
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    Required,
    TypedDict,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from sfumato.errors import DomainError, Setting

C = TypeVar("C")
Panel = Literal["Chart", "Methods to compare with", "What is public", "Privacy"]
"""The parts of a help screen, in their order."""


class About(TypedDict, total=False):
    """What a field says about itself.

    `help` is for everyone. What is said besides in Python, in a session and where it is typed into
    a shell is added by `python`, `session` and `typed`. `why` says what depends on a choice, to
    whoever made one that is not known. `names`, `metavar` and `spelled` are for a shell: what the
    option is called there if not by its name, what stands for its value, and how its text is read
    if its type does not tell. `panel` is the part of a help screen that it stands in, if not among
    what makes the chart. `positional` options need no name in Python.
    """

    help: Required[str]
    python: str
    session: str
    typed: str
    why: str
    names: tuple[str, ...]
    metavar: str
    spelled: str
    panel: Panel
    positional: bool


@dataclass(frozen=True)
class Ranges:
    """What a chart's one-line function and command take for `bounds`.

    Parameters
    ----------
    help, typed
        What they are, in Python and typed into a shell.
    type
        What Python takes, as it is written in a signature.
    required
        Whether nothing can be drawn without them.
    metavar
        What stands for their value in a shell.
    """

    help: str
    typed: str
    type: str = "Range | Mapping[str, Range] | None"
    required: bool = False
    metavar: str = "[COLUMN=]LOWER,UPPER"


@dataclass(frozen=True)
class Example:
    """A chart of the invented city in Python, and one of another table in a shell.

    Parameters
    ----------
    table
        The table, as an expression on `sf.testing`.
    asks
        What is asked for, as keywords.
    bounds, unit
        What a one-line function takes besides.
    domain
        What a session takes in place of `bounds`.
    budget
        The cost.
    shows, gives
        What is looked at, and what is seen.
    command
        What is typed into a shell, but for the ledger and the output.
    """

    table: str
    asks: str
    bounds: str
    domain: str
    budget: str
    shows: str
    gives: str
    command: str
    unit: str = ""


@dataclass(frozen=True)
class Option:
    """One option of a chart: its name, its type, its default and what it says about itself."""

    name: str
    type: Any
    default: Any
    about: About

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is MISSING

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that can be given; none where anything else can be, too."""
        members = _members(self.type)
        if any(get_origin(each) is not Literal and each is not NoneType for each in members):
            return ()
        return tuple(word for each in members for word in get_args(each))

    @property
    def plain(self) -> Any:
        """The type without None, where that leaves one that a shell can read by itself."""
        members = [each for each in _members(self.type) if each is not NoneType]
        simple = len(members) == 1 and (members[0] in (str, float, int) or bool(self.choices))
        return members[0] if simple else None


@cache
def options(chart: type) -> tuple[Option, ...]:
    """Return the options of a chart, in the order of its fields; those of all charts come last."""
    types = get_type_hints(chart)
    return tuple(
        Option(field.name, types[field.name], field.default, cast(About, field.metadata))
        # What several charts have in common comes after what is their own.
        for field in sorted(fields(chart), key=lambda field: bool(field.kw_only))
    )


def check_choices(chart: object) -> None:
    """Refuse a word that an option does not know."""
    for option in options(type(chart)):
        value = getattr(chart, option.name)
        known = (*option.choices, *((None,) if NoneType in _members(option.type) else ()))
        if option.choices and not (isinstance(value, str | None) and value in known):
            words = ", ".join(repr(word) for word in option.choices)
            raise DomainError(
                (Setting(option.name, value), " is not known."),
                option.about.get("why", "It decides what is measured."),
                f"Leave it out, or choose one of {words}.",
            )


def explained(chart: type[C]) -> type[C]:
    """Add to the docstring of a chart what its options mean, before the example."""
    told = [
        f"{option.name}\n{indent(fill(in_python(option, session=True), 92), '    ')}"
        for option in options(chart)
    ]
    summary, title, example = cleandoc(chart.__doc__ or "").partition("Examples\n--------\n")
    section = "\n".join(["Parameters", "----------", *told])
    chart.__doc__ = f"{summary}{section}\n\n{title}{example}"
    return chart


def in_python(option: Option, *, session: bool = False) -> str:
    """Return what a reader of Python is told: what it means, and the words that can be given."""
    about, words = option.about, [f'``"{word}"``' for word in option.choices]
    choices = f"One of {', '.join(words)}." if words else ""
    more = [about.get("session", "") if session else "", about.get("python", "")]
    return " ".join(filter(None, [about["help"], *more, choices]))


def in_a_shell(option: Option) -> str:
    """Return what a reader of a help screen is told, who sees words that can be given besides."""
    about = option.about
    return " ".join(filter(None, [about["help"], about.get("typed", "")])).replace("`", "")


def _members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
