"""Each participant's part of the noise: Pólya numbers that add up to a geometric one.

The argument stands in `shuffle.md`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln  # pyright: ignore[reportUnknownVariableType]

from sfumato.distributed.randomness import Words, draw_words

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
        object.__setattr__(
            self, "_ends", _tabulate_distribution(self.among, self.rate, self.error + 1)
        )

    def draw(self, count: int) -> NDArray[np.int64]:
        """Draw independent numbers."""
        first = draw_words(count)
        drawn = np.searchsorted(self._heads, first, side="right")
        # Where no end lies at or below a word, this compares it with the last, which lies above.
        undecided = np.flatnonzero(self._heads[drawn - 1] == first)
        for place in map(int, undecided):
            drawn[place] = self._resolve_draw(int(first[place]))
        return drawn.astype(np.int64)

    @cached_property
    def _heads(self) -> Words:
        return np.array([end >> (_BITS - 64) for end in self._ends], dtype=np.uint64)

    def _resolve_draw(self, head: int) -> int:
        """Return the number of a draw whose first 64 bits do not decide it."""
        whole = head
        for word in draw_words(_BITS // 64 - 1):
            whole = whole << 64 | int(word)
        low, high = 0, len(self._ends)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._ends[middle] <= whole else (low, middle)
        return low


@lru_cache(maxsize=64)
def get_noise_part(among: int, rate: Fraction, error: int) -> NoisePart:
    """Return a `NoisePart`, made once for all who draw from it.

    Examples
    --------
    >>> part = get_noise_part(50, Fraction(1, 100), 60)
    >>> bool(part.draw(1000).min() >= 0)
    True
    """
    return NoisePart(among, rate, error)


def table_size(rate: Fraction, error: int) -> Fraction:
    """Return about how many entries the table of a `NoisePart` has, without making it."""
    return (error + 1) * Fraction(7, 10) / rate


def _tabulate_distribution(among: int, rate: Fraction, error: int) -> list[int]:
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


SUMMED = 512
"""Up to how many honest participants the distance is summed term by term."""

_NEAR = 32
"""How many terms at either end of the sum are bounded one by one for more than that."""

_MARGIN = 1e-4
"""What logarithms are raised by; their rounding stays far below (`shuffle.md`)."""


@lru_cache(maxsize=256)
def bound_distance(honest: int, modulus: int, shares: int) -> float:
    """Return how far the shuffled shares of one sum can be from shares that know the sum alone.

    It is an upper bound on the statistical distance, for any numbers that the `honest` share.

    Parameters
    ----------
    honest
        How many share a number in this way.
    modulus
        What shares are reduced by; at least `honest`.
    shares
        How many shares each number is split into.

    Examples
    --------
    >>> bound_distance(50, 2**17, 15) < 5e-12 < bound_distance(50, 2**17, 14)
    True
    """
    parts = shares - 1
    if honest < 2 or modulus < honest or parts < 1:
        return 1.0
    logs, excess = _components(min(honest, SUMMED), modulus, parts)
    if honest > SUMMED:
        excess = _excess_beyond(logs, honest, modulus, parts)
    return min(1.0, 0.5 * math.exp(min(1.0, (excess + _MARGIN) / 2)))


def find_fewest_shares(honest: int, modulus: int, allowed: float) -> int:
    """Return how many shares keep `bound_distance` within `allowed`."""
    return next(r for r in itertools.count(2) if bound_distance(honest, modulus, r) <= allowed)


def _components(honest: int, modulus: int, parts: int) -> tuple[NDArray[np.float64], float]:
    """Return the logarithms of E[q^c] for 1 up to `honest` vertices, and of E[q^(c-1)] - 1."""
    factorial = _log_factorial(np.arange(honest * parts + 1))
    # C(n, j) / C(nk, jk) is a quotient of j! / (jk)! at n, j and n - j.
    weight = factorial[: honest + 1] - factorial[::parts]
    logs = np.full(honest + 1, math.log(modulus))
    rest = -math.inf
    for size in range(2, honest + 1):
        first = np.arange(1, size)
        other = size - first
        factor = np.log((modulus * first - other) / size)
        closed = weight[size] - weight[first] - weight[other]
        rest = float(np.logaddexp.reduce(factor + closed + logs[other]))
        logs[size] = np.logaddexp(math.log(modulus), rest)
    return logs[1:], rest - math.log(modulus)


def _excess_beyond(logs: NDArray[np.float64], honest: int, modulus: int, parts: int) -> float:
    """Return an upper bound on the logarithm of E[q^(c-1)] - 1 for many vertices, by induction."""
    near = np.arange(1, _NEAR + 1)
    largest = max(float(logs.max()), math.log(2 * modulus))
    latest = max(float(logs[-_NEAR:].max()), math.log(2 * modulus))

    def bound(size: int) -> float:
        weights = np.logaddexp(logs[near - 1], latest + np.log(near / size))
        terms = weights + _log_closed(size, near, parts)
        others = largest + math.log(size) + _log_closed(size, near[-1:] + 1, parts)
        return float(np.logaddexp.reduce(np.concatenate([terms, others])))

    return bound(honest) if parts >= 2 and bound(len(logs) + 1) <= 0 else math.inf


def _log_closed(size: int, first: NDArray[np.int64], parts: int) -> NDArray[np.float64]:
    """Return the logarithms of C(n, j) / C(nk, jk): no arrow leaves j of the vertices."""
    return _log_choices(size, first) - _log_choices(size * parts, first * parts)


def _log_choices(size: int, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    whole, other = np.full_like(chosen, size), size - chosen
    return _log_factorial(whole) - _log_factorial(chosen) - _log_factorial(other)


def _log_factorial(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    # scipy's annotations are partial.
    return np.asarray(gammaln(numbers + 1.0))  # pyright: ignore
