"""A window that nobody declared: found, paid for, said, and never the reason for a failure."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from charts.spending import fills
from sfumato.charts.heatmap.chart import Heatmap
from sfumato.charts.heatmap.window import make_window_ladder
from sfumato.domain import Bounds, Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import DomainError, OverspentError
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import Private, private
from sfumato.releases import document
from sfumato.testing import measure_planned, seeded

ROWS, USERS = PrivacyUnit.rows(), PrivacyUnit.users("who")
BOTH = private(within=(-180, 180))
DICE = np.random.default_rng(4)
TABLE = pa.table(
    {
        "lon": DICE.normal(-30, 0.02, 4000),
        "lat": DICE.normal(45, 0.02, 4000),
        "who": [f"u{n % 1000}" for n in range(4000)],
        "ward": ["A", "B"] * 2000,
    }
)


def measured(chart: Heatmap, table: pa.Table = TABLE, unit: PrivacyUnit = ROWS, **public: Any):
    plan = chart.plan(Domain(**public), unit, Budget(1))
    with seeded(6):
        return measure_planned(chart, DuckEngine(table), plan)


@pytest.mark.parametrize("unit", [ROWS, USERS])
def test_a_window_is_found_around_most_people_and_not_far_around(unit: PrivacyUnit) -> None:
    release = measured(Heatmap("lon", "lat", 32, bounds=BOTH), unit=unit)
    for grid, centre in ((release.x, -30), (release.y, 45)):
        assert grid.bounds.lower < centre < grid.bounds.upper
        assert 0.1 < grid.bounds.width < 4
    assert [(each.column, each.found) for each in release.window] == [("lon", True), ("lat", True)]
    assert "Window of lon and lat found privately with 25 % of the budget." in release.caption()
    assert release.total == pytest.approx(4000 if unit == ROWS else 1000, rel=0.1)
    assert document.read(release.to_dict()) == release


def test_one_side_can_be_declared_and_shares_are_as_asked() -> None:
    chart = Heatmap("lon", "lat", 16, bounds={"lon": private(share=0.1, within=(-180, 180))})
    release = measured(chart, lat=(44, 46))
    assert release.y.bounds == Bounds(44, 46)
    assert "Window of lon found privately with 10 % of the budget." in release.caption()
    plan = chart.plan(Domain(lat=(44, 46)), ROWS, Budget(1))
    assert plan.window[0].cost.epsilon == pytest.approx(0.1)
    both = Heatmap("lon", "lat", bounds=BOTH).plan(Domain(), ROWS, Budget(1))
    assert [float(each.cost.epsilon or 0) for each in both.window] == [0.125, 0.125]


@pytest.mark.parametrize("hue", [None, "ward"])
@pytest.mark.parametrize("budget", [Budget(0.3), Budget(1, 1e-6)])
def test_searches_and_map_spend_the_budget_and_no_more(hue: Any, budget: Budget) -> None:
    order = None if hue is None else private(delta=1e-8)
    chart = Heatmap("lon", "lat", 16, bounds=BOTH, hue=hue, hue_order=order)
    plan = chart.plan(Domain(), ROWS, budget)
    assert plan.cost.epsilon is not None
    if budget.pure:
        assert float(plan.cost.epsilon) == budget.epsilon
    else:
        assert fills(plan.cost, budget) or plan.cost.epsilon < 1
    measure_planned(chart, DuckEngine(TABLE), plan)


class Twice(DuckEngine):
    """An engine whose window may be moved twice as far by one unit as it should."""

    def counts(self, keys: Any, unit: Any) -> Exact:
        """Claim more than there is."""
        exact = super().counts(keys, unit)
        return Exact(2 * exact.l1, 4 * exact.l2_squared, exact.step, _values=exact.reveal())


def test_a_search_that_spends_more_than_was_charged_is_withheld() -> None:
    chart = Heatmap("lon", "lat", 16, bounds=BOTH)
    # A walk chooses its noise by what a unit can do, so that it never costs more than was planned.
    measure_planned(chart, Twice(TABLE), chart.plan(Domain(), ROWS, Budget(1)))
    with pytest.raises(OverspentError):
        plan = chart.plan(Domain(), ROWS, Budget(1))
        measure_planned(Doubled("lon", "lat", 16, bounds=BOTH), DuckEngine(TABLE), plan)


class Doubled(Heatmap):
    """A heatmap that searches for its window twice."""

    def measure(self, engine: Any, plan: Any, meter: Any) -> Any:
        """Search once more, at the cost of one search."""
        for each in plan.window:
            each.run(engine, meter)
        return super().measure(engine, plan, meter)


NAN = float("nan")
ODD = {
    "empty": [],
    "missing": [None] * 50,
    "nowhere": [NAN, float("inf"), -float("inf")] * 20,
    "constant": [7.0] * 3000,
    "huge": [1e300, -1e300] * 500,
    "tiny": [5e-324, -0.0] * 500,
    "one": [3.0],
}


@pytest.mark.parametrize("values", ODD.values(), ids=list(ODD))
@pytest.mark.parametrize("unit", [ROWS, USERS])
def test_every_table_has_a_window(values: list[float | None], unit: PrivacyUnit) -> None:
    column = pa.array(values, pa.float64())
    names = pa.array([f"u{n}" for n in range(len(values))], pa.string())
    table = pa.table({"lon": column, "lat": column, "who": names})
    for search in (private(), BOTH, private(within=(0, 1e-90)), private(within=(1e90, 1.1e90))):
        release = measured(Heatmap("lon", "lat", 2**20, bounds=search), table, unit)
        for grid in (release.x, release.y):
            limits = search.limits
            assert limits.lower <= grid.bounds.lower < grid.bounds.upper <= limits.upper


def test_few_people_are_shown_all_limits_and_told() -> None:
    release = measured(Heatmap("lon", "lat", 16, bounds=BOTH), TABLE.slice(0, 5))
    assert not any(each.found for each in release.window)
    assert (release.x.bounds.lower, release.x.bounds.upper) == (-180, 180)
    assert "found nothing: too few rows" in release.caption()


def test_a_town_is_told_from_too_few_people() -> None:
    def share_found(people: int) -> float:
        table = pa.table({"lon": [-30.0] * people, "lat": [45.0] * people})
        chart = Heatmap("lon", "lat", 8, bounds=BOTH)
        plan = chart.plan(Domain(), ROWS, Budget(1))
        engine = DuckEngine(table)
        with seeded(9):
            runs = [measure_planned(chart, engine, plan).window for _ in range(12)]
        return float(np.mean([side.found for window in runs for side in window]))

    least = Heatmap("lon", "lat", bounds=BOTH).plan(Domain(), ROWS, Budget(1)).window[0].walk.least
    assert share_found(least) < 0.3
    assert share_found(8 * least) > 0.9


def test_dates_have_windows_too() -> None:
    days = pa.array(np.datetime64("2025-06-01") + DICE.integers(0, 30, 3000), pa.date32())
    table = pa.table({"day": days, "lat": DICE.normal(45, 0.02, 3000)})
    years = (date(1900, 1, 1), date(2100, 1, 1))
    chart = Heatmap("day", "lat", 16, bounds={"day": private(within=years), "lat": BOTH})
    session = sf.Session(table, budget=1)
    with seeded(1):
        release = session.release(chart, budget=1)
    assert release.x.bounds.time and release.x.bounds.width < 366 * 86_400e6


@pytest.mark.parametrize("side", [1, 256, 2**20])
@pytest.mark.parametrize(
    "ends",
    [(-180, 180), (0, 1e6), (-1e100, 1e100), (0, 1e-100), (10, 20), (-1, 1e9), (1e9, 1e9 + 1024)],
)
def test_every_window_of_a_ladder_has_room_for_the_map(ends: Any, side: int) -> None:
    limits = Bounds(*ends)
    edges = make_window_ladder(limits, side)
    assert (edges[0], edges[-1]) == ends and all(a < b for a, b in zip(edges, edges[1:]))  # noqa: B905, RUF007
    for low, high in zip(edges, edges[1:]):  # noqa: B905, RUF007
        Grid("x", Bounds(low, high), side)  # which refuses what has no room


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        ((0, 1), "ask for private searches"),
        ({"lon": (0, 1)}, "ask for private searches"),
        ({"who": private()}, "ask for private searches"),
        ("private", "ask for private searches"),
        (private(delta=1e-6), "takes no δ"),
        (private(share=0.99999), None),
        ({"lon": private(share=0.5), "lat": private(share=0.5)}, "all of the chart's budget"),
        ({"lon": private()}, "lat"),
    ],
)
def test_what_is_no_window_is_refused_by_the_plan(bounds: Any, why: str | None) -> None:
    if why is None:
        return
    with pytest.raises(DomainError, match=why):
        Heatmap("lon", "lat", bounds=bounds).plan(Domain(), ROWS, Budget(1))


def test_one_line_and_session_ask_alike() -> None:
    asked: dict[str, Any] = {"lon": private(within=(-180, 180)), "lat": (44, 46)}
    with seeded(2):
        alone = sf.heatmap(TABLE, x="lon", y="lat", bounds=asked, resolution=16, budget=1.0)
        session = sf.Session(TABLE, domain={"lat": (0, 1)}, budget=3)
        inside = session.heatmap(x="lon", y="lat", bounds=asked, resolution=16, budget=1.0)
    assert alone.x == inside.x and alone.y == inside.y and alone.y.bounds == Bounds(44, 46)
    assert isinstance(asked["lon"], Private)


def test_a_map_of_a_found_window_is_refined_in_that_window() -> None:
    session = sf.Session(TABLE, budget=3)
    limits = {"lon": BOTH, "lat": BOTH}
    first = session.heatmap(
        x="lon", y="lat", bounds=limits, resolution=8, method="laplace", budget=1.0
    )
    both = session.refine(first, budget=1.0)
    assert (both.x, both.y, both.window) == (first.x, first.y, first.window)
    assert session.heatmap(
        x="lon", y="lat", bounds=limits, resolution=8, method="laplace", budget=1.0
    ) in (both, first)


def test_a_file_with_a_strange_window_is_no_release() -> None:
    plain = measured(Heatmap("lon", "lat", 8, bounds=BOTH)).to_dict()
    sides = plain["parameters"]["window"]
    for strange in (
        [*sides, sides[0]],
        [{**sides[0], "column": "who"}],
        [{**sides[0], "share": 0.5}, sides[1]],
        [{**sides[0], "share": 1.5}],
    ):
        changed = {**plain, "parameters": {**plain["parameters"], "window": strange}}
        with pytest.raises(sf.ReleaseError):
            document.read(changed)


def test_scatters_have_windows_as_densities_have() -> None:
    with seeded(3):
        release = sf.scatterplot(TABLE, x="lon", y="lat", bounds=BOTH, budget=1.0)
    assert [each.column for each in release.window] == ["lon", "lat"]
    assert "found privately" in release.caption()
