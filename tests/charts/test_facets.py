"""Panels are groups of one query: a unit moves all of them together by its weight, paid once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from engines.oracle import SALT
from sfumato.domain import Categories, Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import DomainError, OverspentError, ReleaseError
from sfumato.exact import Exact
from sfumato.grid import Key, Labels
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import private
from sfumato.releases import document
from sfumato.testing import measure_planned, seeded

ROWS, SHARED, FEW = (
    PrivacyUnit.rows(),
    PrivacyUnit.users("u"),
    PrivacyUnit.users("u", max_rows=2),
)
MONTHS, WARDS = ["Jan", "Feb", "Mar"], ["A", "B"]
DOMAIN = Domain(x=(0, 8), m=MONTHS, w=WARDS, h=["f", "m"])
SCHEMA = pa.schema([("u", pa.int64()), ("m", pa.string()), ("w", pa.string()), ("x", pa.float64())])
CHARTS: list[Any] = [
    sf.Histogram("x", bins=4, col="m", row="w"),
    sf.Boxplot(x="w", y="x", col="m"),
    sf.Quantiles("x", q=0.5, hue="w", col="m"),
]

row = st.tuples(
    st.sampled_from([*MONTHS, "Apr", None]),
    st.sampled_from([*WARDS, "C", None]),
    st.sampled_from([0.0, 3.0, 8.0, 99.0, float("nan"), None]),
)
tables = st.lists(st.tuples(st.integers(0, 4) | st.none(), row), max_size=15)


def table(rows: Sequence[Any]) -> pa.Table:
    columns = list(zip(*[(u, *values) for u, values in rows], strict=True)) or [[]] * 4
    return pa.table(dict(zip("umwx", columns, strict=True)), SCHEMA)


class Asked(Exception):
    """What a chart has asked the engine for, in place of a measurement."""


Count = Callable[[pa.Table, Sequence[Key], PrivacyUnit], Exact]


def count_together(rows: pa.Table, keys: Sequence[Key], unit: PrivacyUnit) -> Exact:
    engine = DuckEngine(rows)
    engine._salt = SALT  # the secret is drawn once, whoever is in the table
    return engine.counts(keys, unit)


def count_panel_by_panel(rows: pa.Table, keys: Sequence[Key], unit: PrivacyUnit) -> Exact:
    """Ask for each panel by itself, so that someone has their weight in each: the twin."""
    place = next(i for i, key in enumerate(keys) if key.column == "m")
    parts = [rows.filter(pc.equal(rows["m"], month)) for month in MONTHS]
    alone = Labels("m", Categories(("Jan",)))
    kept = [*keys[:place], alone, *keys[place + 1 :]]
    renamed = [
        part.set_column(1, "m", pa.array(["Jan"] * part.num_rows, pa.string())) for part in parts
    ]
    answers = [count_together(part, kept, unit) for part in renamed]
    values = np.concatenate([answer.reveal() for answer in answers], axis=place)
    return replace(answers[0], _values=values)


def moved(chart: Any, rows: Any, mine: Any, unit: PrivacyUnit, count: Count) -> float:
    """Return how far one more unit moves what a chart asks for, over what is stated."""
    keys = asked_by(chart, unit)
    with_unit, without = (count(table(each), keys, unit) for each in (rows + mine, rows))
    assert with_unit.l1 == without.l1 == unit.weight
    return float(np.abs(with_unit.reveal() - without.reveal()).sum() / with_unit.l1)


def asked_by(chart: Any, unit: PrivacyUnit) -> Sequence[Key]:
    """Return what a chart counts in its one query."""

    class Recording(DuckEngine):
        def counts(self, keys: Any, unit: PrivacyUnit) -> Exact:
            raise Asked(keys, unit)

    with pytest.raises(Asked) as found:
        measure_planned(chart, Recording(table([])), chart.plan(DOMAIN, unit, Budget(1)))
    assert found.value.args[1] == unit
    return found.value.args[0]


@settings(deadline=None, max_examples=25)
@given(tables, st.lists(row, min_size=1, max_size=12), st.sampled_from(CHARTS))
def test_one_person_moves_all_panels_together_by_their_weight(rows, mine, chart):
    for unit in (SHARED, FEW):
        assert moved(chart, rows, [(99, each) for each in mine], unit, count_together) <= 1
    assert moved(chart, rows, [(99, mine[0])], ROWS, count_together) <= 1


@pytest.mark.parametrize("unit", [SHARED, FEW], ids=["shared", "max_rows"])
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.verb)
def test_panels_that_are_asked_one_by_one_would_be_noticed(chart, unit):
    mine = [(99, (month, "A", 3.0)) for month in MONTHS for _ in range(2)]
    assert moved(chart, [], mine, unit, count_together) <= 1
    assert moved(chart, [], mine, unit, count_panel_by_panel) > 2


class PanelByPanel(sf.Histogram):
    """A histogram that measures each panel for itself: another twin."""

    def measure(self, engine: Any, plan: Any, meter: Any) -> Any:
        for month in MONTHS:
            alone = replace(plan.facets.col, categories=Categories((month,)))
            part = replace(plan, facets=replace(plan.facets, col=alone))
            release = super().measure(engine, part, meter)
        return release


def test_a_chart_that_pays_once_and_measures_each_panel_is_withheld():
    engine = DuckEngine(table([(1, ("Jan", "A", 3.0))]))
    for kind in (sf.Histogram, PanelByPanel):
        chart = kind("x", bins=4, col="m")
        plan = chart.plan(DOMAIN, ROWS, Budget(1))
        if kind is sf.Histogram:
            assert len(measure_planned(chart, engine, plan).panels) == 3
        else:
            with pytest.raises(OverspentError):
                measure_planned(chart, engine, plan)


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.verb)
def test_panels_cost_what_the_chart_costs_without_them(chart):
    whole = replace(chart, col=None, row=None)
    for budget in (Budget(1), Budget(1, 1e-6)):
        plans = [each.plan(DOMAIN, FEW, budget) for each in (chart, whole)]
        assert plans[0].cost == plans[1].cost


@pytest.mark.parametrize(
    ("chart", "why"),
    [
        (lambda: sf.Histogram("x", col="x"), "other columns"),
        (lambda: sf.Histogram("x", col="m", row="m"), "other columns"),
        (lambda: sf.Histogram("x", hue="m", col="m"), "other columns"),
        (lambda: sf.Histogram("x", col_order=["A"]), "needs a col"),
        (lambda: sf.Boxplot(y="x", row_order=["A"]), "needs a row"),
        (lambda: sf.Histogram("x", col="m", col_order=private(delta=1e-6)), "searched for"),
        (lambda: sf.Histogram("x", col="m", col_wrap=0), "whole number"),
        (lambda: sf.Histogram("x", col="m", col_wrap=True), "whole number"),
        (lambda: sf.Histogram("x", col_wrap=2), "with col"),
        (lambda: sf.Histogram("x", col="m", row="w", col_wrap=2), "without row"),
        (lambda: sf.Histogram("x", col="unknown"), "needs public categories"),
        (lambda: sf.Histogram("x", col="m", col_order=["Jan", "Dec"]), "not a declared"),
    ],
)
def test_what_cannot_be_asked_in_panels_is_refused(chart, why):
    with pytest.raises(DomainError, match=why):
        chart().plan(DOMAIN, ROWS, Budget(1))


@pytest.mark.parametrize("by", ["hue", "col", "row"])
def test_rows_are_not_replaced_among_groups_or_panels(by):
    with pytest.raises(DomainError, match="without groups"):
        replace(sf.Quantiles("x", neighbours="replace", n=9), **{by: "m"})


def test_a_panel_is_a_release_of_its_own_with_the_guarantee_of_the_whole():
    rows = [(u, (MONTHS[u % 3], WARDS[u % 2], u % 8)) for u in range(60)]
    with seeded(1):
        whole = sf.Session(table(rows), domain=DOMAIN, budget=9).histplot(
            x="x", bins=4, col="m", row="w", budget=1
        )
    assert whole.counts.shape == (2, 3, 4)
    assert whole.panels[4] == {"w": "B", "m": "Feb"}
    one = whole.facet(col="Feb", row="B")
    assert one.counts.tolist() == [[whole.counts[1, 1].tolist()]]
    assert (one.guarantee, one.cost, one.label) == (whole.guarantee, whole.cost, whole.label)
    assert whole.facet(col="Feb").counts.tolist() == whole.counts[:, [1]].tolist()
    assert whole.split()[4] == one
    assert [record["m"] for record in one.records()] == ["Feb"] * 4
    assert document.read(one.to_dict()) == one
    with pytest.raises(ReleaseError, match="no panel of m"):
        whole.facet(col="Dec")
    with pytest.raises(ReleaseError, match="no panels by row"):
        replace(whole.facet(row="A"), row=None).facet(row="A")


def test_a_chart_in_other_rows_of_panels_is_not_paid_again():
    rows = [(u, (MONTHS[u % 3], "A", 3.0)) for u in range(9)]
    session = sf.Session(table(rows), domain=DOMAIN, budget=1)
    first = session.histplot(x="x", bins=4, col="m", col_wrap=1, budget=0.9)
    again = session.histplot(x="x", bins=4, col="m", col_wrap=3, budget=0.9)
    assert (again.steps, again.col_wrap, first.col_wrap) == (first.steps, 3, 1)
