"""`Protocol`: what everybody knows before anything is sent. The argument stands in `shuffle.md`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from sfumato.distributed.cells import Codes, codes_within, sides_within
from sfumato.distributed.checking import MOST_BITS, check, too_fine, too_wide
from sfumato.distributed.noise_part import NoisePart, noise_part, table_size
from sfumato.distributed.splitting import fewest_shares
from sfumato.plane import Plane
from sfumato.privacy.amount import exactly, show
from sfumato.privacy.budget import weakness

MOST_ENTRIES = 2**22
"""How long the tables may be, all levels together, that noise is drawn from."""

_SAMPLING = Fraction(1, 1024)
"""The part of δ that pays for drawing noise from tables."""


@dataclass(frozen=True)
class Protocol:
    """The public parameters of a heatmap that is measured without a collector to be trusted.

    Whoever takes part holds a mass of at most 1 on the cells of `plane`. The squares of every
    level from `coarsest` to the finest are summed up, each with noise of its own.

    Parameters
    ----------
    plane
        The public window and its cells, of any shape.
    participants
        How many send: a public number.
    honest
        How many of them follow the protocol at least. Only they draw noise that counts.
    epsilon, delta
        What is promised to each of the honest: see `shuffle.md`.
    scaling
        Into how many steps a participant's mass is rounded: B in the paper.
    coarsest
        How often the smallest square around the window is halved at the coarsest level measured.
    decay
        How much less ε each finer level gets: γ in the paper.
    wrong
        The probability that any sum at all leaves the range in which it can be read.
    weak
        Allow a guarantee that protects little: an ε above 10, or a δ of 0.001 or more.

    Examples
    --------
    >>> from sfumato.domain import Bounds
    >>> from sfumato.grid import Grid
    >>> screen = Plane(Grid("x", Bounds(0, 640), 320), Grid("y", Bounds(0, 480), 240))
    >>> gaze = Protocol(screen, participants=50, honest=50, epsilon=5, delta=1e-5)
    >>> gaze.coordinates, gaze.shares, gaze.bits_per_message, gaze.bytes_per_user
    (102406, 15, 34, 6528383)
    >>> print(gaze.promise)
    ε = 5, δ = 1e-05, protecting what each honest participant holds, if at least 50 of 50 are
    honest; that they take part is public
    """

    plane: Plane
    participants: int
    honest: int
    epsilon: float
    delta: float
    scaling: int = 256
    coarsest: int = 2
    decay: float = 2**-0.5
    wrong: float = 1e-6
    weak: bool = False

    def __post_init__(self) -> None:
        check(self)
        if sum(table_size(rate, self._error) for rate in self._rates) > MOST_ENTRIES:
            raise too_fine(self.scaling)
        if self.modulus_bits > MOST_BITS:
            raise too_wide()

    @property
    def promise(self) -> str:
        """What is promised, and to whom."""
        why = weakness(self.epsilon, self.delta)
        return (
            f"ε = {show(exactly(self.epsilon), up=True)}, "
            f"δ = {show(exactly(self.delta), up=True)}, protecting what each honest participant "
            f"holds, if at least {self.honest} of {self.participants} are honest; that they take "
            f"part is public{why and f'. Protects little: {why}'}"
        )

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The levels measured, from the coarsest to the finest."""
        return tuple(range(self.coarsest, self.plane.levels + 1))

    @cached_property
    def epsilons(self) -> tuple[Fraction, ...]:
        """What each level costs: proportional to the powers of `decay`, together exactly ε."""
        weights = [Fraction(self.decay) ** depth for depth in range(len(self.levels))]
        return tuple(exactly(self.epsilon) * weight / sum(weights) for weight in weights)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many squares of each level meet the window."""
        return tuple(math.prod(sides_within(self.plane, level)) for level in self.levels)

    @cached_property
    def codes(self) -> tuple[Codes, ...]:
        """The Morton codes, rising, of the squares of each level that meet the window."""
        return tuple(codes_within(self.plane, level) for level in self.levels)

    @property
    def coordinates(self) -> int:
        """How many sums are taken, over all levels: m in the paper."""
        return sum(self.sizes)

    @property
    def touched(self) -> int:
        """How many of the sums one participant can change: no more than B on a level."""
        return sum(min(size, self.scaling) for size in self.sizes)

    @property
    def modulus_bits(self) -> int:
        """The bits of a share; the modulus is this power of two."""
        copies = -(-self.participants // self.honest)
        chances = 2 * copies * self.coordinates / self.wrong
        noise = copies * math.log(chances) / float(min(self.epsilons))
        # A part in a million covers the rounding of the logarithm.
        return math.ceil(2.000002 * self.scaling * (self.participants + noise)).bit_length()

    @property
    def modulus(self) -> int:
        """What shares and sums are reduced by, above 2B(n + ln(m/β)/ε) for the least ε."""
        return 2**self.modulus_bits

    @cached_property
    def shares(self) -> int:
        """How many shares each number is split into: as few as δ allows."""
        allowed = float(1 - _SAMPLING) * self.delta / self._factor
        return fewest_shares(self.honest, self.modulus, allowed)

    @property
    def messages_per_user(self) -> int:
        """How many messages each participant sends, whatever they hold."""
        return self.coordinates * self.shares

    @property
    def bits_per_message(self) -> int:
        """The bits of a message: the number of its sum, and a share."""
        return (self.coordinates - 1).bit_length() + self.modulus_bits

    @property
    def bytes_per_user(self) -> int:
        """What each participant sends, messages packed without gaps."""
        return -(-self.messages_per_user * self.bits_per_message // 8)

    @cached_property
    def parts(self) -> tuple[NoisePart, ...]:
        """What each participant's noise is drawn from, by level."""
        return tuple(noise_part(self.honest, rate, self._error) for rate in self._rates)

    @property
    def _rates(self) -> tuple[Fraction, ...]:
        return tuple(epsilon / self.scaling for epsilon in self.epsilons)

    @property
    def _factor(self) -> float:
        """(1 + e^ε) m′, rounded up: what a distance per sum is multiplied by in δ."""
        return (1 + math.exp(self.epsilon)) * self.touched * 1.000001

    @property
    def _error(self) -> int:
        """The bits of error that a draw of noise may have."""
        allowed = float(_SAMPLING) * self.delta / (self._factor * 2 * self.honest)
        return math.ceil(-math.log2(allowed)) + 1
