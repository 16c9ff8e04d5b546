"""Indices picked by coins: the exact probability of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from sfumato.mechanisms.chance import Chance, Floats, pair_sums


class Guide(Chance):
    """Takes the turns it was told, and keeps the exact probability of doing so."""

    turns: list[bool]
    chance: Fraction

    def __init__(self, turns: list[bool]) -> None:
        self.turns, self.chance = turns, Fraction(1)

    def odds(self, yes: float, no: float) -> bool:
        """Throw no coin."""
        right = self.turns.pop()
        taken = Fraction(yes if right else no) / (Fraction(yes) + Fraction(no))
        self.chance *= taken
        return right


def chance_of(sums: Sequence[Floats], index: int) -> Fraction:
    """The exact probability that an index is picked."""
    # At the end of an odd floor there is no partner, and no coin is thrown.
    turns = [
        index >> floor & 1 == 1
        for floor, level in enumerate(sums[:-1])
        if (index >> floor | 1) < level.size
    ]
    guide = Guide(turns)
    assert guide.pick(sums) == index
    return guide.chance


def largest_error(
    weights: Sequence[float], whole: Fraction, chance: Callable[[int], Fraction]
) -> Fraction:
    """The largest relative error of a probability."""
    pairs = [(Fraction(w) / whole, chance(k)) for k, w in enumerate(weights) if w]
    return max(abs(found - wanted) / wanted for wanted, found in pairs)


def largest_loss(*, cumulative: bool = False) -> float:
    """The largest log ratio between what is wanted and what is drawn, over lists of weights.

    Or that of a twin, which looks a number up among running sums.
    """
    errors: list[Fraction] = []
    for weights in product((1e-300, 0.1, 1.0, 3.0), repeat=5):
        sums, whole = pair_sums(np.array(weights)), sum(map(Fraction, weights), Fraction(0))
        steps = np.diff([0.0, *np.cumsum(weights)]).tolist()

        def chance(
            index: int,
            steps: list[float] = steps,
            whole: Fraction = whole,
            sums: Sequence[Floats] = sums,
        ) -> Fraction:
            return Fraction(steps[index]) / whole if cumulative else chance_of(sums, index)

        errors.append(largest_error(weights, whole, chance))
    worst = max(errors)
    return math.inf if worst >= 1 else -math.log1p(-float(worst))
