"""Walks over a public ladder that stop where enough weight lies behind: `threshold.md`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DomainError
from sfumato.exact import Exact
from sfumato.mechanisms.laplace import laplace_scale
from sfumato.mechanisms.meter import Meter, Receipt
from sfumato.mechanisms.noise import add_noise
from sfumato.mechanisms.ranks.profile import HALF, split_halves
from sfumato.privacy.budget import Cost

Ladder = NDArray[np.int64]

# A call of OpenDP costs as much time as 70 draws, and a walk may need thousands or a few.
_BLOCK = 512
_LARGEST = np.iinfo(np.int64).max


def threshold(
    meter: Meter,
    exact: Exact,
    *,
    ladder: Ladder,
    level: Fraction,
    epsilon: Fraction,
    allowance: int = 0,
    upward: bool = True,
    size: int | None = None,
) -> NDArray[np.int64]:
    """Return for each group the first rung that seems to leave enough weight behind.

    The cells of a rung and of those passed before it are behind. Enough is `level` times the
    weight of the group, less `allowance`. Where no rung has enough, the last one is the answer.

    Parameters
    ----------
    exact
        Weights of cells along the last axis; whatever comes before it are groups.
    ladder
        Rising indices of cells. The walk begins with the first of them, or with the last if not
        `upward`.
    level
        The share to leave behind, from 0 to 1; downward that is one minus the quantile.
    allowance
        In steps of `exact`; below 0 it asks for more than the share. With a level of 0 that is
        all that is asked for, and with a level of 1 it is what may lie ahead: neither depends on
        the size of the group.
    size
        The public number of rows of the only group, where neighbours replace one row. Without it
        they add or remove one unit, and the weight of a group is private.

    Privacy
    -------
    Pure ε-DP, for all groups together, with ε = ``(1 + level) * exact.l1`` over the scale of the
    noise in steps; with `size` under replace-one, with ε = 2 over that scale.

    Examples
    --------
    >>> ages = Exact(l1=1, l2_squared=1, step=1.0, _values=np.array([[0, 500, 400, 300, 0]]))
    >>> half, epsilon = Fraction(1, 2), Fraction(1)
    >>> with Meter(Cost.pure(epsilon)) as meter:
    ...     threshold(meter, ages, ladder=np.arange(5), level=half, epsilon=epsilon)
    array([[2]])
    """
    _check(exact, ladder, level, size)
    scale = threshold_scale(exact.l1, level, epsilon, replace=size is not None)
    reach = Fraction(_reach(exact.l1, level, size is not None))
    receipt = meter.pay(Cost.pure(reach / Fraction(scale)))
    share, parts = level.as_integer_ratio()
    wholes = _reveal_totals(exact) if size is None else [size]
    stops = np.empty(len(wholes), dtype=np.int64)
    for group, (behind, whole) in enumerate(
        zip(_sum_behind_rungs(exact, ladder, upward), wholes, strict=True)
    ):
        wanted = share * whole - parts * allowance
        gains = [parts * weight - wanted for weight in behind[:-1]]
        stops[group] = _find_first_above(receipt, gains, scale)
    order = ladder if upward else ladder[::-1]
    return order[stops][:, np.newaxis]


def extremes(
    meter: Meter, exact: Exact, *, ladder: Ladder, least: int, epsilon: Fraction
) -> NDArray[np.int64]:
    """Return for each group the rungs beyond which, on either side, little weight lies.

    The first walk goes down and stops where `least` seems to lie at or above a rung; the second
    goes up to there, and stops where as much seems to lie at or below. A walk that finds nothing
    ends at its last rung: the lowest, and the one where the first had stopped.

    Parameters
    ----------
    exact
        Weights of cells along the last axis; whatever comes before it are groups.
    ladder
        Rising indices of cells.
    least
        In steps of `exact`.

    Privacy
    -------
    Pure ε-DP under add/remove, for both walks and all groups together, with ε = ``exact.l1`` over
    the scale of the noise: no one lies on both sides, so the walks cost no more than one.

    Examples
    --------
    >>> ages = Exact(l1=1, l2_squared=1, step=1.0, _values=np.array([[0, 500, 400, 300, 0]]))
    >>> with Meter(Cost.pure(Fraction(1))) as meter:
    ...     extremes(meter, ages, ladder=np.arange(5), least=60, epsilon=Fraction(1))
    array([[1, 3]])
    """
    _check(exact, ladder, Fraction(0))
    scale = threshold_scale(exact.l1, Fraction(0), epsilon)
    receipt = meter.pay(Cost.pure(Fraction(exact.l1) / Fraction(scale)))
    falling, rising = (
        _sum_behind_rungs(exact, ladder, upward=False),
        _sum_behind_rungs(exact, ladder, upward=True),
    )
    ends = np.empty((len(rising), 2), dtype=np.int64)
    for group, (above, below) in enumerate(zip(falling, rising, strict=True)):
        passed = _find_first_above(receipt, [weight - least for weight in above[:-1]], scale)
        upper = len(ladder) - 1 - passed
        ends[group] = (
            _find_first_above(receipt, [weight - least for weight in below[:upper]], scale),
            upper,
        )
    return ladder[ends]


def threshold_scale(
    weight: int, level: Fraction, epsilon: Fraction, *, replace: bool = False
) -> float:
    """Return the smallest scale of noise with which a walk costs at most `epsilon`.

    In steps of the weights over the denominator of `level`, where all comparisons are exact.

    Examples
    --------
    >>> threshold_scale(1, Fraction(3, 4), Fraction(1, 2))
    14.0
    """
    return laplace_scale(_reach(weight, level, replace), epsilon)


def _reach(weight: int, level: Fraction, replace: bool) -> int:
    """Return how far the two noises of a walk may have to shift, together, to hide one unit."""
    share, parts = level.as_integer_ratio()
    return weight * (2 * parts if replace else parts + share)


def _reveal_weights(exact: Exact) -> NDArray[np.int64]:
    weights = exact.reveal()
    return weights.reshape(-1, weights.shape[-1])


def _reveal_totals(exact: Exact) -> list[int]:
    """Return the weight of each group."""
    return [
        whole for (whole,) in _running_sums(_reveal_weights(exact), np.zeros(1, dtype=np.int64))
    ]


def _sum_behind_rungs(exact: Exact, ladder: Ladder, upward: bool) -> list[list[int]]:
    """Return for each group the weight behind each rung, in the order of the walk."""
    weights = _reveal_weights(exact)
    if not upward:
        weights, ladder = weights[:, ::-1], weights.shape[1] - 1 - ladder[::-1]
    starts = np.concatenate([[0], ladder[:-1] + 1])
    return _running_sums(weights[:, : ladder[-1] + 1], starts)


def _running_sums(weights: NDArray[np.int64], starts: Ladder) -> list[list[int]]:
    """Return for each group the weight of all cells up to the next start, and so on to the last.

    Cells are added in halves of 31 bits, which never leave 64, and halves as Python's integers.
    """
    high, low = (
        np.add.reduceat(half, starts, axis=1).cumsum(axis=1).tolist()
        for half in split_halves(weights)
    )
    return [
        [(upper << HALF) + lower for upper, lower in zip(*pair, strict=True)]
        for pair in zip(high, low, strict=True)
    ]


def _find_first_above(receipt: Receipt, gains: list[int], scale: float) -> int:
    """Return the first place whose gain, with noise, reaches a noisy bar; else their number.

    Python's integers have no end at which they could wrap.
    """
    (bar,) = _draw_geometric(receipt, scale, 1)
    for start in range(0, len(gains), _BLOCK):
        block = gains[start : start + _BLOCK]
        draws = _draw_geometric(receipt, scale, len(block))
        for place, (gain, draw) in enumerate(zip(block, draws, strict=True), start):
            if gain + draw >= bar:
                return place
    return len(gains)


def _draw_geometric(receipt: Receipt, scale: float, size: int) -> list[int]:
    """Draw P(V = v) ∝ exp(−v/scale) on v = 0, 1, 2, …."""
    noisy = add_noise(receipt, np.zeros(size, dtype=np.int64), "laplace", scale)
    folded = noisy ^ (noisy >> 63)  # −1 − z in place of a negative z
    draws: list[int] = folded.tolist()
    for place in np.flatnonzero(folded == _LARGEST).tolist():
        # At the end of 64 bits a draw stands for all that are larger; the law has no memory.
        (more,) = _draw_geometric(receipt, scale, 1)
        draws[place] += more
    return draws


def _check(exact: Exact, ladder: Ladder, level: Fraction, size: int | None = None) -> None:
    groups, cells = _reveal_weights(exact).shape
    rising = ladder.size > 0 and bool((np.diff(ladder) > 0).all())
    if not (rising and ladder[0] >= 0 and ladder[-1] < cells):
        raise DomainError(
            "A ladder is made of rising indices of cells.",
            "Rungs that come twice or lie outside the grid would be paid for and never stopped at.",
            "Use sfumato.charts.values.",
        )
    if not 0 <= level <= 1:
        raise DomainError(
            f"A level of {float(level):g} is no share.",
            "A walk stops where that part of all lies behind it, which is public.",
            "Use a level from 0 to 1.",
        )
    if size is not None and (groups, exact.l1, exact.step) != (1, 1, 1.0):
        raise DomainError(
            "A public size needs rows of one group.",
            "People, and rows that change their group, change sizes that are private.",
            "Leave size out, or protect rows of one group.",
        )
