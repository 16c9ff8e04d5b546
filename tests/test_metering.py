"""A chart cannot reach noise but through the meter that the session hands it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import pytest

import sfumato as sf
from sfumato import alone
from sfumato.charts.histogram import Histogram, HistogramPlan
from sfumato.cli.run import run
from sfumato.engines import dispatch as choosing
from sfumato.engines.engine import Engine
from sfumato.errors import OverspentError
from sfumato.mechanisms import noise
from sfumato.mechanisms.laplace import laplace
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Cost
from sfumato.releases.histogram import HistogramRelease
from sfumato.testing import city, measure_planned, seeded

PEOPLE = city(people=300)
DOMAIN = sf.Domain(age=(0, 100))
LOOSE = sf.Budget(2, 1e-6)


def session(**options: object) -> sf.Session:
    return sf.Session(PEOPLE, domain=DOMAIN, budget=sf.Budget(4), **options)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Boasting(Histogram):
    """A histogram that calls itself private, or the opposite."""

    says: bool = True

    def measure(self, engine: Engine, plan: HistogramPlan, meter: Meter) -> HistogramRelease:
        return replace(super().measure(engine, plan, meter), private=self.says)


@pytest.mark.parametrize("says", [True, False])
def test_a_release_is_as_private_as_its_meter_saw_whatever_the_chart_says(says: bool) -> None:
    chart = Boasting("age", says=says)
    assert session().release(chart, budget=1).private
    with seeded(1):
        assert not session().release(chart, budget=1).private


def test_a_chart_says_nothing_of_privacy_by_itself() -> None:
    chart = Histogram("age")
    plan = chart.plan(DOMAIN, sf.PrivacyUnit.rows(), sf.Budget(1))
    with Meter(plan.cost) as meter:
        release = chart.measure(choosing.choose_engine(PEOPLE), plan, meter)
    assert not release.private
    assert measure_planned(chart, choosing.choose_engine(PEOPLE), plan).private


def test_scores_are_no_more_private_than_the_components_they_are_about() -> None:
    columns, bounds = ["age", "income"], {"age": (0, 100), "income": (0, 10**5)}
    with seeded(1):
        simulated = sf.pca(PEOPLE, columns=columns, bounds=bounds, budget=LOOSE)
    real = sf.pca(PEOPLE, columns=columns, bounds=bounds, budget=LOOSE)
    assert real.private and not simulated.private
    assert sf.scoreplot(PEOPLE, pca=real, budget=LOOSE).private
    assert not sf.scoreplot(PEOPLE, pca=simulated, budget=LOOSE).private
    with seeded(2):
        assert not sf.scoreplot(PEOPLE, pca=real, budget=LOOSE).private
        both = sf.scoreplot(PEOPLE, columns=columns, bounds=bounds, budget=LOOSE)
        assert not both.private and not both.pca.private
    both = sf.scoreplot(PEOPLE, columns=columns, bounds=bounds, budget=LOOSE)
    assert both.private and both.pca.private


class Greedy(Histogram):
    """A histogram with noise that was not paid for."""

    def measure(self, engine: Engine, plan: HistogramPlan, meter: Meter) -> HistogramRelease:
        exact = engine.counts([plan.x], plan.guarantee.unit)  # type: ignore[list-item]
        laplace(meter, exact, scale=plan.noise.scale)
        laplace(meter, exact, scale=plan.noise.scale)
        return super().measure(engine, plan, meter)


class Bypassing(Histogram):
    """A histogram that knows of no meter."""

    def measure(self, engine: Engine, plan: HistogramPlan, meter: Meter) -> HistogramRelease:
        exact = engine.counts([plan.x], plan.guarantee.unit)  # type: ignore[list-item]
        return laplace(exact, scale=plan.noise.scale)  # type: ignore


class Unpaid(Histogram):
    """A histogram that draws without paying."""

    def measure(self, engine: Engine, plan: HistogramPlan, meter: Meter) -> HistogramRelease:
        exact = engine.counts([plan.x], plan.guarantee.unit)  # type: ignore[list-item]
        return noise.add_noise(exact, "laplace", plan.noise.scale)  # type: ignore


def test_a_chart_that_draws_twice_is_stopped_before_the_second_draw(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[str] = []
    adding = noise._add_exact_noise
    monkeypatch.setattr(
        noise, "_add_exact_noise", lambda *given: drawn.append(given[1]) or adding(*given)
    )
    s = session()
    with pytest.raises(OverspentError, match="would spend"):
        s.release(Greedy("age"), budget=1)
    assert drawn == ["laplace"] and len(s.ledger.entries) == 1


@pytest.mark.parametrize("chart", [Bypassing("age"), Unpaid("age")])
def test_a_chart_that_bypasses_the_meter_does_not_run(chart: Histogram) -> None:
    plan = chart.plan(DOMAIN, sf.PrivacyUnit.rows(), sf.Budget(1))
    with pytest.raises(TypeError), Meter(plan.cost) as meter:
        chart.measure(choosing.choose_engine(PEOPLE), plan, meter)
    with pytest.raises(sf.SourceError):
        session().release(chart, budget=1)


TYPED = """
import numpy as np
from fractions import Fraction
from sfumato.exact import Exact
from sfumato.mechanisms.chance import Chance
from sfumato.mechanisms.laplace import laplace
from sfumato.mechanisms.meter import Meter, Receipt
from sfumato.mechanisms.noise import add_noise
from sfumato.privacy.budget import Cost

