"""Principal components and score plots, audited: one far outlier against a tight cloud.

The auditor knows both tables and sees every number that is released. It adds up how much each of
them says for one table and against the other, from the law of its noise: no test tells the tables
apart better. What follows from these numbers alone cannot tell it more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import cast

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import ArrayLike, NDArray

from audit.measuring import epsilon_bound
from sfumato.charts.components import centre, reach, summing
from sfumato.charts.components.reach import FoundReach, Reach
from sfumato.charts.components.summing import Summing
from sfumato.charts.pca import PCA
from sfumato.charts.portion import Portion
from sfumato.charts.scoreplot import Scoreplot
from sfumato.charts.scores.filling import Noised
from sfumato.charts.scores.frame import FoundFrame, Frame
from sfumato.charts.scores.plan import ScoreplotPlan
from sfumato.domain import Bounds, Categories, Domain
from sfumato.engines.duck import DuckEngine
from sfumato.engines.engine import Engine
from sfumato.exact import Exact
from sfumato.grid import Grid, Labels
from sfumato.lattice import Distance, Lattice, Moments, Projection, Question
from sfumato.mechanisms.chosen import Chosen
from sfumato.mechanisms.joint import joint
from sfumato.mechanisms.moments import noisy_moments, off_diagonal_scale
from sfumato.mechanisms.noise import Noisy
from sfumato.privacy.budget import Budget
from sfumato.privacy.conversion import epsilon_of
from sfumato.privacy.cost import Cost
from sfumato.privacy.unit import PrivacyUnit
from sfumato.releases.moments import NoisyMoments
from sfumato.releases.pca import PcaRelease
from sfumato.testing import seeded

pytestmark = pytest.mark.slow

Floats = NDArray[np.float64]
Rows = list[tuple[str, float, float, str]]
"""Who, where along two columns, and in which group."""

COLUMNS, GROUPS = ("a", "b"), ("near", "far")
DOMAIN = Domain(a=(-1, 1), b=(-1, 1), group=list(GROUPS))
LATTICE = Lattice(COLUMNS, (Bounds(-1, 1),) * 2, (1.0, 1.0))
HUE = Labels("group", Categories.of(GROUPS))

HALF = Portion(Fraction(1, 2), pure=False)
"""The ρ of every part that is audited for itself."""

DELTA = 0.05  # large, for a small one would have to be seen first
MARKS = (0.5, 1.0, 1.5, 2.25, 3.0)
CONFIDENCE = 0.95
WIDE = 0.5  # what reaches as far as this might reach for the outlier

CLOUD: Rows = [
    (f"{index}", 0.02 * np.sin(index), 0.01 * np.cos(3 * index), "near") for index in range(200)
]


@dataclass(frozen=True)
class Pair:
    """What one unit adds to the cloud."""

    person: Rows
    unit: PrivacyUnit


def far(group: str) -> tuple[str, float, float, str]:
    """A row of someone who is beyond all bounds."""
    return "z", 1e6, 1e6, group


PAIRS = {
    "a row": Pair([far("near")], PrivacyUnit.rows()),
    "a row in a group of its own": Pair([far("far")], PrivacyUnit.rows()),
    "a person whose rows share a weight": Pair(
        [far("near")] * 5 + [far("far")] * 2, PrivacyUnit.users("who")
    ),
    "a person with more rows than count": Pair(
        [far("far")] * 9, PrivacyUnit.users("who", max_rows=3)
    ),
}


def table(rows: Rows) -> pa.Table:
    who, a, b, group = zip(*rows, strict=True)
    return pa.table({"who": who, "a": a, "b": b, "group": group})


Exacts = tuple[Exact, Exact]
"""What two neighbouring tables would answer."""


class Overheard:
    """An engine of one of two tables, which remembers what both would have answered."""

    def __init__(self, pair: Pair, *, joined: bool) -> None:
        self._engines = [DuckEngine(table(rows)) for rows in (CLOUD, CLOUD + pair.person)]
        self._joined = joined
        self._known: dict[object, list[Exacts]] = {}
        self.answers: list[list[Exacts]] = []
        self.choices: list[Choice] = []

    def forget(self) -> None:
        self.answers.clear()
        self.choices.clear()

    def marginals(self, keys: Sequence[Grid], unit: PrivacyUnit) -> tuple[Exact, ...]:
        return self._ask(("marginals", *keys), lambda engine: engine.marginals(keys, unit))

    def counts(self, keys: Sequence[Question], unit: PrivacyUnit) -> Exact:
        return self._ask(("counts", *keys), lambda engine: (engine.counts(keys, unit),))[0]

    def gram(self, moments: Moments, unit: PrivacyUnit) -> Exact:
        return self._ask(moments, lambda engine: (engine.gram(moments, unit),))[0]

    def choose(self, exact: Exact, *, levels: Sequence[Fraction], epsilon: Fraction) -> Chosen:
        """Choose as the mechanism does, and remember what from."""
        chosen = joint(exact, levels=levels, epsilon=epsilon)
        self.choices.append(Choice(exact, levels[0], epsilon, int(chosen.cells[0, 0])))
        return chosen

    def choices_say(self, answers: Sequence[Exacts]) -> float:
        """Return how much all chosen cells speak for the second table."""
        # Twins choose less, and what they read off the data comes last.
        pairs = zip(self.choices, answers, strict=False)
        return sum(choice.says(exacts, self._joined) for choice, exacts in pairs)

    def _ask(
        self, question: object, ask: Callable[[Engine], tuple[Exact, ...]]
    ) -> tuple[Exact, ...]:
        if question not in self._known:
            one, other = (ask(engine) for engine in self._engines)
            self._known[question] = list(zip(one, other, strict=True))
        self.answers.append(self._known[question])
        return tuple(exacts[self._joined] for exacts in self._known[question])


@dataclass(frozen=True)
class Choice:
    """A cell that was chosen as a quantile of some counts."""

    exact: Exact
    level: Fraction
    epsilon: Fraction
    cell: int

    def says(self, exacts: Exacts, joined: bool) -> float:
        """Return how much the cell speaks for the second of two tables."""
        real = exacts[joined].reveal().ravel()
        # Whatever else was counted, it is public: a crowd that is the same for both tables.
        crowd = self.exact.reveal().ravel() - real
        one, other = (
            np.log(self._chances((exact.reveal().ravel() + crowd) / exact.l1)) for exact in exacts
        )
        return float(other[self.cell] - one[self.cell])

    def _chances(self, counts: Floats) -> Floats:
        """Return how likely each cell is to be chosen, from the law in `joint.md`."""
        level = float(self.level)
        ranks = np.concatenate([[0.0], np.cumsum(counts)]) - level * counts.sum()
        # A weight is e to the minus of how far its rank lies from what is wanted.
        ranks *= float(self.epsilon) / 2 / max(level, 1 - level)
        starts, ends = ranks[:-1], ranks[1:]
        length = np.maximum(ends - starts, 1e-12)
        nearest = np.maximum(np.maximum(starts, -ends), 0)
        beside = -np.exp(-nearest) * np.expm1(-length)
        around = -np.expm1(np.minimum(starts, 0)) - np.expm1(-np.maximum(ends, 0))
        weights = cast(Floats, np.where((starts < 0) & (ends > 0), around, beside)) / length
        return weights / weights.sum()


def noise_says(steps: ArrayLike, scales: ArrayLike, exacts: Exacts) -> float:
    """Return how much noisy integers speak for the second table."""
    one, other = (exact.reveal() for exact in exacts)
    apart, middle = (other - one).astype(np.float64), 2 * np.asarray(steps) - one - other
    return float((apart * middle / (2 * np.square(scales))).sum())


def sums_say(released: NoisyMoments, exacts: Exacts) -> float:
    """Return how much noisy sums of outer products speak for the second table."""
    size = len(released.origin) + 1
    scales = np.full((size, size), off_diagonal_scale(released.scale))
    np.fill_diagonal(scales, released.scale)
    # What stands below the diagonal is a copy, and says nothing.
    scales[np.tril_indices(size, -1)] = np.inf
    return noise_says(released.square, scales, exacts)


Draw = Callable[[Overheard], tuple[float, ...]]
"""Draws a release, and returns scores that speak for the second table."""


def measured(draw: Draw, pair: Pair, draws: int) -> float:
    """Return what ε is at least, at δ = 1/20, from what is drawn of both tables."""
    return told_apart(drawn(draw, pair, draws), DELTA)


def drawn(draw: Draw, pair: Pair, draws: int) -> list[tuple[Floats, Floats]]:
    """Return each score of many releases without the outlier, and with it."""
    said: list[Floats] = []
    for joined in (False, True):
        engine = Overheard(pair, joined=joined)
        with seeded(int(joined)), pytest.MonkeyPatch.context() as patch:
            for module in (centre, reach):
                patch.setattr(module, "joint", engine.choose)
            said.append(np.array([draw(engine) for _ in range(draws)]).T)
    return list(zip(*said, strict=True))


def told_apart(scores: list[tuple[Floats, Floats]], delta: float) -> float:
    """Return what ε is at least, at this δ, with 95 % confidence."""
    # Scores and marks are fixed beforehand; each event they make takes its part of the doubt.
    confidence = 1 - (1 - CONFIDENCE) / (2 * len(MARKS) * len(scores))
    best = 0.0
    for without, within in scores:
        for here, there in ((within, without), (-without, -within)):
            for mark in MARKS:
                hits, misses = (int((score >= mark).sum()) for score in (here, there))
                bound = epsilon_bound(hits, here.size, misses, there.size, confidence, delta=delta)
                best = max(best, bound)
    return best


def wide(distance: float) -> float:
    """Return a score that speaks for the outlier where a distance is large."""
    return 9.0 if distance > WIDE else -9.0


def promised(cost: Cost) -> float:
    return float(epsilon_of(cost.rho, Fraction(DELTA)))


@dataclass(frozen=True)
class Directions:
    """The sums that directions follow from, about a released centre."""

    pair: Pair
    constant: int = 724

    @property
    def plan(self) -> Summing:
        return Summing.plan(self.constant, self.pair.unit, HALF)

    def draw(self, engine: Overheard) -> tuple[float, ...]:
        engine.forget()
        found = self.plan.run(cast(Engine, engine), LATTICE, (0, 0), 0.03)
        return (sums_say(found.moments, engine.answers[0][0]),)


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_directions_tell_an_outlier_no_better_than_promised(pair: Pair) -> None:
    part = Directions(pair)
    found = measured(part.draw, pair, 1000)
    assert 0.3 * promised(part.plan.cost) < found <= promised(part.plan.cost)


@pytest.mark.parametrize("name", ["a row", "a person with more rows than count"])
def test_directions_with_half_the_noise_would_be_caught(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: as if one unit moved the sums by half of what it can."""

    def careless(exact: Exact, *, scale: float) -> Noisy:
        return noisy_moments(exact, scale=scale / 2)

    monkeypatch.setattr(summing, "noisy_moments", careless)
    pair = PAIRS[name]
    part = Directions(pair)
    assert measured(part.draw, pair, 1000) > promised(part.plan.cost)


