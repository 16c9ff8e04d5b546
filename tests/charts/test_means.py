"""Means, sums and counts by groups: what they cost, how far they are off, how sure they are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from charts.spending import fills
from sfumato.charts.means.chart import CLIP_SHARE, Barplot
from sfumato.charts.means.clipping import ClipSearch, DeclaredClip
from sfumato.charts.means.redrawn import Lineplot, Pointplot
from sfumato.domain import Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.engines.sources.arrow import ArrowTable
from sfumato.errors import DomainError, ReleaseError, SourceError
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import private
from sfumato.testing import measure_planned, seeded

ROWS = PrivacyUnit.rows()
UNITS = [ROWS, PrivacyUnit.users("person"), PrivacyUnit.users("person", max_rows=5)]
GROUPS, EACH = 300, 400
SHAPES = {
    "zero-inflated": lambda draw, n: np.where(draw.random(n) < 0.6, 0.0, draw.pareto(3.0, n) * 20),
    "near the upper end": lambda draw, n: 100 - draw.exponential(2.0, n),
    "ties": lambda draw, n: draw.integers(0, 3, n) * 50.0,
    "constant": lambda draw, n: np.full(n, 37.0),
}


def make_table(shape: str, groups: int = GROUPS, each: int = EACH) -> pa.Table:
    """A table of groups of one size, and of one person to each row."""
    draw = np.random.default_rng(0)
    rows = groups * each
    return pa.table(
        {
            "y": SHAPES[shape](draw, rows),
            "g": np.repeat(np.arange(groups), each),
            "h": np.tile(["a", "b"], rows // 2),
            "person": np.arange(rows),
        }
    )


def declared(groups: int = GROUPS, upper: float = 100.0) -> Domain:
    return Domain(y=(0, upper), g=list(range(groups)), h=["a", "b"])


def ask(chart, table, domain, unit=ROWS, budget=Budget(epsilon=1), seed=1):  # noqa: B008
    plan = chart.plan(domain, unit, budget)
    with seeded(seed):
        return measure_planned(chart, DuckEngine(table), plan)


def find_truth(table, upper, of):
    """Return what is asked for of each group, of values clipped to bounds."""
    values = np.clip(table["y"].to_numpy(), 0, upper).reshape(GROUPS, EACH)
    return {"mean": values.mean(axis=1), "sum": values.sum(axis=1), "count": [EACH] * GROUPS}[of]


@pytest.mark.parametrize("budget", [Budget(epsilon=0.7), Budget(1, 1e-6)], ids=str)
@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("estimator", ["mean", "sum", "count"])
def test_intervals_hold_the_numbers_of_clipped_values_as_often_as_they_say(estimator, unit, budget):
    held = []
    for shape in SHAPES:
        table = make_table(shape)
        chart = Barplot("g", "y", estimator=estimator, clip="bounds")
        found = ask(chart, table, declared(), unit, budget).estimates
        truth = find_truth(table, 100, estimator)
        assert found.reliable.all()
        near = 1e-3 * (found.high - found.low)  # values are told by whole steps
        held.append((found.low - near <= truth) & (truth <= found.high + near))
    assert 0.93 < np.mean(held) < 0.97


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("budget", [Budget(epsilon=0.5), Budget(1, 1e-6)], ids=str)
def test_the_expected_error_is_the_observed_one(budget, unit):
    table = make_table("zero-inflated")
    chart = Barplot("g", "y", clip="bounds")
    plan = chart.plan(declared(), unit, budget)
    release = ask(chart, table, declared(), unit, budget)
    along = find_truth(table, 100, "sum") / 100
    ends = np.array(release.steps).reshape(-1, 2) * release.step
    observed = np.abs(ends - np.column_stack([EACH - along, along])).mean()
    assert 0.9 < plan.expected_error / observed < 1.1


def test_means_whose_bias_is_said_to_be_negligible_are_those_of_all_values():
    rows, groups, held = 30_000, 100, []
    draw = np.random.default_rng(3)
    domain = Domain(y=(0, 400), g=list(range(groups)))
    for seed in range(8):
        table = pa.table({"y": draw.gamma(4.0, 10.0, rows), "g": np.arange(rows) % groups})
        release = ask(Barplot("g", "y"), table, domain, seed=seed)
        truth = table["y"].to_numpy().reshape(-1, groups).mean(axis=0)
        assert release.clipped.edges[1] < 300
        if "negligible" in release.caption():
            told = release.estimates
            held.append((told.low <= truth) & (truth <= told.high))
    assert len(held) > 3
    assert 0.92 < np.mean(held) < 0.98


HIDING = {
    "zero-inflated": lambda draw, n: np.where(draw.random(n) < 0.6, 0.0, draw.pareto(2.2, n) * 25),
    "90 % zeros": lambda draw, n: np.where(draw.random(n) < 0.9, 0.0, draw.lognormal(3, 1, n)),
    "wide lognormal": lambda draw, n: draw.lognormal(0, 2.5, n),
    "5 % far": lambda draw, n: np.where(draw.random(n) < 0.05, 1000.0, draw.normal(50, 10, n)),
    "Pareto": lambda draw, n: draw.pareto(1.2, n) + 1,
}
"""Columns of which little lies far out, and moves the mean."""


@pytest.mark.parametrize("shape", HIDING)
@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_the_range_of_the_bias_holds_what_clipping_does_to_the_mean(shape, epsilon):
    """Also of a heavy tail, and of small tables: what noise hides is counted as bias."""
    held, draw = [], np.random.default_rng(4)
    for seed in range(40):
        values = HIDING[shape](draw, 1000)
        table = pa.table({"y": values, "g": np.arange(1000) % 4})
        release = ask(Barplot("g", "y"), table, declared(4, 1e5), budget=Budget(epsilon), seed=seed)
        moved = float((values.clip(*release.clipped.edges) - values.clip(0, 1e5)).mean())
        low, high = release.bias_range
        assert low <= release.bias <= high
        held.append(low <= moved <= high)
    assert np.mean(held) >= 0.93


@pytest.mark.parametrize("rows", [1000, 10_000])
def test_a_zero_inflated_column_is_not_told_as_zero_with_a_tight_interval(rows):
    """One row of twelve is not zero, and half a percent lie at the declared end."""
    draw, domain = np.random.default_rng(6), declared(2, 100_000.0)
    some = draw.random(rows)
    gains = np.where(some < 0.08, draw.lognormal(8.5, 0.7, rows), 0.0)
    values = np.where(some < 0.005, 100_000.0, gains).clip(0, 100_000)
    table = pa.table({"y": values, "g": np.arange(rows) % 2})
    truth, held, ends = values.reshape(-1, 2).mean(axis=0), [], []
    for seed in range(20):
        release = ask(Barplot("g", "y"), table, domain, seed=seed)
        told, (least, _) = release.estimates, release.bias_range
        held.append(~told.reliable | (told.high - least > truth))
        ends.append(release.clipped.edges[1])
    assert np.mean(held) >= 0.9
    assert min(ends) > 100
    assert np.median(ends) > 10_000


def test_where_one_value_is_all_that_is_seen_and_much_could_hide_no_mean_is_told():
    values = np.where(np.arange(1000) < 10, 90_000.0, 0.0)
    table = pa.table({"y": values, "g": np.arange(1000) % 2})
    release = ask(Barplot("g", "y"), table, declared(2, 1e5), budget=Budget(0.1))
    assert not release.clip_found
    assert not release.estimates.reliable.any()
    assert "to find where to clip" in release.caption()
    assert "Bias from clipping: unknown" in release.caption()
    assert ask(Barplot("g", "y"), table, declared(2, 1e5), budget=Budget(50, weak=True)).clip_found


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_private_bounds_of_a_normal_column_do_not_explode(epsilon):
    table = pa.table({"y": np.random.default_rng(7).normal(50, 10, 2000)})
    chart = Barplot(y="y", bounds=private())
    for seed in range(20):
        release = ask(chart, table, Domain(), budget=Budget(epsilon), seed=seed)
        low, high = release.clipped.edges
        assert -200 < low < 40
        assert 60 < high < 300
        assert release.estimates.value[0] == pytest.approx(50, abs=5)
    assert "Bias from clipping: unknown" in release.caption()


def test_private_bounds_lie_around_a_column_of_one_value_and_zeros_alone_have_none():
    chart = Barplot(y="y", bounds=private())
    release = ask(chart, make_table("constant"), Domain())
    assert release.estimates.reliable.all()
    assert release.estimates.value[0] == pytest.approx(37, abs=3)
    zeros = ask(chart, pa.table({"y": np.zeros(5000)}), Domain())
    assert not zeros.estimates.reliable.any()


@pytest.mark.parametrize("shape", SHAPES)
def test_clipping_that_is_found_privately_beats_bounds_that_are_a_hundred_times_too_wide(shape):
    table, domain = make_table(shape, 10, 3000), declared(10, 10_000.0)
    truth = table["y"].to_numpy().reshape(10, 3000).mean(axis=1)
    errors = [
        np.abs(ask(Barplot("g", "y", clip=clip), table, domain).estimates.value - truth).mean()
        for clip in ("private", "bounds")
    ]
    assert errors[0] < 0.3 * errors[1]


def test_a_budget_is_divided_among_the_search_and_the_sums():
    domain, budget = declared(3), Budget(epsilon=1)
    chart = Barplot("g", "y")
    plan = chart.plan(domain, ROWS, budget)
    assert isinstance(plan.clip, ClipSearch)
    assert plan.clip.cost.epsilon <= CLIP_SHARE
    assert Fraction(99, 100) < plan.cost.epsilon <= 1
    gaussian = Budget(1, 1e-6)
    assert fills(chart.plan(domain, ROWS, gaussian).cost, gaussian)
    whole = Barplot("g", "y", clip="bounds").plan(domain, ROWS, budget)
    assert isinstance(whole.clip, DeclaredClip)
    assert whole.noise.scale < plan.noise.scale
    flags = Domain(y=range(2), g=[0, 1, 2])
    assert isinstance(chart.plan(flags, ROWS, budget).clip, DeclaredClip)


def test_bounds_that_nobody_knows_are_searched_for_with_the_share_that_is_asked():
    plan = Barplot(y="y", bounds=private(share=0.3)).plan(Domain(), ROWS, Budget(epsilon=1))
    assert isinstance(plan.clip, ClipSearch)
    assert Fraction(29, 100) < plan.clip.cost.epsilon <= Fraction(3, 10)
    table = make_table("near the upper end", 2, 20_000)
    release = ask(Barplot(y="y", bounds=private()), table, Domain())
    low, high = release.clipped.edges
    assert -1e5 < low < 80
    assert 98 < high < 1e5
    assert release.estimates.value[0] == pytest.approx(98, abs=5)


def test_the_same_question_is_paid_for_once_whichever_way_it_is_drawn():
    table = make_table("ties", 4)
    session = sf.Session(table, domain=declared(4), budget=sf.Budget(3))
    bars = session.barplot(x="g", y="y", budget=1)
    spent = session.ledger.spent
    points = session.pointplot(x="g", y="y", estimator="sum", budget=1)
    line = session.lineplot(x="g", y="y", budget=1)
    assert session.ledger.spent == spent
    assert (bars.view, points.view, line.view) == ("bars", "points", "line")
    assert bars.steps == points.steps == line.steps
    assert points.heading == "sum of y by g"
    assert session.barplot(x="g", y="y", budget=1) == bars
    session.pointplot(x="g", y="y", estimator="count", budget=0.5)
    assert session.ledger.spent != spent


@pytest.mark.parametrize("chart", [Barplot, Pointplot, Lineplot])
def test_a_sum_is_planned_checked_and_written_down_as_one_however_it_is_drawn(chart):
    asked = chart(x="g", y="y", estimator="sum")
    plan = asked.plan(declared(), ROWS, Budget(epsilon=1))
    assert plan == Barplot(x="g", y="y", estimator="sum").plan(declared(), ROWS, Budget(epsilon=1))
    assert (plan.label, plan.smallest_group) == ("sum of y by g", 0.0)
    with pytest.raises(DomainError, match="leave the floats"):
        asked.plan(declared(upper=1e290), ROWS, Budget(epsilon=1))


def test_sums_and_means_of_one_release_agree():
    table = make_table("ties", 4)
    mean = ask(Barplot("g", "y", clip="bounds"), table, declared(4))
    total = Barplot("g", "y", estimator="sum", clip="bounds").arrange(mean)
    assert total.estimates.value == pytest.approx(mean.estimates.value * mean.counts)
    assert total.counts == pytest.approx([EACH] * 4, abs=20)


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_proportions_have_the_intervals_they_state(unit):
    table = make_table("ties")
    draw = np.random.default_rng(5)
    held = []
    for share in (0.02, 0.3, 0.97):
        chosen = draw.random(GROUPS * EACH) < share
        listed = table.set_column(2, "h", pa.array(np.where(chosen, "b", "a")))
        chart = Barplot("g", "h", estimator="proportion", levels=["a", "b"])
        found = ask(chart, listed, declared(), unit, Budget(epsilon=0.7)).estimates
        truth = chosen.reshape(GROUPS, EACH).mean(axis=1)
        # Ends lie within 0 and 1, and at them where the truth is near.
        held.append((found.low <= truth) & (truth <= found.high))
        assert np.abs(found.value - truth).mean() < 0.05
    assert 0.93 < np.mean(held) < 0.975


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_medians_have_the_intervals_they_state_and_cost_what_was_planned(unit):
    table = make_table("near the upper end")
    chart = Barplot("g", "y", estimator="median")
    plan = chart.plan(declared(), unit, Budget(epsilon=2))
    assert Fraction(19, 10) < plan.cost.epsilon <= 2
    release = ask(chart, table, declared(), unit, Budget(epsilon=2))
    told = release.estimates
    values = np.sort(table["y"].to_numpy().reshape(GROUPS, EACH), axis=1)
    truth = values[:, EACH // 2 - 1]
    kept = told.reliable
    assert kept.mean() > 0.7
    assert 0.9 < np.mean((told.low <= truth)[kept] & (truth <= told.high)[kept]) <= 1
    assert np.median(np.abs(told.value - truth)) < 1
    assert release.counts == pytest.approx([EACH] * GROUPS, abs=1500)


def test_a_proportion_counts_the_last_level_among_those_that_are_listed():
    table = pa.table({"h": ["a", "b", "b", "c", None] * 1000, "g": [0] * 5000})
    chart = Barplot("g", "h", estimator="proportion", levels=["a", "b"])
    release = ask(chart, table, Domain(g=[0]), budget=Budget(epsilon=2))
    assert release.label == "proportion of h by g"
    assert release.estimates.value[0] == pytest.approx(2 / 3, abs=0.01)
    assert release.counts[0] == pytest.approx(3000, abs=20)


def test_rows_without_a_number_are_counted_nowhere():
    table = pa.table({"y": [1.0, None, float("nan"), 3.0] * 500, "g": [0] * 2000})
    for estimator in ("mean", "count"):
        chart = Barplot("g", "y", estimator=estimator, clip="bounds")
        assert ask(chart, table, declared(1)).counts[0] == pytest.approx(1000, abs=30)
    assert ask(Barplot("g", estimator="count"), table, declared(1)).counts[0] > 1900


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("rows", [0, 3])
def test_too_few_data_are_said_to_be_too_few(rows, unit):
    table = make_table("ties", 2, 10).slice(0, rows)
    release = ask(Barplot("g", "y", "h"), table, declared(2), unit, Budget(epsilon=0.2))
    assert not release.estimates.reliable.any()
    assert all(np.isnan(record["mean"]) for record in release.records())
    assert "too few" in release.caption()


@pytest.mark.parametrize("budget", [Budget(1e-4), Budget(100, weak=True)])
def test_the_widest_bounds_have_means_and_no_warning_and_sums_are_refused(budget):
    wide = Domain(y=(-8e307, 8e307), g=[0])
    table = pa.table({"y": [8e307, -8e307, 0.0, 1.0] * 500, "g": [0] * 2000})
    for seed in range(3):
        assert np.isfinite(ask(Barplot("g", "y"), table, wide, budget=budget, seed=seed).bias)
    with pytest.raises(DomainError, match="leave the floats"):
        Barplot("g", "y", estimator="sum").plan(wide, ROWS, Budget(1))


def test_tables_of_odd_values_have_an_answer_and_no_warning():
    odd = [float("inf"), float("-inf"), 1e308, -1e308, 5e-324, None, float("nan")]
    table = pa.table({"y": odd * 30, "g": [0] * 210})
    for domain in (declared(1), Domain(y=(-1e300, 1e300), g=[0]), Domain(y=(0, 1e-300), g=[0])):
        release = ask(Barplot("g", "y"), table, domain)
        low, high = release.clipped.edges
        assert domain.bounds("y").lower <= low < high <= domain.bounds("y").upper
        assert np.isfinite(release.estimates.value).all()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"x": "g"}, DomainError),
        ({"x": "y", "y": "y"}, DomainError),
        ({"y": "y", "bins": 4}, DomainError),
        ({"y": "y", "order": ["a"]}, DomainError),
        ({"y": "y", "hue_order": ["a"]}, DomainError),
        ({"x": "g", "y": "y", "bins": 4}, DomainError),
        ({"y": "y", "bounds": private(), "clip": "bounds"}, DomainError),
        ({"estimator": "count", "bounds": private()}, DomainError),
        ({"y": "h"}, DomainError),
        ({"y": "h", "levels": ["a", "b"]}, DomainError),
        ({"y": "h", "estimator": "proportion", "levels": ["b"]}, DomainError),
        ({"y": "h", "estimator": "proportion", "levels": private(delta=1e-6)}, DomainError),
        ({"y": "y", "estimator": "proportion"}, DomainError),
        ({"y": "day"}, DomainError),
        ({"y": "nobody"}, DomainError),
        ({"y": "text"}, SourceError),
    ],
)
def test_what_has_no_answer_is_refused_before_the_charge(options, error, monkeypatch):
    monkeypatch.setattr(ArrowTable, "batches", lambda *_: pytest.fail("the table was read"))
    table = make_table("ties", 2).append_column("text", pa.array(["1"] * 2 * EACH))
    domain = declared(2) | {"day": sf.Bounds.of(("2026-01-01", "2027-01-01"))}
    domain |= {"text": sf.Bounds(0, 1)}
    session = sf.Session(table, domain=domain, budget=sf.Budget(3))
    spent = session.ledger.spent
    with pytest.raises(error):
        session.barplot(**options, budget=1)
    assert session.ledger.spent == spent


@pytest.mark.parametrize("unit", UNITS[:2], ids=repr)
@pytest.mark.parametrize("estimator", ["mean", "count", "sum"])
def test_bins_that_are_merged_tell_what_is_true_of_them_together(estimator, unit):
    draw = np.random.default_rng(4)
    day = np.repeat(np.arange(200), 20)
    value = np.where(day < 80, 30.0, 60.0) + draw.normal(0, 3, day.size)
    table = pa.table({"day": day + 0.5, "y": value, "person": np.arange(day.size)})
    chart = Lineplot("day", "y", bins=200, estimator=estimator, clip="bounds")
    held, runs = [], []
    for seed in range(12):
        release = ask(chart, table, Domain(day=(0, 200), y=(0, 100)), unit, Budget(0.4), seed)
        panel = chart.arrange(release).figure(merge=True).panels[0]
        (curve,) = panel.marks
        runs.append(len(curve.y.value))
        for (start, stop), low, high in zip(curve.spans, curve.y.low, curve.y.high, strict=True):
            kept = (day >= start) & (day < stop)
            whole = {"mean": value[kept].mean(), "count": kept.sum(), "sum": value[kept].sum()}
            truth = whole[estimator] / (1 if estimator == "mean" else stop - start)
            held.append(low <= truth <= high)
    assert np.mean(held) > 0.8  # of 12 to 30 intervals
    assert max(runs) < 8 and min(runs) >= (1 if estimator == "count" else 2)


def test_only_lines_along_bins_are_merged():
    table = make_table("ties", 4)
    session = sf.Session(table, domain=declared(4), budget=sf.Budget(9))
    counts = session.lineplot(x="y", estimator="count", budget=1)
    assert "averages per bin" in counts.figure(merge=True).caption
    assert "averages per bin" not in counts.figure().caption
    others = [
        session.lineplot(x="g", y="y", budget=1),
        session.barplot(x="y", estimator="count", budget=1),
        session.lineplot(x="y", y="g", estimator="proportion", levels=[0, 1], budget=1),
    ]
    for release in others[:2]:
        with pytest.raises(ReleaseError, match="lines of sums"):
            release.figure(merge=True)
    assert others[2].figure(merge=True).panels


def test_a_way_to_draw_that_there_is_not_is_refused_before_the_charge():
    session = sf.Session(make_table("ties", 2), domain=declared(2), budget=sf.Budget(3))
    plan = Barplot("g", "y").plan(declared(2), ROWS, Budget(epsilon=1))
    with pytest.raises(ReleaseError, match="orient"):
        Barplot("g", "y").check_view(plan, {"orient": "sideways"})
    with pytest.raises(ReleaseError):
        Lineplot("g", "y").check_view(plan, {"orient": "h"})
    Pointplot("g", "y").check_view(plan, {"orient": "h"})
    assert session.ledger.spent.epsilon == 0


def test_where_to_clip_follows_from_numbers_that_were_paid_for(monkeypatch):
    """The twin: a search that looked at true counts would answer every time alike."""
    table, domain = make_table("zero-inflated", 2, 5000), declared(2, 1e6)

    def search() -> set[tuple[int, ...]]:
        return {ask(Barplot("g", "y"), table, domain, seed=seed).ladder_steps for seed in (1, 2, 3)}

    from sfumato.charts.means import clipping

    monkeypatch.setattr(clipping.BoundsSearch, "walk", lambda *_: (0, 20))
    assert len(search()) == 3
    monkeypatch.setattr(clipping, "add_noise", lambda _meter, exact, _law: exact.reveal())
    assert len(search()) == 1
