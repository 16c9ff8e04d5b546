"""Numbers drawn from identities and cells by a secret key.

They decide in which file a person's rows wait and, under `max_rows`, which of them count. No bound
on what a person adds rests on them: it holds for any numbers whatever.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_LONGEST = 2**12  # bytes, beyond which multipliers are used again
_FEW = 2**16  # bytes that are multiplied at once


def hashed(values: pa.Array, key: str) -> Hashes:
    """Return a number for each value, which depends on that value and the key alone.

    Whole numbers get different ones. Bytes are multiplied by secret numbers, one to each place, and
    summed modulo 2⁶⁴: of two different texts of up to 4096 bytes, at most one key in 2⁵⁵ gives
    them the same.

    Examples
    --------
    >>> one, other, same = hashed(pa.array([b"a", b"b", b"a"]), "key")
    >>> one == same, one == other
    (np.True_, np.False_)
    """
    if kinds.is_boolean(values.type):
        values = values.cast(pa.uint8())
    if kinds.is_integer(values.type) or kinds.is_floating(values.type):
        found = values.to_numpy()
        bits = found.view(np.uint64) if kinds.is_floating(values.type) else found.astype(np.uint64)
        return mixed(bits * _multipliers(key)[0] + _multipliers(key)[1])
    return mixed(_of_bytes(values.cast(pa.large_binary()), key))


def mixed(numbers: Hashes) -> Hashes:
    """Return numbers whose every bit depends on all bits: different ones stay different."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(31))


@lru_cache(maxsize=4)
def _multipliers(key: str) -> Hashes:
    octets = hashlib.shake_128(key.encode()).digest(8 * _LONGEST)
    return np.frombuffer(octets, np.dtype("<u8")) | np.uint64(1)


def _of_bytes(texts: pa.Array, key: str) -> Hashes:
    _, offsets, stored = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    letters = np.frombuffer(stored or b"", np.uint8)
    found = np.empty(len(texts), dtype=np.uint64)
    start = 0
    while start < len(texts):
        stop = max(start + 1, int(np.searchsorted(ends, ends[start] + _FEW, side="right")) - 1)
        found[start:stop] = _summed(letters[ends[start] : ends[stop]], ends[start : stop + 1], key)
        start = stop
    return found


def _summed(letters: NDArray[np.uint8], ends: NDArray[np.int64], key: str) -> Hashes:
    places = np.arange(letters.size) - np.repeat(ends[:-1] - ends[0], np.diff(ends))
    # One more than each byte, so that a text and the same with zeros behind it are told apart.
    terms = (letters.astype(np.uint64) + np.uint64(1)) * _multipliers(key)[places % _LONGEST]
    so_far = np.zeros(letters.size + 1, dtype=np.uint64)
    np.cumsum(terms, out=so_far[1:])
    return np.diff(so_far[ends - ends[0]])
