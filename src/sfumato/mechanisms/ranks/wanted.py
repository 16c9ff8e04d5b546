"""`Wanted`: the ranks that quantiles should have, and places drawn near them. See `../joint.md`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from sfumato.mechanisms.chance import Chance
from sfumato.mechanisms.ranks.chain import Chain, Stop
from sfumato.mechanisms.ranks.profile import POSITIONS, Profile
from sfumato.mechanisms.ranks.stretch import Stretch


@dataclass(frozen=True)
class Place:
    """A position on the value grid, and by how many units its rank misses the target."""

    cell: int
    position: int
    error: float


@dataclass(frozen=True, eq=False)
class Wanted:
    """The quantiles asked for of one group.

    Parameters
    ----------
    size
        The steps that a rank is a share of: all of the group, or a public number.
    """

    profile: Profile
    levels: Sequence[Fraction]
    size: int

    @cached_property
    def targets(self) -> list[Fraction]:
        """The ranks wanted, in steps."""
        return [level * self.size for level in self.levels]

    @cached_property
    def shares(self) -> list[float]:
        """The share of the size that each gap should have."""
        return [float(high - low) for low, high in pairwise([0, *self.levels, 1])]

    def chain(self, rate: float, size: Fraction | None = None) -> Chain:
        """Return paths whose gaps are compared with shares of another size, in steps."""
        tilt = Fraction(0) if size is None else (size - self.size) / 2
        whole = self.size if size is None else size
        targets = [level * whole - tilt for level in self.levels]
        return Chain(self.profile, targets, rate, tilt=float(tilt / self.profile.unit))

    def propose(self, chain: Chain, chance: Chance) -> tuple[list[Place], float]:
        """Draw places along a path, and return with which exponent they were proposed."""
        stops = chain.path(chance)
        places = [place for stop in stops for place in self._places(chain, stop, chance)]
        return places, chain.exponent(stops)

    def misses(self, places: Sequence[Place]) -> list[float]:
        """Return what each gap has above its share, in units."""
        errors = [0.0, *(place.error for place in places), 0.0]
        return [high - low for low, high in pairwise(errors)]

    def anywhere(self, chance: Chance) -> list[Place]:
        """Draw places that do not depend on the data."""
        profile = self.profile
        limit = (profile.stop - profile.start) * POSITIONS
        offsets = rising(limit, len(self.levels), chance)
        return [Place(profile.start + at // POSITIONS, at % POSITIONS, 0.0) for at in offsets]

    def _places(self, chain: Chain, stop: Stop, chance: Chance) -> list[Place]:
        """Draw a place for each level of a run, in order, from all that its state stands for."""
        states, targets = chain.levels[stop.last].stretch, self.targets[stop.first : stop.last + 1]
        offsets = rising(states.positions(stop.state), len(targets), chance)
        pairs = zip(offsets, targets, strict=True)
        return [self._place(states, stop.state, offset, target) for offset, target in pairs]

    def _place(self, states: Stretch, state: int, offset: int, target: Fraction) -> Place:
        index, sliced = divmod(int(states.piece[state]), 2)
        low = int(states.low[state])
        if sliced:
            cell, position = int(self.profile.where[index]), low + offset
            rank = self.profile.rank(index, position)
        else:
            cell, position = low + offset // POSITIONS, offset % POSITIONS
            rank = Fraction(self.profile.before(index))
        return Place(cell, position, float((rank - target) / self.profile.unit))


def rising(limit: int, number: int, chance: Chance) -> list[int]:
    """Draw one of all rising sequences of numbers below `limit`, repeats allowed, uniformly.

    Taking 0, 1, 2 … from the members of a set of distinct numbers, in order, gives each sequence
    exactly once.
    """
    while True:
        drawn = sorted(chance.below(limit + number - 1) for _ in range(number))
        if all(low < high for low, high in pairwise(drawn)):
            return [value - index for index, value in enumerate(drawn)]
