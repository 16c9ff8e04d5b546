"""What is asked after a look follows from noisy numbers alone, and all noise hides one unit.

A release is measured of one table, and again of a neighbour of which every mechanism gives the
answers that it gave of the first. Nothing but these answers may be read: both times the same is
asked, as often and with as much noise, and the same is released. What all answers together tell
the two tables apart by is added up from the true numbers, and stays within the plan's cost.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

from sfumato.catalogue import CITY, by_method, citizens, requests
from sfumato.charts.heatmap import adaptive
from sfumato.charts.heatmap.adaptive import Adaptive
from sfumato.engines.dispatch import DuckEngine
from sfumato.exact import Exact
from sfumato.mechanisms import approx, joint, noise, sparse, stability, threshold
from sfumato.privacy.budget import Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.testing import measure_planned, seeded

ADD = noise.add_noise
CHOICES = (
    joint.joint,
    approx.approx,
    approx.single,
    threshold.threshold,
    threshold.extremes,
    stability.threshold_categories,
    sparse.threshold_counts,
)
"""What does more by chance than to add noise: its answer is taken, and what it has paid."""

Answer = tuple[Any, ...]


@dataclass
class Tape:
    """The answers of one measurement, and how far they tell another table apart.

    Parameters
    ----------
    told
        For each payment of Laplace noise the sum of its shifts, in scales.
    squares
        Half the sum of the squared shifts of Gaussian noise, in deviations.
    chosen
        The ε and the ρ that choices have paid.
    """

    answers: list[Answer] = field(default_factory=list[Answer])
    place: int | None = None  # while it is played
    choosing: bool = False
    told: dict[int, tuple[object, float]] = field(default_factory=dict[int, tuple[object, float]])
    squares: float = 0.0
    chosen: tuple[float, float] = 0.0, 0.0

    @property
    def epsilon(self) -> float:
        """The pure ε of all Laplace noise and all choices."""
        return sum(shift for _, shift in self.told.values()) + self.chosen[0]

    @property
    def rho(self) -> float:
        """What it is in zero-concentrated privacy."""
        squares = sum(shift**2 for _, shift in self.told.values())
        return self.squares + squares / 2 + self.chosen[1]

    def add(self, receipt: Any, values: Any, family: str, scale: float) -> Any:
        """Stand in for `add_noise`."""
        if self.choosing:
            return ADD(receipt, values, family, scale)
        asked = (family, scale, values.shape)
        if self.place is None:
            self.answers.append((asked, values.copy(), ADD(receipt, values, family, scale)))
            return self.answers[-1][2].copy()
        true, noisy = self._play(asked)
        moved = np.abs(values.astype(np.float64) - true) / scale
        if family == "laplace":
            before = self.told.get(id(receipt), (receipt, 0.0))[1]
            self.told[id(receipt)] = (receipt, before + float(moved.sum()))
        else:
            self.squares += float((moved**2).sum()) / 2
        return noisy.copy()

    def choose(self, choose: Callable[..., Any]) -> Callable[..., Any]:
        """Stand in for a mechanism that chooses."""

        def stand_in(meter: Any, exact: Any, **named: Any) -> Any:
            asked = (choose.__name__, repr(sorted(named.items())))
            if self.place is None:
                before, self.choosing = meter.spent, True
                found = choose(meter, exact, **named)
                self.choosing = False
                self.answers.append((asked, paid(before, meter.spent), found))
                return found
            meter.pay(Cost.nothing())
            (epsilon, rho), found = self._play(asked)
            self.chosen = self.chosen[0] + epsilon, self.chosen[1] + rho
            return found

        return stand_in

    def _play(self, asked: Answer) -> Answer:
        assert self.place is not None and self.place < len(self.answers), "more is asked"
        before, *answer = self.answers[self.place]
        assert before == asked, "something else is asked"
        self.place += 1
        return tuple(answer)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Record answers, or play what was recorded."""
        stand_ins: dict[int, Any] = {id(ADD): self.add}
        stand_ins |= {id(choose): self.choose(choose) for choose in CHOICES}
        with ExitStack() as stack:
            for name, module in list(sys.modules.items()):
                if name.startswith("sfumato.") and module is not threshold:
                    for known, value in list(vars(module).items()):
                        if id(value) in stand_ins:
                            stack.enter_context(patch.object(module, known, stand_ins[id(value)]))
            yield


def paid(before: Cost, after: Cost) -> tuple[float, float]:
    """Return the ε and the ρ that were paid; no ε where Gaussian noise was paid for."""
    epsilon = (
        0 if before.epsilon is None or after.epsilon is None else after.epsilon - before.epsilon
    )
    return float(epsilon), float(after.rho - before.rho)


