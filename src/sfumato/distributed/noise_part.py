"""Each participant's part of the noise: Pólya numbers that add up to a geometric one.

The argument stands in `shuffle.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.distributed.randomness import Words, words

_BITS = 256
_CONTEXT = Context(prec=110, rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True, eq=False)
class NoisePart:
    """Numbers that `among` participants draw alone, and whose sum is geometric.

    The sum of that many has ``P(X = x) = (1 - p) p^x`` with p = e^-rate; the difference of two such
    sums is discrete Laplace noise of scale 1 / rate.

    Parameters
    ----------
    among
        How many participants draw the noise together.
    rate
        The decay of the sum, per step.
    error
        How far the law of a draw may lie from the true one, in bits: 2^-error.
    """

    among: int
    rate: Fraction
    error: int
    _ends: list[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ends", _cumulated(self.among, self.rate, self.error + 1))

    def draw(self, count: int) -> NDArray[np.int64]:
        """Draw independent numbers."""
        first = words(count)
        drawn = np.searchsorted(self._heads, first, side="right")
        # Where no end lies at or below a word, this compares it with the last, which lies above.
        undecided = np.flatnonzero(self._heads[drawn - 1] == first)
        for place in map(int, undecided):
            drawn[place] = self._closer(int(first[place]))
        return drawn.astype(np.int64)

    @cached_property
    def _heads(self) -> Words:
        return np.array([end >> (_BITS - 64) for end in self._ends], dtype=np.uint64)

    def _closer(self, head: int) -> int:
        """Return the number of a draw whose first 64 bits do not decide it."""
        whole = head
        for word in words(_BITS // 64 - 1):
            whole = whole << 64 | int(word)
        low, high = 0, len(self._ends)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._ends[middle] <= whole else (low, middle)
        return low


@lru_cache(maxsize=64)
def noise_part(among: int, rate: Fraction, error: int) -> NoisePart:
    """Return a `NoisePart`, made once for all who draw from it.

    Examples
    --------
    >>> part = noise_part(50, Fraction(1, 100), 60)
    >>> bool(part.draw(1000).min() >= 0)
    True
    """
    return NoisePart(among, rate, error)


def table_size(rate: Fraction, error: int) -> Fraction:
    """Return about how many entries the table of a `NoisePart` has, without making it."""
    return (error + 1) * Fraction(7, 10) / rate


def _cumulated(among: int, rate: Fraction, error: int) -> list[int]:
    """Return P(X <= x) for x = 0, 1, ... in steps of 2^-256, until at most 2^-error is left.

    A term follows from the one before: P(x + 1) = P(x) p (x + 1/among) / (x + 1).
    """
    one, least = 1 << _BITS, 1 << (_BITS - error)
    stay = _CONTEXT.exp(-_decimal(rate))
    decay = int(_CONTEXT.multiply(stay, Decimal(one)))
    none = _CONTEXT.divide(_CONTEXT.ln(_CONTEXT.subtract(Decimal(1), stay)), Decimal(among))
    term = int(_CONTEXT.multiply(_CONTEXT.exp(none), Decimal(one)))
    ends, total, number = [term], term, 0
    while one - total > least:
        term = (term * decay >> _BITS) * (number * among + 1) // (among * (number + 1))
        total += term
        number += 1
        ends.append(total)
    return ends


def _decimal(amount: Fraction) -> Decimal:
    return _CONTEXT.divide(Decimal(amount.numerator), Decimal(amount.denominator))
