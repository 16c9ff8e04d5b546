"""`Case`: one promise under attack, and the broken code that the attack must notice."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from report import Size
from sfumato.privacy.guarantee import PrivacyUnit
from telling.auditing import Measured, measured
from telling.pairs import Pair

Draws = NDArray[np.float64]
"""One row for each release, one column for each number that the auditor looks at."""

Draw = Callable[[bool, int], Draws]
"""From whether the unit is there, and how many releases to draw, to what is seen of them.

A draw makes its own plan and its own engine, so that a twin that is in place then breaks both.
"""


@dataclass(frozen=True)
class Trials:
    """How many releases of either table are drawn."""

    fast: int
    full: int

    def of(self, size: Size) -> int:
        """Return the number for an attack of this size."""
        return self.fast if size == "fast" else self.full


@dataclass(frozen=True)
class Twin:
    """Production code that is broken while a context lasts.

    Parameters
    ----------
    trials
        How many releases of either table show it.
    """

    name: str
    broken: Callable[[], AbstractContextManager[object]]
    trials: int


@dataclass(frozen=True)
class Case:
    """A chart that was measured one way, for one unit, and two tables that are neighbours.

    Parameters
    ----------
    chart, method
        As the user types them; the family of the noise where there is no method.
    epsilon, delta
        What the release promises, read from the guarantee of its plan.
    tight
        Whether this pair loses nearly all that is paid for, so that much of it must be seen.
    twins
        Each must be seen to lose more than is promised.
    routine
        Whether the case is attacked in the fast form too.
    """

    chart: str
    method: str
    unit: PrivacyUnit
    pair: Pair
    epsilon: float
    delta: float
    tight: bool
    draw: Draw
    trials: Trials
    twins: tuple[Twin, ...] = ()
    routine: bool = True

    def __str__(self) -> str:
        return f"{self.chart} {self.method}, {unit_name(self.unit)}: {self.pair.name}"

    def measured(self, trials: int) -> Measured:
        """Draw so many releases of either table, and tell them apart."""
        one, other = (self.draw(joined, trials) for joined in (True, False))
        return measured(one, other, epsilon=self.epsilon, delta=self.delta)

    def holds(self, found: Measured, size: Size) -> bool:
        """Return whether what was seen is what it should be: within the promise, and near it.

        Near is half of it, where the pair is a tight one. Few releases are too few to come near
        whatever chance does: there the twins show what the attack can see.
        """
        near = self.epsilon / 2 if self.tight and size == "full" else 0.0
        return near <= found.epsilon and found.within(self.epsilon, self.delta)

    def sees(self, size: Size) -> bool:
        """Return whether a release that says outright which table it is of would be noticed.

        Where it would not, what stood has not been tried.
        """
        trials = self.trials.of(size)
        told = (np.full((trials, 1), float(joined)) for joined in (True, False))
        seen = measured(*told, epsilon=self.epsilon, delta=self.delta)
        return not seen.within(self.epsilon, self.delta)

    def caught(self, twin: Twin) -> bool:
        """Return whether broken code is seen to break the promise.

        So many trials show it most of the time. Where they do not, more are drawn: what escapes
        four and sixteen times as many was not unlucky.
        """
        with twin.broken():
            seen = (self.measured(twin.trials * more) for more in (1, 4, 16))
            return any(not found.within(self.epsilon, self.delta) for found in seen)


def unit_name(unit: PrivacyUnit) -> str:
    """Return what a table calls a unit, in few words."""
    if unit.column is None:
        return "rows"
    return "users" if unit.max_rows is None else f"users, {unit.max_rows} rows"
