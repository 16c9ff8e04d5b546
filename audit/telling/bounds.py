"""Private bounds under attack: a range that is searched for, and what is charted within it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from typing import cast
from unittest import mock

import numpy as np

from sfumato.charts import values as extent
from sfumato.charts.boxplot.chart import Boxplot
from sfumato.charts.quantiles import Quantiles
from sfumato.charts.values import BoundsSearch
from sfumato.domain import Domain
from sfumato.engines.engine import Engine
from sfumato.exact import Exact
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.threshold import Ladder, extremes
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee, PrivacyUnit
from sfumato.private_search import private
from sfumato.releases.boxplot import BoxplotRelease
from sfumato.releases.quantiles import QuantilesRelease
from sfumato.testing import measure_planned
from telling.boxes import overheard_bins
from telling.breaking import less_noise
from telling.case import Case, Draws, Trials, Twin
from telling.copies import swiftly
from telling.pairs import ROWS, UNITS, Pair, Row, at, crowd, nasty
from telling.remembering import Remembering

EPSILON = 3.0
SEARCH = private(share=0.8, within=(1, 8))

CHARTS = {
    "quantiles": Quantiles("x", 0.5, bounds=SEARCH, step=1),
    "boxplot": Boxplot(y="x", bounds=SEARCH, step=1),
}


@dataclass(frozen=True)
class Bounding:
    """A chart whose bounds are searched for, and two tables to tell apart."""

    chart: str
    unit: PrivacyUnit
    pair: Pair
    epsilon: float = EPSILON
    delta: float = 0.0

    @property
    def promise(self) -> Guarantee:
        """What the release promises."""
        return (
            CHARTS[self.chart]
            .plan(Domain(), self.unit, Budget(self.epsilon, self.delta, weak=True))
            .guarantee
        )

    @property
    def search(self) -> BoundsSearch:
        """The planned search."""
        plan = CHARTS[self.chart].plan(
            Domain(), self.unit, Budget(self.epsilon, self.delta, weak=True)
        )
        return cast(BoundsSearch, plan.values.bounds)

    def draw(self, joined: bool, trials: int) -> Draws:
        """Return what is seen of so many releases: the bounds, and the outer cells within."""
        engine = cast(Engine, Remembering(self.pair.table(joined)))
        budget = Budget(self.epsilon, self.delta, weak=True)
        with swiftly(), overheard_bins():
            match CHARTS[self.chart]:
                case Quantiles() as chart:
                    planned = chart.plan(Domain(), self.unit, budget)
                    seen = [
                        _quantiles(measure_planned(chart, engine, planned)) for _ in range(trials)
                    ]
                case Boxplot() as chart:
                    plan = chart.plan(Domain(), self.unit, budget)
                    seen = [_boxes(measure_planned(chart, engine, plan)) for _ in range(trials)]
        return np.array(seen)

    def case(
        self,
        trials: Trials,
        *,
        tight: bool = False,
        twins: tuple[Twin, ...] = (),
        routine: bool = False,
    ) -> Case:
        """Return the attack on this promise."""
        promise = self.promise
        numbers = promise.epsilon, promise.delta
        where = self.chart, "private bounds", self.unit, self.pair
        return Case(*where, *numbers, tight, self.draw, trials, twins, routine)


def _quantiles(release: QuantilesRelease) -> tuple[float, ...]:
    bounds = release.value.bounds
    return bounds.lower, bounds.upper, float(release.cells[0])


def _boxes(release: BoxplotRelease) -> tuple[float, ...]:
    bounds, (seen,) = release.value.bounds, release.measured
    return bounds.lower, bounds.upper, float(seen.cells[0]), float(seen.cells[-1])


def from_the_data() -> AbstractContextManager[object]:
    """Take as bounds the lowest and the highest rung that anyone is at."""

    def careless(
        meter: Meter, exact: Exact, *, ladder: Ladder, least: int, epsilon: Fraction
    ) -> Ladder:
        extremes(meter, exact, ladder=ladder, least=least, epsilon=epsilon)
        (occupied,) = np.nonzero(exact.reveal())
        ends = [occupied.min(initial=ladder.size - 1), occupied.max(initial=0)]
        return ladder[[sorted(ends)]]

    return mock.patch.object(extent, "extremes", careless)


def _enough(unit: PrivacyUnit) -> Pair:
    """A crowd at the upper end that is one unit short of what stops the search there."""
    steps = Bounding("quantiles", unit, Pair("", (), ())).search.least
    rows = unit.max_rows or 1
    people = math.ceil(steps / unit.weight) - 1
    few = tuple(Row(8.0, 8.0, who=f"c{index}") for index in range(people) for _ in range(rows))
    return Pair("one more at the upper end", few, (at(8.0),) * rows)


READ = Twin("bounds read from the data", from_the_data, 256)
NOISE = Twin("a sixth of the noise", lambda: less_noise(1 / 6), 768)


def cases() -> tuple[Case, ...]:
    """Return all attacks on searches for bounds."""
    far = Pair("far above the others", crowd(2, 2), (at(8.0),))
    ends = [
        Bounding("quantiles", unit, _enough(unit)).case(
            Trials(768, 16384), tight=unit == ROWS, twins=(NOISE,), routine=unit == ROWS
        )
        for unit in UNITS
    ]
    found = [
        Bounding("boxplot", ROWS, _enough(ROWS)).case(Trials(512, 4096)),
        Bounding("boxplot", ROWS, far, 1.0).case(Trials(256, 2048), twins=(READ,), routine=True),
    ]
    found += [
        Bounding("boxplot", unit, _enough(unit), 1.0).case(Trials(0, 512))
        for unit in UNITS
        if unit.column
    ]
    by_rho = [
        Bounding(chart, unit, _enough(unit), 1.0, 0.05).case(Trials(0, 512))
        for chart in CHARTS
        for unit in UNITS
    ]
    return (*ends, *found, *by_rho, *_nastily(UNITS))


def _nastily(units: Sequence[PrivacyUnit]) -> list[Case]:
    return [
        Bounding("quantiles", unit, pair, 1.0).case(Trials(256, 256))
        for unit in units
        for pair in nasty(unit)
    ]
