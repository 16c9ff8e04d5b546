"""`Budget`: how much privacy may be spent."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import BudgetError
from sfumato.privacy.amount import exactly
from sfumato.privacy.conversion import rho_within

LARGEST_EPSILON = 1e12
"""Far beyond any promise; larger numbers would overflow when the promise is restated."""


@dataclass(frozen=True)
class Budget:
    """An upper limit on privacy loss: pure ε, or ε with a small probability δ.

    Parameters
    ----------
    epsilon
        The largest privacy loss.
    delta
        The probability with which ε may be exceeded. There is no default but none at all.
    reserve
        The part of δ kept for thresholds (`sfumato.private`); the rest pays for the tight
        conversion of Gaussian noise. Half of δ unless you say otherwise.

    Examples
    --------
    >>> Budget(epsilon=1)
    Budget(epsilon=1.0)
    >>> Budget(epsilon=2, delta=1e-6).pure
    False
    """

    epsilon: float
    delta: float = 0.0
    reserve: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _number(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", _number(self.delta, "delta"))
        if self.reserve is not None:
            object.__setattr__(self, "reserve", _number(self.reserve, "reserve"))
        if not 0 < self.epsilon <= LARGEST_EPSILON:
            raise BudgetError(
                f"Budget(epsilon={self.epsilon:g}) must be a finite number above 0. It bounds what "
                "anyone can learn about one person. Write Budget(epsilon=1)."
            )
        if not 0 <= self.delta < 1:
            raise BudgetError(
                f"Budget(delta={self.delta:g}) must be at least 0 and below 1. It is the chance "
                "that the promise fails; keep it far below one over the number of people. Write "
                "Budget(epsilon=1, delta=1e-6)."
            )
        if self.reserve is not None and not 0 <= self.reserve <= self.delta:
            raise BudgetError(
                f"Budget(reserve={self.reserve:g}) must lie between 0 and delta. It is the part of "
                "δ kept for thresholds. Leave it out, or write a smaller one."
            )

    def __repr__(self) -> str:
        parts = [f"epsilon={self.epsilon!r}"]
        parts += [f"delta={self.delta!r}"] if self.delta else []
        parts += [] if self.reserve is None else [f"reserve={self.reserve!r}"]
        return f"Budget({', '.join(parts)})"

    @classmethod
    def of(cls, spelling: Budget | float) -> Budget:
        """Read a budget from a bare number, which is pure ε."""
        return spelling if isinstance(spelling, Budget) else cls(_number(spelling, "epsilon"))

    @property
    def pure(self) -> bool:
        """Whether no failure probability is allowed."""
        return self.delta == 0

    @property
    def threshold_delta(self) -> Fraction:
        """The part of δ that thresholds may spend."""
        return exactly(self.delta) / 2 if self.reserve is None else exactly(self.reserve)

    @property
    def rho(self) -> Fraction:
        """The zero-concentrated privacy this budget buys; none where δ is zero."""
        return rho_within(exactly(self.epsilon), exactly(self.delta) - self.threshold_delta)


def _number(value: object, name: str) -> float:
    try:
        return float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, OverflowError):
        pass
    raise BudgetError(
        f"{name} must be a number. Privacy is spent in exact amounts. Write Budget(epsilon=1)."
    )
