"""`Currency`: what charges are counted in, and how much noise an amount of it buys."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from sfumato.privacy.budget import Cost, float_below
from sfumato.privacy.renyi import afford_pure, afford_range


class Currency(ABC):
    """What a charge is counted in; amounts of it add up over charges chosen one by one."""

    name: str

    @abstractmethod
    def price(self, cost: Cost) -> Fraction | None:
        """Return how much of it a cost is; None where it has no such price."""

    @abstractmethod
    def rho(self, amount: Fraction) -> Fraction:
        """Return the ρ of the Gaussian noise that an amount buys."""

    @abstractmethod
    def pure(self, amount: Fraction) -> Fraction:
        """Return the ε that an amount buys of any mechanism with pure privacy."""

    @abstractmethod
    def choice(self, amount: Fraction) -> Fraction:
        """Return the ε that an amount buys of an exponential mechanism."""


@dataclass(frozen=True)
class Pure(Currency):
    """Pure ε, in which Gaussian noise has no price."""

    name = "ε"

    def price(self, cost: Cost) -> Fraction | None:
        """Return the ε of a cost, if it has one."""
        return cost.epsilon

    def rho(self, amount: Fraction) -> Fraction:
        """Return none."""
        return 0 * amount

    def pure(self, amount: Fraction) -> Fraction:
        """Return the amount itself."""
        return amount

    def choice(self, amount: Fraction) -> Fraction:
        """Return the amount itself."""
        return amount


@dataclass(frozen=True)
class Concentrated(Currency):
    """ρ of zero-concentrated privacy, in which the ledgers of version 0.1 count."""

    name = "ρ"

    def price(self, cost: Cost) -> Fraction:
        """Return the ρ of a cost."""
        return cost.rho

    def rho(self, amount: Fraction) -> Fraction:
        """Return the amount itself."""
        return amount

    def pure(self, amount: Fraction) -> Fraction:
        """Return the ε whose ε²/2 is the amount."""
        return _round_root_down(2 * amount)

    def choice(self, amount: Fraction) -> Fraction:
        """Return the ε whose ε²/8 is the amount."""
        return _round_root_down(8 * amount)


@dataclass(frozen=True)
class Renyi(Currency):
    """Rényi divergence at one order.

    Examples
    --------
    >>> half = Renyi(Fraction(20)).price(Cost.gaussian(Fraction(1, 40)))
    >>> half, round(float(Renyi(Fraction(20)).pure(half)), 3)
    (Fraction(1, 2), 0.524)
    """

    name = "r"

    order: Fraction

    def price(self, cost: Cost) -> Fraction:
        """Return the divergence of a cost, rounded up."""
        return cost.diverge(self.order)

    def rho(self, amount: Fraction) -> Fraction:
        """Return the ρ that diverges by the amount."""
        return amount / self.order

    def pure(self, amount: Fraction) -> Fraction:
        """Return an ε that diverges by at most the amount, and almost as much."""
        return afford_pure(self.order, amount)

    def choice(self, amount: Fraction) -> Fraction:
        """Return an ε of an exponential mechanism that diverges by at most the amount."""
        return afford_range(self.order, amount)


def _round_root_down(square: Fraction) -> Fraction:
    """Return a float whose square is at most `square`, and almost as much."""
    root = Fraction(float_below(Fraction(math.sqrt(square))))
    while root**2 > square:
        root = Fraction(math.nextafter(float(root), 0.0))
    return root


PURE = Pure()
