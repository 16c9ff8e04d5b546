"""Choropleths under attack: noisy counts of regions that overlap, share borders and have holes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.charts.choropleth.chart import Choropleth, ChoroplethPlan
from sfumato.domain import Domain
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.regions import Region, Ring
from sfumato.testing import measure_planned
from telling.breaking import less_noise, no_cap
from telling.case import Case, Draws, Trials, Twin
from telling.copies import Belief, Copies, by_copies, domain_of, per_copy
from telling.pairs import CAPPED, ROWS, UNITS, USERS, Pair, nasty

EPSILON = 2.0
TRIALS, TRIALS_OF_NASTY = Trials(2048, 40960), Trials(1024, 4096)
TWIN_TRIALS = 3072


def _box(left: float, low: float, right: float, high: float) -> Ring:
    return ((left, low), (right, low), (right, high), (left, high), (left, low))


# Whoever stands in the middle is on the border of two, within a third, and counts in one.
MAP = (
    Region("west", ((_box(0, 0, 4, 8), _box(1, 1, 2, 2)),)),
    Region("east", ((_box(4, 0, 8, 8),),)),
    Region("all", ((_box(-1, -1, 9, 9),),)),
)
_CHART = Choropleth("x", "y", MAP, col="copy")

# The pair that is looked at most closely, and on which broken code must be seen.
_KNOWN = {ROWS: "at the upper bound", USERS: "a person with many rows"}
_KNOWN[CAPPED] = _KNOWN[USERS]


@dataclass(frozen=True)
class Locating:
    """A map of regions for one unit, and two tables to tell apart."""

    unit: PrivacyUnit
    pair: Pair

    def plan(self, domain: Domain) -> ChoroplethPlan:
        """Return the plan of the chart by copies."""
        return _CHART.plan(domain, self.unit, Budget(EPSILON, weak=True))

    @cached_property
    def belief(self) -> Belief:
        """What either table counts."""
        return Belief.of(self.pair, lambda domain: self.plan(domain).axes, self.unit)

    def draw(self, joined: bool, trials: int) -> Draws:
        """Return what is seen of so many releases: for which table they speak, and their sizes."""
        belief = self.belief  # formed before anything is drawn

        def look(copies: Copies) -> Draws:
            plan = self.plan(copies.domain)
            release = measure_planned(_CHART, copies.engine, plan)
            seen = per_copy(np.array(release.steps), plan.axes)
            return np.column_stack([belief.says(seen, plan.noise), seen.sum(axis=1)])

        return by_copies(self.pair, joined, trials, look)

    def case(self) -> Case:
        """Return the attack on this promise."""
        promise = self.plan(domain_of(1)).guarantee
        known = self.pair.name == _KNOWN[self.unit]
        return Case(
            "choropleth",
            "laplace",
            self.unit,
            self.pair,
            promise.epsilon,
            promise.delta,
            known,
            self.draw,
            TRIALS if known else TRIALS_OF_NASTY,
            _twins(self.unit) if known else (),
            routine=known,
        )


def _twins(unit: PrivacyUnit) -> tuple[Twin, ...]:
    third = Twin("a third of the noise", lambda: less_noise(1 / 3), TWIN_TRIALS)
    return (third, Twin("no cap on a person's rows", no_cap, 512)) if unit == CAPPED else (third,)


def cases() -> tuple[Case, ...]:
    """Return all attacks on choropleths."""
    return tuple(Locating(unit, pair).case() for unit in UNITS for pair in nasty(unit))
