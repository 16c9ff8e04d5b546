"""`Guarantee`: what a release promises, and to whom."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.privacy.amount import exactly, float_above
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
        if self.delta == 0:
            return float_above(2 * exactly(self.epsilon)), 0.0
        # Three ulps cover the rounding of exp, of the sum and of the product.
        grown = math.exp(min(self.epsilon, 700.0)) * (1 + 2**-50)
        return float_above(2 * exactly(self.epsilon)), min(1.0, self.delta * (1 + grown))

    def __str__(self) -> str:
        delta = f", δ = {self.delta:.4g}" if self.delta else ""
        return f"ε = {self.epsilon:.4g}{delta}, protecting {self.unit}"
