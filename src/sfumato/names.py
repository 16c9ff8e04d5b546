"""Names that strangers may have chosen, made fit to be printed: no steering, and not too long."""

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
