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
from sfumato.charts.chart import Chart
from sfumato.engines.duck import DuckEngine
from sfumato.errors import OverspentError
from sfumato.mechanisms import approx, joint, noise, threshold
from sfumato.mechanisms.ranks.profile import Profile
from sfumato.mechanisms.ranks.wanted import Place
from sfumato.testing import measure_planned

ROWS, PEOPLE = sf.PrivacyUnit.rows(), sf.PrivacyUnit.users("who")
PURE, LOOSE = sf.Budget(epsilon=2), sf.Budget(epsilon=2, delta=1e-6)
DOMAIN = sf.Domain(a=(0, 100), b=(-5, 5), c=(0, 1), ward=["A", "B"])
CHARTS: dict[str, tuple[Chart[Any, Any], sf.Budget]] = {
    "histogram": (sf.Histogram("a", hue="ward"), PURE),
    "histogram of two": (sf.Histogram("a", "b", stat="proportion"), LOOSE),
    **{
        f"boxplot {method}": (sf.Boxplot(x="ward", y="a", method=method), PURE)
        for method in ("fence", "dpboxplot", "jointexp", "approx", "single", "unbounded")
    },
    "boxplot searched": (sf.Boxplot(y="d", bounds=sf.private(share=0.2)), PURE),
    **{
        f"quantiles {method}": (sf.Quantiles("a", hue="ward", method=method), PURE)
        for method in ("joint", "jointexp", "approx", "single", "unbounded")
    },
    "quantiles searched": (sf.Quantiles("d", bounds=sf.private(share=0.2)), PURE),
    **{
        f"heatmap {method}": (sf.Heatmap("a", "b", resolution=16, method=method), PURE)
        for method in ("adaptive", "pyramid", "laplace", "dense")
    },
    "components": (sf.PCA(["a", "b", "c"]), LOOSE),
    **{
        f"scores {method}": (
            sf.Scoreplot(columns=["a", "b", "c"], hue="ward", method=method),
            LOOSE,
        )
        for method in ("haar", "additive", "pyramid")
    },
}


def crowd() -> pa.Table:
    generator = np.random.default_rng(1)
    columns = {name: generator.gamma(2, 20, 400) for name in "abcd"}
    wards = generator.choice(["A", "B", "C"], 400, p=[0.8, 0.1, 0.1])
    return pa.table({**columns, "ward": wards, "who": generator.integers(0, 150, 400)})


FEW = pa.table(
    {
        "a": [50.0, 51.0, 50.0],
        "b": [0.0, 0.1, 0.0],
        "c": [0.5, 0.5, 0.5],
        "d": [-9e4, 8e4, 7e4],
        "ward": ["B", "B", "A"],
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

    def draw(profile: Profile, levels: Sequence[Fraction], *_: object, **__: object) -> list[Place]:
        cells = profile.stop - 1 - profile.start
        return [Place(profile.start + int(level * cells), 5, 0.0) for level in levels]

    def walk(receipt: object, gains: list[int], scale: float) -> int:
        return len(gains) // 3

    monkeypatch.setattr(noise, "_add_exact_noise", add)
    monkeypatch.setattr(joint, "draw", draw)
    monkeypatch.setattr(approx, "draw", draw)
    monkeypatch.setattr(threshold, "_walk", walk)


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


SEARCHED = sf.private(share=0.2, delta=1e-7)
EVERY = CHARTS | {
    "histogram searched": (sf.Histogram("ward", order=SEARCHED), LOOSE),
    "quantiles searched": (sf.Quantiles("d", bounds=sf.private(share=0.2)), PURE),
    "scores sparse": (sf.Scoreplot(columns=["a", "b", "c"], hue="ward", method="sparse"), LOOSE),
}


@pytest.mark.parametrize("name", EVERY)
def test_a_chart_that_spends_more_than_was_charged_is_withheld(name: str) -> None:
    chart, budget = EVERY[name]
    plan = chart.plan(DOMAIN, ROWS, budget)
    prices = {"epsilon": plan.cost.epsilon, "rho": plan.cost.rho, "delta": plan.cost.delta}
    for currency, charged in prices.items():
        if charged:
            less = replace(plan.cost, **{currency: charged / 100})
            with pytest.raises(OverspentError, match="the numbers are withheld"):
                measure_planned(chart, DuckEngine(FEW), replace(plan, cost=less))
