"""Means, sums, medians and proportions of regions: what they are of, how sure, what they cost."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.addend import Addend, count_steps
from sfumato.charts.choropleth.chart import Choropleth
from sfumato.charts.means.chart import Barplot, MeansPlan
from sfumato.domain import Bounds, Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import DomainError, OverspentError, SourceError
from sfumato.exact import Exact
from sfumato.figure import Regions
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import private
from sfumato.regions import Region
from sfumato.releases.choropleth.means import RegionalMeansRelease
from sfumato.testing import measure_planned, seeded

ROWS, USERS = PrivacyUnit.rows(), PrivacyUnit.users("person")
FEW = PrivacyUnit.users("person", max_rows=2)
UNITS = [ROWS, USERS, FEW]
DOMAIN = Domain(price=(0, 100), kind=["flat", "house"], ward=["A", "B"])
LARGE = Budget(10_000.0, weak=True)
GROUPS, EACH = 200, 400


def box(left: float, low: float, right: float, high: float) -> Any:
    return ((left, low), (right, low), (right, high), (left, high), (left, low))


# The county lies around the city, and nobody lives far out.
MAP = (
    Region("city", ((box(2, 2, 4, 4),),)),
    Region("county", ((box(0, 0, 10, 5),),)),
    Region("far", ((box(20, 0, 30, 5),),)),
)
# Points on a border lie in the first, one is nowhere, one has no price, one no place.
ROWS_OF = {
    "x": [3.0, 2.0, 1.0, 8.5, 9.0, 50.0, 3.0, None] * 100,
    "y": [3.0, 2.0, 1.0, 1.5, 4.0, 1.0, 3.0, 3.0] * 100,
    "price": [20.0, 40.0, 70.0, 80.0, 120.0, 99.0, None, 99.0] * 100,
    "kind": ["flat", "house", "house", "house", None, "flat", "boat", "flat"] * 100,
    "ward": ["A", "B", "A", "A", "B", "A", "A", "A"] * 100,
    "person": list(range(800)),
}
TABLE = pa.table(ROWS_OF)


def measured(chart: Choropleth, unit: PrivacyUnit = ROWS, budget: Budget = LARGE) -> Any:
    plan = chart.plan(DOMAIN, unit, budget)
    with seeded(1):
        return measure_planned(chart, DuckEngine(TABLE), plan)


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, [30, 250 / 3]),
        ({"estimator": "sum"}, [6000, 25_000]),
        ({"estimator": "median", "where": "price != 20"}, [40, 80]),
        ({"value": "kind", "estimator": "proportion"}, [0.5, 1]),
        ({"value": "kind", "estimator": "proportion", "levels": ["house", "flat"]}, [0.5, 0]),
    ],
)
def test_each_region_tells_its_number(
    unit: PrivacyUnit, options: dict[str, Any], wanted: list[float]
) -> None:
    clip: dict[str, Any] = {} if options else {"clip": "bounds"}
    release = measured(Choropleth("x", "y", MAP, **{"value": "price"} | clip | options), unit)
    told = release.estimates
    assert isinstance(release, RegionalMeansRelease)
    assert told.value[:2] == pytest.approx(wanted, rel=0.02, abs=0.02)
    if options.get("estimator") != "sum":
        assert not told.reliable[2]
        assert np.isnan(
            [release.records()[2][each] for each in (release.estimator, "low", "high")]
        ).all()
    assert release.counts[:2] == pytest.approx(
        [100 if "where" in options else 200, 200 if "value" in options else 300], abs=2
    )
    assert [each["region"] for each in release.records()] == ["city", "county", "far"]


def test_the_same_as_bars_of_a_column_that_names_the_region() -> None:
    names = ["city", "city", "county", "county", "county", None, "city", None] * 100
    named = TABLE.append_column("region", pa.array(names))
    bars = Barplot("region", "price", order=["city", "county", "far"])
    plan = bars.plan(DOMAIN, USERS, Budget(1.0))
    regions = Choropleth("x", "y", MAP, value="price")
    same = regions.plan(DOMAIN, USERS, Budget(1.0))
    assert isinstance(same, MeansPlan) and (same.cost, same.noise) == (plan.cost, plan.noise)
    with seeded(4):
        one = measure_planned(bars, DuckEngine(named), plan)
    with seeded(4):
        other = measure_planned(regions, DuckEngine(named), same)
    assert (one.steps, one.clipped) == (other.steps, other.clipped)
    assert np.array_equal(one.estimates.low, other.estimates.low, equal_nan=True)


def test_panels_come_first_and_share_the_charge() -> None:
    chart = Choropleth("x", "y", MAP, value="price", clip="bounds", col="ward")
    release = measured(chart)
    assert release.estimates.value.ravel()[[0, 1, 3, 4]] == pytest.approx(
        [20, 75, 40, 100], abs=0.01
    )
    assert chart.plan(DOMAIN, ROWS, Budget(1)).cost.epsilon == 1
    assert [each["ward"] for each in release.records()] == ["A"] * 3 + ["B"] * 3
    assert release.facet(col="B").records()[0]["mean"] == pytest.approx(40, abs=0.01)
    assert len(release.figure().panels) == 2


@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, 1.0, 3.0, 25.0, 99.0, float("inf")]),
            st.sampled_from([None, -5.0, 0.0, 33.3, 100.0, 1e300, float("nan")]),
            st.sampled_from("uvw"),
        ),
        max_size=12,
    ),
    st.sampled_from(UNITS),
)
def test_one_unit_moves_all_sums_together_by_its_weight(
    rows: list[tuple[float | None, float | None, str]], unit: PrivacyUnit
) -> None:
    steps = count_steps(unit)

    def add_up(kept: list[tuple[float | None, float | None, str]]) -> Exact:
        table = pa.table(
            {
                "x": pa.array([x for x, _, _ in kept], pa.float64()),
                "y": pa.array([3.0] * len(kept)),
                "price": pa.array([price for _, price, _ in kept], pa.float64()),
                "person": pa.array([who for *_, who in kept], pa.string()),
            }
        )
        engine = DuckEngine(table)
        engine._salt = "5a17"
        addend = Addend("price", (Bounds(0, 100),), steps)
        return engine.sums([Choropleth("x", "y", MAP).areas], addend, unit)

    less = [row for row in rows if row[2] != "u"] if unit.column else rows[:-1]
    here, there = add_up(rows), add_up(less)
    plan = Choropleth("x", "y", MAP, value="price", clip="bounds").plan(DOMAIN, unit, Budget(1))
    assert isinstance(plan, MeansPlan)
    assert np.abs(here.reveal() - there.reveal()).sum() <= here.l1
    assert here.l1 == pytest.approx(plan.noise.scale * 1.0)  # ε = 1: the noise is for no less


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("budget", [Budget(0.7), Budget(1, 1e-6)], ids=str)
@pytest.mark.parametrize("estimator", ["mean", "sum", "proportion", "median"])
def test_intervals_hold_the_numbers_of_regions_as_often_as_they_say(
    estimator: Any, budget: Budget, unit: PrivacyUnit
) -> None:
    draw = np.random.default_rng(2)
    many = tuple(Region(str(n), ((box(n, 0, n + 1, 1),),)) for n in range(GROUPS))
    price = np.round(draw.gamma(2.0, 10.0, GROUPS * EACH), 2)
    table = pa.table(
        {
            "x": np.repeat(np.arange(GROUPS) + 0.5, EACH),
            "y": np.full(GROUPS * EACH, 0.5),
            "price": price,
            "kind": np.where(price > 20, "house", "flat"),
            "person": np.arange(GROUPS * EACH),
        }
    )
    value = "kind" if estimator == "proportion" else "price"
    chart = Choropleth("x", "y", many, value=value, estimator=estimator)
    plan = chart.plan(DOMAIN, unit, budget)
    with seeded(6):
        release = measure_planned(chart, DuckEngine(table), plan)
    upper = 100.0 if estimator == "median" else getattr(release.clipped, "edges", (0, 1))[1]
    values = np.clip(price, 0, upper).reshape(GROUPS, EACH)
    truth = {
        "mean": values.mean(axis=1),
        "sum": values.sum(axis=1),
        "proportion": (price > 20).reshape(GROUPS, EACH).mean(axis=1),
        "median": np.sort(values, axis=1)[:, EACH // 2 - 1],
    }[estimator]
    told = release.estimates
    held = ((told.low <= truth) & (truth <= told.high))[told.reliable]
    assert held.size > 0.5 * GROUPS
    # 0.95 ± four standard deviations of so many regions; medians hold at least as often.
    assert 0.95 - 0.065 < held.mean() <= (1 if estimator == "median" else 1 - 1 / 400)


def test_a_region_with_too_few_is_grey_and_tells_no_number(tmp_path: Any) -> None:
    release = measured(Choropleth("x", "y", MAP, value="price", clip="bounds"), budget=Budget(1))
    (mark,) = release.figure().panels[0].marks
    assert isinstance(mark, Regions)
    assert mark.muted == (False, False, True) == tuple(not each for each in mark.reliable)
    assert "Grey: too few data." in release.caption()
    assert "in the first" not in release.caption()
    plain = release.to_geojson()
    assert plain["features"][2]["properties"]["mean"] is None
    assert plain["sfumato"]["measure"] == "mean of price"
    for ending in (".json", ".html", ".svg", ".geojson", ".csv"):
        release.save(tmp_path / f"a{ending}")
    again = sf.load(tmp_path / "a.json")
    assert again == release and again.to_dict() == release.to_dict()
    assert "too few data" in (tmp_path / "a.svg").read_text()
    assert "nan" not in (tmp_path / "a.svg").read_text().lower()


def test_regions_that_noise_alone_could_have_told_apart_are_said_to_be_alike() -> None:
    same = Choropleth("x", "y", MAP[:2], value="price", clip="bounds")
    plan = same.plan(DOMAIN, ROWS, Budget(0.1))
    level = TABLE.set_column(2, "price", pa.array([50.0] * 800))
    engine = DuckEngine(pa.concat_tables([level] * 2))
    with seeded(3):
        notes = [measure_planned(same, engine, plan).figure().notes for _ in range(20)]
    told = {note for each in notes for note in each}
    assert "Noise alone could have made all differences: one mean fits all." in told
    with seeded(3):
        drawn = [measure_planned(same, engine, plan).figure() for _ in range(20)]
    for figure in drawn:
        (mark,) = figure.panels[0].marks
        alike = any("one mean fits all" in note for note in figure.notes)
        assert isinstance(mark, Regions) and (not alike or all(mark.muted))
        assert not alike or "not distinguishable from each other" in figure.caption
    assert measured(same).figure().notes == ()


def test_sums_follow_from_means_and_are_not_paid_twice() -> None:
    session = sf.Session(TABLE, domain=DOMAIN, budget=3)
    asked: dict[str, Any] = {"x": "x", "y": "y", "regions": MAP, "value": "price"}
    mean = session.choropleth(**asked, budget=1)
    spent = session.ledger.spent
    total = session.choropleth(**asked, estimator="sum", budget=1)
    assert session.ledger.spent == spent
    assert total.steps == mean.steps and total.heading == "sum of price by region of x and y"
    assert session.choropleth(**asked, estimator="mean", budget=1) is mean
    for other in (
        {"regions": MAP[:2]},
        {"estimator": "median"},
        {"aspect": "free"},
        {"col": "ward"},
    ):
        before = session.ledger.spent
        session.choropleth(**{**asked, **other}, budget=0.2)
        assert session.ledger.spent.epsilon > before.epsilon, other


def test_nothing_needs_to_be_declared_of_a_value_that_is_searched_for() -> None:
    with seeded(2):
        release = sf.choropleth(
            TABLE, x="x", y="y", regions=MAP, value="price", bounds=private(), budget=2.0
        )
    assert release.estimates.value[0] == pytest.approx(30, abs=6)
    low, high = release.clipped.edges
    assert -1e4 < low < 60 < high < 1e4
    wide = sf.choropleth(
        TABLE, x="x", y="y", regions=MAP, value="price", bounds=(0, 1e9), where="ward == 'A'",
        budget=2.0,
    )  # fmt: skip
    assert wide.clipped.edges[1] < 1e6


class Careless(DuckEngine):
    """An engine that forgets how much one unit can move its answer."""

    def sums(self, keys: Any, addend: Any, unit: Any) -> Exact:
        """Claim that a unit moves twice what it does."""
        exact = super().sums(keys, addend, unit)
        return Exact(2 * exact.l1, 4 * exact.l2_squared, exact.step, _values=exact.reveal())


def test_a_release_that_spent_more_than_was_charged_is_withheld() -> None:
    chart = Choropleth("x", "y", MAP, value="price", clip="bounds")
    with pytest.raises(OverspentError):
        measure_planned(chart, Careless(TABLE), chart.plan(DOMAIN, ROWS, Budget(1)))


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"value": "nothing"}, "needs public bounds"),
        ({"value": "kind"}, "has categories"),
        ({"value": "price", "estimator": "proportion"}, "needs the public categories"),
        ({"value": "price", "stat": "density"}, "is for counts"),
        ({"value": "price", "estimator": "mode"}, "estimator"),
        ({"value": "price", "levels": ["a", "b"]}, "levels"),
        ({"estimator": "median"}, "are for a value"),
        ({"clip": "bounds"}, "are for a value"),
        ({"bounds": private()}, "are for a value"),
        ({"value": "price", "clip": "bounds", "bounds": private()}, "private search"),
        ({"value": "price", "aspect": "map"}, "degrees of longitude"),
    ],
)
def test_what_makes_no_sense_is_refused_before_the_charge(
    options: dict[str, Any], why: str
) -> None:
    regions = (Region("a", ((box(0, 0, 1, 99),),)),) if "aspect" in options else MAP
    session = sf.Session(TABLE, domain=DOMAIN, budget=1)
    with pytest.raises((DomainError, SourceError), match=why):
        session.choropleth(x="x", y="y", regions=regions, budget=1.0, **options)
    assert session.ledger.spent.epsilon == Fraction(0)


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_tables_of_odd_values_have_an_answer_and_no_warning(unit: PrivacyUnit) -> None:
    odd = [float("inf"), float("-inf"), 1e308, -1e308, 5e-324, -0.0, None, float("nan")]
    table = pa.table(
        {
            "x": pa.array([*odd, *[3.0] * 8], pa.float64()),
            "y": pa.array([3.0] * 16),
            "price": pa.array([*[1.0] * 8, *odd], pa.float64()),
            "person": pa.array([*"abcdefghabcdefg", None]),
        }
    )
    for estimator in ("mean", "sum", "median"):
        chart = Choropleth("x", "y", MAP, value="price", estimator=estimator)
        plan = chart.plan(DOMAIN, unit, Budget(0.1))
        release = measure_planned(chart, DuckEngine(table.slice(0, 16)), plan)
        assert release.caption() and release.figure() and release.records()
        empty = measure_planned(chart, DuckEngine(table.slice(0, 0)), plan)
        assert empty.caption() and empty.figure() and empty.records()
