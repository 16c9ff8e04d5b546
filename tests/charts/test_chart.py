"""Data reach a release through mechanisms alone: where these answer alike, so do all charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.catalogue import Request, Roles, by_method, request
from sfumato.charts.chart import Chart
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import OverspentError
from sfumato.mechanisms import approx, joint, noise, threshold
from sfumato.mechanisms.ranks.paths import DrawnPosition
from sfumato.mechanisms.ranks.profile import RankProfile
from sfumato.testing import measure_planned

ROWS, PEOPLE = sf.PrivacyUnit.rows(), sf.PrivacyUnit.users("who")
DOMAIN = sf.Domain(a=(0, 100), b=(-5, 5), c=(0, 1), ward=["A", "B"], team=["A", "B"])
ROLES = Roles(
    domain=DOMAIN,
    number="a",
    another="b",
    whole="a",
    day="c",
    group="ward",
    other="team",
    weight="c",
    east="a",
    north="b",
    columns=("a", "b", "c"),
    person="who",
    rows=400,
)
NOUNS = {"histplot": "histogram", "pca": "components", "scoreplot": "scores"}
SEARCHING = {
    "histogram searched": "histplot-search",
    "boxplot searched": "boxplot-bounds",
    "quantiles searched": "quantiles-bounds",
    "quantiles of groups searched": "quantiles-search",
}


def words(asked: Request) -> str:
    """The name of a request, in words."""
    verb, _, rest = asked.name.partition("-")
    return " ".join(filter(None, (NOUNS.get(verb, verb), rest)))


ASKED = {words(each): each for each in by_method(ROLES)} | {
    name: request(each, ROLES) for name, each in SEARCHING.items()
}
EVERY: dict[str, tuple[Chart[Any, Any], sf.Budget]] = {
    name: (each.chart, each.budget(2)) for name, each in ASKED.items()
}
# Which groups and cells are shown is not noise: their names are the data's own.
NAMING = ("histogram searched", "quantiles of groups searched", "scores sparse")
CHARTS = {name: asked for name, asked in EVERY.items() if name not in NAMING}


def crowd() -> pa.Table:
    generator = np.random.default_rng(1)
    columns = {name: generator.gamma(2, 20, 400) for name in "abc"}
    wards = generator.choice(["A", "B", "C"], 400, p=[0.8, 0.1, 0.1])
    groups = {"ward": wards, "team": wards}
    return pa.table({**columns, **groups, "who": generator.integers(0, 150, 400)})


FEW = pa.table(
    {
        "a": [50.0, 51.0, 50.0],
        "b": [0.0, 0.1, 0.0],
        "c": [0.5, 0.5, 0.5],
        "ward": ["B", "B", "A"],
        "team": ["B", "B", "A"],
        "who": [1, 1, 2],
    }
)
TABLES = crowd(), FEW
USUAL = ("histogram", "boxplot fence", "heatmap adaptive", "components")


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every mechanism answer from public facts, whatever the truth."""

    def add(values: np.ndarray, family: str, scale: float) -> np.ndarray:
        return ((np.arange(values.size) * 37 % 101) * int(scale + 1)).reshape(values.shape)

    def draw(
        profile: RankProfile, levels: Sequence[Fraction], *_: object, **__: object
    ) -> list[DrawnPosition]:
        cells = profile.stop - 1 - profile.start
        return [DrawnPosition(profile.start + int(level * cells), 5, 0.0) for level in levels]

    def walk(receipt: object, gains: list[int], scale: float) -> int:
        return len(gains) // 3

    monkeypatch.setattr(noise, "_add_exact_noise", add)
    monkeypatch.setattr(joint, "draw_positions", draw)
    monkeypatch.setattr(approx, "draw_positions", draw)
    monkeypatch.setattr(threshold, "_find_first_above", walk)


@pytest.mark.parametrize(
    ("name", "unit"),
    [*((name, ROWS) for name in CHARTS), *((name, PEOPLE) for name in USUAL)],
    ids=lambda value: value if isinstance(value, str) else value.protects,
)
@pytest.mark.usefixtures("deaf")
def test_releases_of_any_tables_are_alike_where_mechanisms_answer_alike(
    name: str, unit: sf.PrivacyUnit
) -> None:
    chart, budget = CHARTS[name]
    plan = chart.plan(DOMAIN, unit, budget)
    released = [measure_planned(chart, DuckEngine(table), plan) for table in TABLES]
    one, other = (each.to_dict() for each in released)
    assert one == other


def test_releases_of_other_tables_differ_where_mechanisms_do_not_answer_alike() -> None:
    for name in USUAL:
        chart, budget = CHARTS[name]
        plan = chart.plan(DOMAIN, ROWS, budget)
        one, other = (measure_planned(chart, DuckEngine(table), plan).to_dict() for table in TABLES)
        assert one != other


@pytest.mark.parametrize("name", EVERY)
def test_a_chart_that_spends_more_than_was_charged_is_withheld(name: str) -> None:
    chart, budget = EVERY[name]
    plan = chart.plan(DOMAIN, ROWS, budget)
    prices = {"epsilon": plan.cost.epsilon, "rho": plan.cost.rho, "delta": plan.cost.delta}
    for currency, charged in prices.items():
        if charged:
            less = replace(plan.cost, losses=(), **{currency: charged / 100})
            with pytest.raises(OverspentError, match="the numbers are withheld"):
                measure_planned(chart, DuckEngine(FEW), replace(plan, cost=less))
