"""Pair plots under attack: noisy counts of a pair, and of the units in each group.

Bins are placed by quantiles over all groups together, so that copies would not be apart. Columns of
three values have bins of their own, whatever quantiles say: here these are drawn and told nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.charts.pairplot.bins import make_bins
from sfumato.charts.pairplot.chart import Pairplot
from sfumato.charts.pairplot.plan import PairplotPlan
from sfumato.domain import Bounds, Domain
from sfumato.grid import Key, Labels
from sfumato.postprocess.pairs import choose_levels
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.testing import measure_planned
from telling.breaking import less_noise
from telling.case import Case, Draws, Trials, Twin
from telling.copies import Belief, Copies, by_copies, domain_of, per_copy
from telling.pairs import ROWS, USERS, Pair, nasty

EPSILON, DELTA = 2.0, 0.05
TRIALS, TRIALS_OF_NASTY = Trials(2048, 40960), Trials(1024, 4096)
TWIN_TRIALS = 3072

_CHART = Pairplot(("x", "y"), hue="copy")
_THREE = Bounds(0, 8, step=4)
_KNOWN = {ROWS: "at the upper bound", USERS: "a person with many rows"}


@dataclass(frozen=True)
class Pairing:
    """A pair plot for one unit, and two tables to tell apart."""

    method: str
    unit: PrivacyUnit
    pair: Pair

    def plan(self, domain: Domain) -> PairplotPlan:
        """Return the plan of the chart by copies."""
        budget = Budget(EPSILON, DELTA if self.method == "gaussian" else 0.0, weak=True)
        return _CHART.plan(domain | {"x": _THREE, "y": _THREE}, self.unit, budget)

    def keys(self, domain: Domain) -> list[Key]:
        """Return the cells that are counted in, the same for every release."""
        levels = choose_levels(1.0, 1.0)
        axes = [make_bins(name, _THREE, [4.0] * 5, levels, 4) for name in ("x", "y")]
        return [Labels("copy", domain.categories("copy")), *axes]

    @cached_property
    def belief(self) -> Belief:
        """What either table counts."""
        return Belief.of(self.pair, self.keys, self.unit)

    @cached_property
    def sizes(self) -> Belief:
        """How many units either table has."""
        return Belief(
            *(each.sum(keepdims=True) for each in (self.belief.without, self.belief.within))
        )

    def draw(self, joined: bool, trials: int) -> Draws:
        """Return what is seen of so many releases: for which table they speak, and their sizes."""
        belief, sizes = self.belief, self.sizes  # formed before anything is drawn

        def look(copies: Copies) -> Draws:
            plan = self.plan(copies.domain)
            release = measure_planned(_CHART, copies.engine, plan)
            seen = per_copy(np.array(release.steps), self.keys(copies.domain))
            said = belief.says(seen, plan.noise) + sizes.says(release.sizes, plan.size_noise)
            return np.column_stack([said, seen.sum(axis=1)])

        return by_copies(self.pair, joined, trials, look)

    def case(self) -> Case:
        """Return the attack on this promise."""
        promise = self.plan(domain_of(1)).guarantee
        known = self.pair.name == _KNOWN[self.unit]
        third = Twin("a third of the noise", lambda: less_noise(1 / 3), TWIN_TRIALS)
        return Case(
            "pair plot",
            self.method,
            self.unit,
            self.pair,
            promise.epsilon,
            promise.delta,
            known and self.method == "laplace",
            self.draw,
            TRIALS if known else TRIALS_OF_NASTY,
            (third,) if known and self.method == "laplace" else (),
            routine=known and self.method == "laplace",
        )


def cases() -> tuple[Case, ...]:
    """Return all attacks on pair plots."""
    return tuple(
        Pairing(method, unit, pair).case()
        for method in ("laplace", "gaussian")
        for unit in (ROWS, USERS)
        for pair in nasty(unit)
    )
