"""Counts shown only where enough rows share a cell, with Gaussian noise.

The argument, and how the tails are bounded, stands in `sparse.md`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BudgetError, DomainError, ProtectedUsers, Setting, Spending
from sfumato.exact import Exact
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.noise import add_noise, check_scale
from sfumato.mechanisms.stability import worst_split
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import MOST_MAX_ROWS

_LEAST_DELTA = Fraction(1, 10**300)
# Noise exceeds 64 scales with a chance below 10^-800: less than the least δ, for each of 2^20 rows.
_FARTHEST = 64
# Blocks of a 32nd of the scale keep a tail's bound within 1 part in 2000; 192 of them reach six
# scales further.
_FINENESS = 32
_BLOCKS = 192
_ROOT_OF_TWO_PI = Decimal("2.50662827463100050241576528481104525300")


def threshold_counts(
    meter: Meter, exact: Exact, *, scale: float, threshold: int
) -> NDArray[np.int64]:
    """Return the noisy counts that reach `threshold`, and 0 for every other cell.

    Cells without rows are never shown; the others get discrete Gaussian noise of scale σ first.

    Parameters
    ----------
    exact
        Counts of rows in public cells, those of all groups together.

    Privacy
    -------
    δ-approximate ρ-zCDP with ρ = ``exact.l2_squared / (2 scale²)`` and
    δ = ``sparse_delta(exact.l1, scale, threshold)``, over all cells and groups together: what is
    charged is worked out anew from the threshold in use.

    Examples
    --------
    >>> counts = Exact(1, 1, 1.0, np.array([[900, 0], [1, 800]]))
    >>> with Meter(Cost(None, Fraction(1), Fraction(1, 10**6))) as meter:
    ...     noisy = threshold_counts(meter, counts, scale=2.0, threshold=30)
    >>> noisy > 0
    array([[ True, False],
           [False,  True]])
    """
    _check_rows(exact.l1 if exact.step == 1 else None)
    check_scale(scale)
    delta = sparse_delta(exact.l1, scale, threshold)
    rho = Fraction(exact.l2_squared) / (2 * Fraction(scale) ** 2)
    receipt = meter.pay(Cost(None, rho, delta))
    counts = exact.reveal()
    # Cells without rows are drawn for too, so that the time taken does not tell how many there are.
    noisy = add_noise(receipt, counts, "gaussian", scale)
    return np.where((counts >= 1) & (noisy >= threshold), noisy, 0)


def sparse_threshold(rows: int, scale: float, delta: Fraction) -> int:
    """Return the smallest threshold whose `sparse_delta` is at most `delta`.

    Parameters
    ----------
    rows
        The most rows of one unit that are counted, over all groups.

    Examples
    --------
    >>> sparse_threshold(1, 5.0, Fraction(1, 10**6))
    26
    """
    _check_rows(rows)
    check_scale(scale)
    if not _LEAST_DELTA <= delta < 1:
        raise BudgetError(
            "A sparse histogram needs a δ above 10^-300 and below 1 for its threshold.",
            "It is the probability of showing a cell that holds only one person.",
            ("Write ", Spending(1, 1e-6), "."),
        )
    candidates = range(rows + 1, rows + 2 + math.ceil(_FARTHEST * scale))
    enough = bisect_left(candidates, True, key=lambda t: sparse_delta(rows, scale, t) <= delta)
    return candidates[enough]


def sparse_delta(rows: int, scale: float, threshold: int) -> Fraction:
    """Return the largest probability that any cell shows which one unit alone has opened.

    The largest over all ways to split up to `rows` rows among new cells of any groups; rounded up,
    by less than one part in 1000.

    Examples
    --------
    >>> round(float(sparse_delta(1, 5.0, 26)), 10)
    4.597e-07
    """
    return worst_split(rows, threshold, lambda least: _tail_bound(least, scale))


def _tail_bound(least: int, scale: float) -> Decimal:
    """Return at least P(noise >= least), for a positive `least`.

    Terms fall ever faster, so a block is at most the geometric series of its first two terms.
    """
    variance = Decimal(scale) ** 2
    length = max(1, math.ceil(scale / _FINENESS))
    step = (-length / variance).exp()
    ratio = (-(2 * least + 1) / (2 * variance)).exp()
    power, power_step = ratio**length, step**length
    leap = (-length * (2 * least + length) / (2 * variance)).exp()
    first = (-(least**2) / (2 * variance)).exp()
    total = Decimal(0)
    for _ in range(_BLOCKS):
        total += first * (1 - power) / (1 - ratio)
        first, leap = first * leap, leap * power_step
        ratio, power = ratio * step, power * power_step
    return (total + first / (1 - ratio)) / _least_mass(variance)


def _least_mass(variance: Decimal) -> Decimal:
    """Return at most the sum of exp(-z²/2σ²) over all integers z."""
    few = sum(((-(z**2) / (2 * variance)).exp() for z in range(-9, 10)), Decimal(0))
    return max(few, _ROOT_OF_TWO_PI * variance.sqrt())


def _check_rows(rows: int | None) -> None:
    if rows is None or not 1 <= rows <= MOST_MAX_ROWS:
        raise DomainError(
            "A sparse histogram needs a bound on the rows of each unit.",
            "One person could fill a cell with every row, and no threshold would hide them all.",
            ("Write ", ProtectedUsers("user_id", 20), ", or use ", Setting("method", "haar"), "."),
        )
