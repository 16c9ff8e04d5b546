import numpy as np
import pytest

from sfumato.postprocess.box_counts import Tail, compute_tail_posterior
from sfumato.postprocess.noise_law import CountNoise, NoiseLaw

EDGES = 0.5 + 10 * np.arange(21.0)
LAWS = [NoiseLaw("laplace", 2.0), NoiseLaw("gaussian", 3.0)]


def tail(counts, fenced: bool = True) -> Tail:
    padded = np.zeros(21)
    padded[: len(counts)] = counts
    return Tail(EDGES, padded, fenced)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_blunt_tail_ends_where_its_counts_end(law):
    found = compute_tail_posterior(tail([100] * 6 + [50]), CountNoise(law))
    assert found.quantile(0.5) == pytest.approx(65.5, abs=4)
    assert found.quantile(0.01) <= 65.5 <= found.quantile(0.99)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_heavy_tail_reaches_beyond_the_fence(law):
    found = compute_tail_posterior(tail(1000 / (1 + np.arange(21.0)) ** 2), CountNoise(law))
    assert np.isinf(found.quantile(0.5))
    assert found.foreseen > 1


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_tail_without_units_ends_where_it_starts(law):
    assert compute_tail_posterior(tail([]), CountNoise(law)).quantile(0.5) < 50
    assert compute_tail_posterior(tail([]), CountNoise(NoiseLaw(law.kind, 0.2))).quantile(0.5) == 0


def test_outliers_behind_a_gap_are_believed_only_above_the_noise():
    counts = np.zeros(21)
    counts[:5] = 100
    counts[-1] = 3 * LAWS[0].scale
    assert np.isfinite(compute_tail_posterior(tail(counts), CountNoise(LAWS[0])).quantile(0.5))
    counts[-1] = 25 * LAWS[0].scale
    assert np.isinf(compute_tail_posterior(tail(counts), CountNoise(LAWS[0])).quantile(0.5))


def test_units_behind_a_gap_are_believed_inside_the_fence_too():
    counts = np.zeros(21)
    counts[:5] = 100
    counts[15] = 25 * LAWS[0].scale
    found = compute_tail_posterior(tail(counts), CountNoise(LAWS[0]))
    assert EDGES[15] <= found.quantile(0.5) <= EDGES[16]


def test_a_tail_that_fills_the_bounds_ends_at_them():
    found = compute_tail_posterior(tail([100] * 20, fenced=False), CountNoise(LAWS[0]))
    assert EDGES[-2] <= found.quantile(0.5) <= EDGES[-1]
    assert np.isfinite(found.quantile(1 - 1e-9))


def test_more_noise_makes_the_end_less_sure():
    counts = [100, 90, 80, 60, 40, 20, 5]
    spans = []
    for scale in (0.3, 3.0, 10.0):
        found = compute_tail_posterior(tail(counts), CountNoise(NoiseLaw("laplace", scale)))
        spans.append(min(found.quantile(0.9), EDGES[-1]) - found.quantile(0.1))
    assert spans == sorted(spans)


def test_no_bins_say_nothing():
    assert np.isinf(
        compute_tail_posterior(Tail(EDGES[:1], np.array([7.0])), CountNoise(LAWS[0])).quantile(0.5)
    )
