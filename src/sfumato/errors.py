"""The errors users meet, and names made fit to be printed in them.

An error says what is wrong, why it matters, what to type next. It may name columns and public
parameters; it never holds a value from the data.
"""

from __future__ import annotations

LONGEST = 120
"""How many letters of a name a sentence or an axis has room for."""

# They only join or part their neighbours, and some scripts are not written without them.
_JOINERS = "\u200c\u200d"


def printable(text: str) -> str:
    r"""Return `text` on one line, a space for each letter that could steer a terminal.

    That is whatever is not drawn: control characters, ends of lines, marks that turn the direction
    of writing, halves of letters.

    Examples
    --------
    >>> printable("wait\n\x1b[2J")
    'wait  [2J'
    """
    if text.isprintable():
        return text
    kept = (letter if letter.isprintable() or letter in _JOINERS else " " for letter in text)
    return "".join(kept)


def brief(text: str, most: int = LONGEST) -> str:
    """Return `text`, or its beginning and an ellipsis.

    Examples
    --------
    >>> brief("a name of many letters", 10)
    'a name of…'
    """
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


class SfumatoError(Exception):
    """Anything sfumato refuses to do."""


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
