"""What an experiment demands, and whether it is met."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Demand:
    """One number and the most that it may be."""

    what: str
    value: float
    most: float
    decides: bool = True

    @property
    def met(self) -> bool:
        """Whether it is small enough."""
        return self.value <= self.most

    def __str__(self) -> str:
        verdict = "met    " if self.met else "NOT MET" if self.decides else "beyond "
        return f"{verdict}  {self.what}: {self.value:.3g}, at most {self.most:g}"
