"""The measure of time tells tables apart where their times differ, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from clocks.asking import CHARTS, timed
from clocks.attacking import EFFORTS, Key, count_pair, outcome, time_pair
from clocks.neighbours import DOMAIN, Neighbours, neighbours
from clocks.telling import Told, durations, told
from sfumato.mechanisms import joint
from sfumato.mechanisms.chance import Chance
from sfumato.mechanisms.ranks.profile import RankProfile

Levels = Sequence[Fraction]

PAIRS = {pair.name: pair for pair in neighbours(60, 120)}
LEAST = replace(EFFORTS["fast"], least=2, most=2, seeds=2)
QUICK = [timed(name) for name in ("histplot-hue", "quantiles-joint", "pca")]


class FakeClock:
    """A clock that goes on only when it is told to."""

    def __init__(self, seed: int) -> None:
        self.now = 0.0
        self.dice = np.random.default_rng(seed)

    def __call__(self) -> float:
        return self.now

    def working(self, seconds: float) -> None:
        self.now += seconds * self.dice.uniform(0.9, 1.1)


def measured(extra: float, seed: int = 3) -> Told:
    clock = FakeClock(seed)
    taken = durations(lambda: clock.working(1), lambda: clock.working(1 + extra), 30, clock)
    return told(*taken)


def test_a_pause_for_one_table_is_noticed() -> None:
    slow = measured(0.5)
    assert slow.chance.value == 1 and slow.chance.low > 0.8
    assert slow.ratio.low < 1.5 < slow.ratio.high < 1.6


def test_tables_that_take_the_same_are_not_told_apart() -> None:
    same = [measured(0.0, seed) for seed in range(300)]
    assert 0.92 < np.mean([each.chance.low <= 0.5 <= each.chance.high for each in same]) < 0.98
    assert np.mean([each.ratio.low <= 1 <= each.ratio.high for each in same]) > 0.92


def test_a_few_runs_are_not_taken_for_certainty() -> None:
    few = told([1.0, 1.1], [2.0, 2.1])
    assert few.chance.value == 1 and few.chance.low < 0.5


def test_each_table_is_timed_first_as_often_as_the_other() -> None:
    order: list[str] = []
    durations(lambda: order.append("-"), lambda: order.append("+"), 4)
    assert "".join(order) == "+--++--+"


@pytest.mark.parametrize("pair", PAIRS.values(), ids=lambda pair: pair.name)
def test_neighbours_differ_by_one_unit(pair: Neighbours) -> None:
    crowd = pair.without.num_rows
    assert pair.with_one.slice(0, crowd).equals(pair.without)
    more = pair.with_one.slice(crowd)
    if pair.by_person:
        (person,) = set(more.column("person").to_pylist())
        assert person not in pair.without.column("person").to_pylist()
    else:
        assert more.num_rows == 1


def test_every_pair_is_timed_and_counted_into_one_table() -> None:
    taken: dict[Key, Told] = {}
    counted: dict[Key, tuple[Told, Told]] = {}
    for chart in QUICK:
        for pair in (PAIRS["usual"], PAIRS["many rows"]):
            taken[chart, pair.name] = time_pair(chart, pair, LEAST)
            counted[chart, pair.name] = count_pair(chart, pair, LEAST)
    coins, noises = ({key: both[kind] for key, both in counted.items()} for kind in (0, 1))
    reported = outcome(taken, coins, noises)
    assert reported.passed
    for table in reported.tables[:2]:
        assert [row[0] for row in table.rows] == [chart.request.verb for chart in QUICK]
        assert table.headings[-2:] == ("usual", "many rows")
        assert all(len(row) == len(table.headings) for row in table.rows)
    assert all("→" in cell for row in reported.tables[2].rows for cell in row[3:])


@pytest.mark.parametrize("pair", ["usual", "many rows"])
def test_no_request_is_refused_where_it_is_to_be_timed(pair: str) -> None:
    for each in CHARTS:
        each.request.chart.plan(DOMAIN, each.unit(PAIRS[pair]), each.request.budget(1))


def test_a_histogram_draws_one_noise_for_each_bin_whoever_is_there() -> None:
    for pair in PAIRS.values():
        coins, noises = count_pair(timed("histplot-hue"), pair, LEAST)
        assert (coins.without, coins.with_one) == (0, 0)
        assert (noises.without, noises.with_one) == (40, 40)


def test_draws_more_for_one_table_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = joint.draw_positions

    def slower(
        profile: RankProfile, levels: Levels, rates: joint.DecayRates, chance: Chance, **size: Any
    ):
        for _ in range(1000 if profile.size > PAIRS["usual"].without.num_rows else 0):
            chance.below(2)
        return draw(profile, levels, rates, chance, **size)

    monkeypatch.setattr(joint, "draw_positions", slower)
    coins, _ = count_pair(timed("quantiles-joint"), PAIRS["usual"], LEAST)
    assert coins.with_one > coins.without + 500
