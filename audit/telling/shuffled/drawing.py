"""`Shuffled`: a run of the shuffle protocol, and what an auditor sees of its messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sfumato.distributed import client
from sfumato.distributed.client import Messages, round_weights, sum_by_square
from sfumato.distributed.protocol import Protocol, locate_points
from sfumato.distributed.shuffle import Client, Shuffler
from sfumato.domain import Bounds
from sfumato.grid import Grid
from sfumato.plane import Plane
from telling.case import Case, Draws, Trials, Twin
from telling.laws import Floats, laplace_says
from telling.pairs import USERS, Pair, Row

Integers = NDArray[np.int64]

_PLANE = Plane(Grid("x", Bounds(0, 8), 2), Grid("y", Bounds(0, 8), 2))
_BLOCK = 2000  # releases whose shares are looked at together


@dataclass(frozen=True)
class Shuffled:
    """A run of the protocol with two levels of a map: the whole, and its four quarters.

    Parameters
    ----------
    others
        How many take part who work for the auditor.
    scaling
        Into how many steps what someone holds is rounded.
    """

    pair: Pair
    others: int = 0
    scaling: int = 2
    epsilon: float = 2.0
    honest: int = 2

    @property
    def protocol(self) -> Protocol:
        """The public parameters; sums of few bits are searched through faster."""
        return Protocol(
            _PLANE,
            participants=self.honest + self.others,
            honest=self.honest,
            epsilon=self.epsilon,
            delta=0.01,
            scaling=self.scaling,
            coarsest=0,
            wrong=0.5,
            weak=True,
        )

    def draw(self, joined: bool, releases: int) -> Draws:
        """Return what each sum says in several ways, and the sum of the whole map."""
        protocol, asked = self.protocol, _held(self.protocol, self.pair.person)
        known = (self.honest - 1) * _held(protocol, self.pair.crowd)
        shares = np.array([self._shares(protocol, joined) for _ in range(releases)])
        says = np.zeros((4, releases))
        for number in np.flatnonzero(asked).tolist():
            heard = _Sum(protocol, number, int(known[number]), int(asked[number]))
            says += heard.say(shares[:, number])
        whole = centred(shares[:, 0].sum(axis=1), protocol.modulus)
        return np.column_stack([*says, whole.astype(np.float64)])

    def case(self, trials: Trials, *twins: Twin, tight: bool = False, routine: bool = True) -> Case:
        """Return the promise of the protocol under attack."""
        protocol = self.protocol
        honest = f"{self.honest} of {protocol.participants} honest"
        return Case(
            "shuffle",
            "laplace",
            USERS,
            replace(self.pair, name=f"{self.pair.name} ({honest})"),
            protocol.epsilon,
            protocol.delta,
            tight,
            self.draw,
            trials,
            twins,
            routine,
        )

    def _shares(self, protocol: Protocol, joined: bool) -> Integers:
        """Run the protocol; return the shares of each sum, less those of the auditor's own."""
        own = client.split_into_shares(np.zeros(protocol.coordinates, dtype=np.int64), protocol)
        own &= ~np.uint64(protocol.modulus - 1)  # they send zeros
        honest = [self.pair.person if joined else (), *[self.pair.crowd] * (self.honest - 1)]
        sent = [Client(protocol).encode(_points(rows)) for rows in honest]
        sent += [Messages(own, private=True)] * self.others
        words = Shuffler(protocol).permute(sent).words
        numbers = words >> np.uint64(protocol.modulus_bits)
        shares = (words & np.uint64(protocol.modulus - 1)).astype(np.int64)
        every = [shares[numbers == number] for number in range(protocol.coordinates)]
        extra = self.others * protocol.shares
        return np.array([np.delete(each, np.flatnonzero(each == 0)[:extra]) for each in every])