def compare(chart: Any, plan: Any, pair: tuple[pa.Table, pa.Table]) -> Tape:
    """Measure one table, play the answers to the other, and return how far they are apart."""
    tape, released = Tape(), list[Any]()
    for table in pair:
        engine = DuckEngine(table)
        engine._salt = "5a17"  # pyright: ignore[reportPrivateUsage] - the same rows of a person
        with tape.running(), seeded(3):
            released.append(measure_planned(chart, engine, plan))
        assert tape.place in (None, len(tape.answers)), "less is asked"
        tape.place = 0
    assert released[0] == released[1], "something else than answers was read"
    return tape


def neighbours(unit: PrivacyUnit, seed: int) -> tuple[pa.Table, pa.Table]:
    """Return a few visits with odd values among them, and as many without one unit's rows."""
    chance = np.random.default_rng(seed)
    some = POOL.take(chance.integers(0, POOL.num_rows, chance.integers(0, 80)))
    more = POOL.take(chance.integers(0, POOL.num_rows, 1 if unit.column is None else 25))
    if unit.column is not None:
        whose = pa.array(["stranger"] * len(more), POOL.schema.field(unit.column).type)
        more = more.set_column(POOL.column_names.index(unit.column), unit.column, whose)
    joined = pa.concat_tables([some, more])
    joined = pa.table({name: spoil(joined[name], chance) for name in joined.column_names})
    pair = joined.slice(0, len(some)), joined
    return pair if chance.integers(2) else pair[::-1]


def spoil(column: pa.ChunkedArray, chance: np.random.Generator) -> Any:
    """Return a column with odd values where it has fractions."""
    if not pa.types.is_floating(column.type):
        return column
    numbers = np.array(column)
    where = chance.random(len(numbers)) < 0.1
    numbers[where] = chance.choice([np.nan, np.inf, -np.inf, 1e300, 0.0], where.sum())
    return pa.array(numbers)


POOL = citizens(40)
PUBLIC = DuckEngine(POOL).schema().refine(CITY.domain)
REQUESTS = {each.name: each for each in requests(CITY)}
EVERY_DAY = {each.name for each in by_method(CITY)} | {
    name for name, each in REQUESTS.items() if each.typical or each.searches or "hue" in name
}


def replay(name: str, seed: int) -> float:
    """Return how much of what a request paid tells two tables apart."""
    asked = REQUESTS[name]
    plan = asked.chart.plan(PUBLIC, asked.unit, asked.budget(1.0))
    tape = compare(asked.chart, plan, neighbours(asked.unit, seed))
    if plan.cost.epsilon is None:
        return tape.rho / float(plan.cost.rho)
    return tape.epsilon / float(plan.cost.epsilon)


@pytest.mark.parametrize("name", sorted(EVERY_DAY))
def test_what_is_asked_follows_from_answers_and_these_hide_one_unit(name: str) -> None:
    assert replay(name, seed=11) <= 1 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", REQUESTS)
def test_every_request_asks_by_answers_alone_and_hides_any_unit(name: str) -> None:
    for seed in range(5):
        assert replay(name, seed) <= 1 + 1e-9


def test_what_a_chart_pays_is_needed() -> None:
    for name in ("countplot", "heatmap-adaptive", "heatmap-hue", "choropleth"):
        assert max(replay(name, seed) for seed in range(4)) > 0.8


def test_a_map_that_is_cut_by_its_true_size_would_be_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explore, parity = Adaptive._explore, [0]

    def peek(self: Any, opened: Any, exact: Exact, plane: Any) -> Any:
        parity[0] = int(exact.reveal().sum() // 2**28 % 4)
        return explore(self, opened, exact, plane)

    monkeypatch.setattr(Adaptive, "_explore", peek)
    monkeypatch.setattr(adaptive, "_count_halvings", lambda *_: 1 + parity[0])
    with pytest.raises(AssertionError, match="something else is asked"):
        for seed in range(4):
            replay("heatmap-adaptive", seed)


def test_noise_that_hides_half_a_unit_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = DuckEngine.counts

    def twice(self: DuckEngine, keys: Any, unit: PrivacyUnit) -> Exact:
        exact = counts(self, keys, unit)
        return Exact(exact.l1, exact.l2_squared, exact.step, _values=2 * exact.reveal())

    monkeypatch.setattr(DuckEngine, "counts", twice)
    assert max(replay("countplot", seed) for seed in range(4)) > 1.9
