"""The balanced law: how far gaps are from shares of any one size. See `../joint.md`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sfumato.mechanisms.chance import Chance, pair_sums
from sfumato.mechanisms.ranks.wanted import Place, Wanted

PATIENCE = 256
"""How many paths of the published law are tried before sizes are drawn as well.

So many take about as long as one draw of the other kind. Mostly one path in 3 to 30 is accepted.
"""

PITCH = 4.0
"""How far two sizes lie apart, in 1 / rate."""


def farthest(levels: int) -> int:
    """Return how many sizes are tried on either side of the true one: `../joint.md`."""
    return 17 + 12 * levels


def imbalance(misses: Sequence[float], shares: Sequence[float]) -> tuple[float, float]:
    """Return the least total miss of gaps from shares of one size, and a size that has it.

    `misses` are what each gap has above its share of the true size, and sizes are counted from
    there. The sum of misses is convex and piecewise linear in the size, so it is least where some
    gap has exactly its share.
    """
    pairs = list(zip(misses, shares, strict=True))
    sizes = [miss / share for miss, share in pairs]
    return min((sum(abs(miss - share * size) for miss, share in pairs), size) for size in sizes)


def balanced(wanted: Wanted, rates: tuple[float, float], chance: Chance) -> list[Place]:
    """Draw places by the balanced law.

    Parameters
    ----------
    rates
        That of the published law, whose paths are tried first, and that of the balanced one.
    """
    chain = wanted.chain(rates[0])
    for _ in range(PATIENCE):
        places, proposed = wanted.propose(chain, chance)
        penalty, _ = imbalance(wanted.misses(places), wanted.shares)
        if chance.survives(rates[1] * penalty - proposed):
            return places
    return sized(wanted, rates[1], chance)


def sized(wanted: Wanted, rate: float, chance: Chance) -> list[Place]:
    """Draw places by the balanced law together with a size that their gaps are shares of.

    This takes as long for every table, where the published law might be rejected for ever.
    """
    pitch = Fraction(PITCH / rate) * wanted.profile.unit
    own, far = wanted.size // pitch, farthest(len(wanted.levels))
    numbers = range(max(0, own - far), own + far + 1)
    sizes = [(number + Fraction(1, 2)) * pitch for number in numbers]
    sums = pair_sums(np.array([wanted.chain(rate, size).weight for size in sizes]))
    while True:
        index = chance.pick(sums)
        places, proposed = wanted.propose(wanted.chain(rate, sizes[index]), chance)
        penalty, size = imbalance(wanted.misses(places), wanted.shares)
        nearest = max(0, (wanted.size + Fraction(size) * wanted.profile.unit) // pitch)
        # Only the size nearest to the best one may propose a path, so none is proposed twice.
        if nearest == numbers[index] and chance.survives(rate * penalty - proposed + PITCH / 2):
            return places
