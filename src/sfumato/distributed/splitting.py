"""How many shares hide a number among those of others. The argument stands in `shuffle.md`."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln  # pyright: ignore[reportUnknownVariableType]

SUMMED = 512
"""Up to how many honest participants the distance is summed term by term."""

_NEAR = 32
"""How many terms at either end of the sum are bounded one by one for more than that."""

_MARGIN = 1e-4
"""What logarithms are raised by; their rounding stays far below (`shuffle.md`)."""


@lru_cache(maxsize=256)
def distance(honest: int, modulus: int, shares: int) -> float:
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
    >>> distance(50, 2**17, 15) < 5e-12 < distance(50, 2**17, 14)
    True
    """
    parts = shares - 1
    if honest < 2 or modulus < honest or parts < 1:
        return 1.0
    logs, excess = _components(min(honest, SUMMED), modulus, parts)
    if honest > SUMMED:
        excess = _excess_beyond(logs, honest, modulus, parts)
    return min(1.0, 0.5 * math.exp(min(1.0, (excess + _MARGIN) / 2)))


def fewest_shares(honest: int, modulus: int, allowed: float) -> int:
    """Return how many shares keep `distance` within `allowed`."""
    return next(r for r in itertools.count(2) if distance(honest, modulus, r) <= allowed)


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
