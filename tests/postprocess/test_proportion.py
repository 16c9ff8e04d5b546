"""Coverage is checked against noise drawn here, not against the module's own simulation."""

import numpy as np
import pytest

from sfumato.postprocess import noise_law as proportion
from sfumato.postprocess.noise_law import NoiseLaw

TRUE = np.array([0, 3, 40, 157, 300, 500], dtype=float)


def releases(scale: float, repeats: int, kind: str = "laplace"):
    generator = np.random.default_rng(5)
    for _ in range(repeats):
        if kind == "laplace":
            ends = generator.geometric(-np.expm1(-1 / scale), (2, TRUE.size))
            yield TRUE + ends[0] - ends[1]
        else:
            yield TRUE + np.rint(generator.normal(0, scale, TRUE.size))


def coverage(interval, law: NoiseLaw, repeats: int = 1500) -> np.ndarray:
    truth = TRUE / TRUE.sum()
    held = [
        (low <= truth + 1e-12) & (truth <= high + 1e-12)
        for low, high in (interval(y, law, 0.95) for y in releases(law.scale, repeats, law.kind))
    ]
    return np.array(held)


@pytest.mark.parametrize("law", [NoiseLaw("laplace", 4.0), NoiseLaw("gaussian", 6.0)], ids=str)
def test_pointwise_intervals_cover_95_in_100(law):
    for share in coverage(proportion.compute_pointwise, law).mean(axis=0):
        assert 0.93 <= share <= 0.97


def test_simultaneous_intervals_cover_all_cells_together():
    held = coverage(proportion.compute_simultaneous, NoiseLaw("laplace", 4.0)).all(axis=1)
    assert held.mean() >= 0.94


def test_intervals_that_ignore_the_noise_of_the_whole_would_be_noticed():
    def naive(parts, law, level):
        radius, whole = law.radius(level), parts.sum()
        return (parts - radius) / whole, (parts + radius) / whole

    assert coverage(naive, NoiseLaw("laplace", 20.0)).mean(axis=0)[-1] < 0.93


def test_a_whole_that_may_be_nothing_leaves_every_proportion_possible():
    low, high = proportion.compute_pointwise(np.array([1.0, -2.0]), NoiseLaw("laplace", 10.0), 0.95)
    assert (low.tolist(), high.tolist()) == ([0, 0], [1, 1])
    assert proportion.proportions(np.array([1.0, -2.0])).tolist() == [0, 0]


def test_a_single_cell_is_all_there_is():
    low, high = proportion.compute_pointwise(np.array([500.0]), NoiseLaw("laplace", 1.0), 0.95)
    assert low[0] == pytest.approx(1) and high[0] == pytest.approx(1)


def test_huge_scales_of_shared_weights_do_not_overflow():
    law = NoiseLaw("laplace", 2.0**50)
    low, high = proportion.compute_pointwise(np.full(1000, 2.0**58), law, 0.95)
    assert np.all(low < high)
