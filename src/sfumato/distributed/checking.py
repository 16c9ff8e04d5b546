"""What a protocol refuses, before anything is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.errors import BudgetError, DomainError, SfumatoError
from sfumato.grid import MOST_CELLS
from sfumato.privacy.budget import weakness

if TYPE_CHECKING:
    from sfumato.distributed.protocol import Protocol

MOST_EPSILON = 30.0
LEAST_DELTA = 1e-15
MOST_BITS = 40
MOST_SCALING = 2**20
MOST_PARTICIPANTS = 2**24


def check(protocol: Protocol) -> None:
    """Refuse parameters that promise nothing, or cannot be met."""
    _check_people(protocol)
    _check_budget(protocol)
    _check_squares(protocol)


def _check_people(protocol: Protocol) -> None:
    many = (protocol.participants, protocol.honest)
    if not all(map(_whole, many)) or not 2 <= protocol.honest <= protocol.participants:
        raise DomainError(
            "A protocol needs at least two honest participants, and no more than there are. Their "
            "messages hide among each other's, and only they add the noise. Write "
            "participants=50, honest=40."
        )
    if protocol.participants > MOST_PARTICIPANTS:
        raise DomainError(
            f"A protocol has at most {MOST_PARTICIPANTS} participants. The sums of more could not "
            "be read exactly. Form groups, and add up what each released."
        )


def _check_budget(protocol: Protocol) -> None:
    if not _between(protocol.epsilon, 0, MOST_EPSILON):
        raise BudgetError(
            f"A protocol needs an ε above 0, and at most {MOST_EPSILON:g}. Without one there is no "
            "noise to draw, or none that protects. Write epsilon=1."
        )
    if not _between(protocol.delta, LEAST_DELTA, 0.5):
        raise BudgetError(
            f"A protocol needs a δ above {LEAST_DELTA:g} and up to one half. Shuffled messages "
            "never hide a number perfectly, so there is no pure form. Write delta=1e-6."
        )
    if protocol.weak is not True and (why := weakness(protocol.epsilon, protocol.delta)):
        raise BudgetError(
            f"This protocol protects little: {why}. Whoever reads the sums could become nearly "
            "sure of what one participant holds. Promise more, or write that you mean it: "
            "weak=True."
        )
    if not _between(protocol.wrong, 1e-100, 0.5):
        raise DomainError(
            "The probability that a sum is misread must lie above 0, and up to one half. Noise has "
            "no largest value, so no range holds all sums. Write wrong=1e-6."
        )


def _check_squares(protocol: Protocol) -> None:
    if not _whole(protocol.scaling) or not 1 <= protocol.scaling <= MOST_SCALING:
        raise DomainError(
            f"The scaling must be a whole number from 1 to {MOST_SCALING}. It says how finely each "
            "participant's mass is rounded, and noise grows with it. Write scaling=256."
        )
    if not _whole(protocol.coarsest) or not 0 <= protocol.coarsest <= protocol.plane.levels:
        raise DomainError(
            f"The coarsest level must be one from 0 to {protocol.plane.levels}, the finest of this "
            "plane. Outside of them there is nothing to measure, and ε would be spent on nothing. "
            "Write coarsest=2, or ask for more cells."
        )
    if not _between(protocol.decay, 0, 1):
        raise DomainError(
            "The decay must lie above 0 and up to 1. It divides ε among the levels, and a level "
            "without ε would be shown without noise. Write decay=2**-0.5."
        )
    if protocol.coordinates > MOST_CELLS:
        raise DomainError(
            f"{protocol.coordinates} squares are more than the {MOST_CELLS} that may be summed. "
            "Everyone would send messages for each, and nearly all would hold noise alone. Ask "
            "for fewer cells."
        )


def too_wide() -> SfumatoError:
    """Say that sums with so much noise take more bits than can be added."""
    return DomainError(
        f"Sums of so many participants with so few honest ones take more than {MOST_BITS} bits. "
        "Everyone draws as much noise as if only the honest did, and it adds up. Ask for fewer "
        "participants, or vouch for more honest ones."
    )


def too_fine(scaling: int) -> SfumatoError:
    """Say that the noise is too wide to be drawn from a table."""
    return BudgetError(
        f"With scaling={scaling}, the noise of so small an ε spans too many steps to draw it "
        "exactly. It drowns rounding by far, so finer steps would show nothing more. Choose a "
        "smaller scaling, or spend more."
    )


def _whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _between(number: float, low: float, high: float) -> bool:
    return not isinstance(number, bool) and low < number <= high
