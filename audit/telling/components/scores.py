"""Score plots, drawn many times: around components that are public, or with their own."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import cast

import numpy as np

from sfumato.charts.allocation import Allocation
from sfumato.charts.pca.chart import PCA
from sfumato.charts.scoreplot.cells import ScoreWindow
from sfumato.charts.scoreplot.chart import Scoreplot
from sfumato.charts.scoreplot.plan import ScoreplotPlan
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.engine import Engine
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.survey import split_into_maps
from sfumato.privacy.budget import Budget
from sfumato.releases.pca import PcaRelease
from sfumato.releases.scoreplot import ScoreplotRelease
from sfumato.testing import measure_planned, seeded
from telling.components.drawing import LEVELS, Drawn
from telling.components.sums import COLUMNS, sums_say
from telling.laws import gaussian_says, sparse_says
from telling.overhearing import Maps, Overhearing
from telling.pairs import DOMAIN, ROWS, Pair, Row

BINS = 2

CLOUD = tuple(
    Row(4 + 0.08 * float(np.sin(index)), 4 + 0.04 * float(np.cos(3 * index)), "A", f"c{index}")
    for index in range(60)
)
"""People close together, in one group."""


@cache
def public_components() -> PcaRelease:
    """Components of the cloud, as they might have been released before."""
    chart = PCA(COLUMNS)
    plan = chart.plan(DOMAIN, ROWS, Budget(20, 1e-5, weak=True))
    with seeded(7):  # they are public: whether anyone could repeat them does not matter
        return measure_planned(chart, DuckEngine(Pair("cloud", CLOUD, ()).table(False)), plan)


@dataclass(frozen=True)
class Scores(Drawn):
    """A score plot.

    Parameters
    ----------
    alone
        Whether it finds its components itself, and pays for them.
    """

    budget: Budget
    method: str = "additive"
    hue: str | None = None
    alone: bool = False

    @property
    def called(self) -> tuple[str, str, str]:
        """The chart, its method, and what is released besides one picture."""
        notes = {" (by group)": self.hue, " (components too)": self.alone}
        return "scoreplot", self.method, "".join(note for note, said in notes.items() if said)

    @cached_property
    def chart(self) -> Scoreplot:
        """What is asked."""
        known = None if self.alone else public_components()
        columns = COLUMNS if self.alone else None
        return Scoreplot(known, columns, bins=BINS, hue=self.hue, method=self.method)

    @cached_property
    def plan(self) -> ScoreplotPlan:
        """What it costs."""
        return self.chart.plan(DOMAIN, self.unit, self.budget)

    @property
    def promise(self) -> tuple[float, float]:
        """What the plan guarantees."""
        return self.plan.guarantee.epsilon, self.plan.guarantee.delta

    def look(self, engine: Overhearing) -> tuple[float, ...]:
        """Return what all numbers say, and how wide the frame is."""
        found = measure_planned(self.chart, cast(Engine, engine), self.plan)
        says = engine.choices_say + self._cells_say(found, engine)
        if self.alone:
            first, second = engine.answers[-4:-2]
            says += sums_say(found.pca.directions, first) + sums_say(found.pca.spread, second)
        return says, found.x.bounds.upper

    def _cells_say(self, found: ScoreplotRelease, engine: Overhearing) -> float:
        exacts = engine.answers[-1]
        if self.method == "pyramid":
            groups = zip(engine.surveys, *map(split_into_maps, exacts), strict=True)
            return sum(Maps(one, other, LEVELS[-1]).say(survey) for survey, one, other in groups)
        true = [exact.reveal().ravel() for exact in exacts]
        scale = self.plan.filling.noise.scale
        if found.threshold is not None:
            return float(sparse_says(found.steps, scale, found.threshold, *true))
        return float(gaussian_says(found.steps, scale, *true))


@dataclass(frozen=True)
class Window(Drawn):
    """The frame of a score plot alone, which is one choice and so has a pure ε."""

    budget: Budget

    @property
    def called(self) -> tuple[str, str, str]:
        """The chart, its method, and what is particular about it."""
        return "scoreplot", "additive", " (frame alone)"

    @cached_property
    def plan(self) -> ScoreWindow:
        """How the frame is found, with all of the budget."""
        return ScoreWindow.plan(Allocation.of(self.budget))

    @property
    def promise(self) -> tuple[float, float]:
        """What the choice costs."""
        return float(cast(Fraction, self.plan.cost.epsilon)), 0.0

    def look(self, engine: Overhearing) -> tuple[float, ...]:
        """Return what the choice says, and how wide the frame is."""
        known = public_components()
        with Meter(self.plan.cost) as meter:
            found = self.plan.find(
                cast(Engine, engine), meter, known, self.unit, axes=(1, 2), cells=(BINS, BINS)
            )
        return engine.choices_say, found.x.bounds.upper
