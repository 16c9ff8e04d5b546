"""Numbers hold where they end, and nothing but noisy integers reaches a release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.charts.histogram import Histogram
from sfumato.charts.kinds import CHARTS
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sums import Tally
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Cost
from sfumato.testing import Metered
from sums import EVERY_EDGE, ODD_DRAWS, chosen
from sums.asked import UNITS, Asked, catalogue
from sums.edges import PASSING, edges, outcome
from sums.layouts import LAID_OUT, QUESTIONS, Layout, differing, expected
from sums.replay import replayed
from sums.support import CHOICES, NEIGHBOURS, NOISES, SCALES, holes, unreached, wrapped
from sums.tables import ordinary

FAST = {f"{each.name}, {each.method}": each for each in chosen("fast")}
FORMS = (*LAID_OUT[:3], "Parquet partitions")


def case(name: str, method: str, unit: int = 0) -> Asked:
    wanted = (name, method, UNITS[unit])
    return next(each for each in catalogue() if (each.name, each.method, each.unit) == wanted)


def test_every_chart_method_and_unit_is_in_the_catalogue() -> None:
    assert {each.name for each in catalogue()} == {each.__name__.lower() for each in CHARTS}
    assert {each.unit for each in catalogue()} == set(UNITS)
    assert len(catalogue()) >= 80


@pytest.mark.parametrize("name", FAST)
def test_a_release_is_a_function_of_noisy_integers_and_public_facts(name: str) -> None:
    found = replayed(FAST[name], ordinary(120, 0), ordinary(5, 99))
    assert found.integers > 0 or "-search" in name, "a search may find nothing"
    assert found.faults == []


def test_a_chart_with_axes_from_the_data_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = DuckEngine.counts
    seen: list[int] = []

    def looking(engine: DuckEngine, keys: Any, unit: Any) -> Any:
        exact = counts(engine, keys, unit)
        seen.append(int(exact.reveal().max()))
        return exact

    measure = Histogram.measure

    def fitted(chart: Histogram, engine: Any, plan: Any, meter: Any) -> Any:
        release = measure(chart, engine, plan, meter)
        return replace(release, label=f"{release.label} up to {seen[-1]}")

    monkeypatch.setattr(DuckEngine, "counts", looking)
    monkeypatch.setattr(Histogram, "measure", fitted)
    found = replayed(case("histogram", "histplot-hue"), ordinary(120, 0), ordinary(5, 99))
    assert found.faults == ["a release depends on the table behind the noise"]


def test_a_count_that_gets_past_its_noise_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Histogram.measure

    def exact(chart: Histogram, engine: Any, plan: Any, meter: Any) -> Any:
        release = measure(chart, engine, plan, meter)
        true = engine.counts(release.keys, plan.guarantee.unit).reveal().ravel().tolist()
        return replace(release, steps=(10**6 + true[0], *release.steps[1:]))

    monkeypatch.setattr(Histogram, "measure", exact)
    found = replayed(case("histogram", "histplot-hue"), ordinary(120, 0), ordinary(5, 99))
    assert "an integer is published that no mechanism said" in found.faults
    assert "a release depends on the table behind the noise" in found.faults


def test_noise_on_floats_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def floats(meter: Meter, exact: Any, *, scale: float) -> Any:
        meter.pay(Cost.nothing())
        noise = np.random.default_rng(0).laplace(0, scale, exact.reveal().shape)
        return exact.reveal() + noise

    monkeypatch.setattr("sums.tape.MECHANISMS", (floats,))
    monkeypatch.setattr("sfumato.charts.allocation.laplace", floats)
    found = replayed(case("histogram", "histplot-hue"), ordinary(120, 0), ordinary(5, 99))
    assert "a mechanism left the integers" in found.faults


@pytest.mark.parametrize("name", CHOICES)
def test_neighbours_reach_the_same_cells(name: str) -> None:
    assert [unreached(CHOICES[name], counts) for counts in NEIGHBOURS[1]] == [0, 0]


def test_a_choice_among_occupied_cells_alone_would_be_caught() -> None:
    def occupied(exact: Any) -> Metered[Any]:
        cells = np.flatnonzero(exact.reveal()[0])
        place = np.random.default_rng().choice(cells, (1, 1))
        return Metered(place, Cost.nothing(), private=False)

    assert [unreached(occupied, counts) for counts in NEIGHBOURS[1]] == [2, 1]


@pytest.mark.parametrize("name", NOISES)
def test_noise_falls_on_every_integer_and_wraps_around_no_end(name: str) -> None:
    assert [holes(NOISES[name], scale, ODD_DRAWS["fast"]) for scale in SCALES] == [False] * 4
    assert [wrapped(NOISES[name], scale) for scale in SCALES] == [False] * 4


def test_noise_of_floats_would_be_seen_to_have_holes() -> None:
    def rounded(exact: Any, *, scale: float) -> Metered[Any]:
        noise = np.random.default_rng(1).laplace(0, scale, exact.reveal().shape)
        with np.errstate(over="ignore"):
            values = exact.reveal() + np.rint(noise).astype(np.int64)
        return Metered(values, Cost.nothing(), private=False)

    assert not holes(rounded, SCALES[0], ODD_DRAWS["fast"])
    assert holes(rounded, SCALES[-1], ODD_DRAWS["fast"])
    assert wrapped(rounded, SCALES[-1])


@pytest.mark.parametrize("start", [0, EVERY_EDGE["fast"]])
def test_charts_at_the_ends_of_numbers_are_refused_or_finite(start: int) -> None:
    some = edges()[start :: 2 * EVERY_EDGE["fast"]]
    assert {str(edge): end for edge in some if (end := outcome(edge)) not in PASSING} == {}


@pytest.mark.parametrize(
    ("name", "method", "where"),
    [
        ("boxplot", "boxplot-dpboxplot", "0 to 1e-305"),
        ("heatmap", "heatmap-laplace", "0 to 1e-300"),
        ("heatmap", "heatmap-map", "0 to 1e-305"),
    ],
)
def test_bounds_that_hardly_differ_can_be_measured_and_drawn(
    name: str, method: str, where: str
) -> None:
    asked = case(name, method)
    assert [outcome(each) for each in edges() if (each.asked, each.where) == (asked, where)] == [
        "finite"
    ]


def test_an_area_that_is_no_float_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def count(area: Any, left: Any, right: Any, low: Any, high: Any) -> Any:
        return (right - left) * (high - low) / np.prod(area.sides)

    monkeypatch.setattr("sfumato.releases.heatmap.area.Area.count", count)
    tiny = [each for each in edges() if each.where == "0 to 1e-300"]
    heat = next(each for each in tiny if each.asked.name == "heatmap")
    assert outcome(heat) == "RuntimeWarning after the charge"


@pytest.mark.parametrize("form", FORMS)
def test_order_files_row_groups_and_threads_change_no_integer(form: str, tmp_path: Path) -> None:
    number = LAID_OUT.index(form)
    assert differing(Layout(form, (1, 2, 8)[number % 3], seed=number), tmp_path) == []


def test_every_verb_is_asked_for_every_unit() -> None:
    verbs = {verb for verb, _ in QUESTIONS}
    assert {verb.split(",")[0].split(" ")[0] for verb in verbs} == {
        "counts", "marginals", "gram", "occupied", "masses",
    }  # fmt: skip
    for answer in expected().values():
        sums = answer[0][6] if isinstance(answer[0], tuple) else answer[6]
        assert np.any(sums)


def test_a_block_that_forgets_a_row_would_be_caught(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    expected()
    count = Tally.count
    monkeypatch.setattr(Tally, "count", lambda tally, cells: count(tally, cells[1:]))
    lost = differing(Layout("Parquet row groups", 1, seed=0), tmp_path)
    assert ("counts", "each row") in lost


def test_the_tables_behind_a_replay_differ() -> None:
    one, other = (DuckEngine(ordinary(*size)).counts([], UNITS[0]) for size in ((120, 0), (5, 99)))
    assert (int(one.reveal()), int(other.reveal())) == (120, 5)
