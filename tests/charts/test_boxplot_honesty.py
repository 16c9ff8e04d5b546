"""Solid boxes are right, dashed ones say how little is known, and plans foresee which is which."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.charts.boxplot.plan import check_found_bounds
from sfumato.charts.chart import find_budget
from sfumato.domain import Bounds
from sfumato.errors import BudgetError
from sfumato.grid import Grid
from sfumato.postprocess import box as fence
from sfumato.postprocess.box import Box, Summary
from sfumato.releases.boxplot import METHODS
from sfumato.testing import seeded

GROUPS = [f"{group:02}" for group in range(40)]
WIDE = (-5000, 5000)


def delays(generator, size):
    """Return whole minutes: mostly around none, one in five of them hours."""
    core, tail = generator.normal(-3, 10, size), 20 + generator.exponential(150, size)
    return np.clip(np.rint(np.where(generator.random(size) < 0.2, tail, core)), -60, 1000)


def drawn(rows, *, times=1, draw=delays, groups=GROUPS, **options):
    """Return the summaries of many groups of so many rows at ε = 1, each with its true values."""
    generator = np.random.default_rng(rows)
    names, found = np.repeat(groups, rows), []
    with seeded(rows):
        for _ in range(times):
            values = draw(generator, rows * len(groups))
            release = sf.boxplot(
                pa.table({"group": names, "value": values}),
                x="group",
                y="value",
                order=groups,
                bounds=WIDE,
                step=1,
                budget=1.0,
                **options,
            )
            found += zip(release.summaries, values.reshape(len(groups), rows), strict=True)
    return found


def off(summary, values):
    """Tell whether a quartile is off by more than the length of the true box."""
    truth = np.quantile(values, [0.25, 0.5, 0.75])
    box = np.array([summary.box.q1, summary.box.median, summary.box.q3])
    return np.abs(box - truth).max() > truth[2] - truth[0]


def solid_and_off():
    found = [pair for rows in (80, 120) for pair in drawn(rows, times=2)]
    solid = [off(*pair) for pair in found if pair[0].reliable]
    return len(solid), sum(solid)


def test_solid_boxes_of_small_groups_are_right():
    solid, wrong = solid_and_off()
    assert solid >= 20
    assert wrong == 0


def test_boxes_that_are_all_solid_would_be_noticed(monkeypatch):
    monkeypatch.setattr(fence, "is_well_placed", lambda *_: True)
    solid, wrong = solid_and_off()
    assert solid == 160
    assert wrong > 10


def test_the_outliers_of_dashed_boxes_lie_in_their_intervals():
    held = []
    for summary, values in drawn(60, times=2):
        first, third = np.quantile(values, [0.25, 0.75])
        above = (values > third + 1.5 * (third - first)).sum()
        if not summary.reliable:
            held.append(summary.low.outliers_above <= above <= summary.high.outliers_above)
    assert len(held) > 70
    assert np.mean(held) > 0.93


def test_noisy_counts_move_no_quartile_far_beyond_the_box():
    for (summary, _), cells in zip(drawn(100), released_cells(100), strict=True):
        length = cells[2] - cells[0]
        box = np.array([summary.box.q1, summary.box.median, summary.box.q3])
        assert (np.abs(box - cells) <= length / 4 + 0.5).all()


def released_cells(rows):
    generator = np.random.default_rng(rows)
    values = delays(generator, rows * len(GROUPS))
    table = pa.table({"group": np.repeat(GROUPS, rows), "value": values})
    with seeded(rows):
        release = sf.boxplot(
            table, x="group", y="value", order=GROUPS, bounds=WIDE, step=1, budget=1.0
        )
    return [np.array(group.cells) + WIDE[0] for group in release.measured]


def rounded(step):
    """Return how often intervals hold the quartiles of whole numbers, and what the caption says."""
    values = np.rint(np.random.default_rng(3).normal(50, 12, 1000))
    table = pa.table({"group": np.repeat(GROUPS, 1000), "value": np.tile(values, len(GROUPS))})
    with seeded(5):
        release = sf.boxplot(
            table, x="group", y="value", order=GROUPS, bounds=(0, 100), step=step, budget=1.0
        )
    truth = np.quantile(values, [0.25, 0.5, 0.75], method="inverted_cdf")
    held = [
        getattr(summary.low, name) <= value <= getattr(summary.high, name)
        for summary in release.summaries
        for name, value in zip(("q1", "median", "q3"), truth, strict=True)
    ]
    return np.mean(held), release.caption()


def test_where_ties_keep_intervals_from_holding_the_caption_says_on_what_they_rest():
    held, caption = rounded(step=None)
    assert held > 0.93 or "if few values are equal" in caption
    held, caption = rounded(step=1)
    assert held > 0.93
    assert "Soft edges: 95 % intervals." in caption


@pytest.mark.parametrize("method", METHODS)
def test_a_plan_foresees_which_groups_are_drawn(method):
    chart = sf.Boxplot(x="group", y="value", method=method, step=1)
    names = GROUPS[:20]
    domain = sf.Domain(value=WIDE, group=names)
    plan = chart.plan(domain, sf.PrivacyUnit.rows(), sf.Budget(1.0))
    assert "rows (smaller: not drawn)" in str(plan)
    shares = []
    for part in (0.6, 1.7):
        rows = round(part * plan.smallest_group)
        found = drawn(rows, draw=spread, groups=names, method=method)
        shares.append(np.mean([summary.reliable for summary, _ in found]))
    assert shares[0] <= 0.15
    assert shares[1] >= 0.85


def spread(generator, size):
    return np.rint(generator.normal(0, 60, size))


def test_a_wanted_error_is_bought_for_groups_of_the_wanted_size():
    chart, rows = sf.Boxplot(x="group", y="value"), sf.PrivacyUnit.rows()
    domain = sf.Domain(value=WIDE, group=GROUPS)
    any_size = find_budget(chart, domain, rows, error=3)
    small = find_budget(chart, domain, rows, error=3, size=50)
    assert chart.plan(domain, rows, any_size).smallest_group > 100
    assert chart.plan(domain, rows, small).smallest_group <= 50
    less = sf.Budget(small.epsilon * 0.998)
    assert chart.plan(domain, rows, less).smallest_group > 50
    for size in (0, -1.0, float("nan")):
        with pytest.raises(BudgetError, match="size of a group"):
            find_budget(chart, domain, rows, error=3, size=size)


def test_people_are_told_from_rows_in_what_is_not_drawn():
    chart, domain = sf.Boxplot(y="value"), sf.Domain(value=WIDE)
    for unit, word in (
        (sf.PrivacyUnit.users("person"), "people"),
        (sf.PrivacyUnit.users("person", max_rows=3), "rows"),
    ):
        text = str(chart.plan(domain, unit, sf.Budget(1.0)))
        assert f"{word} (smaller: not drawn)" in text


def test_one_person_with_many_rows_makes_the_smallest_group_larger():
    chart, domain = sf.Boxplot(y="value"), sf.Domain(value=WIDE)
    once, thrice = (
        chart.plan(domain, unit, sf.Budget(1.0)).smallest_group
        for unit in (sf.PrivacyUnit.rows(), sf.PrivacyUnit.users("person", max_rows=3))
    )
    assert thrice == pytest.approx(3 * once, rel=0.05)


def summary(q1, q3):
    box = Box(0.0, q1 - 1, q1, (q1 + q3) / 2, q3, q3 + 1, 5.0)
    return Summary(box, box, box, size=500.0, reliable=True)


def test_a_quartile_at_a_bound_that_was_found_is_in_doubt():
    grid, limits = Grid("value", Bounds(0, 100), 100), Bounds(0, 1000)
    assert check_found_bounds(summary(20.5, 60.5), grid, limits).reliable
    assert check_found_bounds(
        summary(0.5, 60.5), grid, limits
    ).reliable  # the limit itself was declared
    doubted = check_found_bounds(summary(20.5, 99.5), grid, limits)
    assert not doubted.reliable
    assert (doubted.low.q3, doubted.high.q3, doubted.low.outliers_above) == (0.5, 99.5, 0.0)


def test_whiskers_that_reach_bounds_found_too_narrow_say_so():
    generator, told = np.random.default_rng(3), []
    with seeded(3):
        for _ in range(8):
            table = pa.table({"value": delays(generator, 300)})
            release = sf.boxplot(table, y="value", bounds=sf.private(share=0.1), budget=1.0)
            ended = any("found privately" in note for note in release.figure().notes)
            told.append(ended or not release.summaries[0].reliable)
    assert all(told)


def test_declared_bounds_that_are_reached_need_no_word():
    generator = np.random.default_rng(3)
    table = pa.table({"value": generator.uniform(-4, 4, 3000)})
    release = sf.boxplot(table, y="value", bounds=(-2, 2), budget=1.0)
    assert not release.figure().notes


def test_a_walk_along_a_ladder_too_coarse_for_its_box_is_in_doubt():
    found = drawn(900, draw=lambda g, n: np.rint(g.normal(0, 4, n)), method="unbounded")
    assert not any(summary.reliable for summary, _ in found)


def test_a_search_that_found_nothing_says_so_on_figure_and_caption_and_is_foreseen():
    s = sf.Session(pa.table({"wait": [3.0, 5.0, 8.0]}), budget=1.0)
    chart = sf.Boxplot(y="wait", bounds=sf.private())
    assert "search for bounds  ε = 0.0625, succeeds from about" in str(s.plan(chart, budget=0.25))
    with seeded(4):
        release = s.release(chart, budget=0.25)
    said = "The search for bounds found nothing: too few rows for ε = 0.25."
    assert not release.bounds_found
    assert said in release.caption() and release.figure().notes == (said,)
