"""Counts of regions: what they are of, what they cost, how wrong they are, and what is refused."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.charts.choropleth.chart import Choropleth, ChoroplethPlan
from sfumato.domain import Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.engine import Schema
from sfumato.errors import DomainError, OverspentError, SourceError
from sfumato.exact import Exact
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.regions import Region, write_areas
from sfumato.releases.choropleth import ChoroplethRelease
from sfumato.testing import measure_planned, seeded

ROWS, USERS = PrivacyUnit.rows(), PrivacyUnit.users("person")
FEW = PrivacyUnit.users("person", max_rows=2)
DOMAIN = Domain(ward=["A", "B"])


def box(left: float, low: float, right: float, high: float) -> Any:
    return ((left, low), (right, low), (right, high), (left, high), (left, low))


# The county lies around the city, and the lake has no area of its own.
CITY = Region("city", ((box(2, 2, 4, 4),),))
COUNTY = Region("county", ((box(0, 0, 10, 5), box(8, 1, 9, 2)),))
FAR = Region("far", ((box(20, 0, 30, 5),),))
MAP = (CITY, COUNTY, FAR)
TABLE = pa.table(
    {
        "x": [3.0, 3.0, 1.0, 8.5, 25.0, 50.0, None, float("nan"), 2.0],
        "y": [3.0, 3.0, 1.0, 1.5, 1.0, 1.0, 1.0, 1.0, 2.0],
        "ward": ["A", "B", "A", "A", "B", "A", "A", "A", None],
        "person": ["u", "u", "v", "v", "w", "w", "w", "w", "z"],
    }
)


def measured(chart: Choropleth, unit: PrivacyUnit = ROWS) -> ChoroplethRelease:
    """A budget so large that the noise is zero."""
    plan = chart.plan(DOMAIN, unit, Budget(10_000.0, weak=True))
    return measure_planned(chart, DuckEngine(TABLE), plan)


def test_each_row_counts_in_the_first_region_that_holds_it() -> None:
    assert measured(Choropleth("x", "y", MAP)).counts.tolist() == [3, 1, 1]
    turned = measured(Choropleth("x", "y", (COUNTY, CITY, FAR)))
    assert turned.counts.tolist() == [4, 0, 1]


def test_a_person_counts_once_and_shares_with_rows_that_lie_nowhere() -> None:
    counts = measured(Choropleth("x", "y", MAP), USERS).counts
    assert counts == pytest.approx([2, 0.5, 0.25], abs=0.01)
    # Two rows of w count, whichever are drawn, and perhaps not the one that lies in a region.
    assert measured(Choropleth("x", "y", MAP), FEW).counts[:2].tolist() == [3, 1]


def test_panels_come_first_and_share_the_charge() -> None:
    chart = Choropleth("x", "y", MAP, col="ward")
    release = measured(chart)
    assert release.counts.tolist() == [[1, 1, 0], [1, 0, 1]]
    assert release.facet(col="B").counts.tolist() == [[1, 0, 1]]
    assert chart.plan(DOMAIN, ROWS, Budget(1)).cost.epsilon == 1
    assert [each["ward"] for each in release.records()] == ["A"] * 3 + ["B"] * 3


def test_conditions_choose_rows() -> None:
    with seeded(1):
        release = sf.choropleth(
            TABLE, x="x", y="y", regions=MAP, where="ward == 'A'", budget=sf.Budget(1e4, weak=True)
        )
    assert release.counts.tolist() == [1, 1, 0]


def test_proportions_are_of_all_that_were_counted_and_densities_of_an_area() -> None:
    share = measured(Choropleth("x", "y", MAP, stat="proportion"))
    assert share.numbers.tolist() == [0.6, 0.2, 0.2]
    dense = measured(Choropleth("x", "y", (COUNTY, FAR), stat="density"))
    assert dense.area.sides is not None
    across, up = dense.area.sides
    assert dense.numbers == pytest.approx(np.array([4 / 49, 1 / 50]) * across * up)


def test_square_kilometres_are_those_of_the_earth() -> None:
    degree = Region("degree", ((box(0, 60, 1, 61),),))
    release = measured(Choropleth("x", "y", (degree,), stat="density", aspect="map"))
    assert release.sizes[0] == pytest.approx(111.32**2 * np.cos(np.radians(60.5)), rel=1e-3)
    assert release.measure == "rows per km²"


def test_columns_of_degrees_are_drawn_as_a_map_and_others_alike() -> None:
    def aspect(x: str, y: str) -> str:
        return Choropleth(x, y, MAP).plan(DOMAIN, ROWS, Budget(1)).aspect

    assert (aspect("lon", "lat"), aspect("x", "y")) == ("map", "equal")


@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, 1.0, 3.0, 8.5, 25.0, 99.0, float("inf")]),
            st.sampled_from("uvw"),
        ),
        max_size=12,
    ),
    st.sampled_from([ROWS, USERS, FEW]),
)
def test_one_unit_moves_all_counts_together_by_its_weight(
    rows: list[tuple[float | None, str]], unit: PrivacyUnit
) -> None:
    def count(kept: list[tuple[float | None, str]]) -> Exact:
        columns = {"x": [x for x, _ in kept], "person": [who for _, who in kept]}
        table = pa.table(
            {
                "x": pa.array(columns["x"], pa.float64()),
                "y": pa.array([3.0] * len(kept)),
                "person": pa.array(columns["person"], pa.string()),
            }
        )
        engine = DuckEngine(table)
        engine._salt = "5a17"
        return engine.counts([Choropleth("x", "y", MAP).areas], unit)

    less = [row for row in rows if row[1] != "u"] if unit.column else rows[:-1]
    here, there = count(rows), count(less)
    moved = np.abs(here.reveal() - there.reveal()).sum()
    assert moved <= here.l1 == unit.weight


@pytest.mark.parametrize(
    ("budget", "unit"), [(Budget(0.4), ROWS), (Budget(2.0), FEW), (Budget(0.5, 1e-6), USERS)]
)
def test_the_expected_error_is_the_observed_one(budget: Budget, unit: PrivacyUnit) -> None:
    many = tuple(Region(str(n), ((box(n, 0, n + 1, 1),),)) for n in range(2000))
    chart = Choropleth("x", "y", many)
    plan = chart.plan(DOMAIN, unit, budget)
    with seeded(3):
        counts = measure_planned(chart, DuckEngine(TABLE.slice(0, 0)), plan).counts
    assert 0.9 < plan.expected_error / np.abs(counts).mean() < 1.1


@pytest.mark.parametrize("stat", ["count", "density", "proportion"])
def test_intervals_hold_the_truth_as_often_as_they_say(stat: Any) -> None:
    true = np.array([40, 3, 0, 12, 200, 7])
    many = tuple(Region(str(n), ((box(n, 0, n + 1, 1),),)) for n in range(6))
    rows = np.repeat(np.arange(6) + 0.5, true)
    engine = DuckEngine(pa.table({"x": rows, "y": np.full(rows.size, 0.5)}))
    chart = Choropleth("x", "y", many, stat=stat)
    plan = chart.plan(DOMAIN, ROWS, Budget(0.5))
    wanted = measured_of(chart, engine)
    alone, together, runs = 0, 0, 400
    with seeded(11):
        exact = engine.counts([chart.areas], ROWS)
        counted = Counted(exact)
        for _ in range(runs):
            sure = measure_planned(chart, counted, plan).uncertainty  # pyright: ignore[reportArgumentType]
            alone += int(inside(sure.pointwise, wanted).sum())
            together += bool(inside(sure.simultaneous, wanted).all())
    assert 0.93 < alone / (6 * runs) < (0.985 if stat == "proportion" else 0.97)
    assert together / runs > 0.92


class Counted:
    """An engine that has counted already."""

    def __init__(self, exact: Exact) -> None:
        self._exact = exact

    def counts(self, keys: Any, unit: Any) -> Exact:
        """Return what was counted."""
        del keys, unit
        return self._exact


def measured_of(chart: Choropleth, engine: Any) -> np.ndarray[Any, Any]:
    plan = chart.plan(DOMAIN, ROWS, Budget(10_000.0, weak=True))
    return measure_planned(chart, engine, plan).numbers.ravel()


def inside(ends: Any, wanted: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    low, high = np.array(ends.low), np.array(ends.high)
    return (low <= wanted + 1e-12) & (wanted - 1e-12 <= high)


def test_empty_tables_are_grey_nineteen_times_in_twenty() -> None:
    many = tuple(Region(str(n), ((box(n, 0, n + 1, 1),),)) for n in range(12))
    chart = Choropleth("x", "y", many)
    plan = chart.plan(DOMAIN, ROWS, Budget(0.5))
    counted = Counted(DuckEngine(TABLE.slice(0, 0)).counts([chart.areas], ROWS))
    with seeded(2):
        grey = [measure_planned(chart, counted, plan).muted.all() for _ in range(300)]  # pyright: ignore[reportArgumentType]
    assert np.mean(grey) > 0.93


class Careless(DuckEngine):
    """An engine that forgets how much one unit can move its answer."""

    def counts(self, keys: Any, unit: Any) -> Exact:
        """Claim that a unit moves twice what it does."""
        exact = super().counts(keys, unit)
        return Exact(2 * exact.l1, 4 * exact.l2_squared, exact.step, _values=exact.reveal())


def test_a_release_that_spent_more_than_was_charged_is_withheld() -> None:
    chart = Choropleth("x", "y", MAP)
    with pytest.raises(OverspentError):
        measure_planned(chart, Careless(TABLE), chart.plan(DOMAIN, ROWS, Budget(1)))


@pytest.mark.parametrize(
    ("chart", "why"),
    [
        (lambda: Choropleth("x", "x", MAP), "different columns"),
        (lambda: Choropleth("x", "y", ()), "1 to 10000 features"),
        (lambda: Choropleth("x", "y", (CITY, CITY)), "different names"),
        (lambda: Choropleth("x", "y", "nowhere.geojson"), "a file of GeoJSON"),
        (lambda: Choropleth("x", "y", 3), "a file of GeoJSON"),
        (lambda: Choropleth("x", "y", ("A", "B")), "a GeoJSON file"),
        (lambda: Choropleth("x", "y", MAP, stat="mean"), "stat"),
        (lambda: Choropleth("x", "y", MAP, aspect="wide"), "aspect"),
        (lambda: Choropleth("x", "y", MAP, stat="density"), "Regions overlap"),
        (lambda: Choropleth("x", "y", MAP, col="x"), "other columns"),
        (lambda: Choropleth("x", "y", MAP, col="team"), "needs public categories"),
        (lambda: Choropleth("x", "y", (Region("a", ((box(0, 0, 1, 99),),)),), aspect="map"),
         "degrees of longitude"),
        (lambda: Choropleth("x", "y", (Region("flat", ((box(0, 0, 1, 0),),)),)), "an area"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_by_the_plan(chart: Any, why: str) -> None:
    with pytest.raises(DomainError, match=why):
        chart().plan(DOMAIN, ROWS, Budget(1))


def test_nothing_is_charged_for_what_is_refused(tmp_path: Any) -> None:
    session = sf.Session(TABLE, budget=1)
    crossing = Region("tie", ((((0, 0), (2, 2), (2, 0), (0, 2), (0, 0)),),))
    for asked in ({"regions": (crossing,)}, {"regions": MAP, "x": "ward"}, {"bounds": (0, 1)}):
        with pytest.raises((DomainError, SourceError)):
            session.choropleth(**{"x": "x", "y": "y", "regions": MAP, "budget": 1.0, **asked})
    assert session.ledger.spent.epsilon == Fraction(0)


def test_a_cluster_that_locates_otherwise_is_refused_before_the_charge() -> None:
    plan = Choropleth("x", "y", MAP).plan(DOMAIN, ROWS, Budget(1))
    schema = Schema({"x": "number", "y": "number"})
    plan.check(schema)
    with pytest.raises(SourceError, match="does not locate points"):
        plan.check(dataclasses.replace(schema, locates=False))


def test_a_map_that_is_changed_later_changes_nothing(tmp_path: Any) -> None:
    file = tmp_path / "map.geojson"
    file.write_text(json.dumps(write_areas(MAP)))
    chart = Choropleth("x", "y", file)
    file.write_text(json.dumps(write_areas((FAR,))))
    assert isinstance(chart.plan(DOMAIN, ROWS, Budget(1)), ChoroplethPlan)
    assert chart.areas.names == ("city", "county", "far")
    assert chart == Choropleth("x", "y", MAP) and chart != Choropleth("x", "y", file)


def test_the_same_map_is_not_paid_twice() -> None:
    session = sf.Session(TABLE, budget=3)
    first = session.choropleth(x="x", y="y", regions=MAP, budget=1)
    assert session.choropleth(x="x", y="y", regions=write_areas(MAP), budget=1) is first
    other = session.choropleth(x="x", y="y", regions=MAP[:2], budget=1)
    assert other is not first and session.ledger.spent.epsilon == 2