@pytest.fixture(scope="module")
def components() -> PcaRelease:
    """Components of the cloud, as they might have been released before."""
    chart = PCA(columns=COLUMNS)
    plan = chart.plan(DOMAIN, PrivacyUnit.rows(), Budget(20, 1e-5))
    with seeded(7):
        return chart.measure(DuckEngine(table(CLOUD)), plan)


@dataclass(frozen=True)
class Window:
    """The frame of a score plot, around components that are known."""

    components: PcaRelease
    unit: PrivacyUnit

    @property
    def plan(self) -> Frame:
        return Frame.plan(HALF)

    def draw(self, engine: Overheard) -> tuple[float, ...]:
        engine.forget()
        found = self.plan.find(cast(Engine, engine), self.components, (1, 2), (4, 4), self.unit)
        return engine.choices_say(engine.answers[0]), wide(found.x.bounds.upper)


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_a_frame_tells_an_outlier_no_better_than_promised(
    pair: Pair, components: PcaRelease
) -> None:
    part = Window(components, pair.unit)
    scores = drawn(part.draw, pair, 300)
    assert told_apart(scores, DELTA) <= promised(part.plan.cost)
    # The choice has a pure ε as well.
    assert told_apart(scores, 0.0) <= cast(Fraction, part.plan.cost.epsilon)


