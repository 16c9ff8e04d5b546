"""What principal components ask, what they cost, and what they find."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from charts.spending import fills
from sfumato.charts.allocation import Allocation
from sfumato.charts.pca import analysis as centre
from sfumato.charts.pca import analysis as reach
from sfumato.charts.pca import analysis as summing
from sfumato.charts.pca.analysis import (
    Centre,
    FoundCentre,
    RadiusSearch,
    fold_cells,
    make_ladder,
)
from sfumato.charts.pca.chart import PCA
from sfumato.domain import Bounds, Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.errors import BudgetError, DomainError, OverspentError, SourceError
from sfumato.exact import Exact
from sfumato.lattice import DistanceCells, Lattice, Moments
from sfumato.mechanisms.meter import Meter
from sfumato.privacy.budget import Budget, Cost
from sfumato.privacy.currency import Renyi
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.testing import ample_meter, measure_planned, seeded

ROWS = PrivacyUnit.rows()
COLUMNS = ["a", "b", "c", "d"]
DOMAIN = Domain(dict.fromkeys(COLUMNS, (-10, 10)))
SPEND = Budget(epsilon=4, delta=1e-6)
AXES = np.array([[0.8, 0.6, 0.0, 0.0], [0.0, 0.0, 0.6, -0.8]])


def cloud(rows=4000, seed=1):
    """Rows that vary along two known directions, and a little in all others."""
    generator = np.random.default_rng(seed)
    scores = generator.normal(0, [2.0, 1.0], (rows, 2))
    return scores @ AXES + generator.normal(0, 0.2, (rows, 4)) + np.array([1.0, -2.0, 0.5, 3.0])


def table(rows, **more):
    columns = {name: rows[:, index] for index, name in enumerate(COLUMNS[: rows.shape[1]])}
    return pa.table({**columns, **more})


def found(source, chart=None, budget=SPEND, unit=ROWS, domain=DOMAIN, seed=3):
    chart = chart or PCA(COLUMNS)
    plan = chart.plan(domain, unit, budget)
    with seeded(seed):
        return measure_planned(chart, DuckEngine(source), plan)


def test_directions_mean_and_variances_are_found():
    rows = cloud()
    release = found(table(rows))
    assert np.abs(release.components[:2] @ AXES.T) == pytest.approx(np.eye(2), abs=0.03)
    assert list(release.mean.values()) == pytest.approx([1.0, -2.0, 0.5, 3.0], abs=0.1)
    exact = np.cov(rows.T, bias=True) / 100  # one unit is half of the range
    along = [direction @ exact @ direction for direction in release.components]
    assert release.explained_variance == pytest.approx(along, abs=0.006)
    share = along[0] / np.trace(exact)
    assert release.explained_variance_ratio[0] == pytest.approx(share, abs=0.05)
    assert release.size == pytest.approx(4000, rel=0.05)


def test_components_have_the_shape_of_scikit_learn():
    release = found(table(cloud()), PCA(COLUMNS, n_components=2))
    assert release.components.shape == (2, 4)
    assert release.explained_variance.shape == release.explained_variance_ratio.shape == (2,)
    assert release.components @ release.components.T == pytest.approx(np.eye(2), abs=1e-5)


def test_what_is_spent_is_what_was_planned():
    chart = PCA(COLUMNS)
    plan = chart.plan(DOMAIN, ROWS, SPEND)
    assert fills(plan.cost, SPEND)
    assert plan.cost.epsilon is None and plan.cost.delta == 0
    analysis = plan.analysis
    with seeded(1), Meter(plan.cost) as meter:
        analysis.run(DuckEngine(table(cloud(50))), meter)
    assert meter.spent == plan.cost
    parts = [analysis.centre, analysis.reach, analysis.directions, analysis.spread]
    assert sum((part.cost for part in parts), Cost.nothing()) == plan.cost


def test_an_overspent_analysis_is_withheld():
    chart = PCA(COLUMNS)
    plan = chart.plan(DOMAIN, ROWS, SPEND)
    cheap = replace(plan, cost=Cost.gaussian(plan.cost.rho * Fraction(999, 1000)))
    with seeded(1), pytest.raises(OverspentError):
        measure_planned(chart, DuckEngine(table(cloud(50))), cheap)


def test_each_column_pays_for_its_own_median():
    portion = Allocation(Fraction(1, 2), Renyi(Fraction(20)))
    bounds = [Bounds(0, 1)] * 3
    one = Centre.plan("a", bounds[:1], portion)
    three = Centre.plan("abc", bounds, portion)
    for planned in (one, three):
        spent = portion.currency.price(planned.cost)
        assert portion.amount * (1 - Fraction(1, 10**8)) < spent <= portion.amount
    assert three.epsilon < one.epsilon


def oddities():
    generator = np.random.default_rng(4)
    spread = generator.normal(0, 1, (300, 4))
    yield "empty", np.empty((0, 4))
    yield "one row", spread[:1]
    yield "fewer rows than columns", spread[:3]
    yield "constant", np.full((300, 4), 2.5)
    yield "one constant column", spread * [1, 1, 0, 1]
    yield "collinear", np.outer(spread[:, 0], [1, 2, -1, 0.5])
    yield "duplicates", np.repeat(spread[:1], 300, axis=0)
    yield "infinite", np.where(spread > 1.5, np.inf, spread)
    yield "missing", np.where(spread > 0, np.nan, spread)
    yield "beyond", spread * 1e300


@pytest.mark.parametrize("rows", [pytest.param(rows, id=name) for name, rows in oddities()])
@pytest.mark.parametrize(
    "unit", [ROWS, PrivacyUnit.users("who"), PrivacyUnit.users("who", max_rows=3)]
)
def test_every_table_has_an_answer(rows, unit):
    source = table(rows, who=pa.array([str(index % 50) for index in range(len(rows))], pa.string()))
    scaled = PCA(COLUMNS, scale=sf.private())
    correlations = found(source, scaled, unit=unit, budget=Budget(0.5, 1e-6)).correlations
    assert np.isfinite(correlations.value).all() and (correlations.low <= correlations.high).all()
    release = found(source, unit=unit, budget=Budget(0.5, 1e-6))
    assert np.isfinite(release.components).all() and np.isfinite(release.variances).all()
    assert (release.explained_variance_ratio >= 0).all()
    assert release.figure().panels and release.figure(view="loadings").panels


@pytest.mark.parametrize("each", [1, 3000])
def test_a_person_with_many_rows_counts_once(each):
    rows = np.repeat(cloud(40), each, axis=0)
    who = pa.array(np.repeat(np.arange(40), each))
    release = found(
        table(rows, who=who), unit=PrivacyUnit.users("who"), budget=Budget(9000, 1e-6, weak=True)
    )
    assert release.size == pytest.approx(40, rel=0.01)


@pytest.mark.parametrize("columns", [2, 4])
def test_rows_that_are_all_alike_have_no_directions(columns):
    """Their covariance is noise alone, also where the centre lies far from them."""
    source, domain = table(np.full((2000, columns), 7.0)), Domain(dict.fromkeys("abcd", (-10, 10)))
    chart = PCA(COLUMNS[:columns])
    told = [
        any(found(source, chart, Budget(1, 1e-6), domain=domain, seed=seed).distinct)
        for seed in range(40)
    ]
    assert np.mean(told) <= 0.15


def test_a_hundred_columns_are_fine_and_one_more_is_not():
    names = [f"c{index}" for index in range(101)]
    generator = np.random.default_rng(5)
    source = pa.table({name: generator.normal(size=60) for name in names})
    domain = Domain(dict.fromkeys(names, (-5, 5)))
    release = found(source, PCA(names[:100]), domain=domain)
    assert release.components.shape == (10, 100)
    with pytest.raises(DomainError, match="from 2 to 100 columns"):
        PCA(names).plan(domain, ROWS, SPEND)


def test_given_scales_decide_which_distances_count_alike():
    rows = cloud() * [1, 1, 1, 0.01]
    wide = found(table(rows), PCA(COLUMNS, scale={"a": 100, "b": 100, "c": 100, "d": 0.01}))
    assert abs(wide.components[0, 3]) > 0.99
    assert wide.scaled == "given"


def test_private_scales_are_near_standard_deviations():
    rows = cloud()
    release = found(table(rows), PCA(COLUMNS, scale=sf.private(share=0.3)))
    sigma = rows.std(axis=0)
    assert release.lattice.scales == pytest.approx(sigma, rel=0.15)
    assert release.scaled == "private"


def test_columns_of_one_value_are_measured_by_their_range():
    both = FoundCentre(np.array([1.0, 2.0]), np.array([0.0, 4.0]))
    assert both.scales([Bounds(0, 10), Bounds(0, 10)]) == pytest.approx((1.0, 4 / 2.326), rel=1e-3)


def test_a_column_that_is_mostly_zero_is_measured_by_the_rows_that_are_not():
    generator = np.random.default_rng(8)
    rows = cloud()
    rows[:, 0] = np.where(
        generator.random(len(rows)) < 0.8, 0.0, generator.exponential(2.0, len(rows))
    )
    release = found(table(rows), PCA(COLUMNS, scale=sf.private(share=0.3)))
    assert 0.5 < release.lattice.scales[0] / rows[:, 0].std() < 3


def test_cells_are_folded_around_a_cell_and_none_is_lost():
    generator = np.random.default_rng(2)
    counts = generator.integers(0, 5, (1, 2**12))
    for middle in (0, 7, 2**11, 2**12 - 1):
        folded = fold_cells(Exact(3, 9, 1.0, counts), middle)
        distances = np.abs(np.arange(2**12) - middle)
        assert folded.reveal().sum() == counts.sum()
        assert folded.reveal()[0, :3].tolist() == [
            counts[0, distances == each].sum() for each in range(3)
        ]
        assert (folded.l1, folded.l2_squared) == (3, 9)


def test_private_scales_take_their_share():
    plain, scaled = (
        PCA(COLUMNS, scale=scale).plan(DOMAIN, ROWS, SPEND)
        for scale in (None, sf.private(share=0.5))
    )
    assert fills(scaled.cost, SPEND) and fills(plain.cost, SPEND)
    # Half of the budget is left, of which both sums take 43 %, not 66 and 20.
    ratios = (
        scaled.analysis.directions.scale / plain.analysis.directions.scale,
        (scaled.analysis.spread.scale / plain.analysis.spread.scale),
    )
    assert ratios == pytest.approx(((2 * 66 / 43) ** 0.5, (2 * 20 / 43) ** 0.5))


class Recorder:
    """An engine that remembers what it was asked."""

    def __init__(self, source):
        self.engine, self.asked = DuckEngine(source), []

    def __getattr__(self, verb):
        def ask(*question):
            self.asked.append((verb, question))
            return getattr(self.engine, verb)(*question)

        return ask


def fixed_answers(monkeypatch):
    """Have every mechanism answer the same, whatever the truth."""
    generator = np.random.default_rng(8)
    square = generator.normal(size=(5, 5))
    answer = np.rint((square @ square.T + np.eye(5)) * 2**40).astype(np.int64)

    def choose(meter, exact, *, levels, epsilon):
        del meter, exact, epsilon
        return np.arange(40, 40 + len(levels))[None]

    monkeypatch.setattr(centre, "joint", choose)
    monkeypatch.setattr(reach, "joint", choose)
    monkeypatch.setattr(summing, "add_moment_noise", lambda meter, exact, scale: answer)


@pytest.mark.parametrize("scale", [None, sf.private(share=0.2)])
def test_questions_follow_from_answers_and_from_nothing_else(monkeypatch, scale):
    fixed_answers(monkeypatch)
    asked = []
    for rows in (cloud(500), np.full((3, 4), 9.0), np.empty((0, 4))):
        engine = Recorder(table(rows))
        PCA(COLUMNS, scale=scale).plan(DOMAIN, ROWS, SPEND).analysis.run(engine, ample_meter())
        asked.append(engine.asked)
    assert asked[0] == asked[1] == asked[2]
    assert [verb for verb, _ in asked[0]] == ["marginals", "counts", "gram", "gram"]
    lattice = Lattice(tuple(COLUMNS), (Bounds(-10, 10),) * 4, (10.0,) * 4)
    if scale is None:
        moments = asked[0][2][1][0]
        assert isinstance(moments, Moments) and moments.lattice == lattice


@pytest.mark.parametrize(
    ("chart", "domain", "budget", "text"),
    [
        (lambda: PCA(["a"]), DOMAIN, SPEND, "at least two names"),
        (lambda: PCA("a"), DOMAIN, SPEND, "at least two names"),
        (lambda: PCA(["a", "a"]), DOMAIN, SPEND, "each named once"),
        (lambda: PCA(["a", 3]), DOMAIN, SPEND, "at least two names"),
        (lambda: PCA(COLUMNS, n_components=5), DOMAIN, SPEND, "from 1 to 4"),
        (lambda: PCA(COLUMNS, n_components=True), DOMAIN, SPEND, "from 1 to 4"),
        (lambda: PCA(["a", "z"]), DOMAIN, SPEND, "'z'"),
        (lambda: PCA(COLUMNS, scale={"a": 1}), DOMAIN, SPEND, "name every column"),
        (lambda: PCA(["a", "b"], scale={"a": 1, "b": 0}), DOMAIN, SPEND, "above 0"),
        (lambda: PCA(["a", "b"], scale={"a": 1, "b": "wide"}), DOMAIN, SPEND, "above 0"),
        (lambda: PCA(COLUMNS, scale=3), DOMAIN, SPEND, "name every column"),
        (lambda: PCA(COLUMNS, scale=sf.private(delta=1e-6)), DOMAIN, SPEND, "nothing else"),
    ],
)
def test_what_cannot_be_analysed_is_refused(chart, domain, budget, text):
    with pytest.raises(DomainError, match=text):
        chart().plan(domain, ROWS, budget)


def test_components_need_a_delta_and_say_what_to_type():
    with pytest.raises(BudgetError, match=r"Write Budget\(epsilon=2, delta=1e-6\)"):
        PCA(COLUMNS).plan(DOMAIN, ROWS, Budget(2))


def test_infinite_bounds_are_refused():
    with pytest.raises(DomainError, match="finite"):
        Domain(a=(0, float("inf")))


def test_refusals_charge_nothing():
    source = pa.table({"a": [1.0], "b": ["text"], "t": pa.array([0], pa.timestamp("us"))})
    session = sf.Session(source, domain=Domain(a=(0, 1), t=(0, 1)), budget=Budget(1, 1e-6))
    for columns, budget, error in (
        (["a", "b"], SPEND, DomainError),
        (["a", "t"], SPEND, SourceError),
        (["a", "t"], Budget(1), BudgetError),
        (["a", "z"], SPEND, DomainError),
        (["a", "t"], Budget(1e-9, 1e-300), BudgetError),
    ):
        with pytest.raises(error):
            session.pca(columns=columns, budget=budget)
    assert session.ledger.entries == ()


def test_a_share_too_small_to_choose_anything_is_refused_before_the_charge():
    with pytest.raises(BudgetError):
        PCA(COLUMNS).plan(DOMAIN, ROWS, Budget(1e-6, 1e-9))


def test_the_plan_knows_what_noise_will_hide():
    chart, domain = PCA(COLUMNS), DOMAIN
    weak, strong = (chart.plan(domain, ROWS, Budget(epsilon, 1e-5)) for epsilon in (0.1, 3))
    assert weak.expected_error > 10 * strong.expected_error
    assert weak.captured(size=1000) < strong.captured(size=1000) <= 1
    assert strong.captured(size=500) <= strong.captured(size=5000)
    rows = strong.buys(size=2000, epsilons=[0.1, 3])
    assert rows[0]["captured"] == pytest.approx(weak.captured(size=2000))
    assert rows[1]["captured"] == pytest.approx(strong.captured(size=2000))
    assert "% of the variance along exact directions" in str(strong)
    for size, explained in ((0, (0.3, 0.2)), (10, (0.2, 0.3)), (10, (0.9, 0.8)), (10, (0.3,))):
        with pytest.raises(DomainError, match="A guess"):
            strong.captured(size=size, explained=explained)


def test_the_plan_expects_about_what_is_captured():
    rows = cloud(1500)
    exact = np.cov(rows.T)
    best = np.linalg.eigvalsh(exact)[-2:].sum()
    budget = Budget(0.5, 1e-5)
    caught = [
        sum(v @ exact @ v for v in found(table(rows), budget=budget, seed=seed).components[:2])
        for seed in range(30)
    ]
    shares = tuple(np.sort(np.linalg.eigvalsh(exact / np.trace(exact)))[:-3:-1])
    plan = PCA(COLUMNS).plan(DOMAIN, ROWS, budget)
    expected = plan.captured(size=1500, explained=(shares[0], shares[1]))
    assert 1 - np.mean(caught) / best == pytest.approx(1 - expected, rel=1.0, abs=0.01)


def test_a_ladder_has_a_rung_for_everyone():
    assert make_ladder(1.0, 1.0, 2.0) == (0.0, 1.0)
    ladder = make_ladder(0.001, 7.0, 1.1)
    assert ladder[:2] == (0.0, 0.001) and ladder[-1] == 7.0
    assert all(high / low >= 1.1 for low, high in pairwise(ladder[1:]))


def test_the_crowd_keeps_a_few_rows_from_being_the_answer():
    """Three rows far out are too few to be seen at this price; without a crowd one would be."""
    lattice = Lattice(("a", "b"), (Bounds(-1, 1),) * 2, (1.0, 1.0))
    key = DistanceCells(lattice, "distance", (0, 0), (), make_ladder(0.01, 2.0, 1.2))
    source = pa.table({"a": [0.9, 0.9, 0.9], "b": [0.9, 0.9, 0.9]})
    search = RadiusSearch(Fraction(98, 100), Fraction(1))
    with seeded(1), ample_meter() as meter:
        near = search.find(DuckEngine(source), meter, key, ROWS)
        many = pa.concat_tables([source] * 3000)
        far = search.find(DuckEngine(many), meter, key, ROWS)
    assert near < 0.1
    assert far == pytest.approx(0.9 * 2**0.5, rel=0.2)
