"""`Cost`: what a mechanism spent, in every currency it has a price in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import BudgetError
from sfumato.privacy.amount import show


@dataclass(frozen=True)
class Cost:
    """The price of a release; prices add up.

    Parameters
    ----------
    epsilon
        Pure ε, or None for a mechanism without one (Gaussian noise).
    rho
        Zero-concentrated privacy.
    delta
        The probability that a threshold fails, over and above what ε and ρ say.

    Examples
    --------
    >>> Cost.pure(Fraction(1, 2))
    Cost(ε = 0.5, ρ = 0.125)
    """

    epsilon: Fraction | None
    rho: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        epsilon = Fraction(0) if self.epsilon is None else self.epsilon
        if not all(map(_fits, (epsilon, self.rho, self.delta))):
            raise BudgetError(
                "A cost is made of fractions of at least 0. A negative one would refund what was "
                "spent, and a rounded one would not add up. Write Cost.pure(Fraction(1, 10))."
            )

    def __repr__(self) -> str:
        return f"Cost({self})"

    def __str__(self) -> str:
        parts = [] if self.epsilon is None else [f"ε = {show(self.epsilon, up=True)}"]
        parts += [f"ρ = {show(self.rho, up=True)}"]
        parts += [f"δ = {show(self.delta, up=True)}"] if self.delta else []
        return ", ".join(parts)

    @classmethod
    def nothing(cls) -> Cost:
        """Cost nothing at all."""
        return cls(Fraction(0), Fraction(0))

    @classmethod
    def pure(cls, epsilon: Fraction, *, delta: Fraction = Fraction(0)) -> Cost:
        """Price any ε-DP mechanism: ρ = ε²/2 (Bun and Steinke 2016, Prop. 1.4)."""
        return cls(epsilon, epsilon**2 / 2, delta)

    @classmethod
    def exponential(cls, epsilon: Fraction) -> Cost:
        """Price a true exponential mechanism: ρ = ε²/8 (Cesar and Rogers 2021, Lemma 3.2)."""
        return cls(epsilon, epsilon**2 / 8)

    @classmethod
    def gaussian(cls, rho: Fraction) -> Cost:
        """Price Gaussian noise, which has no pure ε."""
        return cls(None, rho)

    def __add__(self, other: Cost) -> Cost:
        whole = None
        if self.epsilon is not None and other.epsilon is not None:
            whole = self.epsilon + other.epsilon
        return Cost(whole, self.rho + other.rho, self.delta + other.delta)

    def within(self, other: Cost) -> bool:
        """Tell whether this cost is at most `other` in every currency."""
        cheap = other.epsilon is None or (
            self.epsilon is not None and self.epsilon <= other.epsilon
        )
        return cheap and self.rho <= other.rho and self.delta <= other.delta


def _fits(amount: object) -> bool:
    return isinstance(amount, Fraction) and amount >= 0
