"""How a score plot divides its budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.domain import listed, real
from sfumato.errors import DomainError
from sfumato.phrases import Setting
from sfumato.privacy.budget import exactly

OURS = Fraction(35, 100), Fraction(5, 100), Fraction(60, 100)
_USUAL = tuple(map(float, OURS))
"""The shares of directions, frame and histogram."""


@dataclass(frozen=True)
class Split:
    """The shares of ρ for directions, frame and histogram; they sum to 1.

    Directions take nothing where they were paid for before.
    """

    directions: Fraction
    frame: Fraction
    histogram: Fraction

    @classmethod
    def of(cls, spelling: str | Sequence[float] | None, *, paid: bool) -> Split:
        """Read a split, where directions are `paid` for already or not.

        Examples
        --------
        >>> Split.of("halves", paid=True)
        Split(directions=Fraction(0, 1), frame=Fraction(1, 2), histogram=Fraction(1, 2))
        >>> Split.of([0.2, 0.1, 0.7], paid=False).histogram
        Fraction(7, 10)
        """
        shares = _shares(spelling)
        if shares is None:
            shares = OURS[1:] if paid else OURS
            whole = sum(shares, Fraction(0))
            shares = tuple(share / whole for share in shares)
        if len(shares) != (2 if paid else 3):
            raise DomainError(
                (Setting("split", spelling), " has the wrong number of parts."),
                "Frame and histogram have one each, and directions one more where they are not "
                "paid for yet.",
                ("Write ", Setting("split", (0.1, 0.9) if paid else _USUAL), ", or leave it out."),
            )
        return cls(*((Fraction(0),) if paid else ()), *shares)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The shares as floats, without directions that were paid for before."""
        shares = (self.directions, self.frame, self.histogram)
        return tuple(float(share) for share in shares if share)


def _shares(spelling: object) -> tuple[Fraction, ...] | None:
    match spelling:
        case None:
            return None
        case "halves":
            return (Fraction(1, 2),) * 2
        case "thirds":
            return (Fraction(1, 3),) * 3
        case _:
            pass
    numbers = [real(share) for share in listed(spelling)]
    if numbers and all(0 < share < 1 for share in numbers):
        shares = tuple(map(exactly, numbers))
        if sum(shares) == 1:
            return shares
    raise DomainError(
        (
            Setting("split", spelling),
            " must be 'halves', 'thirds' or shares above 0 that sum to 1.",
        ),
        "What is not spent is wasted, and more than all cannot be.",
        ("Leave it out, or write ", Setting("split", _USUAL), "."),
    )
