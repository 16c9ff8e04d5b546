"""Data that break boxplots: atoms, ties, odd values, nothing at all; data moved and stretched."""

from dataclasses import fields

import numpy as np
import pyarrow as pa
import pytest

from sfumato.charts.boxplot.chart import Boxplot
from sfumato.domain import Domain
from sfumato.engines.dispatch import DuckEngine
from sfumato.postprocess.box import Box
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PrivacyUnit
from sfumato.releases.boxplot import METHODS, NUMBERS, PLACES
from sfumato.testing import measure_planned, seeded

ROWS = PrivacyUnit.rows()
SIZE, LOWER, UPPER = 4000, 0, 500
SHAPES = {
    "constant": lambda g: np.full(SIZE, 137.0),
    "at the lower bound": lambda g: np.full(SIZE, 0.0),
    "at the upper bound": lambda g: np.full(SIZE, 500.0),
    "60 % zeros": lambda g: np.where(g.random(SIZE) < 0.6, 0.0, g.integers(1, 90, SIZE)),
    "0 and 1": lambda g: g.integers(0, 2, SIZE).astype(float),
    "prices": lambda g: np.round(np.clip(g.lognormal(4.7, 0.7, SIZE), 10, 500) / 5) * 5,
    "odd prices": lambda g: np.round(np.clip(g.lognormal(4.7, 0.7, SIZE), 10, 500)),
    "far apart": lambda g: np.where(g.random(SIZE) < 0.5, 3.0, 496.0),
}


def released(values, seed=1, *, budget=2.0, bounds=(LOWER, UPPER), **asked):
    chart = Boxplot(y="price", **asked)
    plan = chart.plan(Domain(price=bounds), ROWS, Budget(budget, weak=True))
    with seeded(seed):
        return plan, measure_planned(chart, DuckEngine(pa.table({"price": values})), plan)


def grid_step(release):
    """One cell; walks stop at rungs that lie one in a thousand of the way apart."""
    cell = release.value.bounds.width / release.value.cells
    return cell + (0.001 * (UPPER - LOWER) if release.method == "unbounded" else 0)


@pytest.mark.parametrize("step", [1, None])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("method", METHODS)
def test_atoms_and_ties_cost_no_more_than_one_step_and_the_planned_error(method, shape, step):
    values = SHAPES[shape](np.random.default_rng(4))
    # Without a step, empty cells between whole numbers weigh more than the numbers themselves.
    several = 6 if step else 12
    for seed in range(2):
        plan, release = released(values, seed, method=method, step=step)
        box, near = release.boxes[0], grid_step(release)
        places = [getattr(box, name) for name in PLACES]
        assert places == sorted(places)
        assert places[0] >= LOWER and places[-1] <= UPPER
        error = several * (plan.method.median_error + plan.method.quartile_error)
        for level, place in ((0.25, box.q1), (0.5, box.median), (0.75, box.q3)):
            assert missed(values, level, place, near) <= error


def missed(values, level, place, near):
    """By how many ranks a place, give or take a step, lies from a level."""
    below, upto = (values < place - near).sum(), (values <= place + near).sum()
    return max(below - level * values.size, level * values.size - upto, 0)


def test_a_box_that_ignores_atoms_would_be_noticed():
    """The twin: next to the only value there is, and yet two thousand ranks away."""
    plan, release = released(np.full(SIZE, 137.0))
    error = 12 * (plan.method.median_error + plan.method.quartile_error)
    assert missed(np.full(SIZE, 137.0), 0.5, 137.01, grid_step(release)) > error


@pytest.mark.parametrize("method", METHODS)
def test_a_value_that_most_share_is_the_whole_box(method):
    for step in (1, None):
        _, release = released(np.full(SIZE, 137.0), budget=20.0, method=method, step=step)
        box, near = release.boxes[0], grid_step(release)
        assert [box.q1, box.median, box.q3] == pytest.approx([137] * 3, abs=near)
        assert box.lower_whisker == pytest.approx(137, abs=3 * near)


@pytest.mark.parametrize("method", METHODS)
def test_zeros_and_ones_have_whole_boxes(method):
    values = np.repeat([0.0, 1.0], [1000, 3000])
    _, release = released(values, budget=20.0, bounds=(0, 1), step=1, method=method)
    box = release.boxes[0]
    assert (box.median, box.q3) == (1, 1) and box.q1 in (0, 1)
    _, release = released(values, budget=20.0, bounds=(0, 0.5), step=1, method=method)
    assert {getattr(release.boxes[0], name) for name in PLACES} == {0}


ODD = {
    "NULL": [None] * 20,
    "NaN": [float("nan")] * 20,
    "infinity": [float("inf"), float("-inf")] * 10,
    "far outside": [1e300, -1e300] * 10,
    "nothing": [],
    "one row": [250.0],
    "two rows": [250.0, 251.0],
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ODD)
def test_odd_tables_have_boxes_of_the_same_shape(name, method):
    wards = ["A"] * len(ODD[name])
    table = pa.table(
        {"price": pa.array(ODD[name], pa.float64()), "ward": pa.array(wards, pa.string())}
    )
    chart = Boxplot("ward", "price", method=method)
    plan = chart.plan(Domain(price=(LOWER, UPPER), ward=["A", "B"]), ROWS, Budget(1))
    for seed in range(3):
        with seeded(seed):
            release = measure_planned(chart, DuckEngine(table), plan)
        for summary in release.summaries:
            numbers = [getattr(summary.box, field.name) for field in fields(Box)]
            assert np.isfinite([*numbers, summary.size]).all()
            places = [getattr(summary.box, place) for place in PLACES]
            assert places[0] >= LOWER and places == sorted(places) and places[-1] <= UPPER
            for name in NUMBERS:
                assert getattr(summary.low, name) <= getattr(summary.high, name)
        assert [record["ward"] for record in release.records()] == ["A", "B"]
        assert release.figure() is not None


