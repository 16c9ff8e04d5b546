"""`Map`: a heatmap that is drawn many times, and what an auditor sees of it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.charts.heatmap import adaptive
from sfumato.charts.heatmap.chart import Heatmap
from sfumato.charts.heatmap.plan import HeatmapPlan
from sfumato.domain import Domain
from sfumato.grid import Grid
from sfumato.mechanisms.survey import NoisySquares
from sfumato.plane import Plane, interleave
from sfumato.postprocess import polya
from sfumato.postprocess.quadtree import Quadtree
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.testing import measure_planned
from telling.case import Case, Draws, Trials, Twin
from telling.overhearing import Maps, Overhearing
from telling.pairs import Pair

RESOLUTION = 4
PURE = Budget(2.0)
HEAVIEST = 2.0
"""The largest weight that is declared."""


METHODS: dict[str, dict[str, Any]] = {
    "laplace": {},
    "dense": {},
    # On so small a map the published width would look at one level alone.
    "pyramid": {"width": 4},
    "adaptive": {},
}


@dataclass(frozen=True)
class Weighing(Pair):
    """A pair whose rows weigh 1 each in the crowd, and anything where the unit joins."""

    weight: float | None = 1.0

    def table(self, joined: bool, copies: int = 1) -> pa.Table:
        """Return the rows with a column of weights; those of the unit come last."""
        table = super().table(joined, copies)
        weights: list[float | None] = [1.0] * len(self.crowd)
        weights += [self.weight] * (table.num_rows - len(weights))
        return table.append_column("weight", pa.array(weights, pa.float64()))


@dataclass(frozen=True)
class Map:
    """A heatmap of one pair, for one unit.

    Parameters
    ----------
    decoded
        Whether masses are decoded as they are for a picture, which takes most of the time. Where
        squares are chosen by masses, a quick guess from the same answers stands in for them.
    """

    pair: Pair
    unit: PrivacyUnit
    method: str = "laplace"
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    budget: Budget = PURE
    decoded: bool = False

    domain: ClassVar[Domain] = Domain(x=(0, 8), y=(0, 8), weight=(0, HEAVIEST))

    @property
    def chart(self) -> Heatmap:
        """What is asked."""
        options = METHODS[self.method] | self.options
        return Heatmap("x", "y", resolution=RESOLUTION, method=self.method, **options)

    @property
    def plan(self) -> HeatmapPlan:
        """What it costs."""
        return self.chart.plan(self.domain, self.unit, self.budget)

    def draw(self, joined: bool, releases: int) -> Draws:
        """Return what all answers say, and the last one where the unit has its first row."""
        chart, plan, engine = self.chart, self.plan, Overhearing(self.pair, joined)
        seen: list[tuple[float, float]] = []
        with engine.listening(), self._decoding():
            for _ in range(releases):
                engine.forget()
                measure_planned(chart, engine, plan)
                survey = engine.surveys[-1]
                says = Maps(*engine.answers[-1], plan.plane.levels).say(survey)
                seen.append((says, self._there(survey.asked[-1], plan.plane)))
        return np.array(seen)

    def case(self, trials: Trials, *twins: Twin, tight: bool = False, routine: bool = True) -> Case:
        """Return the promise of this map under attack."""
        promise = self.plan.guarantee
        return Case(
            "heatmap",
            self.method,
            self.unit,
            replace(self.pair, name=f"{self.pair.name}{self._note}"),
            promise.epsilon,
            promise.delta,
            tight,
            self.draw,
            trials,
            twins,
            routine,
        )

    @property
    def _note(self) -> str:
        said = [f"{name} {value}" for name, value in self.options.items() if name != "weight"]
        return f" ({', '.join(said)})" if said else ""

    def _there(self, asked: NoisySquares, plane: Plane) -> float:
        row = self.pair.person[0]
        column, line = cell(plane.x, row.x), cell(plane.y, row.y)
        finest = interleave(np.array([column]), np.array([line]))
        inside = finest >> 2 * (plane.levels - asked.level) == asked.code
        return float(asked.steps[inside].sum()) / asked.scale

    @contextmanager
    def _decoding(self) -> Generator[None]:
        with ExitStack() as stack:
            for module in () if self.decoded else (adaptive, polya):
                stack.enter_context(patch.object(module, "decode_polya_tree", _guess))
            yield


def cell(axis: Grid, value: float | None) -> int:
    """Return the cell of a value, or the one at the end that is nearest to it."""
    number = float(np.nan_to_num(axis.bounds.lower if value is None else value))
    place = int(np.searchsorted(axis.edges, number, side="right")) - 1
    return min(max(place, 0), axis.cells - 1)


def _guess(tree: Quadtree, unit: float) -> NDArray[np.float64]:
    del unit
    return np.maximum(tree.value[-1], 0.0)
