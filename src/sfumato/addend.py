"""What is added up by groups: columns whose rows are split between two ends, in whole steps.

A row that counts is worth the same number of steps wherever it lies. A value splits them: none go
to the upper end where it is the lower bound or below, all where it is the upper bound or above, and
between them as many as its distance from the lower one says. Two sums of such steps, one to each
end, hold how many rows a group has, the sum of their clipped values, and so their mean.
"""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.domain import Bounds
from sfumato.errors import DomainError
from sfumato.grid import Labels
from sfumato.lattice import SHARES
from sfumato.privacy.guarantee import PrivacyUnit

HEAVIEST = 2**34
"""The most steps that one unit adds to all sums together: 2²⁸ units stay below 2⁶²."""

FINEST = 2**21
"""The most steps that a row is worth: a mean is off by 2⁻²² of the range at most by rounding."""


@dataclass(frozen=True)
class Addend:
    """A column of numbers, each clipped to bounds and told by how far from the lower one it lies.

    Parameters
    ----------
    bounds
        Public bounds: one pair for all groups, or one for each in the order of the flat cells.
        All tell numbers alike.
    steps
        How many steps a row is worth.

    Examples
    --------
    >>> Addend("wait", (Bounds(0, 240),), 2**21).width
    240.0
    """

    column: str
    bounds: tuple[Bounds, ...]
    steps: int

    def __post_init__(self) -> None:
        _check_steps(self.steps)
        if not self.bounds:
            raise ValueError("Values are clipped to bounds.")

    @property
    def width(self) -> float:
        """The widest of the bounds."""
        return max(bounds.width for bounds in self.bounds)

    def check(self, groups: int) -> None:
        """Refuse bounds of other groups than there are."""
        if len(self.bounds) not in (1, groups):
            raise ValueError("There is one pair of bounds, or one for each group.")


@dataclass(frozen=True)
class Member:
    """A column of categories, of which one is counted against all other declared ones.

    Parameters
    ----------
    level
        Which of them.
    steps
        How many steps a row is worth.
    """

    labels: Labels
    level: int
    steps: int

    def __post_init__(self) -> None:
        _check_steps(self.steps)
        if self.labels.part is not None or not 0 <= self.level < self.labels.cells:
            raise ValueError("One of the categories is counted.")

    @property
    def column(self) -> str:
        """The column of categories."""
        return self.labels.column

    def check(self, groups: int) -> None:
        """Refuse nothing: a category is the same in every group."""


def addend_weight(unit: PrivacyUnit) -> int:
    """Return how much one unit weighs in sums by groups, in whole numbers."""
    return SHARES if unit.shared else unit.weight


def count_steps(unit: PrivacyUnit) -> int:
    """Return how many steps a row may be worth, so that sums of units stay far below 2⁶².

    Examples
    --------
    >>> count_steps(PrivacyUnit.rows()) == FINEST
    True
    >>> count_steps(PrivacyUnit.users("who")) * SHARES == HEAVIEST
    True
    """
    room = HEAVIEST // addend_weight(unit)
    return min(FINEST, 1 << (room.bit_length() - 1))


def check_room(addend: Addend | Member, unit: PrivacyUnit) -> None:
    """Refuse steps that would leave too little room for the sums of many units."""
    if addend.steps * addend_weight(unit) > HEAVIEST:
        raise DomainError(
            "So many steps to a row leave no room for the sums of many rows.",
            "Sums are whole numbers of 64 bits, and must not overflow.",
            "Use count_steps(unit) of them.",
        )


def _check_steps(steps: int) -> None:
    if not 1 <= steps <= FINEST:
        raise ValueError("A row is worth a positive number of steps.")
