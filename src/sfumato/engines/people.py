"""People: as short identities, sorted into companies, and numbered from zero in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from numpy.typing import NDArray

from sfumato.engines.columns import Integers, identities
from sfumato.engines.decoding import indices

BITS = 5
COMPANIES = 2**BITS
"""Into how many companies people are sorted: each then fits in the caches."""

_LONGEST = hashlib.sha512().digest_size
_SPARE = 4  # numbers to a row that may be left unused
_MIXER = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio: its high bits mix all others


def persons(column: pa.Array) -> pa.Array:
    """Return whose row it is, as `identities` do, but never in more than 64 bytes.

    A text or bytes of 64 bytes and more is represented by its SHA-512, which has 64.

    Privacy
    -------
    Shorter identities are themselves, so that no two persons become one unless two longer ones
    have the same SHA-512; nobody knows such two. No identity can fill a memory.
    """
    if kinds.is_dictionary(column.type):  # where a long one may be repeated on every row
        coded = cast(pa.DictionaryArray, column)
        if len(coded.dictionary) < len(coded):  # to read each word once is less work
            return persons(coded.dictionary).take(indices(coded))
    whose = identities(column)
    if not kinds.is_large_binary(whose.type):
        return whose
    long = pc.fill_null(pc.greater_equal(pc.binary_length(whose), _LONGEST), False)
    places = np.flatnonzero(long)
    if not places.size:
        return whose
    _, offsets, stored = whose.buffers()
    ends, octets = np.frombuffer(offsets, np.int64)[whose.offset :], memoryview(stored)
    short = [hashlib.sha512(octets[ends[at] : ends[at + 1]]).digest() for at in places]
    return pc.replace_with_mask(whose, long, pa.array(short, pa.large_binary()))


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
        found = (whose.to_numpy().view(np.uint64) * _MIXER) >> np.uint64(64 - BITS)
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
        if (high - low) >> BITS <= _SPARE * whose.size:
            # Numbers without a sign wrap around, all of them alike, and so does the difference.
            apart = whose.astype(np.int64) - np.array([low], whose.dtype).astype(np.int64)
            # In one company all numbers leave the same remainder.
            if not (apart & (COMPANIES - 1)).any():
                return apart >> BITS, ((high - low) >> BITS) + 1
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