@pytest.mark.parametrize("name", ["a row", "a person with more rows than count"])
def test_a_frame_around_all_rows_would_be_caught(
    name: str, components: PcaRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: as wide as the data are."""
    monkeypatch.setattr(Reach, "find", farthest_row)
    pair = PAIRS[name]
    part = Window(components, pair.unit)
    assert measured(part.draw, pair, 200) > promised(part.plan.cost)


def farthest_row(plan: Reach, engine: Engine, key: Distance, unit: PrivacyUnit) -> FoundReach:
    """Return how far the farthest row lies, and say that a private quantile was paid for."""
    occupied = np.flatnonzero(engine.counts([key], unit).reveal())
    return FoundReach(key.edges[int(occupied.max()) + 1], plan.cost, private=False)


@dataclass(frozen=True)
class Histogram:
    """Counts of scores by cell, and by group where there are any."""

    components: PcaRelease
    pair: Pair
    hue: Labels | None

    @property
    def plan(self) -> Noised:
        return Noised("additive", HALF, self.pair.unit)

    def draw(self, engine: Overheard) -> tuple[float, ...]:
        frame = known_frame(self.components)
        engine.forget()
        filled = self.plan.fill(cast(Engine, engine), frame, self.hue, self.pair.unit)
        steps = cast(NDArray[np.int64], filled.steps)
        return (counts_say(steps, self.plan.noise.scale, engine.answers[0][0]),)


def known_frame(components: PcaRelease) -> FoundFrame:
    """A frame that was released before, far narrower than the outlier is far."""
    bounds = Bounds(-0.1, 0.1)
    x, y = (
        Projection(
            components.lattice, f"PC{axis}", components.origin, components.vectors[axis], bounds, 4
        )
        for axis in (0, 1)
    )
    return FoundFrame(x, y, Cost.nothing(), private=True)


def counts_say(steps: ArrayLike, scale: float, exacts: Exacts) -> float:
    """Return how much noisy counts of all groups speak for the second table."""
    return noise_says(np.reshape(steps, exacts[0].reveal().shape), scale, exacts)


@pytest.mark.parametrize("hue", [None, HUE], ids=["together", "by group"])
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_a_histogram_tells_an_outlier_no_better_than_promised(
    pair: Pair, hue: Labels | None, components: PcaRelease
) -> None:
    part = Histogram(components, pair, hue)
    found = measured(part.draw, pair, 800)
    assert found <= promised(part.plan.cost)
    if hue is None:
        assert found > 0.3 * promised(part.plan.cost)


@pytest.mark.parametrize("hue", [None, HUE], ids=["together", "by group"])
def test_counts_that_hide_a_row_and_not_a_person_would_be_caught(
    hue: Labels | None, components: PcaRelease, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: noise for one row, where three of a person's are counted."""
    pair = PAIRS["a person with more rows than count"]
    part = Histogram(components, pair, hue)
    monkeypatch.setattr(Noised, "noise", HALF.law(1))
    assert measured(part.draw, pair, 800) > promised(part.plan.cost)


@dataclass(frozen=True)
class Whole:
    """A score plot that pays for its components too: all that is released, from the centre on."""

    unit: PrivacyUnit
    hue: str | None
    epsilon: float

    @cached_property
    def chart(self) -> Scoreplot:
        return Scoreplot(columns=COLUMNS, bins=4, hue=self.hue, method="additive")

    @cached_property
    def plan(self) -> ScoreplotPlan:
        return self.chart.plan(DOMAIN, self.unit, Budget(self.epsilon, DELTA))

    def draw(self, engine: Overheard) -> tuple[float, ...]:
        engine.forget()
        release = self.chart.measure(cast(Engine, engine), self.plan)
        medians, near, first, second, window, cells = engine.answers
        pca = release.pca
        says = sums_say(pca.directions, first[0]) + sums_say(pca.spread, second[0])
        says += counts_say(release.steps, self.plan.filling.noise.scale, cells[0])
        says += engine.choices_say([*medians, *near, *window])
        return says, wide(pca.directions.length(pca.lattice)), wide(release.x.bounds.upper)


@pytest.mark.parametrize("hue", [None, "group"], ids=["together", "by group"])
def test_a_score_plot_tells_an_outlier_no_better_than_promised(hue: str | None) -> None:
    pair = PAIRS["a row in a group of its own"]
    whole = Whole(pair.unit, hue, 3.0)
    assert measured(whole.draw, pair, 100) <= 3.0


def test_a_radius_taken_from_the_data_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: rows are cut at the length of the longest, so that none is."""
    monkeypatch.setattr(Reach, "find", farthest_row)
    pair = PAIRS["a row in a group of its own"]
    whole = Whole(pair.unit, None, 2.0)
    assert measured(whole.draw, pair, 100) > 2.0
