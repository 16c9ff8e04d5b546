"""Boxplots under attack: cells that are chosen, and noisy counts around them, by each method."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import cast
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from sfumato.charts.allocation import add_noise
from sfumato.charts.boxplot import fence, published
from sfumato.charts.boxplot.chart import Boxplot
from sfumato.charts.boxplot.fence import Fence
from sfumato.charts.boxplot.plan import BoxplotPlan, BoxProcedure
from sfumato.charts.boxplot.published import Published
from sfumato.domain import Bounds, Domain
from sfumato.exact import Exact
from sfumato.grid import Grid, Labels
from sfumato.mechanisms.meter import Meter
from sfumato.mechanisms.partition import partition
from sfumato.postprocess.box import Box, Summary
from sfumato.postprocess.noise_law import NoiseLaw
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.boxplot import METHODS, MeasuredBoxes
from sfumato.testing import measure_planned
from telling.breaking import less_noise, sharpened
from telling.case import Case, Draws, Trials, Twin
from telling.cells import cells_say
from telling.copies import MOST, Belief, Copies, by_copies, domain_of, noise_says
from telling.pairs import ROWS, UNITS, USERS, Pair, at, crowd, nasty

# What little promises is soon seen to be broken; a large ε leaves room to measure.
LITTLE, MORE, MUCH = 1.0, 4.0, 6.0

_SHARING = ("jointexp", "approx", "single")

Starts = list[list[int]]

CELLS = 9

_BLANK = Summary(*[Box(*[0.0] * 7)] * 3, size=0.0, reliable=False)


@dataclass(frozen=True)
class Boxing:
    """A boxplot for one unit, and two tables to tell apart."""

    method: str
    unit: PrivacyUnit
    pair: Pair
    epsilon: float
    delta: float = 0.0

    @property
    def copies(self) -> int:
        """How many releases are drawn at once: one, where groups share a level between them."""
        return 1 if self.method in _SHARING else MOST

    @property
    def chart(self) -> Boxplot:
        """What is asked, of each copy."""
        return Boxplot(x="copy", y="x", step=1, method=self.method)

    def plan(self, domain: Domain) -> BoxplotPlan:
        """Return the plan of the chart by copies."""
        return self.chart.plan(domain, self.unit, Budget(self.epsilon, self.delta, weak=True))

    @cached_property
    def belief(self) -> Belief:
        """What either table counts."""

        def keys(domain: Domain) -> tuple[Labels, Grid]:
            plan = self.plan(domain)
            return cast(Labels, plan.x), plan.values.grid(cast(Bounds, plan.values.bounds), 1)

        return Belief.of(self.pair, keys, self.unit)

    @cached_property
    def cells_say(self) -> Callable[[tuple[int, ...]], float]:
        """What chosen cells speak for."""
        method, belief = self.plan(domain_of(1)).method, self.belief
        return cells_say(method, belief.without, belief.within, self.unit.weight)

    def draw(self, joined: bool, trials: int) -> Draws:
        """Return what is seen of so many releases: chosen cells, and what all speaks for."""
        belief, known = self.belief, self.cells_say  # formed before anything is drawn

        def look(copies: Copies) -> Draws:
            plan = self.plan(copies.domain)
            with overheard_bins() as starts:
                release = measure_planned(self.chart, copies.engine, plan)
            seen = [
                [_code(each), known(each.cells), *_says(each, begins, belief, plan.method)]
                for each, begins in zip(release.measured, starts[-1], strict=True)
            ]
            return np.column_stack([seen, np.array(seen)[:, 1:].sum(axis=1)])

        return by_copies(self.pair, joined, trials, look, most=self.copies)

    def case(
        self,
        *,
        trials: Trials,
        tight: bool = False,
        twins: tuple[Twin, ...] = (),
        routine: bool = False,
    ) -> Case:
        """Return the attack on this promise."""
        promise = self.plan(domain_of(1)).guarantee
        epsilon, delta = promise.epsilon, promise.delta
        where = self.method, self.unit, self.pair
        return Case("boxplot", *where, epsilon, delta, tight, self.draw, trials, twins, routine)


@contextmanager
def overheard_bins() -> Generator[list[Starts]]:
    """Remember which bins are counted, which follows from what is released before.

    What is computed from the released integers says no more than they do, and is left out.
    """
    seen: list[Starts] = []

    def remembered(exact: Exact, starts: Sequence[Sequence[int]]) -> Exact:
        seen.append([list(row) for row in starts])
        return partition(exact, starts)

    with (
        mock.patch.object(fence, "partition", remembered),
        mock.patch.object(published, "partition", remembered),
        mock.patch.object(Fence, "_summary", return_value=_BLANK),
    ):
        yield seen


def _code(seen: MeasuredBoxes) -> int:
    """Return the quartiles as one number."""
    quartiles = seen.cells[1:4] if len(seen.cells) == 5 else seen.cells
    return sum(cell * CELLS**place for place, cell in enumerate(quartiles))


def _says(
    seen: MeasuredBoxes, starts: list[int], belief: Belief, method: BoxProcedure
) -> tuple[float, float]:
    """Return what the noisy size speaks for, and what the noisy counts do."""
    size, counts = np.array(seen.counts[:1]), np.array(seen.counts[1 : 1 + len(starts)])
    tables = belief.without, belief.within
    wholes = [table.sum(keepdims=True) for table in tables]
    binned = [np.add.reduceat(table, starts) for table in tables]
    assert isinstance(method, Fence | Published)
    return (
        float(noise_says(size, method.size, wholes[0], wholes[1])[0]),
        float(noise_says(counts, method.counts, binned[0], binned[1])[0]),
    )


def _pair(unit: PrivacyUnit, places: Sequence[float], place: float) -> Pair:
    """Return a pair whose people have as many rows as count."""
    times = unit.max_rows or 1
    people = (row for row in crowd(*places) for _ in range(times))
    return Pair(f"at {place:g} among {places or 'nobody'}", tuple(people), (at(place),) * times)


# Found by looking through the laws of all tables of three rows for what tells most.
_TELLING: dict[str, tuple[tuple[float, ...], float]] = {
    "fence": ((0, 2, 2), 8),
    "dpboxplot": ((0, 0, 0), 4),
    "jointexp": ((0, 6, 6), 8),
    "approx": ((4, 6, 8), 0),
    "single": ((2, 2, 4), 8),
    "unbounded": ((4,), 4),
}


def known_size() -> AbstractContextManager[object]:
    """Take the number of units as it is."""
    stack = ExitStack()
    for method in (fence, published):
        stack.enter_context(mock.patch.object(method, "add_noise", _size_as_it_is))
    return stack


def _size_as_it_is(meter: Meter, exact: Exact, law: NoiseLaw) -> NDArray[np.int64]:
    noisy = add_noise(meter, exact, law)
    values = exact.reveal()
    return values if values.shape[1] == 1 else noisy


SIZE = Twin("the exact size", known_size, 224)
NOISELESS = Twin("hardly any noise", lambda: less_noise(1 / 40), 1024)
SHARP = Twin("forty times as sharp", lambda: sharpened(40), 1024)

_NASTY = ("far above the bounds", "NaN", "alone in the table", "one more of a tie")
_NASTY_MANY = ("a person at both ends", "a person partly NULL", "a person in every bin")


def _little(method: str, unit: PrivacyUnit) -> Case:
    """A small promise, which broken code is soon seen to break."""
    walks = method in ("dpboxplot", "unbounded")
    twins = {ROWS: (SIZE,), USERS: (NOISELESS if walks else SHARP,)}
    return Boxing(method, unit, _pair(unit, *_TELLING[method]), LITTLE).case(
        trials=Trials(192, 2048),
        twins=twins.get(unit, ()),
        routine=unit == ROWS,
    )


def _much(method: str) -> Case:
    """A large promise, of which much can be measured; half of it where all parts lose at once."""
    tight = method == "fence"
    return Boxing(method, ROWS, _pair(ROWS, *_TELLING[method]), MUCH if tight else MORE).case(
        tight=tight, trials=Trials(3072, 20480 if tight else 6144)
    )


def _by_rho(method: str, unit: PrivacyUnit) -> Case:
    """A budget with a δ, under which choices are paid for by their ρ."""
    return Boxing(method, unit, _pair(unit, *_TELLING[method]), 1.0, 0.05).case(
        trials=Trials(0, 2048)
    )


def _nastily(method: str, unit: PrivacyUnit) -> list[Case]:
    names = _NASTY if unit.column is None else _NASTY + _NASTY_MANY
    trials = Trials(0, 512)
    return [
        Boxing(method, unit, pair, 1.0).case(trials=trials)
        for pair in nasty(unit)
        if pair.name in names
    ]


def cases() -> tuple[Case, ...]:
    """Return all attacks on boxplots."""
    every = [(method, unit) for unit in UNITS for method in METHODS]
    return (
        *(_little(*each) for each in every),
        *map(_much, METHODS),
        *(_by_rho(method, unit) for method in METHODS for unit in (ROWS, USERS)),
        *(case for each in every for case in _nastily(*each)),
    )
