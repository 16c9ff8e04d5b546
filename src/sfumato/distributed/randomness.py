"""Random words for those who send, and for the one who shuffles."""

from __future__ import annotations

import os
import secrets

import numpy as np
from numpy.typing import NDArray

from sfumato.mechanisms.meter import simulation

Words = NDArray[np.uint64]

_HEAP = 2**20
"""Up to how many numbers are shuffled in one go."""


def draw_words(count: int) -> Words:
    """Return uniform words of 64 bits from the operating system.

    Privacy
    -------
    Inside `sfumato.testing.seeded` they come from its generator and can be repeated; whoever asks
    for words also asks `is_private` and passes the answer on.
    """
    generator = simulation()
    raw = os.urandom(8 * count) if generator is None else generator.bytes(8 * count)
    return np.frombuffer(raw, dtype="<u8").astype(np.uint64, copy=False)


def below(limit: int) -> int:
    """Return a uniform whole number from 0 up to, and without, `limit`, which has up to 63 bits.

    Privacy
    -------
    As `draw_words`.
    """
    generator = simulation()
    return secrets.randbelow(limit) if generator is None else int(generator.integers(limit))


def is_private() -> bool:
    """Tell whether nobody can repeat what `draw_words` returns."""
    return simulation() is None


def draw_permutation(count: int) -> NDArray[np.int64]:
    """Return the numbers below `count` in an order that is exactly uniform.

    Many are first dealt into 256 heaps by uniform labels, and each heap is shuffled by itself: an
    order is as likely as any other, and small heaps sort faster (Rao 1961, Sandelius 1962).

    Examples
    --------
    >>> sorted(draw_permutation(5).tolist())
    [0, 1, 2, 3, 4]
    """
    if count <= _HEAP:
        return _sort_random_words(count)
    labels = draw_words(-(-count // 8)).view(np.uint8)[:count]
    order = np.argsort(labels, kind="stable").astype(np.int64, copy=False)
    ends = np.cumsum(np.bincount(labels, minlength=256))
    for heap in np.split(order, ends[:-1]):
        heap[:] = heap[_sort_random_words(len(heap))]
    return order


def _sort_random_words(count: int) -> NDArray[np.int64]:
    """Return the order of random words.

    Where all differ, each of their orders is equally likely; where two are alike, which happens
    with a probability below ``count² / 2⁶⁵``, all are drawn again.
    """
    while True:
        keys = draw_words(count)
        order = np.argsort(keys)
        keys = keys[order]
        if not (keys[1:] == keys[:-1]).any():
            return order.astype(np.int64, copy=False)
