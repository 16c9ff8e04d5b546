"""People numbered from zero, in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds
from numpy.typing import NDArray

from sfumato.engines.columns import Integers

_BITS = 5
COMPANIES = 2**_BITS
"""Into how many companies people are sorted: each then fits in the caches."""

_SPARE = 4  # numbers to a row that may be left unused
_MIXER = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio: its high bits mix all others


def companies(whose: pa.Array) -> NDArray[np.uint8]:
    """Return the company of each identity, which depends on that identity alone.

    Privacy
    -------
    All rows of one person fall into one company, wherever they stand in a table, so that each
    company can be worked on by itself.
    """
    if kinds.is_integer(whose.type):
        found = whose.to_numpy() & (COMPANIES - 1)
    elif kinds.is_floating(whose.type):
        found = (whose.to_numpy().view(np.uint64) * _MIXER) >> np.uint64(64 - _BITS)
    elif kinds.is_large_binary(whose.type):
        found = _letters(whose) & (COMPANIES - 1)
    else:
        found = np.zeros(len(whose))
    return found.astype(np.uint8)


def numbered(blocks: Sequence[pa.Array]) -> tuple[Integers, int]:
    """Return numbers for the people of one company, and how many numbers there are.

    Privacy
    -------
    Equal identities get equal numbers and different ones different numbers, exactly. The way that
    is chosen depends on the data, and shows in nothing but time.
    """
    if kinds.is_integer(blocks[0].type):
        whose = np.concatenate([block.to_numpy() for block in blocks])
        low, high = int(whose.min()), int(whose.max())
        if (high - low) >> _BITS <= _SPARE * whose.size:
            # Numbers without a sign wrap around, all of them alike, and so does the difference.
            first = np.array([low], whose.dtype).astype(np.int64)
            # In one company all numbers leave the same remainder.
            return (whose.astype(np.int64) - first) >> _BITS, ((high - low) >> _BITS) + 1
    coded = pa.chunked_array(blocks).dictionary_encode().chunks
    numbers = np.concatenate([block.indices.to_numpy() for block in coded])
    return numbers.astype(np.int64), len(coded[0].dictionary)


def _letters(texts: pa.Array) -> NDArray[np.uint32]:
    """Return the sum of the bytes of each text, modulo 2³²."""
    _, offsets, stored = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    letters = np.frombuffer(stored or b"", np.uint8)[ends[0] : ends[-1]]
    so_far = np.zeros(letters.size + 1, dtype=np.uint32)
    np.cumsum(letters, dtype=np.uint32, out=so_far[1:])
    return np.diff(so_far[ends - ends[0]])
