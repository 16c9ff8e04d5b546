"""What a heatmap asks, what it costs, and what it shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from charts.spending import fills
from sfumato.charts.allocation import Allocation
from sfumato.charts.chart import find_budget
from sfumato.charts.heatmap.chart import Heatmap
from sfumato.domain import Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import BudgetError, DomainError, OverspentError, SourceError
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.testing import measure_planned, seeded

ROWS, USERS = PrivacyUnit.rows(), PrivacyUnit.users("who")
WINDOW = Domain(lon=(0, 8), lat=(0, 4), count=(0, 100))
METHODS = ["adaptive", "pyramid", "laplace", "dense"]


def table(who, lon, lat, **more):
    columns = {"who": who, "lon": lon, "lat": lat, **more}
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def crowd(people=400):
    """Three quarters of all people around one place, the others around a second."""
    generator = np.random.default_rng(2)
    first = generator.random(people) < 0.75
    lon = np.where(first, 2.0, 6.5) + generator.normal(0, 0.2, people)
    lat = np.where(first, 3.0, 1.0) + generator.normal(0, 0.2, people)
    return [f"p{number}" for number in range(people)], lon, lat


TABLE = table(*crowd())


def measured(chart, budget=2.0, unit=USERS, source=TABLE, domain=WINDOW, seed=3):
    plan = chart.plan(domain, unit, Budget(budget, weak=True))
    with seeded(seed):
        return measure_planned(chart, DuckEngine(source), plan)


def near(heat, lon, lat, radius=0.75):
    """Return the share of the map within a rectangle."""
    grid = heat.to_array(resolution=(160, 80))
    x, y = (np.arange(160) + 0.5) / 20, (np.arange(80) + 0.5) / 20
    return grid[np.ix_(abs(y - lat) < radius, abs(x - lon) < radius)].sum()


@pytest.mark.parametrize("method", METHODS)
def test_people_are_shown_where_they_are(method):
    resolution = 32 if method == "laplace" else 256
    heat = measured(Heatmap("lon", "lat", resolution, method), budget=20)
    assert near(heat, 2.0, 3.0) == pytest.approx(0.75, abs=0.12)
    assert near(heat, 6.5, 1.0) == pytest.approx(0.25, abs=0.12)
    assert heat.total == pytest.approx(400, rel=0.2)


@pytest.mark.parametrize("decoder", ["lp", "bayes"])
def test_a_pyramid_can_be_decoded_in_two_ways(decoder):
    heat = measured(Heatmap("lon", "lat", method="pyramid", decoder=decoder), budget=5)
    assert heat.decoder == decoder
    assert near(heat, 2.0, 3.0) > 0.5


def test_x_runs_along_columns_and_y_along_rows():
    corner = table(["a"] * 50, [7.9] * 50, [0.1] * 50)
    for origin in ("lower", "upper"):
        heat = measured(Heatmap("lon", "lat", 8, origin=origin), 50, ROWS, corner)
        grid = heat.to_array()
        assert np.unravel_index(grid.argmax(), grid.shape) == (0, 7)


@pytest.mark.parametrize("resolution", [1, 2, 100, 256, (320, 240), (5, 2**20), 2**20])
def test_a_picture_may_have_any_resolution(resolution):
    heat = measured(Heatmap("lon", "lat", resolution))
    assert heat.to_array(resolution=(6, 3)).shape == (3, 6)
    assert heat.to_array(resolution=(6, 3)).sum() == pytest.approx(1)
    assert float(heat.cost.epsilon) == 2.0


def test_a_person_counts_once_however_many_rows_there_are():
    who = ["a"] * 1000 + [f"p{number}" for number in range(100)]
    lon, lat = [1.0] * 1000 + [7.0] * 100, [1.0] * 1000 + [3.0] * 100
    heat = measured(Heatmap("lon", "lat", 16), 50, USERS, table(who, lon, lat))
    assert near(heat, 1.0, 1.0) < 0.05
    rows = measured(Heatmap("lon", "lat", 16), 50, ROWS, table(who, lon, lat))
    assert near(rows, 1.0, 1.0) > 0.85


def test_rows_beyond_the_window_are_dropped_or_kept_at_its_edge():
    lon = [4.0] * 300 + [99.0] * 300
    outside = table([f"p{number}" for number in range(600)], lon, [2.0] * 600)
    dropped = measured(Heatmap("lon", "lat", 16), 20, USERS, outside)
    kept = measured(Heatmap("lon", "lat", 16, outside="edge"), 20, USERS, outside)
    assert dropped.total == pytest.approx(300, rel=0.1)
    assert kept.total == pytest.approx(600, rel=0.1)
    assert near(kept, 7.75, 2.0, radius=0.6) == pytest.approx(0.5, abs=0.1)


def test_a_weight_counts_for_rows_and_shares_for_people():
    who = [f"p{number}" for number in range(200)] * 2
    lon, lat, count = [1.0] * 200 + [7.0] * 200, [1.0] * 400, [9] * 200 + [1] * 200
    counted = table(who, lon, lat, count=count)
    for unit, budget in ((USERS, 20.0), (ROWS, 500.0)):
        heat = measured(Heatmap("lon", "lat", 16, weight="count"), budget, unit, counted)
        assert near(heat, 1.0, 1.0) == pytest.approx(0.9, abs=0.05)
        assert heat.total == pytest.approx(200 if unit is USERS else 2000, rel=0.1)


HOSTILE = {
    "an empty table": ([], [], []),
    "a million rows on one spot": (["z"] * 10**6, [7.0] * 10**6, [1.0] * 10**6),
    "a row on every pixel": (
        ["z"] * 2**14,
        (np.arange(2**14) % 128 / 16).tolist(),
        (np.arange(2**14) // 128 / 32).tolist(),
    ),
    "nobody's rows": ([None] * 500, [7.0] * 500, [1.0] * 500),
    "rows that are nowhere": (
        ["z"] * 6,
        [float("nan"), float("inf"), -float("inf"), None, 1e300, -0.0],
        [1.0, 1.0, 1.0, 1.0, 1.0, float("nan")],
    ),
}


@pytest.mark.parametrize("rows", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("method", METHODS)
def test_one_odd_person_changes_the_picture_no_more_than_any_other(method, rows):
    who, lon, lat = crowd()
    odd = table([*who, *rows[0]], [*lon, *rows[1]], [*lat, *rows[2]])
    chart = Heatmap("lon", "lat", 128, method)
    plan = chart.plan(WINDOW, USERS, Budget(epsilon=4))
    one, other = (DuckEngine(each).masses(plan.plane, USERS) for each in (TABLE, odd))
    change = sum(_together(one, other).values())
    assert change <= one.l1 == 2**30
    if method != "laplace":
        heat = measured(chart, 4.0, USERS, odd)
        assert near(heat, 2.0, 3.0) == pytest.approx(0.75, abs=0.3)


def _together(one, other):
    """Return how far the masses of each cell lie apart."""
    before, after = (
        dict(zip(exact.reveal_places().tolist(), exact.reveal().tolist(), strict=True))
        for exact in (one, other)
    )
    return {cell: abs(before.get(cell, 0) - after.get(cell, 0)) for cell in before | after}


@pytest.mark.parametrize(
    "who",
    [
        [1.5, 2.5, float("nan"), 1.5],
        ["a", "b", None, "a"],
        [1, 2, None, 1],
        [datetime(2026, 1, 1), datetime(2026, 1, 2), None, datetime(2026, 1, 1)],
    ],
)
def test_whoever_people_are_they_count_once(who):
    few = table(who, [1.0, 2.0, 3.0, 5.0], [1.0] * 4)
    plan = Heatmap("lon", "lat", 8).plan(WINDOW, USERS, Budget(epsilon=1))
    exact = DuckEngine(few).masses(plan.plane, USERS)
    assert sorted(exact.reveal().tolist()) == [2**29, 2**29, 2**30]


def test_moments_can_be_an_axis():
    start = datetime(2026, 1, 1, tzinfo=UTC)
    moments = pa.array([start + timedelta(hours=hour) for hour in range(48)] * 5)
    source = pa.table({"when": moments, "lat": [1.0] * 240})
    domain = Domain(when=(start, start + timedelta(days=4)), lat=(0, 4))
    heat = measured(Heatmap("when", "lat", 16), 20, ROWS, source, domain)
    assert heat.to_array(resolution=(2, 1))[0, 0] > 0.9


def test_the_price_is_the_budget_whatever_is_asked():
    for method in METHODS:
        plan = Heatmap("lon", "lat", 64, method).plan(WINDOW, USERS, Budget(epsilon=0.7))
        assert plan.cost.epsilon == Fraction(7, 10)
        assert plan.cost.delta == 0


def test_under_a_delta_the_price_is_what_laplace_noise_diverges_by():
    budget = Budget(epsilon=1, delta=1e-6)
    plan = Heatmap("lon", "lat").plan(WINDOW, USERS, budget)
    assert plan.cost.epsilon == Allocation.of(budget).epsilon < 1
    assert fills(plan.cost, budget)


@pytest.mark.parametrize("epsilon", [0.3, 3.0])
@pytest.mark.parametrize("unit", [ROWS, USERS])
def test_the_expected_error_of_a_square_is_the_one_observed(unit, epsilon):
    chart = Heatmap("lon", "lat", 32)
    plan = chart.plan(WINDOW, unit, Budget(epsilon=epsilon))
    errors = []
    for seed in range(60):
        heat = measured(chart, epsilon, unit, table([], [], []).cast(TABLE.schema), seed=seed)
        errors += (np.abs(heat.noisy) * heat.step).tolist()
    assert 0.75 < plan.expected_error / np.mean(errors) < 1.3


def test_an_error_can_be_asked_for():
    budget = find_budget(Heatmap("lon", "lat"), WINDOW, USERS, error=2.0)
    plan = Heatmap("lon", "lat").plan(WINDOW, USERS, budget)
    assert 1.99 < plan.expected_error <= 2.0


def test_the_plan_says_how_fine_a_guess_will_be():
    plan = Heatmap("lon", "lat").plan(WINDOW, USERS, Budget(epsilon=1))
    few, many = plan.detail(size=1000), plan.detail(size=100_000)
    assert few[0] == pytest.approx(2 * few[1]) and many[0] == pytest.approx(few[0] / 10)
    assert "cells of about" in str(plan)
    with pytest.raises(DomainError, match="size"):
        plan.detail(size=0)


BAD = {
    "columns": dict(y="lon"),
    "weight": dict(weight="lat"),
    "method": dict(method="magic"),
    "decoder": dict(decoder="lp"),
    "decoder name": dict(method="pyramid", decoder="guess"),
    "top": dict(top=0.1),
    "top size": dict(method="laplace", top=0),
    "width": dict(method="pyramid", width=0),
    "width kind": dict(method="pyramid", width=2.5),
    "decay": dict(method="pyramid", decay=1.5),
    "levels": dict(method="pyramid", levels=21),
    "width without pyramid": dict(width=10),
    "outside": dict(outside="keep"),
    "origin": dict(origin="top"),
    "aspect": dict(aspect="wide"),
    "resolution": dict(resolution=0),
    "resolution kind": dict(resolution=2.5),
    "resolution sides": dict(resolution=(1, 2, 3)),
    "resolution size": dict(resolution=2**21),
}


@pytest.mark.parametrize("options", BAD.values(), ids=BAD)
def test_what_makes_no_sense_is_refused_when_it_is_said(options):
    with pytest.raises(DomainError) as refused:
        Heatmap(**({"x": "lon", "y": "lat"} | options))
    assert str(refused.value).count(". ") >= 2


def test_a_price_too_small_for_its_smallest_part_is_refused_before_it_is_charged():
    session = sf.Session(TABLE, unit="who", domain=WINDOW, budget=1)
    asked = [
        dict(budget=1e-7),
        dict(budget=1e-7, method="dense"),
        dict(budget=1.0, method="pyramid", decay=0.01),
        dict(budget=0.01, method="pyramid", decay=0.3, resolution=2**20),
    ]
    for options in asked:
        with pytest.raises(BudgetError, match="64-bit integers could not"):
            session.heatmap(x="lon", y="lat", **options)
    assert session.ledger.spent.epsilon == 0


@pytest.mark.parametrize("method", ["adaptive", "dense"])
def test_rows_that_all_weigh_the_most_they_may_give_the_map_of_rows(method):
    rows = table(*crowd(2000), count=[100.0] * 2000)
    plain = measured(Heatmap("lon", "lat", 64, method), 1.0, ROWS, rows)
    heavy = measured(Heatmap("lon", "lat", 64, method, weight="count"), 1.0, ROWS, rows)
    one, other = (heat.to_array(resolution=(8, 4)) for heat in (plain, heavy))
    assert abs(one - other).sum() < 0.15
    assert 0.5 < len(heavy.noisy) / len(plain.noisy) < 2
    assert heavy.total == pytest.approx(100 * plain.total, rel=0.1)


def test_what_cannot_be_planned_is_refused():
    with pytest.raises(DomainError, match="a few people with many rows"):
        Heatmap("lon", "lat").plan(WINDOW, PrivacyUnit.users("who", max_rows=3), Budget(epsilon=1))
    with pytest.raises(DomainError, match="laplace"):
        Heatmap("lon", "lat", 2048, "laplace").plan(WINDOW, USERS, Budget(epsilon=1))
    with pytest.raises(DomainError, match="longitude"):
        Heatmap("lon", "lat", aspect="map").plan(
            Domain(lon=(0, 9), lat=(0, 200)), USERS, Budget(epsilon=1)
        )
    with pytest.raises(DomainError, match="bounds from 0"):
        Heatmap("lon", "lat", weight="count").plan(
            Domain(lon=(0, 8), lat=(0, 4), count=(-1, 5)), USERS, Budget(epsilon=1)
        )
    with pytest.raises(DomainError, match="public bounds"):
        Heatmap("lon", "lat").plan(Domain(lon=(0, 8)), USERS, Budget(epsilon=1))


def test_a_refusal_costs_nothing():
    session = sf.Session(TABLE, unit="who", domain=WINDOW, budget=1)
    refusals = [
        (DomainError, dict(x="lon", y="lat", resolution=-3)),
        (SourceError, dict(x="lon", y="lat", weight="count")),
        (DomainError, dict(x="lon", y="nowhere")),
    ]
    for kind, options in refusals:
        with pytest.raises(kind):
            session.heatmap(**options, budget=0.5)
    with pytest.raises(BudgetError):
        session.heatmap(x="lon", y="lat", budget=2.0)
    assert session.ledger.spent.epsilon == 0
    heat = session.heatmap(x="lon", y="lat", budget=0.5)
    assert heat.private and session.ledger.spent.epsilon == Fraction(1, 2)


def test_bounds_of_both_columns_are_needed():
    with pytest.raises(DomainError, match="both columns"):
        sf.heatmap(TABLE, x="lon", y="lat", bounds=(0, 1), budget=1)  # type: ignore[arg-type]


def test_a_method_that_overspends_is_withheld():
    chart = Heatmap("lon", "lat", 16)
    plan = chart.plan(WINDOW, USERS, Budget(epsilon=1))
    greedy = replace(plan, method=replace(plan.method, epsilon=Fraction(2)))
    with seeded(1), pytest.raises(OverspentError):
        measure_planned(chart, DuckEngine(TABLE), greedy)


def test_names_and_origin_tell_how_a_window_is_drawn():
    def aspect(x, y, origin="lower", width=8, height=4):
        domain = Domain({x: (0, width), y: (0, height)})
        return Heatmap(x, y, origin=origin).plan(domain, USERS, Budget(epsilon=1)).aspect

    assert aspect("lon", "lat") == aspect("Longitude", "Latitude") == "map"
    assert aspect("lon", "lat", height=400) == "free"
    assert aspect("x", "y") == "free"
    assert aspect("x", "y", origin="upper") == "equal"
    assert aspect("x", "y", origin="upper", width=100) == "free"


def test_centers_of_a_release_serve_people_nearly_as_well_as_those_of_the_data():
    from sfumato.postprocess.median import cost, find_centers

    generator = np.random.default_rng(4)
    people, places = 5000, generator.random((5, 2)) * [8, 4]
    points = places[generator.integers(0, 5, people)] + generator.normal(0, 0.15, (people, 2))
    points = np.clip(points, 0, [7.99, 3.99])
    source = table(list(range(people)), *points.T)
    relative = points / [8, 4]
    everyone = np.ones(people)
    best = cost(relative, everyone, find_centers(relative, everyone, 5))
    for seed in range(3):
        heat = measured(Heatmap("lon", "lat"), 5.0, USERS, source, seed=seed)
        found = np.array([[center.x, center.y] for center in heat.centers(5)]) / [8, 4]
        assert cost(relative, everyone, found) <= 1.2 * best
