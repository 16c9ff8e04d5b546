"""Boxes whose quartiles left the data are told from those whose quartiles did not."""

import numpy as np
import pytest

from postprocess.released import noise
from sfumato.postprocess import misplaced
from sfumato.postprocess.box_counts import BoxCounts, fence_layout
from sfumato.postprocess.misplaced import (
    find_smallest_group,
    is_well_placed,
    log_odds,
    reach_middle,
)
from sfumato.postprocess.noise_law import CountNoise, NoiseLaw
from sfumato.postprocess.rank_error import RankError, rank_covariance

CELLS, UNITS = 2**20, 200
CORE = np.linspace(-1, 1, UNITS) * 2000 + CELLS / 2  # evenly over 4,000 cells, in the middle
COUNTS, SIZES = (CountNoise(NoiseLaw("laplace", 1 / part)) for part in (0.29, 0.01))
PLACED = tuple(int(cell) for cell in np.quantile(CORE, [0.25, 0.5, 0.75]))
ASTRAY = {
    "the third above": (*np.quantile(CORE, [1 / 3, 2 / 3]), 900_000),
    "the first below": (100_000, *np.quantile(CORE, [1 / 3, 2 / 3])),
    "two above": (CELLS / 2, 700_000, 800_000),
    "two below": (300_000, 400_000, CELLS / 2),
    "one on either side": (200_000, CELLS / 2, 800_000),
    "all above": (700_000, 800_000, 900_000),
    "all below": (100_000, 200_000, 300_000),
    "all around": (400_000, 600_000, 700_000),
}


def counted(quartiles, values=CORE, generator=None) -> BoxCounts:
    places = tuple(int(cell) for cell in quartiles)
    starts = fence_layout(places, CELLS, 1.5, 6)
    exact = np.diff(np.append(np.searchsorted(values, starts), values.size)).astype(float)
    drawn = 0 if generator is None else noise(COUNTS.law, starts.size, generator)
    return BoxCounts(places, starts, exact + drawn, COUNTS, CELLS, 1.5)


def test_quartiles_in_their_places_are_well_placed():
    assert is_well_placed(counted(PLACED), 0.7, UNITS, SIZES)


@pytest.mark.parametrize("name", ASTRAY)
def test_quartiles_that_left_the_data_are_not(name):
    box = counted(ASTRAY[name])
    assert log_odds(box, 0.7, UNITS, SIZES) > 0
    assert not is_well_placed(box, 0.7, UNITS, SIZES)


def test_noise_alone_has_no_box():
    generator = np.random.default_rng(4)
    for _ in range(200):
        quartiles = np.sort(generator.integers(0, CELLS, 3))
        empty = counted(quartiles, CORE[:0], generator)
        size = float(noise(SIZES.law, 1, generator)[0])
        assert not is_well_placed(empty, 0.7, size, SIZES)


def test_a_rule_that_looks_at_the_size_alone_would_be_noticed(monkeypatch):
    monkeypatch.setattr(misplaced, "log_odds", lambda *_: -9.0)
    monkeypatch.setattr(misplaced, "reach_middle", lambda *_: True)
    assert is_well_placed(counted(ASTRAY["all above"]), 0.7, UNITS, SIZES)


def test_a_quartile_among_the_few_beyond_the_middle_is_not_clear():
    few = np.sort(np.append(CORE[:170], np.linspace(CELLS / 2 + 2000, CELLS / 2 + 60_000, 30)))
    first, median, _ = np.quantile(few, [0.25, 0.5, 0.75])
    error = RankError(0.7)
    assert reach_middle(counted(np.quantile(few, [0.25, 0.5, 0.75]), few), error)
    assert not reach_middle(counted((first, median, few[-15]), few), error)


def test_two_quartiles_that_are_both_too_far_out_are_not_clear():
    peak = np.linspace(-100, 100, UNITS - 24) + CELLS / 2
    flank = np.linspace(4000, 60_000, 12)
    peaked = np.sort(np.concatenate([CELLS / 2 - flank, peak, CELLS / 2 + flank]))
    error = RankError(0.7)
    assert reach_middle(counted(np.quantile(peaked, [0.25, 0.5, 0.75]), peaked), error)
    assert not reach_middle(counted((peaked[4], CELLS / 2, peaked[-5]), peaked), error)


def test_a_box_without_length_has_no_middle_to_reach():
    same = np.full(UNITS, 500_000.5)
    assert reach_middle(counted((500_000,) * 3, same), RankError(0.7))
    assert is_well_placed(counted((500_000,) * 3, same), 0.7, UNITS, SIZES)


def test_the_smallest_group_grows_with_the_noise_and_with_the_cells():
    def smallest(epsilon: float, cells: int) -> float:
        laws = (NoiseLaw("laplace", 1 / (part * epsilon)) for part in (0.29, 0.01))
        return find_smallest_group(0.7 * epsilon, *map(CountNoise, laws), cells)

    sizes = [smallest(1.0, cells) for cells in (100, 10_000, 2**20)]
    assert 60 < sizes[0] < sizes[1] < sizes[2] < 150
    assert smallest(0.1, 2**20) == pytest.approx(10 * sizes[2], rel=0.05)


def test_ranks_are_as_uncertain_as_the_mechanism_makes_them():
    generator = np.random.default_rng(2)
    a, b, c = generator.gamma(4, 2 / 0.5, 200_000) * generator.uniform(-1, 1, (3, 200_000))
    errors = np.array([(a + b + c) / 4, a / 2, (a + b - c) / 4])
    assert np.cov(errors) == pytest.approx(rank_covariance(0.5), rel=0.03)
