"""How sure quantiles are: intervals by every method, and none where there are too few data."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from sfumato.charts.quantiles import Quantiles
from sfumato.charts.ranks import CHOICE_SHARE, COUNT_SHARE, SIZE_SHARE
from sfumato.domain import Bounds, Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.exact import Exact
from sfumato.grid import Grid
from sfumato.postprocess.rank_interval import compute_intervals
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.private_search import private
from sfumato.releases.quantiles import METHODS
from sfumato.testing import measure_planned, metered, seeded

ROWS = PrivacyUnit.rows()
UNITS = [ROWS, PrivacyUnit.users("person", max_rows=5), PrivacyUnit.users("person")]
CELLS, GROUPS = 2**11, 250
QUARTILES = (0.25, 0.5, 0.75)
GRID = Grid("y", Bounds(0, 1), CELLS)


def _filled(seed, low, high, rows):
    places = np.random.default_rng(seed).integers(low, high, rows)
    return np.bincount(places, minlength=CELLS).astype(np.int64)


SHAPES = {
    "even": _filled(1, 0, CELLS, 4000),
    "bounds × 5": _filled(2, 1000, 1400, 3000),
    "small": _filled(3, 500, 1500, 250),
    "60 % in one cell": _filled(4, 700, 1500, 1000) + 1500 * (np.arange(CELLS) == 640),
    "ties": 40 * (np.arange(CELLS) % 16 == 0).astype(np.int64),
}


def told(chart, counts, epsilon=1.0, unit=ROWS):
    """The intervals of many groups that are all alike."""
    plan = chart.plan(Domain(y=(0, 1)), unit, Budget(epsilon))
    groups = 1 if chart.n is not None else GROUPS
    rows = np.tile(counts * round(1 / unit.step), (groups, 1))
    exact = Exact(unit.weight, unit.weight**2, unit.step, rows)
    found = []
    with seeded(6):
        for _ in range(GROUPS // groups):
            chosen = metered(plan.chooser.choose, exact, GRID).values
            counted = metered(plan.counting.count, exact, GRID, chosen, (False, False)).values
            found += [compute_intervals(group, chart.levels) for group in counted.groups]
    return found


def held(chart, counts, **options):
    ranks = np.array(chart.levels) * counts.sum() - 1e-9
    truth = np.searchsorted(np.cumsum(counts), ranks)
    sure = [
        each.low <= cell <= each.high
        for group in told(chart, counts, **options)
        for each, cell in zip(group, truth, strict=True)
        if each.reliable
    ]
    assert len(sure) > 0.8 * GROUPS * len(chart.levels)
    return np.mean(sure)


EVERY_METHOD = [(method, "even") for method in METHODS]
EVERY_SHAPE = [("approx", shape) for shape in SHAPES if shape != "even"]


@pytest.mark.parametrize(("method", "shape"), EVERY_METHOD + EVERY_SHAPE)
def test_intervals_of_every_method_hold_as_often_as_they_say(method, shape):
    """750 intervals, not quite independent: 0.92 is three standard errors below 0.95.

    They come from counts alone, so one method shows what becomes of shapes.
    """
    coverage = held(Quantiles("y", QUARTILES, method=method), SHAPES[shape])
    assert coverage > 0.92
    assert coverage < 0.985 or shape in ("60 % in one cell", "ties", "small")


def test_intervals_hold_with_ties_on_a_skewed_scale():
    """Thirty rows on each of 60 places: as many as noise hides, so bins are not evenly filled.

    1500 intervals: bins of up to 1.1 radii taken for even would hold 0.91.
    """
    places = np.geomspace(CELLS * np.exp(-7.5), CELLS - 1, 60).astype(np.int64)
    counts = 30 * np.bincount(places, minlength=CELLS)
    levels = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    assert held(Quantiles("y", levels, method="approx"), counts) > 0.935


@pytest.mark.parametrize("levels", [(0.5,), (0.05, 0.95), tuple(np.arange(1, 10) / 10)], ids=len)
def test_intervals_of_one_level_of_tails_and_of_many_hold(levels):
    assert held(Quantiles("y", levels, method="approx"), SHAPES["even"]) > 0.92


@pytest.mark.parametrize("unit", UNITS[1:], ids=str)
def test_intervals_hold_where_people_are_protected(unit):
    epsilon = 0.5 * min(unit.weight, 5)
    chart = Quantiles("y", QUARTILES, method="approx")
    coverage = held(chart, SHAPES["even"], unit=unit, epsilon=epsilon)
    assert 0.92 < coverage < 0.99


def test_intervals_hold_where_rows_are_replaced():
    counts = SHAPES["even"]
    rows = int(counts.sum())
    chart = Quantiles("y", QUARTILES, method="approx", neighbours="replace", n=rows)
    assert held(chart, counts) > 0.92


@pytest.mark.parametrize("method", ["approx", "unbounded"])
def test_groups_from_the_smallest_that_the_plan_names_are_told(method):
    """Of those as large as it says nearly all; of those a third as large hardly any."""
    chart = Quantiles("y", QUARTILES, method=method)
    least = chart.plan(Domain(y=(0, 1)), ROWS, Budget(1)).smallest_group
    for part, low, high in ((1.0, 0.85, 1.0), (0.33, 0.0, 0.2)):
        shares = np.mean([
            [each.reliable for each in group]
            for group in told(chart, _filled(7, 600, 1400, round(part * least)))
        ])  # fmt: skip
        assert low <= shares <= high


@pytest.mark.parametrize("method", METHODS)
def test_a_group_without_rows_shows_nothing(method):
    table = pa.table({"y": np.random.default_rng(1).random(3000), "g": ["A"] * 3000})
    chart = Quantiles("y", hue="g", hue_order=["A", "B"], method=method)
    plan = chart.plan(Domain(y=(0, 1), g=["A", "B"]), ROWS, Budget(1))
    with seeded(2):
        frame = measure_planned(chart, DuckEngine(table), plan).to_frame()
    full, empty = frame[frame["g"] == "A"], frame[frame["g"] == "B"]
    assert full["reliable"].all() and (full["low"] < full["high"]).all()
    assert (full["low"] <= full["quantile"]).all() and (full["quantile"] <= full["high"]).all()
    assert not empty["reliable"].any()
    assert empty[["quantile", "low", "high"]].isna().to_numpy().all()


def test_a_search_that_found_nothing_says_so_everywhere():
    table = pa.table({"y": np.random.default_rng(1).gamma(2, 10, 20)})
    chart = Quantiles("y", bounds=private())
    with seeded(3):
        plan = chart.plan(Domain(), ROWS, Budget(0.25))
        release = measure_planned(chart, DuckEngine(table), plan)
    words = "The search for bounds found nothing: too few rows for ε = 0.25."
    assert not release.bounds_found
    assert words in release.caption() and words in release.figure().notes
    assert not any(record["reliable"] for record in release.records())
    assert np.isnan(release.quantiles).all()


def test_a_search_that_cut_off_many_says_how_many():
    """Half lies close together and half far around it: a walk stops at the former."""
    generator = np.random.default_rng(1)
    near, far = generator.normal(50, 0.5, 20_000), generator.uniform(-1000, 1000, 20_000)
    values = np.where(generator.random(20_000) < 0.5, near, far)
    chart = Quantiles("y", (0.1, 0.5, 0.9), bounds=private(share=0.002))
    with seeded(4):
        plan = chart.plan(Domain(), ROWS, Budget(1))
        release = measure_planned(chart, DuckEngine(pa.table({"y": values})), plan)
    bounds = release.value.bounds
    beyond = np.mean((values <= bounds.lower) | (values >= bounds.upper))
    assert beyond > 0.05  # what this test is about
    low, high = release.beyond
    assert low <= beyond <= high
    assert "lie at or beyond them" in release.caption()


def test_a_tail_under_bounds_far_too_wide_is_not_shown_as_if_it_were_known():
    """95 % of 200 delays: ten lie above, and bounds a hundred times too wide invite to a void."""
    generator = np.random.default_rng(5)
    misled = 0
    with seeded(5):
        for _ in range(20):
            delays = np.round(generator.normal(-5, 8, 200) + generator.exponential(30, 200))
            chart = Quantiles("y", 0.95, step=1)
            plan = chart.plan(Domain(y=(-6000, 24_000)), ROWS, Budget(1))
            release = measure_planned(chart, DuckEngine(pa.table({"y": delays})), plan)
            truth = np.quantile(delays, 0.95, method="inverted_cdf")
            misled += release.reliable[0] and not release.low[0] <= truth <= release.high[0]
    assert misled == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_choice_size_and_counts_spend_their_shares_and_no_more(unit, method):
    plan = Quantiles("y", method=method).plan(Domain(y=(0, 1)), unit, Budget(0.7))
    assert plan.cost == plan.chooser.cost + plan.counting.cost
    assert plan.cost.epsilon == Fraction(7, 10)
    exact = Exact(unit.weight, unit.weight**2, unit.step, np.ones((2, CELLS), dtype=np.int64))
    with seeded(1):
        chosen = metered(plan.chooser.choose, exact, GRID)
        counted = metered(plan.counting.count, exact, GRID, chosen.values, (True, True))
    spent = chosen.cost + counted.cost
    assert spent.within(plan.cost)
    assert spent.epsilon > plan.cost.epsilon * (1 - Fraction(1, 2**40))
    assert CHOICE_SHARE + SIZE_SHARE + COUNT_SHARE == 1


def test_where_a_row_is_replaced_counts_get_noise_for_two_bins():
    domain = Domain(y=(0, 1))
    one = Quantiles("y").plan(domain, ROWS, Budget(1)).counting
    two = Quantiles("y", neighbours="replace", n=900).plan(domain, ROWS, Budget(1)).counting
    # The share for the size, which is public, goes to the counts.
    shares = float(COUNT_SHARE / (COUNT_SHARE + SIZE_SHARE))
    assert two.count_law.scale == pytest.approx(2 * one.count_law.scale * shares)
    assert two.size_law is None


def test_where_bins_are_taken_follows_from_what_was_released():
    """The same cells and the same noisy size give the same bins, whatever the table."""
    plan = Quantiles("y").plan(Domain(y=(0, 1)), ROWS, Budget(1))
    chosen = np.array([[500, 1000, 1500]])
    bins = []
    for counts in (SHAPES["even"], SHAPES["even"][::-1]):
        with seeded(9):
            exact = Exact(1, 1, 1.0, counts[np.newaxis].copy())
            counted = metered(plan.counting.count, exact, GRID, chosen, (False, False)).values
            (measured,) = counted.measured
        bins.append(measured.starts)
    assert bins[0] == bins[1]


def test_a_plan_tells_the_smallest_group_and_from_when_on_a_search_succeeds():
    text = str(Quantiles("y", bounds=private()).plan(Domain(), ROWS, Budget(1)))
    assert "smallest group" in text and "no estimate" in text
    assert "succeeds from about 190 rows" in text
    people = str(Quantiles("y").plan(Domain(y=(0, 1)), UNITS[2], Budget(1)))
    assert " people (smaller: no estimate)" in people
