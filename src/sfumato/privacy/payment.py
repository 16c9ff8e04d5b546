"""`Payment`: which entry of which ledger paid for a release."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Payment:
    """The entry of a ledger that a release was paid with.

    Parameters
    ----------
    ledger
        The identity of the ledger, drawn at random when it was created.
    number
        Which entry it is, counted from 1.
    seal
        The entry's link in the ledger's chain of hashes: it stands for this entry and for all
        before it.

    Privacy
    -------
    Known before the table was read: it tells nothing of any row.

    Examples
    --------
    >>> Payment("5f0c", 3, "9b41").number
    3
    """

    ledger: str
    number: int
    seal: str
