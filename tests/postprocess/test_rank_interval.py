"""Intervals from noisy counts: they hold as often as they say, whatever the data are."""

import numpy as np
import pytest

from sfumato.postprocess.noise_law import CountNoise, NoiseLaw
from sfumato.postprocess.rank_interval import (
    LEVEL,
    RankCounts,
    compute_intervals,
    estimate_least_size,
    share_beyond,
)

CELLS = 1000
STARTS = np.array([0, 1, 100, 300, 400, 450, 480, 500, 501, 520, 550, 600, 700, 900, 999])
LAWS = [NoiseLaw("laplace", 6.0), NoiseLaw("gaussian", 8.0)]
REPEATS = 1500
SHAPES = {
    "even": np.full(CELLS, 3),
    "rising": np.arange(CELLS) // 120,
    "one atom": np.where(np.arange(CELLS) == 470, 3000, 1),
    "atoms": np.where(np.arange(CELLS) % 25 == 0, 60, 0),
    "at the lower bound": np.where(np.arange(CELLS) == 0, 3000, 2),
}


def drawn(counts, law, size=None, believed=None, **options):
    """Histograms of so many counts with noise of a law, read as if it were the believed one."""
    true = np.add.reduceat(counts, STARTS)
    generator = np.random.default_rng(5)
    if law.kind == "laplace":
        p = 1 - np.exp(-1 / law.scale)
        noise = np.subtract(*generator.geometric(p, (2, REPEATS, true.size)))
    else:
        noise = np.rint(generator.normal(0, law.scale, (REPEATS, true.size)))
    read = CountNoise(believed or law)
    return [RankCounts(STARTS, row, read, CELLS, size, **options) for row in true + noise]


def coverage(counts, level, histograms):
    truth = int(np.searchsorted(np.cumsum(counts), level * counts.sum() - 1e-9))
    told = [each for each in (histogram.told(level) for histogram in histograms) if each.reliable]
    assert len(told) > 0.9 * REPEATS
    return np.mean([each.low <= truth <= each.high for each in told])


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("level", [0.25, 0.5, 0.8])
def test_an_interval_holds_the_quantile_as_often_as_it_says(level, shape, law):
    """Atoms in their own cell are told or not: such an interval may hold more often."""
    counts = SHAPES[shape]
    observed = coverage(counts, level, drawn(counts, law))
    assert observed > LEVEL - 0.02
    if shape == "even" and level == 0.5:
        assert observed < LEVEL + 0.03


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_intervals_of_noise_taken_for_half_of_itself_would_be_noticed(law):
    """The twin: counts with twice the noise that they are read with."""
    half = NoiseLaw(law.kind, law.scale / 2)
    counts = SHAPES["even"]
    assert coverage(counts, 0.5, drawn(counts, law, believed=half)) < LEVEL - 0.1


@pytest.mark.parametrize("level", [0.25, 0.5, 0.8])
def test_a_public_size_gives_intervals_too(level):
    counts = SHAPES["even"]
    observed = coverage(counts, level, drawn(counts, LAWS[0], size=int(counts.sum())))
    assert LEVEL - 0.02 < observed <= 1


@pytest.mark.parametrize("rows", [0, 3, 20])
def test_a_group_of_nobody_and_of_few_is_not_told(rows):
    counts = np.zeros(CELLS, dtype=np.int64)
    counts[480 : 480 + rows] = 1
    told = [each.told(0.5) for each in drawn(counts, LAWS[0])]
    assert np.mean([each.reliable for each in told]) < 0.01
    empty = [each for each in told if (each.low, each.high) == (0, CELLS - 1)]
    assert len(empty) > 0.9 * REPEATS if rows == 0 else True


def test_a_tail_that_cannot_be_told_from_nothing_is_not_told():
    """Ten of 200 lie above the 95 % quantile, and beyond them a void."""
    counts = np.zeros(CELLS, dtype=np.int64)
    counts[300:500] = 1
    told = [each.told(0.95) for each in drawn(counts, LAWS[0])]
    assert np.mean([each.reliable for each in told]) < 0.02
    assert np.mean([each.told(0.5).reliable for each in drawn(counts, LAWS[0])]) > 0.5


def test_beyond_bounds_that_were_searched_for_nothing_is_told():
    """A third of all is cut off above; with public bounds that would be where they lie."""
    counts = np.full(CELLS, 1)
    counts[-1] = 500
    for open_ends, told in (((False, False), True), ((True, True), False)):
        histograms = drawn(counts, LAWS[0], open_ends=open_ends)
        assert np.mean([each.told(0.9).reliable for each in histograms] == np.bool_(told)) > 0.95
        assert np.mean([each.told(0.3).reliable for each in histograms]) > 0.95


def test_how_much_lies_beyond_searched_bounds_is_told_with_an_interval():
    counts = np.full(CELLS, 1)
    counts[[0, -1]] = 200, 300
    shares = [share_beyond([each]) for each in drawn(counts, LAWS[0], open_ends=(True, True))]
    held = [low <= 500 / counts.sum() <= high for low, high in shares]
    assert 0.92 < np.mean(held) < 0.99
    upper = share_beyond(drawn(counts, LAWS[0], open_ends=(False, True))[:1])
    assert upper[1] < 0.25
    assert share_beyond(drawn(counts, LAWS[0])[:1]) is None
    nobody = drawn(np.zeros(CELLS, dtype=np.int64), LAWS[0], open_ends=(True, True))
    assert np.mean([share_beyond([each]) is None for each in nobody]) > 0.98


def test_intervals_rise_with_their_levels():
    levels = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    for histogram in drawn(SHAPES["even"], NoiseLaw("laplace", 60.0))[:300]:
        told = [each for each in compute_intervals(histogram, levels) if each.reliable]
        assert all(each.low <= each.high for each in told)
        for name in ("low", "high"):
            ends = [getattr(each, name) for each in told]
            assert ends == sorted(ends)


def test_more_are_needed_for_rarer_levels_and_wider_noise():
    noise, wide = CountNoise(NoiseLaw("laplace", 5.0)), CountNoise(NoiseLaw("laplace", 10.0))
    assert (
        estimate_least_size(noise, 0.5, 3)
        < estimate_least_size(noise, 0.9, 3)
        < estimate_least_size(noise, 0.99, 3)
    )
    assert estimate_least_size(wide, 0.5, 3) == pytest.approx(
        2 * estimate_least_size(noise, 0.5, 3), rel=0.02
    )
    assert estimate_least_size(noise, 0.05, 1) == pytest.approx(estimate_least_size(noise, 0.95, 1))
