"""`Entry`: one charge, as the ledger remembers it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sfumato.names import brief
from sfumato.names import printable as harmless
from sfumato.privacy.cost import Cost

LONGEST_LABEL = 300


@dataclass(frozen=True)
class Entry:
    """One charge: its number, when it was made (UTC), what for and what it cost."""

    number: int
    time: datetime
    label: str
    cost: Cost


def total(entries: Iterable[Entry]) -> Cost:
    """Add up what `entries` cost."""
    return sum((entry.cost for entry in entries), Cost.nothing())


def printable(text: str) -> str:
    r"""Return `text` on one line, of bounded length, safe for any terminal and any encoding.

    Examples
    --------
    >>> printable("histogram of wait\n by ward")
    'histogram of wait by ward'
    """
    # A name may have a million letters, of which few are kept.
    return brief(" ".join(harmless(text[: 4 * LONGEST_LABEL]).split()), LONGEST_LABEL)
