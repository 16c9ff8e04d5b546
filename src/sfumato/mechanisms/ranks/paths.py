"""Random paths through the target ranks, summed in linear time. See `../joint.md`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from sfumato.mechanisms.chance import Chance, pair_sums
from sfumato.mechanisms.ranks.profile import (
    POSITIONS,
    Floats,
    RankProfile,
    Stretch,
    Windows,
    gather_stretch,
)

SLICES = 8
"""How many slices of rank there are in 1 / rate: more make the proposal closer, and slower."""


def reach(levels: int) -> int:
    """Return how far from its target a rank may lie, in 1 / rate.

    Each path that goes further weighs less than the uniform draw gives it: `../joint.md`.
    """
    return 38 + 24 * levels


@dataclass(frozen=True, eq=False)
class Level:
    """The states of a stretch that one quantile may take.

    Parameters
    ----------
    start, stop
        Which states of the stretch lie near enough.
    error
        The units by which the rank of each lies above the wanted one.
    width, lift
        How many cells each stands for, and the factor by which it is proposed more often, so that
        no position of it is proposed too rarely.
    """

    stretch: Stretch
    start: int
    stop: int
    error: Floats
    width: Floats
    lift: Floats

    def error_at(self, state: int) -> float:
        """Return the error of a state of the stretch, or of the nearest that may be taken."""
        return float(self.error[min(max(state - self.start, 0), self.error.size - 1)])


@dataclass(frozen=True)
class Stop:
    """A state that a path goes through, and for which levels: ``first`` up to ``last``."""

    first: int
    last: int
    state: int


class Chain:
    """Paths through one state per level, in order, with probability known up to rounding.

    A path that misses the targets by e₁ … e_m is proposed with weight
    ``exp(-rate (|e₁ - tilt| + |e₂ - e₁| + … + |e_m + tilt|))``, times the number of positions it
    stands for and the lift of its states.
    """

    def __init__(
        self, profile: RankProfile, targets: Sequence[Fraction], rate: float, *, tilt: float = 0.0
    ) -> None:
        self.rate, self._tilt = rate, tilt
        self.levels = _gather_levels(profile, targets, rate, reach(len(targets)) / rate)
        ends = [Fraction(0), *targets]
        self._gaps = [float((high - low) / profile.unit) for low, high in pairwise(ends)]
        self._terms: list[list[Floats]] = []
        self._arrivals = [np.exp(-rate * abs(self.levels[0].error - tilt))]
        for index in range(len(self.levels)):
            self._terms.append(self._ending_at(index))
            if index + 1 < len(self.levels):
                self._arrivals.append(self._arriving(index))

    def _ending_at(self, index: int) -> list[Floats]:
        """Return, by run length, the weight of paths whose last run of equal states ends here."""
        here = self.levels[index]
        terms: list[Floats] = []
        ways, cost = np.ones_like(here.width), 0.0
        for length in range(1, index + 2):
            first = index - length + 1
            ways = ways * here.lift * (here.width + (length - 1) / POSITIONS) / length
            terms.append(ways * self._arrived(first, here) * math.exp(-self.rate * cost))
            cost += self._gaps[first]
        return terms

    def _arrived(self, first: int, here: Level) -> Floats:
        """Return the weight of arriving at level `first` in each state of a later level."""
        began, arrived = self.levels[first], np.zeros_like(here.width)
        low, high = max(here.start, began.start), min(here.stop, began.stop)
        if began.stretch is here.stretch and low < high:
            part = self._arrivals[first][low - began.start : high - began.start]
            arrived[low - here.start : high - here.start] = part
        return arrived

    def _arriving(self, index: int) -> Floats:
        """Return the weight of arriving at each state of the next level from all before it."""
        here, there = self.levels[index], self.levels[index + 1]
        gap = self._gaps[index + 1] or 1.0
        if here.stretch is there.stretch:
            before = np.clip(np.arange(there.start, there.stop) - here.start, 0, here.error.size)
            rank = np.floor(here.stretch.rank / gap)
            blocks, own = rank[here.start : here.stop], rank[there.start : there.stop]
        else:
            before = np.full(there.error.size, here.error.size)
            blocks, own = np.floor(here.error / gap), np.floor(there.error / gap) + 1
        weights = np.sum(self._terms[index], axis=0)
        split = np.searchsorted(here.error, there.error, side="right")
        windows = Windows(blocks, own, split, before)
        return windows.sums(here.error, weights, there.error, self.rate)

    @cached_property
    def _ends(self) -> list[Floats]:
        """The weights of all last runs, and their sums."""
        return pair_sums(self._leaving(len(self.levels) - 1, -self._tilt, None))

    @property
    def weight(self) -> float:
        """The weight of all paths together."""
        return float(self._ends[-1][0])

    def _leaving(self, index: int, error: float, size: int | None) -> Floats:
        """Return the weights of runs that end at a level, in its first states, before an error."""
        leaving = np.exp(-self.rate * abs(error - self.levels[index].error[:size]))
        return np.concatenate([term[:size] * leaving for term in self._terms[index]])

    def path(self, chance: Chance) -> list[Stop]:
        """Draw a path, from the last level down."""
        stops: list[Stop] = []
        index, size, sums = len(self.levels) - 1, self.levels[-1].error.size, self._ends
        while True:
            length, place = divmod(_pick(chance, sums), size)
            state = self.levels[index].start + place
            stops.append(Stop(index - length, index, state))
            first, index = self.levels[index - length], index - length - 1
            if index < 0:
                return stops[::-1]
            here = self.levels[index]
            stop = min(here.stop, state) if here.stretch is first.stretch else here.stop
            size = max(1, stop - here.start)
            sums = pair_sums(self._leaving(index, first.error_at(state), size))

    def exponent(self, stops: Sequence[Stop]) -> float:
        """Return the exponent that each sequence of positions of a path was proposed with."""
        errors, lift = [self._tilt], 0.0
        for stop in stops:
            for level in self.levels[stop.first : stop.last + 1]:
                errors.append(level.error_at(stop.state))
                lift += 2 * float(level.stretch.half[stop.state])
        errors.append(-self._tilt)
        return self.rate * (sum(abs(high - low) for low, high in pairwise(errors)) - lift)


def _pick(chance: Chance, sums: list[Floats]) -> int:
    # All weights vanish with a probability that the uniform draw outweighs: ../joint.md.
    return chance.pick(sums if sums[-1][0] > 0 else pair_sums(np.ones_like(sums[0])))


def _gather_levels(
    profile: RankProfile, targets: Sequence[Fraction], rate: float, reach: float
) -> list[Level]:
    """Gather the states near each target; targets near each other share a stretch."""
    levels: list[Level] = []
    start = 0
    for index, target in enumerate(targets):
        following = targets[index + 1] if index + 1 < len(targets) else None
        # One unit more than they reach, so that no position lies in two stretches.
        if following is not None and (following - target) / profile.unit <= 2 * reach + 1:
            continue
        origin, offset = targets[start], float((target - targets[start]) / profile.unit)
        pitch = 1 / (SLICES * rate)
        states = gather_stretch(profile, origin, -reach, offset + reach, pitch=pitch)
        levels += [
            _make_level(states, profile.unit, at, rate, reach) for at in targets[start : index + 1]
        ]
        start = index + 1
    return levels


def _make_level(states: Stretch, unit: int, target: Fraction, rate: float, reach: float) -> Level:
    error = states.rank - float((target - states.origin) / unit)
    start, stop = np.searchsorted(error, [-reach, reach])
    here = slice(int(start), int(stop))
    lift = np.exp(2 * rate * states.half[here])
    return Level(states, here.start, here.stop, error[here], states.width[here], lift)


@dataclass(frozen=True)
class DrawnPosition:
    """A position on the value grid, and by how many units its rank misses the target."""

    cell: int
    position: int
    error: float


@dataclass(frozen=True, eq=False)
class TargetRanks:
    """The quantiles asked for of one group.

    Parameters
    ----------
    size
        The steps that a rank is a share of: all of the group, or a public number.
    """

    profile: RankProfile
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

    def propose(self, chain: Chain, chance: Chance) -> tuple[list[DrawnPosition], float]:
        """Draw places along a path, and return with which exponent they were proposed."""
        stops = chain.path(chance)
        places = [place for stop in stops for place in self._places(chain, stop, chance)]
        return places, chain.exponent(stops)

    def compute_misses(self, places: Sequence[DrawnPosition]) -> list[float]:
        """Return what each gap has above its share, in units."""
        errors = [0.0, *(place.error for place in places), 0.0]
        return [high - low for low, high in pairwise(errors)]

    def anywhere(self, chance: Chance) -> list[DrawnPosition]:
        """Draw places that do not depend on the data."""
        profile = self.profile
        limit = (profile.stop - profile.start) * POSITIONS
        offsets = draw_rising_sequence(limit, len(self.levels), chance)
        return [
            DrawnPosition(profile.start + at // POSITIONS, at % POSITIONS, 0.0) for at in offsets
        ]

    def _places(self, chain: Chain, stop: Stop, chance: Chance) -> list[DrawnPosition]:
        """Draw a place for each level of a run, in order, from all that its state stands for."""
        states, targets = chain.levels[stop.last].stretch, self.targets[stop.first : stop.last + 1]
        offsets = draw_rising_sequence(states.positions(stop.state), len(targets), chance)
        pairs = zip(offsets, targets, strict=True)
        return [self._place(states, stop.state, offset, target) for offset, target in pairs]

    def _place(self, states: Stretch, state: int, offset: int, target: Fraction) -> DrawnPosition:
        index, sliced = divmod(int(states.piece[state]), 2)
        low = int(states.low[state])
        if sliced:
            cell, position = int(self.profile.where[index]), low + offset
            rank = self.profile.rank(index, position)
        else:
            cell, position = low + offset // POSITIONS, offset % POSITIONS
            rank = Fraction(self.profile.before(index))
        return DrawnPosition(cell, position, float((rank - target) / self.profile.unit))


def draw_rising_sequence(limit: int, number: int, chance: Chance) -> list[int]:
    """Draw one of all rising sequences of numbers below `limit`, repeats allowed, uniformly.

    Taking 0, 1, 2 … from the members of a set of distinct numbers, in order, gives each sequence
    exactly once.
    """
    while True:
        drawn = sorted(chance.below(limit + number - 1) for _ in range(number))
        if all(low < high for low, high in pairwise(drawn)):
            return [value - index for index, value in enumerate(drawn)]


PATIENCE = 256
"""How many paths of the published law are tried before sizes are drawn as well.

