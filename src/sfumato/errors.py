"""The errors users meet, and what to type next as each door spells it.

An error says what is wrong, why it matters, what to type next. It may name columns and public
parameters; it never holds a value from the data. A phrase is something to type, which a session, a
one-line function and a shell spell in their own ways.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import ContextDecorator
from dataclasses import dataclass
from datetime import date, timedelta
from keyword import iskeyword
from types import TracebackType
from typing import Literal, Protocol, cast

LONGEST_LABEL = 300
"""How many letters of what was asked a ledger keeps."""

LONGEST = 120
"""How many letters of a name a sentence or an axis has room for."""

# They only join or part their neighbours, and some scripts are not written without them.
_JOINERS = "\u200c\u200d"


def make_printable(text: str) -> str:
    r"""Return `text` on one line, a space for each letter that could steer a terminal.

    That is whatever is not drawn: control characters, ends of lines, marks that turn the direction
    of writing, halves of letters.

    Examples
    --------
    >>> make_printable("wait\n\x1b[2J")
    'wait  [2J'
    """
    if text.isprintable():
        return text
    kept = (letter if letter.isprintable() or letter in _JOINERS else " " for letter in text)
    return "".join(kept)


def abbreviate(text: str, most: int = LONGEST) -> str:
    """Return `text`, or its beginning and an ellipsis.

    Examples
    --------
    >>> abbreviate("a name of many letters", 10)
    'a name of…'
    """
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def shorten_label(text: str) -> str:
    r"""Return `text` on one line, of bounded length, safe for any terminal and any encoding.

    Examples
    --------
    >>> shorten_label("histogram of wait\n by ward")
    'histogram of wait by ward'
    """
    # A name may have a million letters, of which few are kept.
    return abbreviate(" ".join(make_printable(text[: 4 * LONGEST_LABEL]).split()), LONGEST_LABEL)


class Phrase(Protocol):
    """Something to type, which each door spells in its own way."""

    def spell(self, door: Door) -> str:
        """Return it as it is typed at `door`."""
        ...


Words = str | Phrase | tuple[str | Phrase, ...]
"""A sentence: a text, or texts and phrases in turn."""


@dataclass(frozen=True)
class Door(ContextDecorator):
    """Where an error is met; as a context or a decorator, it respells those that leave by it.

    Parameters
    ----------
    kind
        A session and the nouns it takes, a one-line function, or the command line.
    hue, col, row
        The columns that `hue_order`, `col_order` and `row_order` are about, where they are known.
    one_range
        Whether `bounds` is one pair, for one column.

    Examples
    --------
    >>> with Door("shell"):
    ...     raise SfumatoError("It is dark.", "Nothing can be seen.", "Light a candle.")
    Traceback (most recent call last):
    ...
    sfumato.errors.SfumatoError: It is dark. Nothing can be seen. Light a candle.
    """

    kind: Literal["session", "function", "shell"]
    hue: str | None = None
    one_range: bool = False
    col: str | None = None
    row: str | None = None

    @classmethod
    def to_chart(cls, kind: Literal["function", "shell"], chart: object, one_range: bool) -> Door:
        """Return the door that one chart is asked for at."""
        columns = {name: getattr(chart, name, None) for name in ("hue", "col", "row")}
        return cls(kind, one_range=one_range, **columns)

    def name_order(self, column: str) -> str:
        """Return what the option is called that orders the categories of a column."""
        for name in ("hue", "col", "row"):
            if column == getattr(self, name):
                return f"{name}_order"
        return "order"

    def respell(self, error: SfumatoError) -> None:
        """Let `error` speak as one does here; a door of this kind that it met before knows more."""
        if error.door.kind != self.kind:
            error.door = self

    def __enter__(self) -> Door:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # The same error goes on: one raised in its place would carry it.
        if isinstance(problem, SfumatoError):
            self.respell(problem)


SESSION, FUNCTION, SHELL = Door("session"), Door("function"), Door("shell")


class SfumatoError(Exception):
    """Anything sfumato refuses to do.

    Parameters
    ----------
    what
        What is wrong.
    why
        Why it matters.
    advice
        What to type next.

    Examples
    --------
    >>> from sfumato.errors import BoundsOf
    >>> error = SfumatoError("It is dark.", "Nothing can be seen.", ("Try ", BoundsOf("wait")))
    >>> error.advice
    'Try Domain(wait=(lower, upper))'
    >>> SHELL.respell(error)
    >>> error.advice
    'Try --bounds wait=LOWER,UPPER'
    """

    def __init__(self, what: Words, why: Words, advice: Words) -> None:
        super().__init__(what, why, advice)
        self.door = SESSION

    @property
    def what(self) -> str:
        """What is wrong."""
        return self._spelled(self.args[0])

    @property
    def why(self) -> str:
        """Why it matters."""
        return self._spelled(self.args[1])

    @property
    def advice(self) -> str:
        """What to type next, as it is typed where the error was met."""
        return self._spelled(self.args[2])

    def __str__(self) -> str:
        return f"{self.what} {self.why} {self.advice}"

    def _spelled(self, words: Words) -> str:
        parts = words if isinstance(words, tuple) else (words,)
        return "".join(part if isinstance(part, str) else part.spell(self.door) for part in parts)


class DomainError(SfumatoError):
    """A public fact (bounds, categories, bins, unit) is missing or is not valid."""


class BudgetError(SfumatoError):
    """A privacy budget is malformed, or too small for what was asked."""


class LedgerError(SfumatoError):
    """The ledger cannot be created, opened or written, or belongs to something else."""


class SourceError(SfumatoError):
    """The table cannot be read, or lacks a column of the needed kind."""


class ReleaseError(SfumatoError):
    """A saved release cannot be written, or cannot be read back."""


class SignatureError(SfumatoError):
    """A key cannot be read or made, or a signature is missing or does not fit."""


class OverspentError(SfumatoError):
    """A mechanism spent more than its plan charged: a bug in sfumato, never in your data."""


YEAR = (date(2026, 1, 1), date(2027, 1, 1))
"""A range of dates, as an example."""


@dataclass(frozen=True)
class Worded:
    """A phrase of one place; a door without a spelling of its own takes the session's.

    Examples
    --------
    >>> from sfumato.errors import FUNCTION, SHELL
    >>> make = Worded("release.save('chart.json')", in_shell="-o chart.json")
    >>> make.spell(FUNCTION), make.spell(SHELL)
    ("release.save('chart.json')", '-o chart.json')
    """

    session: str
    in_function: str | None = None
    in_shell: str | None = None

    def spell(self, door: Door) -> str:
        """Return it as it is typed at `door`."""
        own = {"function": self.in_function, "shell": self.in_shell}.get(door.kind)
        return self.session if own is None else own


@dataclass(frozen=True)
class PrivateSearch:
    """A private search, in the place of bounds or of categories; the latter take a δ.

    Examples
    --------
    >>> from sfumato.errors import SESSION, SHELL
    >>> PrivateSearch(delta=1e-6).spell(SESSION), PrivateSearch(delta=1e-6).spell(SHELL)
    ('sf.private(delta=1e-6)', 'private:1e-6')
    """

    share: float | None = None
    delta: float | None = None

    def spell(self, door: Door) -> str:
        """Return it as it is typed at `door`."""
        if door.kind == "shell":
            amounts = [amount for amount in (self.delta, self.share) if amount is not None]
            return ":".join(["private", *map(_number, amounts)])
        given = {"share": self.share, "delta": self.delta}.items()
        words = [f"{name}={_number(amount)}" for name, amount in given if amount is not None]
        return f"sf.private({', '.join(words)})"


@dataclass(frozen=True)
class Setting:
    """An option with its value, or alone.

    Examples
    --------
    >>> from sfumato.errors import SESSION, SHELL
    >>> Setting("bins", [0, 18, 65]).spell(SESSION), Setting("bins", [0, 18, 65]).spell(SHELL)
    ('bins=[0, 18, 65]', '--bins 0,18,65')
    >>> Setting("hue_order").spell(SHELL)
    '--hue-order'
    """

    name: str
    value: object = None
    in_shell: str | None = None

    def spell(self, door: Door) -> str:
        """Return it as it is typed at `door`."""
        value = self.value
        if door.kind != "shell":
            return self.name if value is None else f"{self.name}={_in_python(value, door)}"
        name = self.in_shell or f"--{self.name.replace('_', '-')}"
        match value:
            case None:
                return name
            case PrivateSearch():
                return f"{name} {value.spell(door)}"
            case Mapping():
                pairs = cast(Mapping[object, object], value).items()
                return " ".join(f"{name} {typed(f'{key}={_plain(each)}')}" for key, each in pairs)
            case _:
                return f"{name} {typed(_plain(value))}"


@dataclass(frozen=True)
class Settings:
    """Several options together.

    Examples
    --------
    >>> from sfumato.errors import SESSION, SHELL
    >>> both = Settings({"x": "lon", "y": "lat"})
    >>> both.spell(SESSION), both.spell(SHELL)
    ("x='lon', y='lat'", '--x lon --y lat')
    """

    given: Mapping[str, object]

    def spell(self, door: Door) -> str:
        """Return them as they are typed at `door`."""
        words = [Setting(name, value).spell(door) for name, value in self.given.items()]
        return (" " if door.kind == "shell" else ", ").join(words)


BoundsEnds = tuple[float, float] | tuple[date, date] | tuple[timedelta, timedelta] | tuple[str, str]
"""Ends of bounds, to be shown."""


@dataclass(frozen=True)
class BoundsOf:
    """The declaration of the bounds of a column, or of two.

    Examples
    --------
    >>> from sfumato.errors import (FUNCTION, SESSION, SHELL, Door)
    >>> wait = BoundsOf("wait")
    >>> wait.spell(SESSION), wait.spell(SHELL)
    ('Domain(wait=(lower, upper))', '--bounds wait=LOWER,UPPER')
    >>> wait.spell(FUNCTION), wait.spell(Door("function", one_range=True))
    ("bounds={'wait': (lower, upper)}", 'bounds=(lower, upper)')
    """

    column: str
    second: str | None = None
    ends: BoundsEnds | None = None

    def spell(self, door: Door) -> str:
        """Return it as it is typed at `door`."""
        columns = [name for name in (self.column, self.second) if name is not None]
        if door.kind == "shell":
            ends = "LOWER,UPPER" if self.ends is None else _plain(self.ends)
            return " ".join(f"--bounds {typed(f'{name}={ends}')}" for name in columns)
        pair = "(lower, upper)" if self.ends is None else _in_python(self.ends, door)
        if door.kind == "function" and door.one_range and len(columns) == 1:
            return f"bounds={pair}"
        facts = dict.fromkeys(columns, pair)
        return f"bounds={_mapping(facts)}" if door.kind == "function" else _domain(facts)


@dataclass(frozen=True)
class CategoriesOf:
    """The categories of a column, declared or searched for.

    Examples
    --------
    >>> from sfumato.errors import FUNCTION, SESSION, Door
    >>> ward = CategoriesOf("ward")
    >>> ward.spell(SESSION), ward.spell(FUNCTION)
    ("Domain(ward=['A', 'B'])", "order=['A', 'B']")
    >>> CategoriesOf("ward", PrivateSearch(delta=1e-6)).spell(Door("shell", hue="ward"))
    '--hue-order private:1e-6'
    """

    column: str
    values: Sequence[object] | PrivateSearch = ("A", "B")

    def spell(self, door: Door) -> str:
        """Return it as it is typed at `door`."""
        values = self.values if isinstance(self.values, PrivateSearch) else list(self.values)
        if door.kind != "session":
            return Setting(door.name_order(self.column), values).spell(door)
        fact = _in_python(values, door)  # which of its orders a session's chart means is not known
        return fact if isinstance(values, PrivateSearch) else _domain({self.column: fact})


@dataclass(frozen=True)
class Spending:
    """A budget.

    Examples
    --------
    >>> from sfumato.errors import SESSION, SHELL
    >>> Spending(1, 1e-6).spell(SESSION), Spending(20, weak=True).spell(SHELL)
    ('Budget(epsilon=1, delta=1e-6)', '--epsilon 20 --weak')
    """

    epsilon: float
    delta: float = 0.0
    reserve: float | None = None
    weak: bool = False

    def spell(self, door: Door) -> str:
        """Return it as it is typed at `door`."""
        given = {"epsilon": self.epsilon, "delta": self.delta or None}
        named = {name: amount for name, amount in given.items() if amount is not None}
        if door.kind == "shell":  # where there is no reserve to set
            words = [f"--{name} {_number(amount)}" for name, amount in named.items()]
            return " ".join([*words, *["--weak"] * self.weak])
        named |= {} if self.reserve is None else {"reserve": self.reserve}
        words = [f"{name}={_number(amount)}" for name, amount in named.items()]
        return f"Budget({', '.join([*words, *['weak=True'] * self.weak])})"


@dataclass(frozen=True)
class ProtectedUsers:
    """The privacy unit of a user column.

    Examples
    --------
    >>> from sfumato.errors import SESSION, SHELL
    >>> ProtectedUsers("user_id", 20).spell(SESSION), ProtectedUsers("user_id", 20).spell(SHELL)
    ("PrivacyUnit.users('user_id', max_rows=20)", '--unit user_id:20')
    """

    column: str | tuple[str, ...] | None
    max_rows: int | None = None

    def spell(self, door: Door) -> str:
        """Return it as it is typed at `door`."""
        columns = self.column if isinstance(self.column, tuple) else (self.column,)
        if door.kind == "shell":
            rows = "" if self.max_rows is None else f":{self.max_rows}"
            listed = ",".join(map(str, columns))
            return f"--unit {typed(f'{listed}{rows}')}"
        rows = "" if self.max_rows is None else f", max_rows={self.max_rows}"
        return f"PrivacyUnit.users({', '.join(map(repr, columns))}{rows})"


PAIR = Worded("(lower, upper)", in_shell="--bounds LOWER,UPPER")
LISTED = Worded("['A', 'B']", in_shell="A,B")
SHARED = Worded(
    "sf.private(share=0.1)", in_shell="private:0.1 for bounds, private:1e-6:0.1 for categories"
)


def typed(text: object) -> str:
    """Return a name or a path as one word of a shell.

    Examples
    --------
    >>> typed("our visits.ledger")
    "'our visits.ledger'"
    """
    word = str(text)
    # A comma alone is a word to a shell, and looks like the sentence's own to a reader.
    return shlex.quote(word) if any(map(str.isalnum, word)) else f"'{word}'"


def _domain(facts: Mapping[str, str]) -> str:
    """Return a `Domain`, by keywords where the columns have names that Python takes for such."""
    if all(name.isidentifier() and not iskeyword(name) for name in facts):
        return f"Domain({', '.join(f'{name}={fact}' for name, fact in facts.items())})"
    return f"Domain({_mapping(facts)})"


def _mapping(facts: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{name!r}: {fact}' for name, fact in facts.items())}}}"


def _in_python(value: object, door: Door) -> str:
    match value:
        case PrivateSearch():
            return value.spell(door)
        case date():
            return f"date({value.year}, {value.month}, {value.day})"
        case timedelta():
            return f"timedelta(minutes={value / timedelta(minutes=1):g})"
        case (date() | timedelta() as first, date() | timedelta() as last):
            return f"({_in_python(first, door)}, {_in_python(last, door)})"
        case _:
            return repr(value)


def _plain(value: object) -> str:
    """Return a value as the shell's options take it: lists with commas and no brackets."""
    match value:
        case date():
            return value.isoformat()
        case timedelta():
            return f"{value / timedelta(minutes=1):g}min"
        case float():
            return _number(value)
        case tuple() | list():
            return ",".join(map(_plain, cast(list[object], value)))
        case _:
            return str(value)


def _number(amount: float) -> str:
    """Return a number as it is written by hand: 1, 0.5, 1e-6."""
    text = repr(float(amount)).removesuffix(".0")
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
