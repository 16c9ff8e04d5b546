"""Neighbours are told apart no better than promised, and broken code is noticed: the fast form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

import telling
from sfumato.releases.boxplot import METHODS as BOXES
from sfumato.releases.quantiles import METHODS as QUANTILES
from telling.case import Case, Trials, Twin
from telling.exhaustive import Universe, universes

ROUTINE = [case for case in telling.cases() if case.routine]
TWINS = [(case, twin) for case in ROUTINE for twin in case.twins]


@pytest.mark.parametrize("case", ROUTINE, ids=str)
def test_neighbours_are_told_apart_no_better_than_promised(case: Case) -> None:
    seen = case.measured(case.trials.fast)
    assert case.holds(seen, "fast"), seen


@pytest.mark.parametrize(
    ("case", "twin"), TWINS, ids=[f"{case}, {twin.name}" for case, twin in TWINS]
)
def test_what_is_broken_on_purpose_is_noticed(case: Case, twin: Twin) -> None:
    assert case.caught(twin)


def test_no_promise_stands_because_nothing_could_be_seen() -> None:
    assert not [str(case) for case in telling.cases() if not case.sees("full")]
    assert not [str(case) for case in ROUTINE if not case.sees("fast")]
    few = replace(ROUTINE[0], trials=Trials(20, 20))
    assert not few.sees("fast")


def test_every_chart_is_attacked_and_broken_routinely() -> None:
    charts = {case.chart for case in telling.cases()}
    assert {case.chart for case in ROUTINE} == {case.chart for case, _ in TWINS} == charts


@pytest.mark.parametrize(("chart", "methods"), [("boxplot", BOXES), ("quantiles", QUANTILES)])
def test_every_method_is_attacked_and_broken_routinely(chart: str, methods: Sequence[str]) -> None:
    assert {case.method for case, _ in TWINS if case.chart == chart} >= {*methods}


@pytest.mark.parametrize("universe", universes(), ids=lambda universe: universe.mechanism)
def test_no_answer_of_a_tiny_universe_tells_more_than_promised(universe: Universe) -> None:
    assert universe.holds(), universe.largest
    assert universe.caught()
