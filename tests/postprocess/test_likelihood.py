import numpy as np
import pytest

from sfumato.postprocess.noise_law import CountNoise, NoiseLaw

LAWS = [NoiseLaw("laplace", 0.4), NoiseLaw("laplace", 5.0), NoiseLaw("gaussian", 5.0)]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_noise_alone_has_its_own_distribution(law):
    steps = np.arange(4.0)
    seen = np.exp(CountNoise(law).log_density(steps, np.zeros(4)))
    within = np.array([law.coverage(int(step)) for step in steps])
    assert seen == pytest.approx(np.append(within[0], np.diff(within) / 2), rel=1e-3)


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("spread", [0.5, 20.0, 400.0])
def test_a_spread_widens_the_density_and_keeps_its_integral(law, spread):
    pitch = 0.2
    residual = pitch * np.arange(-750, 751)
    density = np.exp(CountNoise(law).log_density(residual, np.full(residual.shape, spread)))
    if law.scale > 1:  # narrow noise lives on whole numbers, and its density only there
        assert density.sum() * pitch == pytest.approx(1, abs=0.1)
    normal = np.exp(-(residual**2) / (2 * spread))
    own = np.exp(CountNoise(law).log_density(residual, np.zeros_like(residual)))
    exact = np.convolve(normal, own, mode="same")
    core = exact > 0.05 * exact.max()
    ratio = (density / density.max())[core] / (exact / exact.max())[core]
    assert ratio.min() > 0.6 and ratio.max() < 1.6


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_variance_is_that_of_the_noise(law):
    steps = np.arange(-400, 401.0)
    chance = np.exp(CountNoise(law).log_density(steps, np.zeros_like(steps)))
    assert CountNoise(law).variance == pytest.approx(float(steps**2 @ chance), rel=1e-3)


def test_steps_of_a_unit_only_change_the_units():
    rows = CountNoise(NoiseLaw("laplace", 3.0))
    shared = CountNoise(NoiseLaw("laplace", 3.0 * 2**30), 2.0**-30)
    assert shared.scale == rows.scale
    assert shared.variance == pytest.approx(rows.variance, rel=0.02)
    assert shared.radius(0.95) == pytest.approx(rows.radius(0.95), abs=1)