So many take about as long as one draw of the other kind. Mostly one path in 3 to 30 is accepted.
"""

PITCH = 4.0
"""How far two sizes lie apart, in 1 / rate."""


def count_tried_sizes(levels: int) -> int:
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


def draw_balanced(
    wanted: TargetRanks, rates: tuple[float, float], chance: Chance
) -> list[DrawnPosition]:
    """Draw places by the balanced law.

    Parameters
    ----------
    rates
        That of the published law, whose paths are tried first, and that of the balanced one.
    """
    chain = wanted.chain(rates[0])
    for _ in range(PATIENCE):
        places, proposed = wanted.propose(chain, chance)
        penalty, _ = imbalance(wanted.compute_misses(places), wanted.shares)
        if chance.draw_bernoulli_exp(rates[1] * penalty - proposed):
            return places
    return draw_sized(wanted, rates[1], chance)


def draw_sized(wanted: TargetRanks, rate: float, chance: Chance) -> list[DrawnPosition]:
    """Draw places by the balanced law together with a size that their gaps are shares of.

    This takes as long for every table, where the published law might be rejected for ever.
    """
    pitch = Fraction(PITCH / rate) * wanted.profile.unit
    own, far = wanted.size // pitch, count_tried_sizes(len(wanted.levels))
    numbers = range(max(0, own - far), own + far + 1)
    sizes = [(number + Fraction(1, 2)) * pitch for number in numbers]
    sums = pair_sums(np.array([wanted.chain(rate, size).weight for size in sizes]))
    while True:
        index = chance.pick(sums)
        places, proposed = wanted.propose(wanted.chain(rate, sizes[index]), chance)
        penalty, size = imbalance(wanted.compute_misses(places), wanted.shares)
        nearest = max(0, (wanted.size + Fraction(size) * wanted.profile.unit) // pitch)
        # Only the size nearest to the best one may propose a path, so none is proposed twice.
        if nearest == numbers[index] and chance.draw_bernoulli_exp(
            rate * penalty - proposed + PITCH / 2
        ):
            return places
