"""`Guarantee`: what a release promises, and to whom."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from sfumato.privacy.amount import exactly, float_above, show
from sfumato.privacy.unit import PrivacyUnit


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ)-differential privacy for one unit added to or removed from the table.

    Examples
    --------
    >>> Guarantee(1.0, 0.0, PrivacyUnit.rows()).replace_one
    (2.0, 0.0)
    """

    epsilon: float
    delta: float
    unit: PrivacyUnit

    @property
    def neighbours(self) -> str:
        """The neighbour relation the promise is about."""
        return f"add or remove {self.unit}"

    @property
    def replace_one(self) -> tuple[float, float]:
        """The promise (ε, δ) when one unit is replaced by another: 2ε and δ(1 + e^ε)."""
        epsilon = exactly(self.epsilon)
        delta = min(Fraction(1), exactly(self.delta) * (1 + _exp_above(epsilon)))
        return float_above(2 * epsilon), float_above(delta)

    def __str__(self) -> str:
        delta = f", δ = {show(exactly(self.delta), up=True)}" if self.delta else ""
        return f"ε = {show(exactly(self.epsilon), up=True)}{delta}, protecting {self.unit}"


def _exp_above(epsilon: Fraction) -> Fraction:
    """Return at least e^ε, or at least e^1000: times any δ, that is more than 1."""
    context = Context(prec=40)
    exponent = min(epsilon, Fraction(1000))
    power = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    return Fraction(context.exp(power)) * (1 + Fraction(1, 10**30))
