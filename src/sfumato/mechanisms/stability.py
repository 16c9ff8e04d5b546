"""Categories that are not public: names shown only where enough rows share them.

The argument, and why the worst case is one of two splits, stands in `stability.md`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np

from sfumato.errors import BudgetError, DomainError, PrivateSearch, ProtectedUsers
from sfumato.exact import Exact
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.noise import add_noise, check_scale
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import MOST_MAX_ROWS

_LARGEST_THRESHOLD = 2**62
_LEAST_DELTA = Fraction(1, 10**300)

_PRECISE = Context(prec=100)
_MARGIN = 1 + Fraction(1, 10**30)
_NEGLIGIBLE = Decimal("1e-30")
_FLOOR = Decimal("1e-1000")


def threshold_categories(
    meter: Meter, exact: Exact, *, scale: float, threshold: int
) -> tuple[str, ...]:
    """Return the labels whose count, with Laplace noise, reaches `threshold`, in sorted order.

    Once released they are as public as a declared list; counting by them is a charge of its own.

    Privacy
    -------
    (ε, δ)-DP, and δ-approximate ε²/2-zCDP, with ε = ``exact.l1 / scale`` and
    δ = ``stability_delta(exact.l1, scale, threshold)``: what is charged is worked out anew from the
    threshold in use. Neither counts nor an order of the labels are released.

    Examples
    --------
    >>> wards = Exact(1, 1, 1.0, np.array([900, 800, 0]), ("B", "A", "C"))
    >>> with Meter(Cost.pure(Fraction(1), delta=Fraction(1, 10**6))) as meter:
    ...     threshold_categories(meter, wards, scale=2.0, threshold=30)
    ('A', 'B')
    """
    _check_rows(exact.l1 if exact.step == 1 else None)
    check_scale(scale)
    delta = stability_delta(exact.l1, scale, threshold)
    epsilon = Fraction(exact.l1) / Fraction(scale)
    receipt = meter.pay(Cost.laplace(epsilon, exact.l1, delta=delta))
    # Sorted before the draw: the same seed then finds the same names whatever the engine's order.
    cells = sorted(zip(exact.reveal_labels(), exact.reveal().tolist(), strict=True))
    occupied = [(label, count) for label, count in cells if count >= 1]
    counts = np.array([count for _, count in occupied], dtype=np.int64)
    found = add_noise(receipt, counts, "laplace", scale) >= threshold
    return tuple(label for (label, _), shown in zip(occupied, found, strict=True) if shown)


def stability_threshold(rows: int, scale: float, delta: Fraction) -> int:
    """Return the smallest threshold that shows a unit's own new cells with probability `delta`.

    The smallest above `rows`, to be exact; for δ up to one half no smaller one would do.

    Parameters
    ----------
    rows
        The most rows of one unit that are counted.

    Examples
    --------
    >>> stability_threshold(1, 1.0, Fraction(1, 10**6))
    15
    """
    _check_rows(rows)
    check_scale(scale)
    if not _LEAST_DELTA <= delta < 1:
        raise BudgetError(
            "Private categories need a δ above 10^-300 and below 1.",
            "It is the probability of showing a category that only one person has.",
            ("Write ", PrivateSearch(delta=1e-6), "."),
        )
    candidates = range(rows + 1, _LARGEST_THRESHOLD)
    enough = bisect_left(candidates, True, key=lambda t: stability_delta(rows, scale, t) <= delta)
    if enough == len(candidates):
        raise BudgetError(
            "So small a budget needs a threshold above 2^62 rows.",
            "No category could ever reach it.",
            "Spend more on the categories: a larger share, or a larger δ.",
        )
    return candidates[enough]


def stability_delta(rows: int, scale: float, threshold: int) -> Fraction:
    """Return the largest probability that any cell shows which one unit alone has opened.

    The largest over all ways to split up to `rows` rows among new cells; rounded up, by less than
    two parts in 10³⁰.

    Examples
    --------
    >>> round(float(stability_delta(1, 1.0, 15)), 10)
    6.079e-07
    """
    return worst_split(rows, threshold, lambda least: _upper_tail(least, scale))


def worst_split(rows: int, threshold: int, tail: Callable[[int], Decimal]) -> Fraction:
    """Return the largest chance that a new cell shows, over all ways to split a unit's rows.

    Parameters
    ----------
    tail
        P(noise >= least) for a positive `least`, or somewhat more, in the decimals of the current
        context. The law must be log-concave: the worst split is then one of the two looked at.
    """
    if threshold <= rows:
        return Fraction(1)
    with localcontext(_PRECISE):
        together, each = (max(tail(threshold - lead), _FLOOR) for lead in (rows, 1))
        apart = rows * each
        if apart > _NEGLIGIBLE:
            # Below that, the union bound is as good as equal and loses no digits.
            apart = 1 - (rows * (1 - each).ln()).exp()
        return min(Fraction(1), Fraction(max(together, apart)) * _MARGIN)


def _upper_tail(least: int, scale: float) -> Decimal:
    """Return P(noise >= least) for a positive `least`."""
    width = Decimal(scale)
    return (-least / width).exp() / (1 + (-1 / width).exp())


def _check_rows(rows: int | None) -> None:
    if rows is None or not 1 <= rows <= MOST_MAX_ROWS:
        raise DomainError(
            "Private categories need a bound on the rows of each unit.",
            "One person could add a category with every row, and no threshold would hide them all.",
            ("Write ", ProtectedUsers("user_id", 20), ", or declare the categories."),
        )
