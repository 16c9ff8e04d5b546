"""Many quantiles, one after the other. The argument stands in `approx.md`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.exact import Exact
from sfumato.mechanisms.chance import Chance
from sfumato.mechanisms.joint import (
    DecayRates,
    cells_of,
    check,
    compute_usable_epsilon,
    count_touched_draws,
    draw_positions,
)
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.ranks.paths import DrawnPosition
from sfumato.mechanisms.ranks.profile import RankProfile, read_profiles
from sfumato.privacy.budget import Cost


def approx(
    meter: Meter,
    exact: Exact,
    *,
    levels: Sequence[Fraction],
    epsilon: Fraction,
    size: int | None = None,
) -> NDArray[np.int64]:
    """Choose the middle quantile, then those to its left from what lies left, and so on.

    Parameters
    ----------
    exact
        Counts of shape (groups, cells).
    levels
        Which quantiles, rising, between 0 and 1 (Kaplan et al. 2022).
    epsilon
        What to spend, rounding included; every depth of the tree takes an equal part.
    size
        The public number of rows, where neighbours replace one row; None where they add one.

    Privacy
    -------
    Pure ε-DP for the unit that `exact` was counted under, over all groups together. A row lies
    in one node at each depth; one row replaced by another touches two.

    Examples
    --------
    >>> counts = Exact(l1=1, l2_squared=1, step=1.0, _values=np.full((1, 8), 5000))
    >>> tenths = [Fraction(tenth, 10) for tenth in range(1, 10)]
    >>> with Meter(Cost.pure(Fraction(4))) as meter:
    ...     approx(meter, counts, levels=tenths, epsilon=Fraction(4)).shape
    (1, 9)
    """
    check(exact, levels, size)
    depth, pair = len(levels).bit_length(), 1 if size is None else 2
    part = epsilon / (depth * pair)
    left = compute_usable_epsilon(part, count_touched_draws(exact, nodes=2 ** (depth - 1)))
    # Two changes of one node are twice as far apart as one.
    choices = (Cost.exponential(part * pair) for _ in range(depth))
    chance = Chance(meter.pay(sum(choices, Cost.nothing())))
    return cells_of(
        [_choose_recursively(profile, levels, left, chance) for profile in read_profiles(exact)]
    )


def single(
    meter: Meter,
    exact: Exact,
    *,
    levels: Sequence[Fraction],
    epsilon: Fraction,
    size: int | None = None,
) -> NDArray[np.int64]:
    """Choose each quantile for itself, with an equal part of ε (Smith 2011).

    Privacy
    -------
    As many exponential mechanisms as there are levels, over all groups together: pure ε-DP for
    the unit that `exact` was counted under.
    """
    check(exact, levels, size)
    part = epsilon / len(levels)
    left = compute_usable_epsilon(part, count_touched_draws(exact))
    rates = [
        DecayRates.of([level], left, "published", replaced=size is not None) for level in levels
    ]
    choices = (Cost.exponential(part) for _ in levels)
    chance = Chance(meter.pay(sum(choices, Cost.nothing())))
    places = [
        [
            draw_positions(profile, [level], rate, chance, size=size)[0]
            for level, rate in zip(levels, rates, strict=True)
        ]
        for profile in read_profiles(exact)
    ]
    return cells_of(places)


def _choose_recursively(
    profile: RankProfile, levels: Sequence[Fraction], part: Fraction, chance: Chance
) -> list[DrawnPosition]:
    if not levels:
        return []
    middle = len(levels) // 2
    level = levels[middle]
    rates = DecayRates.of([level], part, "published", replaced=False)
    (place,) = draw_positions(profile, [level], rates, chance)
    left, right = profile.cut(place.cell, place.position)
    lower = [below / level for below in levels[:middle]]
    upper = [(above - level) / (1 - level) for above in levels[middle + 1 :]]
    return [
        *_choose_recursively(left, lower, part, chance),
        place,
        *_choose_recursively(right, upper, part, chance),
    ]
