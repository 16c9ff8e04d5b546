"""Boxplots and quantiles, audited: neighbouring tables are told apart no better than promised.

Tables are tiny and chosen to hurt, the auditor knows all of their rows but one, and sees every
integer that is released. What follows from these integers alone cannot tell it more.

`test_telling` attacks every method every day, through the engine and with real noise. Here are more
tables, and the demand that much of what is promised can be seen to be lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from audit.measuring import Draws, measured_epsilon
from sfumato.charts.allocation import add_noise
from sfumato.charts.boxplot import fence, published
from sfumato.charts.boxplot.chart import Boxplot
from sfumato.charts.boxplot.plan import BoxProcedure
from sfumato.charts.quantiles import Quantiles
from sfumato.charts.ranks import CHOICE_SHARE, Chooser
from sfumato.domain import Bounds, Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.mechanisms import threshold as walking
from sfumato.mechanisms.joint import DecayRates
from sfumato.mechanisms.partition import partition
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases import boxplot, quantiles
from sfumato.testing import metered, seeded

pytestmark = pytest.mark.slow

Counts = NDArray[np.int64]
Table = dict[str, list[int]]
"""The values of each group."""

ROWS = PrivacyUnit.rows()
WARDS = ["A", "B"]
BOUNDS, GRID = Bounds(0, 8), Grid("wait", Bounds(-0.5, 8.5), 9)
DOMAIN = Domain(wait=BOUNDS, ward=WARDS)
EPSILON = 4.0
PROMISE = 2.0  # of what is broken: with more to lose, more draws would have to be seen


@dataclass(frozen=True)
class Pair:
    """Two tables, of which the second has one row more or less, and where that row lies."""

    one: Table
    other: Table
    ward: int
    value: int


PAIRS = {
    "an outlier appears": Pair({"A": [0, 1, 3, 4]}, {"A": [0, 1, 3, 4, 8]}, 0, 8),
    "the only row of a group leaves": Pair({"A": [4, 5], "B": [6]}, {"A": [4, 5], "B": []}, 1, 6),
    "a tie breaks": Pair({"A": [3, 4, 4, 5]}, {"A": [3, 4, 5]}, 0, 4),
    "the median row leaves": Pair({"A": [0, 4, 8]}, {"A": [0, 8]}, 0, 4),
}
DRAWS = {"fence": 1600, "dpboxplot": 800, "unbounded": 1600}
"""How many releases are drawn at once; other methods use the mean size of all groups."""

FEW = 400


def counted(table: Table) -> Counts:
    """Count a table as the chart does."""
    rows = [(float(value), ward) for ward in table for value in table[ward]]
    columns = {"wait": pa.float64(), "ward": pa.string()}
    named = zip(columns, zip(*rows, strict=True), strict=True)
    source = pa.table({name: pa.array(values, columns[name]) for name, values in named})
    chart = Boxplot(x="ward", y="wait", step=1, order=list(table))
    plan = chart.plan(DOMAIN, ROWS, Budget(1))
    assert plan.values.grid(BOUNDS, len(table)) == GRID
    return DuckEngine(source).counts([plan.x, GRID], ROWS).reshape_by_group().reveal()


@dataclass(frozen=True)
class Auditor:
    """Someone who knows one table, and looks for a row at one place.

    It sees the cells that were chosen, and how far the noisy counts lie from those it knows: of
    the group, and of the bin in which the row would be.
    """

    pair: Pair
    bins: list[list[list[int]]]

    def measure(self, method: str, epsilon: float, *, draws: int = FEW) -> float:
        """Return the ε that releases of both tables show."""
        chart = Boxplot(x="ward", y="wait", method=method)
        plan = chart.plan(DOMAIN, ROWS, Budget(epsilon)).method
        return self.measured(plan, at_once=draws if method in DRAWS else 1, draws=draws)

    def measured(self, plan: BoxProcedure, *, at_once: int = 1, draws: int = FEW) -> float:
        """Return the ε that a planned method shows."""
        one, other = (
            self._look(plan, counted(table), at_once, draws, seed)
            for seed, table in enumerate((self.pair.one, self.pair.other))
        )
        return measured_epsilon(one, other)

    def _look(self, plan: BoxProcedure, rows: Counts, at_once: int, draws: int, seed: int) -> Draws:
        exact = Exact(1, 1, 1.0, np.tile(rows, (at_once, 1)))
        ward, groups = self.pair.ward, len(rows)
        seen: list[list[float]] = []
        with seeded(seed):
            while len(seen) < draws:
                self.bins.clear()
                found = metered(plan.boxes, exact, GRID, 1.5).values.measured[ward::groups]
                starts = self.bins[-1][ward::groups]
                seen += [self._heard(*both) for both in zip(found, starts, strict=True)]
        return np.array(seen)

    def _heard(self, found: boxplot.MeasuredBoxes, starts: Sequence[int]) -> list[float]:
        known = np.bincount(list(self.pair.one.values())[self.pair.ward], minlength=GRID.cells)
        size, *counts = found.counts
        place = int(np.searchsorted(starts, self.pair.value, side="right")) - 1
        begin, end = [*starts, GRID.cells][place : place + 2]
        return [*found.cells, size - known.sum(), counts[place] - known[begin:end].sum()]


@pytest.fixture
def bins(monkeypatch: pytest.MonkeyPatch) -> list[list[list[int]]]:
    """Remember which bins were counted: they follow from what was released before."""
    seen: list[list[list[int]]] = []

    def remembered(exact: Exact, starts: Sequence[Sequence[int]]) -> Exact:
        seen.append([list(row) for row in starts])
        return partition(exact, starts)

    for method in (fence, published):
        monkeypatch.setattr(method, "partition", remembered)
    # Whatever is computed from the integers tells no more than they do, and takes time.
    monkeypatch.setattr(fence.Fence, "_summary", lambda *_: None)
    return seen


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("method", boxplot.METHODS)
def test_boxes_tell_tables_apart_no_better_than_promised(
    method: str, name: str, bins: list[list[list[int]]]
) -> None:
    tight = (method, name) == ("fence", "an outlier appears")
    draws = DRAWS.get(method, FEW) if tight else min(DRAWS.get(method, FEW), FEW)
    measured = Auditor(PAIRS[name], bins).measure(method, EPSILON, draws=draws)
    assert EPSILON / 2 * tight <= measured <= EPSILON


@pytest.mark.parametrize("name", ["size", "counts"])
@pytest.mark.parametrize("method", boxplot.METHODS)
def test_a_method_that_takes_a_count_nearly_as_it_is_would_be_caught(
    method: str, name: str, bins: list[list[list[int]]]
) -> None:
    """The twin: noise of an eighth on counts that cost all of the price."""
    plan = Boxplot(x="ward", y="wait", method=method).plan(DOMAIN, ROWS, Budget(PROMISE)).method
    law = NoiseLaw("laplace", 1 / (8 * PROMISE))
    careless = replace(plan, **{name: law})  # type: ignore[type-var]
    assert Auditor(PAIRS["an outlier appears"], bins).measured(careless) > PROMISE


@pytest.mark.parametrize("method", ["fence", "dpboxplot", "approx"])
def test_a_method_that_chooses_far_too_sharply_would_be_caught(
    method: str, bins: list[list[list[int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin."""
    sharpen(monkeypatch, 12)
    assert Auditor(PAIRS["an outlier appears"], bins).measure(method, PROMISE) > PROMISE


