"""Distributions under attack: where lines are cut, and what their intervals hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.charts.distribution.chart import Distribution, DistributionPlan
from sfumato.domain import Domain
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.distribution import LineMeasured
from sfumato.testing import measure_planned
from telling.breaking import less_noise, no_cap
from telling.case import Case, Draws, Trials, Twin
from telling.copies import Copies, by_copies, domain_of
from telling.pairs import ROWS, UNITS, Pair, at, nasty

EPSILON = 2.0
MOST = 64  # copies of a table: each of them is cut by itself


@dataclass(frozen=True)
class Spreading:
    """A distribution for one unit, and two tables to tell apart."""

    unit: PrivacyUnit
    pair: Pair
    epsilon: float = EPSILON
    delta: float = 0.0

    chart = Distribution("x", hue="copy", step=1)

    def plan(self, domain: Domain) -> DistributionPlan:
        """Return the plan of the chart by copies."""
        return self.chart.plan(domain, self.unit, Budget(self.epsilon, self.delta, weak=True))

    def draw(self, joined: bool, trials: int) -> Draws:
        """Return what so many releases show: what all answers say, each round, and how many."""

        def look(copies: Copies) -> Draws:
            plan = self.plan(copies.domain)
            release = measure_planned(self.chart, copies.engine, plan)
            weight = self.unit.weight
            cell = int(np.clip(float(self.pair.person[0].x or 0.0), 0, release.value.cells - 1))
            return np.array([_hear(group, cell, weight) for group in release.measured])

        return by_copies(self.pair, joined, trials, look, most=MOST)

    def case(
        self, trials: Trials, *twins: Twin, tight: bool = False, routine: bool = False
    ) -> Case:
        """Return the attack on this promise."""
        promise = self.plan(domain_of(1)).guarantee
        return Case(
            "distribution",
            "gaussian" if self.delta else "laplace",
            self.unit,
            self.pair,
            promise.epsilon,
            promise.delta,
            tight,
            self.draw,
            trials,
            twins,
            routine,
        )


def _hear(group: LineMeasured, cell: int, weight: int) -> list[float]:
    """Return how much answers speak for a unit of a weight in a cell, where nobody else is."""
    says = held = 0.0
    for each in group.rounds:
        place = int(np.searchsorted(each.starts, cell, side="right")) - 1
        noisy = each.steps[place]
        says += (abs(noisy) - abs(noisy - weight)) / each.scale
        held += noisy / each.scale
    last = group.rounds[-1]
    return [says, held, float(len(last.starts)), float(sum(last.steps)), float(len(group.rounds))]


def cases() -> tuple[Case, ...]:
    """Return all attacks on distributions."""
    alone = Pair("alone", (), (at(4.0),))
    quiet = Twin("a sixth of the noise", lambda: less_noise(1 / 6), 288)
    many = [pair for pair in nasty(UNITS[-1]) if pair.name == "a person with many rows"]
    capped = [
        Spreading(unit, pair).case(Trials(512, 2048), Twin("no cap", no_cap, 512))
        for unit in UNITS
        if unit.max_rows
        for pair in many
    ]
    by_rho = Spreading(ROWS, alone, epsilon=1.0, delta=0.05).case(Trials(0, 2048))
    nastily = [
        Spreading(unit, pair, epsilon=1.0).case(Trials(256, 512))
        for unit in UNITS
        for pair in nasty(unit)
    ]
    tight = Spreading(ROWS, alone).case(Trials(320, 8192), quiet, tight=True, routine=True)
    return (tight, by_rho, *capped, *nastily)
