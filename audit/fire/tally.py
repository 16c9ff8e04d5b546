"""What became of a number of tries, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass

from fire.witness import Found

LOOKED, REFUSED, INTERRUPTED, KILLED = 0, 3, 4, -9
"""How a child that charges and then looks may end."""


@dataclass(frozen=True)
class Tally:
    """Tries of one kind, and in how many of them what happened.

    Nothing is ever overspent, lost or torn. A charge that is `refused` leaves every byte as it
    was; one that is `wasted` was written down and nobody looked, which costs and does not leak.
    """

    tried: int = 0
    overspent: int = 0
    lost: int = 0
    torn: int = 0
    rough: int = 0
    refused: int = 0
    wasted: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def stood(self) -> bool:
        """Whether something was tried, and the library stood it."""
        return self.tried > 0 and not (self.fell or self.rough)

    @property
    def fell(self) -> bool:
        """Whether a budget was broken, and not merely a program."""
        return self.tried > 0 and bool(self.overspent or self.lost or self.torn)


def judged(before: Found, after: Found, looked: Counter[str], status: int = LOOKED) -> Tally:
    """Compare what the witness found before and after one try with what was looked at.

    A file that can no longer be read, an entry that is not whole, and anything but new entries at
    the end count as torn; an error that is not one of ours, as rough.
    """
    if after.problem:
        return Tally(tried=1, torn=1, lost=sum(looked.values()))
    lost = sum((looked - after.labels).values())
    added = len(after.entries) - len(before.entries)
    untouched = after.content == before.content
    added_to = after.whole and after.goes_on_from(before) and (added > 0 or untouched)
    return Tally(
        tried=1,
        overspent=int(after.overspent),
        lost=lost,
        torn=int(not added_to),
        rough=int(status not in (LOOKED, REFUSED, INTERRUPTED, KILLED)),
        refused=int(status == REFUSED and untouched),
        wasted=max(0, added - sum(looked.values())),
    )
