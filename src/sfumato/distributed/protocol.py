"""What a protocol refuses, before anything is sent."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.distributed.noise_part import NoisePart, find_fewest_shares, get_noise_part, table_size
from sfumato.errors import BudgetError, DomainError, SfumatoError
from sfumato.grid import MOST_CELLS, Grid
from sfumato.plane import Codes, Outside, Plane, interleave
from sfumato.privacy.budget import explain_weakness, format_amount, to_fraction

MOST_EPSILON = 30.0
LEAST_DELTA = 1e-15
MOST_BITS = 40
MOST_SCALING = 2**20
MOST_PARTICIPANTS = 2**24


def check(protocol: Protocol) -> None:
    """Refuse parameters that guarantee nothing, or cannot be met."""
    _check_people(protocol)
    _check_budget(protocol)
    _check_squares(protocol)


def _check_people(protocol: Protocol) -> None:
    many = (protocol.participants, protocol.honest)
    if not all(map(_is_whole, many)) or not 2 <= protocol.honest <= protocol.participants:
        raise DomainError(
            "A protocol needs at least two honest participants, and no more than there are.",
            "Their messages hide among each other's, and only they add the noise.",
            "Write participants=50, honest=40.",
        )
    if protocol.participants > MOST_PARTICIPANTS:
        raise DomainError(
            f"A protocol has at most {MOST_PARTICIPANTS} participants.",
            "The sums of more could not be read exactly.",
            "Form groups, and add up what each released.",
        )


def _check_budget(protocol: Protocol) -> None:
    if not _is_between(protocol.epsilon, 0, MOST_EPSILON):
        raise BudgetError(
            f"A protocol needs an ε above 0, and at most {MOST_EPSILON:g}.",
            "Without one there is no noise to draw, or none that protects.",
            "Write epsilon=1.",
        )
    if not _is_between(protocol.delta, LEAST_DELTA, 0.5):
        raise BudgetError(
            f"A protocol needs a δ above {LEAST_DELTA:g} and up to one half.",
            "Shuffled messages never hide a number perfectly, so there is no pure form.",
            "Write delta=1e-6.",
        )
    if protocol.weak is not True and (why := explain_weakness(protocol.epsilon, protocol.delta)):
        raise BudgetError(
            f"This protocol protects little: {why}.",
            "Whoever reads the sums could become nearly sure of what one participant holds.",
            "Choose a smaller ε or δ, or confirm it: weak=True.",
        )
    if not _is_between(protocol.wrong, 1e-100, 0.5):
        raise DomainError(
            "The probability that a sum is misread must lie above 0, and up to one half.",
            "Noise has no largest value, so no range holds all sums.",
            "Write wrong=1e-6.",
        )


def _check_squares(protocol: Protocol) -> None:
    if not _is_whole(protocol.scaling) or not 1 <= protocol.scaling <= MOST_SCALING:
        raise DomainError(
            f"The scaling must be a whole number from 1 to {MOST_SCALING}.",
            "It says how finely each participant's mass is rounded, and noise grows with it.",
            "Write scaling=256.",
        )
    if not _is_whole(protocol.coarsest) or not 0 <= protocol.coarsest <= protocol.plane.levels:
        raise DomainError(
            f"The coarsest level must be one from 0 to {protocol.plane.levels}, the finest of "
            "this plane.",
            "Outside of them there is nothing to measure, and ε would be spent on nothing.",
            "Write coarsest=2, or ask for more cells.",
        )
    if not _is_between(protocol.decay, 0, 1):
        raise DomainError(
            "The decay must lie above 0 and up to 1.",
            "It divides ε among the levels, and a level without ε would be shown without noise.",
            "Write decay=2**-0.5.",
        )
    if protocol.coordinates > MOST_CELLS:
        raise DomainError(
            f"{protocol.coordinates} squares are more than the {MOST_CELLS} that may be summed.",
            "Everyone would send messages for each, and nearly all would hold noise alone.",
            "Ask for fewer cells.",
        )


def make_too_wide_error() -> SfumatoError:
    """Say that sums with so much noise take more bits than can be added."""
    return DomainError(
        f"Sums of so many participants with so few honest ones take more than {MOST_BITS} bits.",
        "Everyone draws as much noise as if only the honest did, and it adds up.",
        "Ask for fewer participants, or vouch for more honest ones.",
    )


def make_too_fine_error(scaling: int) -> SfumatoError:
    """Say that the noise is too wide to be drawn from a table."""
    return BudgetError(
        f"With scaling={scaling}, the noise of so small an ε spans too many steps to draw it "
        "exactly.",
        "It drowns rounding by far, so finer steps would show nothing more.",
        "Choose a smaller scaling, or spend more.",
    )


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _is_between(number: float, low: float, high: float) -> bool:
    return not isinstance(number, bool) and low < number <= high


Numbers = NDArray[np.float64]


def list_window_codes(plane: Plane, level: int) -> Codes:
    """Return the codes, rising, of the squares of a level that meet the window.

    Examples
    --------
    >>> from sfumato.domain import Bounds
    >>> wide = Plane(Grid("x", Bounds(0, 1), 4), Grid("y", Bounds(0, 1), 2))
    >>> list_window_codes(wide, 1), list_window_codes(wide, 2)
    (array([0, 1]), array([0, 1, 2, 3, 4, 5, 6, 7]))
    """
    width, height = count_window_sides(plane, level)
    places = np.arange(width * height, dtype=np.int64)
    return np.sort(interleave(places % width, places // width))


def count_window_sides(plane: Plane, level: int) -> tuple[int, int]:
    """Return how many columns and rows of squares of a level meet the window."""
    span = 2 ** (plane.levels - level)
    return -(-plane.x.cells // span), -(-plane.y.cells // span)


def locate_points(plane: Plane, points: Numbers) -> Codes:
    """Return the cells of the points that lie in the window.

    NaN lies nowhere. Other points outside are left out or moved to the border, as the plane says.
    """
    column, inside = _find_cells(plane.x, points[:, 0], plane.outside)
    row, within = _find_cells(plane.y, points[:, 1], plane.outside)
    chosen = inside & within
    return interleave(column[chosen], row[chosen])


def _find_cells(axis: Grid, values: Numbers, outside: Outside) -> tuple[Codes, NDArray[np.bool_]]:
    lower, upper = axis.edges[0], axis.edges[-1]
    known = ~np.isnan(values)
    inside = known if outside == "edge" else known & (lower <= values) & (values <= upper)
    kept = np.clip(np.where(known, values, lower), lower, upper)
    index = np.searchsorted(axis.edges, kept, side="right") - 1
    return np.minimum(index, axis.cells - 1).astype(np.int64), inside


def read_numbers(values: ArrayLike, shape: tuple[int | None, ...], spelling: str) -> Numbers:
    """Return an array of numbers in the given shape, or say how it is spelled."""
    array = None
    # The message of such an error may quote a value.
    with suppress(TypeError, ValueError, OverflowError):
        array = np.asarray(values, dtype=np.float64)
    if array is not None and array.size == 0 and shape[0] is None:
        array = array.reshape(0, *(size or 0 for size in shape[1:]))
    if array is None or array.ndim != len(shape) or not _has_shape(array.shape, shape):
        raise DomainError(
            f"What a participant holds is {spelling}.",
            "Anything else has no place among the public cells, and would have to be guessed.",
            "Pass numbers in that shape.",
        )
    return array


def _has_shape(found: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return all(size is None or size == have for have, size in zip(found, wanted, strict=True))


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
        What is guaranteed to each of the honest: see `shuffle.md`.
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
    >>> print(gaze.guarantee)
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
            raise make_too_fine_error(self.scaling)
        if self.modulus_bits > MOST_BITS:
            raise make_too_wide_error()

    @property
    def guarantee(self) -> str:
        """What is guaranteed, and to whom."""
        why = explain_weakness(self.epsilon, self.delta)
        return (
            f"ε = {format_amount(to_fraction(self.epsilon), up=True)}, "
            f"δ = {format_amount(to_fraction(self.delta), up=True)}, protecting what each honest "
            f"participant holds, if at least {self.honest} of {self.participants} are honest; that "
            f"they take part is public{why and f'. Protects little: {why}'}"
        )

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The levels measured, from the coarsest to the finest."""
        return tuple(range(self.coarsest, self.plane.levels + 1))

    @cached_property
    def epsilons(self) -> tuple[Fraction, ...]:
        """What each level costs: proportional to the powers of `decay`, together exactly ε."""
        weights = [Fraction(self.decay) ** depth for depth in range(len(self.levels))]
        return tuple(to_fraction(self.epsilon) * weight / sum(weights) for weight in weights)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many squares of each level meet the window."""
        return tuple(math.prod(count_window_sides(self.plane, level)) for level in self.levels)

    @cached_property
    def codes(self) -> tuple[Codes, ...]:
        """The Morton codes, rising, of the squares of each level that meet the window."""
        return tuple(list_window_codes(self.plane, level) for level in self.levels)

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
        return find_fewest_shares(self.honest, self.modulus, allowed)

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
        return tuple(get_noise_part(self.honest, rate, self._error) for rate in self._rates)

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
