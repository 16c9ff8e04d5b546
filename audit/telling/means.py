"""Means under attack: two noisy sums of each group, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import cast
from unittest import mock

import numpy as np

from sfumato.addend import Addend, Member
from sfumato.charts.choropleth.chart import Choropleth
from sfumato.charts.means.chart import Barplot, MeansPlan
from sfumato.domain import Bounds, Domain
from sfumato.engines.queries import QueryEngine
from sfumato.exact import Exact
from sfumato.grid import Key
from sfumato.lattice import Question
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.testing import measure_planned
from telling.breaking import less_noise, no_cap
from telling.case import Case, Draws, Trials, Twin
from telling.copies import Belief, Copies, by_copies, domain_of, noise_says
from telling.pairs import CAPPED, ROWS, UNITS, USERS, Pair, nasty
from telling.regions import MAP

EPSILON, DELTA = 2.0, 0.05
TRIALS = {"laplace": Trials(2048, 20480), "gaussian": Trials(3072, 40960)}
TRIALS_OF_NASTY = Trials(1024, 4096)
TWIN_TRIALS = 3072

SHAPES: dict[str, Barplot | Choropleth] = {
    "laplace": Barplot(y="x", hue="copy", clip="bounds"),
    "laplace, two groups": Barplot("ward", "x", "copy", clip="bounds"),
    "laplace, proportion": Barplot(y="ward", hue="copy", estimator="proportion"),
    "laplace, regions": Choropleth("x", "y", MAP, value="ward", estimator="proportion", col="copy"),
    "gaussian": Barplot(y="x", hue="copy", clip="bounds"),
}

_KNOWN = {ROWS: "at the upper bound", USERS: "a person with many rows"}
_KNOWN[CAPPED] = _KNOWN[USERS]


@dataclass(frozen=True)
class Averaging:
    """Means for one unit, and two tables to tell apart."""

    method: str
    unit: PrivacyUnit
    pair: Pair

    @property
    def chart(self) -> Barplot | Choropleth:
        """What is asked, for each copy."""
        return SHAPES[self.method]

    def plan(self, domain: Domain) -> MeansPlan:
        """Return the plan of the chart by copies."""
        budget = Budget(EPSILON, DELTA if self.method == "gaussian" else 0.0, weak=True)
        return cast(MeansPlan, self.chart.plan(domain, self.unit, budget))

    @cached_property
    def belief(self) -> Belief:
        """What either table sums to."""
        tables = (Copies.of(self.pair, joined, 64) for joined in (False, True))
        return Belief(*(self._sums(copies) for copies in tables))

    def _sums(self, copies: Copies) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        plan = self.plan(copies.domain)
        keys = cast("list[Key]", list(plan.axes))
        if plan.levels is not None:
            addend = Member(plan.levels, plan.levels.cells - 1, plan.steps)
        else:
            addend = Addend("x", (cast(Bounds, plan.bounds),), plan.steps)
        sums = copies.engine.sums(keys, addend, self.unit).reveal()
        return sums.reshape(copies.number, -1).astype(np.float64).mean(axis=0)

    def draw(self, joined: bool, trials: int) -> Draws:
        """Return what is seen of so many releases: for which table they speak, and their sizes."""
        belief = self.belief  # formed before anything is drawn

        def look(copies: Copies) -> Draws:
            plan = self.plan(copies.domain)
            release = measure_planned(self.chart, copies.engine, plan)
            seen = np.array(release.steps, dtype=np.float64).reshape(copies.number, -1)
            says = noise_says(seen, plan.noise, belief.without, belief.within)
            return np.column_stack([says, seen.sum(axis=1)])

        return by_copies(self.pair, joined, trials, look)

    def case(self) -> Case:
        """Return the attack on this promise."""
        promise = self.plan(domain_of(1)).guarantee
        known = self.pair.name == _KNOWN[self.unit]
        family = "laplace" if promise.delta == 0 else "gaussian"
        return Case(
            "means",
            self.method,
            self.unit,
            self.pair,
            promise.epsilon,
            promise.delta,
            known and self.method == "laplace",
            self.draw,
            TRIALS[family] if known else TRIALS_OF_NASTY,
            self._twins() if known else (),
            routine=known,
        )

    def _twins(self) -> tuple[Twin, ...]:
        third = Twin("a third of the noise", lambda: less_noise(1 / 3), TWIN_TRIALS)
        if self.unit == CAPPED:
            return third, Twin("no cap on a person's rows", no_cap, 512)
        if self.method == "laplace":
            return third, Twin("steps that are taken for a third", third_of_the_steps, TWIN_TRIALS)
        return (third,)


def third_of_the_steps() -> AbstractContextManager[object]:
    """Let each row be worth three times the steps that the noise is for."""
    ask: Callable[..., Exact] = QueryEngine.sums

    def heavier(
        self: QueryEngine, keys: list[Question], addend: Addend | Member, unit: PrivacyUnit
    ) -> Exact:
        exact = ask(self, keys, addend, unit)
        return Exact(exact.l1, exact.l2_squared, exact.step, _values=3 * exact.reveal())

    return mock.patch.object(QueryEngine, "sums", heavier)


def cases() -> tuple[Case, ...]:
    """Return all attacks on means."""
    return tuple(
        Averaging(method, unit, pair).case()
        for method in SHAPES
        for unit in UNITS
        for pair in nasty(unit)
    )
