"""Boxes decoded from simulated releases, against the sample's own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postprocess.released import boxplot, noise, numbers, release
from sfumato.postprocess.box import COUNT_SHARE, QUARTILE_SHARE, SIZE_SHARE
from sfumato.postprocess.noise_law import CountNoise, NoiseLaw

CELLS = 2**20


def draw(name: str, size: int, generator: np.random.Generator):
    unit = {
        "normal": lambda: generator.normal(0, 1, size),
        "uniform": lambda: generator.uniform(-1.7, 1.7, size),
        "exponential": lambda: generator.exponential(1, size),
        "two humps": lambda: generator.normal(0, 0.4, size) + 0.9 * generator.choice([-1, 1], size),
    }[name]()
    return np.clip(np.floor((unit + 50) / 100 * CELLS), 0, CELLS - 1).astype(np.int64)


def test_the_shares_are_the_whole_budget():
    assert pytest.approx(1, abs=1e-12) == SIZE_SHARE + QUARTILE_SHARE + COUNT_SHARE


@pytest.mark.parametrize("name", ["normal", "uniform", "exponential", "two humps"])
@pytest.mark.parametrize(("size", "epsilon"), [(1000, 0.5), (1000, 5.0), (20_000, 1.0)])
def test_each_interval_holds_the_sample_s_own_number(name, size, epsilon):
    generator = np.random.default_rng([size, len(name)])
    held = []
    for _ in range(120):
        values = draw(name, size, generator)
        summary = release(values, CELLS, epsilon, generator)
        truth, low, high = map(numbers, (boxplot(values), summary.low, summary.high))
        held.append((low <= truth) & (truth <= high))
        assert summary.reliable
    assert (np.mean(held, axis=0) >= 0.89).all()
    assert np.mean(held) >= 0.94


def test_intervals_half_as_wide_would_be_noticed():
    generator = np.random.default_rng(8)
    held = []
    for _ in range(150):
        values = draw("normal", 1000, generator)
        summary = release(values, CELLS, 0.5, generator)
        centre, low, high = map(numbers, (summary.box, summary.low, summary.high))
        truth = numbers(boxplot(values))
        held.append(
            (centre - (centre - low) / 2 <= truth) & (truth <= centre + (high - centre) / 2)
        )
    assert np.mean(held, axis=0)[2:5].max() < 0.9


def test_a_mirrored_table_has_a_mirrored_box():
    values = draw("exponential", 3000, np.random.default_rng(2))
    first, median, third = (int(cell) for cell in np.quantile(values, [0.25, 0.5, 0.75]))
    mirror = CELLS - 1
    there = release(values, CELLS, 1e6, np.random.default_rng(1), chosen=(first, median, third))
    back = release(
        mirror - values,
        CELLS,
        1e6,
        np.random.default_rng(1),
        chosen=(mirror - third, mirror - median, mirror - first),
    )
    whiskers, turned = numbers(there.box), numbers(back.box)[::-1]
    assert whiskers[[0, 6]] == pytest.approx(turned[[0, 6]])
    assert whiskers[1:6] == pytest.approx(mirror - turned[1:6], abs=1)


def test_with_all_the_budget_in_the_world_it_is_the_sample_s_box():
    values = draw("exponential", 5000, np.random.default_rng(3))
    truth = boxplot(values)
    chosen = (round(truth.q1), round(truth.median), round(truth.q3))
    found = numbers(release(values, CELLS, 1e6, np.random.default_rng(1), chosen=chosen).box)
    box = truth.q3 - truth.q1
    assert found[1:6] == pytest.approx(numbers(truth)[1:6], abs=0.02 * box)
    assert found[[0, 6]] == pytest.approx(numbers(truth)[[0, 6]], abs=1)


ODD = {
    "constant": np.full(500, 7),
    "constant at the bound": np.zeros(500),
    "six zeros in ten": np.where(np.arange(500) < 300, 0, np.arange(500) % 12),
    "zeros and ones": np.arange(500) % 2,
    "prices": 5 * np.round(np.random.default_rng(0).gamma(3, 1, 500)).clip(0, 4),
}


@pytest.mark.parametrize("name", ODD)
def test_atoms_keep_their_box(name):
    values = ODD[name].astype(np.int64)
    truth = boxplot(values)
    chosen = (round(truth.q1), round(truth.median), round(truth.q3))
    for seed in range(20):
        summary = release(values, 21, 2.0, np.random.default_rng(seed), chosen=chosen)
        assert (summary.box.q1, summary.box.median, summary.box.q3) == chosen
        assert summary.low.median == summary.high.median == chosen[1]
        assert abs(summary.box.lower_whisker - truth.lower_whisker) <= 5
        assert abs(summary.box.upper_whisker - truth.upper_whisker) <= 5


@settings(deadline=None, max_examples=150)
@given(
    cells=st.sampled_from([1, 2, 5, 300, CELLS]),
    size=st.sampled_from([0, 1, 7, 300]),
    epsilon=st.sampled_from([1e-4, 0.01, 1.0, 50.0, 1e8]),
    whis=st.sampled_from([0.0, 0.7, 1.5, 1e5]),
    kind=st.sampled_from(["laplace", "gaussian"]),
    step=st.sampled_from([1.0, 2.0**-30]),
    seed=st.integers(0, 2**32),
)
def test_whatever_was_released_gives_an_ordered_box(cells, size, epsilon, whis, kind, step, seed):
    generator = np.random.default_rng(seed)
    values = generator.integers(0, cells, size) // generator.integers(1, 4)
    first, median, third = np.sort(generator.integers(0, cells, 3)).tolist()
    summary = release(
        values,
        cells,
        epsilon,
        generator,
        chosen=(first, median, third),
        whis=whis,
        kind=kind,
        step=step,
    )
    box, low, high = map(numbers, (summary.box, summary.low, summary.high))
    places = np.concatenate([[0], box[1:6], [cells - 1]])
    assert (np.diff(places) >= 0).all()
    assert (low <= box).all() and (box <= high).all()
    assert low.min() >= 0 and high[1:6].max() <= cells - 1 and np.isfinite(high).all()


def test_a_box_is_clear_only_where_units_outnumber_the_error():
    generator = np.random.default_rng(5)
    few, many = (draw("normal", size, generator) for size in (20, 2000))
    unsure = release(few, CELLS, 0.5, generator)
    assert not unsure.reliable
    assert numbers(unsure.low)[1:6].max() == 0
    assert numbers(unsure.high)[1:6].min() == CELLS - 1
    assert release(many, CELLS, 0.5, generator).reliable


def test_the_size_is_better_known_than_from_either_source():
    generator = np.random.default_rng(6)
    values = draw("normal", 1000, generator)
    errors = [release(values, CELLS, 1.0, generator).size - 1000 for _ in range(60)]
    alone = noise(NoiseLaw("laplace", 1 / SIZE_SHARE), 4000, generator)
    assert np.std(errors) < 0.6 * alone.std()
    assert CountNoise(NoiseLaw("laplace", 1 / SIZE_SHARE)).variance == pytest.approx(
        alone.var(), rel=0.2
    )
