"""Exact coin flips from the operating system's randomness. The argument stands in `chance.md`."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.mechanisms.meter import Receipt

Floats = NDArray[np.float64]


class Chance:
    """A source of uniform whole numbers, and what can be decided with them.

    Parameters
    ----------
    receipt
        What was paid for all that is decided. It tells whether nobody can repeat the draws.
    """

    def __init__(self, receipt: Receipt) -> None:
        self._receipt = receipt

    def below(self, limit: int) -> int:
        """Return a uniform whole number from 0 up to, and without, `limit`."""
        generator = self._receipt.generator
        if generator is None:
            return secrets.randbelow(limit)
        if limit < 2**63:
            return int(generator.integers(limit))
        # Some bits too many, so that a simulation cannot see what the remainder favours.
        size = limit.bit_length() // 8 + 9
        return int.from_bytes(generator.bytes(size), "little") % limit

    def odds(self, yes: float, no: float) -> bool:
        """Return True with probability ``yes / (yes + no)``, exactly.

        Floats are fractions, so the two shares are whole numbers over one denominator.
        """
        top, bottom = yes.as_integer_ratio()
        other_top, other_bottom = no.as_integer_ratio()
        share, rest = top * other_bottom, other_top * bottom
        return self.below(share + rest) < share

    def draw_bernoulli_exp(self, exponent: float) -> bool:
        """Return True with probability ``exp(-exponent)``, exactly; below 0 counts as 0.

        Whole units survive one by one, and what is left by von Neumann's alternating series
        (Canonne, Kamath and Steinke 2020, Algorithm 1).
        """
        top, bottom = max(0.0, exponent).as_integer_ratio()
        whole, rest = divmod(top, bottom)
        return all(self._series(1, 1) for _ in range(whole)) and self._series(rest, bottom)

    def _series(self, top: int, bottom: int) -> bool:
        length = 1
        while self.below(bottom * length) < top:
            length += 1
        return length % 2 == 1

    def draw_geometric(self, exponent: Fraction) -> int:
        """Return a whole number k from 0 on with probability proportional to ``exp(-exponent k)``.

        Units of the exponent, and what is left of one, are drawn apart (Canonne, Kamath and Steinke
        2020, Algorithm 2). It is above 0.
        """
        top, bottom = exponent.numerator, exponent.denominator
        rest = self.below(bottom)
        while not self._series(rest, bottom):
            rest = self.below(bottom)
        whole = 0
        while self._series(1, 1):
            whole += 1
        return (rest + bottom * whole) // top

    def pick(self, sums: Sequence[Floats]) -> int:
        """Return an index with probability proportional to its weight.

        `sums` are the `pair_sums` of the weights. One coin at each of them leads down to a weight.
        """
        index = 0
        for level in reversed(sums[:-1]):
            index *= 2
            if index + 1 < level.size and self.odds(float(level[index + 1]), float(level[index])):
                index += 1
        return index


def pair_sums(weights: Floats) -> list[Floats]:
    """Return weights, sums of pairs of them, of pairs of pairs, and so on up to the sum of all.

    Only positive numbers are added and none is subtracted, so every weight keeps its probability
    to a few units in the last place, however small it is.
    """
    sums = [weights]
    while sums[-1].size > 1:
        level = sums[-1]
        even = np.append(level, 0.0) if level.size % 2 else level
        sums.append(even[0::2] + even[1::2])
    return sums