def chart(exact: Exact, values: np.ndarray, meter: Meter) -> None:
    laplace(meter, exact, scale=1.0)
    {}
"""
BYPASSES = (
    "laplace(exact, scale=1.0)",
    "laplace(None, exact, scale=1.0)",
    "laplace(Cost.nothing(), exact, scale=1.0)",
    'add_noise(values, "laplace", 1.0)',
    'add_noise(None, values, "laplace", 1.0)',
    'add_noise(meter, values, "laplace", 1.0)',
    "Chance()",
    "Chance(meter)",
    "Receipt(meter)",
)


def test_a_chart_that_bypasses_the_meter_does_not_type_check(tmp_path: Path) -> None:
    source = Path(sf.__file__).parents[1]
    settings = f'{{"extraPaths": ["{source}"], "typeCheckingMode": "basic"}}'
    (tmp_path / "pyrightconfig.json").write_text(settings)
    (tmp_path / "kept.py").write_text(TYPED.format("pass"))
    for number, bypass in enumerate(BYPASSES):
        (tmp_path / f"bypass_{number}.py").write_text(TYPED.format(bypass))
    command = [sys.executable, "-m", "pyright", "-p", str(tmp_path)]
    command += ["--pythonpath", sys.executable]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert "kept.py" not in found, found
    for number, bypass in enumerate(BYPASSES):
        assert f"bypass_{number}.py:" in found, bypass


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Count how often a table is opened, and a histogram planned before it is measured.

    Afterwards it may be planned at other prices, to tell how much such a chart could still have.
    """
    counts = {"opened": 0, "planned": 0}
    opening, planning, measuring = choosing.DuckEngine, Histogram.plan, Histogram.measure
    done: list[HistogramRelease] = []

    def opened(*given: object, **options: object) -> object:
        counts["opened"] += 1
        return opening(*given, **options)  # type: ignore[arg-type]

    def planned(*given: object) -> HistogramPlan:
        counts["planned"] += not done
        return planning(*given)  # type: ignore[arg-type]

    def measured(*given: object) -> HistogramRelease:
        done.append(measuring(*given))  # type: ignore[arg-type]
        return done[-1]

    monkeypatch.setattr(choosing, "DuckEngine", opened)
    monkeypatch.setattr(Histogram, "plan", planned)
    monkeypatch.setattr(Histogram, "measure", measured)
    return counts


def test_a_one_line_chart_is_planned_once_and_opens_its_table_once(
    counted: dict[str, int],
) -> None:
    sf.histplot(PEOPLE, x="age", bounds=(0, 100), budget=1)
    assert counted == {"opened": 1, "planned": 1}


@pytest.mark.parametrize("ledger", [False, True])
def test_a_command_is_planned_once_and_opens_its_table_once(
    counted: dict[str, int], ledger: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    monkeypatch.chdir(tmp_path)
    pq.write_table(PEOPLE, "people.parquet")
    more = []
    if ledger:
        sf.Ledger.create("p.ledger", budget=sf.Budget(2), table="people")
        more = ["--ledger", "p.ledger"]
    asked = ["histplot", "people.parquet", "--x", "age", "--bounds", "0,100", "--epsilon", "1"]
    assert run([*asked, *more, "-o", "age.json"]) == 0
    assert counted == {"opened": 1, "planned": 1}
    assert Path("age.json").exists()


def test_what_is_wrong_with_a_request_is_said_before_a_table_that_cannot_be_read() -> None:
    with pytest.raises(sf.BudgetError, match="need Gaussian noise"):
        sf.pca("nowhere.csv", columns=["a", "b"], bounds={"a": (0, 1), "b": (0, 1)}, budget=1)
    with pytest.raises(sf.SourceError):
        sf.histplot("nowhere.csv", x="age", bounds=(0, 100), budget=1)


def test_a_plan_for_other_facts_is_made_anew() -> None:
    chart, unit, budget = Histogram("age"), sf.PrivacyUnit.rows(), sf.Budget(1)
    ready = alone.prepare(PEOPLE, chart, (0, 100), unit, budget)
    assert ready.chart.plan(*ready.chart.facts) is ready.chart.planned
    other = ready.chart.plan(DOMAIN, unit, sf.Budget(0.5))
    assert other.cost == Cost.pure(Fraction(1, 2))
