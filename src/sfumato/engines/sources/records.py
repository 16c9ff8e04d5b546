"""Where the records of a CSV file begin and end, and which of them are well written.

A record ends at a line feed before which it has an even number of double quotes: so one that is
written as RFC 4180 asks never reaches into another, whatever it holds. All others are left out, and
so are records that are empty or of more than a mebibyte. A record that is kept

- has as many fields as the first, which names the columns;
- has quotes only around whole fields, and doubled within them;
- has no carriage return but in quotes and before its line feed, since readers take one for the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

LONGEST = 2**20
"""The most bytes of a record."""

Letters = NDArray[np.uint8]
Places = NDArray[np.int64]

_CHUNK = 2**22
_QUOTE, _FEED, _RETURN = b'"\n\r'


@dataclass(frozen=True)
class Layout:
    """What separates the fields of a record, and how many there are."""

    separator: str
    fields: int


def whole_records(
    read: Callable[[int], bytes], layout: Layout, *, chunk: int = _CHUNK
) -> Iterator[bytes]:
    """Yield a file in pieces of whole records, of which the first of all is left out.

    Privacy
    -------
    Whether a well-written record is kept depends on that record alone. One that ends within quotes
    takes what follows with it, up to the next such quote: there the promise ends.
    """
    header, carry, skipping, quoted = True, b"", False, False
    while more := read(chunk):
        if skipping:
            more, quoted, skipping = _after_record(more, quoted=quoted)
        data = carry + more
        ends = _ends(np.frombuffer(data, np.uint8))
        if ends.size:
            yield _kept(data[: ends[-1]], ends, layout, header=header)
            header, data = False, data[ends[-1] :]
        carry = data
        if len(carry) > LONGEST:
            header, carry, skipping, quoted = False, b"", True, carry.count(b'"') % 2 == 1
    if carry and carry.count(b'"') % 2 == 0:
        yield _kept(carry + b"\n", np.array([len(carry) + 1]), layout, header=header)


def _after_record(data: bytes, *, quoted: bool) -> tuple[bytes, bool, bool]:
    """Return what follows the record that `data` begins in the midst of, if it ends here."""
    ends = _ends(np.frombuffer(data, np.uint8), quoted=quoted)
    if ends.size:
        return data[ends[0] :], False, False
    return b"", (data.count(b'"') % 2 == 1) != quoted, True


def _ends(letters: Letters, *, quoted: bool = False) -> Places:
    """Return where records end: one past each line feed outside quotes."""
    return _outside(letters, _FEED, quoted=quoted) + 1


def _outside(letters: Letters, letter: int, *, quoted: bool = False) -> Places:
    """Return where `letter` stands with an even number of quotes before it."""
    places = np.flatnonzero(letters == letter)
    quotes = np.flatnonzero(letters == _QUOTE)
    return places[np.searchsorted(quotes, places) % 2 == quoted]


def _kept(data: bytes, ends: Places, layout: Layout, *, header: bool) -> bytes:
    """Return the records of `data` that are not left out, one after the other."""
    letters = np.frombuffer(data, np.uint8)
    starts = np.concatenate([[0], ends[:-1]])
    lengths = ends - starts
    separators = _outside(letters, ord(layout.separator))
    dropped = np.diff(np.searchsorted(separators, ends), prepend=0) != layout.fields - 1
    dropped |= (lengths > LONGEST) | (lengths == 1)
    dropped |= (lengths == 2) & (letters[starts] == _RETURN)
    wrong = np.concatenate([_bare_returns(letters), _stray_quotes(letters, layout)])
    dropped[np.searchsorted(ends, wrong, side="right")] = True
    dropped[0] |= header
    if not dropped.any():
        return data
    changes = np.flatnonzero(np.diff(dropped, prepend=True, append=True))
    bounds = np.concatenate([starts, ends[-1:]])[changes]
    return b"".join(data[start:stop] for start, stop in list(pairwise(bounds))[::2])


def _bare_returns(letters: Letters) -> Places:
    returns = _outside(letters, _RETURN)
    return returns[letters[returns + 1] != _FEED]


def _stray_quotes(letters: Letters, layout: Layout) -> Places:
    """Return the quotes that neither begin nor end a field, nor are one of a pair within it."""
    quotes = np.flatnonzero(letters == _QUOTE)
    opening, closing = quotes[::2], quotes[1::2]
    separator = ord(layout.separator)
    # The first letter follows nothing, which is as good as the end of a record.
    before = np.where(opening > 0, letters[opening - 1], _FEED)
    after = letters[closing + 1]
    strays = [
        opening[~np.isin(before, (separator, _FEED, _QUOTE))],
        closing[~np.isin(after, (separator, _FEED, _RETURN, _QUOTE))],
    ]
    return np.concatenate(strays)
