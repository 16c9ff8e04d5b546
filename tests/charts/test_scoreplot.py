"""What a score plot asks, what it costs, and what it shows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from charts.spending import fills
from sfumato.charts.pca.chart import PCA
from sfumato.charts.scoreplot.cells import make_distance_ladder
from sfumato.charts.scoreplot.chart import Scoreplot
from sfumato.charts.scoreplot.plan import BudgetSplit
from sfumato.domain import Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import BudgetError, DomainError, LedgerError, OverspentError, SourceError
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.scoreplot import METHODS
from sfumato.releases.scoreplot.density import unseen
from sfumato.testing import measure_planned, seeded

ROWS, USERS = PrivacyUnit.rows(), PrivacyUnit.users("who")
COLUMNS = ["a", "b", "c"]
DOMAIN = Domain(a=(-10, 10), b=(-10, 10), c=(-10, 10), group=["left", "right"])
SPEND = Budget(epsilon=4, delta=1e-6)


def table(rows=3000, seed=1):
    """Two clusters apart along the first column, of which one is twice as large."""
    generator = np.random.default_rng(seed)
    left = generator.random(rows) < 2 / 3
    a = np.where(left, -3.0, 4.0) + generator.normal(0, 0.5, rows)
    return pa.table(
        {
            "a": a,
            "b": generator.normal(0, 1.5, rows),
            "c": generator.normal(0, 0.3, rows),
            "group": np.where(left, "left", "right"),
            "who": [f"p{index}" for index in range(rows)],
        }
    )


TABLE = table()


def drawn(chart, budget=SPEND, unit=ROWS, source=TABLE, domain=DOMAIN, seed=3):
    plan = chart.plan(domain, unit, budget)
    with seeded(seed):
        return measure_planned(chart, DuckEngine(source), plan)


def components(budget=SPEND, seed=2):
    chart = PCA(COLUMNS)
    with seeded(seed):
        return measure_planned(chart, DuckEngine(TABLE), chart.plan(DOMAIN, ROWS, budget))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unit", [ROWS, USERS, PrivacyUnit.users("who", max_rows=2)])
def test_scores_are_shown_where_they_are(method, unit):
    chart = Scoreplot(columns=COLUMNS, bins=16, method=method)
    if method == "sparse" and unit.shared:
        with pytest.raises(DomainError, match="PrivacyUnit"):
            chart.plan(DOMAIN, unit, SPEND)
        return
    release = drawn(chart, unit=unit)
    density = release.to_array()
    assert density.shape == (16, 16) and density.sum() == pytest.approx(1)
    x = (release.x.edges[1:] + release.x.edges[:-1]) / 2
    along = density.sum(axis=0)
    sides = sorted([along[x < 0].sum(), along[x > 0].sum()])
    assert sides == pytest.approx([1 / 3, 2 / 3], abs=0.08)
    assert along[np.abs(x) < 0.1].sum() < 0.05  # nobody lies between the clusters


def test_groups_share_one_frame_and_one_charge():
    alone = Scoreplot(columns=COLUMNS, bins=16).plan(DOMAIN, ROWS, SPEND)
    chart = Scoreplot(columns=COLUMNS, bins=16, hue="group")
    assert chart.plan(DOMAIN, ROWS, SPEND).cost == alone.cost
    release = drawn(chart)
    left, right = (release.to_array(group=group) for group in ("left", "right"))
    masses = np.array(release.masses).reshape(2, 16, 16).sum(axis=(1, 2))
    assert masses == pytest.approx([2000, 1000], rel=0.1)
    assert np.minimum(left, right).sum() < 0.05
    assert release.label == "scores of a, b, c on PC1 and PC2 by group"


def test_groups_can_be_searched_for():
    order = sf.private(delta=1e-7)
    chart = Scoreplot(columns=COLUMNS, bins=8, hue="group", hue_order=order)
    release = drawn(chart)
    assert release.hue is not None and release.hue.categories.values == ("left", "right")
    assert release.found == ("group",)


@pytest.mark.parametrize("method", METHODS)
def test_a_search_that_finds_no_group_has_an_answer(method):
    order = sf.private(delta=1e-9)
    chart = Scoreplot(columns=COLUMNS, bins=8, hue="group", hue_order=order, method=method)
    release = drawn(chart, source=TABLE.slice(0, 3), budget=Budget(1, 1e-6))
    assert release.hue is not None and release.hue.categories.values == ()
    assert release.masses == () and release.figure().notes
    assert release.caption() and release.records() == []
    assert release.to_html() and release.to_vega() and release.plot()


def test_components_paid_before_are_not_paid_again():
    pca = components()
    chart = Scoreplot(pca, bins=16)
    plan = chart.plan(DOMAIN, ROWS, SPEND)
    release = drawn(chart)
    assert plan.analysis is None and plan.captured(size=1000) is None
    assert release.pca == pca and not release.alone
    assert drawn(Scoreplot(columns=COLUMNS, bins=16)).alone
    assert release.noise is not None
    together = Scoreplot(columns=COLUMNS, bins=16).plan(DOMAIN, ROWS, SPEND)
    assert release.noise.scale < together.filling.noise.scale


def test_the_caption_tells_whom_the_directions_protect():
    pca, users = components(), drawn(Scoreplot(components(), bins=4), unit=USERS)
    assert "The directions were released before (ε = 4, δ = 1e-06, protecting each row)." in (
        users.caption()
    )
    assert "protecting each row)" not in drawn(Scoreplot(pca, bins=4)).caption()


def test_components_know_their_columns_and_bounds():
    release = drawn(Scoreplot(components(), bins=8), domain=Domain())
    assert release.to_array().shape == (8, 8)


def test_other_components_are_shown_on_request():
    release = drawn(Scoreplot(components(), axes=(3, 2), bins=(8, 12)))
    assert (release.x.column, release.y.column) == ("PC3", "PC2")
    assert release.to_array().shape == (12, 8)
    assert release.figure().panels[0].x.label.startswith("PC3")


def test_the_frame_holds_nearly_everyone():
    release = drawn(Scoreplot(columns=COLUMNS))
    assert 8 <= release.x.cells == release.y.cells <= 64
    pca = release.pca
    rows = np.column_stack([TABLE.column(name).to_numpy() for name in COLUMNS])
    places = pca.lattice.scaled([0, 0, 0]) + rows / np.array(pca.lattice.scales)
    scores = (places - np.array(pca.origin) * pca.lattice.unit) @ pca.components[:2].T
    half = release.x.bounds.upper
    assert (np.abs(scores) < half).all(axis=1).mean() > 0.98
    assert half < 2 * np.quantile(np.linalg.norm(scores, axis=1), 0.99)
    assert release.x.bounds == release.y.bounds and release.x.bounds.lower == -half


def test_a_picture_along_simulated_directions_is_not_private():
    chart = Scoreplot(components(), bins=4)
    plan = chart.plan(DOMAIN, ROWS, SPEND)
    release = measure_planned(chart, DuckEngine(TABLE), plan)  # with real noise
    assert not release.private and release.figure().watermark


def test_what_is_spent_is_what_was_planned():
    for method in METHODS:
        chart = Scoreplot(columns=COLUMNS, bins=8, method=method)
        plan = chart.plan(DOMAIN, ROWS, SPEND)
        assert fills(plan.cost, SPEND)
        assert plan.cost.delta == (Fraction(1, 2 * 10**6) if method == "sparse" else 0)
        cheap = replace(plan, cost=Cost(None, plan.cost.rho * Fraction(99, 100), plan.cost.delta))
        with seeded(1), pytest.raises(OverspentError):
            measure_planned(chart, DuckEngine(TABLE), cheap)


def test_splits_divide_the_whole():
    assert BudgetSplit.of(None, paid=False).numbers == (0.35, 0.05, 0.6)
    assert BudgetSplit.of("thirds", paid=False).numbers == pytest.approx((1 / 3,) * 3)
    assert BudgetSplit.of("halves", paid=True).numbers == (0.5, 0.5)
    assert sum(BudgetSplit.of(None, paid=True).numbers) == pytest.approx(1)
    for split, paid in (
        ("halves", False),
        ("thirds", True),
        ("quarters", False),
        ((0.5, 0.6), True),
        ((0.5, 0.4), True),
        ((0.5, 0.5, 0.0), False),
        ((1.2, -0.1, -0.1), False),
        (0.5, True),
    ):
        with pytest.raises(DomainError, match="split="):
            BudgetSplit.of(split, paid=paid)


def test_a_split_decides_the_noise():
    ours, thirds = (
        Scoreplot(columns=COLUMNS, split=split).plan(DOMAIN, ROWS, SPEND)
        for split in (None, "thirds")
    )
    assert ours.filling.noise.scale < thirds.filling.noise.scale
    assert fills(ours.cost, SPEND) and fills(thirds.cost, SPEND)


@pytest.mark.parametrize("rows", [0, 1, 2])
@pytest.mark.parametrize("method", METHODS)
def test_a_table_with_hardly_anyone_has_an_answer(rows, method):
    chart = Scoreplot(columns=COLUMNS, bins=8, method=method, hue="group")
    release = drawn(chart, source=TABLE.slice(0, rows), budget=Budget(0.5, 1e-6))
    assert np.isfinite(release.masses).all()
    assert release.to_array().sum() == pytest.approx(1)
    assert release.figure().panels


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_ladder_of_the_frame_rises_from_zero_to_the_farthest(scale):
    pca = components()
    # Whatever noise made of the variances, there is a rung within reach of any distance.
    matrix = tuple(int(entry * scale) for entry in pca.spread.matrix)
    odd = replace(pca, spread=replace(pca.spread, matrix=matrix))
    rungs = make_distance_ladder(odd, (1, 2))
    assert rungs[0] == 0 and rungs[-1] == pytest.approx(odd.lattice.farthest)
    assert all(low < high for low, high in pairwise(rungs))


@pytest.mark.parametrize(
    ("keywords", "text"),
    [
        ({}, "not both"),
        ({"columns": COLUMNS, "pca": "pca.json"}, "not both"),
        ({"columns": COLUMNS, "axes": (1, 4)}, "from 1 to 3"),
        ({"columns": COLUMNS, "axes": (2, 2)}, "two different"),
        ({"columns": COLUMNS, "axes": (0, 1)}, "from 1 to 3"),
        ({"columns": COLUMNS, "axes": 1}, "two different"),
        ({"columns": COLUMNS, "axes": (1, "b")}, "from 1 to 3"),
        ({"columns": COLUMNS, "bins": 0}, "bins="),
        ({"columns": COLUMNS, "bins": 2.5}, "bins="),
        ({"columns": COLUMNS, "bins": 257}, "up to 256"),
        ({"columns": COLUMNS, "bins": (4, 5, 6)}, "bins="),
        ({"columns": COLUMNS, "method": "raw"}, "not known"),
        ({"columns": COLUMNS, "hue": "a"}, "not one of those analysed"),
        ({"columns": COLUMNS, "hue_order": ["x"]}, "hue_order"),
        ({"columns": COLUMNS, "hue": "nobody"}, "'nobody'"),
        ({"columns": COLUMNS, "hue": "group", "hue_order": ["up"]}, "'up'"),
        ({"columns": ["a", "z"]}, "'z'"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_any_charge(keywords, text):
    session = sf.Session(TABLE, domain=DOMAIN, budget=Budget(9, 1e-5))
    with pytest.raises(DomainError, match=text):
        session.scoreplot(**keywords, budget=SPEND)
    assert session.ledger.entries == ()


def test_a_scale_for_released_components_is_refused():
    with pytest.raises(DomainError, match="released already"):
        Scoreplot(components(), scale=sf.private())


def test_score_plots_need_a_delta():
    with pytest.raises(BudgetError, match="delta=1e-6"):
        Scoreplot(columns=COLUMNS).plan(DOMAIN, ROWS, Budget(1))


def test_a_table_without_the_columns_is_refused_before_any_charge():
    other = pa.table({"a": [1.0], "b": [1.0]})
    session = sf.Session(other, domain=DOMAIN, budget=Budget(9, 1e-5))
    with pytest.raises(SourceError, match="'c'"):
        session.scoreplot(components(), budget=SPEND)
    assert session.ledger.entries == ()


def test_a_session_pays_for_components_once_and_for_each_picture():
    session = sf.Session(TABLE, domain=DOMAIN, budget=Budget(9, 1e-5))
    some = Budget(2, 1e-6)
    with seeded(1):
        pca = session.pca(columns=COLUMNS, budget=some)
        session.scoreplot(pca, bins=8, budget=some)
        session.scoreplot(pca, bins=8, axes=(1, 3), budget=some)
    labels = [entry.label for entry in session.ledger.entries]
    assert labels == [
        "principal components of a, b, c",
        "scores of a, b, c on PC1 and PC2",
        "scores of a, b, c on PC1 and PC3",
    ]


def test_the_caption_tells_of_which_rows_and_columns_the_directions_are():
    stored = sf.Session(TABLE, domain=DOMAIN, budget=Budget(9, 1e-5))
    derived = sf.Session(
        TABLE.drop_columns(["c"]), domain=DOMAIN, budget=Budget(9, 1e-5), columns={"c": "b / 5"}
    )
    some = Budget(2, 1e-6)
    with seeded(1):
        pca = stored.pca(columns=COLUMNS, where="group == 'left'", budget=some)
        same = stored.scoreplot(pca, bins=8, where="group == 'left'", budget=some)
        other = derived.scoreplot(pca, bins=8, where="a > 0", budget=some)
    assert other.selection is not None
    assert [column.definition for column in other.selection.columns] == ["b / 5"]
    assert "They were found otherwise: Rows where group == 'left'." in other.figure().caption
    assert "found otherwise" not in same.figure().caption


def test_the_plan_tells_what_other_prices_buy():
    plan = Scoreplot(columns=COLUMNS, bins=16).plan(DOMAIN, ROWS, Budget(1, 1e-5))
    rows = plan.buys(size=1000, epsilons=[0.5, 1, 2])
    assert rows[1]["error"] == pytest.approx(plan.expected_error)
    assert rows[0]["error"] > rows[1]["error"] > rows[2]["error"]
    assert "per cell" in str(plan) and "exact directions" in str(plan)
    assert "exact directions" not in str(Scoreplot(components()).plan(DOMAIN, ROWS, SPEND))


@pytest.mark.parametrize("method", ["haar", "sparse"])
def test_the_plan_tells_from_which_size_a_group_is_seen(method):
    chart = Scoreplot(columns=["a", "b"], hue="group", method=method)
    plan = chart.plan(DOMAIN, ROWS, Budget(2, 1e-6))
    assert "rows (smaller: not drawn)" in str(plan)
    for part, visible in ((0.3, False), (2.0, True)):
        few = round(part * plan.smallest_group)
        generator = np.random.default_rng(few)
        scores = generator.normal(0, 2, (2, 10_000))
        names = np.where(np.arange(10_000) < few, "left", "right")
        source = pa.table({"a": scores[0], "b": scores[1], "group": names})
        for seed in range(3):
            release = drawn(chart, Budget(2, 1e-6), source=source, seed=seed)
            assert ("left" not in unseen(release)) == visible


def test_squares_of_all_sizes_show_every_group():
    plan = Scoreplot(columns=COLUMNS, method="pyramid").plan(DOMAIN, ROWS, SPEND)
    assert plan.smallest_group == 0
    assert "not drawn" not in str(plan)


def test_more_cells_than_an_answer_may_have_are_refused():
    domain = Domain(a=(0, 1), b=(0, 1), group=[f"g{index}" for index in range(300)])
    with pytest.raises(DomainError, match="fewer bins"):
        Scoreplot(columns=["a", "b"], bins=256, hue="group").plan(domain, ROWS, SPEND)
    many = Domain(a=(0, 1), b=(0, 1), group=[f"g{index}" for index in range(5000)])
    few = Scoreplot(columns=["a", "b"], bins=4, hue="group")
    assert few.plan(many, ROWS, SPEND)
    with pytest.raises(DomainError, match="64 × 64"):
        replace(few, method="pyramid").plan(many, ROWS, SPEND)
    with pytest.raises(DomainError, match="256 × 256"):
        Scoreplot(columns=["a", "b"], bins=256, hue="group", method="pyramid").plan(
            domain, ROWS, SPEND
        )


def test_a_session_of_people_shows_no_components_that_protect_rows_alone():
    session = sf.Session(TABLE, unit=USERS, domain=DOMAIN, budget=Budget(9, 1e-5))
    with pytest.raises(LedgerError, match="another unit"):
        session.scoreplot(components(), bins=8, budget=Budget(2, 1e-6))
    assert session.ledger.entries == ()
    with seeded(1):
        pca = session.pca(columns=COLUMNS, budget=Budget(2, 1e-6))
        session.scoreplot(pca, bins=8, budget=Budget(2, 1e-6))