@pytest.mark.parametrize("method", METHODS)
def test_texts_and_strangers_are_counted_nowhere(method):
    numbers = [str(value) for value in range(100, 200)]
    table = pa.table({
        "price": [*numbers, *["a lot"] * 100, *numbers, None],
        "ward": [*["A"] * 200, *["elsewhere"] * 100, None],
    })  # fmt: skip
    chart = Boxplot("ward", "price", method=method)
    plan = chart.plan(Domain(price=(LOWER, UPPER), ward=["A", "B"]), ROWS, Budget(50, weak=True))
    with seeded(2):
        full, empty = measure_planned(chart, DuckEngine(table), plan).summaries
    assert full.size == pytest.approx(100, abs=8) and full.box.median == pytest.approx(150, abs=8)
    assert empty.size < 8 and not empty.reliable


def test_a_group_too_small_to_say_anything_says_so():
    _, small = released([250.0] * 3)
    _, large = released(np.linspace(0, 500, 500))
    assert not small.summaries[0].reliable and large.summaries[0].reliable
    wide = small.summaries[0].high.median - small.summaries[0].low.median
    assert wide > 400


# Multiples of a power of two are moved and stretched without rounding.
VALUES = {
    "gamma": np.round(np.random.default_rng(3).gamma(3, 20, 2000) * 8) / 8,
    "uniform": np.round(np.random.default_rng(3).uniform(0, 200, 2000) * 8) / 8,
}
MOVES = [(3, 40), (1, 4096), (0.25, -32)]


def exact_counts(values, bounds):
    plan = Boxplot(y="price").plan(Domain(price=bounds), ROWS, Budget(1))
    grid = plan.values.grid(plan.values.bounds, 1)
    return DuckEngine(pa.table({"price": values})).counts([grid], ROWS).reveal()


@pytest.mark.parametrize(("factor", "shift"), MOVES)
@pytest.mark.parametrize("shape", VALUES)
def test_moved_and_stretched_data_have_the_same_counts(shape, factor, shift):
    one = exact_counts(VALUES[shape], (0, 240))
    ends = (shift, 240 * factor + shift)
    assert one.sum() == 2000 and (one == exact_counts(factor * VALUES[shape] + shift, ends)).all()
    assert (one != exact_counts(factor * (VALUES[shape] + 1) + shift, ends)).any()


def moved(method, shape, factor, shift, *, seed=0, step=None):
    """The boxes of some values, and of the same values moved; the first one moved likewise."""
    ends, values = (shift, 240 * factor + shift), VALUES[shape]
    _, one = released(values, seed, bounds=(0, 240), method=method, step=step)
    step = step and step * factor
    _, two = released(factor * values + shift, seed, bounds=ends, method=method, step=step)
    for which in ("box", "low", "high"):
        for name in NUMBERS:
            number = getattr(getattr(one.summaries[0], which), name)
            wanted = factor * number + shift if name in PLACES else number
            yield getattr(getattr(two.summaries[0], which), name) - wanted
    yield one.summaries[0].size - two.summaries[0].size
    yield float(one.measured != two.measured)


@pytest.mark.parametrize(("factor", "shift"), MOVES)
@pytest.mark.parametrize("step", [None, 0.5])
@pytest.mark.parametrize("shape", VALUES)
def test_the_box_of_moved_and_stretched_data_is_the_box_moved_and_stretched(
    shape, step, factor, shift
):
    for seed in range(2):
        apart = list(moved("fence", shape, factor, shift, seed=seed, step=step))
        assert apart == pytest.approx([0] * len(apart), abs=1e-8)


def test_a_rule_that_depends_on_where_zero_lies_would_be_noticed():
    """The twin: the published rule compares extremes with a share of the fence itself."""
    assert max(moved("dpboxplot", "uniform", 1, 4096)) > 30


@pytest.mark.parametrize("method", METHODS)
def test_whiskers_of_whole_numbers_end_at_whole_numbers(method):
    values = np.random.default_rng(6).poisson(5, SIZE).astype(float)
    for seed in range(4):
        _, release = released(values, seed, method=method, step=1, bounds=(0, 40))
        summary = release.summaries[0]
        for box in (summary.box, summary.low, summary.high):
            assert all(getattr(box, name) == round(getattr(box, name)) for name in PLACES)
        assert summary.low.upper_whisker <= summary.box.upper_whisker <= summary.high.upper_whisker
        fence = summary.box.q3 + 1.5 * (summary.box.q3 - summary.box.q1)
        assert summary.box.upper_whisker <= max(fence, summary.box.q3)
