"""Private categories under attack: names that show only where enough rows share them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast
from unittest import mock

import numpy as np

from sfumato.charts import allocation as search
from sfumato.charts.allocation import CategorySearch
from sfumato.charts.histogram import Histogram, HistogramPlan
from sfumato.domain import Domain
from sfumato.exact import Exact
from sfumato.grid import Labels
from sfumato.mechanisms.laplace import laplace_scale
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.stability import (
    stability_delta,
    stability_threshold,
    threshold_categories,
)
from sfumato.privacy.budget import Budget, float_above, to_fraction
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import private
from sfumato.testing import measure_planned, metered
from telling.breaking import less_noise
from telling.case import Case, Draws, Trials, Twin
from telling.copies import Copies, by_copies
from telling.pairs import CAPPED, ROWS, Pair, Row, at

LITTLE, MUCH = 1.0, 3.0
"""Prices: δ is seen beside a small ε, and ε beside a small δ."""

_NAMES = "ABC"
_HIDDEN = -99.0  # farther from any count than noise reaches
_COPIES = 256  # a search shows 1024 names at most


@dataclass(frozen=True)
class Naming:
    """A histogram of categories that are searched for, and two tables to tell apart."""

    unit: PrivacyUnit
    pair: Pair
    epsilon: float = LITTLE
    share: float = 0.9

    @property
    def chart(self) -> Histogram:
        """What is asked: the categories of all copies, which have names of their own."""
        return Histogram("copy_ward", order=private(share=self.share, delta=self._delta))

    @property
    def _delta(self) -> float:
        """The least δ that buys the threshold of δ = 1/20."""
        scale = laplace_scale(self.unit.weight, to_fraction(self.share) * to_fraction(self.epsilon))
        threshold = stability_threshold(self.unit.weight, scale, Fraction(1, 20))
        return float_above(stability_delta(self.unit.weight, scale, threshold))

    def plan(self) -> HistogramPlan:
        """Return the plan, which knows no category."""
        return self.chart.plan(Domain(), self.unit, Budget(self.epsilon))

    def draw(self, joined: bool, trials: int) -> Draws:
        """Return what is seen of so many copies: each count that is shown, and how many are."""

        def look(copies: Copies) -> Draws:
            release = measure_planned(self.chart, copies.engine, self.plan())
            names = cast(Labels, release.x).categories.values
            shown = dict(zip(names, release.steps, strict=True))
            counts = [
                [float(shown.get(f"{copy}{name}", _HIDDEN)) for name in _NAMES]
                for copy in range(copies.number)
            ]
            seen = np.array(counts)
            return np.column_stack([seen, (seen > _HIDDEN).sum(axis=1)])

        return by_copies(self.pair, joined, trials, look, most=_COPIES)

    def case(self, trials: Trials, *, tight: bool, twins: tuple[Twin, ...]) -> Case:
        """Return the attack on this promise."""
        promise = self.plan().guarantee
        numbers = promise.epsilon, promise.delta
        where = "private categories", self.unit, self.pair
        return Case(
            "histogram",
            *where,
            *numbers,
            tight,
            self.draw,
            trials,
            twins,
            routine=self.unit == ROWS,
        )


def _named(unit: PrivacyUnit) -> list[Case]:
    """Return attacks on a name of one unit alone, on its names, and on one that is known."""
    rows = unit.max_rows or 1
    blank = Naming(unit, Pair("", (), ()), MUCH, 0.5)
    threshold = cast(CategorySearch, blank.plan().x).threshold
    few = tuple(Row(who=f"c{index}") for index in range(threshold - rows))
    known = Pair("at the threshold", few, (at(4.0),) * rows)
    apart = Pair("alone in its categories", (), tuple(at(4.0, name) for name in _NAMES[:rows]))
    alone = Pair("alone in its category", (), (at(4.0),) * rows)
    low = Twin("a threshold one lower", lowered, 8192 if unit == ROWS else 61440)
    noise = Twin("a third of the noise", lambda: less_noise(1 / 3), 2048)
    trials = Trials(2048, 40960)
    return [
        replace(blank, pair=known).case(trials, tight=True, twins=(noise,)),
        Naming(unit, apart).case(trials, tight=False, twins=(low,)),
        *([] if unit == ROWS else [Naming(unit, alone).case(trials, tight=False, twins=())]),
    ]


def lowered() -> AbstractContextManager[object]:
    """Show categories at a threshold that is one lower than was paid for."""

    def careless(meter: Meter, exact: Exact, *, scale: float, threshold: int) -> tuple[str, ...]:
        threshold_categories(meter, exact, scale=scale, threshold=threshold)
        return metered(threshold_categories, exact, scale=scale, threshold=threshold - 1).values

    return mock.patch.object(search, "threshold_categories", careless)


def cases() -> tuple[Case, ...]:
    """Return all attacks on searches for categories."""
    return (*_named(ROWS), *_named(CAPPED))