@dataclass(frozen=True)
class _Sum:
    """One of the sums, of which one participant is known to hold so much, and one is asked about.

    Which shares are whose is not known, but how many ways there are to divide them is.
    """

    protocol: Protocol
    number: int
    known: int
    asked: int

    @property
    def rate(self) -> Fraction:
        """The decay of the noise, per step."""
        protocol = self.protocol
        level = int(np.searchsorted(np.cumsum(protocol.sizes), self.number, side="right"))
        return protocol.epsilons[level] / protocol.scaling

    def say(self, shares: Integers) -> tuple[Floats, ...]:
        """Return how much shares speak for someone who holds what is asked about.

        All of them in any order; their sum alone; the first ones, as if they had stayed first; and
        each alone, as if it were the number itself.
        """
        modulus, law = self.protocol.modulus, self._law
        total = centred(shares.sum(axis=1), modulus)[:, np.newaxis]
        first = shares[:, : self.protocol.shares].sum(axis=1)
        return (
            self._divided(shares),
            laplace_says(total, 1 / float(self.rate), self.known, self.known + self.asked),
            np.log(law[(first - self.asked) % modulus] / law[first % modulus]),
            (not self.known) * (shares == self.asked).sum(axis=1).astype(np.float64),
        )

    @property
    def _law(self) -> Floats:
        return noise_law(self.rate, self.protocol.honest, self.protocol.modulus)

    def _divided(self, shares: Integers) -> Floats:
        """Sum over all ways in which the shares may belong to two participants."""
        if self.protocol.honest > 2:  # there are too many ways
            return np.zeros(len(shares))
        blocks = np.array_split(shares, max(1, len(shares) // _BLOCK))
        return np.concatenate([self._block_says(block) for block in blocks])

    def _block_says(self, shares: Integers) -> Floats:
        modulus, law = self.protocol.modulus, self._law
        divided, values = ways(shares, modulus), np.arange(modulus)
        total = shares.sum(axis=1, keepdims=True)
        other = law[(total - values - self.known) % modulus]
        joined, without = (
            (divided * other * law[(values - held) % modulus]).sum(axis=1)
            for held in (self.asked, 0)
        )
        return np.log(joined / without)


def centred(sums: Integers, modulus: int) -> Integers:
    """Return the numbers nearest to 0 that sums may stand for."""
    return (sums + modulus // 2) % modulus - modulus // 2


def ways(shares: Integers, modulus: int) -> Floats:
    """Return in how many ways half of the shares add up to each value, for each release."""
    releases, count = shares.shape
    found = np.zeros((releases, count // 2 + 1, modulus))
    found[:, 0, 0] = 1.0
    values = np.arange(modulus)
    for share in shares.T:
        before = (values - share[:, np.newaxis]) % modulus
        found[:, 1:] += np.take_along_axis(found[:, :-1], before[:, np.newaxis], axis=2)
    return found[:, -1]


@cache
def noise_law(rate: Fraction, honest: int, modulus: int) -> Floats:
    """Return the law of one participant's noise, modulo the modulus."""
    stay, chance, polya = np.exp(-float(rate)), 1.0, list[float]()
    while chance > 1e-15 or len(polya) < modulus:
        polya.append(chance)
        number = len(polya)
        chance *= stay * (number - 1 + 1 / honest) / number
    drawn = np.convolve(polya, polya[::-1])
    places = (np.arange(len(drawn)) - len(polya) + 1) % modulus
    law = np.bincount(places, weights=drawn, minlength=modulus)
    return law / law.sum()


def _points(rows: Sequence[Row]) -> list[tuple[float, float]]:
    return [(_number(row.x), _number(row.y)) for row in rows]


def _number(side: float | None) -> float:
    return np.nan if side is None else side


def _held(protocol: Protocol, rows: Sequence[Row]) -> Integers:
    """Return how many steps of each sum someone holds, as good as one can tell before rounding."""
    points = np.array(_points(rows), dtype=np.float64).reshape(-1, 2)
    cells, counts = np.unique(locate_points(protocol.plane, points), return_counts=True)
    steps = round_weights(counts.astype(np.int64), len(points), protocol.scaling, 0)
    levels = zip(protocol.levels, protocol.codes, strict=True)
    return np.concatenate(
        [
            sum_by_square(cells >> 2 * (protocol.plane.levels - level), steps, codes)
            for level, codes in levels
        ]
    )
