"""`Guarantee`: what a release promises, and to whom."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from sfumato.errors import DomainError
from sfumato.privacy.budget import weakness
from sfumato.privacy.cost import exactly, float_above, show
from sfumato.privacy.unit import PrivacyUnit

MOST_ROWS = 2**63
"""More than any table has."""


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy for one unit added to or removed from the table.

    Parameters
    ----------
    size
        The number of rows, where it is public. The promise is then a weaker one: it hides what
        one row says, and not that the row is there.

    Examples
    --------
    >>> Guarantee(1.0, 0.0, PrivacyUnit.rows()).replace_one
    (2.0, 0.0)
    >>> print(Guarantee(1.0, 0.0, PrivacyUnit.rows(), size=900))
    ε = 1, protecting what one of 900 rows says (their number is public)
    >>> print(Guarantee(100.0, 0.0, PrivacyUnit.rows()))
    ε = 100, protecting one row. Protects little: ε = 100 is above 10
    """

    epsilon: float
    delta: float
    unit: PrivacyUnit
    size: int | None = None

    def __post_init__(self) -> None:
        if self.size is not None and (self.unit.column is not None or not _counted(self.size)):
            raise DomainError(
                "A public size is a whole number of rows from 1 up, where each row is protected "
                "alone. How many rows the users have together is not public. Leave it out, or "
                "protect rows: PrivacyUnit.rows()."
            )

    @property
    def neighbours(self) -> str:
        """The neighbour relation the promise is about, the unit's name as it is: files hold it."""
        if self.size is None:
            return f"add or remove {self.unit.words()}"
        return f"replace {self.unit.words()} of {self.size}"

    @property
    def replace_one(self) -> tuple[float, float]:
        """The promise (ε, δ) when one unit is replaced by another: 2ε and δ(1 + e^ε).

        Where the size is public, this is the promise itself.
        """
        if self.size is not None:
            return self.epsilon, self.delta
        epsilon = exactly(self.epsilon)
        delta = min(Fraction(1), exactly(self.delta) * (1 + _exp_above(epsilon)))
        return float_above(2 * epsilon), float_above(delta)

    @property
    def weakness(self) -> str:
        """Why this protects little, as a sentence after the one that is said; or nothing."""
        why = weakness(self.epsilon, self.delta)
        return why and f". Protects little: {why}"

    def __str__(self) -> str:
        delta = f", δ = {show(exactly(self.delta), up=True)}" if self.delta else ""
        promise = f"ε = {show(exactly(self.epsilon), up=True)}{delta}"
        return f"{promise}, protecting {self._protected}{self.weakness}"

    @property
    def _protected(self) -> str:
        if self.size is None:
            return str(self.unit)
        return f"what one of {self.size:,} rows says (their number is public)"


def _counted(rows: object) -> bool:
    return isinstance(rows, int) and not isinstance(rows, bool) and 1 <= rows <= MOST_ROWS


def _exp_above(epsilon: Fraction) -> Fraction:
    """Return at least e^ε, or at least e^1000: times any δ, that is more than 1."""
    context = Context(prec=40)
    exponent = min(epsilon, Fraction(1000))
    power = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    return Fraction(context.exp(power)) * (1 + Fraction(1, 10**30))
