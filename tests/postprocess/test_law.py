import math
from fractions import Fraction

import numpy as np
import pytest

from sfumato.mechanisms.gaussian import gaussian_scale
from sfumato.mechanisms.laplace import laplace_scale
from sfumato.mechanisms.noise import LARGEST_SCALE
from sfumato.postprocess.noise_law import WIDEST, NoiseLaw
from sfumato.privacy.budget import Cost

LAWS = [NoiseLaw(kind, scale) for kind in ("laplace", "gaussian") for scale in (0.3, 1, 2.5, 40)]


def pmf(law: NoiseLaw) -> dict[int, float]:
    reach = range(-math.ceil(60 * law.scale) - 60, math.ceil(60 * law.scale) + 61)
    weigh = {
        "laplace": lambda z: math.exp(-abs(z) / law.scale),
        "gaussian": lambda z: math.exp(-(z**2) / (2 * law.scale**2)),
    }[law.kind]
    weights = {z: weigh(z) for z in reach}
    total = math.fsum(weights.values())
    return {z: weight / total for z, weight in weights.items()}


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_coverage_and_error_are_those_of_the_exact_pmf(law):
    exact = pmf(law)
    assert law.mean_absolute == pytest.approx(sum(abs(z) * p for z, p in exact.items()), abs=1e-12)
    for radius in (0, 1, 3, 10):
        within = math.fsum(p for z, p in exact.items() if abs(z) <= radius)
        assert law.coverage(radius) == pytest.approx(within, abs=1e-12)


@pytest.mark.parametrize("law", [*LAWS, *(NoiseLaw(law.kind, 2.0**30) for law in LAWS[::4])])
@pytest.mark.parametrize("cells", [1, 20, 10**6])
def test_the_radius_is_the_smallest_that_covers(law, cells):
    radius = law.radius(0.95, cells=cells)
    assert law.coverage(radius) ** cells >= 0.95 - 1e-9
    assert radius == 0 or law.coverage(radius - 1) ** cells < 0.95 + 1e-9


def test_wide_noise_agrees_with_its_lattice_sum_at_the_seam():
    lattice, integral = NoiseLaw("gaussian", 1000.0), NoiseLaw("gaussian", 1000.0000001)
    assert lattice.mean_absolute == pytest.approx(integral.mean_absolute, rel=1e-6)
    assert lattice.miss(1960) == pytest.approx(integral.miss(1960), rel=1e-5)


def test_almost_no_noise_is_no_error():
    law = NoiseLaw("laplace", 1e-300)
    assert (law.mean_absolute, law.radius(0.95), law.coverage(0)) == (0.0, 0, 1.0)
    assert np.isfinite(law.miss(5))


def test_the_widest_noise_keeps_its_digits():
    law = NoiseLaw("laplace", 2.0**55)
    radius = law.radius(0.95)
    assert radius / 2.0**55 == pytest.approx(math.log(20), rel=1e-12)
    assert law.coverage(radius) == pytest.approx(0.95, abs=1e-12)


def test_noise_costs_what_its_scale_was_chosen_for():
    half = Fraction(1, 2)
    assert NoiseLaw("laplace", laplace_scale(4, half)).cost(4) == Cost.laplace(half, 4)
    assert NoiseLaw("gaussian", gaussian_scale(16, half)).cost(4) == Cost.gaussian(half)
    assert NoiseLaw("laplace", 8.0).cost(5).epsilon > half


def test_no_wider_noise_is_read_than_is_ever_added():
    assert WIDEST == LARGEST_SCALE
