"""Several quantiles at once, by an exponential mechanism. The argument stands in `joint.md`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BudgetError, DomainError
from sfumato.exact import Exact
from sfumato.mechanisms.chance import Chance
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.ranks.paths import DrawnPosition, TargetRanks, draw_balanced
from sfumato.mechanisms.ranks.profile import MOST_UNITS, RankProfile, read_profiles
from sfumato.privacy.budget import Cost

Score = Literal["balanced", "published"]

MOST_LEVELS = 6
"""How many quantiles are drawn together at most: the weights of more leave 64-bit floats."""

MOST_CELLS = 2**22
"""How many cells a group has at most: sums over more are not as precise as is paid for."""

LARGEST_EPSILON = 64
"""What is ever used of a larger ε: ranks are exact to a fraction of a unit long before."""

ROUNDING = Fraction(1, 2**22)
"""What the rounding of floats may add to the loss of one group."""

UNIFORM = 2**64
"""One draw in so many is uniform: what is left out of the others is hidden below it."""


def joint(
    meter: Meter,
    exact: Exact,
    *,
    levels: Sequence[Fraction],
    epsilon: Fraction,
    score: Score = "balanced",
    size: int | None = None,
) -> NDArray[np.int64]:
    """Choose the cells of several quantiles of each group.

    They are indices of shape ``(groups, levels)`` that never fall along the levels.

    Parameters
    ----------
    exact
        Counts of shape (groups, cells).
    levels
        Which quantiles, rising, between 0 and 1.
    epsilon
        What to spend, rounding included.
    score
        ``"balanced"`` compares the gaps with each other, ``"published"`` with the number of rows
        (Gillenwater et al. 2021). The former errs less; with a public `size` only the latter is
        defined.
    size
        The public number of rows, where neighbours replace one row; None where they add one.
        Rows that are counted nowhere lie in the last cell.

    Privacy
    -------
    An exponential mechanism: pure ε-DP, with ρ = ε²/8, for the unit that `exact` was counted
    under, over all groups together.

    Examples
    --------
    >>> counts = Exact(l1=1, l2_squared=1, step=1.0, _values=np.full((1, 8), 5000))
    >>> quartiles = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
    >>> with Meter(Cost.exponential(Fraction(4))) as meter:
    ...     joint(meter, counts, levels=quartiles, epsilon=Fraction(4)).shape
    (1, 3)
    """
    check(exact, levels, size)
    if len(levels) > MOST_LEVELS:
        raise DomainError(
            f"{len(levels)} quantiles are too many to choose together.",
            "Their weights would exceed the range of floats, and the guarantee would not hold.",
            "Choose them with approx.",
        )
    left = compute_usable_epsilon(epsilon, count_touched_draws(exact))
    rates = DecayRates.of(levels, left, score, replaced=size is not None)
    chance = Chance(meter.pay(Cost.exponential(epsilon)))
    return cells_of(
        [draw_positions(each, levels, rates, chance, size=size) for each in read_profiles(exact)]
    )


def check(exact: Exact, levels: Sequence[Fraction], size: int | None) -> None:
    """Refuse levels that are none, and a public size where it cannot be public.

    Privacy
    -------
    Looks at public facts alone: how many groups, cells and levels there are.
    """
    groups, cells = exact.reveal().shape
    if not (levels and all(low < high for low, high in pairwise([0, *levels, 1]))):
        raise DomainError(
            "Levels of quantiles must rise between 0 and 1.",
            "The ends of the data belong to single people and are not quantiles.",
            "Write levels like [Fraction(1, 4), Fraction(1, 2)].",
        )
    if cells > MOST_CELLS:
        raise DomainError(
            f"{cells} cells are too many for one group.",
            "Sums over them would be less precise than the guarantee allows.",
            f"Use a grid of {MOST_CELLS} cells at most.",
        )
    if size is not None and ((groups, exact.l1) != (1, 1) or not 0 <= size <= MOST_UNITS):
        raise DomainError(
            "A public size needs rows of one group, 2^36 at most.",
            "People, and rows that change their group, change sizes that are private.",
            "Leave size out, or protect rows of one group.",
        )


def count_touched_draws(exact: Exact, nodes: int = 1) -> int:
    """Return how many draws one unit can change, with so many of them in each group.

    Privacy
    -------
    Looks at public facts alone.
    """
    return min(exact.l1, len(exact.reveal()) * nodes)


def compute_usable_epsilon(epsilon: Fraction, draws: int) -> Fraction:
    """Return what is left of ε when the rounding of every draw a unit can change is paid for."""
    left = epsilon - ROUNDING * draws
    if left <= 0:
        raise BudgetError(
            "So small an ε cannot choose quantiles: rounding alone would cost as much.",
            "The answer would be noise in any case.",
            "Spend more on this chart, or ask for fewer groups.",
        )
    return min(left, Fraction(LARGEST_EPSILON))


def cells_of(places: Sequence[Sequence[DrawnPosition]]) -> NDArray[np.int64]:
    """Return the cells of all groups, in order."""
    cells = [[place.cell for place in row] for row in places]
    # No groups, where none was large enough to show, have no cells.
    found = np.array(cells or np.empty((0, 0)), dtype=np.int64)
    return np.sort(found, axis=1)


@dataclass(frozen=True)
class DecayRates:
    """How fast weights fall with the penalty: of the published law, and of the balanced one."""

    published: float
    balanced: float | None

    @classmethod
    def of(
        cls, levels: Sequence[Fraction], epsilon: Fraction, score: Score, *, replaced: bool
    ) -> DecayRates:
        """Divide ε by twice the sensitivity of the score."""
        narrowest = min(high - low for low, high in pairwise([Fraction(0), *levels, Fraction(1)]))
        sensitivity = Fraction(2) if replaced else 2 * (1 - narrowest)
        even = float(epsilon / 2) if score == "balanced" and not replaced else None
        return cls(float(epsilon / (2 * sensitivity)), even)


def draw_positions(
    profile: RankProfile,
    levels: Sequence[Fraction],
    rates: DecayRates,
    chance: Chance,
    *,
    size: int | None = None,
) -> list[DrawnPosition]:
    """Draw the places of all levels of one group, by rejection from a chain."""
    if size is not None:
        profile = profile.pad_to_size(size)
    wanted = TargetRanks(profile, levels, profile.size if size is None else size)
    if chance.below(UNIFORM) == 0:
        return wanted.anywhere(chance)
    if rates.balanced is not None:
        return draw_balanced(wanted, (rates.published, rates.balanced), chance)
    chain = wanted.chain(rates.published)
    while True:
        places, proposed = wanted.propose(chain, chance)
        if chance.draw_bernoulli_exp(
            rates.published * sum(map(abs, wanted.compute_misses(places))) - proposed
        ):
            return places
