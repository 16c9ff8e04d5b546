"""Principal components, drawn many times: all of them, or the sums that their directions are of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import cast

import numpy as np

from sfumato.charts.allocation import Allocation
from sfumato.charts.pca.analysis import BESIDE_DIRECTIONS, Centre, MomentSum
from sfumato.charts.pca.chart import PCA
from sfumato.charts.pca.plan import PcaPlan
from sfumato.domain import Bounds
from sfumato.engines.engine import Engine
from sfumato.lattice import Lattice
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.moments import off_diagonal_scale
from sfumato.privacy.budget import Budget, epsilon_of, to_fraction
from sfumato.private_search import Private
from sfumato.releases.pca.moments import NoisyMoments
from sfumato.testing import ample_meter, measure_planned
from telling.components.drawing import Drawn
from telling.laws import gaussian_says
from telling.overhearing import Exacts, Overhearing
from telling.pairs import DOMAIN

COLUMNS = ("x", "y")
LATTICE = Lattice(COLUMNS, (Bounds(0, 8),) * 2, (4.0, 4.0))


@dataclass(frozen=True)
class Directions(Drawn):
    """The sums that directions follow from, about a centre and a radius that are public."""

    budget: Budget

    @property
    def called(self) -> tuple[str, str, str]:
        """The chart, its method, and what is particular about it."""
        return "pca", "gaussian", " (directions alone)"

    @cached_property
    def plan(self) -> MomentSum:
        """How they are summed, with noise that takes all of the budget."""
        return MomentSum.plan(BESIDE_DIRECTIONS, self.unit, Allocation.of(self.budget))

    @property
    def promise(self) -> tuple[float, float]:
        """The ε that their ρ is worth at the δ of the budget."""
        delta = self.budget.delta
        return float(epsilon_of(self.plan.cost.rho, to_fraction(delta))), delta

    def look(self, engine: Overhearing) -> tuple[float, ...]:
        """Return what the sums say."""
        with ample_meter() as meter:  # one that would not stop a twin
            found = self.plan.run(cast(Engine, engine), meter, LATTICE, (0, 0), 0.03)
        return (sums_say(found, engine.answers[0]),)


@dataclass(frozen=True)
class Scales(Drawn):
    """Medians, and the scales that correlations find for their columns: choices with a pure ε."""

    budget: Budget

    @property
    def called(self) -> tuple[str, str, str]:
        """The chart, its method, and what is particular about it."""
        return "corrplot", "gaussian", " (scales alone)"

    @cached_property
    def plan(self) -> Centre:
        """How they are found, with half of the budget for the scales."""
        half = Allocation.of(self.budget).part(Fraction(1, 2))
        return Centre.plan(LATTICE.columns, LATTICE.bounds, half, half)

    @property
    def promise(self) -> tuple[float, float]:
        """What the choices cost."""
        return float(cast(Fraction, self.plan.cost.epsilon)), 0.0

    def look(self, engine: Overhearing) -> tuple[float, ...]:
        """Return what the choices say, and the larger scale."""
        with Meter(self.plan.cost) as meter:
            found = self.plan.find(cast(Engine, engine), meter, self.unit)
        return engine.choices_say, max(found.scales(LATTICE.bounds))


@dataclass(frozen=True)
class Components(Drawn):
    """Centre, radius, directions and variances: all that is released."""

    budget: Budget
    scale: Private | None = None

    @property
    def called(self) -> tuple[str, str, str]:
        """The chart, its method, and what is particular about it."""
        return "pca", "gaussian", "" if self.scale is None else " (private scale)"

    @cached_property
    def chart(self) -> PCA:
        """What is asked."""
        return PCA(COLUMNS, scale=self.scale)

    @cached_property
    def plan(self) -> PcaPlan:
        """What it costs."""
        return self.chart.plan(DOMAIN, self.unit, self.budget)

    @property
    def promise(self) -> tuple[float, float]:
        """What the plan guarantees."""
        return self.plan.guarantee.epsilon, self.plan.guarantee.delta

    def look(self, engine: Overhearing) -> tuple[float, ...]:
        """Return what all numbers say, and the length at which rows were cut."""
        found = measure_planned(self.chart, cast(Engine, engine), self.plan)
        first, second = engine.answers[-2:]
        says = sums_say(found.directions, first) + sums_say(found.spread, second)
        return says + engine.choices_say, found.directions.radius


def sums_say(released: NoisyMoments, exacts: Exacts) -> float:
    """Return how much noisy sums of outer products speak for the table with the unit."""
    size = len(released.origin) + 1
    scales = np.full((size, size), off_diagonal_scale(released.scale))
    np.fill_diagonal(scales, released.scale)
    # What stands below the diagonal is a copy, and says nothing.
    scales[np.tril_indices(size, -1)] = np.inf
    true = [exact.reveal().ravel() for exact in exacts]
    return float(gaussian_says(released.square.ravel(), scales.ravel(), *true))
