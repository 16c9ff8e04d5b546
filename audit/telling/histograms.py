"""Histograms under attack: noisy counts in public cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from sfumato.charts.histogram import Histogram, HistogramPlan
from sfumato.domain import Domain
from sfumato.grid import Key
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.testing import measure_planned
from telling.breaking import less_noise, no_cap
from telling.case import Case, Draws, Trials, Twin
from telling.copies import Belief, Copies, by_copies, domain_of, per_copy
from telling.pairs import CAPPED, ROWS, UNITS, USERS, Pair, nasty

EPSILON, DELTA = 2.0, 0.05
TRIALS = {"laplace": Trials(2048, 40960), "gaussian": Trials(3072, 61440)}
TRIALS_OF_NASTY = Trials(1024, 4096)
TWIN_TRIALS = 3072

# Each is charted by copies too, on an axis that is left.
SHAPES = {
    "laplace": Histogram("x", hue="copy", bins=4),
    "laplace, by hue": Histogram("x", y="copy", hue="ward", bins=4),
    "laplace, 2-D": Histogram("x", y="y", hue="copy", bins=2),
    "gaussian": Histogram("x", hue="copy", bins=2),
}

# On these pairs the unit moves one cell, by all of its weight.
_TIGHT = {
    unit: {"at the upper bound", "far above the bounds", "infinite", "alone in the table"}
    | {"one more of a tie", "apart from a tie", "the least integer", "the largest integer"}
    if unit != CAPPED
    else set[str]()
    for unit in UNITS
}
for unit in (USERS, CAPPED):
    _TIGHT[unit].add("a person with many rows")


@dataclass(frozen=True)
class Counting:
    """A histogram for one unit, and two tables to tell apart."""

    method: str
    unit: PrivacyUnit
    pair: Pair

    @property
    def chart(self) -> Histogram:
        """What is asked, for each copy."""
        return SHAPES[self.method]

    def plan(self, domain: Domain) -> HistogramPlan:
        """Return the plan of the chart by copies."""
        budget = Budget(EPSILON, DELTA if self.method == "gaussian" else 0.0, weak=True)
        return self.chart.plan(domain, self.unit, budget)

    @cached_property
    def belief(self) -> Belief:
        """What either table counts."""
        return Belief.of(
            self.pair, lambda domain: cast(list[Key], self.plan(domain).axes), self.unit
        )

    def draw(self, joined: bool, trials: int) -> Draws:
        """Return what is seen of so many releases: for which table they speak, and their sizes."""
        belief = self.belief  # formed before anything is drawn

        def look(copies: Copies) -> Draws:
            plan = self.plan(copies.domain)
            release = measure_planned(self.chart, copies.engine, plan)
            seen = per_copy(np.array(release.steps), release.keys)
            return np.column_stack([belief.says(seen, plan.noise), seen.sum(axis=1)])

        return by_copies(self.pair, joined, trials, look)

    @property
    def _adds_to_rows(self) -> bool:
        """Whether this is a row, or something that a person alone can do."""
        return self.unit == ROWS or self.pair.name not in {pair.name for pair in nasty(ROWS)}

    def case(self) -> Case:
        """Return the attack on this promise."""
        promise = self.plan(domain_of(1)).guarantee
        known = self.pair.name == _KNOWN[self.unit]
        family = "laplace" if promise.delta == 0 else "gaussian"
        tight = known or (family == "laplace" and self.pair.name in _TIGHT[self.unit])
        return Case(
            "histogram",
            self.method,
            self.unit,
            self.pair,
            promise.epsilon,
            promise.delta,
            tight,
            self.draw,
            TRIALS[family] if known else TRIALS_OF_NASTY,
            _twins(self.unit) if known else (),
            routine=known or (self.method == "laplace" and self._adds_to_rows),
        )


# The pair that is looked at most closely, and on which broken code must be seen.
_KNOWN = {ROWS: "at the upper bound", USERS: "a person with many rows"}
_KNOWN[CAPPED] = _KNOWN[USERS]


def _twins(unit: PrivacyUnit) -> tuple[Twin, ...]:
    third = Twin("a third of the noise", lambda: less_noise(1 / 3), TWIN_TRIALS)
    return (third, Twin("no cap on a person's rows", no_cap, 512)) if unit == CAPPED else (third,)


def cases() -> tuple[Case, ...]:
    """Return all attacks on histograms."""
    return tuple(
        Counting(method, unit, pair).case()
        for method in SHAPES
        for unit in UNITS
        for pair in nasty(unit)
    )