def sharpen(monkeypatch: pytest.MonkeyPatch, factor: int) -> None:
    """Break all exponential mechanisms: their weights fall faster than was paid for."""
    of = DecayRates.of

    def sharper(
        levels: Sequence[Fraction], epsilon: Fraction, score: str, *, replaced: bool
    ) -> DecayRates:
        return of(levels, factor * epsilon, score, replaced=replaced)  # type: ignore[arg-type]

    monkeypatch.setattr(DecayRates, "of", sharper)


@dataclass(frozen=True)
class Tight:
    """A level, and two tables for which the choice of it loses nearly all that is paid for."""

    level: float
    cells: int
    one: tuple[int, ...]
    other: tuple[int, ...]

    def measure(self, method: str, epsilon: float, draws: int) -> float:
        """Return the ε that the chosen cells show, where choosing them costs `epsilon`.

        A release costs more, for the counts around these cells. They are not looked at here: what
        the cells show is held against what was paid for them alone.
        """
        chart = Quantiles("wait", self.level, method=method)
        chooser = chart.plan(DOMAIN, ROWS, Budget(epsilon / float(CHOICE_SHARE))).chooser
        assert chooser.cost.epsilon == pytest.approx(epsilon)
        return measured_epsilon(
            self._chosen(chooser, self.one, draws, 1), self._chosen(chooser, self.other, draws, 2)
        )

    def _chosen(self, chooser: Chooser, rows: tuple[int, ...], draws: int, seed: int) -> Draws:
        counts = np.bincount(rows, minlength=self.cells)
        exact = Exact(1, 1, 1.0, np.tile(counts, (draws, 1)))
        grid = Grid("wait", Bounds(0, self.cells), self.cells)
        with seeded(seed):
            return metered(chooser.choose, exact, grid).values.astype(np.float64)


MEDIAN = Tight(0.5, 100, (0, 85), (0, 85, 99))
"""The median lies anywhere between two rows, until a third one makes it the larger of them."""

WALK = Tight(0.9, 102, (100,), (100, 100))
"""A second row holds back, at a hundred rungs without anyone, a walk that one row would not."""


@pytest.mark.parametrize("method", quantiles.METHODS)
def test_a_quantile_tells_tables_apart_nearly_as_well_as_promised(method: str) -> None:
    pair, draws = (WALK, 5000) if method == "unbounded" else (MEDIAN, 2000)
    measured = pair.measure(method, EPSILON, draws)
    assert EPSILON / 2 <= measured <= EPSILON


@pytest.mark.parametrize("method", ["joint", "jointexp", "approx", "single"])
def test_a_quantile_that_is_chosen_too_sharply_would_be_caught(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: thrice as sharply as was paid for."""
    sharpen(monkeypatch, 3)
    assert MEDIAN.measure(method, PROMISE, 1500) > PROMISE


def test_a_walk_with_less_noise_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a third of the noise."""
    planned = walking.threshold_scale
    monkeypatch.setattr(
        walking, "threshold_scale", lambda *facts, **more: planned(*facts, **more) / 3
    )
    assert WALK.measure("unbounded", PROMISE, 5000) > PROMISE


@pytest.mark.parametrize(("factor", "caught"), [(1.0, False), (0.5, True)])
def test_counts_are_told_apart_by_what_they_cost(factor: float, caught: bool) -> None:
    """With the noise that was planned, and with half of it."""
    law = Boxplot(y="wait").plan(DOMAIN, ROWS, Budget(EPSILON)).method.counts  # type: ignore[attr-defined]
    promised, in_use = 1 / law.scale, NoiseLaw("laplace", law.scale * factor)
    with seeded(3):
        one, other = (
            metered(add_noise, Exact(1, 1, 1.0, np.full((6000, 1), true)), in_use).values
            for true in (7, 8)
        )
    measured = measured_epsilon(one.astype(np.float64), other.astype(np.float64))
    assert (measured > promised) == caught
    assert measured > promised / 2
