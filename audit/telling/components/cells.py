"""What fills the frame of a score plot, alone: in a public frame, groups are releases of their own.

A table of many copies, each of people of its own, is drawn in one go, and every copy of it is one
release: noise is drawn for every cell by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from sfumato.charts.allocation import Allocation
from sfumato.charts.scoreplot.cells import Filling, FoundWindow, Noised, Sparse
from sfumato.domain import Bounds, Categories
from sfumato.engines.engine import Engine
from sfumato.grid import Labels
from sfumato.lattice import REACH, Projection
from sfumato.mechanisms.meter import Meter
from sfumato.postprocess.haar import Estimate
from sfumato.privacy.budget import Budget, epsilon_of, to_fraction
from telling.case import Draws
from telling.components.drawing import Drawn, quickly
from telling.components.sums import LATTICE
from telling.laws import gaussian_says, sparse_says
from telling.overhearing import Integers, Overhearing

COPIES = 500
_GROUPS = Labels(
    "copy_ward", Categories.of([f"{copy}{ward}" for copy in range(COPIES) for ward in "AB"])
)
_FRAME = FoundWindow(
    Projection(LATTICE, "PC1", (0, 0), (REACH, 0), Bounds(-0.1, 0.1), 2),
    Projection(LATTICE, "PC2", (0, 0), (0, REACH), Bounds(-0.1, 0.1), 2),
)


@dataclass(frozen=True)
class Cells(Drawn):
    """Noisy counts of two groups in the cells of a public frame.

    Parameters
    ----------
    opening
        The δ of a threshold, where there is one; it comes to that of the budget.
    """

    budget: Budget
    method: str = "additive"
    opening: float = 0.0

    @property
    def called(self) -> tuple[str, str, str]:
        """The chart, its method, and what is particular about it."""
        return "scoreplot", self.method, " (cells alone)"

    @cached_property
    def plan(self) -> Filling:
        """How the frame is filled, with all of the budget."""
        portion = Allocation.of(self.budget)
        if self.method == "sparse":
            return Sparse(portion, to_fraction(self.opening), self.unit)
        return Noised(cast(Estimate, self.method), portion, self.unit)

    @property
    def promise(self) -> tuple[float, float]:
        """The ε that the price is worth at the δ of the budget, and that δ with the threshold's."""
        cost, delta = self.plan.cost, self.budget.delta
        return float(epsilon_of(cost.rho, to_fraction(delta))), delta + float(cost.delta)

    def look(self, engine: Overhearing) -> tuple[float, ...]:
        """Return what every copy says."""
        with Meter(self.plan.cost) as meter:
            filled = self.plan.fill(cast(Engine, engine), meter, _FRAME, _GROUPS, self.unit)
        numbers = [cast(Integers, filled.steps), *(each.reveal() for each in engine.answers[-1])]
        steps, without, joined = (each.reshape(COPIES, -1) for each in numbers)
        scale, threshold = self.plan.noise.scale, self.plan.threshold
        if threshold is None:
            return tuple(gaussian_says(steps, scale, without, joined))
        return tuple(sparse_says(steps, scale, threshold, without, joined))

    def draw(self, joined: bool, releases: int) -> Draws:
        """Return what is said by at least so many copies."""
        drawn, engine = replace(self), Overhearing(self.pair, joined, COPIES)
        seen: list[float] = []
        with engine.listening(), quickly():
            while len(seen) < releases:
                engine.forget()
                seen += drawn.look(engine)
        return np.array(seen)[:, np.newaxis]
