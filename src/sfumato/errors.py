"""The errors users meet, and names made fit to be printed in them.

An error says what is wrong, why it matters, what to type next. It may name columns and public
parameters; it never holds a value from the data.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Protocol

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
    hue
        The column that `hue_order` is about, where it is known.
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
    >>> from sfumato.phrases import BoundsOf
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
    """A public fact (bounds, categories, bins, unit) is missing or makes no sense."""


class BudgetError(SfumatoError):
    """A privacy budget is malformed, or too small for what was asked."""


class LedgerError(SfumatoError):
    """The ledger cannot be created, opened or written, or belongs to something else."""


class SourceError(SfumatoError):
    """The table cannot be read, or lacks a column of the needed kind."""


class ReleaseError(SfumatoError):
    """A saved release cannot be written, or cannot be read back."""


class OverspentError(SfumatoError):
    """A mechanism spent more than its plan charged: a bug in sfumato, never in your data."""
